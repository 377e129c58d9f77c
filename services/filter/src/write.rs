//! The filter's producer and what it writes: owner records, judgements, dead letters. In which order, and what it means that
//! they are acknowledged, is kept out.

use std::time::Duration;

use chassis::kafka::{Cluster, Delivery, Error, Failure, Outgoing, Producer, ProducerSettings};
use judge::Judgement;
use proto::{
    MessageId, OwnerNumber, Topic,
    record::{HEADER_SRC, HEADER_TRACEPARENT, encode},
    v1::{DeadLetter, Output, Verdict},
};

use crate::{
    deliver::BYTES_MAX,
    tally::{Due, Tally},
};

/// How long a record may wait for company in its batch (F2).
const LINGER: Duration = Duration::from_millis(1);

/// What one input more than the cap may come to: its output, verdict and dead letter of 64 KiB.
const OVERSHOOT_BYTES: usize = 256 << 10;

/// The whole names of the topics that the filter reads and writes.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) input: String,
    pub(crate) output: String,
    verdicts: String,
    pub(crate) state: String,
    dead_letter: String,
}

impl Names {
    pub(crate) fn new(prefix: &str) -> Self {
        Self {
            input: Topic::Input.name(prefix),
            output: Topic::Output.name(prefix),
            verdicts: Topic::Verdicts.name(prefix),
            state: Topic::State.name(prefix),
            dead_letter: Topic::DeadLetter.name(prefix),
        }
    }
}

/// A producer with the names of what it writes to.
pub(crate) struct Writer {
    producer: Producer,
    names: Names,
    generation: u32,
}

/// What was handed over for one input.
#[derive(Default)]
pub(crate) struct Written {
    /// An answer to come for each record.
    pub(crate) waiting: Vec<Delivery>,
    /// Their bytes.
    pub(crate) bytes: usize,
    /// Why one of them will never be written; the others are.
    pub(crate) unwritable: Option<String>,
    /// Its dead letter is among them.
    pub(crate) is_set_apart: bool,
}

/// What the judge stamps on his records besides the judgement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp<'a> {
    pub(crate) partition: i32,
    pub(crate) owner: OwnerNumber,
    pub(crate) lag_ms: u32,
    /// The input's trace, carried on.
    pub(crate) traceparent: Option<&'a [u8]>,
}

impl Writer {
    /// A new producer for at most `partitions` partitions.
    pub(crate) fn new(cluster: &Cluster, names: Names, generation: u32, partitions: i32) -> Result<Self, Error> {
        let partitions = usize::try_from(partitions).unwrap_or(1);
        let settings = ProducerSettings {
            // F2: an output waits, and its partition with it.
            message_timeout: None,
            linger: LINGER,
            // Every partition may be at its cap (F3) without filling the producer, in bytes, as records are not counted: 64
            // partitions come to 144 MiB, if all their leaders are gone at once.
            queue_bytes: partitions * (BYTES_MAX + OVERSHOOT_BYTES),
        };
        Ok(Self { producer: Producer::new(cluster, settings)?, names, generation })
    }

    /// The producer's fatal error, after which it must be thrown away (F2).
    pub(crate) fn fatal(&self) -> Option<&str> {
        self.producer.fatal()
    }

    /// Claims a partition for `owner` (F6).
    pub(crate) fn claim(&self, partition: i32, owner: OwnerNumber) -> Result<Delivery, Failure> {
        let value = encode(&Output::claim(self.generation, owner));
        self.producer.send(Outgoing {
            topic: &self.names.output,
            partition,
            key: None,
            value: Some(&value),
            headers: &[],
        })
    }

    /// Writes what an input came to, each record to the partition number of the input. `Err` is the producer's failure.
    pub(crate) fn judgement(&self, stamp: Stamp<'_>, judgement: Judgement) -> Result<Written, Failure> {
        let mut written = Written::default();
        if let Some(output) = judgement.output {
            self.output(stamp, output, &mut written)?;
        }
        if let Some(mut verdict) = judgement.verdict {
            verdict.owner = Some(stamp.owner.into());
            let room = verdict.input.as_ref().map_or("", |input| &input.room);
            let to = Outgoing { topic: &self.names.verdicts, key: Some(room.as_bytes()), ..to(stamp.partition) };
            self.send(to, &encode(&verdict), &mut written)?;
        }
        if let Some(state) = judgement.state {
            let key = state.record_key();
            let to = Outgoing { topic: &self.names.state, key: Some(key.as_bytes()), ..to(stamp.partition) };
            self.send(to, &encode(&state), &mut written)?;
        }
        Ok(written)
    }

    /// Writes records of what was counted, and has `tally` wait for them. `Err` is the producer's failure.
    pub(crate) fn tally(
        &self,
        partition: i32,
        owner: OwnerNumber,
        tally: &mut Tally<Delivery>,
        due: Vec<Due>,
    ) -> Result<(), Failure> {
        let mut outcome = Ok(());
        for due in due {
            let first = due.first();
            let verdict = Verdict {
                id: MessageId { generation: self.generation, partition, offset: first }.to_string(),
                owner: Some(owner.into()),
                word: due.word as i32,
                rules_version: due.rules_version,
                ranges: due.ranges,
                ..Verdict::default()
            };
            let to = Outgoing { topic: &self.names.verdicts, key: Some(due.room.as_bytes()), ..to(partition) };
            match self.producer.send(Outgoing { value: Some(&encode(&verdict)), ..to }) {
                Ok(delivery) => tally.wait(first, delivery),
                Err(failure) => {
                    tally.give_up(first);
                    outcome = Err(failure);
                }
            }
        }
        outcome
    }

    /// Takes a state back that says nothing any more. Nobody waits for it: it is done again at the next assignment.
    pub(crate) fn forget_state(&self, partition: i32, key: &str) -> Result<(), Failure> {
        let to = Outgoing { topic: &self.names.state, key: Some(key.as_bytes()), ..to(partition) };
        self.producer.send(to).map(drop)
    }

    fn output(&self, stamp: Stamp<'_>, mut output: Output, written: &mut Written) -> Result<(), Failure> {
        output.owner = Some(stamp.owner.into());
        output.judge_lag_ms = stamp.lag_ms;
        output.traced = stamp.traceparent.is_some();
        let src = output.src.unwrap_or_default().to_string();
        let mut headers = vec![(HEADER_SRC, src.as_bytes())];
        headers.extend(stamp.traceparent.map(|trace| (HEADER_TRACEPARENT, trace)));
        let room = output.room.as_bytes();
        let to = Outgoing { topic: &self.names.output, key: Some(room), headers: &headers, ..to(stamp.partition) };
        self.send(to, &encode(&output), written)
    }

    /// Writes a dead letter.
    pub(crate) fn dead_letter(&self, letter: &DeadLetter) -> Result<Written, Failure> {
        let mut written = Written::default();
        let to = Outgoing { topic: &self.names.dead_letter, key: Some(&letter.key), ..to(0) };
        self.send(to, &encode(letter), &mut written)?;
        Ok(written)
    }

    fn send(&self, to: Outgoing<'_>, value: &[u8], written: &mut Written) -> Result<(), Failure> {
        written.bytes += value.len();
        match self.producer.send(Outgoing { value: Some(value), ..to }) {
            Ok(delivery) => written.waiting.push(delivery),
            Err(Failure::BadRecord(reason)) => written.unwritable = Some(reason),
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}

/// A record to this partition, still without all the rest.
fn to(partition: i32) -> Outgoing<'static> {
    Outgoing { topic: "", partition, key: None, value: None, headers: &[] }
}
