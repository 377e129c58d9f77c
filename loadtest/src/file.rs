//! Danmaku files: our own NDJSON, recorders' NDJSON and recorders' XML, as one list in the order of their times.
//! Kept out: when, where and by whom a line is said in a replay.

mod ndjson;
mod recorder;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use proto::v1::Position;

/// One danmaku of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// When it was said, from the file's own zero.
    pub at: Duration,
    /// Who said it, as the file names him.
    pub user: String,
    /// What was said, as it stands: a recorded control character is the door's to remove.
    pub text: String,
    /// Where it is shown.
    pub position: Position,
    /// `0xRRGGBB`; none for the default, white.
    pub color: Option<u32>,
}

/// A file that was read.
#[derive(Debug, Default)]
pub struct Recording {
    /// Its danmaku, in the order of their times.
    pub lines: Vec<Line>,
    /// What in it could not be used.
    pub faults: Faults,
}

/// What in a file could not be used. Recorders write odd things, and one odd line is no reason to refuse the rest.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Faults {
    /// Danmaku that were passed over: no time, or no JSON.
    pub lines: u64,
    /// Values that were replaced by their default: a color `undefined`, a mode that is no danmaku's.
    pub values: u64,
    /// The first of both, with its place.
    pub first: Option<String>,
}

/// Recorders write white for "the client's default".
const WHITE: u32 = 0xff_ffff;

/// Reads a danmaku file of any of the three kinds.
///
/// # Errors
/// When it cannot be read, is no text, or holds no danmaku.
pub fn read(path: &Path) -> anyhow::Result<Recording> {
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))?;
    let recording = parse(&text).with_context(|| format!("read {}", path.display()))?;
    if recording.lines.is_empty() {
        let first = recording.faults.first.as_deref().unwrap_or("it is empty");
        bail!("{} holds no danmaku that could be read: {first}", path.display());
    }
    Ok(recording)
}

/// Reads the text of a danmaku file; what begins with `<` is XML.
///
/// # Errors
/// When XML is so broken that its elements cannot be told apart.
pub fn parse(text: &str) -> anyhow::Result<Recording> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut recording = if text.trim_start().starts_with('<') { recorder::parse(text)? } else { ndjson::parse(text) };
    // Stable: what was said at the same time keeps its order.
    recording.lines.sort_by_key(|line| line.at);
    Ok(recording)
}

impl Faults {
    fn line(&mut self, place: impl FnOnce() -> String) {
        self.lines += 1;
        self.first.get_or_insert_with(place);
    }

    fn value(&mut self, place: impl FnOnce() -> String) {
        self.values += 1;
        self.first.get_or_insert_with(place);
    }
}

/// The place of a recorder's mode; none for the modes that are programs or drawings.
fn position(mode: i64) -> Option<Position> {
    match mode {
        1 => Some(Position::Scroll),
        4 => Some(Position::Bottom),
        5 => Some(Position::Top),
        _ => None,
    }
}

/// A recorder's color.
fn color(number: u32) -> Option<u32> {
    (number & WHITE != WHITE).then_some(number & WHITE)
}

/// Seconds as recorders write them; none for what is no time.
fn seconds(secs: f64) -> Option<Duration> {
    // A year: more is a clock's time in the wrong field, and would make a replay that never ends.
    (0.0..31_536_000.0).contains(&secs).then(|| Duration::from_secs_f64(secs))
}

#[cfg(test)]
mod tests;
