//! The records of each verdict. What is shown of an input is made in `shown`.

use proto::{
    ban::Until,
    v1::{self, Fate, Item, Output, State, Told, Word, input::Body, item, state},
};

use super::{Finding, Judgement, Stood, Verdict, shown};
use crate::heard::Heard;

impl Judgement {
    /// The records of `verdict` on `heard`, given for what was found by version `rules_version` of the rules.
    pub(crate) fn new(heard: Heard, verdict: Verdict, found: Finding, rules_version: u64) -> Self {
        let word = verdict.word();
        if matches!(verdict, Verdict::Thinned | Verdict::Shed) {
            return Self { counted_in: Some(heard.into_input().room), ..Self::nothing(word) };
        }
        let stood = Stood {
            word: word as i32,
            code: verdict.code().map_or_else(|| found.code.into_owned(), str::to_owned),
            rule: verdict.rule().map_or(found.rule, str::to_owned),
            rules_version,
            of: match &verdict {
                Verdict::Repeated { of } => of.to_string(),
                _ => String::new(),
            },
            until: match &verdict {
                Verdict::Muted { until: Until::Time(ms), .. } => *ms,
                _ => 0,
            },
            hits: found.hits,
        };
        let state = state(&heard, &stood);
        let mut output = frame(&heard, &stood);
        let told = told(&heard, &stood, &verdict);
        // A message that is also recorded is needed twice; one that simply passed, as nearly all, is moved and not copied.
        let record = is_recorded(&stood).then(|| record(heard.clone(), stood));
        output.items.extend(shown::item(heard, verdict));
        output.items.extend(told);
        // Nobody to show it to and nobody to tell is nothing to write; but what acts stands for itself (F7).
        let output = Some(output).filter(|output| word.is_shown() || !output.items.is_empty());
        Self { word, output, verdict: record, state, counted_in: None }
    }

    /// The records of an input whose output stands already (F7): nothing is shown again, what moderators and late joiners
    /// read is written again. Under a word that is not known here it was not shown, as far as anybody here can tell.
    pub fn again(heard: Heard, stood: Stood) -> Self {
        let (word, state) = (stood.word().unwrap_or(Word::Superseded), state(&heard, &stood));
        let verdict = is_recorded(&stood).then(|| record(heard, stood));
        Self { verdict, state, ..Self::nothing(word) }
    }

    /// The record of an input that a predecessor did not show (F7): he said no, or never came to it, and a later one is
    /// shown already.
    pub fn superseded(heard: Heard) -> Self {
        let stood = Stood { word: Word::Superseded as i32, ..Stood::default() };
        Self { verdict: Some(record(heard, stood)), ..Self::nothing(Word::Superseded) }
    }

    fn nothing(word: Word) -> Self {
        Self { word, output: None, verdict: None, state: None, counted_in: None }
    }
}

/// What passed is recorded when a list that only watches found something.
fn is_recorded(stood: &Stood) -> bool {
    stood.word().is_none_or(Word::is_recorded) || !stood.hits.is_empty()
}

/// The output record of `heard`, still without items.
fn frame(heard: &Heard, stood: &Stood) -> Output {
    Output {
        generation: heard.id().generation,
        src: Some(heard.id().offset),
        room: heard.input().room.clone(),
        verdict: stood.word,
        code: stood.code.clone(),
        rule: stood.rule.clone(),
        rules_version: stood.rules_version,
        hits: stood.hits.clone(),
        ..Output::default()
    }
}

/// The verdict record of `heard`.
fn record(heard: Heard, stood: Stood) -> v1::Verdict {
    let of = match (&heard.input().body, stood.word()) {
        (_, Some(Word::Repeated)) => stood.of,
        (Some(Body::Decision(decision)), _) => decision.held_id.clone(),
        _ => stood.of,
    };
    v1::Verdict {
        id: heard.id().to_string(),
        owner: None,
        word: stood.word,
        code: stood.code,
        rule: stood.rule,
        rules_version: stood.rules_version,
        input: Some(heard.into_input()),
        ranges: Vec::new(),
        of,
        hits: stood.hits,
    }
}

/// What late joiners must know of it, and who judges next.
fn state(heard: &Heard, stood: &Stood) -> Option<State> {
    if stood.word().is_some_and(Word::is_shown) {
        return shown::state(heard);
    }
    let (id, input) = (heard.id(), heard.input());
    let until = stood.muted_by_rule()?;
    Some(State {
        room: input.room.clone(),
        key: format!("{MUTE_KEY}{}", input.user_id()),
        src: id.offset,
        generation: id.generation,
        value: Some(state::Value::Muted(v1::Muted { until })),
    })
}

/// Before the user, in the state's key of a mute by rule.
pub(crate) const MUTE_KEY: &str = "mute/user/";

/// What the one whom it concerns is told, if there is one.
fn told(heard: &Heard, stood: &Stood, verdict: &Verdict) -> Option<Item> {
    let word = verdict.word();
    let concerned = Concerned::by(heard, word);
    if !word.is_told() || concerned.user.is_empty() {
        return None;
    }
    let told = Told {
        client_id: concerned.client_id.to_owned(),
        id: concerned.id,
        verdict: stood.word,
        code: stood.code.clone(),
        of: stood.of.clone(),
        until: stood.until,
        retry_after_ms: match verdict {
            Verdict::Limited { retry_after_ms, .. } => *retry_after_ms,
            _ => 0,
        },
    };
    Some(Item { fate: Fate::Lossless as i32, to_user: concerned.user.to_owned(), body: Some(item::Body::Told(told)) })
}

/// Whom a verdict concerns: a decision that came to something concerns the author of what was held, and not the moderator.
struct Concerned<'a> {
    user: &'a str,
    client_id: &'a str,
    id: String,
}

impl<'a> Concerned<'a> {
    fn by(heard: &'a Heard, word: Word) -> Self {
        let input = heard.input();
        match &input.body {
            Some(Body::Decision(decision)) if matches!(word, Word::Approved | Word::Rejected | Word::Muted) => Self {
                user: decision.user.as_ref().map_or("", |user| &user.id),
                client_id: &decision.client_id,
                id: decision.held_id.clone(),
            },
            _ => Self { user: input.user_id(), client_id: &input.client_id, id: heard.id().to_string() },
        }
    }
}
