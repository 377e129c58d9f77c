use proto::v1::Boundary;

use super::*;
use crate::fold::fold;

/// The spans that are masked, as the text with stars.
fn found(entries: &[Entry], text: &str) -> Vec<(String, Reading)> {
    let matcher = Matcher::new(entries.into()).unwrap();
    let mut folded = Folded::default();
    fold(text, &mut folded);
    let mut hits = Vec::new();
    matcher.find(&folded, &mut Scratch::default(), &mut hits);
    hits.sort_unstable();
    hits.iter().map(|hit| (text[folded.bytes(hit.start, hit.end)].to_owned(), hit.reading)).collect()
}

fn word(text: &str) -> Entry {
    Entry { id: text.to_owned(), text: text.to_owned(), severity: 2, ..Entry::default() }
}

#[test]
fn first() {
    let entries = [word("badword"), word("坏词语"), word("哈哈"), word("kung fu")];
    for (text, expected) in [
        ("BadWord", &[("BadWord", Reading::Exact)][..]),
        ("b4dw0rd!", &[("b4dw0rd", Reading::Leet)]),
        ("b*dword", &[("b*dword", Reading::Leet)]),
        ("baaadword", &[("baaadword", Reading::Exact)]),
        ("b a d w o r d", &[("b a d w o r d", Reading::Spaced)]),
        ("b.a-d_w*o.r.d", &[("b.a-d_w*o.r.d", Reading::Gaps)]),
        ("xbadwordish", &[]),
        ("这是坏词语吧", &[("坏词语", Reading::Exact)]),
        ("坏🙂词🙂语", &[("坏🙂词🙂语", Reading::Gaps)]),
        ("哈 哈哈哈，哈", &[("哈哈哈", Reading::Exact)]),
        ("哈 哈，哈", &[("哈 哈", Reading::Gaps), ("哈，哈", Reading::Gaps)]),
        ("哈", &[]),
        ("kungfu", &[]),
        ("Kung-Fu", &[("Kung-Fu", Reading::Exact)]),
    ] {
        let expected: Vec<_> = expected.iter().map(|(text, reading)| ((*text).to_owned(), *reading)).collect();
        assert_eq!(found(&entries, text), expected, "{text}");
    }
    let mut entry = word("坏词语");
    (entry.pinyin, entry.split) = (true, true);
    let entries = [entry];
    assert_eq!(found(&entries, "huaiciyu"), [("huaiciyu".to_owned(), Reading::Pinyin)]);
    assert_eq!(found(&entries, "坏ci语"), [("坏ci语".to_owned(), Reading::Pinyin)]);
    assert_eq!(found(&entries, "坏讠司讠吾"), [("坏讠司讠吾".to_owned(), Reading::Split)]);
    let _ = Boundary::Whole;
}
