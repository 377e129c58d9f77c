//! What is told of flushes: of those that show a danmaku whose trace came with it, of late ones, and of records that are none.
//!
//! A span is one flush of a room on one shard, from when its first traced record was read until everybody was offered it. It
//! stands in that record's trace and is linked to the others'; viewers are a number in it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::trace::{Act, Context, Span, Tracer, Why};
use proto::{MessageId, record::HEADER_TRACEPARENT, v1};

use crate::raw::{Body, Record};

/// Where spans go, and the topic that all of them name.
pub(crate) struct Told {
    tracer: Tracer,
    topic: String,
}

/// A flush that is told of once everybody was offered it.
#[derive(Debug)]
pub(crate) struct Flush {
    why: Why,
    /// What it is told for, never empty; the first was read first.
    records: Vec<Arc<Record>>,
    messages: u64,
    flushed: Instant,
}

impl Flush {
    /// A flush of so many messages, at `now`; `None` if it is not told of. `late` is what waited for too long, if so.
    pub(crate) fn of(
        told: &Told,
        traced: Vec<Arc<Record>>,
        late: Option<Arc<Record>>,
        messages: u64,
        now: Instant,
    ) -> Option<Box<Self>> {
        let (why, records) = match late {
            _ if !traced.is_empty() => (Why::Followed, traced),
            Some(late) if told.tracer.may_tell() => (Why::Late, vec![late]),
            _ => return None,
        };
        Some(Box::new(Self { why, records, messages, flushed: now }))
    }

    /// Another flush came before everybody was offered this one.
    pub(crate) fn join(&mut self, other: Self) {
        self.records.extend(other.records);
        self.messages += other.messages;
    }
}

impl Told {
    pub(crate) fn new(tracer: Tracer, topic: String) -> Self {
        Self { tracer, topic }
    }

    /// The trace that travelled with a record.
    pub(crate) fn trace(&self, record: &chassis::kafka::Record<'_>, output: &v1::Output) -> Option<Context> {
        if output.traced { self.tracer.follows(record.header(HEADER_TRACEPARENT)) } else { None }
    }

    /// Whether what was said so long ago is told of for that.
    pub(crate) fn is_late(&self, ago: Duration) -> bool {
        ago >= chassis::trace::LATE && self.tracer.is_on()
    }

    /// Everybody was offered the flush.
    pub(crate) fn offered(&self, flush: &Flush, viewers: usize) {
        let Some(first) = flush.records.first() else { return };
        let traces: Vec<_> = flush.records.iter().filter_map(|record| record.trace.as_deref().copied()).collect();
        let parent = traces.first().copied();
        let context = parent.map_or_else(|| Context::derived(&key(first)), Context::child);
        let window = flush.flushed.saturating_duration_since(first.heard);
        let mut span = Span::ended(Act::Process, &self.topic, first.at.partition, context, flush.why, first.heard)
            .under(parent)
            .linked(&traces)
            .with("messaging.batch.message_count", flush.messages)
            .with("danmaku.window_ms", u64::try_from(window.as_millis()).unwrap_or(u64::MAX))
            .with("danmaku.viewers", viewers as u64);
        if let [one] = &*flush.records {
            span = span.with("messaging.message.id", id(one).to_string()).with("messaging.kafka.offset", one.offset());
        }
        self.tracer.tell(span);
    }

    /// A record is none.
    pub(crate) fn undecodable(&self, partition: i32, offset: u64) {
        if self.tracer.may_tell() {
            let now = Instant::now();
            let span = Span::ended(Act::Process, &self.topic, partition, Context::root(), Why::Failed, now);
            self.tracer.tell(span.with("messaging.kafka.offset", offset).failed("undecodable"));
        }
    }
}

fn id(record: &Record) -> MessageId {
    let at = record.at;
    MessageId { generation: at.generation, partition: at.partition, offset: at.src_next }
}

/// What its trace is derived from by everybody.
fn key(record: &Record) -> String {
    let message = record.items.iter().find_map(|item| match &item.body {
        Body::Message(message) => Some(message.decoded()),
        Body::Said(_) => None,
    });
    id(record).trace_key(message.map_or(0, |message| message.at))
}
