//! The word file, looked at each second: a changed one is taken whole, a bad one keeps the last good. What words do is kept out.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use chassis::admin::Condition;
use judge::Book;

use crate::metrics::BookMetrics;

/// How often the file is looked at. It is read whole each time, half a megabyte for 65,000 words, because a modification time
/// says nothing about two edits within its resolution.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The largest file: a million words. A larger one is no word list.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Where the rules in force are read; swapped whole.
pub(crate) type Shelf = Arc<ArcSwapOption<Book>>;

/// Keeps a shelf at the word file's content.
pub(crate) struct BookFeed {
    source: Source,
    shelf: Shelf,
    condition: Condition,
    metrics: BookMetrics,
    /// The content in force.
    in_force: Option<Vec<u8>>,
    /// What was wrong at the last look, so that it is said once.
    wrong: Option<String>,
    confirmed: Instant,
}

/// Where words come from.
enum Source {
    File(PathBuf),
    BuiltIn(String),
    Nowhere,
}

impl BookFeed {
    /// Feeds `shelf` from `file`, or else once from `built_in`. Nothing is looked at yet.
    pub(crate) fn new(file: Option<PathBuf>, built_in: Option<String>, shelf: Shelf, condition: Condition) -> Self {
        let source = match (file, built_in) {
            (Some(path), _) => Source::File(path),
            (None, Some(words)) => Source::BuiltIn(words),
            (None, None) => Source::Nowhere,
        };
        let confirmed = Instant::now();
        Self { source, shelf, condition, metrics: BookMetrics::new(), in_force: None, wrong: None, confirmed }
    }

    /// Looks once.
    pub(crate) fn look(&mut self) {
        let found = match &self.source {
            Source::File(path) => read(path).map_err(|error| format!("--words {}: {error}", path.display())),
            Source::BuiltIn(words) => Ok(words.clone().into_bytes()),
            Source::Nowhere => {
                let reason =
                    "no rules yet: name a word file with --words (DANMAKU_WORDS); without rules nothing is shown";
                self.condition.not_ready(reason);
                return;
            }
        };
        match found.and_then(|content| self.take(content)) {
            Ok(()) => {
                self.confirmed = Instant::now();
                self.wrong = None;
            }
            Err(reason) => self.keep_the_last_good(reason),
        }
        self.metrics.age_seconds.set(self.confirmed.elapsed().as_secs_f64());
    }

    /// Puts `content` in force, if it is another than what is.
    fn take(&mut self, content: Vec<u8>) -> Result<(), String> {
        if self.in_force.as_ref() == Some(&content) {
            return Ok(());
        }
        let book = Book::of_words(&content).map_err(|why| match &self.source {
            Source::File(path) => format!("--words {}: {why}", path.display()),
            _ => format!("the built-in words: {why}"),
        })?;
        tracing::info!(words = book.words.count(), version = book.version, "words in force");
        self.metrics.words.set(book.words.count() as f64);
        self.shelf.store(Some(Arc::new(book)));
        self.in_force = Some(content);
        self.condition.ready();
        Ok(())
    }

    fn keep_the_last_good(&mut self, reason: String) {
        self.metrics.bad.increment(1);
        if self.in_force.is_none() {
            self.condition.not_ready(reason);
        } else if self.wrong.as_ref() != Some(&reason) {
            tracing::error!(reason, "word file not usable, the last good one stays in force");
            self.wrong = Some(reason);
        }
    }
}

/// The file's content.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut content)?;
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other("it is larger than 16 MiB"));
    }
    Ok(content)
}

#[cfg(test)]
mod tests;
