//! Goal: an explanation says what judging says, and why. Method: one message of each kind.

use judge::{
    Book,
    rules::{
        Action,
        explain::{Explanation, Outcome, Tried, explain},
        policy::Origin,
        precedence::Rank,
    },
};
use proto::{
    RoomId,
    v1::{self, Entry, EntryKind, Policy, PolicyRow, Role},
};

use crate::{
    publisher::entry,
    reader::{ruling_of, said},
};

fn book() -> Book {
    let global = vec![
        Entry { category: "rude".into(), severity: 2, ..entry("e1", "blorp") },
        Entry { kind: EntryKind::Allow as i32, ..entry("a1", "blorp show") },
        Entry { expires_ms: 10, ..entry("e2", "fnord") },
        Entry { observe: true, ..entry("w1", "grunk") },
        Entry { mandatory: true, ..entry("m1", "quux") },
        Entry { kind: EntryKind::Allow as i32, observe: true, ..entry("a2", "blorp club") },
    ];
    let row = PolicyRow { category: "rude".into(), action: v1::Action::Hold as i32, ..PolicyRow::default() };
    let policy = Policy { rows: vec![row], ..Policy::default() };
    let book = Book::of_entries(9, global, None).unwrap();
    book.with_room(RoomId::new("demo").unwrap(), vec![entry("r1", "zibble")], Some(policy)).unwrap()
}

fn tried(text: &str) -> Tried<'_> {
    Tried { room: "demo", role: Role::Sender, text, name: "", at_ms: 100 }
}

fn outcomes(explained: &Explanation) -> Vec<(&str, Rank, Outcome)> {
    explained.hits.iter().map(|hit| (&*hit.entry, hit.rank, hit.outcome.clone())).collect()
}

#[test]
fn each_hit_is_told_with_what_it_comes_to() {
    let counts = |action, origin| Outcome::Counts { action, origin };
    for (text, action, hits) in [
        ("hello", Action::Pass, vec![]),
        ("b.l.o.r.p", Action::Hold, vec![("e1", Rank::GlobalWord, counts(Action::Hold, Origin::Room(0)))]),
        ("fnord", Action::Pass, vec![("e2", Rank::GlobalWord, Outcome::NotInForce)]),
        ("grunk", Action::Flag, vec![("w1", Rank::GlobalWord, counts(Action::Flag, Origin::Observe))]),
        ("zibble", Action::Block, vec![("r1", Rank::RoomWord, counts(Action::Block, Origin::BuiltIn))]),
        ("quux", Action::Block, vec![("m1", Rank::GlobalMandatory, counts(Action::Block, Origin::BuiltIn))]),
        (
            "a blorp show",
            Action::Pass,
            vec![
                ("e1", Rank::GlobalWord, Outcome::Freed { by: "a1".into() }),
                ("a1", Rank::GlobalAllow, Outcome::Allows),
            ],
        ),
        (
            "a blorp club",
            Action::Hold,
            vec![
                ("e1", Rank::GlobalWord, counts(Action::Hold, Origin::Room(0))),
                ("a2", Rank::GlobalAllow, Outcome::Watches),
            ],
        ),
    ] {
        let explained = explain(&book(), tried(text));
        assert_eq!((explained.action, outcomes(&explained)), (action, hits), "{text}");
        let ruled = ruling_of(&book(), text, said_at(100));
        assert_eq!((explained.action, &explained.rule, explained.code), (ruled.action, &ruled.rule, ruled.code));
    }
}

fn said_at(at_ms: i64) -> judge::rules::Said<'static> {
    judge::rules::Said { at_ms, ..said() }
}

#[test]
fn what_would_be_shown_is_told_and_who_is_exempt() {
    let of = |room, role, text| explain(&book(), Tried { room, role, text, ..tried("") });
    let masked = of("other", Role::Sender, "so Ｂ.l.o.r.p!");
    assert_eq!((masked.action, masked.shown.as_deref()), (Action::Mask, Some("so *********!")));
    let blocked = of("demo", Role::Sender, "zibble");
    assert_eq!((blocked.shown, blocked.version), (None, 9));
    let exempt = of("demo", Role::Moderator, "zibble");
    assert_eq!((exempt.action, exempt.shown.as_deref()), (Action::Pass, Some("zibble")));
    let origin = |explained: &Explanation| match &explained.hits[0].outcome {
        Outcome::Counts { origin, .. } => *origin,
        other => panic!("{other:?}"),
    };
    assert_eq!(origin(&exempt), Origin::Exempt);
    assert_eq!(of("demo", Role::Moderator, "quux").action, Action::Block);
}

#[test]
fn it_is_readable_as_json() {
    let explained = serde_json::to_value(explain(&book(), tried("b.l.o.r.p"))).unwrap();
    assert_eq!(explained["action"], "hold");
    assert_eq!(explained["hits"][0]["outcome"]["what"], "counts");
    assert_eq!(explained["hits"][0]["outcome"]["origin"]["room"], 0);
    assert_eq!(explained["hits"][0]["reading"], "gaps");
    assert_eq!(explained["folding"]["compared"], "blorp");
    assert_eq!(explained["global"][0]["entry"], "e1");
    assert!(explained.get("name").is_none());
}
