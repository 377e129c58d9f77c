//! Spans: what some danmaku tell of their way, for an OpenTelemetry collector. Off unless one is named.
//! Kept out: what a span says of a danmaku, which each service knows; logs and metrics (`telemetry`).
//!
//! Two ways lead to a span. Chance chooses one message in so many at the door, and its [`Context`] travels with it, so that
//! whoever hears it later goes on. And whoever meets one that is late or fails tells of it, chosen or not; that is decided
//! afterwards, when it is known, and under a trace that all derive from the message ([`Context::derived`]).
//! Whoever is neither chosen, late nor failing costs some comparisons and no clock, allocation or header.

mod context;
mod span;
mod budget;
pub mod otlp;
mod export;

pub use context::Context;
pub use span::{Act, Span, Why};

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use budget::Budget;
use export::{Exporter, Queue};
use hyper::Uri;

/// What takes longer is late. Chat is shown within 0.3 s as a rule and is not live any more after 3 s, so this is a danmaku
/// that somebody may have missed.
pub const LATE: Duration = Duration::from_secs(1);

/// How long the last spans may take to the collector when the program leaves.
const END_WAIT: Duration = Duration::from_secs(1);

/// A service's way to the collector. Cheap to clone; in one process all services share one.
#[derive(Clone)]
pub struct Tracer {
    on: Option<Arc<On>>,
    service: &'static str,
}

struct On {
    one_in: u32,
    budget: Budget,
    opened: Instant,
    queue: Queue,
}

impl Tracer {
    /// Tells nobody anything.
    #[must_use]
    pub fn off() -> Self {
        Self { on: None, service: "" }
    }

    /// Tells the collector at `endpoint` of one danmaku in `one_in` (0 = of none by chance), and of those that are late or
    /// fail. It must be called on a tokio runtime, where spans leave from.
    #[must_use]
    pub fn open(endpoint: &Uri, one_in: u32) -> Self {
        let queue = Exporter::start(endpoint.clone());
        Self {
            on: Some(Arc::new(On { one_in, budget: Budget::default(), opened: Instant::now(), queue })),
            service: "",
        }
    }

    /// The same for the service of that name.
    #[must_use]
    pub fn of(&self, service: &'static str) -> Self {
        Self { on: self.on.clone(), service }
    }

    /// Whether anybody is told anything.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// A new trace, if chance chooses this one.
    #[must_use]
    pub fn sample(&self) -> Option<Context> {
        let one_in = self.on.as_ref()?.one_in;
        (one_in > 0 && rand::random_range(0..one_in) == 0).then(Context::root)
    }

    /// Whether something so late is told of, though chance did not choose it.
    #[must_use]
    pub fn tells_late(&self, by: Duration) -> bool {
        by >= LATE && self.may_tell()
    }

    /// Whether something that failed is told of. At most ten a second are, late ones among them: when all are late, those
    /// say as much as all.
    #[must_use]
    pub fn may_tell(&self) -> bool {
        let Some(on) = &self.on else { return false };
        let spared = on.budget.take(on.opened.elapsed().as_secs());
        if !spared {
            on.queue.left_out();
        }
        spared
    }

    /// Whether a context that travelled here is gone on with.
    #[must_use]
    pub fn follows(&self, header: Option<&[u8]>) -> Option<Context> {
        let header = header.filter(|_| self.on.is_some())?;
        Context::parse(header).filter(|context| context.is_sampled())
    }

    /// Hands a span over to be sent; it waits for nothing.
    pub fn tell(&self, span: Span) {
        if let Some(on) = &self.on {
            on.queue.put(span.of(self.service));
        }
    }

    /// Sends what waits, within a second. What is told afterwards may be lost.
    pub async fn end(&self) {
        if let Some(on) = &self.on {
            // A collector that is away is not waited for.
            let _ = tokio::time::timeout(END_WAIT, on.queue.end()).await;
        }
    }
}

#[cfg(test)]
mod tests;
