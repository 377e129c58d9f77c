//! Edits against a model, and what must not go through.

use proptest::prelude::*;

use super::*;
use crate::lists::{
    List, Mode,
    entry::{Boundary, Kind},
};

const BY: By<'static> = By { author: "ann", sees_private: false, now_ms: 1_000 };

fn words(texts: &[&str]) -> Vec<Placed> {
    placed("house", texts.iter().zip(1..).map(|(text, line)| (line, Entry::word(*text)))).unwrap()
}

fn with(texts: &[&str]) -> Content {
    let mut content = Content::empty();
    content.set_list("house", List::default()).unwrap();
    let mut id = ids();
    content.edit(&Scope::Global, "house", &Edit { add: words(texts), ..Edit::default() }, BY, &mut id).unwrap();
    content
}

fn ids() -> impl FnMut() -> String {
    let mut next = 0;
    move || {
        next += 1;
        format!("e{next}")
    }
}

fn texts(content: &Content) -> Vec<&str> {
    let mut texts: Vec<&str> = content.entries().map(|kept| kept.entry.text.as_str()).collect();
    texts.sort_unstable();
    texts
}

fn remove(content: &mut Content, names: &[&str]) -> Result<Tally, Vec<Problem>> {
    let remove = names.iter().map(|name| (*name).to_owned()).collect();
    content.edit(&Scope::Global, "house", &Edit { remove, ..Edit::default() }, BY, ids())
}

#[test]
fn one_word_is_added_once_and_removed_in_any_form() {
    let mut content = with(&["Blorp", "ｂｌｏｒｐ", "坏词语"]);
    assert_eq!(texts(&content), ["Blorp", "坏词语"]);
    assert_eq!(remove(&mut content, &["BLORP"]).unwrap(), Tally { removed: 1, ..Tally::default() });
    assert_eq!(texts(&content), ["坏词语"]);
    let problems = remove(&mut content, &["坏词语", "nothing"]).unwrap_err();
    assert_eq!((problems.len(), problems[0].line), (1, Some(2)));
    assert_eq!(texts(&content), ["坏词语"], "nothing is half applied");
}

#[test]
fn a_word_that_may_stand_elsewhere_is_another_one() {
    let mut content = with(&["cat"]);
    let within = Entry { boundary: Boundary::Anywhere, ..Entry::word("cat") };
    let edit = Edit { add: placed("house", [(1, within)]).unwrap(), ..Edit::default() };
    let tally = content.edit(&Scope::Global, "house", &edit, BY, || "b1".to_owned()).unwrap();
    assert_eq!(tally, Tally { added: 1, ..Tally::default() });
    // Its text stands for both.
    assert_eq!(remove(&mut content, &["cat"]).unwrap(), Tally { removed: 2, ..Tally::default() });
}

#[test]
fn a_change_keeps_id_author_and_time() {
    let mut content = with(&["blorp"]);
    let change = vec![Entry { id: "e1".into(), severity: 4, ..Entry::word("blorpo") }];
    let by = By { author: "bob", now_ms: 5_000, ..BY };
    let edit = Edit { change, ..Edit::default() };
    let tally = content.edit(&Scope::Global, "house", &edit, by, ids()).unwrap();
    assert_eq!(tally, Tally { changed: 1, ..Tally::default() });
    let kept = content.entries().next().unwrap();
    assert_eq!((kept.entry.text.as_str(), kept.author.as_str(), kept.added_ms), ("blorpo", "ann", 1_000));
    assert_eq!(content.edit(&Scope::Global, "house", &edit, by, ids()).unwrap(), Tally::default(), "as it is already");
}

#[test]
fn what_is_private_is_not_touched_by_others() {
    let mut content = with(&[]);
    let private = Entry { private: true, ..Entry::word("secret") };
    let edit = Edit { add: placed("house", [(1, private)]).unwrap(), ..Edit::default() };
    content.edit(&Scope::Global, "house", &edit, By { author: "bob", ..BY }, ids()).unwrap();
    assert_eq!(remove(&mut content, &["secret"]).unwrap_err(), remove(&mut content, &["absent"]).unwrap_err());
    let edit = Edit { remove: vec!["secret".into()], ..Edit::default() };
    content.edit(&Scope::Global, "house", &edit, By { sees_private: true, ..BY }, ids()).unwrap();
    assert!(texts(&content).is_empty());
}

