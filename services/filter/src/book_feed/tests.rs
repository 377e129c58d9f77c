//! A feed whose topic and word file change, break and heal.

use std::{fs, path::Path};

use chassis::{admin::Readiness, kafka::News};
use judge::{
    book::chunks::pack,
    fold::{Folded, fold},
    rules::{self, Action, Said, Scratch},
};
use proto::{
    ban::Person,
    record::encode,
    v1::{self, Entry, MuteRule, Role, RuleChunk, RuleVersion, Rules, rules::Record},
};

use super::*;

/// A file of its own in the system's place for such; gone when dropped.
struct WordFile(PathBuf);

impl WordFile {
    fn new(name: &str) -> Self {
        let file = std::env::temp_dir().join(format!("danmaku-words-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&file);
        Self(file)
    }

    fn holds(&self, content: &[u8]) {
        fs::write(&self.0, content).unwrap();
    }
}

impl Drop for WordFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A feed, what feeds it, and what can be seen of it.
struct World {
    feed: BookFeed,
    letterbox: Arc<Letterbox>,
    shelf: Shelf,
    readiness: Readiness,
}

/// A feed whose topic was told to its end, with nothing in it.
fn world(source: Source) -> World {
    let (letterbox, shelf, readiness) = (Arc::<Letterbox>::default(), Shelf::default(), Readiness::new());
    let (condition, note) = (readiness.condition("rules"), readiness.note("rules", ""));
    let feed = BookFeed::new(source, Arc::clone(&letterbox), Arc::clone(&shelf), condition, note);
    assert_eq!(letterbox.hear(News::CaughtUp, Instant::now()), Then::Look);
    World { feed, letterbox, shelf, readiness }
}

fn of_file(path: &Path) -> World {
    world(Source::File(path.to_owned()))
}

impl World {
    fn look(&mut self) {
        self.feed.look();
    }

    fn blocks(&self, text: &str) -> bool {
        let Some(book) = self.shelf.load_full() else { return false };
        let mut folded = Folded::default();
        fold(text, &mut folded);
        let said = Said { room: "demo", role: Role::Sender, folded: &folded, name: "", at_ms: 0 };
        rules::judge(&book, said, &mut Scratch::default()).action == Action::Block
    }

    fn version(&self) -> u64 {
        self.shelf.load().as_ref().map_or(0, |book| book.version)
    }

    fn reason(&self) -> String {
        self.readiness.not_ready().first().map(|not_ready| not_ready.reason.clone()).unwrap_or_default()
    }

    fn note(&self) -> String {
        self.readiness.notes()[0].state.clone()
    }

    fn tell(&self, key: &str, record: Record) -> Then {
        let value = encode(&Rules { record: Some(record) });
        self.letterbox.record(key.as_bytes(), &value, 0, Instant::now())
    }

    /// Writes a version for all rooms, as a publisher does.
    fn publish(&self, number: u64, words: impl IntoIterator<Item = String>) -> Then {
        let entry = |word: String| Entry { id: word.clone(), text: word, severity: 3, ..Entry::default() };
        let chunks = pack(&words.into_iter().map(entry).collect::<Vec<_>>()).unwrap();
        for chunk in &chunks {
            let name: String = chunk.hash.iter().map(|byte| format!("{byte:02x}")).collect();
            self.tell(&format!("chunk/{name}"), Record::Chunk(RuleChunk { entries: chunk.packed.clone() }));
        }
        let chunks = chunks.iter().map(|chunk| chunk.hash.to_vec()).collect();
        let version = RuleVersion { scope: "global".into(), number, chunks, ..RuleVersion::default() };
        self.tell(&format!("version/global/{number}"), Record::Version(version))
    }
}

fn words<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(str::to_owned)
}

#[test]
fn a_change_of_the_file_is_taken_and_a_bad_file_keeps_the_last_good() {
    let file = WordFile::new("change");
    let mut world = of_file(&file.0);
    world.look();
    assert!(world.reason().contains("--words"), "{}", world.reason());

    file.holds(b"fnord\n");
    world.look();
    assert!(world.readiness.is_ready() && world.blocks("a fnord") && !world.blocks("blorp"));
    let first = world.version();
    world.look();
    assert_eq!(world.version(), first, "nothing changed");

    file.holds(b"blorp\n");
    world.look();
    assert!(world.blocks("blorp") && !world.blocks("fnord"));
    let second = world.version();
    assert_ne!(second, first);

    for bad in [&b""[..], b"# no words\n", b"\xff\xfe\n", &[b'x'; 300], b"fine\n!!!\n"] {
        file.holds(bad);
        world.look();
        assert!(world.readiness.is_ready() && world.blocks("blorp"));
        assert_eq!(world.version(), second);
        assert!(world.note().contains("not usable"), "{}", world.note());
    }
    fs::remove_file(&file.0).unwrap();
    world.look();
    assert!(world.readiness.is_ready() && world.blocks("blorp"));

    file.holds(b"fnord\n");
    world.look();
    assert!(world.blocks("fnord") && !world.note().contains("not usable"));
    assert_eq!(world.version(), first, "the same words are the same version");
}

#[test]
fn a_bad_first_file_is_not_ready_with_its_line() {
    let file = WordFile::new("bad");
    file.holds(b"fine\nb\xffd\n");
    let mut world = of_file(&file.0);
    world.publish(1, words(["fnord"]));
    world.look();
    assert!(world.reason().ends_with("line 2 is not UTF-8"), "{}", world.reason());
    assert!(world.shelf.load().is_none(), "a named file is not replaced by the topic");
}

#[test]
fn built_in_words_serve_until_the_topic_has_a_list() {
    let mut world = world(Source::TopicOr("# invented\nfnord".to_owned()));
    world.look();
    assert!(world.readiness.is_ready() && world.blocks("fnord"));
    assert_eq!(world.publish(4, words(["blorp"])), Then::Look);
    world.look();
    assert!(world.blocks("blorp") && !world.blocks("fnord"));
    assert_eq!(world.version(), 4);
}

#[test]
fn nothing_is_in_force_before_the_topic_was_told_to_its_end() {
    let (letterbox, shelf, readiness) = (Arc::<Letterbox>::default(), Shelf::default(), Readiness::new());
    let (condition, note) = (readiness.condition("rules"), readiness.note("rules", ""));
    let source = Source::TopicOr("fnord".to_owned());
    let feed = BookFeed::new(source, Arc::clone(&letterbox), Arc::clone(&shelf), condition, note);
    let mut world = World { feed, letterbox, shelf, readiness };
    assert_eq!(world.publish(1, words(["blorp"])), Then::Rest);
    world.look();
    assert!(world.shelf.load().is_none() && !world.readiness.is_ready());
    world.letterbox.hear(News::CaughtUp, Instant::now());
    world.look();
    assert!(world.blocks("blorp") && world.readiness.is_ready());
}

#[test]
fn no_rules_is_not_allow_all() {
    let mut world = world(Source::Topic);
    world.look();
    assert!(world.shelf.load().is_none() && world.reason().contains("--words"), "{}", world.reason());
    // A version without entries is none.
    world.publish(1, []);
    world.look();
    assert!(world.shelf.load().is_none() && world.reason().contains("no entries"), "{}", world.reason());
    world.publish(2, words(["blorp"]));
    world.look();
    assert!(world.blocks("blorp") && world.readiness.is_ready());
}

#[test]
fn a_bad_version_keeps_the_last_good_and_is_told_of_until_a_better_one_comes() {
    let mut world = world(Source::Topic);
    world.publish(1, words(["blorp"]));
    world.look();
    for (number, bad) in [(2, vec![]), (3, words(["!!!"]).into())] {
        world.publish(number, bad);
        for _ in 0..2 {
            world.look();
            assert!(world.blocks("blorp") && world.readiness.is_ready());
            assert_eq!(world.version(), 1);
            assert!(world.note().contains(&format!("version {number} of global is unusable")), "{}", world.note());
        }
    }
    world.publish(4, words(["fnord"]));
    world.look();
    assert!(world.blocks("fnord") && !world.blocks("blorp"));
    assert_eq!(world.note(), "version 4 with 1 entries is in force");
}

#[test]
fn mutes_and_bans_come_from_the_topic_whatever_the_words_come_from() {
    let file = WordFile::new("people");
    file.holds(b"fnord\n");
    let mut world = of_file(&file.0);
    world.look();
    let mute = MuteRule { room: "demo".into(), subject: "user/ann".into(), sequence: 1, src: 7, ..MuteRule::default() };
    assert_eq!(world.tell("mute/demo/user/ann", Record::Mute(mute.clone())), Then::Look);
    let ban = v1::BanRule { subject: "user/bob".into(), sequence: 2, ..v1::BanRule::default() };
    assert_eq!(world.tell("ban/user/bob", Record::Ban(ban)), Then::Look);
    world.look();
    let book = world.shelf.load_full().unwrap();
    assert_eq!(book.mutes().iter().collect::<Vec<_>>(), [&mute]);
    let banned = |user| book.banned(Person { user: Some(user), ..Person::default() }, 5).is_some();
    assert!(banned("bob") && !banned("ann"));
    assert!(world.blocks("fnord"));
}

#[test]
fn a_thread_that_fails_says_so_and_the_last_rules_stay() {
    let mut world = world(Source::Topic);
    world.publish(1, words(["blorp"]));
    world.look();
    assert!(world.readiness.is_ready());
    let World { feed, shelf, readiness, .. } = world;
    feed.keep(|| panic!("a test's own"));
    assert!(readiness.not_ready()[0].reason.contains("failed; restart"), "{:?}", readiness.not_ready());
    assert_eq!(shelf.load().as_ref().map(|book| book.version), Some(1));
}

#[test]
fn p24_a_judging_thread_is_never_the_last_to_let_go_of_a_book() {
    let mut world = world(Source::Topic);
    world.publish(1, words(["blorp"]));
    world.look();
    let in_hand = world.shelf.load_full().unwrap();
    let old = Arc::downgrade(&in_hand);
    world.publish(2, words(["fnord"]));
    world.look();
    drop(in_hand);
    assert!(old.upgrade().is_some(), "the feed still holds it");
    world.look();
    assert!(old.upgrade().is_none());
}

#[test]
fn many_edits_are_built_into_one_in_the_background() {
    let mut world = world(Source::Topic);
    let many = |count: usize| (0..count).map(|n| format!("blorp{n}"));
    world.publish(1, many(10));
    world.look();
    world.publish(2, many(2_500));
    world.look();
    assert!(world.blocks("blorp2499") && world.feed.press.overdue().is_some());
    // Edits go on meanwhile.
    for number in 3.. {
        world.publish(number, many(2_500 + number as usize));
        world.look();
        assert!(world.blocks(&format!("blorp{}", 2_499 + number)));
        assert_eq!(world.version(), number);
        if world.feed.press.overdue().is_none() {
            break;
        }
    }
}
