//! What an input becomes on the screen once it passed: one item for the room or for one user, and what late joiners are told.

use proto::v1::{self, Fate, Item, Kind, Message, State, input::Body, item, state};

use crate::heard::Heard;

/// The item of an input that passed. `None` for what acts without being seen, and for kinds of a later release.
pub(super) fn item(heard: Heard) -> Option<Item> {
    let id = heard.id().to_string();
    let v1::Input { user, accepted_ms, body, .. } = heard.into_input();
    match body? {
        Body::Say(say) => Some(room(Fate::Lossy, item::Body::Message(spoken(id, accepted_ms, user, say)))),
        Body::Post(post) => Some(room(Fate::Lossless, item::Body::Message(posted(id, accepted_ms, user, post)))),
        Body::Recall(recall) => Some(room(Fate::Lossless, item::Body::Recall(recall))),
        Body::Mode(mode) => Some(room(Fate::Lossless, item::Body::Mode(mode))),
        Body::Announcement(word) => Some(room(Fate::Lossless, item::Body::Message(announced(accepted_ms, word)))),
        Body::Notice(v1::PrivateNotice { to_user, notice }) => {
            Some(Item { fate: Fate::Lossless as i32, to_user, body: Some(item::Body::Notice(notice?)) })
        }
        // They act on the judge and on its holds, which are not built yet.
        Body::Decision(_) | Body::Sanction(_) => None,
    }
}

/// What a late joiner must know of an input that passed.
pub(super) fn state(heard: &Heard) -> Option<State> {
    let input = heard.input();
    let (key, value) = match input.body.as_ref()? {
        Body::Mode(mode) => ("mode".to_owned(), state::Value::Mode(*mode)),
        Body::Post(post) if !post.sticky.is_empty() => {
            let message = posted(heard.id().to_string(), input.accepted_ms, input.user.clone(), post.clone());
            (format!("sticky/{}", post.sticky), state::Value::Message(message))
        }
        _ => return None,
    };
    let id = heard.id();
    Some(State { room: input.room.clone(), key, src: id.offset, generation: id.generation, value: Some(value) })
}

fn room(fate: Fate, body: item::Body) -> Item {
    Item { fate: fate as i32, to_user: String::new(), body: Some(body) }
}

fn spoken(id: String, at: i64, user: Option<v1::User>, say: v1::Say) -> Message {
    let v1::Say { text, color, position, size } = say;
    Message { id, at, user, text, color, position, size, ..Message::default() }
}

fn posted(id: String, at: i64, user: Option<v1::User>, post: v1::Post) -> Message {
    let v1::Post { kind, text, event, data, .. } = post;
    Message { id, at, user, text, kind, event, data, ..Message::default() }
}

/// One word to every room has one id everywhere, so that who watches two rooms knows it again.
fn announced(at: i64, word: v1::Announcement) -> Message {
    let v1::Announcement { id, text, data } = word;
    Message { id, at, text, data, kind: Kind::System as i32, ..Message::default() }
}
