//! What is due comes due, by a clock that is right and by one that is set back.

use proto::{
    MessageId, record,
    v1::{self, Word, input::Body},
};

use super::*;
use crate::{
    modes::{By, Mode},
    verdicts::learn::Lesson,
};

const HOUR_MS: i64 = 3_600_000;
const NOW_MS: i64 = 1_800_000_000_000;

/// Timers on a database of their own, which is gone with its folder.
struct World {
    timers: Timers,
    folder: std::path::PathBuf,
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl World {
    async fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("danmaku-timers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let store = Arc::new(Store::open(&format!("sqlite://{}/moderation.db", folder.display())).await.unwrap());
        let (keep, versions_keep) = (Duration::from_secs(86_400), Duration::from_secs(86_400));
        Self { timers: Timers { store, generation: 1, keep, versions_keep }, folder }
    }

    /// Something that ann said begins to wait.
    async fn hold(&self, offset: u64, from_ms: i64) {
        let input = v1::Input {
            room: "demo".to_owned(),
            user: Some(v1::User { id: "ann".to_owned(), ..v1::User::default() }),
            body: Some(Body::Say(v1::Say { text: "blorp".to_owned(), ..v1::Say::default() })),
            ..v1::Input::default()
        };
        let id = MessageId { generation: 1, partition: 0, offset };
        let verdict = v1::Verdict { word: Word::Held as i32, input: Some(input), ..v1::Verdict::default() };
        let mut change = self.timers.store.change().await.unwrap();
        holds::open(&mut change, &Lesson { id, verdict }, from_ms).await.unwrap();
        change.commit().await.unwrap();
    }

    async fn slow_for(&self, lasts_ms: i64, now_ms: i64) {
        let mode = Mode { slow_ms: 3_000, ..Mode::default() };
        let by = By { actor: "mo", act: "mode", reason: "", now_ms, generation: 1 };
        modes::set(&self.timers.store, "demo", mode, now_ms + lasts_ms, by).await.unwrap();
    }

    /// How long until something is due, as a round says.
    async fn round(&self, seen: &mut Seen, now_ms: i64) -> Duration {
        self.timers.round(seen, now_ms, Instant::now()).await.unwrap()
    }

    /// What was decided on so far, and the decisions and modes that the river is told.
    async fn done(&self) -> (Vec<String>, Vec<String>) {
        let decided = holds::list(&self.timers.store, "demo", false, None, 100).await.unwrap();
        let rows: Vec<(Vec<u8>,)> = sqlx::query_as("SELECT body FROM outbox ORDER BY sequence, place")
            .fetch_all(self.timers.store.reads())
            .await
            .unwrap();
        let parcels = rows.iter().map(|(body,)| record::decode::<crate::outbox::Parcel>(body).unwrap());
        let told = parcels.flat_map(|parcel| parcel.controls).filter_map(|input| match input.body {
            Some(Body::Decision(decision)) => Some(format!("{} {}", decision.held_id, decision.reason)),
            Some(Body::Mode(mode)) => Some(format!("slow {}", mode.slow_ms)),
            _ => None,
        });
        (decided.into_iter().rev().map(|held| format!("{} {}", held.id, held.outcome)).collect(), told.collect())
    }
}

#[tokio::test]
async fn a_hold_and_a_mode_end_when_their_time_is_over() {
    let (world, mut seen) = (World::new("ends").await, Seen::default());
    world.hold(1, NOW_MS).await;
    world.slow_for(70_000, NOW_MS).await;
    assert_eq!(world.round(&mut seen, NOW_MS + 59_000).await, Duration::from_secs(1));
    assert_eq!(world.done().await, (vec![], vec!["slow 3000".to_owned()]));
    world.round(&mut seen, NOW_MS + 60_000).await;
    assert_eq!(world.done().await.0, ["1-0-1 rejected"]);
    world.round(&mut seen, NOW_MS + 70_000).await;
    assert_eq!(world.done().await.1, ["slow 3000", "1-0-1 timeout", "slow 0"]);
}

#[tokio::test]
async fn a_clock_that_is_set_back_puts_nothing_off_by_more_than_its_time() {
    // While this process runs, and while none does.
    for runs in [true, false] {
        let world = World::new(if runs { "set-back" } else { "set-back-unseen" }).await;
        let mut seen = Seen::default();
        world.hold(1, NOW_MS + HOUR_MS).await;
        world.hold(2, NOW_MS + HOUR_MS + 5_000).await;
        world.slow_for(90_000, NOW_MS + HOUR_MS).await;
        if runs {
            world.round(&mut seen, NOW_MS + HOUR_MS + 5_000).await;
        }
        // An hour earlier all of it begins anew, in its order.
        assert_eq!(world.round(&mut seen, NOW_MS).await, Duration::from_secs(30));
        world.hold(3, NOW_MS + 1_000).await;
        for (after_ms, decided) in [(54_999, 0), (55_000, 1), (60_000, 2), (61_000, 3)] {
            world.round(&mut seen, NOW_MS + after_ms).await;
            assert_eq!(world.done().await.0.len(), decided, "after {after_ms} ms");
        }
        assert_eq!(world.done().await.0, ["1-0-1 rejected", "1-0-2 rejected", "1-0-3 rejected"]);
        world.round(&mut seen, NOW_MS + 90_000).await;
        let told = world.done().await.1;
        assert_eq!(told, ["slow 3000", "1-0-1 timeout", "1-0-2 timeout", "1-0-3 timeout", "slow 0"]);
    }
}

#[tokio::test]
async fn clocks_that_differ_a_little_are_no_clock_set_back() {
    let (world, mut seen) = (World::new("skew").await, Seen::default());
    world.hold(1, NOW_MS + 30_000).await;
    world.slow_for(60_000, NOW_MS + 30_000).await;
    world.round(&mut seen, NOW_MS).await;
    world.round(&mut seen, NOW_MS + 89_999).await;
    assert_eq!(world.done().await.0.len(), 0);
    world.round(&mut seen, NOW_MS + 90_000).await;
    assert_eq!(world.done().await.1, ["slow 3000", "1-0-1 timeout", "slow 0"]);
}

#[tokio::test]
async fn old_rows_are_swept_every_ten_minutes_whatever_the_clock_says() {
    let (world, mut seen, began) = (World::new("sweep").await, Seen::default(), Instant::now());
    let left = async || {
        let count: (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM refusals").fetch_one(world.timers.store.reads()).await.unwrap();
        count.0
    };
    let refuse = async |id: &str| {
        let sql = "INSERT INTO refusals (id, room, user_id, at_ms, word, code, rule, said) VALUES ($1, '', '', 1, '', '', '', '')";
        sqlx::query(sql).bind(id.to_owned()).execute(world.timers.store.reads()).await.unwrap();
    };
    world.timers.round(&mut seen, NOW_MS + 100 * HOUR_MS, began).await.unwrap();
    refuse("1-0-1").await;
    world.timers.round(&mut seen, NOW_MS, began + Duration::from_secs(599)).await.unwrap();
    assert_eq!(left().await, 1);
    world.timers.round(&mut seen, NOW_MS, began + Duration::from_secs(600)).await.unwrap();
    assert_eq!(left().await, 0);
}
