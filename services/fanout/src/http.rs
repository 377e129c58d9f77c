//! The handshake: what a request for `/v1/rooms/{room}/live` or `/sub` may be, and the only place where a status code is
//! chosen.
//!
//! It ends with an arrival in a shard's inbox. Frames, heartbeats and everything after the handshake are the shard's.

mod goim;
mod handshake;
mod notices;
mod nodes;

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use chassis::{
    address,
    http::{Refusal, Response, decode, full},
    listen::Place,
    origin,
};
use fastwebsockets::upgrade::UpgradeFut;
use http_body_util::{BodyExt as _, Empty};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::Incoming,
    header::{
        ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, ORIGIN,
        SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE, VARY,
    },
};
use proto::{RoomId, close::Close, partition};
use tokio::net::TcpStream;

use crate::{
    admission::{Admission, Pass},
    arrival::{Access, Arrival, Line},
    hall::Hall,
    house::Moment,
    inbox::{Event, Inbox, Permit},
    metrics,
    resume::Since,
    socket::pipe,
    wire::Wire,
};
pub(crate) use goim::CALLERS_MAX;
use handshake::{Asked, Bad, Protocol, Token};

/// How long a client may take to receive the answer to its handshake.
const UPGRADE_WAIT: Duration = Duration::from_secs(10);

/// How long a client waits that found too many at the door.
const FULL_RETRY: Duration = Duration::from_secs(2);

/// Where the goim wire is spoken: the path that its clients have built in.
pub const GOIM_PATH: &str = "/sub";

/// The room's name as it stands in the path of a live stream.
fn raw_room(path: &str) -> Option<&str> {
    path.strip_prefix("/v1/rooms/")?.strip_suffix("/live")
}

/// What a path asks for.
pub(crate) enum Route {
    /// A room's live stream; or something that is not here, which is answered there.
    Live,
    /// On which node to watch a room.
    Where,
    /// A notice to a user.
    Notices,
}

/// What a path asks for.
pub(crate) fn route(path: &str) -> Route {
    if nodes::raw_room(path).is_some() {
        Route::Where
    } else if notices::raw_user(path).is_some() {
        Route::Notices
    } else {
        Route::Live
    }
}

/// Somebody at the door who may come in.
struct Guest {
    room: RoomId,
    partition: i32,
    address: IpAddr,
    wire: Wire,
    since: Since,
    access: Access,
    inbox: Arc<Inbox>,
    permit: Permit,
    pass: Pass,
}

impl Hall {
    pub(crate) fn respond(self: &Arc<Self>, mut request: Request<Incoming>, peer: SocketAddr) -> Response {
        match self.admit(&mut request, peer) {
            Ok(response) => response,
            Err(refusal) => {
                tracing::debug!(%peer, status = refusal.status.as_u16(), code = refusal.code, "handshake refused");
                metrics::refused(refusal.status.as_u16());
                refuse(refusal)
            }
        }
    }

