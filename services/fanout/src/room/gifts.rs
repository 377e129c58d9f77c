//! Gifts that come too fast for an eye: above a rate, those of one user and one gift become one within a frame, with exact sums.
//!
//! Pure. `count` and `value` are added as whole numbers; a gift whose numbers cannot be added stays as it is, and whatever
//! else is said differently of two gifts keeps them apart.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use ahash::HashMap;
use proto::{frame, v1};
use serde_json::{Map, Value};

use crate::message::Message;

/// Gifts a second in one room above which they fold: a screen shows a few a second, and each costs every viewer 200 bytes.
const FOLD_ABOVE: u32 = 50;

/// Over how long a room's gifts are counted.
const COUNTED_OVER: Duration = Duration::from_secs(1);

/// How fast gifts come in a room.
#[derive(Debug, Default)]
pub(super) struct Pace {
    since: Option<Instant>,
    count: u32,
    was_fast: bool,
}

impl Pace {
    /// Counts gifts that come at `now`; tells whether they are to be folded.
    pub(super) fn is_fast(&mut self, gifts: u32, now: Instant) -> bool {
        let passed = self.since.map_or(Duration::MAX, |since| now.saturating_duration_since(since));
        if passed >= COUNTED_OVER {
            self.was_fast = passed < 2 * COUNTED_OVER && self.count > FOLD_ABOVE;
            (self.since, self.count) = (Some(now), 0);
        }
        self.count = self.count.saturating_add(gifts);
        self.was_fast || self.count > FOLD_ABOVE
    }
}

/// Folds the gifts among `messages`, each into the first that is like it; the others keep their places.
pub(super) fn fold(messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let mut kept: Vec<(Arc<Message>, Option<Gift>)> = Vec::with_capacity(messages.len());
    let mut places: HashMap<Vec<u8>, usize> = HashMap::default();
    for message in messages {
        let gift = if message.is_gift() { Gift::of(&message) } else { None };
        let place = gift.as_ref().map(|gift| *places.entry(gift.alike()).or_insert(kept.len()));
        let like = place.and_then(|place| kept.get_mut(place)).and_then(|(_, sum)| sum.as_mut());
        // What no number holds stays beside the others.
        if !like.zip(gift.as_ref()).is_some_and(|(sum, gift)| sum.add(gift)) {
            kept.push((message, gift));
        }
    }
    kept.into_iter().map(|(first, sum)| sum.map_or(first.clone(), |sum| sum.message(first))).collect()
}

/// What is left of a message, folded or not, without what was recalled.
pub(super) fn left(message: &Arc<Message>) -> Option<Arc<Message>> {
    if message.parts().is_empty() {
        return (!message.is_recalled()).then(|| message.clone());
    }
    let left: Vec<_> = message.parts().iter().filter(|part| !part.is_recalled()).cloned().collect();
    if left.len() == message.parts().len() {
        return Some(message.clone());
    }
    // They were folded into one before, so they are alike and their sums are small enough.
    fold(left).into_iter().next()
}

/// A gift's numbers, and everything else that is said of it.
struct Gift {
    /// The message without what is its own: its id, its time, and the numbers.
    others: v1::Message,
    data: Map<String, Value>,
    count: u64,
    value: u64,
    /// Those it stands for, in order.
    parts: Vec<Arc<Message>>,
}

impl Gift {
    fn of(message: &Arc<Message>) -> Option<Self> {
        let mut others = v1::Message { id: String::new(), at: 0, ..message.decoded() };
        let Value::Object(mut data) = serde_json::from_str(&others.data).ok()? else { return None };
        let count = data.remove("count").map_or(Some(1), |count| count.as_u64())?;
        let value = data.remove("value").map_or(Some(0), |value| value.as_u64())?;
        // Its keys are sorted.
        others.data = Value::Object(data.clone()).to_string();
        Some(Self { others, data, count, value, parts: vec![message.clone()] })
    }

    /// What is equal in gifts that become one.
    fn alike(&self) -> Vec<u8> {
        frame::proto_message(&self.others)
    }

    fn add(&mut self, other: &Self) -> bool {
        let (Some(count), Some(value)) = (self.count.checked_add(other.count), self.value.checked_add(other.value))
        else {
            return false;
        };
        (self.count, self.value) = (count, value);
        self.parts.extend_from_slice(&other.parts);
        true
    }

