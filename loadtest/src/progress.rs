//! How far a long part is: a bar on a terminal, else a line each five seconds. On stderr, as stdout is the report's.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Between two lines where nobody watches a bar.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// The progress of one part.
pub struct Progress {
    part: &'static str,
    total: u64,
    bar: ProgressBar,
    line_due: Instant,
}

impl Progress {
    /// Begins a part of so many steps.
    pub fn begin(part: &'static str, total: u64) -> Self {
        let bar = ProgressBar::new(total);
        // The template is a constant; without it the bar would only look different.
        if let Ok(style) = ProgressStyle::with_template("{prefix:>8} {bar:32} {pos}/{len} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(part);
        Self { part, total, bar, line_due: Instant::now() + LINE_EVERY }
    }

    /// Tells how many steps are done, and a word besides.
    pub fn tell(&mut self, done: u64, word: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_position(done);
            self.bar.set_message(word());
        } else if Instant::now() >= self.line_due {
            self.line_due += LINE_EVERY;
            eprintln!("{}: {done}/{} {}", self.part, self.total, word());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
