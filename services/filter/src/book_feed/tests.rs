//! A word file that changes, breaks and heals under a feed that looks at it.

use std::fs;

use chassis::admin::Readiness;

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

fn feed(file: Option<&Path>, built_in: Option<&str>) -> (BookFeed, Shelf, Readiness) {
    let (shelf, readiness) = (Shelf::default(), Readiness::new());
    let condition = readiness.condition("rules");
    let built_in = built_in.map(str::to_owned);
    (BookFeed::new(file.map(Path::to_owned), built_in, Arc::clone(&shelf), condition), shelf, readiness)
}

fn blocks(shelf: &Shelf, text: &str) -> bool {
    shelf.load().as_ref().is_some_and(|book| book.words.hit(text).is_some())
}

fn version(shelf: &Shelf) -> u64 {
    shelf.load().as_ref().map_or(0, |book| book.version)
}

fn reason(readiness: &Readiness) -> String {
    readiness.not_ready().first().map(|not_ready| not_ready.reason.clone()).unwrap_or_default()
}

#[test]
fn a_change_is_taken_and_a_bad_file_keeps_the_last_good() {
    let file = WordFile::new("change");
    let (mut feed, shelf, readiness) = feed(Some(&file.0), None);
    feed.look();
    assert!(reason(&readiness).contains("--words"), "{}", reason(&readiness));

    file.holds(b"fnord\n");
    feed.look();
    assert!(readiness.is_ready() && blocks(&shelf, "a fnord") && !blocks(&shelf, "blorp"));
    let first = version(&shelf);
    feed.look();
    assert_eq!(version(&shelf), first, "nothing changed");

    file.holds(b"blorp\n");
    feed.look();
    assert!(blocks(&shelf, "blorp") && !blocks(&shelf, "fnord"));
    let second = version(&shelf);
    assert_ne!(second, first);

    for bad in [&b""[..], b"# no words\n", b"\xff\xfe\n", &[b'x'; 300]] {
        file.holds(bad);
        feed.look();
        assert!(readiness.is_ready() && blocks(&shelf, "blorp"));
        assert_eq!(version(&shelf), second);
    }
    fs::remove_file(&file.0).unwrap();
    feed.look();
    assert!(readiness.is_ready() && blocks(&shelf, "blorp"));

    file.holds(b"fnord\n");
    feed.look();
    assert!(blocks(&shelf, "fnord"));
    assert_eq!(version(&shelf), first, "the same words are the same version");
}

#[test]
fn a_bad_first_file_is_not_ready_with_its_line() {
    let file = WordFile::new("bad");
    file.holds(b"fine\nb\xffd\n");
    let (mut feed, shelf, readiness) = feed(Some(&file.0), Some("fnord"));
    feed.look();
    assert!(reason(&readiness).ends_with("line 2 is not UTF-8"), "{}", reason(&readiness));
    assert!(shelf.load().is_none(), "a named file is not replaced by built-in words");
}

#[test]
fn built_in_words_serve_where_no_file_is_named() {
    let (mut feed, shelf, readiness) = feed(None, Some("# invented\nfnord"));
    feed.look();
    feed.look();
    assert!(readiness.is_ready() && blocks(&shelf, "fnord"));
}

#[test]
fn no_words_is_not_allow_all() {
    let (mut feed, shelf, readiness) = feed(None, None);
    feed.look();
    assert!(shelf.load().is_none() && reason(&readiness).contains("--words"));
}
