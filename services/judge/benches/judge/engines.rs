//! The two libraries that could search for many words at once, on the same words and texts: why the judge uses the one it does.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use daachorse::CharwiseDoubleArrayAhoCorasick;
use judge::fold::{Folded, fold};
use proto::v1::Entry;

use crate::measure::{each_ns, time};

/// Compares them on what the judge would give them: folded, without gaps, runs collapsed, each once.
pub(crate) fn compare(name: &str, texts: &[String], entries: &[Entry]) {
    let mut folded = Folded::default();
    let mut key = |text: &str| {
        fold(text, &mut folded);
        folded.key().into_owned()
    };
    let mut words: Vec<String> = entries.iter().map(|entry| key(&entry.text)).collect();
    words.sort_unstable();
    words.dedup();
    let texts: Vec<String> = texts.iter().map(|text| key(text)).collect();
    println!("\n  engines, {name}");
    let (daachorse, took) = time(|| CharwiseDoubleArrayAhoCorasick::<u32>::new(&words));
    if let Ok(daachorse) = daachorse {
        let each = each_ns(&texts, |text| daachorse.find_overlapping_iter(text).fold(0, |sum, hit| sum ^ hit.value()));
        say("daachorse, by characters", took, daachorse.heap_bytes(), each);
    }
    let (contiguous, took) = time(|| AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&words));
    if let Ok(contiguous) = contiguous {
        let each = each_ns(&texts, |text| {
            contiguous.find_overlapping_iter(text).fold(0, |sum, hit| sum ^ hit.pattern().as_u32())
        });
        say("aho-corasick, contiguous NFA", took, contiguous.memory_usage(), each);
    }
}

fn say(name: &str, took: std::time::Duration, bytes: usize, each: f64) {
    let (ms, mib) = (took.as_secs_f64() * 1e3, bytes as f64 / f64::from(1 << 20));
    println!("    {name:<30} built in {ms:>6.0} ms, {mib:>5.1} MiB, {each:>7.1} ns a text");
}
