//! One JSON object a line: ours with milliseconds and `user`, recorders' with seconds and `uid`.

use std::time::Duration;

use proto::v1::Position;
use serde::Deserialize;
use serde_json::Value;

use super::{Faults, Line, Recording, color, position, seconds};

/// A line of either kind; a recorder's has `uid`. Fields that are not named here are passed over.
#[derive(Deserialize)]
struct Raw {
    t: f64,
    user: Option<String>,
    uid: Option<String>,
    text: String,
    #[serde(default)]
    mode: Value,
    #[serde(default)]
    color: Value,
}

pub(super) fn parse(text: &str) -> Recording {
    let mut recording = Recording::default();
    for (index, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let place = |why: &dyn std::fmt::Display| format!("line {}: {why}", index + 1);
        let raw = match serde_json::from_str::<Raw>(row) {
            Ok(raw) => raw,
            Err(error) => {
                recording.faults.line(|| place(&error));
                continue;
            }
        };
        match line(raw, &mut recording.faults, &place) {
            Some(line) => recording.lines.push(line),
            None => recording.faults.line(|| place(&"its time `t` is below zero or above a year")),
        }
    }
    recording
}

fn line(raw: Raw, faults: &mut Faults, place: &dyn Fn(&dyn std::fmt::Display) -> String) -> Option<Line> {
    let of_recorder = raw.uid.is_some();
    let at = if of_recorder { seconds(raw.t) } else { seconds(raw.t / 1000.0).map(whole_millis) }?;
    let position = match &raw.mode {
        Value::Null => Position::Scroll,
        mode => mode.as_i64().and_then(position).unwrap_or_else(|| {
            faults.value(|| place(&format_args!("its mode {mode} is none of 1, 4, 5")));
            Position::Scroll
        }),
    };
    let color = match &raw.color {
        Value::Null => None,
        value => any_color(value).unwrap_or_else(|| {
            faults.value(|| place(&format_args!("its color {value} is neither a number nor \"#rrggbb\"")));
            None
        }),
    };
    let user = raw.user.or(raw.uid).unwrap_or_default();
    Some(Line { at, user, text: raw.text, position, color })
}

/// `t` is a whole number of milliseconds in our files; its division by 1000 is not exact.
fn whole_millis(at: Duration) -> Duration {
    Duration::from_millis((at.as_secs_f64() * 1000.0).round() as u64)
}

/// A color that was read: `Some(None)` is white.
fn any_color(value: &Value) -> Option<Option<u32>> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()).map(color),
        Value::String(text) => {
            let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
            u32::from_str_radix(digits, 16).ok().map(color)
        }
        _ => None,
    }
}
