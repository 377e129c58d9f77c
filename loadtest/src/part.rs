//! One part of a replay, with books of its own: sent, settled, added up. What came before it is warm-up.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::ledger::{Books, Broken};
use crate::progress::Progress;
use crate::replay::{LOOK_EVERY, STILL_FOR};
use crate::report::Measured;
use crate::schedule::Cue;
use crate::scrape::Metrics;
use crate::senders::{Senders, Tally};
use crate::server::Server;
use crate::viewers::{Sight, Viewers};

/// From the look at the server's numbers to the first message.
const LEAD: Duration = Duration::from_millis(200);

/// Listening on after the books balance: a message that comes twice comes within the server's own delays.
const LISTEN_ON: Duration = Duration::from_secs(1);

/// The rehearsal, or the measured part.
pub(crate) struct Part<'a> {
    /// What the progress calls it.
    pub(crate) name: &'static str,
    /// Tells its users from those of another part.
    pub(crate) cast: &'static str,
    /// What is said.
    pub(crate) cues: &'a [Cue],
    /// Whether one viewer forgets one message on purpose.
    pub(crate) forget_one: bool,
}

impl Part<'_> {
    /// Plays it and adds up.
    pub(crate) async fn play(&self, server: &mut Server, senders: &Arc<Senders>) -> anyhow::Result<Measured> {
        senders.viewers.measure(self.forget_one).await;
        let (before, cpu_before) = (server.scrape().await?, server.cpu());
        let began = Instant::now() + LEAD;
        self.send(server, senders, began).await?;
        let (sending, tally) = (began.elapsed(), senders.take_tally());
        let (books, sight, after) = self.settle(server, &senders.viewers, &tally, &before).await?;
        let (cpu_secs, memory_peak) = (server.cpu().secs_since(&cpu_before), server.memory_peak());
        Ok(Measured { books, sight, tally, sending, cpu_secs, memory_peak, before, after })
    }

    async fn send(&self, server: &mut Server, senders: &Arc<Senders>, began: Instant) -> anyhow::Result<()> {
        let mut progress = Progress::begin(self.name, self.cues.len() as u64);
        let sending = senders.send(self.cues, self.cast, began.into());
        tokio::pin!(sending);
        loop {
            tokio::select! {
                () = &mut sending => return Ok(()),
                () = tokio::time::sleep(LOOK_EVERY) => {
                    server.check()?;
                    let sight = senders.viewers.look().await?;
                    progress.tell(senders.begun.load(Ordering::Relaxed), || word(&sight));
                }
            }
        }
    }

    /// Waits until both sides balance, or nothing changes any more; then listens on for a moment.
    async fn settle(
        &self,
        server: &mut Server,
        viewers: &Viewers,
        tally: &Tally,
        before: &Metrics,
    ) -> anyhow::Result<(Books, Sight, Metrics)> {
        let (mut last, mut changed) = (None, Instant::now());
        let mut progress = Progress::begin("settling", tally.accepted);
        loop {
            server.check()?;
            let (books, ..) = self.add_up(server, viewers, tally, before).await?;
            if !books.broken().iter().any(Broken::may_mend) {
                break;
            }
            let state = (books.judged(), books.totals());
            progress.tell(state.0, || "judged".into());
            if last.as_ref() != Some(&state) {
                (last, changed) = (Some(state), Instant::now());
            } else if changed.elapsed() >= STILL_FOR {
                break;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        tokio::time::sleep(LISTEN_ON).await;
        self.add_up(server, viewers, tally, before).await
    }

    /// The books as both sides tell them now.
    async fn add_up(
        &self,
        server: &Server,
        viewers: &Viewers,
        tally: &Tally,
        before: &Metrics,
    ) -> anyhow::Result<(Books, Sight, Metrics)> {
        let after = server.scrape().await?;
        let sight = viewers.look().await?;
        let books = Books {
            sent: self.cues.len() as u64,
            accepted: tally.accepted,
            refused: tally.refused.clone(),
            unknown: tally.unknown.clone(),
            door_accepted: after.growth(before, "danmaku_ingest_accepted_total"),
            judged: after.growth_by(before, "danmaku_filter_judged_total", "verdict"),
            rooms: sight.rooms.clone(),
            unreadable: sight.unreadable,
        };
        Ok((books, sight, after))
    }
}

fn word(sight: &Sight) -> String {
    let received: u64 = sight.rooms.iter().flat_map(|room| &room.viewers).map(|viewer| viewer.received).sum();
    let summary = sight.delivery.from_written.summary();
    format!("received {received}, p50 {:.0} ms, p99 {:.0} ms", summary.p50_ms, summary.p99_ms)
}
