//! Who and where: rooms and users as checked values. What a user may do is not decided here.

use std::{fmt, sync::Arc};

/// Longest room or user id in bytes of UTF-8.
pub const ID_BYTES_MAX: usize = 128;

/// A room: 1–128 bytes of UTF-8 without `/` and C0 controls, and neither `.` nor `..` (clients rewrite those in a path).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomId(Arc<str>);

/// A user: 1–128 bytes of UTF-8 without C0 controls, as the token's `sub` names him.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserId(Arc<str>);

/// Why a text is no room or user id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadId {
    /// Nothing between the slashes.
    #[error("it is empty")]
    Empty,
    /// Longer than [`ID_BYTES_MAX`].
    #[error("it is longer than 128 bytes")]
    TooLong,
    /// A character that would break a path, a key or a log line.
    #[error("it holds a slash or a control character")]
    Character,
    /// `.` or `..`, which HTTP clients rewrite.
    #[error("a dot or two dots mean something else in a path")]
    Dots,
}

fn check(text: &str) -> Result<(), BadId> {
    match text {
        "" => Err(BadId::Empty),
        _ if text.len() > ID_BYTES_MAX => Err(BadId::TooLong),
        _ if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) => Err(BadId::Character),
        _ => Ok(()),
    }
}

impl RoomId {
    /// Checks `text` and makes it a room.
    pub fn new(text: &str) -> Result<Self, BadId> {
        check(text)?;
        match text {
            "." | ".." => Err(BadId::Dots),
            _ if text.contains('/') => Err(BadId::Character),
            _ => Ok(Self(text.into())),
        }
    }
}

impl UserId {
    /// Checks `text` and makes it a user.
    pub fn new(text: &str) -> Result<Self, BadId> {
        check(text).map(|()| Self(text.into()))
    }
}

macro_rules! id_traits {
    ($name:ident) => {
        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}
id_traits!(RoomId);
id_traits!(UserId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms() {
        let long = "x".repeat(128);
        for good in ["demo", "房间", "🎉", "a", ".a", "...", "with space", long.as_str()] {
            assert_eq!(RoomId::new(good).unwrap().as_str(), good);
        }
        let too_long = "é".repeat(65);
        let table = [
            ("", BadId::Empty),
            (too_long.as_str(), BadId::TooLong),
            ("a/b", BadId::Character),
            ("a\0b", BadId::Character),
            ("a\nb", BadId::Character),
            (".", BadId::Dots),
            ("..", BadId::Dots),
        ];
        for (text, why) in table {
            assert_eq!(RoomId::new(text), Err(why), "{text:?}");
        }
    }

    #[test]
    fn a_user_may_hold_a_slash() {
        assert!(UserId::new("idp/42").is_ok());
        assert_eq!(UserId::new(""), Err(BadId::Empty));
    }
}
