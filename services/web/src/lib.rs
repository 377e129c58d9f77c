//! The pages as they are served: which path is which file, of what type, under which policy. What they show is written
//! beside, in TypeScript; no room is known here.

use chassis::http::{self, Refusal, Response};
use hyper::{
    Method, Request, StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
};
use rust_embed::RustEmbed;

/// What `make web` built, part of the binary; without it the one page that says so.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/pages"]
struct Files;

/// Scripts and styles of our own only, and no other place to speak to unless [`Pages::speaking_to`] names it.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                   media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// A built file's name holds its hash, so whoever has it never needs to ask again.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// Answers `GET` of a page or of one of its files.
pub fn file<B>(request: &Request<B>) -> Response {
    Pages::default().file(request)
}

/// The pages under a policy.
#[derive(Debug, Clone)]
pub struct Pages {
    policy: HeaderValue,
}

impl Default for Pages {
    fn default() -> Self {
        Self { policy: HeaderValue::from_static(CSP) }
    }
}

impl Pages {
    /// Pages that may also speak to `origin`, by requests and by sockets. `None` if that cannot stand in a policy.
    #[must_use]
    pub fn speaking_to(origin: &str) -> Option<Self> {
        let is_origin = origin.starts_with("http") && !origin.contains([' ', ';', ',', '\'']);
        let sockets = origin.replacen("http", "ws", 1);
        let policy = CSP.replace("connect-src 'self'", &format!("connect-src 'self' {origin} {sockets}"));
        let policy = is_origin.then(|| HeaderValue::try_from(policy).ok()).flatten();
        policy.map(|policy| Self { policy })
    }

    /// Answers `GET` of a page or of one of its files.
    pub fn file<B>(&self, request: &Request<B>) -> Response {
        answer(request, self.policy.clone())
    }
}

fn answer<B>(request: &Request<B>, policy: HeaderValue) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "only GET is known here")
            .into_response();
    }
    let Some((name, file)) = find(request.uri().path()) else {
        return Refusal::new(StatusCode::NOT_FOUND, "not_found", "there is no such page").into_response();
    };
    let kept = if name.starts_with("assets/") { FOR_GOOD } else { "no-cache" };
    let mut response = http::answer(StatusCode::OK, content_type(&name), file.data.into_owned());
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    response
}

/// `/` is the viewer's page, `/console` is `console/index.html`, anything else is itself.
fn find(path: &str) -> Option<(String, rust_embed::EmbeddedFile)> {
    let name = match path.trim_start_matches('/').trim_end_matches('/') {
        "" => "viewer",
        name => name,
    };
    let page = format!("{name}/index.html");
    let (name, file) = match Files::get(name) {
        Some(file) => (name.to_owned(), file),
        None => match Files::get(&page) {
            Some(file) => (page, file),
            None => ("missing.html".to_owned(), Files::get("missing.html").filter(|_| !name.contains('.'))?),
        },
    };
    Some((name, file))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json" | "map") => "application/json",
        _ => "text/javascript; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_comes_under_a_policy_and_nothing_else_comes() {
        let get = |path: &str| file(&Request::get(path).body(()).unwrap());
        for (path, status) in [
            ("/", 200),
            ("/?room=demo", 200),
            ("/x.js", 404),
            ("/../Cargo.toml", 404),
            ("/viewer/tests/a.test.ts", 404),
        ] {
            assert_eq!(get(path).status().as_u16(), status, "{path}");
        }
        assert!(get("/").headers().contains_key(CONTENT_SECURITY_POLICY));
        assert_eq!(file(&Request::post("/").body(()).unwrap()).status().as_u16(), 405);
    }

    #[test]
    fn a_policy_may_name_one_more_place() {
        for (origin, speaks_to) in [
            (
                "https://live.example:8443",
                Some("connect-src 'self' https://live.example:8443 wss://live.example:8443;"),
            ),
            ("http://127.0.0.1:8082", Some("connect-src 'self' http://127.0.0.1:8082 ws://127.0.0.1:8082;")),
            ("https://a; script-src *", None),
            ("ftp://a", None),
        ] {
            let answer = Pages::speaking_to(origin).map(|pages| pages.file(&Request::get("/").body(()).unwrap()));
            let policy = answer.map(|answer| answer.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned());
            assert_eq!(policy.is_some(), speaks_to.is_some(), "{origin}");
            assert!(policy.unwrap_or_default().contains(speaks_to.unwrap_or_default()), "{origin}");
        }
    }
}
