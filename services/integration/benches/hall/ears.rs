//! What one viewer of the crowd makes of the bytes he gets: counts and times, nothing else. Pure; sockets are `crowd`'s.
//!
//! Lean, as it shares a core with Kafka: messages are counted by the one word that each of them holds, not parsed.

use memchr::memmem;

/// How far a viewer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The answer to his handshake has not come.
    Handshake,
    /// He is not greeted yet.
    Greeting,
    /// He hears his room.
    Live,
}

/// One viewer.
#[derive(Debug)]
pub(crate) struct Ears {
    pub(crate) stage: Stage,
    /// Where he would come back.
    pub(crate) cursor: String,
    /// Messages heard live.
    pub(crate) heard: u64,
    rest: Vec<u8>,
    is_greeted: bool,
}

/// What the whole crowd has heard.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Messages.
    pub(crate) heard: u64,
    /// Frames that held some.
    pub(crate) batches: u64,
    /// Gap frames: something was not shown.
    pub(crate) gaps: u64,
    /// Viewers who came back and missed nothing.
    pub(crate) recovered: u64,
    /// Messages by the milliseconds that they took.
    took_ms: Vec<u64>,
}

/// Longer times are counted as this one.
const TOOK_MS_MAX: usize = 10_000;

impl Default for Tally {
    fn default() -> Self {
        Self { heard: 0, batches: 0, gaps: 0, recovered: 0, took_ms: vec![0; TOOK_MS_MAX + 1] }
    }
}

impl Tally {
    /// So many of a hundred messages took at most this many milliseconds.
    pub(crate) fn percentile(&self, percent: u64) -> usize {
        let wanted = (self.heard * percent).div_ceil(100);
        let mut sum = 0;
        let reached = |&count: &u64| {
            sum += count;
            sum >= wanted
        };
        self.took_ms.iter().position(reached).unwrap_or(TOOK_MS_MAX)
    }
}

impl Ears {
    /// A viewer whose handshake is under way; `is_greeted` by a server that says hello.
    pub(crate) fn new(is_greeted: bool) -> Self {
        Self { stage: Stage::Handshake, cursor: String::new(), heard: 0, rest: Vec::new(), is_greeted }
    }

    /// Takes what was read.
    pub(crate) fn hear(&mut self, read: &[u8], now_ms: i64, tally: &mut Tally) -> anyhow::Result<()> {
        if self.rest.is_empty() {
            let used = self.take(read, now_ms, tally)?;
            self.rest.extend_from_slice(&read[used..]);
        } else {
            let mut whole = std::mem::take(&mut self.rest);
            whole.extend_from_slice(read);
            let used = self.take(&whole, now_ms, tally)?;
            whole.drain(..used);
            self.rest = whole;
        }
        Ok(())
    }

    /// Takes whole frames; how many bytes they were.
    fn take(&mut self, bytes: &[u8], now_ms: i64, tally: &mut Tally) -> anyhow::Result<usize> {
        let mut used = 0;
        if self.stage == Stage::Handshake {
            let Some(end) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(0) };
            anyhow::ensure!(bytes.starts_with(b"HTTP/1.1 101"), "refused: {}", String::from_utf8_lossy(bytes));
            self.stage = if self.is_greeted { Stage::Greeting } else { Stage::Live };
            used = end + 4;
        }
        while let Some((first, payload, len)) = frame(&bytes[used..]) {
            anyhow::ensure!(first == 0x81, "not a text: {first:x} {}", String::from_utf8_lossy(payload));
            self.text(payload, now_ms, tally);
            used += len;
        }
        Ok(used)
    }

    fn text(&mut self, text: &[u8], now_ms: i64, tally: &mut Tally) {
        let head = &text[..text.len().min(512)];
        if let Some(cursor) = after(head, b"\"cursor\":\"") {
            let end = memchr::memchr(b'"', cursor).unwrap_or_default();
            self.cursor.clear();
            self.cursor.push_str(&String::from_utf8_lossy(&cursor[..end]));
        }
        let kind = after(head, b"{\"type\":\"").unwrap_or_default();
        if kind.starts_with(b"batch\"") {
            if after(head, b"\"replay\":true").is_none() {
                self.batch(text, now_ms, tally);
            }
        } else if kind.starts_with(b"hello\"") {
            self.stage = Stage::Live;
            tally.recovered += u64::from(after(head, b"\"recovered\":true").is_some());
        } else if kind.starts_with(b"gap\"") {
            tally.gaps += 1;
        }
    }

    fn batch(&mut self, text: &[u8], now_ms: i64, tally: &mut Tally) {
        tally.batches += 1;
        for at in memmem::find_iter(text, b"\"at\":") {
            let stamp = text[at + 5..].iter().take_while(|byte| byte.is_ascii_digit());
            let stamp = stamp.fold(0, |number: i64, digit| number * 10 + i64::from(digit - b'0'));
            let took = usize::try_from(now_ms - stamp).unwrap_or_default();
            tally.took_ms[took.min(TOOK_MS_MAX)] += 1;
            tally.heard += 1;
            self.heard += 1;
        }
    }
}

/// What stands behind `word`.
fn after<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    memmem::find(text, word).map(|at| &text[at + word.len()..])
}

/// A server's frame that is all there: its first byte, its payload, and its whole length.
fn frame(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let &[first, second, ref rest @ ..] = bytes else { return None };
    let (len, start) = match second {
        126 => (usize::from(u16::from_be_bytes(*rest.first_chunk()?)), 4),
        127 => (u64::from_be_bytes(*rest.first_chunk()?) as usize, 10),
        short => (usize::from(short), 2),
    };
    Some((first, bytes.get(start..start + len)?, start + len))
}
