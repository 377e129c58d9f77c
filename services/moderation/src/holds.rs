//! Messages that wait for a moderator: who decides first decides, and where nobody does in time the room's rule does.
//! What a decision means to the river is kept out (the judge), and so is who may decide (`http`).
//!
//! # Layout, in reading order
//! `queue` is what waits and what waited, `decide` the one way out of it, `forget` the same for one who is erased, `rule` how
//! long a room waits and what then.

mod decide;
mod forget;
mod queue;
mod rule;

pub(crate) use decide::{Answer, By, decide};
pub(crate) use forget::reject_all;
pub(crate) use queue::{Held, begin_anew, came_to, expired, find, list, next_deadline, open};
pub(crate) use rule::{OnTimeout, Rule, rule, set_rule};

/// The actor of what nobody decided in time.
pub(crate) const NOBODY: &str = "danmaku";

/// The reason of a decision that nobody made in time; the judge tells it the sender by this word.
pub(crate) const TIMEOUT: &str = "timeout";

/// The reason of a decision on what waited of a person who is erased.
pub(crate) const ERASED: &str = "erased";
