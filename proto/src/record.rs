//! Records as bytes on a topic: encoding, decoding, and the two readings that every service shares.

use crate::{
    id::{OwnerNumber, Source},
    v1,
};

/// The Kafka header of an output record that repeats its input offset in decimal, for tools that do not decode records.
pub const HEADER_SRC: &str = "src";

/// The Kafka header that carries the W3C trace context.
pub const HEADER_TRACEPARENT: &str = "traceparent";

/// A record that is no protobuf of its topic's kind. It goes to the dead letters; the partition goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("undecodable record: {0}")]
pub struct Undecodable(pub String);

/// Decodes a record of kind `R`.
pub fn decode<R: prost::Message + Default>(bytes: &[u8]) -> Result<R, Undecodable> {
    R::decode(bytes).map_err(|error| Undecodable(error.to_string()))
}

/// Encodes a record.
pub fn encode<R: prost::Message>(record: &R) -> Vec<u8> {
    record.encode_to_vec()
}

/// How many bytes a record takes.
pub fn encoded_len<R: prost::Message>(record: &R) -> usize {
    record.encoded_len()
}

impl v1::Output {
    /// What this record answers; `None` if it only claims the partition for its owner.
    pub fn source(&self) -> Option<Source> {
        self.src.map(|offset| Source { generation: self.generation, offset })
    }

    /// Who wrote it; a record without an owner counts as the lowest.
    pub fn owner_number(&self) -> OwnerNumber {
        self.owner.as_ref().map(OwnerNumber::from).unwrap_or_default()
    }

    /// The record by which `owner` claims a partition (F6).
    pub fn claim(generation: u32, owner: OwnerNumber) -> Self {
        Self { generation, owner: Some(owner.into()), ..Self::default() }
    }

    /// Whether this record only claims the partition.
    pub fn is_claim(&self) -> bool {
        self.src.is_none()
    }
}

impl v1::Input {
    /// The id under which its message is shown, given where it stands.
    pub fn id_at(&self, partition: i32, offset: u64) -> crate::MessageId {
        crate::MessageId { generation: self.generation, partition, offset }
    }

    /// The speaker's id; empty when a service spoke for nobody.
    pub fn user_id(&self) -> &str {
        self.user.as_ref().map_or("", |user| &user.id)
    }
}

impl v1::State {
    /// The Kafka key under which only its last value is kept. A room's id holds no slash, so keys are never confused.
    pub fn record_key(&self) -> String {
        format!("{}/{}", self.room, self.key)
    }
}

impl v1::Word {
    /// The word with this number; `None` for one of a later release. prost's own getters read that as the first, `passed`.
    pub fn known(number: i32) -> Option<Self> {
        Self::try_from(number).ok()
    }

    /// The verdict in the contract's word: `passed`, `masked` …
    pub fn as_word(self) -> &'static str {
        crate::json::word::name(self)
    }

    /// The same by its number; `unknown` for one of a later release.
    pub fn name_of(number: i32) -> &'static str {
        Self::known(number).map_or(crate::json::verdict::UNKNOWN, Self::as_word)
    }

    /// Whether the message reaches the room.
    pub fn is_shown(self) -> bool {
        matches!(self, Self::Passed | Self::Flagged | Self::Masked | Self::Approved)
    }

    /// Whether its sender is told privately.
    pub fn is_told(self) -> bool {
        matches!(
            self,
            Self::Masked
                | Self::Blocked
                | Self::Held
                | Self::Approved
                | Self::Rejected
                | Self::Muted
                | Self::Limited
                | Self::Repeated
        )
    }

    /// Whether a record of its own goes to `danmaku-verdicts`.
    pub fn is_recorded(self) -> bool {
        self != Self::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_releases_fields_are_passed_over() {
        let mut bytes = encode(&v1::Output { generation: 1, src: Some(7), ..Default::default() });
        bytes.extend([0xfa, 0x3f, 3, b'n', b'e', b'w']); // field 1023, length 3
        let output: v1::Output = decode(&bytes).unwrap();
        assert_eq!(output.source(), Some(Source { generation: 1, offset: 7 }));
    }

    #[test]
    fn a_claim_answers_nothing() {
        let owner = OwnerNumber { bump: 1, group_generation: 5, rewinds: 2 };
        let claim: v1::Output = decode(&encode(&v1::Output::claim(3, owner))).unwrap();
        assert!(claim.is_claim());
        assert_eq!((claim.source(), claim.owner_number()), (None, owner));
    }

    #[test]
    fn a_later_releases_word_is_unknown() {
        for (number, known, name) in [
            (0, Some(v1::Word::Passed), "passed"),
            (13, Some(v1::Word::Superseded), "superseded"),
            (14, None, "unknown"),
            (-1, None, "unknown"),
        ] {
            assert_eq!((v1::Word::known(number), v1::Word::name_of(number)), (known, name), "{number}");
        }
    }

    #[test]
    fn noise_is_undecodable() {
        assert!(decode::<v1::Input>(&[0xff; 9]).is_err());
    }
}
