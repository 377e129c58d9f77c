//! What was shown in a room, for files and players: from what Kafka still holds of `danmaku-output`, without what was taken
//! back. How a row is written is the forms' below; who may have it is `http`'s.
//!
//! It is read twice. The first reading goes on to the end, as what is taken back may be so long after it was shown; it finds
//! where the rows begin and end, and keeps only names of what is gone. The second tells them row by row, and keeps nothing.

pub(crate) mod shown;
mod recalled;
pub(crate) mod form;
mod xml;
mod ndjson;
pub(crate) mod player;

use std::time::Duration;

use chassis::{
    ground::Ground,
    kafka::{Cluster, Error, LookUp, Record},
};
use proto::{Topic, partition};

use crate::{
    history::{Stretch, each},
    refusal::{Problem, Refusal},
};
use recalled::Recalled;
use shown::{Row, Stands, Thing, Walk};

/// Rows of one file: five hours of ten a second, 50 MB, and what a page can still hold. What is behind them is in the next.
pub(crate) const ROWS_MAX: usize = 200_000;

/// How long the first reading may take; Kafka gives a million records in two seconds, so these are some 20 million.
const LOOK_TIME_MAX: Duration = Duration::from_secs(45);

/// How long the second may take, with whoever takes its rows: 50 MB in ten minutes are 0.7 Mbit/s.
const TELL_TIME_MAX: Duration = Duration::from_secs(600);

const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// What is asked for, by when it was shown; Unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    /// From then on.
    pub(crate) from_ms: Option<i64>,
    /// Until then, which is not in it.
    pub(crate) to_ms: Option<i64>,
}

/// What the rows of a room have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The room.
    pub(crate) room: String,
    /// From when on nothing is missing of what was asked for.
    pub(crate) since_ms: i64,
    /// Where a player's time begins: at what was asked for, else at the first row.
    pub(crate) start_ms: i64,
    /// Until when it goes; what is shown then is not in it.
    pub(crate) until_ms: i64,
    /// Whether it ends before what was asked for, because there are more rows than [`ROWS_MAX`].
    pub(crate) is_cut: bool,
}

/// What the first reading found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) head: Head,
    recalled: Recalled,
    /// Where the second reading begins, and as whom; none without rows.
    begin: Option<(u64, Walk)>,
    /// One behind the last row.
    end: u64,
}

/// Where shown rooms are read.
#[derive(Clone)]
pub(crate) struct Shelf {
    cluster: Cluster,
    topic: String,
    partitions: i32,
}

/// Why there is nothing to tell.
#[derive(Debug)]
enum NotFound {
    Kafka(Error),
    TooMuch(&'static str),
}

impl From<Error> for NotFound {
    fn from(error: Error) -> Self {
        Self::Kafka(error)
    }
}

impl Shelf {
    /// That of this ground.
    pub(crate) fn of(ground: &Ground) -> Self {
        Self {
            cluster: ground.cluster.clone(),
            topic: Topic::Output.name(&ground.topic_prefix),
            partitions: ground.partitions,
        }
    }

    /// The first reading. Blocks.
    ///
    /// # Errors
    /// When Kafka does not answer, or holds more than can be looked through.
    pub(crate) fn look(&self, room: &str, span: Span, now_ms: i64) -> Result<Found, Refusal> {
        self.try_look(room, span, now_ms).map_err(|why| match why {
            NotFound::Kafka(error) => {
                tracing::warn!(%error, "what was shown cannot be read");
                Refusal::Unavailable("kafka does not answer; there is no file".to_owned())
            }
            NotFound::TooMuch(why) => Problem::whole(why).into(),
        })
    }

    fn try_look(&self, room: &str, span: Span, now_ms: i64) -> Result<Found, NotFound> {
        let lookup = LookUp::new(&self.cluster, "danmaku-moderation", LOOK_UP_TIMEOUT)?;
        let partition = partition::of(room.as_bytes(), self.partitions);
        let marks = lookup.watermarks(&self.topic, partition)?;
        let from = match span.from_ms {
            // An embedded broker knows no times: all that it keeps is looked at.
            Some(from_ms) if !self.cluster.embedded => {
                lookup.offset_at(&self.topic, partition, from_ms)?.unwrap_or(marks.high).max(marks.low)
            }
            _ => marks.low,
        };
        let is_whole = from > marks.low || marks.low == 0;
        let mut look = Look { is_whole, ..Look::new(room, partition, span, ROWS_MAX) };
        if from < marks.high {
            let whole = self.each(partition, from, marks.high, LOOK_TIME_MAX, |stands| look.hear(stands))?;
            if look.recalled.is_full() {
                return Err(NotFound::TooMuch("too much was taken back to be looked through: ask for a later time"));
            }
            if !whole {
                return Err(NotFound::TooMuch("too much is kept to be looked through: ask for a later time"));
            }
        }
        Ok(look.found(now_ms))
    }

