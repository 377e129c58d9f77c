//! May this be said at all? A body's bytes in, a checked record body or a refusal out.
//! Pure: who says it, where and how fast is asked elsewhere.

mod json;

use proto::{
    UserId,
    room::ID_BYTES_MAX,
    text::{self, BadText, line},
    v1,
    v1::input::Body,
};
use serde::Deserialize;
use serde_json::Value;

use crate::refusal::Refusal;

/// Bytes of JSON in `data`.
const DATA_BYTES_MAX: usize = 2048;
/// Bytes of a sticky key: with 16 keys a room, 1 KiB.
const STICKY_BYTES_MAX: usize = 64;
/// Bytes of an event's name.
const EVENT_NAME_BYTES_MAX: usize = 64;
/// What a message shows beside a name.
pub(crate) const BADGES_MAX: usize = 8;

/// Something that may be said, if the right one says it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Admitted {
    /// What protects a retry; empty = nothing.
    pub(crate) client_id: String,
    /// In whose name a service speaks.
    pub(crate) user: Option<v1::User>,
    /// What goes on record.
    pub(crate) body: Body,
}

/// A viewer's danmaku out of `POST …/danmaku`. Its fields are those of the `send` frame.
pub(crate) fn say(bytes: &[u8], text_max: usize) -> Result<Admitted, Refusal> {
    let value = json::object(bytes)?;
    let client_id = client_id(&value)?;
    if !value.get("text").is_some_and(Value::is_string) {
        return Err(malformed("text is missing or no string"));
    }
    let send = v1::Send::deserialize(value).map_err(malformed)?;
    let text = text::danmaku(&send.text, text_max)?;
    let say = v1::Say { text, color: send.color, position: send.position, size: send.size };
    Ok(Admitted { client_id: client_id.unwrap_or_default(), user: None, body: Body::Say(say) })
}

/// The fields of `POST …/events`.
#[derive(Deserialize)]
struct Event {
    kind: String,
    user: Option<v1::User>,
    text: Option<String>,
    event: Option<String>,
    data: Option<Value>,
    sticky: Option<String>,
}

/// A platform server's gift, super-chat, system line or typed event out of `POST …/events`.
pub(crate) fn post(bytes: &[u8], text_max: usize) -> Result<Admitted, Refusal> {
    let value = json::object(bytes)?;
    let client_id = client_id(&value)?
        .ok_or_else(|| malformed("client_id is missing: without it a retry would give the gift twice"))?;
    let event = Event::deserialize(value).map_err(malformed)?;
    let kind = kind(&event.kind)?;
    let user = event.user.map(spoken_for).transpose()?;
    let data = event.data.filter(|data| !data.is_null());
    check_data(kind, data.as_ref())?;
    let post = v1::Post {
        kind: kind as i32,
        text: post_text(kind, event.text.as_deref().unwrap_or_default(), text_max)?,
        event: event_name(kind, event.event.unwrap_or_default())?,
        data: written(data)?,
        sticky: sticky(event.sticky)?,
    };
    Ok(Admitted { client_id, user, body: Body::Post(post) })
}

/// The fields of `POST /v1/announcements`.
#[derive(Deserialize)]
struct Announcement {
    text: String,
    data: Option<Value>,
}

/// One word to every room out of `POST /v1/announcements`. Its id is its `client_id`'s, so that a retry is the same one in
/// every room, wherever the first try had come to.
pub(crate) fn announce(bytes: &[u8], text_max: usize) -> Result<Admitted, Refusal> {
    let value = json::object(bytes)?;
    let client_id = client_id(&value)?
        .ok_or_else(|| malformed("client_id is missing: without it a retry would announce the word twice"))?;
    let Announcement { text, data } = Announcement::deserialize(value).map_err(malformed)?;
    let word = v1::Announcement {
        id: format!("a-{client_id}"),
        text: text::danmaku(&text, text_max)?,
        data: written(data.filter(|data| !data.is_null()))?,
    };
    Ok(Admitted { client_id, user: None, body: Body::Announcement(word) })
}

