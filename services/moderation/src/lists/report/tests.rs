//! Each doubt, and what is none.

use super::*;
use crate::lists::entry;

fn placed(line: usize, kind: Kind, text: &str) -> Placed {
    Placed { line, kept: entry::Entry { kind, ..entry::Entry::word(text) }.kept("house").unwrap() }
}

fn lines(findings: &Findings) -> Vec<(usize, &str)> {
    assert_eq!(findings.count, findings.first.len());
    findings.first.iter().map(|finding| (finding.line, &*finding.with)).collect()
}

#[test]
fn each_doubt_is_found_and_names_the_other() {
    use Kind::{Allow, Word};
    let new = [
        placed(1, Word, "blorp"),
        placed(2, Word, "ＢＬＯＲＰ"),
        placed(3, Word, "坏"),
        placed(5, Word, "很坏"),
        placed(6, Allow, "blorp"),
        placed(7, Allow, "blorp garden"),
        placed(8, Word, "gruntle"),
    ];
    let report = Report::on(&Content::empty(), "house", &new, &[], BROAD_PERCENT);
    assert_eq!(lines(&report.duplicates), [(2, "line 1")]);
    assert_eq!(lines(&report.one_character), [(3, "")]);
    assert_eq!(lines(&report.contained), [(5, "line 3")]);
    assert_eq!(lines(&report.collides), [(1, "line 6"), (2, "line 6"), (6, "line 1")]);
    assert!(report.wants_force(false) && report.wants_force(true));
    let report = Report::on(&Content::empty(), "house", &new[6..], &[], BROAD_PERCENT);
    assert!(!report.wants_force(true) && report.entries == 1);
}

#[test]
fn what_may_stand_elsewhere_is_no_duplicate() {
    let entry = entry::Entry { boundary: entry::Boundary::Anywhere, ..entry::Entry::word("blorp") };
    let within = Placed { line: 2, kept: entry.kept("house").unwrap() };
    let new = [placed(1, Kind::Word, "blorp"), within];
    assert_eq!(Report::on(&Content::empty(), "house", &new, &[], BROAD_PERCENT).duplicates.count, 0);
}

#[test]
fn broad_is_what_the_clean_texts_hold() {
    let new = [placed(1, Kind::Word, "gar"), placed(2, Kind::Word, "词"), placed(3, Kind::Word, "rare")];
    let clean = ["a gar den", "garden", "好词", "词词", "x"].map(str::to_owned);
    let report = Report::on(&Content::empty(), "house", &new, &clean, 30.0);
    assert_eq!(lines(&report.too_broad), [(2, "2 of 5")]);
    let report = Report::on(&Content::empty(), "house", &new, &clean, 10.0);
    assert_eq!(lines(&report.too_broad), [(1, "1 of 5"), (2, "2 of 5")]);
}
