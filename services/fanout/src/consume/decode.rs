//! From an output record to what the hall keeps: each message is encoded here, once, for everybody who will ever see it.
//! Pure.

use proto::{
    RoomId,
    frame::{self, FromServer},
    v1::{self, Fate, item},
};

use crate::raw::{Body, Item};

/// What a record shows.
#[derive(Debug)]
pub(super) struct Decoded {
    /// Whom it is for; `None` is every room of the partition.
    pub(super) room: Option<RoomId>,
    /// What rooms see, in order.
    pub(super) items: Vec<Item>,
    /// Items that are for one user alone.
    pub(super) private: u64,
}

/// Why a record is none.
#[derive(Debug, thiserror::Error)]
#[error("its room is none: {0}")]
pub(super) struct BadRoom(#[from] proto::room::BadId);

/// Decodes what `output` shows. What a later release may put there is passed over.
pub(super) fn decode(output: &v1::Output) -> Result<Decoded, BadRoom> {
    let room = if output.room.is_empty() { None } else { Some(RoomId::new(&output.room)?) };
    let (private, shown): (Vec<_>, Vec<_>) = output.items.iter().partition(|item| is_private(item));
    let items = shown.into_iter().filter_map(item).collect();
    Ok(Decoded { room, items, private: private.len() as u64 })
}

fn is_private(item: &v1::Item) -> bool {
    !item.to_user.is_empty() || matches!(item.body, Some(item::Body::Told(_) | item::Body::Notice(_)))
}

fn item(item: &v1::Item) -> Option<Item> {
    let control = |event, said: FromServer| Body::Control(event, frame::to_json(&said).into());
    let body = match item.body.as_ref()? {
        item::Body::Message(message) => Body::Message(frame::json_message(message).into()),
        item::Body::Recall(recall) => control("recall", FromServer::Recall(recall.clone())),
        item::Body::Mode(mode) => control("mode", FromServer::Mode(*mode)),
        item::Body::Told(_) | item::Body::Notice(_) => return None,
    };
    // A fate that this release does not know is not a license to drop.
    Some(Item { fate: Fate::try_from(item.fate).unwrap_or(Fate::Lossless), body })
}

#[cfg(test)]
mod tests {
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
        let told: Vec<_> = decoded
            .items
            .iter()
            .map(|item| match &item.body {
                Body::Message(json) => (item.fate, "message", String::from_utf8_lossy(json)),
                Body::Control(event, json) => (item.fate, *event, String::from_utf8_lossy(json)),
            })
            .collect();
        assert_eq!(told[0], (Fate::Lossy, "message", r#"{"text":"x"}"#.into()));
        assert_eq!(told[1].0, Fate::Lossless);
        assert_eq!(told[2], (Fate::Lossless, "recall", r#"{"type":"recall","ids":["1-2-3"]}"#.into()));
        assert_eq!(told[3], (Fate::Lossless, "mode", r#"{"type":"mode"}"#.into()));
        assert_eq!(told[4].0, Fate::Lossless);
    }

    #[test]
    fn what_is_for_one_user_is_counted_and_shown_to_nobody() {
        let output = with(vec![(0, "u7", message("x")), (0, "u7", item::Body::Told(v1::Told::default()))]);
        let decoded = decode(&output).unwrap();
        assert_eq!((decoded.items.len(), decoded.private), (0, 2));
    }

    #[test]
    fn no_room_is_every_room_and_a_bad_one_is_none() {
        assert_eq!(decode(&v1::Output::default()).unwrap().room, None);
        assert!(decode(&v1::Output { room: "a/b".into(), ..v1::Output::default() }).is_err());
    }
}
