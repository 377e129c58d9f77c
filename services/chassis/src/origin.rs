//! Which web pages may speak to us: their own origin's, and those a setting names. Tokens are judged elsewhere.

use hyper::HeaderMap;
use hyper::header::{HOST, ORIGIN};

/// Whether a request with these headers may be served.
///
/// A request without `Origin` comes from no browser page (or from one's own) and may; otherwise the origin must be one of
/// `allowed`, compared whole, or name the host that the request was sent to.
pub fn may_speak(headers: &HeaderMap, allowed: &[String]) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return true };
    // Two Origin headers are nobody's honest request.
    let (Ok(origin), None) = (origin.to_str(), origins.next()) else { return false };
    if allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
        return true;
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    match (origin.split_once("://"), host) {
        (Some(("http" | "https", authority)), Some(host)) => authority.eq_ignore_ascii_case(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn check(origin: &[&str], host: Option<&str>, expected: bool) {
        let mut headers = HeaderMap::new();
        for value in origin {
            headers.append(ORIGIN, HeaderValue::from_str(value).unwrap());
        }
        if let Some(host) = host {
            headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        }
        let allowed = ["https://live.example.com".to_owned()];
        assert_eq!(may_speak(&headers, &allowed), expected, "{origin:?} to {host:?}");
    }

    #[test]
    fn own_named_and_foreign_pages() {
        check(&[], Some("a.example"), true);
        check(&["http://127.0.0.1:8080"], Some("127.0.0.1:8080"), true);
        check(&["https://live.example.com"], Some("api.example.com"), true);
        check(&["https://evil.example"], Some("api.example.com"), false);
        check(&["https://live.example.com.evil.example"], Some("api.example.com"), false);
        check(&["http://live.example.com"], Some("api.example.com"), false);
        check(&["null"], Some("api.example.com"), false);
        check(&["http://a.example", "http://b.example"], Some("a.example"), false);
        check(&["http://a.example"], None, false);
    }
}
