//! What the service doubts about new entries, as a person reads it.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::show::plain;

/// Examples that are told of each doubt; `--json` has fifty.
const EXAMPLES: usize = 5;

/// The report on an edit or an import.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Report {
    pub(crate) entries: u64,
    duplicates: Findings,
    one_character: Findings,
    contained: Findings,
    collides: Findings,
    too_broad: Findings,
}

#[derive(Debug, Default, Deserialize)]
struct Findings {
    count: u64,
    first: Vec<Finding>,
}

#[derive(Debug, Deserialize)]
struct Finding {
    line: u64,
    text: String,
    with: String,
}

impl Report {
    /// Each doubt with how many there are and the first of them; empty when there is none.
    pub(crate) fn told(&self) -> String {
        let mut text = String::new();
        for (findings, what) in self.kinds().into_iter().filter(|(findings, _)| findings.count > 0) {
            // Writing into a string does not fail.
            let _ = writeln!(text, "  {:>6} {what}", findings.count);
            for Finding { line, text: entry, with } in findings.first.iter().take(EXAMPLES) {
                let with = if with.is_empty() { String::new() } else { format!(" ({})", plain(with)) };
                let _ = writeln!(text, "         line {line}: {}{with}", plain(entry));
            }
        }
        text
    }

    /// Whether there is any doubt.
    pub(crate) fn doubts(&self) -> bool {
        self.kinds().iter().any(|(findings, _)| findings.count > 0)
    }

    fn kinds(&self) -> [(&Findings, &'static str); 5] {
        [
            (&self.duplicates, "there already, after folding: passed over"),
            (&self.one_character, "of one character, which innocent texts hold"),
            (&self.contained, "holding another word, which hits before them"),
            (&self.collides, "that an allow phrase frees"),
            (&self.too_broad, "found in too many of the clean texts"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_told_with_examples() {
        let text = r#"{"entries":9,"contained":{"count":7,"first":[{"line":3,"text":"blorpy","with":"e1"}]}}"#;
        let report: Report = serde_json::from_str(text).unwrap();
        assert!(report.doubts() && !Report::default().doubts());
        let told = report.told();
        assert!(told.contains("7 holding another word") && told.ends_with("line 3: blorpy (e1)\n"), "{told}");
        assert_eq!(Report::default().told(), "");
    }
}
