//! Who may not speak in which room, as `danmaku-rules` restores it after a restart. The control record that makes a mute act at
//! its offset is kept out: it is the pipeline's.

use std::collections::HashMap;

use proto::{RoomId, ban::Subject, v1::MuteRule};

/// Mutes that are kept. At about 300 B each 200,000 take 60 MB. When it is full, those that ended make room; without any, a new
/// one is not kept, which is an operator's affair.
pub const MUTES_MAX: usize = 200_000;

/// The last word on everybody who was muted or let speak again.
#[derive(Debug, Clone, Default)]
pub struct Mutes {
    rules: HashMap<(RoomId, Subject), MuteRule>,
}

/// What became of a mute's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It holds now.
    Kept,
    /// A later one was known, or a tombstone came before its mute's end.
    Stale,
    /// There is no room for it.
    NoRoom,
}

impl Mutes {
    /// Takes the record about `subject` in `room`, appended at `at_ms`; `None` is a tombstone. Of two the higher sequence holds.
    /// A tombstone only tidies up: whoever is to speak again gets a rule whose `until` has passed.
    pub fn hear(&mut self, room: RoomId, subject: Subject, rule: Option<MuteRule>, at_ms: i64) -> Taken {
        let key = (room, subject);
        let known = self.rules.get(&key);
        let Some(rule) = rule else {
            return match known {
                Some(known) if has_ended(known, at_ms) => {
                    self.rules.remove(&key);
                    Taken::Kept
                }
                _ => Taken::Stale,
            };
        };
        if known.is_some_and(|known| known.sequence > rule.sequence) {
            return Taken::Stale;
        }
        if known.is_none() && self.rules.len() >= MUTES_MAX {
            self.rules.retain(|_, rule| !has_ended(rule, at_ms));
            if self.rules.len() >= MUTES_MAX {
                return Taken::NoRoom;
            }
        }
        self.rules.insert(key, rule);
        Taken::Kept
    }

    /// All of them, also those that ended: a higher sequence that lets somebody speak outweighs an older mute.
    pub fn iter(&self) -> impl Iterator<Item = &MuteRule> {
        self.rules.values()
    }

    /// The last word on `subject` in `room`.
    pub fn get(&self, room: &RoomId, subject: &Subject) -> Option<&MuteRule> {
        self.rules.get(&(room.clone(), subject.clone()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether nobody was ever muted.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

fn has_ended(rule: &MuteRule, at_ms: i64) -> bool {
    rule.until != 0 && rule.until <= at_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(mutes: &mut Mutes, rule: Option<(u64, i64)>, at_ms: i64) -> Taken {
        let (room, subject) = (RoomId::new("demo").unwrap(), "user/ann".parse().unwrap());
        let rule = rule.map(|(sequence, until)| MuteRule { sequence, until, ..MuteRule::default() });
        mutes.hear(room, subject, rule, at_ms)
    }

    #[test]
    fn the_highest_sequence_holds_and_what_is_stale_changes_nothing() {
        let mut mutes = Mutes::default();
        for (rule, at_ms, taken, left) in [
            (None, 0, Taken::Stale, None),
            (Some((5, 1_000)), 0, Taken::Kept, Some(5)),
            (Some((4, 0)), 0, Taken::Stale, Some(5)),
            (Some((5, 1_000)), 0, Taken::Kept, Some(5)),
            // A paused publisher's tombstone comes while the mute goes on.
            (None, 999, Taken::Stale, Some(5)),
            (None, 1_000, Taken::Kept, None),
            (Some((7, 0)), 0, Taken::Kept, Some(7)),
            (None, i64::MAX, Taken::Stale, Some(7)),
            // Lifted, and then tidied up.
            (Some((8, 1)), 2_000, Taken::Kept, Some(8)),
            (Some((7, 0)), 2_000, Taken::Stale, Some(8)),
            (None, 2_000, Taken::Kept, None),
        ] {
            assert_eq!(hear(&mut mutes, rule, at_ms), taken, "{rule:?} at {at_ms}");
            assert_eq!(mutes.iter().next().map(|rule| rule.sequence), left, "{rule:?} at {at_ms}");
        }
    }

    #[test]
    fn when_it_is_full_those_that_ended_make_room() {
        let mut mutes = Mutes::default();
        let mut mute = |user: usize, until: i64, at_ms: i64| {
            let (room, subject) = (RoomId::new("demo").unwrap(), format!("user/{user}").parse().unwrap());
            mutes.hear(room, subject, Some(MuteRule { until, ..MuteRule::default() }), at_ms)
        };
        for user in 0..MUTES_MAX {
            assert_eq!(mute(user, i64::from(user == 7), 0), Taken::Kept);
        }
        assert_eq!(mute(MUTES_MAX, 0, 0), Taken::NoRoom);
        assert_eq!(mute(MUTES_MAX, 0, 1), Taken::Kept);
        assert_eq!(mutes.len(), MUTES_MAX);
    }
}
