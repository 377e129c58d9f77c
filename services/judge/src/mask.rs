//! A text with some of it covered: one `*` for each grapheme cluster, and all the rest as it was, byte by byte.

use std::ops::Range;

use crate::fold::Folded;

/// What covers a cluster.
const COVER: char = '*';

/// Covers the clusters of `original` that lie in `spans`, which may overlap, in any order. `folded` is `original` folded.
pub fn mask(original: &str, folded: &Folded, spans: &[Range<u32>]) -> String {
    let mut spans: Vec<Range<u32>> = spans.to_vec();
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut masked = String::with_capacity(original.len());
    let mut done = 0;
    for span in spans {
        let (start, end) = (span.start.max(done), span.end.min(folded.clusters()));
        if start < end {
            masked.push_str(&original[folded.bytes(done, start)]);
            masked.extend((start..end).map(|_| COVER));
            done = end;
        }
    }
    masked.push_str(&original[folded.bytes(done, folded.clusters())]);
    masked
}