    /// The order of a handshake: path → method → page's origin → what kind → room → space → token → ban → place.
    fn admit(self: &Arc<Self>, request: &mut Request<Incoming>, peer: SocketAddr) -> Result<Response, Refusal> {
        let is_goim = request.uri().path() == GOIM_PATH;
        let room = if is_goim { "" } else { raw_room(request.uri().path()).ok_or_else(not_found)? };
        if request.method() != Method::GET {
            return Err(Refusal::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "a live stream is asked for with GET",
            ));
        }
        self.page_may_speak(request.headers())?;
        let asked = handshake::asked(request.version(), request.headers()).map_err(refusal)?;
        let address = address::of_request(peer, request.headers(), &self.trusted_proxies);
        if is_goim {
            return if asked == Asked::Events { Err(refusal(Bad::Neither)) } else { self.call(request, address) };
        }
        let room = room_named(room)?;
        // Before the token, whose signature costs more than all the rest.
        let pass = match self.admission(address) {
            Admission::Admitted(pass) => pass,
            Admission::Full { cap, retry } => {
                let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "full", cap.message());
                return Err(refusal.retry_after(retry));
            }
        };
        let since = handshake::since(request.uri().query(), request.headers());
        let access = self.access(&room, address, handshake::token(request.headers()));
        match asked {
            Asked::WebSocket(protocol) => {
                let wire = if protocol == Some(Protocol::Proto) { Wire::Proto } else { Wire::Json };
                let guest = self.guest(room, (address, pass), wire, since, access)?;
                self.upgrade(request, protocol, guest)
            }
            Asked::Events => {
                let access = event_access(access)?;
                let guest = self.guest(room, (address, pass), Wire::Sse, since, access)?;
                Ok(events(guest, request.headers()))
            }
        }
    }

    fn page_may_speak(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let message = "this page's origin is not allowed; add it to --origins";
        let forbidden = || Refusal::new(StatusCode::FORBIDDEN, "forbidden", message);
        origin::may_speak(headers, &self.origins).then_some(()).ok_or_else(forbidden)
    }

    /// Who it is, and whether he may watch. Who is banned may not, whoever else he is.
    fn access(&self, room: &RoomId, address: IpAddr, token: Token<'_>) -> Access {
        let access = self.believed(room, token);
        let claims = match &access {
            Access::Granted(claims) => claims.as_deref(),
            Access::TokenFirst => None,
            Access::Refused(..) => return access,
        };
        match self.house.bans.until(claims, address, Moment::now()) {
            Some(until) => Access::Refused(Close::Removed, until.to_string()),
            None => access,
        }
    }

    fn believed(&self, room: &RoomId, token: Token<'_>) -> Access {
        let claims = match token {
            Token::None if self.house.config.anonymous => return Access::Granted(None),
            Token::None => return Access::TokenFirst,
            Token::Unreadable => {
                return Access::Refused(Close::Unauthorized, "the Authorization header is no bearer token".to_owned());
            }
            Token::Bearer(token) => self.house.believe(token, Moment::now()),
        };
        match claims {
            Ok(claims) if claims.covers(room.as_str()) => Access::Granted(Some(claims)),
            Ok(_) => Access::Refused(Close::NotAllowed, "the token is not for this room".to_owned()),
            Err(why) => Access::Refused(Close::Unauthorized, why),
        }
    }

    /// A place on the shard that has the fewest viewers.
    fn guest(
        &self,
        room: RoomId,
        (address, pass): (IpAddr, Pass),
        wire: Wire,
        since: Since,
        access: Access,
    ) -> Result<Guest, Refusal> {
        let inbox = self.shards.iter().min_by_key(|inbox| inbox.load()).filter(|_| !self.is_leaving());
        let unavailable = || {
            let message = "this node is leaving; connect again";
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message).retry_after(Duration::from_secs(1))
        };
        let inbox = inbox.ok_or_else(unavailable)?.clone();
        let permit = inbox.permit().ok_or_else(|| {
            let message = "too many are connecting at once";
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "full", message).retry_after(FULL_RETRY)
        })?;
        let partition = partition::of(room.as_str().as_bytes(), self.house.partitions() as i32);
        Ok(Guest { room, partition, address, wire, since, access, inbox, permit, pass })
    }

    /// Answers 101; when that is written, the socket is taken out of HTTP and handed to its shard.
    fn upgrade(
        &self,
        request: &mut Request<Incoming>,
        protocol: Option<Protocol>,
        mut guest: Guest,
    ) -> Result<Response, Refusal> {
        let (mut response, websocket) = upgraded(request)?;
        if let Some(protocol) = protocol {
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol.name()));
        }
        self.handshakes.spawn(async move {
            match taken(websocket).await {
                Some((stream, place, early)) => {
                    guest.pass.keep(place);
                    guest.arrive(stream, early);
                }
                None => tracing::debug!("handshake was not finished"),
            }
        });
        Ok(response.map(|_| full("")))
    }
}

