//! What can be an entry, and what of it is told.

use super::*;

#[test]
fn what_is_kept_is_told_and_nothing_private_to_others() {
    let said = Entry {
        category: "spam".to_owned(),
        severity: 3,
        action: Action::Hold,
        gaps: Some(1),
        also: vec!["fnord".to_owned()],
        comment: "seen".to_owned(),
        tags: vec!["a".to_owned()],
        private: true,
        expires_ms: 9,
        ..Entry::word("  Blorp ")
    };
    let kept = said.clone().kept("house").unwrap();
    assert_eq!((kept.entry.text.as_str(), kept.folded.as_str()), ("Blorp", "blorp"));
    let told = Entry::told(&kept, true);
    assert_eq!(told, Entry { list: "house".to_owned(), text: Some("Blorp".to_owned()), ..said });
    let hidden = Entry::told(&kept, false);
    assert_eq!((hidden.text, hidden.also, hidden.comment), (None, Vec::new(), String::new()));
}

#[test]
fn what_cannot_be_an_entry_says_why() {
    let long = "词".repeat(65);
    let thousand = "ab".repeat(500);
    let comment = "x".repeat(501);
    let with = |edit: fn(&mut Entry)| {
        let mut entry = Entry::word("blorp");
        edit(&mut entry);
        entry
    };
    for (entry, why) in [
        (Entry::default(), "empty"),
        (Entry::word("  "), "empty"),
        (Entry::word("a\nb"), "control"),
        (Entry::word(long), "65 characters"),
        (Entry::word(thousand), "1000"),
        (Entry::word("*.- _"), "separators"),
        (Entry::word("*"), "wildcard"),
        (Entry { kind: Kind::Regex, ..Entry::word("a".repeat(261)) }, "261"),
        (Entry { kind: Kind::Regex, ..Entry::word("(a{1000}){1000}") }, "too large"),
        (Entry { kind: Kind::Regex, ..Entry::word("(") }, "cannot be read"),
        (Entry { kind: Kind::Regex, ..Entry::word("a*") }, "empty text"),
        (with(|entry| entry.severity = 5), "severity"),
        (with(|entry| entry.category = "Bad Words".into()), "category"),
        (with(|entry| entry.gaps = Some(17)), "gaps"),
        (with(|entry| entry.also = vec!["x".into(); 4]), "also"),
        (with(|entry| entry.also = vec!["-".into()]), "separators"),
        (with(|entry| (entry.starts_ms, entry.expires_ms) = (10, 10)), "expires before"),
        (with(|entry| entry.expires_ms = -1), "time"),
        (with(|entry| entry.tags = vec![String::new()]), "tag"),
        (Entry { comment, ..Entry::word("blorp") }, "comment"),
    ] {
        let refused = entry.clone().kept("house").expect_err(&format!("{entry:?}"));
        assert!(refused.contains(why), "{refused}");
    }
    assert!(Entry::word("词".repeat(64)).kept("house").is_ok());
}
