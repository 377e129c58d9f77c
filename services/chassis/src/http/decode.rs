//! Percent-decoding of what stands in a request's target. Pure; whatever is not exactly right is `None`.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// One path segment or value, decoded; `None` for a broken escape or bytes that are not UTF-8.
///
/// A broken escape is not passed through as it stands, else one name would have two spellings.
#[must_use]
pub fn decode(raw: &str) -> Option<Cow<'_, str>> {
    if !escapes_are_whole(raw.as_bytes()) {
        return None;
    }
    percent_decode_str(raw).decode_utf8().ok()
}

/// The pairs of a query string in their order, decoded, `+` being a space; a name without `=` has an empty value.
#[must_use]
pub fn query(raw: &str) -> Option<Vec<(String, String)>> {
    raw.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode_form(name)?, decode_form(value)?))
        })
        .collect()
}

fn decode_form(raw: &str) -> Option<String> {
    let spaced = raw.replace('+', " ");
    decode(&spaced).map(Cow::into_owned)
}

fn escapes_are_whole(raw: &[u8]) -> bool {
    let hex = |at: usize| raw.get(at).is_some_and(u8::is_ascii_hexdigit);
    raw.iter().enumerate().all(|(at, &byte)| byte != b'%' || (hex(at + 1) && hex(at + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments() {
        for (raw, expected) in [
            ("demo", Some("demo")),
            ("%E5%BC%B9%E5%B9%95", Some("弹幕")),
            ("a%2Fb", Some("a/b")),
            ("a+b", Some("a+b")),
            ("", Some("")),
            ("%00", Some("\0")),
            ("%", None),
            ("%4", None),
            ("%zz", None),
            ("100%25", Some("100%")),
            ("%FF", None),
            ("%E5%BC", None),
        ] {
            assert_eq!(decode(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn queries() {
        let pairs = |list: &[(&str, &str)]| Some(list.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect());
        for (raw, expected) in [
            ("", pairs(&[])),
            ("since=1-2&room=a+b", pairs(&[("since", "1-2"), ("room", "a b")])),
            ("a=1&a=2", pairs(&[("a", "1"), ("a", "2")])),
            ("flag&x=%2B&=&", pairs(&[("flag", ""), ("x", "+"), ("", "")])),
            ("a=b=c", pairs(&[("a", "b=c")])),
            ("a=%", None),
            ("%FF=1", None),
        ] {
            assert_eq!(query(raw), expected, "{raw}");
        }
    }
}