/// `data` as it goes on record.
fn written(data: Option<Value>) -> Result<String, Refusal> {
    let data = data.map(|data| data.to_string()).unwrap_or_default();
    if data.len() > DATA_BYTES_MAX {
        return Err(Refusal::TooLong(format!("data is over {DATA_BYTES_MAX} bytes of JSON")));
    }
    Ok(data)
}

fn malformed(why: impl std::fmt::Display) -> Refusal {
    Refusal::Malformed(why.to_string())
}

/// `Ok(None)` when it is absent, which an empty one is not: who sends it means something by it.
fn client_id(value: &Value) -> Result<Option<String>, Refusal> {
    let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    match value.get("client_id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) if (1..=64).contains(&id.len()) && plain(id) => Ok(Some(id.clone())),
        Some(_) => Err(malformed("client_id must be 1 to 64 characters of A-Z, a-z, 0-9, '_' and '-'")),
    }
}

fn kind(word: &str) -> Result<v1::Kind, Refusal> {
    match word {
        "gift" => Ok(v1::Kind::Gift),
        "super" => Ok(v1::Kind::Super),
        "system" => Ok(v1::Kind::System),
        "event" => Ok(v1::Kind::Event),
        _ => Err(malformed("kind must be one of: gift super system event")),
    }
}

fn spoken_for(user: v1::User) -> Result<v1::User, Refusal> {
    UserId::new(&user.id).map_err(|why| malformed(format_args!("user.id is none: {why}")))?;
    if user.badges.len() > BADGES_MAX {
        return Err(malformed(format_args!("user.badges holds more than {BADGES_MAX}")));
    }
    let name = shown_name(&user.name, &user.id);
    Ok(v1::User { name, ..user })
}

/// A name as it may stand beside a message: one line without tricks, the id where nothing is left of it.
pub(crate) fn shown_name(name: &str, id: &str) -> String {
    Some(line(name)).filter(|name| !name.is_empty()).unwrap_or_else(|| line(id))
}

fn post_text(kind: v1::Kind, text: &str, text_max: usize) -> Result<String, Refusal> {
    match text::danmaku(text, text_max) {
        // Only a system line is its text.
        Err(BadText::Empty) if kind != v1::Kind::System => Ok(String::new()),
        checked => Ok(checked?),
    }
}

fn event_name(kind: v1::Kind, name: String) -> Result<String, Refusal> {
    let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte));
    match (kind, name.len()) {
        (v1::Kind::Event, 1..=EVENT_NAME_BYTES_MAX) if plain(&name) => Ok(name),
        (v1::Kind::Event, _) => {
            Err(malformed("event must name the event: 1 to 64 characters of A-Z, a-z, 0-9 and _-.:/"))
        }
        (_, 0) => Ok(name),
        _ => Err(malformed("event belongs to kind event")),
    }
}

fn sticky(key: Option<String>) -> Result<String, Refusal> {
    let Some(key) = key else { return Ok(String::new()) };
    let plain = !key.bytes().any(|byte| byte < 0x20 || byte == 0x7f);
    if plain && (1..=STICKY_BYTES_MAX).contains(&key.len()) {
        Ok(key)
    } else {
        Err(malformed(format_args!("sticky must be a key of 1 to {STICKY_BYTES_MAX} bytes without control characters")))
    }
}

/// Gifts and super-chats are added up and shown by what stands in `data`, so it is checked before it is on record.
fn check_data(kind: v1::Kind, data: Option<&Value>) -> Result<(), Refusal> {
    let field = |name: &str| data.and_then(|data| data.get(name));
    let word =
        |name: &str| field(name).and_then(Value::as_str).is_some_and(|word| (1..=ID_BYTES_MAX).contains(&word.len()));
    let number = |name: &str| field(name).is_some_and(Value::is_u64);
    let good = match kind {
        v1::Kind::Gift => word("gift") && word("name") && number("count") && number("value"),
        v1::Kind::Super => number("amount_minor") && word("currency") && number("show_ms"),
        _ => true,
    };
    match kind {
        _ if good => Ok(()),
        v1::Kind::Gift => {
            Err(malformed("data of a gift must hold the texts gift and name and the whole numbers count and value"))
        }
        _ => Err(malformed(
            "data of a super-chat must hold the text currency and the whole numbers amount_minor and show_ms",
        )),
    }
}

#[cfg(test)]
mod tests;
