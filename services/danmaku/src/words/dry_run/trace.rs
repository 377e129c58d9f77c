//! How a text was read, character by character, and what nearly was found in it: as the service tells it and as a person reads
//! it.

use serde::Deserialize;

use super::told::indented;
use crate::show::{Table, plain};

/// The reading of a text.
#[derive(Debug, Deserialize)]
pub(super) struct Trace {
    folding: Folding,
    candidates: Vec<Candidate>,
}

#[derive(Debug, Deserialize)]
struct Folding {
    clusters: Vec<Cluster>,
    compared: String,
    key: String,
}

/// A character as readers count them.
#[derive(Debug, Deserialize)]
struct Cluster {
    text: String,
    points: Vec<String>,
    #[serde(default)]
    steps: Vec<Step>,
    symbols: String,
    sign: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Step {
    what: String,
    became: String,
}

/// An entry whose letters are there.
#[derive(Debug, Deserialize)]
struct Candidate {
    entry: String,
    word: Option<String>,
    covered: String,
    reading: Option<String>,
    rejected: Option<String>,
    /// What becomes of a hit: whether a phrase frees it, whether its table does nothing about it.
    outcome: Option<String>,
}

impl Trace {
    pub(super) fn told(&self) -> String {
        let Folding { clusters, compared, key } = &self.folding;
        let mut table = Table::of(&["#", "written", "code points", "steps", "compared as"]);
        for (cluster, number) in clusters.iter().zip(1..) {
            let number: i32 = number;
            let points = cluster.points.join(" ");
            table.row([&number.to_string(), &cluster.text, &points, &cluster.steps(), &cluster.outcome()]);
        }
        let clusters = indented(&table.told("none"));
        let mut table = Table::of(&["entry", "in the text", "outcome"]);
        for candidate in &self.candidates {
            table.row([candidate.word.as_ref().unwrap_or(&candidate.entry), &candidate.covered, &candidate.outcome()]);
        }
        let candidates = indented(&table.told("none"));
        let (compared, key) = (plain(compared), plain(key));
        format!(
            "Characters:\n{clusters}Searched as: {compared}\nA repeat of anything that reads: {key}\nCandidates:\n{candidates}"
        )
    }
}

impl Cluster {
    fn steps(&self) -> String {
        let step = |Step { what, became }: &Step| format!("{what} → {became}");
        self.steps.iter().map(step).collect::<Vec<_>>().join(", ")
    }

    fn outcome(&self) -> String {
        match &self.sign {
            Some(sign) => format!("a gap ({sign})"),
            None if self.symbols.is_empty() => "nothing: it is not seen".to_owned(),
            None => self.symbols.clone(),
        }
    }
}

impl Candidate {
    /// Whether it is found, and what follows, or why not.
    fn outcome(&self) -> String {
        match (&self.rejected, &self.reading, &self.outcome) {
            (Some(why), _, _) => format!("no: {why}"),
            (None, Some(reading), Some(outcome)) => format!("found, read as {reading}: {outcome}"),
            (None, Some(reading), None) => format!("found, read as {reading}"),
            (None, None, _) => "found".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_told() {
        let text = r#"{"folding":{"clusters":[{"text":"ｂ","points":["U+FF42"],"steps":[{"what":"NFKC","became":"b"}],"symbols":"b"},
            {"text":".","points":["U+002E"],"symbols":"","sign":"punctuation"}],"symbols":"b","compared":"b","key":"b"},
            "candidates":[{"entry":"e1","covered":"ｂ.","start":0,"end":2,"rejected":"it is a part of a longer word"}]}"#;
        let told = serde_json::from_str::<Trace>(text).unwrap().told();
        let expected = "Characters:
  #  WRITTEN  CODE POINTS  STEPS     COMPARED AS
  1  ｂ       U+FF42       NFKC → b  b
  2  .        U+002E                 a gap (punctuation)
Searched as: b
A repeat of anything that reads: b
Candidates:
  ENTRY  IN THE TEXT  OUTCOME
  e1     ｂ.          no: it is a part of a longer word\n";
        assert_eq!(told, expected);
    }
}
