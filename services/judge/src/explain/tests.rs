//! A trace tells what the stages did: its last step is what they made.

use super::*;

fn trace(words: &[&str], text: &str) -> Trace {
    let word =
        |text: &&str| Entry { id: format!("id-{text}"), text: (*text).to_owned(), severity: 2, ..Entry::default() };
    let entries: Vec<Entry> = words.iter().map(word).collect();
    explain(text, &Matcher::new(entries.into()).unwrap())
}

/// Entry, what is covered, and the reading or why not.
fn told(trace: &Trace) -> Vec<(&str, &str, &str)> {
    let outcome = |candidate: &Candidate| candidate.reading.or(candidate.rejected).unwrap();
    trace.candidates.iter().map(|candidate| (&*candidate.word, &*candidate.covered, outcome(candidate))).collect()
}

#[test]
fn every_stage_is_told() {
    let trace = trace(&["badword"], "ｂ.a.d🙂w0rd");
    assert_eq!(told(&trace), [("badword", "ｂ.a.d🙂w0rd", "leet")]);
    let folding = &trace.folding;
    assert_eq!((&*folding.symbols, &*folding.compared, &*folding.key), ("badw0rd", "badw0rd", "badw0rd"));
    let signs: Vec<_> = folding.clusters.iter().map(|cluster| cluster.sign.unwrap_or("-")).collect();
    assert_eq!(signs, ["-", "punctuation", "-", "punctuation", "-", "emoji", "-", "-", "-", "-"]);
    let wide = &folding.clusters[0];
    assert_eq!((&*wide.text, &*wide.points, &*wide.symbols), ("ｂ", &["U+FF42".to_owned()][..], "b"));
    assert_eq!(wide.steps, [Step { what: "compatible form (NFKC)", became: "b".to_owned() }]);
}

#[test]
fn the_key_is_the_one_by_which_repeats_are_known() {
    for (text, key) in [("Hellooo!", "helo"), ("score 100", "score100"), ("666", "666"), ("!!!", "!")] {
        let mut desk = crate::desk::Desk::default();
        desk.lay(text);
        assert_eq!((trace(&[], text).folding.key.as_str(), desk.key()), (key, key));
    }
}

#[test]
fn what_is_no_hit_says_why() {
    for (word, text, why) in [
        ("badword", "xbadword", rejected_words(Rejected::Border)),
        ("坏坏词", "坏词", rejected_words(Rejected::Run)),
        ("坏词", "坏....词", rejected_words(Rejected::Gap)),
        ("69", "6.9", rejected_words(Rejected::Number)),
        ("kung fu", "kungfu", rejected_words(Rejected::Joint)),
        ("twat", "tw at", rejected_words(Rejected::Spaced)),
    ] {
        assert_eq!(told(&trace(&[word], text)), [(word, text.trim_start_matches('x'), why)]);
    }
}

#[test]
fn the_steps_end_in_the_symbols() {
    for char in (0..0x3_0000).filter_map(char::from_u32) {
        let text = char.to_string();
        let mut folded = Folded::default();
        fold::fold(&text, &mut folded);
        let folding = folding(&text, &folded);
        let cluster = &folding.clusters[0];
        let last = cluster.steps.last().map_or(&text, |step| &step.became);
        if cluster.sign.is_none() {
            assert_eq!(*last, cluster.symbols, "U+{:04X}: {:?}", char as u32, cluster.steps);
        }
    }
}

#[test]
fn it_can_be_written_as_json() {
    let json = serde_json::to_value(trace(&["坏词"], "壞\u{200b}詞")).unwrap();
    assert_eq!(json["candidates"][0]["reading"], "exact");
    assert_eq!(json["folding"]["clusters"][1]["points"][0], "U+200B");
    assert_eq!(json["folding"]["clusters"][0]["steps"][0]["became"], "坏");
}
