//! Prometheus text to numbers, and what grew between two looks. Pure; who asks the admin ports is elsewhere.

use std::collections::BTreeMap;

/// Numbers by the words of a label.
pub type ByLabel = BTreeMap<String, u64>;

/// What one or several admin ports told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metrics(BTreeMap<String, Vec<Sample>>);

#[derive(Debug, Clone, Default, PartialEq)]
struct Sample {
    labels: BTreeMap<String, String>,
    value: f64,
}

impl Metrics {
    /// Adds a page; numbers of the same name and labels, told by several programs, add up when they are asked for.
    pub fn read(&mut self, page: &str) {
        for (name, sample) in page.lines().filter_map(sample) {
            self.0.entry(name.to_owned()).or_default().push(sample);
        }
    }

    /// The sum over all labels; none when nobody tells it.
    pub fn sum(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(|samples| samples.iter().map(|sample| sample.value).sum())
    }

    /// The highest of all labels and programs; none when nobody tells it.
    pub fn highest(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.iter().map(|sample| sample.value).reduce(f64::max)
    }

    /// What a counter grew by since `before`; none when nobody tells it.
    pub fn growth(&self, before: &Self, name: &str) -> Option<u64> {
        self.sum(name).map(|after| whole(after - before.sum(name).unwrap_or_default()))
    }

    /// What a counter grew by since `before`, by the words of one of its labels; words that did not grow are left out.
    pub fn growth_by(&self, before: &Self, name: &str, label: &str) -> ByLabel {
        let (before, mut grown) = (before.by(name, label), self.by(name, label));
        for (word, value) in &mut grown {
            *value -= before.get(word).copied().unwrap_or_default();
        }
        grown.into_iter().map(|(word, value)| (word, whole(value))).filter(|&(_, value)| value > 0).collect()
    }

    fn by(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        let mut by = BTreeMap::new();
        for sample in self.0.get(name).into_iter().flatten() {
            let word = sample.labels.get(label).cloned().unwrap_or_default();
            *by.entry(word).or_default() += sample.value;
        }
        by
    }
}

/// A counter is whole, and one that went down belongs to a program that was started again.
fn whole(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

/// `name{label="word",…} value`, with or without labels and a time behind.
fn sample(line: &str) -> Option<(&str, Sample)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let name_end = line.find(['{', ' ', '\t'])?;
    let (name, mut rest) = line.split_at(name_end);
    let mut labels = BTreeMap::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = read_labels(inside, &mut labels)?;
    }
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some((name, Sample { labels, value }))
}

/// Reads `a="b",…}` and gives what follows.
fn read_labels<'a>(mut rest: &'a str, labels: &mut BTreeMap<String, String>) -> Option<&'a str> {
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some(after);
        }
        let (label, after) = rest.split_once("=\"")?;
        let (word, after) = quoted(after)?;
        labels.insert(label.to_owned(), word);
        rest = after;
    }
}

/// Reads up to the closing quote, which is passed.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut characters = text.char_indices();
    loop {
        match characters.next()? {
            (at, '"') => return Some((word, &text[at + 1..])),
            (_, '\\') => match characters.next()?.1 {
                'n' => word.push('\n'),
                other => word.push(other),
            },
            (_, other) => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pages: &[&str]) -> Metrics {
        let mut metrics = Metrics::default();
        pages.iter().for_each(|page| metrics.read(page));
        metrics
    }

    fn by(pairs: &[(&str, u64)]) -> ByLabel {
        pairs.iter().map(|&(word, value)| (word.to_owned(), value)).collect()
    }

    #[test]
    fn lines_of_a_page() {
        let page = "# HELP a what\n# TYPE a counter\n\na 5\nb{x=\"1\"} 2\nb{x=\"2\",y=\"} \\\" \\\\ \\n\"} 3.5 1700000000\n\
                    c_bucket{le=\"+Inf\"} 7\nd NaN\nbroken{x=\"\ne\nf{} 1\ng 1e3";
        let metrics = read(&[page]);
        let table = [
            ("a", Some(5.0)),
            ("b", Some(5.5)),
            ("c_bucket", Some(7.0)),
            ("broken", None),
            ("e", None),
            ("f", Some(1.0)),
            ("g", Some(1000.0)),
            ("h", None),
        ];
        for (name, sum) in table {
            assert_eq!(metrics.sum(name), sum, "{name}");
        }
        assert_eq!(metrics.highest("b"), Some(3.5));
    }

    #[test]
    fn growth_between_two_looks() {
        let before = read(&["judged{verdict=\"passed\"} 3\njudged{verdict=\"blocked\"} 1\ntotal 4"]);
        let after = read(&[
            "judged{verdict=\"passed\"} 10\njudged{verdict=\"blocked\"} 1\ntotal 9",
            "judged{verdict=\"passed\"} 5\njudged{verdict=\"masked\"} 2\ntotal 7",
        ]);
        assert_eq!(after.growth_by(&before, "judged", "verdict"), by(&[("masked", 2), ("passed", 12)]));
        assert_eq!(after.growth(&before, "total"), Some(12));
        assert_eq!(after.growth(&Metrics::default(), "total"), Some(16), "absent before is zero");
        assert_eq!(before.growth(&after, "total"), Some(0), "a program was started again");
        assert_eq!(after.growth(&before, "nobody"), None);
        assert_eq!(after.growth_by(&before, "nobody", "verdict"), ByLabel::new());
    }
}
