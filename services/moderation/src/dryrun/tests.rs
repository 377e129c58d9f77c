//! What a dry run says is what the judge would, with drafts as if they acted, and nothing private for others.

use proto::rules::Scope;

use super::*;
use crate::lists::{
    List,
    edit::{By, Edit, placed},
    entry::{self, Kind},
};

fn content(lists: &[(&str, Mode, entry::Entry)]) -> Content {
    let mut content = Content::empty();
    let mut next = 0;
    for (list, mode, entry) in lists {
        content.set_list(list, List { mode: *mode, ..List::default() }).unwrap();
        let add = placed(list, [(1, entry.clone())]).unwrap();
        let by = By { author: "ann", sees_private: true, now_ms: 1 };
        let id = || {
            next += 1;
            format!("e{next}")
        };
        content.edit(&Scope::Global, list, &Edit { add, ..Edit::default() }, by, id).unwrap();
    }
    content
}

fn word(text: &str) -> entry::Entry {
    entry::Entry { severity: 3, ..entry::Entry::word(text) }
}

const HOW: How<'static> = How { role: Role::Sender, name: "", at_ms: 1_000, trace: true };

fn tried(content: &Content, drafts: &[&str], text: &str) -> Tried {
    let drafts: Vec<String> = drafts.iter().map(|draft| (*draft).to_owned()).collect();
    let rules = Rules::new(Part { content, drafts: &drafts }, None, |_| false).unwrap();
    rules.try_on(1, text, HOW, &mut Scratch::default())
}

#[test]
fn each_stage_is_told() {
    let content = content(&[("house", Mode::Enforce, word("badword"))]);
    let tried = tried(&content, &[], "ｂ.a.d🙂w0rd");
    assert_eq!(tried.action, Action::Block);
    assert_eq!((tried.code, tried.rule.as_str()), ("words", "e1"));
    assert_eq!((tried.hits[0].found.as_str(), tried.hits[0].text.as_deref()), ("ｂ.a.d🙂w0rd", Some("badword")));
    let trace = tried.trace.unwrap();
    let clusters = &trace.folding.clusters;
    let told: Vec<_> = clusters.iter().map(|one| (one.text.as_str(), one.symbols.as_str(), one.sign)).collect();
    assert_eq!(&told[..3], [("ｂ", "b", None), (".", "", Some("punctuation")), ("a", "a", None)]);
    assert_eq!((told[5], told.len()), (("🙂", "", Some("emoji")), 10));
    let [candidate] = &trace.candidates[..] else { panic!("{:?}", trace.candidates) };
    assert_eq!((candidate.word.as_deref(), candidate.reading), (Some("badword"), Some("leet")));
    assert_eq!(candidate.outcome.as_deref(), Some("block, by the built-in table"));
}

#[test]
fn near_misses_of_what_may_not_be_read_are_not_told() {
    let private = entry::Entry { private: true, ..word("secretum") };
    let content = content(&[("house", Mode::Enforce, word("blorp")), ("hush", Mode::Enforce, private)]);
    let told = |text: &str| tried(&content, &[], text).trace.unwrap().candidates;
    assert_eq!(told("xblorp").len(), 1);
    assert_eq!(told("xsecretum"), []);
    assert_eq!(told("secretum")[0].word, None);
}

#[test]
fn drafts_are_tried_only_when_they_are_named() {
    let content = content(&[("house", Mode::Enforce, word("blorp")), ("idea", Mode::Draft, word("gruntle"))]);
    assert_eq!(tried(&content, &[], "gruntle").action, Action::Pass);
    assert_eq!(tried(&content, &["idea"], "gruntle").action, Action::Block);
    assert_eq!(tried(&Content::empty(), &[], "gruntle").action, Action::Pass);
}

#[test]
fn time_room_and_privacy_count() {
    let ended = entry::Entry { expires_ms: 500, ..word("blorp") };
    let private = entry::Entry { private: true, ..word("secretum") };
    let free = entry::Entry { kind: Kind::Allow, ..word("secretum garden") };
    let global = content(&[("house", Mode::Enforce, ended), ("hush", Mode::Enforce, private)]);
    assert_eq!(tried(&global, &[], "blorp").action, Action::Pass);
    let hidden = tried(&global, &[], "secretum");
    assert_eq!((hidden.action, hidden.hits[0].text.as_deref()), (Action::Block, None));
    let room = content(&[("mine", Mode::Enforce, free)]);
    let part = |content| Part { content, drafts: &[] };
    let name = RoomId::new("demo").unwrap();
    let rules = Rules::new(part(&global), Some((name, part(&room))), |_| true).unwrap();
    assert_eq!(rules.try_on(1, "a secretum garden", HOW, &mut Scratch::default()).action, Action::Pass);
}
