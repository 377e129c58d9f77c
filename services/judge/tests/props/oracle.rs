//! A slow and plain search for what a list finds: all stretches of symbols are tried. It knows entries without signs in them, and
//! the readings that need no table.

use judge::fold::Symbol;
use proto::v1::{Boundary, Entry, Reading};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Letter,
    Digit,
    Other,
}

fn kind(symbol: char) -> Kind {
    match symbol {
        'a'..='z' => Kind::Letter,
        '0'..='9' => Kind::Digit,
        _ => Kind::Other,
    }
}

fn runs(symbols: impl Iterator<Item = char>) -> Vec<(char, usize)> {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for symbol in symbols {
        match runs.last_mut() {
            Some((char, count)) if *char == symbol => *count += 1,
            _ => runs.push((symbol, 1)),
        }
    }
    runs
}

/// All hits of one entry: its number, the first cluster, the one behind the last, the reading.
pub(crate) fn find(number: u32, entry: &Entry, text: &[Symbol]) -> Vec<(u32, u32, u32, Reading)> {
    let mut folded = judge::fold::Folded::default();
    judge::fold::fold(&entry.text, &mut folded);
    let wanted = runs(folded.symbols().iter().map(|symbol| symbol.char));
    let mut cores = Vec::new();
    for start in 0..text.len() {
        for end in start + 1..=text.len() {
            if is_core(&wanted, &runs(text[start..end].iter().map(|symbol| symbol.char))) {
                cores.push((start, end));
            }
        }
    }
    let smallest = |&(start, end): &(usize, usize)| {
        !cores.iter().any(|&(from, to)| (from, to) != (start, end) && start <= from && to <= end)
    };
    let mut hits: Vec<_> =
        cores.iter().filter(|core| smallest(core)).filter_map(|&core| hit(number, entry, text, core)).collect();
    hits.sort_unstable();
    hits.dedup();
    // Of stretches of one letter, those within others are enough.
    let inner = |&(_, start, end, _): &(u32, u32, u32, Reading)| {
        wanted.len() > 1
            || !hits.iter().any(|&(_, from, to, _)| (from, to) != (start, end) && start <= from && to <= end)
    };
    hits.iter().copied().filter(inner).collect()
}

fn is_core(wanted: &[(char, usize)], there: &[(char, usize)]) -> bool {
    let inner = |at: usize| at > 0 && at + 1 < wanted.len();
    wanted.len() == there.len()
        && wanted.iter().zip(there).enumerate().all(|(at, (wanted, there))| {
            let exactly = kind(wanted.0) == Kind::Digit && inner(at);
            wanted.0 == there.0 && (wanted.1 == there.1 || (wanted.1 < there.1 && !exactly))
        })
}

fn hit(
    number: u32,
    entry: &Entry,
    text: &[Symbol],
    (mut start, mut end): (usize, usize),
) -> Option<(u32, u32, u32, Reading)> {
    let digit = |at: usize| kind(text[at].char) == Kind::Digit;
    while start > 0 && !digit(start) && text[start].gap == 0 && text[start - 1].char == text[start].char {
        start -= 1;
    }
    while end < text.len() && !digit(end - 1) && text[end].gap == 0 && text[end].char == text[end - 1].char {
        end += 1;
    }
    if is_part(entry, text, start, true) || is_part(entry, text, end, false) {
        return None;
    }
    let reading = reading(entry, &text[start..end])?;
    Some((number, text[start].cluster, text[end - 1].cluster + 1, reading))
}

/// Whether the hit that begins or ends at `at` is a part of something longer.
fn is_part(entry: &Entry, text: &[Symbol], at: usize, begins: bool) -> bool {
    if at == 0 || at == text.len() {
        return false;
    }
    let (one, two) = (text[at - 1], text[at]);
    let kinds = (kind(one.char), kind(two.char));
    let number = kinds == (Kind::Digit, Kind::Digit) && two.gap == 1 && !two.spaced;
    if two.gap > 0 && !number {
        return false;
    }
    let own = if begins { kinds.1 } else { kinds.0 };
    match entry.boundary() {
        Boundary::Anywhere => false,
        Boundary::Whole => true,
        Boundary::Auto => own != Kind::Other && kinds.0 == kinds.1,
    }
}

fn reading(entry: &Entry, text: &[Symbol]) -> Option<Reading> {
    let gaps = entry.gaps.unwrap_or(3);
    let (mut any, mut spaced, mut tight) = (false, false, false);
    for pair in text.windows(2) {
        let kinds = (kind(pair[0].char), kind(pair[1].char));
        let word = kinds.0 != Kind::Other && kinds.1 != Kind::Other;
        if pair[1].gap == 0 {
            tight |= word && pair[0].char != pair[1].char;
            continue;
        }
        let number = kinds == (Kind::Digit, Kind::Digit) && entry.gaps.is_none();
        if u32::from(pair[1].gap) > gaps || number {
            return None;
        }
        match word && pair[1].spaced {
            true => spaced = true,
            false => any = true,
        }
    }
    match (spaced, any) {
        (true, _) if tight => None,
        (true, _) => Some(Reading::Spaced),
        (false, true) => Some(Reading::Gaps),
        (false, false) => Some(Reading::Exact),
    }
}
