//! The canary as a probe: it waits until its viewers are there, says one thing, and tells where it was seen.

use std::{
    io::Write as _,
    process::ExitCode,
    time::{Duration, Instant},
};

use serde::Serialize;
use tokio::time::timeout_at;

use super::{
    Canary, Stage,
    book::{Book, Sight},
    speaker::{self, Answer},
    watcher::Event,
};

/// What became of the one thing.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    delivered: bool,
    /// What the door answered: `accepted`, a code, or why there was no answer.
    said: String,
    answered_ms: u64,
    halls: Vec<At>,
}

/// What was seen at one hall.
#[derive(Debug, Clone, Serialize)]
struct At {
    hall: String,
    /// From before it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen_ms: Option<u64>,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Speaks once, and prints what became of it.
pub(super) async fn run(canary: &Canary, stage: Stage) -> ExitCode {
    let outcome = spoken(canary, stage).await;
    let told = if canary.json { serde_json::to_string(&outcome).unwrap_or_default() } else { told(&outcome) };
    // A reader that went away wants to hear nothing.
    let _ = writeln!(std::io::stdout(), "{told}");
    ExitCode::from(u8::from(!outcome.delivered))
}

async fn spoken(canary: &Canary, mut stage: Stage) -> Outcome {
    let mut book = Book::new(stage.halls.len(), canary.within);
    let at = |hall: &String| At { hall: hall.clone(), seen_ms: None, why: Some("no answer".to_owned()) };
    let mut outcome = Outcome { halls: stage.halls.iter().map(at).collect(), ..Outcome::default() };
    let give_up = tokio::time::Instant::now() + canary.within;
    while !book.are_all_connected() {
        match timeout_at(give_up, stage.events.recv()).await {
            Ok(Some(event)) => outcome.hear(&mut book, event),
            // What is there is tried all the same.
            Ok(None) | Err(_) => break,
        }
    }
    let (text, began) = (speaker::text(), Instant::now());
    book.say(text.clone(), began);
    let answer = stage.speaker.say(&text).await;
    outcome.answered_ms = ms(began.elapsed());
    outcome.said = match answer {
        Answer::Accepted => "accepted".to_owned(),
        Answer::Refused(why) | Answer::Silent(why) => why,
    };
    if outcome.said != "accepted" {
        return outcome;
    }
    book.accepted(&text);
    let give_up = tokio::time::Instant::now() + canary.within;
    while !book.is_seen_by_all(&text) {
        match timeout_at(give_up, stage.events.recv()).await {
            Ok(Some(event)) => outcome.hear(&mut book, event),
            Ok(None) | Err(_) => break,
        }
    }
    outcome.delivered = outcome.halls.iter().all(|at| at.seen_ms.is_some());
    outcome
}

impl Outcome {
    fn hear(&mut self, book: &mut Book, event: Event) {
        match event {
            Event::Connected(watcher) => {
                book.set_connected(watcher, true);
                self.halls[watcher].why = Some("not seen in time".to_owned());
            }
            Event::Gone(watcher, why) => {
                book.set_connected(watcher, false);
                self.halls[watcher].why = Some(why);
            }
            Event::Saw { watcher, text, at, .. } => {
                if let Sight::First(after) = book.saw(watcher, &text, at) {
                    self.halls[watcher] = At { seen_ms: Some(ms(after)), why: None, ..self.halls[watcher].clone() };
                }
            }
            Event::Stopped { client_id, verdict } => {
                if book.stopped(&client_id) {
                    self.halls.iter_mut().for_each(|at| at.why = Some(format!("the judge stopped it: {verdict}")));
                }
            }
        }
    }
}

fn told(outcome: &Outcome) -> String {
    let word = if outcome.delivered { "delivered" } else { "NOT delivered" };
    let mut told = format!("{word}; the door says {} after {} ms", outcome.said, outcome.answered_ms);
    for At { hall, seen_ms, why } in &outcome.halls {
        match (seen_ms, why) {
            (Some(ms), _) => told.push_str(&format!("\n  {hall}: seen after {ms} ms")),
            (None, why) => told.push_str(&format!("\n  {hall}: {}", why.as_deref().unwrap_or("not seen"))),
        }
    }
    told
}

fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
