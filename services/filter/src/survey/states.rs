//! What `danmaku-state` holds of a partition's rooms that a judge must know: their modes, and mutes that a rule brought about.
//! Pure; sticky events are for who joins, and passed over.

use std::collections::BTreeMap;

use proto::{
    record::decode,
    v1::{State, state::Value},
};

/// The last word on each. Rooms with a mode and users that a rule muted of late are few; 100,000 of them take 20 MB for the
/// moment in which a partition is taken over.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct States(BTreeMap<Vec<u8>, State>);

impl States {
    /// Takes a record as it stands on the topic. What cannot be read is of a later release.
    pub(crate) fn hear(&mut self, key: &[u8], value: &[u8]) {
        let state = Some(value).filter(|value| !value.is_empty()).and_then(|value| decode::<State>(value).ok());
        match state {
            Some(state) if matches!(state.value, Some(Value::Mode(_) | Value::Muted(_))) => {
                self.0.insert(key.to_owned(), state);
            }
            _ => drop(self.0.remove(key)),
        }
    }

    /// How long the slowest room makes somebody wait.
    pub(crate) fn slowest_ms(&self) -> u32 {
        let slow = self.0.values().filter_map(|state| match &state.value {
            Some(Value::Mode(mode)) => Some(mode.slow_ms),
            _ => None,
        });
        slow.max().unwrap_or(0)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &State> {
        self.0.values()
    }

    /// The keys of mutes that ended before `at_ms`.
    pub(crate) fn ended(&self, at_ms: i64) -> impl Iterator<Item = String> {
        let has_ended = move |state: &&State| matches!(&state.value, Some(Value::Muted(muted)) if muted.until < at_ms);
        self.iter().filter(has_ended).map(State::record_key)
    }
}

#[cfg(test)]
mod tests {
    use proto::{
        record::encode,
        v1::{Message, Mode, Muted},
    };

    use super::*;

    #[test]
    fn the_last_word_holds_and_sticky_events_are_passed_over() {
        let mut states = States::default();
        let mut hear = |key: &str, value: Option<Value>| {
            let state = State { room: "demo".into(), key: key.into(), value, ..Default::default() };
            states.hear(state.record_key().as_bytes(), &encode(&state));
        };
        let slow = |slow_ms| Some(Value::Mode(Mode { slow_ms, ..Default::default() }));
        hear("mode", slow(9_000));
        hear("mode", slow(5_000));
        hear("sticky/score", Some(Value::Message(Message::default())));
        hear("mute/user/ann", Some(Value::Muted(Muted { until: 70 })));
        hear("mute/user/bob", Some(Value::Muted(Muted { until: 90 })));
        hear("mood", None);
        states.hear(b"demo/mode/x", b"\xff\xff");
        assert_eq!(states.slowest_ms(), 5_000);
        assert_eq!(states.iter().count(), 3);
        assert_eq!(states.ended(80).collect::<Vec<_>>(), ["demo/mute/user/ann"]);
        states.hear(b"demo/mode", b"");
        assert_eq!((states.slowest_ms(), states.iter().count()), (0, 2));
    }
}
