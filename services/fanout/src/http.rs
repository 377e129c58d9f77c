//! The handshake: what a request for `/v1/rooms/{room}/live` or `/sub` may be, and its answer. Each no is one of `refusals`.
//!
//! It ends with an arrival in a shard's inbox. Frames, heartbeats and everything after the handshake are the shard's.

mod goim;
mod handshake;
mod notices;
mod nodes;
mod refusals;

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
    HeaderMap, Method, Request,
    body::Incoming,
    header::{
        ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, ORIGIN, SEC_WEBSOCKET_PROTOCOL, VARY,
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
const CROWD_RETRY: Duration = Duration::from_secs(2);

/// Where the goim wire is spoken: the path that its clients have built in.
pub const GOIM_PATH: &str = "/sub";

/// The room's name as it stands in the path of a live stream.
fn raw_room(path: &str) -> Option<&str> {
    path.strip_prefix("/v1/rooms/")?.strip_suffix("/live")
}

fn room_named(raw: &str) -> Result<RoomId, Refusal> {
    let name = decode(raw).ok_or_else(|| refusals::bad_room(&"it is not percent-encoded UTF-8"))?;
    RoomId::new(&name).map_err(|why| refusals::bad_room(&why))
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
                metrics::refused(refusal.status.as_u16(), refusal.code);
                refusals::answer(refusal, &Method::GET)
            }
        }
    }

    /// The order of a handshake: path → method → page's origin → what kind → room → space → token → ban → place.
    fn admit(self: &Arc<Self>, request: &mut Request<Incoming>, peer: SocketAddr) -> Result<Response, Refusal> {
        let is_goim = request.uri().path() == GOIM_PATH;
        let raw_room = raw_room(request.uri().path());
        if !is_goim && raw_room.is_none() {
            return Err(refusals::not_found());
        }
        if request.method() != Method::GET {
            return Err(refusals::method_not_allowed("a live stream is asked for with GET"));
        }
        self.page_may_speak(request.headers())?;
        let asked = handshake::asked(request.version(), request.headers()).map_err(refusals::bad)?;
        let address = address::of_request(peer, request.headers(), &self.trusted_proxies);
        match (raw_room, asked) {
            (None, Asked::Events) => Err(refusals::bad(Bad::Neither)),
            (None, Asked::WebSocket(_)) => self.call(request, address),
            (Some(raw), asked) => {
                let room = room_named(raw)?;
                self.admit_to(room, asked, request, address)
            }
        }
    }

    /// The rest of it, once the room is known.
    fn admit_to(
        &self,
        room: RoomId,
        asked: Asked,
        request: &mut Request<Incoming>,
        address: IpAddr,
    ) -> Result<Response, Refusal> {
        // Before the token, whose signature costs more than all the rest.
        let pass = match self.admission(address) {
            Admission::Admitted(pass) => pass,
            Admission::Full { cap, retry } => return Err(refusals::full(cap.message(), retry)),
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
                let access = refusals::event_access(access)?;
                let guest = self.guest(room, (address, pass), Wire::Sse, since, access)?;
                Ok(events(guest, request.headers()))
            }
        }
    }

    /// Whether the page that asks may speak here.
    fn page_may_speak(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if origin::may_speak(headers, &self.origins) { Ok(()) } else { Err(refusals::origin()) }
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
        let inbox = inbox.ok_or_else(refusals::leaving)?.clone();
        let permit = inbox.permit().ok_or_else(|| refusals::full("too many are connecting at once", CROWD_RETRY))?;
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
    fastwebsockets::upgrade::upgrade(request).map_err(|error| refusals::malformed(error.to_string()))
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
