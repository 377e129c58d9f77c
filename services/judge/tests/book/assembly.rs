//! Goal: whatever compaction, restarts and old publishers do to the topic, the newest whole good version is in force. Method:
//! records in memory, as tables and against a model.

use std::collections::{BTreeMap, BTreeSet};

use judge::{
    book::{
        BadEdition, Change, Refused,
        chunks::{self, Chunk},
        edition::BadVersion,
        limits::{ROOM_WORDS_MAX, TooMany},
    },
    rules::Action,
};
use proptest::prelude::*;
use proto::{
    RoomId,
    ban::Person,
    rules::Scope,
    v1::{Entry, Policy, rules::Record},
};

use crate::{
    publisher::{Publisher, Written, chunk_record, compacted, entry, of_record, room, version},
    reader::Reader,
};

fn words(words: &[&str]) -> Vec<Entry> {
    words.iter().map(|word| entry(word, word)).collect()
}

fn blocks(reader: &Reader, text: &str) -> bool {
    reader.ruling("demo", text).action == Action::Block
}

#[test]
fn a_version_waits_for_its_chunks() {
    let mut publisher = Publisher::default();
    publisher.publish(&Scope::Global, &words(&["blorp"]), None);
    let first = publisher.log.len();
    publisher.publish(&Scope::Global, &words(&["blorp", "fnord", "grunk"]), None);
    let mut reader = Reader::of(&publisher.log[..first]);
    // What compaction can do: the version stands before what it names.
    let mut late: Vec<Written> = publisher.log[first..].to_vec();
    late.rotate_right(1);
    for (at, written) in late.iter().enumerate() {
        reader.follow(written);
        let is_whole = at + 1 == late.len();
        assert_eq!(reader.in_force(&Scope::Global), if is_whole { 2 } else { 1 });
        assert_eq!(blocks(&reader, "fnord"), is_whole);
    }
    assert_eq!(reader.book().version, 2);
}

#[test]
fn nothing_is_in_force_before_a_version_for_all_rooms_is_whole() {
    let mut publisher = Publisher::default();
    publisher.publish(&room("demo"), &words(&["fnord"]), None);
    assert!(Reader::of(&publisher.log).press.book().is_none());
    publisher.publish(&Scope::Global, &words(&["blorp", "grunk"]), None);
    let chunk = publisher.log.len() - 2;
    let lacking: Vec<Written> = [&publisher.log[..chunk], &publisher.log[chunk + 1..]].concat();
    assert!(Reader::of(&lacking).press.book().is_none());
    assert_eq!(Reader::of(&publisher.log).book().version, 2);
}

#[test]
fn a_way_back_uses_old_chunks_again() {
    let mut publisher = Publisher::default();
    publisher.publish(&Scope::Global, &words(&["blorp"]), None);
    publisher.publish(&Scope::Global, &words(&["fnord"]), None);
    let before = publisher.log.len();
    publisher.publish(&Scope::Global, &words(&["blorp"]), None);
    assert_eq!(publisher.log.len(), before + 1, "only the version is written");
    let reader = Reader::of(&publisher.log);
    assert_eq!((reader.in_force(&Scope::Global), blocks(&reader, "blorp"), blocks(&reader, "fnord")), (3, true, false));
    // And when they were tidied away, they are written again.
    for number in 0..20 {
        publisher.publish(&Scope::Global, &words(&[&format!("word{number}")]), None);
    }
    assert!(publisher.log.iter().any(|(key, value)| key.starts_with("chunk/") && value.is_empty()));
    publisher.publish(&Scope::Global, &words(&["fnord"]), None);
    for tombstones in [true, false] {
        let reader = Reader::of(&compacted(&publisher.log, publisher.log.len(), tombstones));
        assert_eq!((reader.in_force(&Scope::Global), blocks(&reader, "fnord")), (24, true));
    }
}

