//! What a draft would have changed of what was said: messages that it would have found and today's rules did not, and the
//! other way round. Pure.

use judge::rules::{Action, Ruling};
use proto::v1::Hit;

use crate::{
    history::{History, Past},
    trial::Trial,
};

/// Samples of each kind.
pub(crate) const SAMPLES_MAX: usize = 50;

/// What a comparison found.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Messages that were looked at.
    pub(crate) looked_at: usize,
    /// Found by the rules in force.
    pub(crate) found_before: usize,
    /// Found with the draft.
    pub(crate) found_after: usize,
    /// Found with the draft alone.
    pub(crate) new: Side,
    /// Found without the draft alone: it has an allow phrase.
    pub(crate) lost: Side,
    /// Found by both, and something else would be done about them.
    pub(crate) otherwise: usize,
}

/// Messages that one of the two finds.
#[derive(Debug, Default)]
pub(crate) struct Side {
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) samples: Vec<Sample>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    pub(crate) past: Past,
    /// What is done about it.
    pub(crate) action: Action,
    pub(crate) hits: Vec<Hit>,
}

impl Side {
    fn add(&mut self, past: &Past, ruling: Ruling) {
        self.count += 1;
        if self.samples.len() < SAMPLES_MAX {
            self.samples.push(Sample { past: past.clone(), action: ruling.action, hits: ruling.hits });
        }
    }
}

/// Compares what is in force with the same and a draft.
pub(crate) fn compare(history: &History, in_force: &Trial, draft: &Trial) -> Compared {
    let mut compared = Compared::default();
    for ((past, before), (_, after)) in in_force.look(history).zip(draft.look(history)) {
        compared.looked_at += 1;
        let found = [&before, &after].map(|ruling| ruling.action > Action::Pass);
        compared.found_before += usize::from(found[0]);
        compared.found_after += usize::from(found[1]);
        match found {
            [false, true] => compared.new.add(past, after),
            [true, false] => compared.lost.add(past, before),
            [true, true] if before.action != after.action => compared.otherwise += 1,
            _ => {}
        }
    }
    compared
}

#[cfg(test)]
mod tests {
    use proto::RoomId;

    use super::*;
    use crate::{
        lists::{
            Content, List, Mode,
            edit::{By, Edit, placed},
            entry::{Entry, Kind},
        },
        trial::{Draft, drafted, tests::history},
    };

    fn content(list: &str, mode: Mode, entries: Vec<Entry>) -> Content {
        let mut content = Content::empty();
        content.set_list(list, List { mode, comment: String::new() }).unwrap();
        let edit = Edit { add: placed(list, (1..).zip(entries)).unwrap(), ..Edit::default() };
        let by = By { author: "ann", sees_private: true, now_ms: 0 };
        let mut number = 0;
        let id = || {
            number += 1;
            format!("e{number}")
        };
        content.edit(&proto::rules::Scope::Global, list, &edit, by, id).unwrap();
        content
    }

    fn compared(global: &Content, draft: &Draft, texts: &[&str]) -> Compared {
        let (room, own) = (RoomId::new("demo").unwrap(), Content::empty());
        let in_force = Trial::in_force(global, &room, &own, None).unwrap();
        let with = Trial::in_force(global, &room, &own, Some(draft)).unwrap();
        compare(&history(texts), &in_force, &with)
    }

    #[test]
    fn new_and_lost_hits() {
        let global = content("house", Mode::Enforce, vec![Entry::word("blorp")]);
        let allow = Entry { kind: Kind::Allow, ..Entry::word("blorp town") };
        let draft = Draft::Entries(drafted(&[Entry::word("fnord"), allow], 9).unwrap());
        let texts = ["hello", "a blorp", "the blorp town", "fnord!", "fnord and blorp"];
        let found = compared(&global, &draft, &texts);
        assert_eq!((found.looked_at, found.found_before, found.found_after), (5, 3, 3));
        let offsets = |side: &Side| side.samples.iter().map(|sample| sample.past.id.offset).collect::<Vec<_>>();
        assert_eq!((found.new.count, offsets(&found.new)), (1, vec![3]));
        assert_eq!((found.lost.count, offsets(&found.lost)), (1, vec![2]));
        let hit = &found.new.samples[0].hits[0];
        assert_eq!((hit.entry.as_str(), hit.start, hit.end), ("draft-1", 0, 5));
    }

    #[test]
    fn a_draft_list_is_tried_as_if_it_were_in_force() {
        for mode in [Mode::Draft, Mode::Observe] {
            let global = content("next", mode, vec![Entry { severity: 3, ..Entry::word("fnord") }]);
            let found = compared(&global, &Draft::List("next".to_owned()), &["hello", "fnord"]);
            assert_eq!((found.new.count + found.otherwise, found.lost.count), (1, 0), "{mode:?}");
        }
    }

    #[test]
    fn samples_are_bounded_and_counts_are_not() {
        let draft = Draft::Entries(drafted(&[Entry::word("fnord")], 9).unwrap());
        let found = compared(&Content::empty(), &draft, &vec!["fnord"; 80]);
        assert_eq!((found.new.count, found.new.samples.len()), (80, SAMPLES_MAX));
    }
}
