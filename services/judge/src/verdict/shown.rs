//! What an input becomes on the screen once it passed: one item for the room or for one user, and what late joiners are told.

use proto::{
    ban::Subject,
    v1::{self, Fate, Item, Kind, Message, SanctionKind, State, input::Body, item, state},
};

use super::{MUTE_KEY, Verdict};
use crate::heard::Heard;

/// The item of an input under its verdict. `None` for what is not shown, for what acts without being seen, and for kinds of a
/// later release.
pub(super) fn item(heard: Heard, verdict: Verdict) -> Option<Item> {
    match verdict {
        Verdict::Passed | Verdict::Flagged => as_it_is(heard),
        Verdict::Approved { name } => as_it_is(heard).map(|item| masked(item, None, name)),
        Verdict::Masked { text, name } => as_it_is(heard).map(|item| masked(item, text, name)),
        Verdict::Shadowed => {
            let author = heard.input().user_id().to_owned();
            as_it_is(heard).map(|item| Item { to_user: author, ..item })
        }
        _ => None,
    }
}

fn as_it_is(heard: Heard) -> Option<Item> {
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
        Body::Decision(decision) => approved(decision).map(|message| room(Fate::Lossy, item::Body::Message(message))),
        // It acts on the judge.
        Body::Sanction(_) => None,
    }
}

/// What was held, under its own id and time.
fn approved(decision: v1::Decision) -> Option<Message> {
    let v1::Decision { held_id, at, user, say, edited, .. } = decision;
    Some(Message { edited, ..spoken(held_id, at, user, say?) })
}

fn masked(mut item: Item, text: Option<String>, name: Option<String>) -> Item {
    if let Some(item::Body::Message(message)) = &mut item.body {
        message.text = text.unwrap_or_else(|| std::mem::take(&mut message.text));
        if let (Some(user), Some(name)) = (&mut message.user, name) {
            user.name = name;
        }
    }
    item
}

/// An end that has passed: of a mute that was lifted.
const ENDED_MS: i64 = 1;

/// What a late joiner must know of an input that passed, or who judges next.
pub(super) fn state(heard: &Heard) -> Option<State> {
    let input = heard.input();
    let (key, value) = match input.body.as_ref()? {
        Body::Mode(mode) => ("mode".to_owned(), state::Value::Mode(*mode)),
        Body::Post(post) if !post.sticky.is_empty() => {
            let message = posted(heard.id().to_string(), input.accepted_ms, input.user.clone(), post.clone());
            (format!("sticky/{}", post.sticky), state::Value::Message(message))
        }
        // It lifts what a rule decided too, and that stands there under the same key.
        Body::Sanction(sanction) if sanction.kind() == SanctionKind::Unmute => {
            let Ok(Subject::User(user)) = sanction.subject.parse() else { return None };
            (format!("{MUTE_KEY}{user}"), state::Value::Muted(v1::Muted { until: ENDED_MS }))
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
