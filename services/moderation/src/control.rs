//! Control records: what a moderator does, in the form in which it enters the river. Pure. How they get there is `outbox`'s.

use proto::{
    MessageId,
    v1::{self, Role, SanctionKind, input::Body},
};

use crate::store::Change;

/// Messages that one recall may name; a larger one is several records.
const RECALL_IDS_MAX: usize = 200;

/// Makes the control records of one change. Each has an id of its own, by which the judge knows one that is written again.
pub(crate) struct Controls {
    generation: u32,
    sequence: i64,
    now_ms: i64,
    made: usize,
}

impl Controls {
    /// Of a change that is made now.
    pub(crate) fn of(change: &Change, generation: u32, now_ms: i64) -> Self {
        Self { generation, sequence: change.sequence(), now_ms, made: 0 }
    }

    /// The record that brings `body` into a room.
    pub(crate) fn record(&mut self, room: &str, body: Body) -> v1::Input {
        self.made += 1;
        v1::Input {
            generation: self.generation,
            room: room.to_owned(),
            // Nobody speaks: the judge asks only whether those who run the room bring it.
            role: Role::Service as i32,
            accepted_ms: self.now_ms,
            client_id: format!("m-{}-{}{}", self.sequence, letter(&body), self.made),
            body: Some(body),
            ..v1::Input::default()
        }
    }
}

/// Keeps the ids of different kinds apart, as a change may lift mutes and bans.
fn letter(body: &Body) -> char {
    match body {
        Body::Sanction(sanction) => match sanction.kind() {
            SanctionKind::Mute | SanctionKind::Unmute => 'u',
            SanctionKind::Ban | SanctionKind::Unban => 'b',
        },
        Body::Recall(_) => 'r',
        Body::Mode(_) => 'm',
        Body::Decision(_) => 'd',
        _ => 'o',
    }
}

/// The recalls of these messages, so many records as it takes.
pub(crate) fn recalls(ids: &[MessageId], reason: &str) -> Vec<v1::Recall> {
    let record = |ids: &[MessageId]| v1::Recall {
        ids: ids.iter().map(ToString::to_string).collect(),
        reason: reason.to_owned(),
        ..v1::Recall::default()
    };
    ids.chunks(RECALL_IDS_MAX).map(record).collect()
}

/// The decision on what was held: an approval carries the whole message.
pub(crate) fn decision(
    held_id: &str,
    held: &v1::Input,
    approved: bool,
    text: Option<&str>,
    reason: &str,
) -> v1::Decision {
    let say = match &held.body {
        Some(Body::Say(say)) => Some(say.clone()),
        _ => None,
    };
    let edited = text.filter(|text| say.as_ref().is_some_and(|say| say.text != **text));
    let say = say.map(|say| match edited {
        Some(text) => v1::Say { text: text.to_owned(), ..say },
        None => say,
    });
    v1::Decision {
        held_id: held_id.to_owned(),
        approved,
        at: held.accepted_ms,
        user: held.user.clone(),
        client_id: held.client_id.clone(),
        say: say.filter(|_| approved),
        reason: reason.to_owned(),
        edited: approved && edited.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> v1::Input {
        let say = v1::Say { text: "blorp?".to_owned(), color: Some(7), ..v1::Say::default() };
        v1::Input {
            user: Some(v1::User { id: "ann".to_owned(), ..v1::User::default() }),
            client_id: "c1".to_owned(),
            accepted_ms: 5,
            body: Some(Body::Say(say)),
            ..v1::Input::default()
        }
    }

    #[test]
    fn an_approval_carries_the_message_as_it_was_or_as_it_was_edited() {
        for (text, shown, edited) in
            [(None, "blorp?", false), (Some("blorp?"), "blorp?", false), (Some("ok"), "ok", true)]
        {
            let decision = decision("1-0-9", &held(), true, text, "");
            let say = decision.say.unwrap();
            assert_eq!((say.text.as_str(), say.color, decision.edited), (shown, Some(7), edited));
            assert_eq!((decision.held_id.as_str(), decision.at, decision.client_id.as_str()), ("1-0-9", 5, "c1"));
            assert_eq!(decision.user.unwrap().id, "ann");
        }
    }

    #[test]
    fn a_rejection_carries_no_text() {
        let decision = decision("1-0-9", &held(), false, Some("ok"), "timeout");
        assert_eq!((decision.approved, decision.say, decision.edited), (false, None, false));
        assert_eq!(decision.reason, "timeout");
    }

    #[test]
    fn a_large_recall_is_several() {
        let id = |offset| MessageId { generation: 1, partition: 2, offset };
        let ids: Vec<_> = (0..401).map(id).collect();
        let counts: Vec<_> = recalls(&ids, "x").iter().map(|recall| recall.ids.len()).collect();
        assert_eq!(counts, [200, 200, 1]);
        assert_eq!(recalls(&[id(7)], "x")[0].ids, ["1-2-7"]);
        assert!(recalls(&[], "x").is_empty());
    }
}
