//! Entries of several texts: found where all of them stand near one another.

use proto::v1::Entry;

use super::Found;

/// Hits of one text of an entry that are looked at. A message with more repeats itself.
const HITS_MAX: usize = 128;

/// A hit of one text of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    /// 0 for the entry's text, then those that must stand near it.
    pub(super) part: u8,
    pub(super) hit: Found,
}

/// Adds to `found` the hits whose entries are whole: of the entry's text, and of each other text the nearest.
pub(super) fn resolve(entries: &[Entry], parts: &mut [Part], found: &mut Vec<Found>) {
    parts.sort_unstable_by_key(|part| (part.hit.entry, part.part, part.hit));
    let from = found.len();
    for parts in parts.chunk_by(|one, two| one.hit.entry == two.hit.entry) {
        let Some(entry) = parts.first().and_then(|part| entries.get(part.hit.entry as usize)) else { continue };
        for main in of(parts, 0) {
            let others: Option<Vec<Found>> =
                (1..=entry.also.len()).map(|part| nearest(main, of(parts, part as u8), entry.within)).collect();
            if let Some(others) = others {
                found.push(*main);
                found.extend(others);
            }
        }
    }
    found[from..].sort_unstable();
    let mut kept = found.split_off(from);
    kept.dedup();
    found.append(&mut kept);
}

fn of(parts: &[Part], wanted: u8) -> impl Iterator<Item = &Found> {
    parts.iter().filter(move |part| part.part == wanted).map(|part| &part.hit).take(HITS_MAX)
}

fn nearest<'a>(main: &Found, others: impl Iterator<Item = &'a Found>, within: u32) -> Option<Found> {
    let distance = |other: &Found| other.start.saturating_sub(main.end).max(main.start.saturating_sub(other.end));
    others
        .filter(|other| within == 0 || distance(other) <= within)
        .min_by_key(|other| (distance(other), **other))
        .copied()
}
