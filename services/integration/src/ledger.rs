//! Adding up what became of accepted messages: each one is in output or in verdicts, and each viewer saw it or was told of a
//! gap that counts it.

use std::collections::{BTreeMap, BTreeSet};

use proto::{MessageId, frame::FromServer, v1};

use crate::{
    records::{At, Careful},
    viewer::{Heard, Seen},
};

/// Ids of verdict records, with their word; a real one beats `superseded`.
pub fn verdict_words(verdicts: &[At<v1::Verdict>]) -> BTreeMap<MessageId, v1::Word> {
    let mut words = BTreeMap::new();
    for At { record, .. } in verdicts {
        let Ok(id) = record.id.parse() else { continue };
        let word = words.entry(id).or_insert(record.word());
        if *word == v1::Word::Superseded {
            *word = record.word();
        }
    }
    words
}

/// Accepted ids that are neither in output nor in verdicts.
pub fn lost(
    accepted: &BTreeSet<MessageId>,
    careful: &Careful,
    words: &BTreeMap<MessageId, v1::Word>,
) -> Vec<MessageId> {
    accepted.iter().filter(|id| !careful.answers.contains_key(id) && !words.contains_key(id)).copied().collect()
}

/// Those of `accepted` that the whole room may see, by what stands in output.
pub fn shown(accepted: &BTreeSet<MessageId>, careful: &Careful) -> BTreeSet<MessageId> {
    let is_shown = |id: &&MessageId| careful.answers.get(id).is_some_and(|answer| answer.verdict().is_shown());
    accepted.iter().filter(is_shown).copied().collect()
}

/// Checks that nothing was heard twice and nothing out of order.
///
/// # Panics
/// When it is not so; `who` names the viewer.
pub fn check_once_in_order(who: &str, heard: &[Heard]) {
    for pair in heard.windows(2) {
        assert!(pair[0].id < pair[1].id, "{who}: {} came after {}", pair[1].id, pair[0].id);
    }
}

/// Checks that frames show and count exactly `all`, in this order, each gap in its place.
///
/// # Panics
/// When they do not; `who` names the viewer.
pub fn check_exact(who: &str, frames: &[FromServer], all: &[MessageId]) {
    let mut rest = all;
    for frame in frames {
        match frame {
            FromServer::Batch(batch) => {
                for message in &batch.messages {
                    let (due, after) = rest.split_first().unwrap_or_else(|| panic!("{who}: {message:?} is too much"));
                    assert_eq!(message.id, due.to_string(), "{who}");
                    rest = after;
                }
            }
            FromServer::Gap(gap) => {
                let dropped = gap.dropped.unwrap_or_else(|| panic!("{who}: a gap that counts nothing: {gap:?}"));
                rest = rest.get(dropped as usize..).unwrap_or_else(|| panic!("{who}: {gap:?} counts too much"));
            }
            _ => {}
        }
    }
    assert!(rest.is_empty(), "{who}: neither shown nor counted: {rest:?}");
}

/// Everything of frames that nobody may miss, in order: ids of messages that are no chat, and names of control frames.
pub fn lossless(frames: &[FromServer]) -> Vec<String> {
    let mut log = Vec::new();
    for frame in frames {
        match frame {
            FromServer::Batch(batch) => {
                log.extend(batch.messages.iter().filter(|one| one.kind() != v1::Kind::Chat).map(|one| one.id.clone()));
            }
            FromServer::Recall(recall) => log.push(format!("recall {recall:?}")),
            FromServer::Mode(mode) => log.push(format!("mode {mode:?}")),
            _ => {}
        }
    }
    log
}

/// Whether a viewer who was there before the first message has heard, or was told to miss, all that was `shown` in his room.
pub fn is_balanced(seen: &Seen, shown: &BTreeSet<MessageId>) -> bool {
    seen.messages.len() as u64 + seen.dropped() == shown.len() as u64
}

/// Checks the books of a viewer who was there before the first message.
///
/// # Panics
/// When they do not balance; `who` names the viewer.
pub fn check_viewer(who: &str, seen: &Seen, shown: &BTreeSet<MessageId>) {
    check_once_in_order(who, &seen.all);
    let strangers: Vec<_> = seen.messages.iter().filter(|heard| !shown.contains(&heard.id)).collect();
    assert!(strangers.is_empty(), "{who} heard what nobody may show: {strangers:?}");
    let heard: BTreeSet<_> = seen.messages.iter().map(|heard| heard.id).collect();
    let missed: Vec<_> = shown.difference(&heard).collect();
    assert!(is_balanced(seen, shown), "{who}: gaps {:?} do not count these that were missed: {missed:?}", seen.gaps);
}
