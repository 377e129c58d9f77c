//! One record of `danmaku-input` that can be judged: decoded, with a room and, where it is needed, a speaker.

use proto::{
    MessageId, RoomId, UserId,
    room::BadId,
    v1::{self, Role, input::Body},
};

/// A record as the judge hears it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    id: MessageId,
    append_ms: i64,
    input: v1::Input,
}

/// Why a decoded record cannot be judged. No door of ours writes such a record; it goes to the dead letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unjudgeable {
    /// It is for no room.
    #[error("its room is no room: {0}")]
    Room(BadId),
    /// A danmaku that nobody said.
    #[error("its speaker is no user: {0}")]
    Speaker(BadId),
    /// An approval of nothing.
    #[error("it approves of a held message and does not carry it")]
    Approval,
}

impl Heard {
    /// Checks what was decoded. `id` is where it stands; `append_ms` is when the broker appended it.
    pub fn new(id: MessageId, append_ms: i64, input: v1::Input) -> Result<Self, Unjudgeable> {
        // An announcement is for every room of its partition.
        if !matches!(input.body, Some(Body::Announcement(_))) {
            RoomId::new(&input.room).map_err(Unjudgeable::Room)?;
        }
        if matches!(input.body, Some(Body::Say(_))) {
            UserId::new(input.user_id()).map_err(Unjudgeable::Speaker)?;
        }
        if matches!(&input.body, Some(Body::Decision(decision)) if decision.approved && decision.say.is_none()) {
            return Err(Unjudgeable::Approval);
        }
        Ok(Self { id, append_ms, input })
    }

    /// Under which id it is shown.
    pub fn id(&self) -> MessageId {
        self.id
    }

    /// When the broker appended it, in Unix milliseconds: the only time a limit knows.
    pub fn append_ms(&self) -> i64 {
        self.append_ms
    }

    /// The record.
    pub fn input(&self) -> &v1::Input {
        &self.input
    }

    /// The record, given back.
    pub fn into_input(self) -> v1::Input {
        self.input
    }

    /// The danmaku, if it is one.
    pub(crate) fn say(&self) -> Option<&v1::Say> {
        match &self.input.body {
            Some(Body::Say(say)) => Some(say),
            _ => None,
        }
    }

    /// Whether its role may bring what it brings: anyone may speak, everything else is for those who run the room.
    pub(crate) fn is_allowed(&self) -> bool {
        self.say().is_some() || self.is_privileged()
    }

    /// Whether those who run the room bring it: they are not held to its viewers' pace.
    pub(crate) fn is_privileged(&self) -> bool {
        is_privileged(self.input.role())
    }
}

/// Whether a role runs the room.
pub(crate) fn is_privileged(role: Role) -> bool {
    matches!(role, Role::Service | Role::Moderator | Role::Streamer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(room: &str, user: &str, role: Role, body: Option<Body>) -> Result<Heard, Unjudgeable> {
        let user = (!user.is_empty()).then(|| v1::User { id: user.into(), ..Default::default() });
        let input = v1::Input { room: room.into(), user, role: role as i32, body, ..Default::default() };
        Heard::new(MessageId { generation: 1, partition: 0, offset: 7 }, 0, input)
    }

    #[test]
    fn what_can_be_judged() {
        let say = || Some(Body::Say(v1::Say::default()));
        assert!(heard("demo", "ann", Role::Sender, say()).is_ok());
        assert_eq!(heard("", "ann", Role::Sender, say()), Err(Unjudgeable::Room(BadId::Empty)));
        assert_eq!(heard("a/b", "ann", Role::Sender, say()), Err(Unjudgeable::Room(BadId::Character)));
        assert_eq!(heard("demo", "", Role::Sender, say()), Err(Unjudgeable::Speaker(BadId::Empty)));
        assert!(heard("demo", "", Role::Service, Some(Body::Post(v1::Post::default()))).is_ok());
        assert!(heard("", "", Role::Service, Some(Body::Announcement(v1::Announcement::default()))).is_ok());
        let decides = |approved, say| Some(Body::Decision(v1::Decision { approved, say, ..Default::default() }));
        assert_eq!(heard("demo", "", Role::Service, decides(true, None)), Err(Unjudgeable::Approval));
        assert!(heard("demo", "", Role::Service, decides(true, Some(v1::Say::default()))).is_ok());
        assert!(heard("demo", "", Role::Service, decides(false, None)).is_ok());
        // A body of a later release.
        assert!(heard("demo", "", Role::Service, None).is_ok());
        assert_eq!(heard("", "", Role::Viewer, None), Err(Unjudgeable::Room(BadId::Empty)));
    }

    #[test]
    fn only_those_who_run_the_room_bring_control() {
        for (role, may) in [
            (Role::Viewer, false),
            (Role::Sender, false),
            (Role::Relay, false),
            (Role::Moderator, true),
            (Role::Streamer, true),
            (Role::Service, true),
        ] {
            let recall = heard("demo", "ann", role, Some(Body::Recall(v1::Recall::default()))).unwrap();
            assert_eq!(recall.is_allowed(), may, "{role:?}");
            assert!(heard("demo", "ann", role, Some(Body::Say(v1::Say::default()))).unwrap().is_allowed());
        }
    }
}
