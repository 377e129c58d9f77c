//! One span: what was done with records of a topic, when, and what came of it. Pure but for reading the clock at its end.
//!
//! Names and attributes are OpenTelemetry's for messaging. None may hold a room, a user, an address or a text: the message's
//! id finds its record for who may look there.

use std::{
    borrow::Cow,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use super::Context;

/// Links of one span. A flush of a room that was stuck holds thousands of late danmaku, and the first of them tell enough;
/// how many were left out is told.
const LINKS_MAX: usize = 32;

/// What was done with the records of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// They were written there.
    Send,
    /// They were read from there, and something was made of them.
    Process,
}

impl Act {
    fn word(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Process => "process",
        }
    }
}

/// Why there is a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Chance chose it.
    Chance,
    /// Its trace came with it.
    Followed,
    /// It was late.
    Late,
    /// It failed.
    Failed,
}

impl Why {
    fn word(self) -> &'static str {
        match self {
            Self::Chance => "chance",
            Self::Followed => "followed",
            Self::Late => "late",
            Self::Failed => "failed",
        }
    }
}

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(Cow<'static, str>),
    Number(i64),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// A span that has ended.
#[derive(Debug, Clone)]
pub struct Span {
    pub(super) service: &'static str,
    pub(super) act: Act,
    pub(super) topic: String,
    pub(super) context: Context,
    pub(super) parent: Option<Context>,
    pub(super) links: Vec<Context>,
    pub(super) links_left_out: u32,
    pub(super) began_ns: u64,
    pub(super) ended_ns: u64,
    pub(super) attributes: Vec<(&'static str, Value)>,
    pub(super) error: Option<&'static str>,
}

impl Span {
    /// What was done with a record of `topic` between `began` and now.
    #[must_use]
    pub fn ended(act: Act, topic: &str, partition: i32, context: Context, why: Why, began: Instant) -> Self {
        let ended_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, nanoseconds);
        let span = Self {
            service: "",
            act,
            topic: topic.to_owned(),
            context,
            parent: None,
            links: Vec::new(),
            links_left_out: 0,
            // By the clock that never jumps, so that no span ends before it began.
            began_ns: ended_ns.saturating_sub(nanoseconds(began.elapsed())),
            ended_ns,
            attributes: Vec::new(),
            error: None,
        };
        span.with("messaging.system", "kafka")
            .with("messaging.operation.name", act.word())
            .with("messaging.operation.type", act.word())
            .with("messaging.destination.name", topic.to_owned())
            .with("messaging.destination.partition.id", partition.to_string())
            .with("danmaku.traced", why.word())
    }

    /// It was caused by that one, in the same trace.
    #[must_use]
    pub fn under(mut self, parent: Option<Context>) -> Self {
        self.parent = parent;
        self
    }

    /// It has to do with these too.
    #[must_use]
    pub fn linked(mut self, others: &[Context]) -> Self {
        let (told, left_out) = others.split_at(others.len().min(LINKS_MAX));
        self.links = told.to_vec();
        self.links_left_out = u32::try_from(left_out.len()).unwrap_or(u32::MAX);
        self
    }

    /// Says one thing more.
    #[must_use]
    #[expect(private_bounds, reason = "text or a number; nobody else makes values")]
    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((key, value.into()));
        self
    }

    /// It failed, for one of a few reasons.
    #[must_use]
    pub fn failed(mut self, why: &'static str) -> Self {
        self.error = Some(why);
        self.with("error.type", why)
    }

    /// It was this service's.
    pub(super) fn of(mut self, service: &'static str) -> Self {
        self.service = service;
        self
    }

    /// `{what was done} {where}`.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.act.word(), self.topic)
    }
}

fn nanoseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
