//! What stands in the output for an input that was judged before (F7), as far as its other records must be written again.

use proto::v1::{Hit, Output, Word, item};

/// Read from the output itself, so that nothing is judged twice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stood {
    /// Its number: a later release, gone back from, may have left a word that is not known here.
    pub(super) word: i32,
    pub(super) code: String,
    pub(super) rule: String,
    pub(super) rules_version: u64,
    pub(super) of: String,
    /// Up to when its author is muted, in Unix milliseconds.
    pub(super) until: i64,
    pub(super) hits: Vec<Hit>,
}

impl Stood {
    /// What an output record says of its input.
    pub fn of_output(output: &Output) -> Self {
        let told = output.items.iter().find_map(|item| match &item.body {
            Some(item::Body::Told(told)) => Some((told.of.clone(), told.until)),
            _ => None,
        });
        let (of, until) = told.unwrap_or_default();
        Self {
            word: output.verdict,
            code: output.code.clone(),
            rule: output.rule.clone(),
            rules_version: output.rules_version,
            of,
            until,
            hits: output.hits.clone(),
        }
    }

    /// What was said of it, if that is known here.
    pub(super) fn word(&self) -> Option<Word> {
        Word::known(self.word)
    }

    /// Up to when a rule muted its author, if one did.
    pub(crate) fn muted_by_rule(&self) -> Option<i64> {
        (self.word() == Some(Word::Muted) && !self.rule.is_empty()).then_some(self.until)
    }
}
