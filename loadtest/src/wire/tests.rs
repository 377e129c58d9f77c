//! Frames as a server writes them, cut anywhere, and bytes that are none.

use proptest::prelude::*;

use super::*;

/// A server's frame.
fn frame(head: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![head];
    match payload.len() {
        length @ 0..=125 => frame.push(length as u8),
        length @ 126..=65_535 => frame.extend([&[126][..], &(length as u16).to_be_bytes()].concat()),
        length => frame.extend([&[127][..], &(length as u64).to_be_bytes()].concat()),
    }
    frame.extend_from_slice(payload);
    frame
}

fn heard(reads: &[&[u8]]) -> (Vec<String>, Result<(), Broken>) {
    let (mut unread, mut heard) = (Unread::default(), Vec::new());
    for read in reads {
        let fed = unread.feed(read, |frame| {
            heard.push(match frame {
                Frame::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            });
        });
        if fed.is_err() {
            return (heard, fed);
        }
    }
    (heard, Ok(()))
}

#[test]
fn frames_as_they_come() {
    let all = [
        frame(0x81, "弹幕".as_bytes()),
        frame(0x89, b"p"),
        frame(0x01, b"a"),
        frame(0x8a, b""),
        frame(0x00, b"b"),
        frame(0x80, b"c"),
        frame(0x82, b"x"),
        frame(0x88, b"\x0f\xa1slow"),
        frame(0x88, b""),
    ]
    .concat();
    let expected = ["弹幕", "Ping([112])", "Pong", "abc", "Binary", "Close(4001, \"slow\")", "Close(1005, \"\")"];
    assert_eq!(heard(&[&all]), (expected.map(str::to_owned).to_vec(), Ok(())));
}

#[test]
fn what_is_no_frame() {
    let table: [(&[u8], Broken); 7] = [
        (&[0xc1, 0], Broken::Kind(0xc1)),
        (&[0x83, 0], Broken::Kind(0x83)),
        (&[0x09, 0], Broken::Kind(0x09)),
        (&[0x81, 0x80], Broken::Masked),
        (&[0x80, 0], Broken::Fragment),
        (&[0x01, 0, 0x81, 0], Broken::Fragment),
        (&[0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0], Broken::TooLarge(1 << 32)),
    ];
    for (bytes, why) in table {
        assert_eq!(heard(&[bytes]).1, Err(why), "{bytes:?}");
    }
}

#[test]
fn a_clients_frames() {
    assert_eq!(text(b"hi"), [0x81, 0x82, 0, 0, 0, 0, b'h', b'i']);
    assert_eq!(pong(b""), [0x8a, 0x80, 0, 0, 0, 0]);
}

proptest! {
    #[test]
    fn reads_may_end_anywhere(sizes in proptest::collection::vec(0..70_000_usize, 1..6), cuts in proptest::collection::vec(1..50_000_usize, 1..9)) {
        let texts: Vec<_> = sizes.iter().map(|&size| "x".repeat(size)).collect();
        let all: Vec<_> = texts.iter().flat_map(|text| frame(0x81, text.as_bytes())).collect();
        let (mut reads, mut left) = (Vec::new(), &all[..]);
        for cut in cuts.iter().cycle() {
            let (read, after) = left.split_at((*cut).min(left.len()));
            reads.push(read);
            left = after;
            if left.is_empty() { break; }
        }
        prop_assert_eq!(heard(&reads), (texts, Ok(())));
    }
}
