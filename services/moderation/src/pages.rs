//! The moderators' pages, for a service that stands alone: console and replay, and their files. In one process all pages are
//! served beside it.

use anyhow::Context as _;
use chassis::http::{Response, answer};
use hyper::{
    Request, StatusCode, Uri,
    header::{HeaderValue, LOCATION},
};

/// The first part of the paths that are pages here, and of their files.
const PAGES: [&str; 3] = ["console", "replay", "assets"];

/// The pages, and where the console finds the hall.
#[derive(Clone, Default)]
pub(crate) struct Pages {
    pages: web::Pages,
    hall: Option<String>,
}

impl Pages {
    /// Pages that speak to this service, and to the hall at this origin.
    ///
    /// # Errors
    /// When the origin cannot stand in a policy.
    pub(crate) fn of(hall: Option<String>) -> anyhow::Result<Self> {
        let Some(hall) = hall else { return Ok(Self::default()) };
        let pages =
            web::Pages::speaking_to(&hall).context("--hall (DANMAKU_HALL): a page can speak to no such place")?;
        Ok(Self { pages, hall: Some(hall) })
    }

    /// Whether a path is a page or one of its files.
    pub(crate) fn serves(path: &str) -> bool {
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        PAGES.contains(&first)
    }

    /// Answers a request for one. The console is told in its own address where the hall is.
    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Response {
        let told = self.hall.as_deref().and_then(|hall| with_hall(request.uri(), hall));
        let Some(location) = told.and_then(|location| HeaderValue::try_from(location).ok()) else {
            return self.pages.file(request);
        };
        let mut response = answer(StatusCode::TEMPORARY_REDIRECT, "text/plain", "");
        response.headers_mut().insert(LOCATION, location);
        response
    }
}

/// The console's address with the hall in it, if it is the console's and has none.
fn with_hall(uri: &Uri, hall: &str) -> Option<String> {
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    let has_hall = query.split('&').any(|pair| pair.starts_with("hall="));
    let is_console = path.trim_end_matches('/') == "/console";
    let and = if query.is_empty() { "" } else { "&" };
    // An origin has nothing in it that a query would not take as it is.
    (is_console && !has_hall).then(|| format!("{path}?{query}{and}hall={hall}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_pages() {
        for (path, expected) in [
            ("/console", true),
            ("/console/", true),
            ("/replay", true),
            ("/assets/a.js", true),
            ("/", false),
            ("/consoles", false),
            ("/v1/moderation/lists", false),
        ] {
            assert_eq!(Pages::serves(path), expected, "{path}");
        }
    }

    #[test]
    fn the_console_is_told_where_the_hall_is() {
        let pages = Pages::of(Some("https://live.example".to_owned())).unwrap();
        let location = |pages: &Pages, path: &str| {
            let answer = pages.answer(&Request::get(path).body(()).unwrap());
            answer.headers().get(LOCATION).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(location(&pages, "/console").as_deref(), Some("/console?hall=https://live.example"));
        let with_room = location(&pages, "/console/?room=a%26b");
        assert_eq!(with_room.as_deref(), Some("/console/?room=a%26b&hall=https://live.example"));
        for path in ["/console?hall=https://live.example", "/replay", "/assets/console.js"] {
            assert_eq!(location(&pages, path), None, "{path}");
        }
        assert_eq!(location(&Pages::default(), "/console"), None, "behind a gateway the hall is here");
    }
}
