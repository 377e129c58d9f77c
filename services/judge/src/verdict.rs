//! What a judgement comes to: a verdict as a value, and the records that carry it. Who writes them, and the owner's number and
//! lag that he stamps on them, are kept out.

mod shown;

use std::fmt;

use proto::{
    MessageId,
    v1::{self, Fate, Item, Output, State, Told, Word, item},
};

use crate::heard::Heard;

/// What the judge says about one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is shown, or acts.
    Passed,
    /// It is not shown: a rule forbids it.
    Blocked(Rule),
    /// It is not shown: its sender is too fast.
    Limited {
        /// Which limit.
        by: LimitedBy,
        /// How long he should wait.
        retry_after_ms: u32,
    },
    /// It is not shown: it was said before.
    Repeated {
        /// The first one.
        of: MessageId,
    },
}

/// A rule that blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A word of the word file.
    Word {
        /// The line it stands on.
        line: u32,
    },
    /// Its role may not bring this.
    Role,
}

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedBy {
    /// Messages a second.
    Rate,
    /// The same text again.
    Duplicate,
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
    /// For `danmaku-state`: what a late joiner must know.
    pub state: Option<State>,
}

/// What stands in the output for an input that was judged before (F7), as far as its records must be written again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stood {
    word: Word,
    code: String,
    rule: String,
    rules_version: u64,
    of: String,
}

impl Verdict {
    /// The contract's word.
    pub fn word(self) -> Word {
        match self {
            Self::Passed => Word::Passed,
            Self::Blocked(_) => Word::Blocked,
            Self::Limited { .. } => Word::Limited,
            Self::Repeated { .. } => Word::Repeated,
        }
    }

    /// The contract's code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Passed | Self::Repeated { .. } => "",
            Self::Blocked(Rule::Word { .. }) => "words",
            Self::Blocked(Rule::Role) => "forbidden",
            Self::Limited { by: LimitedBy::Rate, .. } => "rate",
            Self::Limited { by: LimitedBy::Duplicate, .. } => "duplicate",
        }
    }

    /// The rule's name, for moderators; empty when no rule was hit.
    pub fn rule(self) -> String {
        match self {
            Self::Blocked(rule) => rule.to_string(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word { line } => write!(f, "word:{line}"),
            Self::Role => f.write_str("role"),
        }
    }
}

impl Judgement {
    /// The records of `verdict` on `heard`, given by version `rules_version` of the rules.
    pub(crate) fn new(heard: Heard, verdict: Verdict, rules_version: u64) -> Self {
        let stood = Stood {
            word: verdict.word(),
            code: verdict.code().to_owned(),
            rule: verdict.rule(),
            rules_version,
            of: match verdict {
                Verdict::Repeated { of } => of.to_string(),
                _ => String::new(),
            },
        };
        if stood.word.is_shown() {
            return Self::shown(heard, stood);
        }
        let mut output = frame(&heard, &stood);
        output.items.extend(told(&heard, &stood, verdict));
        Self {
            word: stood.word,
            // Nobody to tell, so nothing to write.
            output: (!output.items.is_empty()).then_some(output),
            verdict: Some(record(heard, stood)),
            state: None,
        }
    }

    fn shown(heard: Heard, stood: Stood) -> Self {
        let state = shown::state(&heard);
        let mut output = frame(&heard, &stood);
        let word = stood.word;
        // A message that is also recorded is needed twice; one that simply passed, as nearly all, is moved and not copied.
        let verdict = word.is_recorded().then(|| record(heard.clone(), stood));
        output.items.extend(shown::item(heard));
        Self { word, output: Some(output), verdict, state }
    }

    /// The records of an input whose output stands already (F7): nothing is shown again, what moderators and late joiners
    /// read is written again.
    pub fn again(heard: Heard, stood: Stood) -> Self {
        let state = stood.word.is_shown().then(|| shown::state(&heard)).flatten();
        let word = stood.word;
        let verdict = word.is_recorded().then(|| record(heard, stood));
        Self { word, output: None, verdict, state }
    }

    /// The record of an input that a predecessor did not show (F7): he said no, or never came to it, and a later one is
    /// shown already.
    pub fn superseded(heard: Heard) -> Self {
        let stood = Stood { word: Word::Superseded, ..Stood::default() };
        Self { word: Word::Superseded, output: None, verdict: Some(record(heard, stood)), state: None }
    }
}

impl Stood {
    /// What an output record says of its input.
    pub fn of_output(output: &Output) -> Self {
        let told = output.items.iter().find_map(|item| match &item.body {
            Some(item::Body::Told(told)) => Some(told.of.clone()),
            _ => None,
        });
        Self {
            word: output.verdict(),
            code: output.code.clone(),
            rule: output.rule.clone(),
            rules_version: output.rules_version,
            of: told.unwrap_or_default(),
        }
    }
}

/// The output record of `heard`, still without items.
fn frame(heard: &Heard, stood: &Stood) -> Output {
    Output {
        generation: heard.id().generation,
        src: Some(heard.id().offset),
        room: heard.input().room.clone(),
        verdict: stood.word as i32,
        code: stood.code.clone(),
        rule: stood.rule.clone(),
        rules_version: stood.rules_version,
        ..Output::default()
    }
}

/// The verdict record of `heard`.
fn record(heard: Heard, stood: Stood) -> v1::Verdict {
    v1::Verdict {
        id: heard.id().to_string(),
        owner: None,
        word: stood.word as i32,
        code: stood.code,
        rule: stood.rule,
        rules_version: stood.rules_version,
        input: Some(heard.into_input()),
        ranges: Vec::new(),
        of: stood.of,
        hits: Vec::new(),
    }
}

/// What its sender is told, if there is a sender.
fn told(heard: &Heard, stood: &Stood, verdict: Verdict) -> Option<Item> {
    let input = heard.input();
    if !stood.word.is_told() || input.user_id().is_empty() {
        return None;
    }
    let told = Told {
        client_id: input.client_id.clone(),
        id: heard.id().to_string(),
        verdict: stood.word as i32,
        code: stood.code.clone(),
        of: stood.of.clone(),
        until: 0,
        retry_after_ms: match verdict {
            Verdict::Limited { retry_after_ms, .. } => retry_after_ms,
            _ => 0,
        },
    };
    Some(Item { fate: Fate::Lossless as i32, to_user: input.user_id().to_owned(), body: Some(item::Body::Told(told)) })
}

#[cfg(test)]
mod tests;