#[test]
fn a_database_restored_to_an_older_state_changes_nothing() {
    let mut publisher = Publisher::default();
    for text in ["blorp", "fnord", "grunk"] {
        publisher.publish(&Scope::Global, &words(&[text]), None);
    }
    let mut reader = Reader::of(&publisher.log);
    let mut restored = Publisher::default();
    restored.number = 1;
    restored.publish(&Scope::Global, &words(&["other"]), None);
    restored.log.iter().for_each(|written| reader.follow(written));
    assert_eq!((reader.in_force(&Scope::Global), blocks(&reader, "grunk"), blocks(&reader, "other")), (3, true, false));
    // The topic told from its beginning, by somebody who lost the newest.
    reader.assembly.anew();
    restored.log.iter().for_each(|written| reader.follow(written));
    assert!(blocks(&reader, "grunk"), "what was told before holds meanwhile");
    reader.caught_up();
    assert_eq!((reader.in_force(&Scope::Global), blocks(&reader, "grunk")), (3, true));
    assert_eq!(reader.newest[&Scope::Global], Some(2));
    restored.number = 3;
    restored.publish(&Scope::Global, &words(&["newer"]), None);
    restored.log.iter().for_each(|written| reader.follow(written));
    assert_eq!((reader.in_force(&Scope::Global), blocks(&reader, "newer")), (4, true));
}

#[test]
fn a_tombstone_takes_nothing_out_of_force_but_a_room_as_a_whole() {
    let mut publisher = Publisher::default();
    publisher.publish(&Scope::Global, &words(&["blorp"]), None);
    publisher.publish(&room("demo"), &words(&["fnord"]), None);
    let mut reader = Reader::of(&publisher.log);
    for (key, _) in publisher.log.clone() {
        let is_of_room = key.starts_with("version/room/");
        reader.follow(&(key, Vec::new()));
        assert!(blocks(&reader, "blorp"));
        assert_eq!(reader.in_force(&room("demo")), if is_of_room { 0 } else { 2 });
    }
    assert_eq!(reader.book().version, 2, "the number does not fall");
}

#[test]
fn told_anew_a_room_that_is_no_more_has_no_lists() {
    let mut publisher = Publisher::default();
    publisher.publish(&Scope::Global, &words(&["blorp"]), None);
    let without_room = publisher.log.clone();
    publisher.publish(&room("demo"), &words(&["fnord"]), None);
    let mut reader = Reader::of(&publisher.log);
    reader.assembly.anew();
    without_room.iter().for_each(|written| reader.follow(written));
    assert!(blocks(&reader, "fnord"));
    reader.caught_up();
    assert!(!blocks(&reader, "fnord") && blocks(&reader, "blorp"));
}

#[test]
fn p19_a_bad_update_changes_nothing_and_is_told_of() {
    let mut publisher = Publisher::default();
    publisher.publish(&Scope::Global, &words(&["blorp"]), None);
    publisher.publish(&room("demo"), &words(&["fnord"]), None);
    let good = publisher.log.clone();
    let many: Vec<Entry> = (0..=ROOM_WORDS_MAX).map(|n| entry(&format!("e{n}"), &format!("word{n}"))).collect();
    let bomb = packed(&zstd::bulk::compress(&vec![0; 100 << 20], 3).unwrap());
    let table: Vec<(Scope, Vec<Chunk>, BadEdition)> = vec![
        (Scope::Global, Vec::new(), BadEdition::Empty),
        (
            Scope::Global,
            chunks::pack(&[entry("same", "one"), entry("same", "two")]).unwrap(),
            BadEdition::SameId("same".into()),
        ),
        (room("demo"), chunks::pack(&many).unwrap(), TooMany::Words(ROOM_WORDS_MAX).into()),
    ];
    for (scope, chunks, why) in table {
        assert_eq!(bad(&good, &scope, &chunks), [(3, why)]);
    }
    let [(3, BadEdition::Chunk(_))] = &bad(&good, &Scope::Global, &[bomb])[..] else { panic!("a bomb") };
}

