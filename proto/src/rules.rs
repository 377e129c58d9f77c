//! The keys of `danmaku-rules`: under which a chunk, a version, a mute and a ban stand. What the records hold is kept out.

use std::{fmt, str::FromStr};

use crate::{RoomId, ban::Subject};

/// Entries of a scope are spread over so many chunks, by a hash of their text.
pub const CHUNKS: usize = 64;

/// Bytes of a chunk's name: SHA-256 of its record's `entries`.
pub const HASH_BYTES: usize = 32;

/// For which rooms a list is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// All.
    Global,
    /// One.
    Room(RoomId),
}

/// What a record of the rules is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// Entries, named by their hash.
    Chunk([u8; HASH_BYTES]),
    /// A version of a scope.
    Version(Scope, u64),
    /// Whether somebody may speak in a room.
    Mute(RoomId, Subject),
    /// Whether somebody may speak or watch at all.
    Ban(Subject),
}

/// A key that this release does not know; it is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no key of the rule book")]
pub struct UnknownKey;

/// A text that names no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a scope is \"global\" or \"room/\" and a room")]
pub struct BadScope;

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Room(room) => write!(f, "room/{}", room.as_str()),
        }
    }
}

impl FromStr for Scope {
    type Err = BadScope;

    fn from_str(text: &str) -> Result<Self, BadScope> {
        match text.strip_prefix("room/") {
            Some(room) => RoomId::new(room).map(Self::Room).map_err(|_| BadScope),
            None if text == "global" => Ok(Self::Global),
            None => Err(BadScope),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chunk(hash) => {
                f.write_str("chunk/")?;
                hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Self::Version(scope, number) => write!(f, "version/{scope}/{number}"),
            Self::Mute(room, subject) => write!(f, "mute/{}/{subject}", room.as_str()),
            Self::Ban(subject) => f.write_str(&subject.record_key()),
        }
    }
}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        let (kind, rest) = text.split_once('/').ok_or(UnknownKey)?;
        match kind {
            "chunk" => hash(rest).map(Self::Chunk),
            "version" => rest.rsplit_once('/').and_then(|(scope, number)| {
                let number = number
                    .parse()
                    .ok()
                    .filter(|number: &u64| number.to_string().len() == rest.len() - scope.len() - 1)?;
                Some(Self::Version(scope.parse().ok()?, number))
            }),
            // A room holds no slash; a subject may.
            "mute" => rest
                .split_once('/')
                .and_then(|(room, subject)| Some(Self::Mute(RoomId::new(room).ok()?, subject.parse().ok()?))),
            "ban" => rest.parse().ok().map(Self::Ban),
            _ => None,
        }
        .ok_or(UnknownKey)
    }
}

fn hash(hex: &str) -> Option<[u8; HASH_BYTES]> {
    if hex.len() != 2 * HASH_BYTES || !hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let mut hash = [0; HASH_BYTES];
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let hex = "0f".repeat(32);
        for text in [
            format!("chunk/{hex}"),
            "version/global/1".to_owned(),
            "version/room/demo/18446744073709551615".to_owned(),
            "mute/demo/user/ann/b".to_owned(),
            "mute/弹幕/device/x".to_owned(),
            "ban/user/ann".to_owned(),
            "ban/address/0123456789abcdef0123456789abcdef".to_owned(),
        ] {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_key_is_none() {
        for text in [
            "",
            "chunk/",
            "chunk/0F",
            &format!("chunk/{}", "0F".repeat(32)),
            "version/global/",
            "version/global/01",
            "version/global/-1",
            "version/all/1",
            "version/room//1",
            "mute/demo",
            "mute/demo/ann",
            "ban/ann",
            "word/blorp",
        ] {
            assert_eq!(text.parse::<Key>(), Err(UnknownKey), "{text}");
        }
    }
}
