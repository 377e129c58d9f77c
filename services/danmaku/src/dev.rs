//! What is for development, beside the services on one origin: who may use it, and the token. No room is served here.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use chassis::{
    http::{self, Refusal, Response},
    settings::Common,
    telemetry,
    tokens::{Claims, Role, Roles, Signer},
};
use hyper::{
    Method, Request, StatusCode,
    header::{HOST, HeaderValue},
    http::uri::Authority,
};
use rand::RngExt as _;
use serde_json::json;

use crate::{hops::Hops, token::now_secs};

/// How long a development token is good.
const DEV_TOKEN_TTL: Duration = Duration::from_secs(3600);

/// What proxies say of whom they pass on; some say nothing.
const BY_PROXIES: [&str; 4] = ["x-forwarded-for", "forwarded", "via", "x-real-ip"];

/// What the page is given for development.
pub(crate) struct Dev {
    signer: Arc<Signer>,
    hops: Hops,
}

impl Dev {
    /// That of a first look, where somebody here can sign.
    pub(crate) fn of(common: &Common, signer: Option<Arc<Signer>>) -> anyhow::Result<Option<Self>> {
        let hops = Hops::new(telemetry::install(common.log_format)?);
        Ok(signer.filter(|_| is_first_look(common)).map(|signer| Self { signer, hops }))
    }
}

/// Whether tokens may be given away: their key is random and the broker forgets all, and nothing says that others than this
/// machine come, by a proxy on it or from pages elsewhere.
pub(crate) fn is_first_look(common: &Common) -> bool {
    let is_alone = common.brokers.is_none() && common.keys.is_none();
    is_alone && common.trusted_proxies.is_empty() && common.origins.is_empty()
}

/// Answers what is asked under `/dev/`.
pub(crate) fn answer<B>(request: &Request<B>, peer: SocketAddr, dev: Option<&Dev>) -> Response {
    if let Some(refused) = refuse_dev(request, peer, dev.is_some()) {
        return refused;
    }
    match (request.uri().path(), dev) {
        ("/dev/token", Some(dev)) => dev_token(request, &dev.signer),
        ("/dev/hops", Some(dev)) => dev.hops.answer(),
        _ => unknown(),
    }
}

fn is_read(method: &Method) -> bool {
    method == Method::GET || method == Method::HEAD
}

fn only_get() -> Response {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "only GET is known here").into_response()
}

/// The answer to a path that development does not know. Not a page, which would be there for any path.
pub fn unknown() -> Response {
    Refusal::new(StatusCode::NOT_FOUND, "not_found", "for development there are /dev/token and /dev/hops")
        .into_response()
}

/// Why a request for what is under `/dev/` is refused: that is for reading, at a first look, by this machine only.
pub fn refuse_dev<B>(request: &Request<B>, peer: SocketAddr, is_first_look: bool) -> Option<Response> {
    if !is_read(request.method()) {
        return Some(only_get());
    }
    // Canonical: on `[::]` this machine's 127.0.0.1 comes as ::ffff:127.0.0.1. What a proxy passes on may be anybody's, and so may
    // a page of another name that was made to lead here: its browser is on this machine, and the page would read the answer.
    let is_here = peer.ip().to_canonical().is_loopback()
        && !BY_PROXIES.iter().any(|name| request.headers().contains_key(*name))
        && request.headers().get(HOST).is_none_or(is_this_machine);
    let why = match (is_first_look, is_here) {
        (true, true) => return None,
        (false, _) => {
            "what is for development needs the embedded broker, and is gone with --keys, --trusted-proxies or --origins"
        }
        (true, false) => "what is for development is for this machine only",
    };
    Some(Refusal::new(StatusCode::FORBIDDEN, "forbidden", why).into_response())
}

/// Whether a `Host` names this machine by its address or as `localhost`.
fn is_this_machine(host: &HeaderValue) -> bool {
    let Some(name) = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()) else { return false };
    let name = name.host().trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// A user of development, as the door itself names them.
