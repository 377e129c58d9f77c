//! What is told of inputs that were judged: those that chance chose at the door, those that are late, those that fail.
//!
//! That one is late is known at once when it was read late, and only at the end when Kafka acknowledges it late; for that, one
//! input of a partition is watched at a time. So of one that is neither chosen nor late two comparisons are made.

use std::{collections::VecDeque, time::Duration, time::Instant};

use chassis::trace::{Act, Context, Span, Tracer, Why};
use proto::{MessageId, v1::Word};

/// Where spans go, and what all of them say.
pub(crate) struct Told {
    tracer: Tracer,
    topic: String,
    group: String,
}

/// An input that is being judged.
pub(crate) struct Trace {
    id: MessageId,
    accepted_ms: i64,
    /// Why it is told of; the one that is watched may turn out to be late.
    why: Option<Why>,
    /// As which span; made at the end if it travels with nobody.
    context: Option<Context>,
    parent: Option<Context>,
    began: Instant,
    lag_ms: u32,
    verdict: Word,
}

impl Trace {
    /// What its output is given to travel with, if this is where its trace begins.
    pub(crate) fn header(&self) -> Option<String> {
        self.context.filter(|_| self.parent.is_none()).map(|context| context.to_string())
    }
}

/// The traces of one partition's inputs in flight, oldest first: at most as many as those.
#[derive(Default)]
pub(crate) struct Traces(VecDeque<Trace>);

impl Told {
    pub(crate) fn new(tracer: Tracer, topic: &str, group: &str) -> Self {
        Self { tracer, topic: topic.to_owned(), group: group.to_owned() }
    }

    /// Begins to judge an input that came with `header` and was read so late; `None` if there will be nothing to tell.
    pub(crate) fn begin(
        &self,
        traces: &Traces,
        (id, accepted_ms): (MessageId, i64),
        header: Option<&[u8]>,
        lag_ms: u32,
    ) -> Option<Trace> {
        let parent = self.tracer.follows(header);
        let is_late = parent.is_none() && self.tracer.tells_late(Duration::from_millis(lag_ms.into()));
        let is_watched = traces.0.is_empty() && self.tracer.is_on();
        let (why, context) = match parent {
            Some(parent) => (Some(Why::Followed), Some(parent.child())),
            None if is_late => (Some(Why::Late), Some(Context::derived(&id.trace_key(accepted_ms)))),
            None if is_watched => (None, None),
            None => return None,
        };
        let verdict = Word::Passed;
        Some(Trace { id, accepted_ms, why, context, parent, began: Instant::now(), lag_ms, verdict })
    }

    /// Tells of those below `finished`: all that was written for them is acknowledged.
    pub(crate) fn finished(&self, traces: &mut Traces, finished: u64) {
        while let Some(trace) = traces.0.pop_front_if(|trace| trace.id.offset < finished) {
            let is_late = || self.tracer.tells_late(trace.began.elapsed());
            if let Some(why) = trace.why.or_else(|| is_late().then_some(Why::Late)) {
                let context = trace.context.unwrap_or_else(|| Context::derived(&trace.id.trace_key(trace.accepted_ms)));
                let span = self.span(trace.id, context, why, trace.began).under(trace.parent);
                let span = span.with("danmaku.verdict", trace.verdict.as_word());
                self.tracer.tell(span.with("danmaku.lag_ms", u64::from(trace.lag_ms)));
            }
        }
    }

    /// Tells of an input that is set apart, if ten a second are not enough.
    pub(crate) fn set_apart(&self, id: MessageId, header: Option<&[u8]>, reason: &'static str) {
        let parent = self.tracer.follows(header);
        if parent.is_some() || self.tracer.may_tell() {
            let context = parent.map_or_else(Context::root, Context::child);
            let span = self.span(id, context, Why::Failed, Instant::now()).under(parent);
            self.tracer.tell(span.failed(reason));
        }
    }

    fn span(&self, id: MessageId, context: Context, why: Why, began: Instant) -> Span {
        Span::ended(Act::Process, &self.topic, id.partition, context, why, began)
            .with("messaging.consumer.group.name", self.group.clone())
            .with("messaging.message.id", id.to_string())
            .with("messaging.kafka.offset", id.offset)
    }
}

impl Traces {
    /// An input was judged, and what that came to is written.
    pub(crate) fn judged(&mut self, trace: Option<Trace>, verdict: Word) {
        self.0.extend(trace.map(|trace| Trace { verdict, ..trace }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(offset: u64) -> MessageId {
        MessageId { generation: 1, partition: 0, offset }
    }

    fn told(one_in: u32) -> Told {
        Told::new(Tracer::open(&"http://127.0.0.1:1/v1/traces".parse().unwrap(), one_in), "danmaku-input", "group")
    }

    /// What a trace begins with: why it is told of, and whether its output is given a trace.
    fn begun(told: &Told, traces: &Traces, header: Option<&[u8]>, lag_ms: u32) -> Option<(Option<Why>, bool)> {
        let trace = told.begin(traces, (id(7), 5), header, lag_ms)?;
        Some((trace.why, trace.header().is_some()))
    }

    #[tokio::test]
    async fn chosen_late_watched_or_nothing() {
        let (told, mut traces) = (told(1), Traces::default());
        let chosen = Context::root().to_string();
        let unasked = format!("{}00", &chosen[..53]);
        let (chosen, unasked) = (Some(chosen.as_bytes()), Some(unasked.as_bytes()));
        assert_eq!(begun(&told, &traces, None, 0), Some((None, false)), "one is watched");
        traces.judged(told.begin(&traces, (id(7), 5), None, 0), Word::Passed);
        assert_eq!(begun(&told, &traces, None, 999), None);
        assert_eq!(begun(&told, &traces, unasked, 0), None);
        assert_eq!(begun(&told, &traces, None, 1_000), Some((Some(Why::Late), true)));
        assert_eq!(begun(&told, &traces, chosen, 5_000), Some((Some(Why::Followed), false)), "its own goes on");
        told.finished(&mut traces, 7);
        assert_eq!(traces.0.len(), 1, "it is not finished");
        told.finished(&mut traces, 8);
        assert_eq!(begun(&told, &traces, None, 0), Some((None, false)), "the next is watched");
        let off = Told::new(Tracer::off(), "danmaku-input", "group");
        assert_eq!(begun(&off, &traces, chosen, 5_000), None);
    }
}