#[test]
fn the_caps_hold() {
    let room = Scope::Room(proto::RoomId::new("demo").unwrap());
    let mut content = with(&[]);
    let add = |count: usize, kind| {
        let entries = (1..=count).map(|line| (line, Entry { kind, ..Entry::word(format!("blorp{line}")) }));
        Edit { add: placed("house", entries).unwrap(), ..Edit::default() }
    };
    assert!(content.edit(&room, "house", &add(1_001, Kind::Word), BY, ids()).is_err());
    assert!(texts(&content).is_empty());
    assert!(content.edit(&room, "house", &add(1_000, Kind::Word), BY, ids()).is_ok());
    assert!(content.edit(&Scope::Global, "house", &add(11, Kind::Regex), BY, ids()).is_err());
    assert!(content.edit(&Scope::Global, "house", &add(10, Kind::Regex), BY, ids()).is_ok());
    assert!(content.edit(&Scope::Global, "nowhere", &add(1, Kind::Word), BY, ids()).is_err());
}

#[test]
fn a_mode_decides_what_is_published() {
    let mut content = with(&["blorp", "gruntle"]);
    content.pack().unwrap();
    assert_eq!(content.count(), (2, 2));
    assert!(!content.set_list("house", List::default()).unwrap());
    assert!(content.set_list("house", List { mode: Mode::Draft, ..List::default() }).unwrap());
    assert_eq!(content.count(), (2, 0));
    content.pack().unwrap();
    assert!(content.pages.iter().all(|page| page.stored().unwrap().chunk.is_none()));
    assert!(content.set_list("Bad Name", List::default()).is_err());
}

#[test]
fn what_is_for_this_broadcast_ends_with_it() {
    let mut content = with(&["blorp"]);
    let entry = Entry { broadcast: true, ..Entry::word("gruntle") };
    let edit = Edit { add: placed("house", [(1, entry)]).unwrap(), ..Edit::default() };
    content.edit(&Scope::Global, "house", &edit, BY, || "b1".to_owned()).unwrap();
    assert_eq!(content.end_broadcast(9_000), Tally { changed: 1, ..Tally::default() });
    let ended: Vec<i64> = content.entries().filter(|kept| kept.broadcast).map(|kept| kept.entry.expires_ms).collect();
    assert_eq!(ended, [9_000]);
    assert_eq!(content.end_broadcast(9_500), Tally::default());
}

#[test]
fn what_had_not_begun_when_its_broadcast_ended_is_an_entry_still() {
    let mut content = with(&["blorp"]);
    let entry = Entry { broadcast: true, starts_ms: 20_000, expires_ms: 30_000, ..Entry::word("gruntle") };
    let edit = Edit { add: placed("house", [(1, entry)]).unwrap(), ..Edit::default() };
    content.edit(&Scope::Global, "house", &edit, BY, || "b1".to_owned()).unwrap();
    assert_eq!(content.end_broadcast(9_000), Tally { changed: 1, ..Tally::default() });
    let ended = content.entries().find(|kept| kept.broadcast).unwrap();
    assert_eq!((ended.entry.starts_ms, ended.entry.expires_ms), (8_999, 9_000));
    assert!(judge::entry::check(&ended.entry).is_ok(), "else no filter took this version, nor any later one");
}

proptest! {
    /// Any order of additions and removals leaves the set that a model says, on pages where each text belongs.
    #[test]
    fn edits_are_those_of_a_set(script in prop::collection::vec((any::<bool>(), 0..12u32), 1..60)) {
        let mut content = with(&[]);
        let mut model = std::collections::BTreeSet::new();
        let mut next = 0;
        for (adds, word) in script {
            let text = format!("blorp{word}");
            if adds {
                let edit = Edit { add: words(&[&text]), ..Edit::default() };
                next += 1;
                let tally = content.edit(&Scope::Global, "house", &edit, BY, || format!("e{next}")).unwrap();
                prop_assert_eq!(tally.added == 1, model.insert(text));
            } else {
                prop_assert_eq!(remove(&mut content, &[&text]).is_ok(), model.remove(&text));
            }
        }
        prop_assert_eq!(texts(&content), model.iter().map(String::as_str).collect::<Vec<_>>());
        for (place, page) in content.pages.iter().enumerate() {
            prop_assert!(page.entries().iter().all(|kept| judge::book::chunks::place(&kept.entry.text) == place));
        }
    }
}
