//! What is done with a text, told stage by stage, for whoever tries a list before it acts. Nothing here decides: it asks the
//! stages themselves, so it is slow and true.

use proto::v1::{Entry, Reading};
use serde::Serialize;

use crate::{
    desk::write_key,
    fold::{self, Folded, SignClass},
    matcher::{Matcher, Rejected, Scratch},
};

/// A text, folded and searched in, with all that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// How it was folded.
    pub folding: Folding,
    /// What stands in it and what nearly does, in the order of the text.
    pub candidates: Vec<Candidate>,
}

/// How a text was folded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Folding {
    /// The grapheme clusters of the original.
    pub clusters: Vec<Cluster>,
    /// All symbols, with runs as they are and without gaps.
    pub symbols: String,
    /// The text as the automaton reads it: without gaps and with runs collapsed.
    pub compared: String,
    /// What of it is the same text to the rule against repeating oneself.
    pub key: String,
}

/// What became of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cluster {
    /// As it stands in the text.
    pub text: String,
    /// Its code points, for what cannot be seen.
    pub points: Vec<String>,
    /// The steps that changed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Its symbols; empty for signs and for what is unseen.
    pub symbols: String,
    /// Which sign it is, if it is one: then it lies in a gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<&'static str>,
}

/// A step of folding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What was done.
    pub what: &'static str,
    /// What it became.
    pub became: String,
}

/// An entry that is found, or is not although its symbols are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The entry's id.
    pub entry: String,
    /// Its text.
    pub word: String,
    /// What of the original was looked at.
    pub covered: String,
    /// Its first cluster.
    pub start: u32,
    /// The cluster behind its last.
    pub end: u32,
    /// How it was read; absent if it is no hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<&'static str>,
    /// Why it is no hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<&'static str>,
}

/// Explains `text` and what a list finds in it.
pub fn explain(text: &str, matcher: &Matcher) -> Trace {
    let mut folded = Folded::default();
    fold::fold(text, &mut folded);
    Trace { folding: folding(text, &folded), candidates: candidates(text, &folded, matcher) }
}

/// Explains how `text` was folded into `folded`.
pub fn folding(text: &str, folded: &Folded) -> Folding {
    let all = folded.symbols();
    let clusters = (0..folded.clusters()).map(|at| {
        let cluster = &text[folded.bytes(at, at + 1)];
        let from = all.partition_point(|symbol| symbol.cluster < at);
        let symbols: String =
            all[from..].iter().take_while(|symbol| symbol.cluster == at).map(|symbol| symbol.char).collect();
        let sign = folded.sign(at);
        let steps = if sign.is_some() { Vec::new() } else { fold::steps(cluster) };
        Cluster {
            points: cluster.chars().map(|char| format!("U+{:04X}", char as u32)).collect(),
            text: cluster.to_owned(),
            steps: steps.into_iter().map(|(what, became)| Step { what, became }).collect(),
            symbols,
            sign: sign.map(sign_word),
        }
    });
    let mut key = String::new();
    write_key(folded, &mut key);
    Folding {
        clusters: clusters.collect(),
        symbols: all.iter().map(|symbol| symbol.char).collect(),
        compared: folded.stream().text.clone(),
        key,
    }
}

/// What a list finds in a text, and what it nearly finds.
pub fn candidates(text: &str, folded: &Folded, matcher: &Matcher) -> Vec<Candidate> {
    let mut found = Vec::new();
    matcher.find(folded, &mut Scratch::default(), &mut found);
    let candidate = |entry: &Entry, start, end| Candidate {
        entry: entry.id.clone(),
        word: entry.text.clone(),
        covered: text[folded.bytes(start, end)].to_owned(),
        start,
        end,
        reading: None,
        rejected: None,
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    for hit in found {
        if let Some(entry) = matcher.entries().get(hit.entry as usize) {
            let reading = Some(reading_word(hit.reading));
            candidates.push(Candidate { reading, ..candidate(entry, hit.start, hit.end) });
        }
    }
    matcher.each_rejected(folded, |entry, clusters, why| {
        let rejected = Some(rejected_words(why));
        candidates.push(Candidate { rejected, ..candidate(entry, clusters.start, clusters.end) });
    });
    candidates.sort_by(|one, two| (one.start, one.end, &one.entry).cmp(&(two.start, two.end, &two.entry)));
    candidates
}

/// The word for a reading.
pub fn reading_word(reading: Reading) -> &'static str {
    match reading {
        Reading::Exact => "exact",
        Reading::Gaps => "gaps",
        Reading::Leet => "leet",
        Reading::Spaced => "spaced",
        Reading::Pinyin => "pinyin",
        Reading::Split => "split",
        Reading::Regex => "regex",
        Reading::Contact => "contact",
    }
}

fn sign_word(class: SignClass) -> &'static str {
    match class {
        SignClass::Space => "space",
        SignClass::Punctuation => "punctuation",
        SignClass::Emoji => "emoji",
    }
}

fn rejected_words(why: Rejected) -> &'static str {
    match why {
        Rejected::Run => "a letter stands there fewer times than in the entry, or a digit another number of times",
        Rejected::Gap => "more signs lie between than the entry allows",
        Rejected::Number => "signs lie between its digits",
        Rejected::Joint => "it is written as one word, and the entry is several",
        Rejected::Border => "it is a part of a longer word or number",
        Rejected::Spaced => "white space lies in it, and its letters do not all stand alone",
    }
}

#[cfg(test)]
mod tests;
