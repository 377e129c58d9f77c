//! The client of the model: it reads whole frames and walks the log with them, so that nothing can be told out of order,
//! twice, or not at all.

use proto::v1::Fate;
use serde_json::Value;

use super::Line;

/// What the client understood.
#[derive(Debug, Default)]
pub(crate) struct Client {
    bytes: Vec<u8>,
    cursor: Option<String>,
    /// The place in the log up to which everything is accounted for.
    at: usize,
    pub(crate) received: usize,
    pub(crate) dropped: usize,
    pub(crate) gaps: usize,
    pub(crate) reconnects: usize,
    pub(crate) closed: Option<u16>,
}

impl Client {
    pub(super) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// A hello: the first gives the cursor, and later ones repeat it.
    pub(super) fn greeted(&mut self, cursor: &str) {
        assert_eq!(self.cursor.get_or_insert(cursor.to_owned()), cursor);
    }

    pub(super) fn receive(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    pub(super) fn lose_rest(&mut self) {
        self.bytes.clear();
    }

    pub(super) fn check_complete(&self, log: &[Line]) {
        let rest: Vec<usize> = (self.at..log.len()).filter(|&at| log[at].is_ours).collect();
        assert!(rest.is_empty(), "never told of {rest:?}");
        let messages = log.iter().filter(|line| line.is_ours).map(|line| line.record.messages()).sum::<usize>();
        assert_eq!(self.received + self.dropped, messages);
        assert!(self.bytes.is_empty(), "half a frame at the end");
    }

    /// Reads all whole frames.
    pub(super) fn hear(&mut self, log: &[Line]) {
        let bytes = std::mem::take(&mut self.bytes);
        let mut rest = &bytes[..];
        while let Some((opcode, payload, len)) = whole_frame(rest) {
            match opcode {
                8 => self.closed = Some(u16::from_be_bytes([payload[0], payload[1]])),
                _ => self.frame(&serde_json::from_slice(payload).expect("a frame is JSON"), log),
            }
            rest = &rest[len..];
        }
        self.bytes = rest.to_vec();
    }

    fn frame(&mut self, frame: &Value, log: &[Line]) {
        match frame["type"].as_str().unwrap() {
            "batch" => {
                for message in frame["messages"].as_array().unwrap() {
                    self.expect(&message["text"], log);
                    self.received += 1;
                }
            }
            // It carries no cursor, so a resume repeats it, which changes nothing on a screen.
            "recall" if offset(&frame["ids"][0]) < self.at => {}
            "recall" => self.expect(&frame["ids"][0], log),
            // For him alone: the same.
            "verdict" if offset(&frame["id"]) < self.at => {}
            "verdict" => self.expect(&frame["id"], log),
            "gap" => self.gap(frame, log),
            "reconnect" => self.reconnects += 1,
            "pong" => {}
            other => panic!("{other}"),
        }
        if let Some(cursor) = frame["cursor"].as_str() {
            self.moved_to(cursor, log);
        }
    }

    fn gap(&mut self, frame: &Value, log: &[Line]) {
        let dropped = frame["dropped"].as_u64().expect("a number: nothing unknown happens here");
        let source = |at: usize| format!("1-3-{}", at * 2);
        assert_eq!(frame["from"], source(self.next(log)));
        for _ in 0..dropped {
            let at = self.next(log);
            assert_eq!(log[at].record.items[0].fate, Fate::Lossy, "a gift was counted away");
            self.at = at + 1;
        }
        assert_eq!(frame["to"], source(self.at - 1));
        self.gaps += 1;
        self.dropped += dropped as usize;
    }

    fn moved_to(&mut self, cursor: &str, log: &[Line]) {
        let place: proto::Cursor = cursor.parse().unwrap();
        let next = (self.at..log.len()).find(|&at| log[at].is_ours).unwrap_or(log.len());
        assert!(place.next <= next as u64, "{cursor} is beyond what was told, {next}");
        let retold = (place.next as usize..self.at).find(|&at| log[at].is_ours && log[at].record.messages() > 0);
        assert_eq!(retold, None, "{cursor} is before what was told");
        self.cursor = Some(cursor.to_owned());
    }

    /// The next line of the room that is not accounted for.
    fn next(&self, log: &[Line]) -> usize {
        (self.at..log.len()).find(|&at| log[at].is_ours).expect("more was told than was said")
    }

    fn expect(&mut self, told: &Value, log: &[Line]) {
        let offset = offset(told);
        assert_eq!(self.next(log), offset, "out of order, twice, or a hole");
        self.at = offset + 1;
    }
}

/// What is told begins with its offset.
fn offset(told: &Value) -> usize {
    told.as_str().unwrap().split('-').next().unwrap().parse().unwrap()
}

/// The first whole frame of a server: its opcode, its payload, and its length with the header.
fn whole_frame(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let (&first, &second) = (bytes.first()?, bytes.get(1)?);
    assert!(first & 0xf0 == 0x80 && second & 0x80 == 0, "not the beginning of a frame");
    let (start, len) = match second {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?) as usize),
        len => (2, usize::from(len)),
    };
    Some((first & 0x0f, bytes.get(start..start + len)?, start + len))
}
