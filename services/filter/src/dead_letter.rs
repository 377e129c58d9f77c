//! Records that cannot be judged or whose judgement cannot be written: kept apart with the reason, while the partition goes on.

use proto::v1::DeadLetter;

/// As much of a value as is kept: more than any door of ours writes.
const VALUE_BYTES_MAX: usize = 64 * 1024;

/// As much of a key as is kept: a room's id has 128 bytes.
const KEY_BYTES_MAX: usize = 1024;

/// Why a record is one, as a label: a small closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It is no record of its topic's kind.
    Undecodable,
    /// It is one, but for no room or by nobody, or the judge fails on it.
    Unjudgeable,
    /// What became of it is refused by Kafka for itself (F2).
    Unwritable,
}

impl Reason {
    pub(crate) const ALL: [Self; 3] = [Self::Undecodable, Self::Unjudgeable, Self::Unwritable];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Undecodable => "undecodable",
            Self::Unjudgeable => "unjudgeable",
            Self::Unwritable => "unwritable",
        }
    }
}

/// Where a record stands, and what it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dead<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: i32,
    pub(crate) offset: u64,
    pub(crate) append_ms: i64,
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
}

/// The dead letter of a record.
pub(crate) fn letter(dead: Dead<'_>, reason: Reason, detail: &str) -> DeadLetter {
    let cut = |bytes: &[u8], most: usize| bytes[..bytes.len().min(most)].to_vec();
    DeadLetter {
        topic: dead.topic.to_owned(),
        partition: dead.partition,
        offset: dead.offset,
        reason: format!("{}: {detail}", reason.label()),
        key: cut(dead.key, KEY_BYTES_MAX).into(),
        value: cut(dead.value, VALUE_BYTES_MAX).into(),
        append_ms: dead.append_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_says_where_and_why_and_is_cut() {
        let value = vec![7; VALUE_BYTES_MAX + 1];
        let dead = Dead { topic: "t", partition: 3, offset: 9, append_ms: 5, key: b"room", value: &value };
        let letter = letter(dead, Reason::Undecodable, "bad wire type");
        assert_eq!((letter.topic.as_str(), letter.partition, letter.offset, letter.append_ms), ("t", 3, 9, 5));
        assert_eq!(letter.reason, "undecodable: bad wire type");
        assert_eq!((letter.key.len(), letter.value.len()), (4, VALUE_BYTES_MAX));
    }
}
