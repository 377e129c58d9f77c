//! From records of `danmaku-output` to what a room was shown, in its order. Pure: which records count is `proto::reading`'s,
//! and what was taken back is `recalled`'s.

use std::sync::Arc;

use proto::{
    Source,
    reading::{Judged, Reading},
    record,
    v1::{self, item},
};

/// A record, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stands<'a> {
    pub(crate) offset: u64,
    /// When it came there.
    pub(crate) time_ms: i64,
    /// A room; empty for every room, and none for no room at all.
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) value: &'a [u8],
}

/// A message as the room saw it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// When it was shown. It may have been held for a while, so this is not when it was said.
    pub(crate) shown_ms: i64,
    pub(crate) message: v1::Message,
}

/// What a record says to the whole room.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Thing {
    Row(Row),
    /// Messages leave every screen; with what asked for it.
    Recall(v1::Recall, Source),
}

/// A way through a partition, with its eyes on one room.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    room: Arc<str>,
    reading: Reading,
    time_ms: Option<i64>,
}

impl Walk {
    /// Nothing heard yet.
    pub(crate) fn new(room: &str, partition: i32) -> Self {
        // The first record's generation is the one to begin with.
        Self { room: room.into(), reading: Reading::new(0, partition, 0), time_ms: None }
    }

    pub(crate) fn partition(&self) -> i32 {
        self.reading.at().partition
    }

    /// When the last record came there.
    pub(crate) fn time_ms(&self) -> Option<i64> {
        self.time_ms
    }

    /// Hears a record, and tells what it says to the room. Rows never go back in time, whatever a broker's clock does.
    pub(crate) fn hear(&mut self, stands: Stands<'_>, mut tell: impl FnMut(Thing)) {
        let shown_ms = self.time_ms.map_or(stands.time_ms, |last_ms| last_ms.max(stands.time_ms));
        self.time_ms = Some(shown_ms);
        // Other rooms' records are not even decoded. A claim has no key, and an announcement an empty one.
        let is_ours = stands.key.is_none_or(|key| key.is_empty() || key == self.room.as_bytes());
        let output: Option<v1::Output> = if is_ours { record::decode(stands.value).ok() } else { None };
        let Some(output) = output else { return };
        let Judged::Show(at) = self.reading.judge(stands.offset, &output) else { return };
        let source = Source { generation: at.generation, offset: at.src_next };
        for item in output.items.into_iter().filter(|item| item.to_user.is_empty()) {
            match item.body {
                Some(item::Body::Message(message)) => tell(Thing::Row(Row { shown_ms, message })),
                Some(item::Body::Recall(recall)) => tell(Thing::Recall(recall, source)),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proto::{OwnerNumber, record::encode};

    use super::*;

    /// A record of the room `demo` by an owner, holding these bodies for everybody.
    pub(crate) fn output(by: i32, src: u64, bodies: Vec<item::Body>) -> v1::Output {
        let owner = OwnerNumber { bump: 0, group_generation: by, rewinds: 0 };
        let items = bodies.into_iter().map(|body| v1::Item { body: Some(body), ..v1::Item::default() }).collect();
        v1::Output {
            generation: 3,
            src: Some(src),
            owner: Some(owner.into()),
            room: "demo".into(),
            items,
            ..v1::Output::default()
        }
    }

    pub(crate) fn said(id: &str, user: &str, text: &str) -> item::Body {
        let user = v1::User { id: user.into(), name: user.to_uppercase(), ..v1::User::default() };
        let (id, text) = (id.into(), text.into());
        item::Body::Message(v1::Message { id, at: 7, user: Some(user), text, ..v1::Message::default() })
    }

    /// Hears a record as it stands on the topic.
    pub(crate) fn stands<T>(
        key: Option<&str>,
        offset: u64,
        time_ms: i64,
        output: &v1::Output,
        hear: impl FnOnce(Stands<'_>) -> T,
    ) -> T {
        hear(Stands { offset, time_ms, key: key.map(str::as_bytes), value: &encode(output) })
    }

    fn texts(records: &[(Option<&str>, i64, v1::Output)]) -> Vec<(i64, String)> {
        let (mut walk, mut told) = (Walk::new("demo", 0), Vec::new());
        for (offset, (key, time_ms, output)) in (0..).zip(records) {
            stands(*key, offset, *time_ms, output, |stands| {
                walk.hear(stands, |thing| match thing {
                    Thing::Row(row) => told.push((row.shown_ms, row.message.text)),
                    Thing::Recall(recall, source) => told.push((source.offset.cast_signed(), recall.user)),
                });
            });
        }
        told
    }

    #[test]
    fn a_room_hears_its_own_and_what_is_for_all_and_nothing_private() {
        let other = v1::Output { room: "other".into(), ..output(1, 2, vec![said("3-0-2", "bob", "elsewhere")]) };
        let announced = v1::Output { room: String::new(), ..output(1, 3, vec![said("a-1", "", "to all")]) };
        let mut private = output(1, 4, vec![said("3-0-4", "eve", "shadowed"), said("3-0-4", "eve", "shown")]);
        private.items[0].to_user = "eve".into();
        let recall = v1::Recall { user: "ann".into(), ..v1::Recall::default() };
        let told = texts(&[
            (Some("demo"), 10, output(1, 1, vec![said("3-0-1", "ann", "hello")])),
            (Some("other"), 11, other),
            (Some(""), 12, announced),
            (Some("demo"), 13, private),
            (Some("demo"), 14, output(1, 5, vec![item::Body::Recall(recall), item::Body::Mode(v1::Mode::default())])),
        ]);
        let expected = [(10, "hello"), (12, "to all"), (13, "shown"), (5, "ann")];
        assert_eq!(told, expected.map(|(at, text)| (at, text.to_owned())));
    }

    #[test]
    fn an_old_owner_and_a_repeat_show_nothing() {
        let say = |by, src: u64| output(by, src, vec![said("3-0-1", "ann", &format!("{by}/{src}"))]);
        let claim = v1::Output::claim(3, OwnerNumber { bump: 0, group_generation: 2, rewinds: 0 });
        let told = texts(&[
            (Some("demo"), 1, say(1, 1)),
            (None, 2, claim),
            (Some("demo"), 3, say(1, 2)),
            (Some("demo"), 4, say(2, 2)),
            (Some("demo"), 5, say(2, 2)),
        ]);
        assert_eq!(told, [(1, "1/1".to_owned()), (4, "2/2".to_owned())]);
    }

    #[test]
    fn rows_never_go_back_in_time() {
        let say = |src: u64| output(1, src, vec![said("3-0-1", "ann", "x")]);
        let times: Vec<_> = texts(&[(Some("demo"), 9, say(1)), (Some("demo"), 4, say(2)), (Some("demo"), 11, say(3))])
            .into_iter()
            .map(|(at, _)| at)
            .collect();
        assert_eq!(times, [9, 9, 11]);
    }
}
