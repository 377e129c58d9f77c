//! What is an entry and what is none, and the key by which two are the same.

use proto::v1::Boundary;

use super::*;

fn word(text: &str) -> Entry {
    Entry { id: "e1".to_owned(), text: text.to_owned(), severity: 2, ..Entry::default() }
}

fn regex(text: &str) -> Entry {
    Entry { kind: EntryKind::Regex.into(), ..word(text) }
}

#[test]
fn what_cannot_be_searched_for_says_why() {
    let long = "坏".repeat(65);
    let latin = "a".repeat(257);
    let ligatures = "ﷻ".repeat(19);
    for (entry, why) in [
        (word(""), Fault::Empty),
        (word(" \u{3000}"), Fault::Empty),
        (word("。。-"), Fault::OnlySigns),
        (word("🙂"), Fault::OnlySigns),
        (word("\u{200b}"), Fault::OnlySigns),
        (word("*"), Fault::OnlyWildcard),
        (word("＊＊"), Fault::OnlyWildcard),
        (word(&long), Fault::TooManyClusters(65)),
        (word(&latin), Fault::TooManyBytes(257)),
        (word(&ligatures), Fault::TooManySymbols(133)),
        (Entry { gaps: Some(17), ..word("blorp") }, Fault::Gaps(17)),
        (Entry { also: vec!["x".to_owned(); 4], ..word("blorp") }, Fault::Also(4)),
        (Entry { also: vec!["!".to_owned()], ..word("blorp") }, Fault::OnlySigns),
        (Entry { severity: 0, ..word("blorp") }, Fault::Severity(0)),
        (Entry { severity: 5, ..word("blorp") }, Fault::Severity(5)),
        (Entry { starts_ms: 5, expires_ms: 5, ..word("blorp") }, Fault::Expired),
        (regex(""), Fault::Empty),
        (Entry { also: vec![latin.clone()], ..regex("x") }, Fault::TooManyBytes(257)),
        (regex(&"x".repeat(261)), Fault::RegexTooLong(261)),
        (regex("x*"), Fault::RegexEmpty),
        (regex(r"(\w{100}){100}"), Fault::RegexTooLarge),
    ] {
        assert_eq!(check(&entry), Err(BadEntry { id: "e1".to_owned(), why }), "{}", entry.text);
    }
    assert!(matches!(check(&regex("(")), Err(BadEntry { why: Fault::RegexInvalid(_), .. })));
}

#[test]
fn what_its_author_should_know() {
    let pinyin = Entry { pinyin: true, ..word("blorp") };
    let numeric = Entry { numeric: true, ..word("blorp") };
    let also = Entry { also: vec!["x".to_owned(); 3], gaps: Some(16), starts_ms: 5, expires_ms: 6, ..word("blorp") };
    for (entry, warnings) in [
        (word("blorp"), vec![]),
        (word("坏词语"), vec![]),
        (word(&"坏".repeat(64)), vec![]),
        (Entry { severity: 0, kind: EntryKind::Allow.into(), ..word("blorp") }, vec![]),
        (also, vec![]),
        (regex("bl[ao]rp+"), vec![]),
        (word("坏"), vec![Warning::OneSymbol]),
        (word("c++"), vec![Warning::OneSymbol, Warning::SignsIgnored("c".to_owned())]),
        (word("(禁看)"), vec![Warning::SignsIgnored("禁看".to_owned())]),
        (pinyin, vec![Warning::Useless("pinyin")]),
        (numeric, vec![Warning::Useless("numeric")]),
    ] {
        assert_eq!(check(&entry), Ok(warnings), "{}", entry.text);
    }
}

#[test]
fn entries_that_find_the_same_have_one_key() {
    let key = |text| folded_key(&word(text));
    for same in [
        ["坏词语", "壞詞語"],
        ["Blorp", "ｂｌｏｒｐ"],
        ["坏 词", "坏词"],
        ["كلمة سيئة", "كلمةسيئة"],
        ["kung-fu", "Kung  Fu"],
    ] {
        assert_eq!(key(same[0]), key(same[1]));
    }
    for other in [["坏", "坏坏"], ["kungfu", "kung fu"], ["blorp", "blorq"]] {
        assert_ne!(key(other[0]), key(other[1]));
    }
    assert_ne!(folded_key(&regex("blorp")), key("blorp"));
    assert_ne!(folded_key(&Entry { boundary: Boundary::Anywhere.into(), ..word("blorp") }), key("blorp"));
    assert_ne!(folded_key(&Entry { kind: EntryKind::Allow.into(), ..word("blorp") }), key("blorp"));
}
