//! Invents a danmaku file that is like a real live room in everything but its words. Nothing of the room is in it: the
//! texts are put together from the words of `words.rs`, the users are numbers.
//!
//! All shares and sizes in here are those of a recorded live room of 5.2 h: 23,183 danmaku of 2,256 users.

mod dice;
mod tempo;
mod people;
mod texts;
mod words;

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::config::Synthesize;
use dice::Dice;

/// 476 of 23,183 stand at the bottom, the others fly by; none stand at the top.
const BOTTOM_SHARE: f64 = 0.0205;

/// The time a danmaku takes of the file's, if nothing else is asked for: 5,000 span 50 minutes, a minute at `--speed 50`.
/// (The recorded room takes 0.81 s; everything about its waves is kept relative to the mean.)
const SPAN_PER_DANMAKU: Duration = Duration::from_millis(600);

/// A line of our NDJSON.
#[derive(Serialize)]
struct Row<'a> {
    t: u64,
    user: &'a str,
    text: &'a str,
    mode: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<&'a str>,
}

/// The text of the file.
pub fn file(settings: Synthesize) -> String {
    let count = settings.count as usize;
    let span = settings.span.unwrap_or(SPAN_PER_DANMAKU * settings.count);
    let mut dice = Dice::new(settings.seed);
    let times_ms = tempo::times_ms(count, span, &mut dice);
    let texts = texts::texts(&times_ms, &mut dice);
    let people = people::people(count, &mut dice);
    let speakers = people::seat(&people, &times_ms, &texts, &mut dice);
    let mut file = String::new();
    for ((&t, text), speaker) in times_ms.iter().zip(&texts).zip(speakers) {
        let mode = if dice.happens(BOTTOM_SHARE) { 4 } else { 1 };
        let row = Row { t, user: &format!("u{speaker}"), text, mode, color: people[speaker].color };
        // Strings and numbers are always JSON, and a string takes every line.
        let _ = writeln!(file, "{}", serde_json::to_string(&row).unwrap_or_default());
    }
    file
}

#[cfg(test)]
mod tests;
