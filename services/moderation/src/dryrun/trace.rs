//! How a text was read, for people: what each character came to. What was found in it is kept out.

use judge::fold::{Folded, SignClass};
use serde::Serialize;
use utoipa::ToSchema;

/// How a text was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Trace {
    /// Characters, as readers count them.
    pub clusters: u32,
    /// What the text is compared as: without signs, and of equal neighbors one.
    pub folded: String,
    /// What each character came to.
    pub steps: Vec<Step>,
}

/// A character, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Step {
    /// As it was sent.
    pub original: String,
    /// As it is compared; empty if it is not looked at.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub symbols: String,
    /// What it is if it is no symbol: `space`, `punctuation` or `emoji`, which are gaps between symbols, or `nothing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<&'static str>,
}

impl Trace {
    /// The trace of `text`, which is `folded`.
    pub(super) fn of(text: &str, folded: &Folded) -> Self {
        let clusters = folded.clusters();
        Self {
            clusters,
            folded: folded.key().into_owned(),
            steps: (0..clusters).map(|cluster| step(text, folded, cluster)).collect(),
        }
    }
}

fn step(text: &str, folded: &Folded, cluster: u32) -> Step {
    let symbols: String =
        folded.symbols().iter().filter(|symbol| symbol.cluster == cluster).map(|symbol| symbol.char).collect();
    let sign = folded.signs().iter().find(|sign| sign.cluster == cluster).map(|sign| match sign.class {
        SignClass::Space => "space",
        SignClass::Punctuation => "punctuation",
        SignClass::Emoji => "emoji",
    });
    let sign = if symbols.is_empty() { Some(sign.unwrap_or("nothing")) } else { None };
    Step { original: text[folded.bytes(cluster, cluster + 1)].to_owned(), symbols, sign }
}
