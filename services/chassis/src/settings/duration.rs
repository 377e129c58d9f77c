//! Lengths of time as people write them: `500ms`, `30s`, `5m`, `1h`, `7d`.

use std::time::Duration;

/// Why a text is not a length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// There is no number in front.
    #[error("a length of time is a whole number and a unit, such as 500ms, 30s, 5m, 1h or 7d")]
    NotANumber,
    /// The unit is missing or unknown.
    #[error("the unit must be ms, s, m, h or d, such as 500ms, 30s, 5m, 1h or 7d")]
    Unit,
    /// The length does not fit into 64 bits of milliseconds.
    #[error("the length of time is too great")]
    TooGreat,
}

/// Reads one whole number and its unit; a bare `0` needs no unit.
///
/// # Errors
/// Says which part is not understood.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(DurationError::NotANumber);
    }
    let number: u64 = number.parse().map_err(|_| DurationError::TooGreat)?;
    let unit_ms = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "" if number == 0 => 1,
        _ => return Err(DurationError::Unit),
    };
    number.checked_mul(unit_ms).map(Duration::from_millis).ok_or(DurationError::TooGreat)
}

#[cfg(test)]
mod tests {
    use super::{DurationError, parse_duration};

    #[test]
    fn whole_numbers_with_a_unit_are_read() {
        for (text, ms) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("5m", 300_000),
            ("1h", 3_600_000),
            ("7d", 604_800_000),
            ("0", 0),
            ("0s", 0),
            (" 10 s ", 10_000),
        ] {
            assert_eq!(parse_duration(text).map(|d| d.as_millis()), Ok(ms), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_its_reason() {
        for (text, error) in [
            ("", DurationError::NotANumber),
            ("s", DurationError::NotANumber),
            ("-5s", DurationError::NotANumber),
            ("30", DurationError::Unit),
            ("1.5s", DurationError::Unit),
            ("30sec", DurationError::Unit),
            ("1h30m", DurationError::Unit),
            ("99999999999999999999s", DurationError::TooGreat),
            ("18446744073709551615d", DurationError::TooGreat),
        ] {
            assert_eq!(parse_duration(text), Err(error), "{text}");
        }
    }
}
