//! One message as the hall keeps it, with its form on each wire: made once a node for everybody who will ever see it.
//!
//! How messages are joined to frames is `wire`'s, and where they stand `raw`'s and `room`'s.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicBool, Ordering},
};

use ahash::HashSet;
use prost::Message as _;
use proto::{MessageId, frame, v1};

use crate::wire::goim;

/// One message.
#[derive(Debug)]
pub(crate) struct Message {
    id: Box<str>,
    user: Box<str>,
    /// As it stands inside a JSON batch, and inside a protobuf one.
    json: Box<[u8]>,
    proto: Box<[u8]>,
    /// As a goim command, a kilobyte that few rooms need: made for the first frame that holds it, and gone with the last.
    goim: Mutex<Weak<Box<[u8]>>>,
    /// The messages of the river that it stands for, where it is not one of them itself.
    parts: Box<[Arc<Message>]>,
    is_gift: bool,
    is_recalled: AtomicBool,
}

/// What one takes besides its bytes: five pointers with lengths, a locked one without, the flags, and the counts of its owners.
const OVERHEAD_BYTES: usize = 128;

impl Message {
    /// Keeps a message of the river.
    pub(crate) fn new(message: &v1::Message) -> Self {
        Self::of_many(message, [].into())
    }

    /// Keeps a message that stands for several of the river's.
    pub(crate) fn of_many(message: &v1::Message, parts: Box<[Arc<Message>]>) -> Self {
        Self {
            id: message.id.as_str().into(),
            user: message.user.as_ref().map_or("", |user| &user.id).into(),
            json: frame::json_message(message).into(),
            proto: frame::proto_message(message).into(),
            goim: Mutex::default(),
            parts,
            is_gift: message.kind() == v1::Kind::Gift,
            is_recalled: AtomicBool::new(false),
        }
    }

    /// As it stands inside a JSON batch.
    pub(crate) fn json(&self) -> &[u8] {
        &self.json
    }

    /// As it stands inside a protobuf batch.
    pub(crate) fn proto(&self) -> &[u8] {
        &self.proto
    }

    /// As a goim command.
    pub(crate) fn goim(&self) -> Arc<Box<[u8]>> {
        let mut kept = self.goim.lock().unwrap_or_else(PoisonError::into_inner);
        kept.upgrade().unwrap_or_else(|| {
            let made = Arc::new(goim::command::message(&self.decoded()).into_boxed_slice());
            *kept = Arc::downgrade(&made);
            made
        })
    }

    /// All its fields, for who does more than pass it on.
    pub(crate) fn decoded(&self) -> v1::Message {
        // It was encoded here.
        v1::Message::decode(&*self.proto).unwrap_or_default()
    }

    /// How many messages of the river it stands for.
    pub(crate) fn count(&self) -> u32 {
        self.parts.len().max(1) as u32
    }

    /// The messages of the river that it stands for; none where it is one itself.
    pub(crate) fn parts(&self) -> &[Arc<Message>] {
        &self.parts
    }

    /// Whether it is a gift.
    pub(crate) fn is_gift(&self) -> bool {
        self.is_gift
    }

    /// All bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        OVERHEAD_BYTES + self.json.len() + self.proto.len() + self.id.len() + self.user.len()
    }

    /// Whether it left every screen: nobody is shown it any more.
    pub(crate) fn is_recalled(&self) -> bool {
        self.is_recalled.load(Ordering::Acquire)
    }

    /// Takes it back, everywhere at once, if the recall means it.
    pub(crate) fn recall(&self, meant: &Meant<'_>) {
        if meant.is(&self.id, &self.user) {
            self.is_recalled.store(true, Ordering::Release);
        }
    }
}

/// What a recall means: messages by id, or all that a user said up to one of them.
pub(crate) struct Meant<'a> {
    ids: HashSet<&'a str>,
    user: &'a str,
    /// `None` is everything before the recall.
    through: Option<MessageId>,
}

impl<'a> Meant<'a> {
    /// What `recall` means.
    pub(crate) fn by(recall: &'a v1::Recall) -> Self {
        Self {
            ids: recall.ids.iter().map(String::as_str).collect(),
            user: &recall.user,
            through: recall.through.parse().ok(),
        }
    }

    fn is(&self, id: &str, user: &str) -> bool {
        if self.ids.contains(id) {
            return true;
        }
        // What he says afterwards stays.
        let is_before = |through: MessageId| id.parse::<MessageId>().is_ok_and(|id| id.source() <= through.source());
        !self.user.is_empty() && self.user == user && self.through.is_none_or(is_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recall(ids: &[&str], user: &str, through: &str) -> v1::Recall {
        let ids = ids.iter().map(|&id| id.to_owned()).collect();
        v1::Recall { ids, user: user.into(), through: through.into(), reason: String::new() }
    }

    #[test]
    fn a_recall_means_ids_or_what_a_user_said_so_far() {
        let table = [
            (recall(&["1-3-7", "1-3-9"], "", ""), "1-3-9", "u", true),
            (recall(&["1-3-7"], "", ""), "1-3-8", "u", false),
            (recall(&[], "u", "1-3-8"), "1-3-8", "u", true),
            (recall(&[], "u", "1-3-8"), "1-3-9", "u", false),
            (recall(&[], "u", "1-3-8"), "2-3-1", "u", false),
            (recall(&[], "u", "1-3-8"), "1-3-2", "v", false),
            (recall(&[], "u", ""), "1-3-99", "u", true),
            (recall(&[], "", ""), "1-3-1", "", false),
        ];
        for (recall, id, user, expected) in table {
            let user = v1::User { id: user.into(), ..v1::User::default() };
            let message = Message::new(&v1::Message { id: id.into(), user: Some(user), ..v1::Message::default() });
            message.recall(&Meant::by(&recall));
            assert_eq!(message.is_recalled(), expected, "{recall:?} {id}");
        }
    }

    #[test]
    fn what_was_kept_can_be_had_back() {
        let message = v1::Message { id: "1-2-3".into(), text: "666".into(), color: Some(7), ..v1::Message::default() };
        assert_eq!(Message::new(&message).decoded(), message);
    }
}
