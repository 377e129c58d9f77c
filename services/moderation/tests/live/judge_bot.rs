//! The example of an external judge (`docs/examples`) is at work: it listens, decides on what is held, and is told nothing by
//! anybody else.

use std::{
    process::{Child, Command},
    time::{Duration, Instant},
};

use chassis::tokens::Role;
use serde_json::json;

use crate::{
    holds::until,
    rig::{PATIENCE, Rig},
    river::River,
};

/// It has to quote its room.
const ROOM: &str = "弹幕 & more?";

/// The program; dropping it ends it.
struct Bot(Child);

impl Bot {
    /// `None` where nothing can run it, which is said.
    fn start(rig: &Rig) -> Option<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/judge_bot.py");
        let server = format!("http://{}", rig.address);
        match Command::new("python3").args([script, &server, ROOM, &rig.token("bot", Role::Service)]).spawn() {
            Ok(child) => Some(Self(child)),
            Err(why) => {
                eprintln!("skipped: there is no python3 ({why})");
                None
            }
        }
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_decides_on_what_is_held() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let Some(mut bot) = Bot::start(&rig) else { return };
    // It hears what is held from when it listens, and nobody is told when that is.
    let deadline = Instant::now() + PATIENCE;
    while river.decisions(ROOM, 0).is_empty() {
        assert_eq!(bot.0.try_wait().unwrap(), None, "it has ended");
        assert!(Instant::now() < deadline, "it decides on nothing");
        river.hold(ROOM, "ann", "hello");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for (text, outcome, reason) in [("Buy now", "rejected", "bot"), ("good evening", "approved", "bot")] {
        let id = river.hold(ROOM, "eve", text).to_string();
        let decided =
            |hold: &serde_json::Value| hold["decision"]["outcome"].is_string().then(|| hold["decision"].clone());
        let decision = until(&moderator, &format!("holds/{id}"), decided).await;
        assert_eq!((&decision["by"], &decision["outcome"]), (&json!("bot"), &json!(outcome)), "{text}");
        assert_eq!(decision["reason"], reason);
    }
    assert_eq!(bot.0.try_wait().unwrap(), None, "it goes on");
}
