//! What a judgement comes to, as values. The records that carry it are made in [`records`]; who writes them, and the owner's
//! number and lag that he stamps on them, are kept out.

mod records;
mod shown;
mod stood;

use std::borrow::Cow;

use proto::{
    MessageId,
    ban::Until,
    v1::{self, Hit, Output, State, Word},
};

pub use crate::mute::MutedBy;
pub(crate) use records::MUTE_KEY;
pub use stood::Stood;

/// What the judge says about one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is shown, or acts.
    Passed,
    /// It is shown, and moderators hear of it.
    Flagged,
    /// It is shown with parts of it masked.
    Masked {
        /// The text with its masks, if it has any.
        text: Option<String>,
        /// The name of who says it, the same.
        name: Option<String>,
    },
    /// It is not shown: a rule forbids it.
    Blocked,
    /// It is not shown and does not act: its role may not bring it.
    Forbidden,
    /// It is not shown unless a moderator lets it through.
    Held,
    /// A moderator let through what was held.
    Approved {
        /// The name of who said it with its masks, if it has any.
        name: Option<String>,
    },
    /// A moderator, or nobody in time, let it through.
    Rejected {
        /// Nobody decided in time.
        late: bool,
    },
    /// It is shown to its author alone.
    Shadowed,
    /// It is not shown: its author may not speak.
    Muted {
        /// Why.
        by: MutedBy,
        /// How long.
        until: Until,
    },
    /// It is not shown: a limit or the room's mode forbids it.
    Limited {
        /// Which.
        by: LimitedBy,
        /// How long its author should wait; 0 where waiting does not help.
        retry_after_ms: u32,
    },
    /// It is not shown: it was said before.
    Repeated {
        /// The first one.
        of: MessageId,
    },
    /// It is not shown: the room says more than anybody can read.
    Thinned,
    /// It is not shown, and was not looked at: the room says far more, and the partition is late.
    Shed,
}

/// A limit, or what a room's mode asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedBy {
    /// Messages a second.
    Rate,
    /// The same text again.
    Duplicate,
    /// The room is slow.
    Slow,
    /// It is for users of a higher level.
    Level,
    /// It is for those who have followed for longer.
    Followers,
    /// It is for emotes alone.
    Emote,
    /// It is for those who run it alone.
    Emergency,
}

/// Why the rules say what they say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finding {
    /// The code that its sender is told.
    pub code: Cow<'static, str>,
    /// The rule's name, for moderators.
    pub rule: String,
    /// What was found where; at most 16.
    pub hits: Vec<Hit>,
}

/// What became of one input: at most one output (F4), and what else must be written before its offset is finished (F5).
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict's word.
    pub word: Word,
    /// For `danmaku-output`: what is shown or told; `None` when there is nothing of either.
    pub output: Option<Output>,
    /// For `danmaku-verdicts`; `None` when it simply passed.
    pub verdict: Option<v1::Verdict>,
    /// For `danmaku-state`: what a late joiner, or the next judge, must know.
    pub state: Option<State>,
    /// The room of a message that is only counted, with others of its second: thinned or shed.
    pub counted_in: Option<String>,
}

impl Verdict {
    /// The contract's word.
    pub fn word(&self) -> Word {
        match self {
            Self::Passed => Word::Passed,
            Self::Flagged => Word::Flagged,
            Self::Masked { .. } => Word::Masked,
            Self::Blocked | Self::Forbidden => Word::Blocked,
            Self::Held => Word::Held,
            Self::Approved { .. } => Word::Approved,
            Self::Rejected { .. } => Word::Rejected,
            Self::Shadowed => Word::Shadowed,
            Self::Muted { .. } => Word::Muted,
            Self::Limited { .. } => Word::Limited,
            Self::Repeated { .. } => Word::Repeated,
            Self::Thinned => Word::Thinned,
            Self::Shed => Word::Shed,
        }
    }

    /// The contract's code, where the verdict itself has one; else it is the finding's.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Forbidden => Some("forbidden"),
            Self::Held => Some("held"),
            Self::Rejected { late: false } => Some("rejected"),
            Self::Rejected { late: true } => Some("timeout"),
            Self::Muted { by: MutedBy::Mute, .. } => Some("muted"),
            Self::Muted { by: MutedBy::Ban, .. } => Some("banned"),
            Self::Limited { by, .. } => Some(by.code()),
            _ => None,
        }
    }

    /// The rule's name, where it is none of the rule book's.
    pub fn rule(&self) -> Option<&'static str> {
        (*self == Self::Forbidden).then_some("role")
    }
}

/// All codes: the reasons for which something was not shown, or not as it was.
pub const CODES: [&str; 16] = [
    "words",
    "contact",
    "regex",
    "forbidden",
    "held",
    "rejected",
    "timeout",
    "muted",
    "banned",
    "rate",
    "duplicate",
    "mode_slow",
    "mode_level",
    "mode_followers",
    "mode_emote",
    "mode_emergency",
];

impl LimitedBy {
    /// The contract's code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Duplicate => "duplicate",
            Self::Slow => "mode_slow",
            Self::Level => "mode_level",
            Self::Followers => "mode_followers",
            Self::Emote => "mode_emote",
            Self::Emergency => "mode_emergency",
        }
    }
}

#[cfg(test)]
mod tests;
