//! Readings with passes of their own: regular expressions, several texts, digits, leet.

use super::*;
use crate::fold::fold;

/// What stands in a text, in its order: the covered part and the reading.
fn found<'a>(entries: &[Entry], text: &'a str) -> Vec<(&'a str, Reading)> {
    let matcher = Matcher::new(entries.into()).unwrap();
    let mut folded = Folded::default();
    fold(text, &mut folded);
    let mut hits = Vec::new();
    matcher.find(&folded, &mut Scratch::default(), &mut hits);
    hits.sort_unstable_by_key(|hit| (hit.start, hit.end, *hit));
    hits.iter().map(|hit| (&text[folded.bytes(hit.start, hit.end)], hit.reading)).collect()
}

fn word(text: &str) -> Entry {
    Entry { id: text.to_owned(), text: text.to_owned(), severity: 2, ..Entry::default() }
}

fn regex(text: &str) -> Entry {
    Entry { kind: EntryKind::Regex.into(), ..word(text) }
}

#[test]
fn all_readings_at_once() {
    let entries = [word("badword"), word("坏词语"), word("哈哈"), word("kung fu")];
    for (text, expected) in [
        ("BadWord, 坏 词语", &[("BadWord", Reading::Exact), ("坏 词语", Reading::Gaps)][..]),
        ("b4dw0rd! b*dword", &[("b4dw0rd", Reading::Leet), ("b*dword", Reading::Leet)]),
        ("哈 哈哈哈，哈", &[("哈哈哈", Reading::Exact)]),
        ("哈 哈，哈", &[("哈 哈", Reading::Gaps), ("哈，哈", Reading::Gaps)]),
        ("哈", &[]),
        ("kungfu", &[]),
        ("Kung-Fu", &[("Kung-Fu", Reading::Exact)]),
        ("kung - fu", &[("kung - fu", Reading::Gaps)]),
    ] {
        assert_eq!(found(&entries, text), expected, "{text}");
    }
}

#[test]
fn letters_that_signs_keep_apart_are_runs_of_their_own() {
    let entries = [word("go on")];
    assert_eq!(found(&entries, "goo oon"), [("goo oon", Reading::Exact)]);
    assert_eq!(found(&entries, "goon"), []);
    assert_eq!(found(&[word("a a")], "aa a"), [("aa a", Reading::Exact)]);
    assert_eq!(found(&[word("a a")], "aa"), []);
}

#[test]
fn rules_read_the_folded_line() {
    for (rule, text, covered) in [
        ("bl[ao]rp+", "a ＢＬＯＲＰＰ!", "ＢＬＯＲＰＰ"),
        ("坏.{0,2}語", "壞🙂词语", "壞🙂词语"),
        (r"fnord\s+\d{3}", "Fnord\u{3000}①②③", "Fnord\u{3000}①②③"),
        ("блорп", "БЛОРП", "БЛОРП"),
        ("🙂+", "a🙂🙂b", "🙂🙂"),
    ] {
        assert_eq!(found(&[regex(rule)], text), [(covered, Reading::Regex)], "{rule}");
    }
    assert_eq!(found(&[regex("^blorp$")], "blorps"), []);
    // Two stretches are two hits.
    assert_eq!(found(&[regex("ab")], "ab_ab").len(), 2);
}

#[test]
fn several_texts_stand_near_one_another() {
    let near = |within| Entry { also: vec!["fnord".to_owned(), "词".to_owned()], within, ..word("blorp") };
    for (within, text, whole) in [
        (0, "blorp ........................ 词 fnord", true),
        (0, "blorp fnord", false),
        (0, "fnord 词", false),
        (3, "词，blorp fnord", true),
        (3, "fnord ... blorp 词", false),
        (5, "fnord ... blorp 词", true),
        (1, "词blorp fnord", true),
    ] {
        let found = found(&[near(within)], text);
        assert_eq!(found.len(), if whole { 3 } else { 0 }, "{text}: {found:?}");
    }
    // An expression's, too.
    let near = Entry { also: vec!["fnord".to_owned()], within: 3, ..regex("bl[ao]rp") };
    assert_eq!(
        found(std::slice::from_ref(&near), "blarp, Fnord"),
        [("blarp", Reading::Regex), ("Fnord", Reading::Exact)]
    );
    assert_eq!(found(&[near], "blarp"), []);
    // Of several the nearest, and each once.
    let entries = [Entry { also: vec!["词".to_owned()], ..word("blorp") }];
    assert_eq!(found(&entries, "词 blorp--词"), [("词", Reading::Exact), ("blorp", Reading::Exact)]);
}

#[test]
fn numeric_entries_read_all_digits_and_others_do_not() {
    let numeric = Entry { numeric: true, ..word("18禁") };
    for text in ["18禁", "①⑧禁", "一八禁", "1捌禁"] {
        assert_eq!(found(std::slice::from_ref(&numeric), text), [(text, Reading::Exact)]);
    }
    assert_eq!(found(&[word("18禁")], "一八禁"), []);
    assert_eq!(found(&[word("18禁")], "①⑧禁").len(), 1);
    assert_eq!(found(&[numeric], "118禁"), []);
}

#[test]
fn as_many_gaps_as_there_may_be_are_allowed_in_what_is_spelled_too() {
    // Of a later release: no entry of ours may say so.
    let entry = Entry { pinyin: true, gaps: Some(256), ..word("坏词") };
    assert_eq!(found(std::slice::from_ref(&entry), "坏.词"), [("坏.词", Reading::Gaps)]);
    assert_eq!(found(&[entry], "huai.ci"), [("huai.ci", Reading::Pinyin)]);
}

#[test]
fn leet_is_for_whole_tokens() {
    let entries = [word("star"), word("lit"), word("tat")];
    for (text, covered) in [
        ("$tar", "$tar"),
        ("$tar!", "$tar"),
        ("5t4r", "5t4r"),
        ("#5tar", "5tar"),
        ("l1t", "l1t"),
        ("1it", "1it"),
        ("7a7", "7a7"),
        ("s.t.4.r", "s.t.4.r"),
        ("他5tar她", "5tar"),
        ("s*ar", "s*ar"),
    ] {
        assert_eq!(found(&entries, text), [(covered, Reading::Leet)], "{text}");
    }
    for text in ["$tarry", "5t4rs", "547", "1!7", "st**", "**ar", "s**r", "5 t a r"] {
        assert_eq!(found(&entries, text), [], "{text}");
    }
}

#[test]
fn the_first_bad_entry_is_named() {
    let Err(bad) = Matcher::new([word("blorp"), word("。"), word("")].into()) else { panic!("it was taken") };
    assert_eq!(bad, BadEntry { id: "。".to_owned(), why: Fault::OnlySigns });
    assert!(Matcher::new([].into()).is_ok());
}
