//! Amounts of memory as people write them: `64KiB`, `512MiB`, `2GiB`.

/// Why a text is no amount of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    /// There is no number in front, or an unknown unit behind it.
    #[error("an amount of memory is a whole number and a unit, such as 64KiB, 512MiB or 2GiB")]
    Unreadable,
    /// The amount does not fit into 64 bits.
    #[error("the amount of memory is too great")]
    TooGreat,
}

/// Reads one whole number and its unit; a bare `0` needs no unit.
///
/// # Errors
/// Says what is not understood.
pub fn parse_bytes(text: &str) -> Result<u64, BytesError> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(BytesError::Unreadable);
    }
    let number: u64 = number.parse().map_err(|_| BytesError::TooGreat)?;
    let size = match unit.trim_start() {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "" if number == 0 => 1,
        _ => return Err(BytesError::Unreadable),
    };
    number.checked_mul(size).ok_or(BytesError::TooGreat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_with_a_unit_are_read() {
        for (text, expected) in [
            ("512MiB", Ok(512 << 20)),
            (" 2 GiB ", Ok(2 << 30)),
            ("64KiB", Ok(65_536)),
            ("7B", Ok(7)),
            ("0", Ok(0)),
            ("", Err(BytesError::Unreadable)),
            ("MiB", Err(BytesError::Unreadable)),
            ("512", Err(BytesError::Unreadable)),
            ("1.5GiB", Err(BytesError::Unreadable)),
            ("512MB", Err(BytesError::Unreadable)),
            ("-1MiB", Err(BytesError::Unreadable)),
            ("99999999999999999999B", Err(BytesError::TooGreat)),
            ("18446744073709551615KiB", Err(BytesError::TooGreat)),
        ] {
            assert_eq!(parse_bytes(text), expected, "{text}");
        }
    }
}
