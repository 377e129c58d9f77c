//! Who says what: a few say much, most say little, and nobody says two things at once.

use super::dice::Dice;

/// Messages a user: log-normal with median 3 (the room's) and mean 10.3, so σ = √(2 ln(10.3 / 3)) = 1.57. That also
/// gives the room's other figures: 33 % say one thing (counted: 31.6 %), one in a hundred more than 116 (105), and the
/// hundredth who say most say 22 % (18.7 %).
const MEDIAN: f64 = 3.0;
const SIGMA: f64 = 1.57;

/// The most that anybody said.
const MESSAGES_MAX: f64 = 407.0;

/// Of all messages, those of users with a color of their own.
const COLORED_SHARE: f64 = 0.299;

/// Seven colors, one of them by far the dearest to the users: 70 % of all colored messages.
const COLORS: [&str; 10] =
    ["#4fb8a8", "#4fb8a8", "#4fb8a8", "#4fb8a8", "#4fb8a8", "#4fb8a8", "#4fb8a8", "#e8a33d", "#c86dd7", "#6f9df0"];

/// Two messages of a user are hardly ever nearer: 0.38 % in the room.
const GAP_MS: u64 = 3000;

/// Nor does a user repeat himself within this: 0.1 %.
const REPEAT_MS: u64 = 10_000;

/// How far ahead to look for somebody who may speak now.
const LOOK_AHEAD: usize = 400;

pub(super) struct Person {
    messages: usize,
    pub(super) color: Option<&'static str>,
}

/// As many people as say `count` messages together.
pub(super) fn people(count: usize, dice: &mut Dice) -> Vec<Person> {
    let (mut people, mut left) = (Vec::new(), count);
    while left > 0 {
        let messages = (MEDIAN * (SIGMA * dice.normal()).exp()).round().clamp(1.0, MESSAGES_MAX) as usize;
        let messages = messages.min(left);
        people.push(Person { messages, color: None });
        left -= messages;
    }
    let mut to_color = (count as f64 * COLORED_SHARE) as usize;
    let mut order: Vec<usize> = (0..people.len()).collect();
    dice.shuffle(&mut order);
    for index in order {
        if people[index].messages <= to_color {
            to_color -= people[index].messages;
            people[index].color = Some(dice.one(&COLORS));
        }
    }
    people
}

/// Who says each text, as an index into `people`.
pub(super) fn seat(people: &[Person], times_ms: &[u64], texts: &[String], dice: &mut Dice) -> Vec<usize> {
    let seats = people.iter().enumerate().flat_map(|(person, of)| std::iter::repeat_n(person, of.messages));
    let mut seats: Vec<usize> = seats.collect();
    dice.shuffle(&mut seats);
    let mut said: Vec<Vec<(u64, &str)>> = people.iter().map(|_| Vec::new()).collect();
    for (now, (&at, text)) in times_ms.iter().zip(texts).enumerate() {
        let may_speak = |person: usize| {
            let recent = said[person].iter().rev().take_while(|(when, _)| when + REPEAT_MS > at);
            let mut recent = recent.peekable();
            recent.peek().is_none_or(|(when, _)| when + GAP_MS <= at) && recent.all(|(_, before)| before != text)
        };
        let ahead = (now..seats.len()).take(LOOK_AHEAD).find(|&later| may_speak(seats[later]));
        seats.swap(now, ahead.unwrap_or(now));
        said[seats[now]].push((at, text));
    }
    seats
}
