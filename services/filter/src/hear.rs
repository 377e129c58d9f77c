//! One record of the input: decoded, treated, written, and in flight until all of that is acknowledged.

use std::ops::ControlFlow::{self, Break, Continue};

use chassis::kafka::{Failure, Reader, Record};
use judge::{Book, Desk, Heard};
use proto::{
    MessageId,
    record::{HEADER_TRACEPARENT, decode},
    v1::Input,
};

use crate::{
    consume::Interruption,
    dead_letter::{Dead, Reason, letter},
    deliver::{Kept, Settled},
    guard::guarded,
    ownership::Treatment,
    partition::{Judging, Partition},
    works::Works,
    write::{Stamp, Writer, Written},
};

/// What is written of a record at which the judge panicked. The panic's own words hold what was said; they stand in the log.
const FAILED: &str = "the judge failed on it, which is a bug";

/// What a record is judged with.
pub(crate) struct Bench<'a> {
    pub(crate) works: &'a Works,
    pub(crate) reader: &'a Reader,
    pub(crate) writer: &'a Writer,
    pub(crate) book: &'a Book,
    pub(crate) desk: &'a mut Desk,
}

impl Bench<'_> {
    /// Hears one record; its lag in milliseconds.
    pub(crate) fn hear(&mut self, partition: &mut Partition, record: &Record<'_>) -> ControlFlow<Interruption, u64> {
        let (number, owner) = (partition.number, partition.owner);
        let Some(judging) = partition.judging() else { return Continue(0) };
        if !self.is_next(number, judging, record.offset()) {
            return Continue(0);
        }
        let now_ms = self.works.clock.now_ms();
        judging.last_read = Some((now_ms, record.time_ms()));
        judging.next = record.offset() + 1;
        judging.caught_up |= judging.next >= judging.inheritance.start();
        let lag_ms = judging.baseline.lag(now_ms, record.time_ms());
        let stamp = Stamp {
            partition: number,
            owner,
            lag_ms: u32::try_from(lag_ms).unwrap_or(u32::MAX),
            traceparent: record.header(HEADER_TRACEPARENT),
        };
        if let Some(written) = self.answer(judging, stamp, record)? {
            let kept = || Kept { append_ms: record.time_ms(), value: record.value().to_vec() };
            let kept = (!written.is_set_apart).then(kept);
            judging.in_flight.push(record.offset(), written.waiting, written.bytes, kept);
            if judging.in_flight.is_full() || judging.is_spoilt() {
                judging.stop_reading(self.reader, number);
            }
        }
        Continue(lag_ms)
    }

    /// Whether a record is the one to judge next. One that was fetched before the partition was let go comes too late. One
    /// too far ahead means that the reader lost its place: it is asked once more from where we are, and believed then.
    fn is_next(&self, number: i32, judging: &mut Judging, offset: u64) -> bool {
        if !judging.reading || offset < judging.next {
            return false;
        }
        if offset == judging.next {
            return true;
        }
        if judging.hole == Some(judging.next) {
            let deleted = judging.in_flight.skip_to(offset);
            self.works.metrics.deleted.increment(deleted);
            if deleted > 0 {
                tracing::error!(partition = number, offset, deleted, "inputs were deleted before they were judged");
            }
            return true;
        }
        judging.hole = Some(judging.next);
        self.works.metrics.reader_restarts.increment(1);
        tracing::warn!(partition = number, offset, expected = judging.next, "a hole in what was read, it is read anew");
        judging.stop_reading(self.reader, number);
        judging.read_on(self.reader, number);
        false
    }

    /// Judges, learns or closes a record, and writes what that comes to; `None` for one that is finished already.
    fn answer(
        &mut self,
        judging: &mut Judging,
        stamp: Stamp<'_>,
        record: &Record<'_>,
    ) -> ControlFlow<Interruption, Option<Written>> {
        let (partition, offset) = (stamp.partition, record.offset());
        let treatment = judging.inheritance.treatment(offset);
        let learns = treatment == Treatment::Learn;
        // A record at which the judge fails hurts only itself.
        let treated = guarded(|| {
            let heard = self.works.heard(record, &mut judging.foreign_told)?;
            Ok(self.treat(judging, stamp, heard, treatment))
        });
        let treated = treated.unwrap_or_else(|| {
            *self.desk = Desk::default();
            judging.failures += u32::from(!learns);
            Err((Reason::Unjudgeable, FAILED.to_owned()))
        });
        let (judgement, header) = match treated {
            Ok(Some(treated)) => treated,
            Ok(None) => return Continue(None),
            // F8. What cannot be heard was set apart when it was ours to judge.
            Err(_) if learns => return Continue(None),
            Err((reason, detail)) => return self.dead_letter(record, reason, &detail).map_continue(Some),
        };
        judging.failures = 0;
        if let Some(room) = judgement.counted_in {
            let due = judging.tally.count(judgement.word, room, offset, self.book.version);
            or_rewind(self.writer.tally(partition, stamp.owner, &mut judging.tally, due))?;
            return Continue(Some(Written::default()));
        }
        let stamp = Stamp { traceparent: header.as_deref().map(str::as_bytes).or(stamp.traceparent), ..stamp };
        let mut written = or_rewind(self.writer.judgement(stamp, judgement))?;
        if let Some(why) = written.unwritable.take() {
            let letter = self.dead_letter(record, Reason::Unwritable, &why)?;
            written.waiting.extend(letter.waiting);
            written.bytes += letter.bytes;
            written.is_set_apart = true;
        }
        Continue(Some(written))
    }

    fn dead_letter(&self, record: &Record<'_>, reason: Reason, detail: &str) -> ControlFlow<Interruption, Written> {
        self.set_apart(
            reason,
            detail,
            record.header(HEADER_TRACEPARENT),
            Dead {
                topic: &self.works.names.input,
                partition: record.partition(),
                offset: record.offset(),
                append_ms: record.time_ms(),
                key: record.key().unwrap_or_default(),
                value: record.value(),
            },
        )
    }

    fn set_apart(
        &self,
        reason: Reason,
        detail: &str,
        header: Option<&[u8]>,
        dead: Dead<'_>,
    ) -> ControlFlow<Interruption, Written> {
        self.works.metrics.dead_letter(reason);
        self.works.told.set_apart(self.works.id(dead.partition, dead.offset), header, reason.label());
        tracing::warn!(
            topic = dead.topic,
            partition = dead.partition,
            offset = dead.offset,
            reason = reason.label(),
            detail,
            "a record is set apart"
        );
        let written = or_rewind(self.writer.dead_letter(&letter(dead, reason, detail)))?;
        Continue(Written { is_set_apart: true, ..written })
    }

    /// Finishes what is acknowledged; what turns out to be unwritable is set apart (F2).
    pub(crate) fn settle(&self, number: i32, judging: &mut Judging) -> ControlFlow<Interruption> {
        let lost = |why| tracing::error!(partition = number, why, "what was thinned or shed cannot be recorded");
        if let Err(why) = judging.tally.settle(lost) {
            return Break(Interruption::Rewind(why));
        }
        loop {
            match judging.in_flight.settle() {
                Settled::Quiet => {
                    self.works.told.finished(&mut judging.traces, judging.in_flight.finished());
                    return Continue(());
                }
                Settled::Broken(why) => return Break(Interruption::Rewind(why)),
                Settled::Unwritable { offset, input, reason } => {
                    let room = decode::<Input>(&input.value).map(|input| input.room).unwrap_or_default();
                    let written = self.set_apart(
                        Reason::Unwritable,
                        &reason,
                        None,
                        Dead {
                            topic: &self.works.names.input,
                            partition: number,
                            offset,
                            append_ms: input.append_ms,
                            key: room.as_bytes(),
                            value: &input.value,
                        },
                    )?;
                    written.waiting.into_iter().for_each(|letter| judging.in_flight.wait_also(letter));
                }
            }
        }
    }
}

impl Works {
    fn id(&self, partition: i32, offset: u64) -> MessageId {
        MessageId { generation: self.generation, partition, offset }
    }

    /// The record as the judge hears it, or why he cannot. Ids carry our generation, whatever a door was told.
    fn heard(&self, record: &Record<'_>, foreign_told: &mut bool) -> Result<Heard, (Reason, String)> {
        let input: Input = decode(record.value()).map_err(|why| (Reason::Undecodable, why.to_string()))?;
        let generation = self.generation;
        if input.generation != generation && !std::mem::replace(foreign_told, true) {
            tracing::warn!(
                partition = record.partition(),
                offset = record.offset(),
                theirs = input.generation,
                ours = generation,
                "an input of another generation: all services must have the same --generation"
            );
        }
        let id = self.id(record.partition(), record.offset());
        Heard::new(id, record.time_ms(), input).map_err(|why| (Reason::Unjudgeable, why.to_string()))
    }
}

pub(crate) fn or_rewind<T>(outcome: Result<T, Failure>) -> ControlFlow<Interruption, T> {
    match outcome {
        Ok(value) => Continue(value),
        Err(failure) => Break(Interruption::Rewind(format!("a record was not taken: {failure:?}"))),
    }
}