/// What is told of version 3 with these chunks behind `good`, of which nothing changes.
fn bad(good: &[Written], scope: &Scope, chunks: &[Chunk]) -> Vec<(u64, BadEdition)> {
    let mut reader = Reader::of(good);
    for chunk in chunks {
        reader.follow(&(format!("chunk/{}", hex(&chunk.hash)), chunk_record(chunk)));
    }
    let written = (format!("version/{scope}/3"), of_record(Record::Version(version(scope, 3, chunks, None))));
    reader.follow(&written);
    // It is told of once, however often it is written.
    reader.follow(&written);
    assert!(blocks(&reader, "blorp") && blocks(&reader, "fnord"), "{:?}", reader.bad);
    assert_eq!(reader.book().version, 2);
    assert_eq!(reader.newest[scope], Some(3));
    reader.bad
}

fn packed(bytes: &[u8]) -> Chunk {
    use sha2::Digest as _;
    Chunk { hash: sha2::Sha256::digest(bytes).into(), packed: bytes.to_vec().into() }
}

fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn p19_a_record_that_is_none_is_not_kept() {
    let chunk = &chunks::pack(&words(&["blorp"])).unwrap()[0];
    let key = format!("chunk/{}", hex(&chunk.hash));
    let other = format!("chunk/{}", "00".repeat(32));
    let of = |scope: &Scope, number| of_record(Record::Version(version(scope, number, &[], None)));
    let large = Policy { allow_domains: vec![String::new(); 101], ..Policy::default() };
    let large = of_record(Record::Version(version(&Scope::Global, 1, &[], Some(large))));
    let table = [
        (&*key, b"\xff".to_vec(), Refused::Unreadable(key.clone())),
        (&key, of(&Scope::Global, 1), Refused::Unreadable(key.clone())),
        (&other, chunk_record(chunk), Refused::Hash(other.clone())),
        ("version/global/1", chunk_record(chunk), Refused::Unreadable("version/global/1".into())),
        ("version/global/1", of(&Scope::Global, 2), Refused::Version("version/global/1".into(), BadVersion::Key)),
        ("version/global/1", of(&room("demo"), 1), Refused::Version("version/global/1".into(), BadVersion::Key)),
        ("version/global/1", large, Refused::Version("version/global/1".into(), BadVersion::Policy)),
        ("mute/demo/user/ann", of(&Scope::Global, 1), Refused::Unreadable("mute/demo/user/ann".into())),
        ("ban/user/ann", of(&Scope::Global, 1), Refused::Unreadable("ban/user/ann".into())),
    ];
    for (key, value, why) in table {
        assert_eq!(Reader::default().hear_at(key, &value, 0), Change::Refused(why));
    }
    // What a later release writes is passed over.
    for key in ["emote/demo", "version/all/1", "\u{0}", ""] {
        assert_eq!(Reader::default().hear_at(key, b"\xff", 0), Change::Nothing);
    }
}

/// What may be done to the topic.
#[derive(Debug, Clone)]
enum Step {
    Publish { scope: usize, words: BTreeSet<usize> },
    Mute { user: usize, until: i64 },
    Ban { user: usize, until: i64 },
}

const WORDS: [&str; 8] = ["blorp", "fnord", "grunk", "坏词语", "quux", "zibble", "wubble", "flarn"];
const USERS: [&str; 3] = ["ann", "bob", "cid"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = prop::collection::btree_set(0..WORDS.len(), 1..5);
    let step = prop_oneof![
        4 => (0..3usize, words).prop_map(|(scope, words)| Step::Publish { scope, words }),
        1 => (0..USERS.len(), 0..3i64).prop_map(|(user, until)| Step::Mute { user, until }),
        1 => (0..USERS.len(), 0..3i64).prop_map(|(user, until)| Step::Ban { user, until }),
    ];
    prop::collection::vec(step, 1..40)
}

