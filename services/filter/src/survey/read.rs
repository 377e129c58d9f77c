//! Reading a stretch of a partition, as far as it exists, and the readers for it. What it holds is kept out.

use std::{
    ops::Range,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use chassis::kafka::{Heard, Reader, Record};

use super::{QUESTION_TIMEOUT, Site};

/// A stretch that brings nothing for so long is given up and asked for again later.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(3);

/// What a helper reads pasts with.
pub(super) struct Readers {
    pub(super) input: Reader,
    pub(super) output: Reader,
    pub(super) state: Reader,
}

impl Readers {
    pub(super) fn new(site: &Site) -> anyhow::Result<Self> {
        let (cluster, names) = (&site.cluster, &site.names);
        let reader = |name: &str| Reader::new(cluster, name);
        let readers =
            Self { input: reader(&names.input)?, output: reader(&names.output)?, state: reader(&names.state)? };
        readers.input.prepare(QUESTION_TIMEOUT).context("the input's leaders")?;
        readers.output.prepare(QUESTION_TIMEOUT).context("the output's leaders")?;
        readers.state.prepare(QUESTION_TIMEOUT).context("the state's leaders")?;
        Ok(readers)
    }
}

/// Reads the offsets of `range`, as far as they exist.
pub(super) fn read(
    reader: &Reader,
    partition: i32,
    range: Range<u64>,
    mut each: impl FnMut(&Record<'_>),
) -> anyhow::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    reader.assign(partition, range.start)?;
    // The end came before the end of the range: nothing more is there. Before the first record it says nothing: the reader may
    // know an older end than who asked for the range.
    let outcome = read_assigned(reader, partition, &range, |next| next > range.start, &mut each);
    reader.release(partition)?;
    outcome
}

/// Reads the offsets of `range`, which end where the partition did when it was asked. Compaction leaves holes in it, even at its
/// end, so an end is believed wherever it comes.
pub(super) fn read_whole(
    reader: &Reader,
    partition: i32,
    range: Range<u64>,
    mut each: impl FnMut(&Record<'_>),
) -> anyhow::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    reader.assign(partition, range.start)?;
    let outcome = read_assigned(reader, partition, &range, |_| true, &mut each);
    reader.release(partition)?;
    outcome
}

fn read_assigned(
    reader: &Reader,
    partition: i32,
    range: &Range<u64>,
    is_end: impl Fn(u64) -> bool,
    each: &mut impl FnMut(&Record<'_>),
) -> anyhow::Result<()> {
    let (mut next, mut heard) = (range.start, Instant::now());
    while next < range.end {
        match reader.poll(Duration::from_millis(100)) {
            Ok(Some(Heard::Record(record))) if record.partition() == partition && record.offset() >= next => {
                heard = Instant::now();
                next = record.offset() + 1;
                if range.contains(&record.offset()) {
                    each(&record);
                }
            }
            Ok(Some(Heard::End(ended))) if ended == partition && is_end(next) => break,
            Ok(_) => {}
            Err(error) if error.is_denied() => return Err(error.into()),
            Err(error) => tracing::debug!(partition, %error, "while surveying"),
        }
        if heard.elapsed() > SILENCE_TIMEOUT {
            bail!("nothing was read at offset {next} for {} s", SILENCE_TIMEOUT.as_secs());
        }
    }
    Ok(())
}
