//! Goal: what is done about a hit follows from its category, its severity, the room and the role. Method: tables.

use judge::{
    Book,
    rules::{Action, Said},
};
use proto::{
    RoomId,
    v1::{self, Entry, Policy, PolicyRow, Role},
};

use crate::{
    publisher::entry,
    reader::{ruling, ruling_of, said},
};

fn row(category: &str, severity_min: u32, role: Option<Role>, action: v1::Action) -> PolicyRow {
    let role = role.map(|role| role as i32);
    PolicyRow { category: category.into(), severity_min, role, action: action as i32, mute_s: 0 }
}

fn policy(rows: Vec<PolicyRow>) -> Option<Policy> {
    Some(Policy { rows, ..Policy::default() })
}

fn word(category: &str, severity: u32) -> Entry {
    Entry { category: category.into(), severity, ..entry("e1", "blorp") }
}

fn action(book: &Book, role: Role) -> Action {
    ruling_of(book, "a blorp", Said { role, ..said() }).action
}

fn in_rooms(entry: Entry, global: Option<Policy>, room: Option<Policy>) -> Book {
    let book = Book::of_entries(1, vec![entry], global).unwrap();
    book.with_room(RoomId::new("demo").unwrap(), Vec::new(), room).unwrap()
}

#[test]
fn p15_without_a_table_severity_decides() {
    for (severity, expected) in [(1, Action::Flag), (2, Action::Mask), (3, Action::Block), (4, Action::Block)] {
        let book = Book::of_entries(1, vec![word("rude", severity)], None).unwrap();
        assert_eq!(action(&book, Role::Sender), expected, "{severity}");
        assert_eq!(action(&book, Role::Viewer), expected, "{severity}");
        for exempt in [Role::Moderator, Role::Streamer, Role::Service] {
            assert_eq!(action(&book, exempt), Action::Pass, "{severity} {exempt:?}");
        }
        let mandatory = Entry { mandatory: true, ..word("rude", severity) };
        let book = Book::of_entries(1, vec![mandatory], None).unwrap();
        assert_eq!(action(&book, Role::Moderator), expected, "{severity}");
    }
}

#[test]
fn p15_the_first_row_that_fits_decides_the_rooms_before_the_others() {
    use v1::Action::{Block, Flag, Hold, Mask, Pass, Shadow};
    let global = || policy(vec![row("rude", 3, None, Hold), row("", 2, None, Shadow)]);
    for (category, severity, room, role, expected) in [
        ("rude", 4, None, Role::Sender, Action::Hold),
        ("rude", 2, None, Role::Sender, Action::Shadow),
        ("other", 4, None, Role::Sender, Action::Shadow),
        // No row fits: the built-in table.
        ("rude", 1, None, Role::Sender, Action::Flag),
        ("rude", 4, policy(vec![row("rude", 0, None, Mask)]), Role::Sender, Action::Mask),
        ("rude", 4, policy(vec![row("", 0, None, Pass), row("rude", 0, None, Mask)]), Role::Sender, Action::Pass),
        // The room says nothing about this one.
        ("other", 4, policy(vec![row("rude", 0, None, Mask)]), Role::Sender, Action::Shadow),
        ("rude", 4, policy(vec![row("", 0, Some(Role::Viewer), Flag)]), Role::Sender, Action::Hold),
        ("rude", 4, policy(vec![row("", 0, Some(Role::Sender), Flag)]), Role::Sender, Action::Flag),
        // Who runs the room is only held to a row that names him.
        ("rude", 4, policy(vec![row("", 0, None, Block)]), Role::Moderator, Action::Pass),
        ("rude", 4, policy(vec![row("", 0, Some(Role::Moderator), Mask)]), Role::Moderator, Action::Mask),
        // An action of a later release.
        ("rude", 4, policy(vec![PolicyRow { action: 99, ..row("", 0, None, Pass) }]), Role::Sender, Action::Hold),
    ] {
        let book = in_rooms(word(category, severity), global(), room.clone());
        assert_eq!(action(&book, role), expected, "{category} {severity} {room:?} {role:?}");
    }
}

#[test]
fn p15_the_strictest_of_all_hits_decides() {
    use v1::Action::{Block, Flag, Hold, Limit, Mask, Mute, Pass, Shadow};
    let all = [Pass, Flag, Mask, Hold, Limit, Shadow, Block, Mute];
    let expected = [
        Action::Pass,
        Action::Flag,
        Action::Mask,
        Action::Hold,
        Action::Limit,
        Action::Shadow,
        Action::Block,
        Action::Mute,
    ];
    for (a, one) in all.into_iter().enumerate() {
        for (b, other) in all.into_iter().enumerate() {
            let of = |id: &str, text: &str, action: v1::Action| Entry { action: action as i32, ..entry(id, text) };
            let entries = vec![of("e1", "blorp", one), of("e2", "fnord", other)];
            let ruling = ruling(&Book::of_entries(1, entries, None).unwrap(), "demo", "blorp fnord");
            assert_eq!(ruling.action, expected[a.max(b)], "{one:?} {other:?}");
            let decider = if a.max(b) == 0 {
                ""
            } else if b > a {
                "e2"
            } else {
                "e1"
            };
            assert_eq!(ruling.rule, decider, "{one:?} {other:?}");
            assert_eq!(ruling.mute_s, if a.max(b) == 7 { 60 } else { 0 });
            // Only what is to be masked is, and only if no more is to be done.
            let masks = if a.max(b) == 2 { usize::from(a == 2) + usize::from(b == 2) } else { 0 };
            assert_eq!(ruling.masks.len(), masks, "{one:?} {other:?}");
        }
    }
}

