//! The frame reader as a table of bytes, cut at every place.

use super::*;
use proptest::prelude::*;

const MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// A client's frame: the first byte, and the payload under a mask.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [7, 0, 200, 31];
    let mut frame = vec![first];
    match payload.len() {
        len @ 0..126 => frame.push(0x80 | len as u8),
        len @ 126..=0xffff => {
            frame.push(0x80 | 126);
            frame.extend((len as u16).to_be_bytes());
        }
        len => {
            frame.push(0x80 | 127);
            frame.extend((len as u64).to_be_bytes());
        }
    }
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// All that was heard, in words, and how it ended.
fn read(bytes: &[u8], cuts: impl Fn(usize) -> bool) -> (Vec<String>, Result<(), Close>) {
    let (mut reader, mut heard) = (Reader::new(MESSAGE_BYTES_MAX), Vec::new());
    let mut start = 0;
    for end in 1..=bytes.len() {
        if end < bytes.len() && !cuts(end) {
            continue;
        }
        let mut piece = bytes[start..end].to_vec();
        let result = reader.read(&mut piece, |said| {
            heard.push(match said {
                Heard::Text(text) => format!("text {text}"),
                Heard::Binary(bytes) => format!("binary {}", String::from_utf8_lossy(bytes)),
                Heard::Ping(bytes) => format!("ping {}", String::from_utf8_lossy(bytes)),
                Heard::Pong => "pong".to_owned(),
                Heard::Close(code) => format!("close {code:?}"),
            });
        });
        if result.is_err() {
            return (heard, result);
        }
        start = end;
    }
    assert!(reader.stash.len() <= 131);
    (heard, Ok(()))
}

fn check(bytes: &[u8], expected: &[&str], end: Result<(), Close>) {
    for (name, cut) in [("whole", false), ("byte by byte", true)] {
        let (heard, result) = read(bytes, |_| cut);
        assert_eq!(
            (&heard[..], result),
            (&expected.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()[..], end),
            "{name}"
        );
    }
}

fn joined(frames: &[Vec<u8>]) -> Vec<u8> {
    frames.concat()
}

#[test]
fn what_is_allowed() {
    check(&frame(0x81, b"hi"), &["text hi"], Ok(()));
    check(&frame(0x81, b""), &["text "], Ok(()));
    check(&frame(0x81, "弹幕".as_bytes()), &["text 弹幕"], Ok(()));
    check(&frame(0x82, b"\xffhi"), &["binary \u{fffd}hi"], Ok(()));
    check(&frame(0x89, b"p"), &["ping p"], Ok(()));
    check(&frame(0x8a, b""), &["pong"], Ok(()));
    check(&frame(0x88, b""), &["close None"], Ok(()));
    check(&frame(0x88, b"\x03\xe8bye"), &["close Some(1000)"], Ok(()));
    check(&joined(&[frame(0x88, b""), frame(0x81, b"late")]), &["close None"], Ok(()));
    let long = "x".repeat(MESSAGE_BYTES_MAX);
    check(&frame(0x81, long.as_bytes()), &[&format!("text {long}")], Ok(()));
}

#[test]
fn fragments_are_joined_and_controls_may_come_between() {
    let frames = [frame(0x01, "弹".as_bytes()), frame(0x89, b"a"), frame(0x00, b""), frame(0x80, "幕".as_bytes())];
    check(&joined(&frames), &["ping a", "text 弹幕"], Ok(()));
    let split = "弹".as_bytes();
    check(&joined(&[frame(0x01, &split[..1]), frame(0x80, &split[1..])]), &["text 弹"], Ok(()));
    check(&joined(&[frame(0x02, &split[..1]), frame(0x80, b"")]), &["binary \u{fffd}"], Ok(()));
    check(&joined(&[frame(0x01, b""), frame(0x00, b""), frame(0x80, b"")]), &["text "], Ok(()));
}

#[test]
fn what_can_never_be_text_is_told_before_the_rest_has_come() {
    let table: [(&[u8], Result<(), Close>); 6] = [
        (b"ok\xe5\xbc", Ok(())),
        (b"ok\xe5\xbcx", Err(Close::NotUtf8)),
        (b"\xff", Err(Close::NotUtf8)),
        (b"\xed\xa0", Err(Close::NotUtf8)),
        (b"\xf4\x8f", Ok(())),
        (b"\xf4\x90", Err(Close::NotUtf8)),
    ];
    for (text, expected) in table {
        let mut in_fragments = joined(&[frame(0x01, text), frame(0x00, b"")]);
        let mut begun = frame(0x01, &[text, b"and so on"].concat());
        begun.truncate(6 + text.len());
        for bytes in [&mut in_fragments, &mut begun] {
            assert_eq!(Reader::new(64).read(bytes, |_| panic!("heard")), expected, "{text:x?}");
        }
    }
}