    /// The second reading: tells `row` each, for as long as it wants more. How many, if all were told. Blocks.
    ///
    /// # Errors
    /// When Kafka does not answer.
    pub(crate) fn tell(&self, found: &Found, mut row: impl FnMut(&Row) -> bool) -> Result<Option<usize>, Error> {
        let Some((from, walk)) = &found.begin else { return Ok(Some(0)) };
        let (mut walk, mut rows, mut is_wanted) = (walk.clone(), 0, true);
        let whole = self.each(walk.partition(), *from, found.end, TELL_TIME_MAX, |stands| {
            walk.hear(stands, |thing| match thing {
                Thing::Row(one) if is_wanted && found.has(&one) => {
                    rows += 1;
                    is_wanted = row(&one);
                }
                _ => {}
            });
            is_wanted
        })?;
        Ok((whole && is_wanted).then_some(rows))
    }

    fn each(
        &self,
        partition: i32,
        from: u64,
        end: u64,
        within: Duration,
        mut hear: impl FnMut(Stands<'_>) -> bool,
    ) -> Result<bool, Error> {
        let stretch = Stretch { topic: &self.topic, partition, from, end, within };
        each(&self.cluster, &stretch, |record| hear(Stands::from(record)))
    }
}

impl<'a> From<&'a Record<'_>> for Stands<'a> {
    fn from(record: &'a Record<'_>) -> Self {
        Self { offset: record.offset(), time_ms: record.time_ms(), key: record.key(), value: record.value() }
    }
}

impl Found {
    /// Whether a row is in the file.
    fn has(&self, row: &Row) -> bool {
        row.shown_ms < self.head.until_ms && !self.recalled.holds(&row.message)
    }
}

/// The first reading, so far. Pure.
struct Look {
    room: String,
    span: Span,
    walk: Walk,
    recalled: Recalled,
    /// Whether Kafka still has what was asked for from its beginning, as far as offsets tell.
    is_whole: bool,
    /// When the first record that was read came there, of whatever room.
    first_ms: Option<i64>,
    /// As it was before the first row, when that was shown, and where it stands.
    begin: Option<(u64, Walk, i64)>,
    /// One behind the last row.
    end: u64,
    /// Rows by their time, taken back or not; and the most of them.
    rows: usize,
    rows_max: usize,
    /// When the first row was shown that is one too many.
    cut_ms: Option<i64>,
}

impl Look {
    fn new(room: &str, partition: i32, span: Span, rows_max: usize) -> Self {
        Self {
            room: room.to_owned(),
            span,
            walk: Walk::new(room, partition),
            recalled: Recalled::default(),
            is_whole: true,
            first_ms: None,
            begin: None,
            end: 0,
            rows: 0,
            rows_max,
            cut_ms: None,
        }
    }

    /// Hears a record; whether there is a point in going on.
    fn hear(&mut self, stands: Stands<'_>) -> bool {
        self.first_ms.get_or_insert(stands.time_ms);
        let before = self.walk.clone();
        let Self { span, walk, recalled, begin, end, rows, rows_max, cut_ms, .. } = self;
        walk.hear(stands, |thing| match thing {
            Thing::Recall(recall, source) => recalled.add(recall, source),
            Thing::Row(row) if span.has(row.shown_ms) => {
                begin.get_or_insert_with(|| (stands.offset, before.clone(), row.shown_ms));
                *rows += 1;
                match *rows > *rows_max {
                    true => _ = cut_ms.get_or_insert(row.shown_ms),
                    false => *end = stands.offset + 1,
                }
            }
            Thing::Row(_) => {}
        });
        !self.recalled.is_full()
    }

    fn found(self, now_ms: i64) -> Found {
        let Self { room, span, walk, recalled, is_whole, first_ms, begin, end, cut_ms, .. } = self;
        let kept_ms = first_ms.unwrap_or(now_ms);
        let since_ms = match span.from_ms {
            Some(from_ms) if is_whole => from_ms,
            Some(from_ms) => from_ms.max(kept_ms),
            None => kept_ms,
        };
        let first_row_ms = begin.as_ref().map(|(_, _, at_ms)| *at_ms);
        let start_ms = span.from_ms.or(first_row_ms).unwrap_or(since_ms);
        // One behind the last record that was heard, so that the next file goes on there.
        let end_ms = walk.time_ms().map_or(now_ms, |time_ms| time_ms + 1);
        let until_ms = cut_ms.unwrap_or_else(|| span.to_ms.map_or(end_ms, |to_ms| to_ms.min(end_ms)));
        let head = Head { room, since_ms, start_ms, until_ms, is_cut: cut_ms.is_some() };
        let begin = begin.map(|(offset, walk, _)| (offset, walk));
        Found { head, recalled, begin, end }
    }
}

impl Span {
    fn has(self, at_ms: i64) -> bool {
        self.from_ms.is_none_or(|from_ms| at_ms >= from_ms) && self.to_ms.is_none_or(|to_ms| at_ms < to_ms)
    }
}

#[cfg(test)]
mod tests;
