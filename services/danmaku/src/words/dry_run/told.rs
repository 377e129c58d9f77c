//! What would become of texts, as the service tells it and as a person reads it. How a text was read is `trace`'s.

use std::fmt::Write as _;

use serde::Deserialize;

use super::trace::Trace;
use crate::show::{Table, plain};

/// What was tried.
#[derive(Debug, Deserialize)]
pub(super) struct Tried {
    texts: u64,
    found: u64,
    tried: Vec<One>,
}

/// A text, and what would become of it.
#[derive(Debug, Deserialize)]
struct One {
    line: u64,
    text: String,
    action: String,
    #[serde(default)]
    mute_s: u32,
    #[serde(default)]
    code: String,
    #[serde(default)]
    rule: String,
    #[serde(default)]
    weak: bool,
    shown: Option<String>,
    hits: Vec<Hit>,
    trace: Option<Trace>,
}

/// What was found in it and counts.
#[derive(Debug, Deserialize)]
struct Hit {
    entry: String,
    list: String,
    text: Option<String>,
    category: String,
    severity: u32,
    reading: String,
    field: String,
    start: u32,
    end: u32,
    found: String,
    observe: bool,
}

impl Tried {
    /// Whether anything would not simply pass.
    pub(super) fn is_finding(&self) -> bool {
        self.tried.iter().any(|one| one.action != "pass")
    }

    /// One text in full, or a line for each of many.
    pub(super) fn told(&self) -> String {
        if let [one] = &self.tried[..]
            && let Some(trace) = &one.trace
        {
            return trace.told() + &one.told();
        }
        let mut table = Table::of(&["line", "action", "found", "entry", "text"]);
        for one in &self.tried {
            let (found, entry) = one.hits.first().map_or(("", ""), |hit| (&hit.found, hit.word()));
            table.row([&one.line.to_string(), &one.action, found, entry, &one.text]);
        }
        table.told("all would pass") + &format!("{} of {} would not simply pass\n", self.found, self.texts)
    }
}

impl One {
    /// What counts, and what is done.
    fn told(&self) -> String {
        let mut table = Table::of(&["entry", "list", "what it is", "read as", "characters", "found"]);
        for hit in &self.hits {
            let what = format!("{}/{}", hit.category, hit.severity);
            let list = if hit.observe { format!("{} (watches)", hit.list) } else { hit.list.clone() };
            table.row([hit.word(), &list, &what, &hit.reading, &hit.place(), &hit.found]);
        }
        format!("Counts:\n{}{}\n", indented(&table.told("nothing")), self.conclusion())
    }

    fn conclusion(&self) -> String {
        let mut text = format!("So: {}", self.action);
        // Writing into a string does not fail.
        if self.mute_s > 0 {
            let _ = write!(text, " for {} s", self.mute_s);
        }
        if !self.code.is_empty() {
            let _ = write!(text, ", told as `{}`", self.code);
        }
        if !self.rule.is_empty() {
            let decider = self.hits.iter().find(|hit| hit.entry == self.rule).map_or(&*self.rule, Hit::word);
            let _ = write!(text, ", because of {}", plain(decider));
        }
        if self.weak {
            text += "; a weak reading flags or holds, and never blocks";
        }
        if let Some(shown) = &self.shown {
            let _ = write!(text, "; shown as {}", plain(shown));
        }
        text
    }
}

impl Hit {
    /// The entry's text, or its id if that may not be read.
    fn word(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.entry)
    }

    /// Where it stands, counted as people count.
    fn place(&self) -> String {
        match self.field.as_str() {
            "name" => "of the name".to_owned(),
            _ => format!("{}–{}", self.start + 1, self.end),
        }
    }
}

/// Each line two columns further right.
pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