fn is_dev_user(id: &str) -> bool {
    id.strip_prefix("dev-").is_some_and(|rest| rest.len() == 12 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Answers `GET /dev/token?name=&roles=&user=`, to whom the caller has let in: a token for an hour, a viewer's and sender's unless
/// other roles are named; for a new user, or for one who was named here before and renews his.
pub fn dev_token<B>(request: &Request<B>, signer: &Signer) -> Response {
    let asked = request.uri().query().and_then(http::query).unwrap_or_default();
    let value = |key: &str| asked.iter().find(|(asked, _)| asked == key).map(|(_, value)| value.clone());
    let named = value("roles").map(|names| names.split(',').map(Role::named).collect::<Option<Roles>>());
    let Some(roles) = named.unwrap_or_else(|| Some([Role::Viewer, Role::Sender].into_iter().collect())) else {
        let why = "roles is a comma list of viewer, sender, moderator, service, relay, admin, owner and log_viewer";
        return Refusal::new(StatusCode::BAD_REQUEST, "malformed", why).into_response();
    };
    let name = value("name");
    let name = name.filter(|name| !name.is_empty() && name.chars().count() <= 40);
    // A name is not an id: two people may bear one, so the id is random.
    let user = match value("user") {
        Some(user) if is_dev_user(&user) => user,
        Some(_) => {
            let why = "user is an id that this door gave, dev- and twelve hexadecimal digits";
            return Refusal::new(StatusCode::BAD_REQUEST, "malformed", why).into_response();
        }
        None => format!("dev-{:012x}", rand::rng().random_range(0..1u64 << 48)),
    };
    let mut claims = Claims::new(&*user, roles);
    claims.name = name.unwrap_or_else(|| "guest".to_owned());
    let expires = now_secs() + DEV_TOKEN_TTL.as_secs();
    match signer.mint(&claims, DEV_TOKEN_TTL, now_secs()) {
        Ok(token) => http::json(
            StatusCode::OK,
            &json!({ "token": token, "user": { "id": user, "name": claims.name }, "expires": expires * 1000 }),
        ),
        Err(error) => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_development_is_for_this_machine_and_a_first_look() {
        for (method, peer, header, is_first_look, status) in [
            ("GET", "127.0.0.1:1", "", true, None),
            ("GET", "[::1]:1", "", true, None),
            ("HEAD", "[::ffff:127.0.0.1]:1", "", true, None),
            ("GET", "192.0.2.1:1", "", true, Some(403)),
            ("GET", "127.0.0.1:1", "x-forwarded-for", true, Some(403)),
            ("GET", "127.0.0.1:1", "x-real-ip", true, Some(403)),
            ("GET", "127.0.0.1:1", "", false, Some(403)),
            ("POST", "127.0.0.1:1", "", true, Some(405)),
        ] {
            let request = Request::builder().method(method).uri("/dev/token?name=me");
            let request = if header.is_empty() { request } else { request.header(header, "127.0.0.1") };
            let refused = refuse_dev(&request.body(()).unwrap(), peer.parse().unwrap(), is_first_look);
            let refused = refused.map(|response| response.status().as_u16());
            assert_eq!(refused, status, "{method} {peer} {header} {is_first_look}");
        }
    }

    #[test]
    fn a_page_of_another_name_is_not_this_machine() {
        for (host, status) in [
            ("127.0.0.1:8080", None),
            ("localhost:8080", None),
            ("[::1]:8080", None),
            ("rebound.example:8080", Some(403)),
            ("127.0.0.1.rebound.example", Some(403)),
            ("", Some(403)),
        ] {
            let request = Request::get("/dev/token").header(HOST, host).body(()).unwrap();
            let refused = refuse_dev(&request, "127.0.0.1:1".parse().unwrap(), true);
            assert_eq!(refused.map(|response| response.status().as_u16()), status, "{host}");
        }
    }

    #[test]
    fn a_development_token_is_minted_for_the_asking() {
        for (query, status) in [
            ("name=me", 200),
            ("name=me&roles=moderator,admin", 200),
            ("name=me&user=dev-0123456789ab", 200),
            ("user=ann", 400),
            ("roles=king", 400),
        ] {
            let request = Request::get(format!("/dev/token?{query}")).body(()).unwrap();
            assert_eq!(dev_token(&request, &Signer::random_hs256()).status().as_u16(), status, "{query}");
        }
    }
}