#[test]
fn what_is_not() {
    let mut unmasked = frame(0x81, b"hi");
    unmasked[1] &= 0x7f;
    let table = [
        ("unmasked", unmasked, Close::Protocol),
        ("reserved bit", frame(0xc1, b"hi"), Close::Protocol),
        ("reserved bit 3", frame(0x91, b"hi"), Close::Protocol),
        ("unknown opcode", frame(0x83, b"hi"), Close::Protocol),
        ("unknown control", frame(0x8b, b""), Close::Protocol),
        ("fragmented ping", frame(0x09, b"a"), Close::Protocol),
        ("long ping", frame(0x89, &[b'a'; 126]), Close::Protocol),
        ("long close", frame(0x88, &[3; 126]), Close::Protocol),
        ("continuation of nothing", frame(0x80, b"a"), Close::Protocol),
        ("a character cut off by the end", joined(&[frame(0x01, b"\xe5"), frame(0x80, b"\xbc")]), Close::NotUtf8),
        ("bytes inside a message", joined(&[frame(0x02, b"a"), frame(0x82, b"b")]), Close::Protocol),
        ("too many bytes", frame(0x82, &vec![0; MESSAGE_BYTES_MAX + 1]), Close::TooBig),
        ("text inside a message", joined(&[frame(0x01, b"a"), frame(0x81, b"b")]), Close::Protocol),
        ("half a code", frame(0x88, b"\x03"), Close::Protocol),
        ("a code nobody may send", frame(0x88, b"\x03\xed"), Close::Protocol),
        ("a code of nobody", frame(0x88, b"\x04\x00"), Close::Protocol),
        ("a reason that is no text", frame(0x88, b"\x03\xe8\xff"), Close::NotUtf8),
        ("no text", frame(0x81, b"\xc0\x80"), Close::NotUtf8),
        ("a surrogate", frame(0x81, b"\xed\xa0\x80"), Close::NotUtf8),
        ("text cut off", frame(0x81, &"弹".as_bytes()[..2]), Close::NotUtf8),
        ("too big", frame(0x81, &vec![b'x'; MESSAGE_BYTES_MAX + 1]), Close::TooBig),
        ("far too big", frame(0x81, &vec![b'x'; 1 << 20]), Close::TooBig),
        ("too big in fragments", joined(&[frame(0x01, &[b'x'; 4_000]), frame(0x00, &[b'x'; 97])]), Close::TooBig),
    ];
    for (name, bytes, close) in table {
        println!("{name}");
        check(&bytes, &[], Err(close));
    }
}

#[test]
fn lengths_have_their_shortest_form() {
    check(&[0x81, 0xfe, 0, 125], &[], Err(Close::Protocol));
    check(&[0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff], &[], Err(Close::Protocol));
    check(&[0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], &[], Err(Close::Protocol));
}

#[test]
fn a_claimed_length_takes_no_memory() {
    let mut reader = Reader::new(MESSAGE_BYTES_MAX);
    let mut claim = [0x81, 0xff, 0, 0, 0, 0, 0x10, 0, 0, 0];
    assert_eq!(reader.read(&mut claim, |_| panic!("heard")), Err(Close::TooBig));
    assert_eq!(reader.stash.capacity(), 0);
}

#[test]
fn whoever_has_nothing_half_read_takes_no_memory() {
    let mut reader = Reader::new(MESSAGE_BYTES_MAX);
    let mut bytes = frame(0x81, b"hi");
    let mut payload = bytes.split_off(7);
    let mut mask = bytes.split_off(3);
    reader.read(&mut bytes, |_| panic!("heard")).unwrap();
    assert!(reader.stash.capacity() > 0);
    reader.read(&mut mask, |_| panic!("heard")).unwrap();
    assert!(reader.message.is_some());
    reader.read(&mut payload, |_| {}).unwrap();
    assert!(reader.stash.capacity() == 0 && reader.message.is_none());
}

proptest! {
    #[test]
    fn cuts_change_nothing(
        texts in prop::collection::vec("\\PC{0,40}", 1..6),
        cuts in prop::collection::vec(any::<bool>(), 512),
        fragment in any::<bool>(),
    ) {
        let mut bytes = Vec::new();
        for text in &texts {
            let text = text.as_bytes();
            if fragment {
                let middle = text.len() / 2;
                bytes.extend(frame(0x01, &text[..middle]));
                bytes.extend(frame(0x80, &text[middle..]));
            } else {
                bytes.extend(frame(0x81, text));
            }
        }
        let (heard, result) = read(&bytes, |at| cuts[at % cuts.len()]);
        prop_assert_eq!(result, Ok(()));
        prop_assert_eq!(heard, texts.iter().map(|text| format!("text {text}")).collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_end_somehow(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, |at| at % 7 == 0);
    }
}
