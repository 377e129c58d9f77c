//! The numbers that order everything: message ids, sources, cursors, owner numbers; and their text forms.

use std::{fmt, str::FromStr};

use crate::v1;

/// Where a message entered the river: the input record's generation, partition and offset.
///
/// Unique and ordered within a room. Text form `generation-partition-offset`; clients treat it as opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId {
    /// Raised when topics are recreated or a cluster is moved.
    pub generation: u32,
    /// The input partition, which is also the output partition.
    pub partition: i32,
    /// The input offset.
    pub offset: u64,
}

/// An input offset within its generation: what deduplication compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Source {
    /// See [`MessageId::generation`].
    pub generation: u32,
    /// The input offset.
    pub offset: u64,
}

/// A viewer's place in a partition: everything up to here was written to him or counted in a gap.
///
/// Both offsets are those of the next record to read. A resume replays what has an output offset at or above `next` **and**
/// a source at or above `src_next`. Text form `generation-partition-src-next`; clients treat it as opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// See [`MessageId::generation`].
    pub generation: u32,
    /// The partition of the viewer's room.
    pub partition: i32,
    /// One above the highest input offset that was written or counted.
    pub src_next: u64,
    /// One above the highest output offset that was written or counted.
    pub next: u64,
}

/// Why a text is no id or cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected numbers joined by dashes")]
pub struct BadNumbers;

fn number<T: FromStr>(part: Option<&str>) -> Result<T, BadNumbers> {
    // `parse` would take a plus sign and zeros ahead; an id has one text form only.
    let is_own_form = |part: &&str| *part == "0" || !part.starts_with(['0', '+']);
    part.filter(is_own_form).and_then(|part| part.parse().ok()).ok_or(BadNumbers)
}

impl MessageId {
    /// The part that deduplication compares.
    pub fn source(self) -> Source {
        Source { generation: self.generation, offset: self.offset }
    }

    /// What a trace of this message is derived from where none travels with it: its id, and when it was accepted, because
    /// another installation that reports to the same place gives the same ids.
    pub fn trace_key(self, accepted_ms: i64) -> String {
        format!("{self}@{accepted_ms}")
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.generation, self.partition, self.offset)
    }
}

impl FromStr for MessageId {
    type Err = BadNumbers;

    fn from_str(text: &str) -> Result<Self, BadNumbers> {
        let mut parts = text.split('-');
        let id =
            Self { generation: number(parts.next())?, partition: number(parts.next())?, offset: number(parts.next())? };
        parts.next().map_or(Ok(id), |_| Err(BadNumbers))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-{}", self.generation, self.partition, self.src_next, self.next)
    }
}

impl FromStr for Cursor {
    type Err = BadNumbers;

    fn from_str(text: &str) -> Result<Self, BadNumbers> {
        let mut parts = text.split('-');
        let cursor = Self {
            generation: number(parts.next())?,
            partition: number(parts.next())?,
            src_next: number(parts.next())?,
            next: number(parts.next())?,
        };
        parts.next().map_or(Ok(cursor), |_| Err(BadNumbers))
    }
}

/// Which filter owned a partition when it wrote a record (F6): compared field by field, the higher is the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct OwnerNumber {
    /// Raised when the group forgot its generations.
    pub bump: u64,
    /// The consumer group's generation id.
    pub group_generation: i32,
    /// How often this member threw its producer away and read again within one group generation.
    pub rewinds: u64,
}

impl From<&v1::Owner> for OwnerNumber {
    fn from(owner: &v1::Owner) -> Self {
        Self { bump: owner.bump, group_generation: owner.group_generation, rewinds: owner.rewinds }
    }
}

impl From<OwnerNumber> for v1::Owner {
    fn from(owner: OwnerNumber) -> Self {
        Self { bump: owner.bump, group_generation: owner.group_generation, rewinds: owner.rewinds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_and_cursors_read_back(generation: u32, partition in 0..i32::MAX, src_next: u64, next: u64) {
            let id = MessageId { generation, partition, offset: next };
            prop_assert_eq!(id.to_string().parse(), Ok(id));
            let cursor = Cursor { generation, partition, src_next, next };
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }

        #[test]
        fn any_text_is_refused_or_its_own_form(text in "(0?[0-9]{1,2}-){2,3}0?[0-9]|[0-9+-]{0,30}|\\PC{0,20}") {
            if let Ok(id) = text.parse::<MessageId>() {
                prop_assert_eq!(id.to_string(), &*text);
            }
            if let Ok(cursor) = text.parse::<Cursor>() {
                prop_assert_eq!(cursor.to_string(), text);
            }
        }
    }

    #[test]
    fn foreign_cursors_are_refused() {
        for bad in ["", "1-2-3", "1-2-3-4-5", "1-2-3-x", "1-2-3-+4", "1--3-4", "-1-2-3-4", "1-2-3-99999999999999999999"]
        {
            assert_eq!(bad.parse::<Cursor>(), Err(BadNumbers), "{bad}");
        }
        for bad in ["01-2-3-4", "1-2-3-00", "1-2-3-"] {
            assert_eq!(bad.parse::<Cursor>(), Err(BadNumbers), "{bad}");
        }
    }

    #[test]
    fn owners_compare_field_by_field() {
        let owner = |bump, group_generation, rewinds| OwnerNumber { bump, group_generation, rewinds };
        assert!(owner(0, 9, 9) < owner(1, 0, 0));
        assert!(owner(1, 3, 9) < owner(1, 4, 0));
        assert!(owner(1, 3, 0) < owner(1, 3, 1));
    }
}
