//! A service's numbers as its admin port tells them.

mod families;

pub use families::{Family, families};

use std::collections::BTreeMap;

/// One scrape.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    samples: Vec<Sample>,
}

#[derive(Debug, Clone, PartialEq)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

impl Metrics {
    /// Reads Prometheus' text format; a line that is none is passed over.
    pub fn parse(text: &str) -> Self {
        Self { samples: text.lines().filter_map(sample).collect() }
    }

    /// The sum over all samples of `name`; 0 when there is none.
    pub fn sum(&self, name: &str) -> f64 {
        self.sum_where(name, &[])
    }

    /// The sum over those samples of `name` that carry all of `labels`.
    pub fn sum_where(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let carries = |sample: &&Sample| {
            labels.iter().all(|(label, value)| sample.labels.get(*label).is_some_and(|found| found == value))
        };
        self.samples.iter().filter(|sample| sample.name == name).filter(carries).map(|sample| sample.value).sum()
    }

    /// The sums of `name` by the value of `label`.
    pub fn by(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        let mut sums = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| sample.name == name) {
            *sums.entry(sample.labels.get(label).cloned().unwrap_or_default()).or_default() += sample.value;
        }
        sums
    }
}

/// `name{label="value",…} 1.5`; no label value of ours holds a quote or a comma.
fn sample(line: &str) -> Option<Sample> {
    let (head, value) = line.rsplit_once(' ').filter(|_| !line.starts_with('#'))?;
    let (name, labels) = head.strip_suffix('}').and_then(|head| head.split_once('{')).unwrap_or((head, ""));
    let labels = labels.split(',').filter_map(|label| label.split_once('='));
    let labels = labels.map(|(label, value)| (label.to_owned(), value.trim_matches('"').to_owned()));
    Some(Sample { name: name.to_owned(), labels: labels.collect(), value: value.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_by_name_and_labels() {
        let metrics = Metrics::parse(
            "# TYPE judged counter\njudged{verdict=\"passed\",core=\"0\"} 3\njudged{verdict=\"passed\",core=\"1\"} 4\n\
             judged{verdict=\"blocked\",core=\"0\"} 1\nviewers 2.5\n\n",
        );
        assert_eq!(metrics.sum("judged"), 8.0);
        assert_eq!(metrics.sum_where("judged", &[("verdict", "passed")]), 7.0);
        assert_eq!(metrics.sum("viewers"), 2.5);
        assert_eq!(metrics.sum("absent"), 0.0);
        assert_eq!(metrics.by("judged", "verdict")["blocked"], 1.0);
    }
}
