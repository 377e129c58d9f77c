//! The body of the auth packet: which room, in which version, and with which key.
//!
//! Whether a token is good is the house's to say.

use proto::RoomId;
use serde::Deserialize;

use super::Version;

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Auth {
    /// The room; a number means the room whose name are its digits.
    pub(crate) room: RoomId,
    /// How he wants his messages.
    pub(crate) version: Version,
    /// One of our tokens. Anything of another form, such as another system's key, is none: who brings it is anonymous.
    pub(crate) token: Option<String>,
}

/// Why there is nothing to let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadAuth {
    /// Not JSON, or a field of another kind: close 4505.
    Unreadable,
    /// No room can be called so: close 4504.
    NoSuchRoom,
}

#[derive(Deserialize)]
struct Body {
    roomid: Room,
    #[serde(default)]
    protover: Number,
    #[serde(default)]
    key: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Room {
    Number(u64),
    Name(String),
}

/// Some clients hold numbers as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u64),
    Text(String),
}

impl Default for Number {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl Auth {
    /// Reads the body. The frame's bound of 4 KiB is the body's, too.
    ///
    /// # Errors
    /// When it says nothing that can be answered but with a refusal.
    pub(crate) fn read(body: &[u8]) -> Result<Self, BadAuth> {
        let Body { roomid, protover, key } = serde_json::from_slice(body).map_err(|_| BadAuth::Unreadable)?;
        let name = match roomid {
            Room::Number(number) => number.to_string(),
            Room::Name(name) => name,
        };
        let protover = match protover {
            Number::Number(number) => number,
            Number::Text(text) => text.parse().map_err(|_| BadAuth::Unreadable)?,
        };
        let room = RoomId::new(&name).map_err(|_| BadAuth::NoSuchRoom)?;
        Ok(Self { room, version: Version::asked(protover), token: key.filter(|key| has_form_of_token(key)) })
    }
}

/// Three parts of base64url with points between them.
fn has_form_of_token(key: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    key.split('.').count() == 3 && key.split('.').all(is_part)
}
