//! `GET /sub`: the handshake of the goim wire, whose first packets name the room and so the shard.
//!
//! Everybody gets the socket, and what is wrong is said on it, mostly late: some of these clients come back a tenth of a
//! second after a close, and one stops for good at any status but 101. What the first packets mean is `opening`'s.

mod opening;

use std::{net::IpAddr, ops::Range, sync::Arc, time::Duration};

use bytes::Bytes;
use chassis::{
    http::{Refusal, Response, full},
    listen::Place,
};
use hyper::{Request, body::Incoming};
use proto::close::Close;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};

use super::{Guest, taken, upgraded};
use crate::{
    admission::Admission,
    arrival::Access,
    hall::Hall,
    http::handshake::Token,
    metrics,
    resume::Since,
    wire::{Wire, goim, websocket},
};
use opening::{Opening, Step};

/// Who speaks goim and has no shard yet: 2,048 of them with 20 KiB of first words and a task are 45 MB at worst. Whoever comes
/// above that is closed at once.
pub(crate) const CALLERS_MAX: usize = 2048;

/// How long auth may take.
const AUTH_WAIT: Duration = Duration::from_secs(5);

/// How long a client is held that brought a bad token, so that it does not try ten times a second.
const REFUSED_HOLD_MS: Range<u64> = 2_000..4_000;

/// How long one is held for whom there is no place now: long enough that who waits does not add to what is too much.
const LATER_HOLD_MS: Range<u64> = 5_000..15_000;

/// How long a client may take to close after we have: closing a socket with unread bytes in it would take our last frame back.
const LINGER: Duration = Duration::from_secs(2);

/// A client that is not let in.
#[derive(Debug)]
enum Turned {
    /// It went by itself.
    Gone,
    /// Whatever it speaks, it is not this: closed at once.
    Away(Close),
    /// Its auth is bad: it is told so, and closed after a while.
    Refused(Close),
    /// There is no place now: closed after a while.
    Later(Close),
    /// It said goodbye, with this code.
    Goodbye(Option<u16>),
}

/// A client on its way to a shard.
struct Caller {
    stream: TcpStream,
    /// Its connection's, as long as that lasts.
    place: Place,
    address: IpAddr,
    opening: Opening,
}

impl Hall {
    /// Answers 101, and hears who is there.
    pub(super) fn call(
        self: &Arc<Self>,
        request: &mut Request<Incoming>,
        address: IpAddr,
    ) -> Result<Response, Refusal> {
        let (response, websocket) = upgraded(request)?;
        let hall = self.clone();
        self.handshakes.spawn(async move {
            let Some((stream, place, early)) = taken(websocket).await else {
                return tracing::debug!("handshake was not finished");
            };
            let mut caller = Caller { stream, place, address, opening: Opening::default() };
            let is_heard = hall.callers.try_acquire();
            let heard =
                if is_heard.is_ok() { hall.hear(&mut caller, early).await } else { Err(Turned::Away(Close::TryLater)) };
            match heard {
                Ok(mut guest) => {
                    guest.pass.keep(caller.place);
                    guest.arrive(caller.stream, caller.opening.into_bytes());
                }
                Err(turned) => hall.turn(caller, turned).await,
            }
        });
        Ok(response.map(|_| full("")))
    }

    /// Waits for auth, and finds a place for who may watch.
    async fn hear(&self, caller: &mut Caller, early: Bytes) -> Result<Guest, Turned> {
        let Admission::Admitted(pass) = self.admission(caller.address) else { return Err(Turned::Later(Close::Full)) };
        let auth = tokio::select! {
            auth = timeout(AUTH_WAIT, caller.auth(early)) => auth.unwrap_or(Err(Turned::Away(Close::Unauthorized)))?,
            () = self.leaving.cancelled() => return Err(Turned::Away(Close::Restarting)),
        };
        let token = auth.token.as_deref().map_or(Token::None, Token::Bearer);
        let access = match self.access(&auth.room, caller.address, token) {
            access @ Access::Granted(_) => access,
            Access::TokenFirst => return Err(Turned::Refused(Close::Unauthorized)),
            Access::Refused(close, _) => return Err(Turned::Refused(close)),
        };
        let guest = self.guest(auth.room, (caller.address, pass), Wire::Goim(auth.version), Since::Head, access);
        guest.map_err(|_| Turned::Later(if self.is_leaving() { Close::Restarting } else { Close::TryLater }))
    }

    /// Says why not, in this client's time.
    async fn turn(&self, caller: Caller, turned: Turned) {
        let Caller { mut stream, place: _place, .. } = caller;
        let (close, hold_ms) = match turned {
            Turned::Gone => return,
            Turned::Goodbye(code) => {
                let last = code.map_or_else(websocket::close_bare, |code| websocket::close(code, ""));
                return finish(stream, &last).await;
            }
            Turned::Away(close) => (close, 0),
            Turned::Refused(close) => {
                // It fails when nobody is there, which the next read says too.
                let _ = timeout(LINGER, stream.write_all(&goim::auth_reply(false))).await;
                (close, rand::random_range(REFUSED_HOLD_MS))
            }
            Turned::Later(close) => (close, rand::random_range(LATER_HOLD_MS)),
        };
        tracing::debug!(reason = close.word(), "handshake refused");
        metrics::refused(close.code(), close.word());
        let until = Instant::now() + Duration::from_millis(hold_ms);
        let is_there = tokio::select! {
            is_there = stays(&mut stream, until) => is_there,
            () = self.leaving.cancelled() => true,
        };
        if is_there {
            finish(stream, &websocket::close(close.code(), close.word())).await;
        }
    }
}

impl Caller {
    /// Reads up to auth.
    async fn auth(&mut self, early: Bytes) -> Result<goim::auth::Auth, Turned> {
        let mut step = self.opening.hear(&early);
        let mut buffer = [0; 2048];
        loop {
            match step {
                Step::More => {}
                Step::Auth(auth) => return Ok(auth),
                Step::Bad(close) => return Err(Turned::Refused(close)),
                Step::Close(close) => return Err(Turned::Away(close)),
                Step::Goodbye(code) => return Err(Turned::Goodbye(code)),
            }
            let len = self.stream.read(&mut buffer).await.unwrap_or_default();
            if len == 0 {
                return Err(Turned::Gone);
            }
            step = self.opening.hear(&buffer[..len]);
        }
    }
}

/// Hears a client out until then; whether it is still there.
async fn stays(stream: &mut TcpStream, until: Instant) -> bool {
    let mut buffer = [0; 512];
    loop {
        match timeout_at(until, stream.read(&mut buffer)).await {
            Ok(Ok(1..)) => {}
            Ok(_) => return false,
            Err(_) => return true,
        }
    }
}

/// Says the last word, and waits a little for the client to go.
async fn finish(mut stream: TcpStream, last: &[u8]) {
    let finishing = async {
        stream.write_all(last).await?;
        stream.shutdown().await
    };
    if let Ok(Ok(())) = timeout(LINGER, finishing).await {
        stays(&mut stream, Instant::now() + LINGER).await;
    }
}
