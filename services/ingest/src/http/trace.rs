//! The W3C trace context a client brings: passed on when it is well formed, dropped in silence when not. No span is opened.

use hyper::HeaderMap;
use proto::record::HEADER_TRACEPARENT;

/// A later version may add fields; a header goes into every record, so it has a bound.
const BYTES_MAX: usize = 128;

/// The request's `traceparent`, if it has exactly one and it is well formed.
pub(super) fn parent(headers: &HeaderMap) -> Option<String> {
    let mut lines = headers.get_all(HEADER_TRACEPARENT).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return None };
    line.to_str().ok().filter(|text| is_well_formed(text)).map(ToOwned::to_owned)
}

/// `version-trace-parent-flags` in lower-case hex of 2, 32, 16 and 2 digits; ids of only zeros and version ff are invalid,
/// version 00 ends there, a later one may go on after a dash.
fn is_well_formed(text: &str) -> bool {
    let mut parts = text.splitn(5, '-');
    let mut hex = |digits: usize| {
        parts
            .next()
            .filter(|part| part.len() == digits && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
    };
    let not_zero = |id: &&str| id.bytes().any(|byte| byte != b'0');
    let version = hex(2);
    let whole = hex(32).filter(not_zero).is_some() && hex(16).filter(not_zero).is_some() && hex(2).is_some();
    let ends = parts.next().is_none();
    text.len() <= BYTES_MAX && whole && version.is_some_and(|version| version != "ff" && (ends || version != "00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (text, expected) in [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
            ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", true),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", false),
            ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
            ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", false),
            ("", false),
        ] {
            assert_eq!(is_well_formed(text), expected, "{text}");
        }
    }
}
