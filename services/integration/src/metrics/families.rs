//! What a service says of its numbers beside the numbers: what each is, of which kind, by which labels, and whether it moved.

use std::collections::{BTreeMap, BTreeSet};

use super::sample;

/// A number, or the numbers of one name that labels tell apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Family {
    /// `counter`, `gauge` or `histogram`.
    pub kind: String,
    /// Its sentence.
    pub help: String,
    /// The names of its labels.
    pub labels: BTreeSet<String>,
    /// How many there are.
    pub series: usize,
    /// Whether one of them is not 0.
    pub has_moved: bool,
}

/// The families of a page in Prometheus' text format, by name.
pub fn families(page: &str) -> BTreeMap<String, Family> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for line in page.lines() {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
            families.entry(name.to_owned()).or_default().help = help.to_owned();
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) {
            families.entry(name.to_owned()).or_default().kind = kind.to_owned();
        } else if let Some(sample) = sample(line) {
            let part = |end| sample.name.strip_suffix(end).filter(|name| families.contains_key(*name));
            let (buckets, sum) = (part("_bucket"), part("_sum"));
            let is_part = buckets.or(sum).is_some();
            let name = buckets.or(sum).or(part("_count")).unwrap_or(&sample.name).to_owned();
            let family = families.entry(name).or_default();
            family.has_moved |= sample.value != 0.0;
            family.labels.extend(sample.labels.into_keys().filter(|label| label != "le"));
            family.series += usize::from(!is_part);
        }
    }
    families
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_one_family_and_a_zero_has_not_moved() {
        let page = "# HELP a_total what it counts\n# TYPE a_total counter\na_total{code=\"x\"} 0\na_total{code=\"y\"} 2\n\n\
                    # TYPE b_seconds histogram\nb_seconds_bucket{hop=\"h\",le=\"1\"} 0\nb_seconds_sum{hop=\"h\"} 0\n\
                    b_seconds_count{hop=\"h\"} 0\n";
        let families = families(page);
        assert_eq!(families.keys().collect::<Vec<_>>(), ["a_total", "b_seconds"]);
        let (a, b) = (&families["a_total"], &families["b_seconds"]);
        assert_eq!((&*a.kind, &*a.help, a.series, a.has_moved), ("counter", "what it counts", 2, true));
        assert_eq!((&*b.kind, b.series, b.has_moved), ("histogram", 1, false));
        assert!(a.labels.contains("code") && b.labels.iter().eq(["hop"]), "{a:?} {b:?}");
    }
}
