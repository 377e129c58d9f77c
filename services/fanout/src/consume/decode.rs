//! From an output record to what the hall keeps: each message is encoded here, once, for everybody who will ever see it.
//! Pure.

use std::sync::Arc;

use proto::{
    RoomId,
    frame::FromServer,
    v1::{self, Fate, item},
};

use crate::{
    message::Message,
    raw::{Body, Item},
    wire::Shared,
};

/// What a record shows.
#[derive(Debug)]
pub(super) struct Decoded {
    /// Whom it is for; `None` is every room of the partition.
    pub(super) room: Option<RoomId>,
    /// What rooms see, and what some of their viewers do, in order.
    pub(super) items: Vec<Item>,
}

/// Why a record is none.
#[derive(Debug, thiserror::Error)]
#[error("its room is none: {0}")]
pub(super) struct BadRoom(#[from] proto::room::BadId);

/// Decodes what `output` shows. What a later release may put there is passed over.
pub(super) fn decode(output: &v1::Output) -> Result<Decoded, BadRoom> {
    let room = if output.room.is_empty() { None } else { Some(RoomId::new(&output.room)?) };
    let items = output.items.iter().filter_map(item).collect();
    Ok(Decoded { room, items })
}

fn item(item: &v1::Item) -> Option<Item> {
    let to_user = Some(&*item.to_user).filter(|user| !user.is_empty()).map(Box::from);
    let body = match item.body.as_ref()? {
        item::Body::Message(message) => Body::Message(Arc::new(Message::new(message))),
        item::Body::Recall(recall) => said(FromServer::Recall(recall.clone())),
        item::Body::Mode(mode) => said(FromServer::Mode(*mode)),
        // These are for one user, always; without a name they are for nobody.
        item::Body::Told(_) | item::Body::Notice(_) if to_user.is_none() => return None,
        item::Body::Told(told) => said(FromServer::Verdict(told.clone())),
        item::Body::Notice(notice) => said(FromServer::Notice(notice.clone())),
    };
    // A fate that this release does not know is not a license to drop.
    Some(Item { fate: Fate::try_from(item.fate).unwrap_or(Fate::Lossless), to_user, body })
}

fn said(said: FromServer) -> Body {
    Body::Said(Box::new(Shared::say(said)))
}

#[cfg(test)]
mod tests {
    use proto::frame;

    use super::*;

    fn with(bodies: Vec<(i32, &str, item::Body)>) -> v1::Output {
        let item = |(fate, to_user, body): (i32, &str, item::Body)| v1::Item {
            fate,
            to_user: to_user.to_owned(),
            body: Some(body),
        };
        v1::Output { room: "a".into(), items: bodies.into_iter().map(item).collect(), ..v1::Output::default() }
    }

    fn message(text: &str) -> item::Body {
        item::Body::Message(v1::Message { text: text.into(), ..v1::Message::default() })
    }

    /// Whom an item is for, and its JSON.
    fn shown(item: &Item) -> (Fate, &str, String) {
        let json = match &item.body {
            Body::Message(message) => message.json().to_vec(),
            Body::Said(shared) => frame::to_json(shared.said().unwrap()),
        };
        (item.fate, item.to_user.as_deref().unwrap_or_default(), String::from_utf8(json).unwrap())
    }

    #[test]
    fn rooms_see_messages_and_controls_in_order() {
        let recall = v1::Recall { ids: vec!["1-2-3".into()], ..v1::Recall::default() };
        let output = with(vec![
            (0, "", message("x")),
            (1, "", message("gift")),
            (1, "", item::Body::Recall(recall)),
            (1, "", item::Body::Mode(v1::Mode::default())),
            (9, "", message("later")),
        ]);
        let decoded = decode(&output).unwrap();
        let told: Vec<_> = decoded.items.iter().map(shown).collect();
        assert_eq!(told[0], (Fate::Lossy, "", r#"{"text":"x"}"#.into()));
        assert_eq!(told[1].0, Fate::Lossless);
        assert_eq!(told[2], (Fate::Lossless, "", r#"{"type":"recall","ids":["1-2-3"]}"#.into()));
        assert_eq!(told[3], (Fate::Lossless, "", r#"{"type":"mode"}"#.into()));
        assert_eq!(told[4].0, Fate::Lossless);
    }

    #[test]
    fn what_is_for_one_user_names_him() {
        let told = || item::Body::Told(v1::Told::default());
        let output = with(vec![(0, "u7", message("x")), (1, "u7", told()), (1, "", told())]);
        let decoded = decode(&output).unwrap();
        let shown: Vec<_> = decoded.items.iter().map(shown).collect();
        let expected = [
            (Fate::Lossy, "u7", r#"{"text":"x"}"#.to_owned()),
            (Fate::Lossless, "u7", r#"{"type":"verdict"}"#.to_owned()),
        ];
        assert_eq!(shown, expected);
        assert!(decoded.items[0].message().is_none(), "it does not count in the room's books");
    }

    #[test]
    fn no_room_is_every_room_and_a_bad_one_is_none() {
        assert_eq!(decode(&v1::Output::default()).unwrap().room, None);
        assert!(decode(&v1::Output { room: "a/b".into(), ..v1::Output::default() }).is_err());
    }
}
