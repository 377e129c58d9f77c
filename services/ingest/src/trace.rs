//! What is told of a message's way to Kafka, and the trace that travels with it. Which one chance chooses is `chassis`'s.
//!
//! A trace begins here. A `traceparent` comes from anybody, so who believed its trace or its flag would let strangers write
//! into each other's traces, and trace all of theirs at our cost: it is linked to, and no more.

use std::time::Instant;

use chassis::trace::{Act, Context, Span, Tracer, Why};
use hyper::HeaderMap;
use proto::record::HEADER_TRACEPARENT;

use crate::produce::Written;

/// The span in which a client says he asks us.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller(Option<Context>);

impl Caller {
    /// What the request says, if it says it once and well.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut lines = headers.get_all(HEADER_TRACEPARENT).iter();
        let (line, more) = (lines.next(), lines.next());
        Self(line.filter(|_| more.is_none()).and_then(|line| Context::parse(line.as_bytes())))
    }
}

/// A record on its way.
pub(crate) struct Sending {
    /// Since when.
    pub(crate) began: Instant,
    caller: Caller,
    /// If chance chose it.
    chosen: Option<Context>,
}

impl Sending {
    pub(crate) fn begin(tracer: &Tracer, caller: Caller) -> Self {
        Self { began: Instant::now(), caller, chosen: tracer.sample() }
    }

    /// What travels with the record.
    pub(crate) fn header(&self) -> Option<String> {
        self.chosen.map(|context| context.to_string())
    }

    /// It ended `now`; if it was chosen, late or failed, it is told.
    pub(crate) fn end(
        self,
        tracer: &Tracer,
        (topic, partition): (&str, i32),
        accepted_ms: i64,
        written: &Written,
        now: Instant,
    ) {
        let (id, failed) = match written {
            Written::Acknowledged(id) => (Some(id), None),
            Written::Unknown => (None, Some("unavailable")),
            Written::Refused => (None, Some("too_long")),
        };
        let why = match (self.chosen, failed) {
            (Some(_), _) => Why::Chance,
            (None, Some(_)) if tracer.may_tell() => Why::Failed,
            (None, None) if tracer.tells_late(now - self.began) => Why::Late,
            (None, _) => return,
        };
        // Without an id nobody else will ever tell of it.
        let found = || id.map_or_else(Context::root, |id| Context::derived(&id.trace_key(accepted_ms)));
        let context = self.chosen.unwrap_or_else(found);
        let span = Span::ended(Act::Send, topic, partition, context, why, self.began).linked(self.caller.0.as_slice());
        let span = match id {
            Some(id) => span.with("messaging.message.id", id.to_string()).with("messaging.kafka.offset", id.offset),
            None => span,
        };
        tracer.tell(match failed {
            Some(failed) => span.failed(failed),
            None => span,
        });
    }
}