    /// The message that stands for all of them; one alone is what it was.
    fn message(self, first: Arc<Message>) -> Arc<Message> {
        if self.parts.len() == 1 {
            return first;
        }
        let mut data = self.data;
        let folded = self.parts.len() as u64;
        for (name, number) in [("count", self.count), ("value", self.value), ("folded", folded)] {
            data.insert(name.to_owned(), number.into());
        }
        let data = Value::Object(data).to_string();
        Arc::new(Message::of_many(&v1::Message { data, ..first.decoded() }, self.parts.into()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proto::v1::{Kind, User};

    use super::*;
    use crate::message::Meant;

    fn gift(user: &str, data: &str) -> Arc<Message> {
        let user = User { id: user.into(), ..User::default() };
        let kind = Kind::Gift as i32;
        Arc::new(Message::new(&v1::Message { user: Some(user), kind, data: data.into(), ..v1::Message::default() }))
    }

    fn data(messages: &[Arc<Message>]) -> Vec<String> {
        messages.iter().map(|message| message.decoded().data).collect()
    }

    #[test]
    fn equal_gifts_of_one_user_become_one() {
        let rose = r#"{"gift":"rose","count":2,"value":20}"#;
        let odd = r#"{"gift":"rose","count":1.5,"value":20}"#;
        let most = format!(r#"{{"gift":"big","count":1,"value":{}}}"#, u64::MAX);
        let super_chat = Arc::new(Message::new(&v1::Message { kind: Kind::Super as i32, ..v1::Message::default() }));
        let gifts = vec![
            gift("u1", rose),
            super_chat.clone(),
            gift("u2", rose),
            gift("u1", r#"{"count":1,"gift":"rose","value":10}"#),
            gift("u1", odd),
            gift("u1", odd),
            gift("u1", &most),
            gift("u1", &most),
            gift("u1", r#"{"gift":"rose","name":"other","count":1}"#),
            gift("u1", "no json"),
            Arc::new(Message::new(&v1::Message { text: "for you".into(), ..gift("u1", rose).decoded() })),
        ];
        let folded = fold(gifts);
        let sum = r#"{"count":3,"folded":2,"gift":"rose","value":30}"#;
        let other = r#"{"gift":"rose","name":"other","count":1}"#;
        assert_eq!(data(&folded), [sum, "", rose, odd, odd, &most, &most, other, "no json", rose]);
        assert_eq!(folded.iter().map(|message| message.count()).sum::<u32>(), 11);
    }

    #[test]
    fn what_was_recalled_leaves_the_sum() {
        let rose = r#"{"gift":"rose","count":2,"value":20}"#;
        let gifts = vec![gift("u1", rose), gift("u1", rose), gift("u1", rose)];
        let folded = fold(gifts.clone()).remove(0);
        let recall = |which: usize| {
            let one = Arc::clone(&gifts[which]);
            let meant = v1::Recall { ids: vec![one.decoded().id], user: String::new(), ..v1::Recall::default() };
            one.recall(&Meant::by(&meant));
        };
        assert!(Arc::ptr_eq(&left(&folded).unwrap(), &folded), "nothing was recalled");
        recall(0);
        let two = left(&folded).unwrap();
        assert_eq!(data(std::slice::from_ref(&two)), [r#"{"count":4,"folded":2,"gift":"rose","value":40}"#]);
        recall(2);
        let one = left(&two).unwrap();
        assert_eq!((data(std::slice::from_ref(&one)), one.count()), (vec![rose.to_owned()], 1));
        recall(1);
        assert!(left(&one).is_none() && left(&folded).is_none());
    }

    #[test]
    fn only_many_a_second_fold() {
        let now = Instant::now();
        let mut pace = Pace::default();
        let at = |ms| now + Duration::from_millis(ms);
        for (gifts, ms, expected) in [
            (50, 0, false),
            (1, 500, true),
            (1, 1_000, true),  // the second before was fast
            (1, 2_100, false), // and this one is not
            (60, 2_200, true),
            (1, 9_000, false),
        ] {
            assert_eq!(pace.is_fast(gifts, at(ms)), expected, "{ms}");
        }
    }

    proptest! {
        #[test]
        fn no_sum_changes(gifts in prop::collection::vec((0u8..3, 0u8..3, 1u64..1_000, 0u64..100_000), 0..60)) {
            let json = |(_, gift, count, value): &(u8, u8, u64, u64)| {
                format!(r#"{{"gift":"g{gift}","count":{count},"value":{value}}}"#)
            };
            let given: Vec<_> = gifts.iter().map(|one| gift(&format!("u{}", one.0), &json(one))).collect();
            let sums = |messages: &[Arc<Message>]| {
                let gifts = messages.iter().filter_map(Gift::of);
                gifts.fold((0, 0), |sum, gift| (sum.0 + gift.count, sum.1 + gift.value))
            };
            let folded = fold(given.clone());
            prop_assert_eq!(sums(&given), sums(&folded));
            prop_assert!(folded.len() <= 9);
        }
    }
}
