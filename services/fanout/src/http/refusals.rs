//! Each no of a handshake: its status, its words, and the headers that say what would have been right.
//! When which is said is kept out, and so are those of `notices`, which has some of its own.

use std::{fmt::Display, time::Duration};

use chassis::http::{Refusal, Response};
use hyper::{
    Method, StatusCode,
    header::{ALLOW, CONNECTION, HeaderValue, SEC_WEBSOCKET_VERSION, UPGRADE, WWW_AUTHENTICATE},
};
use proto::close::Close;

use super::handshake::Bad;
use crate::arrival::Access;

/// A node that leaves is seldom the only one.
const LEAVING_RETRY: Duration = Duration::from_secs(1);

pub(super) fn not_found() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "there are /v1/rooms/{room}/live, /sub, /v1/rooms/{room}/where and /v1/users/{user}/notices",
    )
}

pub(super) fn method_not_allowed(message: &'static str) -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

pub(super) fn origin() -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, "forbidden", "this page's origin is not allowed; add it to --origins")
}

/// Headers that ask for nothing that is spoken here.
pub(super) fn bad(why: Bad) -> Refusal {
    let status = match why {
        Bad::Version | Bad::Neither => StatusCode::UPGRADE_REQUIRED,
        Bad::Http | Bad::Key | Bad::Connection | Bad::Protocol => StatusCode::BAD_REQUEST,
    };
    Refusal::new(status, "malformed", why.to_string())
}

pub(super) fn malformed(why: String) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "malformed", why)
}

pub(super) fn bad_room(why: &dyn Display) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "bad_room", format!("the room in the path is none: {why}"))
}

pub(super) fn full(message: &'static str, retry: Duration) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "full", message).retry_after(retry)
}

pub(super) fn leaving() -> Refusal {
    let message = "this node is leaving; connect again";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message).retry_after(LEAVING_RETRY)
}

/// On an event stream there is no frame to bring a token in, and the status can be read.
pub(super) fn event_access(access: Access) -> Result<Access, Refusal> {
    match access {
        Access::Granted(_) => Ok(access),
        Access::TokenFirst => {
            Err(Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", "watching needs a token; send Authorization"))
        }
        Access::Refused(Close::NotAllowed | Close::Removed, message) => {
            Err(Refusal::new(StatusCode::FORBIDDEN, "forbidden", message))
        }
        Access::Refused(_, message) => Err(Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", message)),
    }
}

/// The answer, with the headers that say what would have been right.
pub(super) fn answer(refusal: Refusal, allowed: &Method) -> Response {
    let status = refusal.status;
    let mut response = refusal.into_response();
    let headers = response.headers_mut();
    match status {
        StatusCode::UPGRADE_REQUIRED => {
            headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            // A method's name is a header's value.
            headers.extend(HeaderValue::from_str(allowed.as_str()).map(|allowed| (ALLOW, allowed)));
        }
        // Who has to come back later need not hold a connection meanwhile.
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        _ => {}
    }
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proto::RoomId;
    use serde_json::Value;

    use super::*;
    use crate::http::{GOIM_PATH, Route, raw_room, route};

    /// docs/openapi.yaml says with which status a live stream is refused, and what else is here.
    #[test]
    fn the_halls_paths_and_refusals_are_described() {
        let document: Value =
            serde_norway::from_str(include_str!("../../../../docs/openapi.yaml")).expect("docs/openapi.yaml is YAML");
        let live = &document["paths"]["/v1/rooms/{room}/live"]["get"]["responses"];
        let told: BTreeSet<_> =
            live.as_object().unwrap().keys().filter(|status| status.as_str() >= "400").cloned().collect();
        let no = |access| event_access(access).err().unwrap();
        let refused = |close| no(Access::Refused(close, String::new()));
        let refusals = [
            not_found(),
            method_not_allowed(""),
            origin(),
            bad(Bad::Version),
            bad(Bad::Key),
            malformed(String::new()),
            bad_room(&""),
            full("", LEAVING_RETRY),
            leaving(),
            no(Access::TokenFirst),
            refused(Close::NotAllowed),
            refused(Close::Unauthorized),
        ];
        let codes = &document["components"]["schemas"]["Refusal"]["properties"]["code"]["enum"];
        for refusal in &refusals {
            assert!(codes.as_array().unwrap().iter().any(|code| code == refusal.code), "{}", refusal.code);
        }
        assert_eq!(told, refusals.iter().map(|refusal| refusal.status.as_u16().to_string()).collect());

        let paths = document["paths"].as_object().unwrap().iter();
        let of_the_hall = |path: &Value| ["get", "post"].iter().any(|method| path[method]["tags"][0] == "hall");
        let mut found: Vec<_> = paths.filter(|(_, path)| of_the_hall(path)).map(|(path, _)| kind(path)).collect();
        found.sort_unstable();
        assert_eq!(found, ["goim", "live", "notices", "where"]);
    }

    fn kind(path: &str) -> &'static str {
        let path = path.replace("{room}", "demo").replace("{user}", "u7");
        match route(&path) {
            Route::Where => "where",
            Route::Notices => "notices",
            Route::Live if path == GOIM_PATH => "goim",
            Route::Live if raw_room(&path).is_some_and(|room| RoomId::new(room).is_ok()) => "live",
            Route::Live => "nothing",
        }
    }

    #[test]
    fn what_would_have_been_right_is_said() {
        for (refusal, name, value) in [
            (method_not_allowed("use POST"), "allow", Some("POST")),
            (bad(Bad::Version), "sec-websocket-version", Some("13")),
            (full("full", Duration::from_secs(2)), "retry-after", Some("2")),
            (leaving(), "connection", Some("close")),
            (not_found(), "allow", None),
        ] {
            let response = answer(refusal, &Method::POST);
            assert_eq!(response.headers().get(name).map(|value| value.to_str().unwrap()), value, "{name}");
        }
    }
}