#[test]
fn a_row_says_how_long_somebody_is_muted_and_the_longest_holds() {
    let muting = |category: &str, mute_s| PolicyRow { mute_s, ..row(category, 0, None, v1::Action::Mute) };
    let entries = vec![
        Entry { category: "rude".into(), ..entry("e1", "blorp") },
        Entry { category: "spam".into(), ..entry("e2", "fnord") },
    ];
    let book = Book::of_entries(1, entries, policy(vec![muting("rude", 600), muting("spam", 0)])).unwrap();
    for (text, seconds, rule) in [("blorp", 600, "e1"), ("fnord", 60, "e2"), ("fnord blorp", 600, "e1")] {
        let ruling = ruling(&book, "demo", text);
        assert_eq!((ruling.action, ruling.mute_s, &*ruling.rule), (Action::Mute, seconds, rule), "{text}");
    }
}

#[test]
fn what_only_watches_is_told_of_and_does_nothing() {
    let watching = Entry { observe: true, severity: 4, ..entry("w", "blorp") };
    let book = Book::of_entries(1, vec![watching, Entry { severity: 2, ..entry("e", "fnord") }], None).unwrap();
    let ruled = ruling(&book, "demo", "blorp");
    assert_eq!((ruled.action, ruled.masks.len(), ruled.hits.len()), (Action::Flag, 0, 1));
    assert!(ruled.hits[0].observe);
    // What acts decides.
    let ruled = ruling(&book, "demo", "blorp fnord");
    assert_eq!((ruled.action, &*ruled.rule, ruled.masks.len()), (Action::Mask, "e", 1));
    assert_eq!(ruled.hits.iter().map(|hit| hit.observe).collect::<Vec<_>>(), [false, true]);
    // An allow phrase that watches frees nothing.
    let allow = Entry { observe: true, kind: v1::EntryKind::Allow as i32, ..entry("a", "fnord") };
    let book = Book::of_entries(1, vec![allow, entry("e", "fnord")], None).unwrap();
    assert_eq!(ruling(&book, "demo", "fnord").action, Action::Block);
}

#[test]
fn a_name_is_masked_and_what_is_said_under_it_is_not_refused() {
    let book = Book::of_entries(7, vec![word("rude", 4), Entry { severity: 1, ..entry("e2", "fnord") }], None).unwrap();
    let named = |name: &'static str, text: &'static str, role| ruling_of(&book, text, Said { name, role, ..said() });
    let ruled = named("a blorp", "hello", Role::Sender);
    assert_eq!((ruled.action, ruled.name.as_deref(), ruled.masks.len()), (Action::Mask, Some("a *****"), 0));
    assert_eq!((ruled.hits[0].field(), ruled.hits[0].start, ruled.hits[0].end), (v1::Field::Name, 2, 7));
    assert_eq!(named("ann", "hello", Role::Sender).name, None);
    assert_eq!(named("a blorp", "hello", Role::Moderator).name, None);
    let ruled = named("a fnord", "hello", Role::Sender);
    assert_eq!((ruled.action, ruled.name), (Action::Flag, None));
    // The text decides for itself, and the name is masked besides.
    let ruled = named("a blorp", "you blorp", Role::Sender);
    assert_eq!((ruled.action, ruled.name.as_deref()), (Action::Block, Some("a *****")));
    assert_eq!(ruled.hits.iter().map(|hit| hit.field()).collect::<Vec<_>>(), [v1::Field::Text, v1::Field::Name]);
}

#[test]
fn budget_and_emotes_are_the_rooms_then_everybodys() {
    let of =
        |budget_per_s, emote: &str| Some(Policy { budget_per_s, emotes: vec![emote.to_owned()], ..Policy::default() });
    let book = in_rooms(word("rude", 1), of(50, "wow"), of(0, "hey"));
    assert_eq!((book.budget_per_s("demo"), book.budget_per_s("other")), (Some(50), Some(50)));
    assert!(book.is_emote("demo", "wow") && book.is_emote("demo", "hey") && !book.is_emote("other", "hey"));
    let book = in_rooms(word("rude", 1), None, of(7, "hey"));
    assert_eq!((book.budget_per_s("demo"), book.budget_per_s("other")), (Some(7), None));
}
