//! The report for people.

use std::fmt;

use super::{Asked, Figures, Report};
use crate::latency::Summary;

/// Broken lines that are shown; a server that lost much breaks the line of every viewer.
const BROKEN_SHOWN: usize = 20;

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, speed, rooms, viewers, senders, messages, length_secs, seed, against, .. } = self;
        let rate = *messages as f64 / length_secs.max(1.0);
        write!(
            f,
            "{}: {lines} danmaku × {rooms} rooms at {speed}×: {messages} messages in {length_secs:.1} s ({rate:.0}/s), \
             {senders} senders, {viewers} viewers, {against}, seed {seed}",
            self.file.display()
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = &self.totals;
        writeln!(f, "{}\n", self.asked)?;
        row(f, "sent", self.sent, "")?;
        row(f, "accepted", self.accepted, "answered 202")?;
        counts(f, "refused", &self.refused)?;
        counts(f, "unknown", &self.unknown)?;
        counts(f, "judged", &self.judged)?;
        row(f, "shown", totals.shown, "each once in its room")?;
        match self.delivered {
            Some(delivered) => row(f, "delivered", delivered, "as the server counts, at each viewer")?,
            None => writeln!(f, "{:>12}  {:>12}  the server does not tell", "delivered", "–")?,
        }
        row(f, "received", totals.received, "as the viewers count, at each viewer")?;
        row(f, "replay", totals.replay, "history")?;
        counts(f, "dropped", &totals.dropped)?;
        row(f, "duplicates", totals.duplicates, "")?;
        row(f, "inversions", totals.inversions, "")?;
        writeln!(f, "\n{}", self.figures)?;
        verdict(f, &self.broken)
    }
}

fn verdict(f: &mut fmt::Formatter<'_>, broken: &[String]) -> fmt::Result {
    if broken.is_empty() {
        return writeln!(f, "The books balance.");
    }
    writeln!(f, "THE BOOKS DO NOT BALANCE:")?;
    for line in broken.iter().take(BROKEN_SHOWN) {
        writeln!(f, "  {line}")?;
    }
    match broken.len().saturating_sub(BROKEN_SHOWN) {
        0 => Ok(()),
        more => writeln!(f, "  … and {more} more (--json has all)"),
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>28}  {:>10} {:>10} {:>10} {:>10}  count", "milliseconds", "p50", "p90", "p99", "max")?;
        times(f, "send → receive", &self.latency)?;
        times(f, "… from the file's time", &self.latency_from_schedule)?;
        times(f, "send → answer", &self.answer)?;
        times(f, "sent late by", &self.late)?;
        times(f, "between a viewer's frames", &self.between_frames)?;
        times(f, "between the crowd's looks", &self.crowd_turn)?;
        let window = self.window_ms.map_or("not told".to_owned(), |ms| format!("{ms:.0} ms"));
        writeln!(
            f,
            "\nwindow in force {window} · {:.0} accepted/s and {:.0} received/s over {:.1} s",
            self.accepted_per_sec, self.received_per_sec, self.sending_secs
        )?;
        let secs = |cpu: Option<f64>| cpu.map_or("unknown".to_owned(), |secs| format!("{secs:.1} s"));
        write!(f, "CPU: server {}", secs(self.cpu_server_secs))?;
        if let Some(kafka) = self.cpu_kafka_secs {
            write!(f, ", Kafka {kafka:.1} s")?;
        }
        write!(f, ", crowd {}", secs(self.cpu_crowd_secs))?;
        match self.memory_peak_bytes {
            Some(bytes) => writeln!(f, " · server's memory at most {} MiB", bytes >> 20),
            None => writeln!(f),
        }
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, count: u64, what: &str) -> fmt::Result {
    let line = format!("{name:>12}  {count:>12}  {what}");
    writeln!(f, "{}", line.trim_end())
}

/// A sum and its parts.
fn counts<'a, K: fmt::Display + 'a>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    parts: impl IntoIterator<Item = (&'a K, &'a u64)> + Clone,
) -> fmt::Result {
    let words: Vec<_> = parts.clone().into_iter().map(|(word, count)| format!("{word} {count}")).collect();
    row(f, name, parts.into_iter().map(|(_, count)| count).sum(), &words.join(", "))
}

fn times(f: &mut fmt::Formatter<'_>, name: &str, times: &Summary) -> fmt::Result {
    let Summary { count, p50_ms, p90_ms, p99_ms, max_ms } = times;
    writeln!(f, "{name:>28}  {p50_ms:>10.1} {p90_ms:>10.1} {p99_ms:>10.1} {max_ms:>10.1}  {count}")
}
