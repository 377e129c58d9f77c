//! Requests to one address over kept connections, and what the answers mean. Whom to tell is the caller's.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use proto::MessageId;
use serde::Deserialize;
use tokio::net::TcpStream;

/// The door answers within its produce deadline of 5 s; what takes twice as long is not coming.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A server closes a connection that is idle for 5 s; one that was idle for 3 s is not worth the race.
const IDLE_MAX: Duration = Duration::from_secs(3);

/// An admin port's page is the largest answer.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// One address and the connections to it that are not in use. As many are open as requests are in flight, which the
/// caller bounds.
pub struct Door {
    address: SocketAddr,
    host: String,
    idle: Mutex<Vec<(Connection, Instant)>>,
}

type Connection = SendRequest<Full<Bytes>>;

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// 202: durable, under this id.
    Accepted(MessageId),
    /// A no, by its code.
    Refused(String),
    /// Nobody knows: 503 `unavailable`, or a request that was written and not answered.
    Unknown(String),
}

impl Door {
    /// The door at an address.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, host: address.to_string(), idle: Mutex::new(Vec::new()) }
    }

    /// Says a message; `written` is told when the request goes out.
    pub async fn say(&self, room: &str, token: &str, body: Vec<u8>, written: &mut Instant) -> Answer {
        let request = Request::post(format!("/v1/rooms/{room}/danmaku"))
            .header(HOST, &self.host)
            .header(AUTHORIZATION, format!("Bearer {token}"))
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)));
        let request = match request {
            Ok(request) => request,
            Err(error) => return Answer::Refused(format!("no request: {error}")),
        };
        match self.answer(request, written).await {
            Ok((status, body)) => meaning(status, &body),
            Err(Failed::Unreachable(_)) => Answer::Refused("unreachable".into()),
            Err(Failed::Unanswered(why)) => Answer::Unknown(why.into()),
        }
    }

    /// Asks for a page.
    ///
    /// # Errors
    /// When there is no answer, or one that is not 200.
    pub async fn get(&self, path: &str) -> anyhow::Result<String> {
        let request = Request::get(path).header(HOST, &self.host).body(Full::default())?;
        let (status, body) = self.answer(request, &mut Instant::now()).await.map_err(|failed| match failed {
            Failed::Unreachable(error) => anyhow::anyhow!("http://{}{path}: {error}", self.host),
            Failed::Unanswered(why) => anyhow::anyhow!("http://{}{path}: {why}", self.host),
        })?;
        let text = String::from_utf8(body.into()).context("an answer that is no text")?;
        anyhow::ensure!(status == StatusCode::OK, "http://{}{path}: {status}: {text}", self.host);
        Ok(text)
    }

    async fn answer(
        &self,
        request: Request<Full<Bytes>>,
        written: &mut Instant,
    ) -> Result<(StatusCode, Bytes), Failed> {
        match tokio::time::timeout(ANSWER_WITHIN, self.exchange(request, written)).await {
            Ok(answer) => answer,
            Err(_) => Err(Failed::Unanswered("no answer in 10 s")),
        }
    }

    async fn exchange(
        &self,
        mut request: Request<Full<Bytes>>,
        written: &mut Instant,
    ) -> Result<(StatusCode, Bytes), Failed> {
        loop {
            let mut connection = match self.kept().await {
                Some(connection) => connection,
                None => self.connect().await?,
            };
            *written = Instant::now();
            let response = match connection.try_send_request(request).await {
                Ok(response) => response,
                // The server closed a kept connection before this request was written: that one is safe to repeat.
                Err(mut error) => match error.take_message() {
                    Some(unwritten) => {
                        request = unwritten;
                        continue;
                    }
                    None => return Err(Failed::Unanswered("the connection broke off")),
                },
            };
            let status = response.status();
            let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|_| Failed::Unanswered("the answer broke off"))?.to_bytes();
            self.keep(connection);
            return Ok((status, body));
        }
    }

    async fn connect(&self) -> Result<Connection, Failed> {
        let stream = TcpStream::connect(self.address).await.map_err(|error| Failed::Unreachable(error.to_string()))?;
        let _ = stream.set_nodelay(true);
        let shaken = handshake(TokioIo::new(stream)).await;
        let (connection, life) = shaken.map_err(|error| Failed::Unreachable(error.to_string()))?;
        // It ends with its connection, which is dropped when it breaks or is idle for too long.
        tokio::spawn(life);
        Ok(connection)
    }

    /// The connection that was used last: the others get old and are let go.
    async fn kept(&self) -> Option<Connection> {
        while let Some((mut connection, since)) = self.pop() {
            // It is ready once its task has seen the end of the answer before, which is now, or it is closed.
            if since.elapsed() < IDLE_MAX && connection.ready().await.is_ok() {
                return Some(connection);
            }
        }
        None
    }

    fn pop(&self) -> Option<(Connection, Instant)> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn keep(&self, connection: Connection) {
        if !connection.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((connection, Instant::now()));
        }
    }
}

/// Why there is no answer.
enum Failed {
    /// The request was never written.
    Unreachable(String),
    /// It may have arrived.
    Unanswered(&'static str),
}

/// What an answer means.
fn meaning(status: StatusCode, body: &[u8]) -> Answer {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Said {
        id: String,
        code: String,
    }
    let said = serde_json::from_slice::<Said>(body).unwrap_or_default();
    match (status, said.id.parse()) {
        (StatusCode::ACCEPTED, Ok(id)) => Answer::Accepted(id),
        (StatusCode::ACCEPTED, Err(_)) => Answer::Unknown("202 without an id".into()),
        _ if said.code == "unavailable" => Answer::Unknown(said.code),
        _ if said.code.is_empty() => Answer::Refused(format!("http {}", status.as_u16())),
        _ => Answer::Refused(said.code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let id = MessageId { generation: 1, partition: 3, offset: 42 };
        let table = [
            (202, r#"{"id":"1-3-42"}"#, Answer::Accepted(id)),
            (202, r#"{"id":"x"}"#, Answer::Unknown("202 without an id".into())),
            (202, "", Answer::Unknown("202 without an id".into())),
            (
                429,
                r#"{"code":"rate_limited","message":"m","retry_after_ms":9}"#,
                Answer::Refused("rate_limited".into()),
            ),
            (503, r#"{"code":"unavailable"}"#, Answer::Unknown("unavailable".into())),
            (503, r#"{"code":"judge_behind"}"#, Answer::Refused("judge_behind".into())),
            (502, "<html>", Answer::Refused("http 502".into())),
        ];
        for (status, body, answer) in table {
            assert_eq!(meaning(StatusCode::from_u16(status).unwrap(), body.as_bytes()), answer, "{body}");
        }
    }
}