/// What the topic must come to.
#[derive(Default)]
struct Model {
    words: BTreeMap<usize, BTreeSet<usize>>,
    mutes: BTreeMap<usize, i64>,
    bans: BTreeMap<usize, i64>,
}

fn scopes() -> [Scope; 3] {
    [Scope::Global, room("demo"), room("other")]
}

fn written(steps: &[Step]) -> (Publisher, Model) {
    let (mut publisher, mut model) = (Publisher::default(), Model::default());
    publisher.publish(&Scope::Global, &words(&WORDS[..1]), None);
    model.words.insert(0, [0].into());
    for step in steps {
        match step {
            Step::Publish { scope, words: chosen } => {
                let texts: Vec<&str> = chosen.iter().map(|&word| WORDS[word]).collect();
                publisher.publish(&scopes()[*scope], &words(&texts), None);
                model.words.insert(*scope, chosen.clone());
            }
            Step::Mute { user, until } => {
                publisher.mute("demo", USERS[*user], *until);
                model.mutes.insert(*user, *until);
            }
            Step::Ban { user, until } => {
                publisher.ban(USERS[*user], *until);
                model.bans.insert(*user, *until);
            }
        }
    }
    (publisher, model)
}

fn check(reader: &Reader, model: &Model) -> Result<(), TestCaseError> {
    let book = reader.book();
    let in_list = |scope: usize, word: usize| model.words.get(&scope).is_some_and(|words| words.contains(&word));
    for (word, text) in WORDS.iter().enumerate() {
        for (scope, room) in [(1, "demo"), (2, "other"), (0, "third")] {
            let expected = in_list(0, word) || in_list(scope, word);
            prop_assert_eq!(reader.ruling(room, text).action == Action::Block, expected, "{} in {}", text, room);
        }
    }
    for (user, name) in USERS.iter().enumerate() {
        let subject = format!("user/{name}").parse().unwrap();
        let mute = book.mutes().get(&RoomId::new("demo").unwrap(), &subject);
        prop_assert_eq!(mute.map(|rule| rule.until), model.mutes.get(&user).copied());
        let person = Person { user: Some(name), ..Person::default() };
        let banned = model.bans.get(&user).is_some_and(|&until| until == 0 || until > 1);
        prop_assert_eq!(book.banned(person, 1).is_some(), banned);
    }
    Ok(())
}

proptest! {
    // Each case compiles some hundred lists.
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One who followed all of it and one who starts behind any compaction say the same, which is what was published last.
    #[test]
    fn any_compaction_tells_the_same(steps in steps(), share in 0.0..=1.0f64, tombstones: bool) {
        let (publisher, model) = written(&steps);
        let mut live = Reader::default();
        live.assembly.caught_up();
        publisher.log.iter().for_each(|written| live.follow(written));
        let cleaned = (publisher.log.len() as f64 * share) as usize;
        let late = Reader::of(&compacted(&publisher.log, cleaned, tombstones));
        for reader in [&live, &late] {
            check(reader, &model)?;
            prop_assert_eq!((&reader.refused[..], &reader.bad[..]), (&[][..], &[][..]));
        }
        prop_assert_eq!(live.book().version, late.book().version);
    }

    /// The records of one moment in any order, as compaction and a second telling may bring them, come to the same.
    #[test]
    fn any_order_within_a_moment_tells_the_same(steps in steps(), seed: u64) {
        let (publisher, model) = written(&steps);
        let mut log = compacted(&publisher.log, publisher.log.len(), false);
        let mut state = seed | 1;
        for at in (1..log.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            log.swap(at, (state >> 33) as usize % (at + 1));
        }
        let mut reader = Reader::default();
        reader.assembly.caught_up();
        log.iter().for_each(|written| reader.follow(written));
        check(&reader, &model)?;
        reader.assembly.anew();
        log.iter().rev().for_each(|written| reader.follow(written));
        check(&reader, &model)?;
        reader.caught_up();
        check(&reader, &model)?;
    }
}
