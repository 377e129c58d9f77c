//! What a replay came to, as a table for people and one JSON object for programs. Pure but for `announce`.

mod table;

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::config::{Fault, Replay};
use crate::file::{Faults, Recording};
use crate::latency::Summary;
use crate::ledger::{Books, Totals};
use crate::program;
use crate::schedule::Schedule;
use crate::scrape::{ByLabel, Metrics};
use crate::senders::Tally;
use crate::viewers::Sight;

/// What was asked for, and what the file made of it.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    /// The file.
    pub file: PathBuf,
    /// Danmaku in it.
    pub lines: usize,
    /// What in it could not be used.
    pub lines_passed_over: u64,
    /// Values in it that were replaced by their default.
    pub values_replaced: u64,
    /// The first of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<String>,
    /// Against what it was replayed.
    pub against: &'static str,
    /// How much faster than the file's time.
    pub speed: f64,
    /// How many rooms said it.
    pub rooms: u32,
    /// How many viewers listened.
    pub viewers: u32,
    /// How many senders said it, counted in each room.
    pub senders: usize,
    /// Messages to be sent.
    pub messages: usize,
    /// How long the file wants that to take.
    pub length_secs: f64,
    /// For how long the beginning was rehearsed.
    pub warm_secs: f64,
    /// What repeats this run.
    pub seed: u32,
    /// What was done wrong on purpose.
    #[serde(skip)]
    pub fault: Option<Fault>,
}

/// What was measured.
pub struct Measured {
    /// Both sides' counts.
    pub books: Books,
    /// What the viewers saw.
    pub sight: Sight,
    /// What the senders were answered.
    pub tally: Tally,
    /// From the first cue to the last answer.
    pub sending: Duration,
    /// Used by the server, its broker and this crowd.
    pub cpu_secs: [Option<f64>; 3],
    /// The most memory the server has had, in bytes.
    pub memory_peak: Option<u64>,
    /// What the server told before,
    pub before: Metrics,
    /// and after.
    pub after: Metrics,
}

/// The ledger and the figures of a replay.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// What was asked for.
    pub asked: Asked,
    /// Whether the books balance.
    pub balanced: bool,
    /// The lines that do not, in words.
    pub broken: Vec<String>,
    /// Messages that were to be sent.
    pub sent: u64,
    /// Of those, answered 202.
    pub accepted: u64,
    /// Answered no, by code.
    pub refused: ByLabel,
    /// Of unknown fate, by why.
    pub unknown: ByLabel,
    /// Judged, by verdict.
    pub judged: ByLabel,
    /// The viewers' sums.
    #[serde(flatten)]
    pub totals: Totals,
    /// Messages the server says that it wrote to viewers, live and as history; none if it does not tell.
    pub delivered: Option<u64>,
    /// Messages the server says that it dropped, by reason.
    pub server_dropped: ByLabel,
    /// The figures.
    pub figures: Figures,
}

/// How fast and how dear it was.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// From a request's writing to a viewer's reading, once a viewer.
    pub latency: Summary,
    /// The same from the file's time.
    pub latency_from_schedule: Summary,
    /// From a request's writing to its answer.
    pub answer: Summary,
    /// How late requests were written.
    pub late: Summary,
    /// Between two frames of a viewer.
    pub between_frames: Summary,
    /// Between two looks of the crowd at its sockets.
    pub crowd_turn: Summary,
    /// The longest window that the server has in force, as it tells; none if it does not.
    pub window_ms: Option<f64>,
    /// From the first cue to the last answer.
    pub sending_secs: f64,
    /// Accepted a second.
    pub accepted_per_sec: f64,
    /// Received a second.
    pub received_per_sec: f64,
    /// CPU of the server's process.
    pub cpu_server_secs: Option<f64>,
    /// CPU of its broker.
    pub cpu_kafka_secs: Option<f64>,
    /// CPU of this crowd.
    pub cpu_crowd_secs: Option<f64>,
    /// The most memory the server has had.
    pub memory_peak_bytes: Option<u64>,
}

impl Asked {
    /// What was asked for.
    pub fn new(replay: &Replay, recording: &Recording, schedule: &Schedule, viewers: u32, seed: u32) -> Self {
        let Faults { lines: lines_passed_over, values: values_replaced, first: first_fault } = recording.faults.clone();
        let against = match (replay.against.kafka, replay.against.target) {
            (true, _) => "kafka",
            (_, Some(_)) => "target",
            _ => "embedded",
        };
        Self {
            file: replay.file.clone(),
            lines: recording.lines.len(),
            lines_passed_over,
            values_replaced,
            first_fault,
            against,
            speed: replay.speed,
            rooms: replay.rooms,
            viewers,
            senders: schedule.senders,
            messages: schedule.cues.len(),
            length_secs: schedule.length.as_secs_f64(),
            warm_secs: replay.warm.as_secs_f64(),
            seed,
            fault: replay.fault,
        }
    }

    /// Says what is about to happen, on stderr.
    pub fn announce(&self) {
        eprintln!("{self}");
        if let Some(first) = &self.first_fault {
            let Self { lines_passed_over, values_replaced, .. } = self;
            eprintln!("{lines_passed_over} lines passed over, {values_replaced} values replaced; first {first}");
        }
        if let Some(age) = program::age().filter(|_| self.against != "target") {
            eprintln!("the danmaku program was built {} min ago", age.as_secs() / 60);
        }
    }
}

impl Report {
    /// Adds everything up.
    pub fn new(asked: Asked, measured: &Measured) -> Self {
        let Measured { books, before, after, .. } = measured;
        let mut broken: Vec<_> = books.broken().iter().map(ToString::to_string).collect();
        if let Some(first) = &measured.sight.unreadable_first {
            broken.push(format!("the first frame that could not be read: {first}"));
        }
        let totals = books.totals();
        Self {
            balanced: broken.is_empty(),
            broken,
            sent: books.sent,
            accepted: books.accepted,
            refused: books.refused.clone(),
            unknown: books.unknown.clone(),
            judged: books.judged.clone(),
            delivered: after.growth(before, "danmaku_fanout_delivered_total"),
            server_dropped: after.growth_by(before, "danmaku_fanout_dropped_total", "reason"),
            figures: Figures::new(books.accepted, totals.received, measured),
            totals,
            asked,
        }
    }

    /// Whether the books balance.
    pub fn is_balanced(&self) -> bool {
        self.balanced
    }
}

impl Figures {
    fn new(accepted: u64, received: u64, measured: &Measured) -> Self {
        let Measured { sight, tally, sending, cpu_secs, memory_peak, after, .. } = measured;
        let sending_secs = sending.as_secs_f64();
        let [cpu_server_secs, cpu_kafka_secs, cpu_crowd_secs] = *cpu_secs;
        Self {
            latency: sight.delivery.from_written.summary(),
            latency_from_schedule: sight.delivery.from_intended.summary(),
            answer: tally.answer.summary(),
            late: tally.late.summary(),
            between_frames: sight.delivery.between.summary(),
            crowd_turn: sight.turn.summary(),
            window_ms: after.highest("danmaku_fanout_window_seconds").map(|secs| secs * 1000.0),
            sending_secs,
            accepted_per_sec: accepted as f64 / sending_secs,
            received_per_sec: received as f64 / sending_secs,
            cpu_server_secs,
            cpu_kafka_secs,
            cpu_crowd_secs,
            memory_peak_bytes: *memory_peak,
        }
    }
}
