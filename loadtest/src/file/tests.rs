//! Lines of each kind, good and bad, as tables; and the real recordings, where somebody has put them.

use std::path::PathBuf;

use super::*;

fn line(at_ms: u64, user: &str, text: &str) -> Line {
    Line {
        at: Duration::from_millis(at_ms),
        user: user.to_owned(),
        text: text.to_owned(),
        position: Position::Scroll,
        color: None,
    }
}

fn good(text: &str) -> Vec<Line> {
    let recording = parse(text).unwrap();
    assert_eq!(recording.faults, Faults::default(), "{text}");
    recording.lines
}

#[test]
fn our_own_lines() {
    let styled = Line { position: Position::Bottom, color: Some(0x00_ff_8a), ..line(70, "u2", "云") };
    assert_eq!(
        good(
            "{\"t\":1500,\"user\":\"u1\",\"text\":\"a\",\"mode\":1}\n\n{\"t\":70,\"user\":\"u2\",\"text\":\"云\",\"mode\":4,\"color\":\"#00ff8a\"}\n"
        ),
        [styled, line(1500, "u1", "a")],
        "in the order of time"
    );
    assert_eq!(
        good(r##"{"t":4567,"user":"u","text":"","mode":5,"color":"#ffffff","later":{}}"##)[0].position,
        Position::Top
    );
}

#[test]
fn recorders_lines_count_seconds() {
    let lines = good(
        "{\"t\":1.885,\"rec_t\":1.2,\"mode\":1,\"size\":25,\"color\":5566168,\"uid\":\"u9\",\"text\":\"a\"}\n{\"t\":2.0,\"uid\":\"u8\",\"text\":\"b\",\"color\":16777215}",
    );
    assert_eq!(lines, [Line { color: Some(5_566_168), ..line(1885, "u9", "a") }, line(2000, "u8", "b")]);
}

#[test]
fn odd_lines_are_passed_over_and_counted() {
    let table = [
        ("nonsense", 1, 0, "line 1: expected"),
        (r#"{"t":-1,"user":"u","text":"a"}"#, 1, 0, "line 1: its time"),
        (r#"{"t":1e300,"user":"u","text":"a"}"#, 1, 0, "line 1: its time"),
        (r#"{"user":"u","text":"a"}"#, 1, 0, "line 1: missing field `t`"),
        (r#"{"t":1,"user":"u","text":"a","mode":7}"#, 0, 1, "line 1: its mode 7"),
        (r#"{"t":1,"user":"u","text":"a","color":"undefined"}"#, 0, 1, "line 1: its color \"undefined\""),
        (r#"{"t":1,"user":"u","text":"a","mode":"1","color":true}"#, 0, 2, "line 1: its mode"),
    ];
    for (text, lines, values, first) in table {
        let recording = parse(text).unwrap();
        assert_eq!((recording.faults.lines, recording.faults.values), (lines, values), "{text}");
        assert!(recording.faults.first.as_deref().unwrap().starts_with(first), "{:?}", recording.faults);
        assert_eq!(recording.lines.len(), usize::from(lines == 0), "{text}");
    }
}

#[test]
fn recorder_xml() {
    let text = "\u{feff}<?xml version=\"1.0\"?><i><chatid>1</chatid>\
        <d p=\"1.5,4,25,26214,1480410348,11,ab,1\">a &amp; b &#x4e91; &nosuch; &lt;i&gt;</d>\
        <d p=\"0.465,1,25,16777215,1480410348,0,cd,2\" user=\"\"><![CDATA[<云>]]></d><d p=\"2,5,25,1,0,0,ef,3\"/></i>";
    assert_eq!(
        good(text),
        [
            line(465, "cd", "<云>"),
            Line { position: Position::Bottom, color: Some(26214), ..line(1500, "ab", "a & b 云 &nosuch; <i>") },
            Line { position: Position::Top, color: Some(1), ..line(2000, "ef", "") },
        ]
    );
}

#[test]
fn malformed_attributes_are_tolerated_and_counted() {
    let table = [
        ("<d p=\"1,1,25,undefined,0,0,a,1\">x</d>", 1, 0, 1),
        ("<d p=\"1,7,25,1,0,0,a,1\">x</d>", 1, 0, 1),
        ("<d p=\"1\">x</d>", 1, 0, 2),
        ("<d p=\"soon,1,25,1\">x</d>", 0, 1, 0),
        ("<d p=\"NaN,1,25,1\">x</d>", 0, 1, 0),
        ("<d p=\"-1,1,25,1\">x</d>", 0, 1, 0),
        ("<d>x</d>", 0, 1, 0),
        ("<d q=\"1\" p=\"1,1,25,1,0,0,a,1\">x & y</d>", 1, 0, 0),
        ("<d p=\"1,1,25,1,0,0,a,1\">never closed", 0, 0, 0),
    ];
    for (element, count, lines, values) in table {
        let recording = parse(&format!("<i>{element}</i>")).unwrap();
        assert_eq!(recording.lines.len(), count, "{element}");
        assert_eq!((recording.faults.lines, recording.faults.values), (lines, values), "{element}");
    }
    assert_eq!(parse("<i><d p=\"1,1,25,1,0,0,a,1\">x & y</d></i>").unwrap().lines[0].text, "x & y");
}

#[test]
fn an_empty_file_says_so() {
    let path = std::env::temp_dir().join(format!("loadtest-empty-{}", std::process::id()));
    std::fs::write(&path, "\n").unwrap();
    let error = read(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.ends_with("holds no danmaku that could be read: it is empty"), "{error}");
}

/// The folder of real recordings: `DANMAKU_RECORDINGS`, or `../shared/data` beside the repository.
fn recordings() -> Option<PathBuf> {
    let beside = || Some(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"));
    let folder = std::env::var_os("DANMAKU_RECORDINGS").map(PathBuf::from).or_else(beside)?;
    folder.is_dir().then_some(folder)
}

#[test]
fn real_recordings_are_read_whole() {
    let Some(folder) = recordings() else {
        println!("skipped: real danmaku are never in the tree; name a folder of them in DANMAKU_RECORDINGS");
        return;
    };
    let table = [
        ("live_room_5h_20211218.ndjson", 23_183, 0),
        ("live_twitch_49min_20210715.ndjson", 3_090, 0),
        ("vod_artplayer_danmuku-v2.xml", 1_783, 65),
        ("vod_artplayer_danmuku-v3.xml", 1_224, 0),
        // Drawings in mode 7.
        ("vod_ccl_extended.xml", 6_343, 6_343),
    ];
    for (name, lines, values) in table {
        let path = folder.join(name);
        if !path.exists() {
            println!("skipped: {} is not there", path.display());
            continue;
        }
        let recording = read(&path).unwrap();
        assert_eq!(recording.lines.len(), lines, "{name}");
        assert_eq!((recording.faults.lines, recording.faults.values), (0, values), "{name}");
        assert!(recording.lines.is_sorted_by_key(|line| line.at), "{name}");
    }
}
