//! What was taken back, by id or by person. Pure. It counts whenever it was said: what somebody took back is in no file, also
//! where it was let through afterwards.

use std::collections::{HashMap, HashSet};

use proto::{MessageId, Source, v1};

/// Ids and people that are remembered: 10 MB. Purges of a whole room's night are a few thousand.
const REMEMBERED_MAX: usize = 100_000;

/// What is gone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Recalled {
    ids: HashSet<String>,
    /// For each person, the last of his messages that it is about.
    people: HashMap<String, Source>,
}

impl Recalled {
    /// Remembers a recall, which stands at `source` itself.
    pub(super) fn add(&mut self, recall: v1::Recall, source: Source) {
        if self.is_full() {
            return;
        }
        self.ids.extend(recall.ids);
        if !recall.user.is_empty() {
            // Without a place it is everything before itself.
            let through = recall.through.parse().map_or(source, MessageId::source);
            let known = self.people.entry(recall.user).or_insert(through);
            *known = through.max(*known);
        }
    }

    /// Whether no more can be remembered. Then nothing may be told: it might be what was taken back.
    pub(super) fn is_full(&self) -> bool {
        self.ids.len() + self.people.len() >= REMEMBERED_MAX
    }

    /// Whether a message is gone.
    pub(super) fn holds(&self, message: &v1::Message) -> bool {
        let is_before = |through: &Source| message.id.parse().is_ok_and(|id: MessageId| id.source() <= *through);
        let user = message.user.as_ref().map_or("", |user| &user.id);
        self.ids.contains(&message.id) || self.people.get(user).is_some_and(is_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_id_by_person_and_no_further() {
        let mut recalled = Recalled::default();
        let source = Source { generation: 1, offset: 50 };
        let by_user = |user: &str, through: &str| v1::Recall {
            user: user.into(),
            through: through.into(),
            ..v1::Recall::default()
        };
        recalled.add(v1::Recall { ids: vec!["1-3-7".into(), "a-x".into()], ..v1::Recall::default() }, source);
        recalled.add(by_user("eve", "1-3-20"), source);
        recalled.add(by_user("eve", "1-3-10"), source);
        recalled.add(by_user("bob", ""), source);
        let table = [
            ("1-3-7", "ann", true),
            ("1-3-8", "ann", false),
            ("a-x", "", true),
            ("1-3-20", "eve", true),
            ("1-3-21", "eve", false),
            ("1-3-50", "bob", true),
            ("1-3-51", "bob", false),
            ("2-3-1", "bob", false),
        ];
        for (id, user, expected) in table {
            let user = v1::User { id: user.into(), ..v1::User::default() };
            let message = v1::Message { id: id.into(), user: Some(user), ..v1::Message::default() };
            assert_eq!(recalled.holds(&message), expected, "{id}");
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_remembered() {
        let (mut recalled, source) = (Recalled::default(), Source::default());
        for first in (0..).step_by(200).take(1 + REMEMBERED_MAX / 200) {
            let ids = (first..first + 200).map(|offset| format!("1-0-{offset}")).collect();
            recalled.add(v1::Recall { ids, ..v1::Recall::default() }, source);
        }
        assert!(recalled.is_full() && recalled.ids.len() == REMEMBERED_MAX);
    }
}
