//! Each format there and back, and files that are none.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};

use super::*;
use crate::lists::{
    entry::{Action, Kind},
    page::Kept,
};

fn kept(entry: Entry) -> Kept {
    entry.kept("house").unwrap()
}

fn read(file: &[u8], format: Format) -> Vec<(usize, Entry)> {
    parse(&text(file).unwrap(), format, &Entry::default()).unwrap()
}

fn refused(file: &[u8], format: Format) -> String {
    let read = text(file).and_then(|text| parse(&text, format, &Entry::default()));
    format!("{:?}", read.expect_err("accepted"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn words_with_lines_whatever_ends_them() {
    let file = b"\xef\xbb\xbf# invented\r\nblorp\r\n\r\n  gruntle  \r\n\xe5\x9d\x8f\xe8\xaf\x8d";
    let lines: Vec<(usize, String)> =
        read(file, Format::Txt).into_iter().map(|(line, entry)| (line, entry.text.unwrap())).collect();
    assert_eq!(lines, [(2, "blorp".into()), (4, "gruntle".into()), (5, "坏词".into())]);
    assert_eq!(read(&gzip(file), Format::Txt), read(file, Format::Txt));
}

#[test]
fn each_format_is_read_as_it_was_written() {
    let entries = [
        kept(Entry { category: "spam".into(), tags: vec!["spam".into(), "9".into()], ..Entry::word("blorp") }),
        kept(Entry {
            kind: Kind::Word,
            severity: 4,
            action: Action::Hold,
            mandatory: true,
            gaps: Some(0),
            expires_ms: 77,
            also: vec!["a".into(), "b".into()],
            comment: "says \"x\", and\nmore".into(),
            ..Entry::word("a, phrase")
        }),
    ];
    let back = read(&write(entries.iter(), Format::Csv, |_| true), Format::Csv);
    let back: Vec<Kept> = back.into_iter().map(|(_, entry)| kept(entry)).collect();
    assert!(entries.iter().all(|entry| back.contains(entry)) && back.len() == 2, "{back:?}");
    let back = read(&write(entries.iter(), Format::Houbb, |_| true), Format::Houbb);
    let told: Vec<_> = back.into_iter().map(|(_, entry)| (entry.text.unwrap(), entry.category)).collect();
    assert_eq!(told, [("a, phrase".to_owned(), "other".to_owned()), ("blorp".to_owned(), "spam".to_owned())]);
}

#[test]
fn a_word_that_begins_as_a_comment_does_comes_back() {
    for word in ["#blorp", r"\#blorp", r"\blorp"] {
        let entries = [kept(Entry::word(word)), kept(Entry::word("gruntle"))];
        for format in [Format::Txt, Format::Csv, Format::Houbb] {
            let back = read(&write(entries.iter(), format, |_| true), format);
            let texts: Vec<_> = back.into_iter().map(|(_, entry)| entry.text.unwrap()).collect();
            assert!(texts.len() == 2 && texts.contains(&word.to_owned()), "{format:?} {texts:?}");
        }
    }
    assert_eq!(read(b"# blorp\ngruntle\n", Format::Txt).len(), 1);
}

#[test]
fn tags_by_number_are_categories() {
    let read = read(b"blorp 3,9\ngruntle\nxyzzy \xe5\xb9\xbf\xe5\x91\x8a", Format::Houbb);
    let told: Vec<_> = read.into_iter().map(|(_, entry)| (entry.category, entry.tags)).collect();
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        told,
        [("gambling".into(), tags(&["3", "9"])), (String::new(), tags(&[])), (String::new(), tags(&["广告"]))]
    );
}

#[test]
fn what_is_private_is_in_nobody_elses_file() {
    let entries = [kept(Entry::word("blorp")), kept(Entry { private: true, ..Entry::word("gruntle") })];
    assert_eq!(write(entries.iter(), Format::Txt, |_| false), b"blorp\n");
    assert_eq!(write(entries.iter(), Format::Txt, |_| true), b"blorp\ngruntle\n");
}

#[test]
fn a_file_that_is_none_says_where() {
    let bomb = gzip(&vec![b'a'; UNPACKED_BYTES_MAX + 1]);
    assert!(bomb.len() < 100_000);
    let many = "a\n".repeat(LINES_MAX + 1);
    for (file, format, why) in [
        (&b""[..], Format::Txt, "no entry"),
        (b"\xef\xbb\xbf\n# only\n", Format::Txt, "no entry"),
        (b"fine\nb\xffd\n", Format::Txt, "line: Some(2)"),
        (b"\x1f\x8bnonsense", Format::Txt, "gzip"),
        (&bomb, Format::Txt, "TooLong"),
        (many.as_bytes(), Format::Txt, "TooLong"),
        (b"word,severity\nblorp,2\n", Format::Csv, "no column word"),
        (b"severity\n2\n", Format::Csv, "one of them is text"),
        (b"text\n", Format::Csv, "no entry"),
        (b"text,severity\nblorp,2\ngruntle,high\n", Format::Csv, "line: Some(3)"),
        (b"text,action\nblorp,explode\n", Format::Csv, "line: Some(2)"),
        (b"text\nblorp,2,3\n", Format::Csv, "line: Some(2)"),
    ] {
        let told = refused(file, format);
        assert!(told.contains(why), "{told}");
    }
}