fn upgraded(request: &mut Request<Incoming>) -> Result<(hyper::Response<Empty<Bytes>>, UpgradeFut), Refusal> {
    fastwebsockets::upgrade::upgrade(request)
        .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, "malformed", error.to_string()))
}

/// The socket, once the answer to its handshake is written, and what came behind the handshake.
async fn taken(websocket: UpgradeFut) -> Option<(TcpStream, Place, Bytes)> {
    let taken = async {
        // The frame reader in it has read nothing yet; ours takes its place.
        chassis::listen::taken(websocket.await.ok()?.into_inner().into_inner())
    };
    tokio::time::timeout(UPGRADE_WAIT, taken).await.ok()?
}

impl Guest {
    /// Hands a WebSocket to the shard.
    fn arrive(self, stream: TcpStream, early: Bytes) {
        // It fails when the socket is broken, and then nobody is there.
        if let Ok(stream) = stream.into_std() {
            self.sit(Line::WebSocket(stream, early));
        }
    }

    fn sit(self, line: Line) {
        let Self { room, partition, address, wire, since, access, inbox, permit, pass } = self;
        let arrival = Arrival { room, partition, address, line, wire, since, access, permit, pass };
        inbox.tell(Event::Arrived(Box::new(arrival)));
    }
}

/// On an event stream there is no frame to bring a token in, and the status can be read.
fn event_access(access: Access) -> Result<Access, Refusal> {
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

/// The endless answer whose body the shard writes.
fn events(guest: Guest, headers: &HeaderMap) -> Response {
    let (writer, reader) = pipe::pipe();
    guest.sit(Line::Events(writer));
    let mut response = Response::new(reader.boxed_unsync());
    let told = response.headers_mut();
    told.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    told.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Some proxies gather an answer before they pass it on.
    told.insert("x-accel-buffering", HeaderValue::from_static("no"));
    for_page(&mut response, headers);
    response
}

/// Lets a page read the answer, whose origin was judged already.
fn for_page(response: &mut Response, headers: &HeaderMap) {
    if let Some(origin) = headers.get(ORIGIN) {
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        response.headers_mut().insert(VARY, HeaderValue::from_static("origin"));
    }
}

fn room_named(raw: &str) -> Result<RoomId, Refusal> {
    let bad_room = |why: &dyn std::fmt::Display| {
        Refusal::new(StatusCode::BAD_REQUEST, "bad_room", format!("the room in the path is none: {why}"))
    };
    let name = decode(raw).ok_or_else(|| bad_room(&"it is not percent-encoded UTF-8"))?;
    RoomId::new(&name).map_err(|why| bad_room(&why))
}

fn not_found() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "there are /v1/rooms/{room}/live, /sub, /v1/rooms/{room}/where and /v1/users/{user}/notices",
    )
}

fn refusal(why: handshake::Bad) -> Refusal {
    let status = match why {
        Bad::Version | Bad::Neither => StatusCode::UPGRADE_REQUIRED,
        Bad::Http | Bad::Key | Bad::Connection | Bad::Protocol => StatusCode::BAD_REQUEST,
    };
    Refusal::new(status, "malformed", why.to_string())
}

/// The answer, with the headers that say what would have been right.
fn refuse(refusal: Refusal) -> Response {
    let status = refusal.status;
    let mut response = refusal.into_response();
    let headers = response.headers_mut();
    match status {
        StatusCode::UPGRADE_REQUIRED => {
            headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            headers.insert(ALLOW, HeaderValue::from_static("GET"));
        }
        // Who has to come back later need not hold a connection meanwhile.
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        StatusCode::UNAUTHORIZED => {
            headers.insert("www-authenticate", HeaderValue::from_static("Bearer"));
        }
        _ => {}
    }
    response
}
