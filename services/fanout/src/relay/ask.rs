//! One request to a door and what its answer means. In which order requests go out, and who is told, is kept out.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use bytes::Bytes;
use chassis::{
    http::{Collected, collect},
    tokens::{HEADER_ADDRESS, HEADER_CLAIMS},
};
use http_body_util::Full;
use hyper::{
    Request, StatusCode,
    body::Incoming,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
    http::uri::Authority,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proto::v1;

use super::Job;

/// So that of two doors of which one is not there the other one still gets its time.
const CONNECT_WAIT: Duration = Duration::from_secs(1);

/// A door closes a connection that was idle for 5 s; ours are given up before, so that no request meets a closing one.
const IDLE_MAX: Duration = Duration::from_secs(2);

/// A door's answer is an id, or a code and a sentence.
const ANSWER_BYTES_MAX: usize = 4 * 1024;

/// How asking a door ended.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    /// With a yes or a no for who said it.
    Answered(v1::Ack),
    /// The door does not know us, or him any more.
    Unbelieved,
    /// Nobody knows whether it was taken.
    Silent(String),
}

/// A client with a pool of connections.
pub(super) struct Asker {
    client: Client<HttpConnector, Full<Bytes>>,
    doors: Vec<Authority>,
    /// Which door is asked first.
    turn: AtomicUsize,
}

impl Asker {
    pub(super) fn new(doors: Vec<Authority>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_WAIT));
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE_MAX).pool_timer(TokioTimer::new());
        Self { client: builder.build(connector), doors, turn: AtomicUsize::new(0) }
    }

    /// Brings a send to a door, until `deadline`. Doors are asked in turn; a door that cannot be reached has taken nothing,
    /// so the next one is asked.
    pub(super) async fn ask(&self, job: &Job, bearer: HeaderValue, deadline: Instant) -> Outcome {
        if Instant::now() >= deadline {
            return Outcome::Silent("it waited for its turn too long".to_owned());
        }
        let asking = tokio::time::timeout_at(deadline.into(), self.ask_in_turn(job, bearer, deadline));
        asking.await.unwrap_or_else(|_| Outcome::Silent("the door did not answer in time".to_owned()))
    }

    async fn ask_in_turn(&self, job: &Job, bearer: HeaderValue, deadline: Instant) -> Outcome {
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let mut why = "there is no door".to_owned();
        for turn in 0..self.doors.len() {
            let door = &self.doors[(first % self.doors.len() + turn) % self.doors.len()];
            let request = match request(door, job, bearer.clone()) {
                Ok(request) => request,
                Err(error) => return Outcome::Silent(format!("no request can be made: {error}")),
            };
            match self.client.request(request).await {
                Ok(response) => return read(response, deadline).await,
                Err(error) => {
                    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                    why = format!("{door}: {error}{cause}");
                    if !error.is_connect() {
                        break;
                    }
                }
            }
        }
        Outcome::Silent(why)
    }
}

fn request(door: &Authority, job: &Job, bearer: HeaderValue) -> hyper::http::Result<Request<Full<Bytes>>> {
    let room = utf8_percent_encode(job.room.as_str(), NON_ALPHANUMERIC);
    Request::post(format!("http://{door}/v1/rooms/{room}/danmaku"))
        .header(AUTHORIZATION, bearer)
        .header(CONTENT_TYPE, "application/json")
        .header(HEADER_CLAIMS, job.claims.to_header())
        .header(HEADER_ADDRESS, job.address.to_string())
        .body(Full::from(proto::frame::send_body(&job.send)))
}

async fn read(response: hyper::Response<Incoming>, deadline: Instant) -> Outcome {
    let status = response.status();
    let left = deadline.saturating_duration_since(Instant::now());
    match collect(response.into_body(), ANSWER_BYTES_MAX, left).await {
        Collected::Whole(body) => outcome(status, &body),
        other => Outcome::Silent(format!("the door's answer {status} was cut short: {other:?}")),
    }
}

/// What a door's answer means; its fields are the `ack`'s own. Who sent the message is told what he can do something about.
fn outcome(status: StatusCode, body: &[u8]) -> Outcome {
    let ack = serde_json::from_slice::<v1::Ack>(body).unwrap_or_default();
    let no = |ack: v1::Ack| v1::Ack { code: ack.code, retry_after_ms: ack.retry_after_ms, ..v1::Ack::default() };
    match status {
        StatusCode::ACCEPTED if !ack.id.is_empty() => {
            Outcome::Answered(v1::Ack { ok: true, id: ack.id, ..v1::Ack::default() })
        }
        StatusCode::UNAUTHORIZED => Outcome::Unbelieved,
        // A door that is full is not what he can wait for by name: another one may not be.
        StatusCode::SERVICE_UNAVAILABLE if matches!(&*ack.code, "unavailable" | "judge_behind") => {
            Outcome::Answered(no(ack))
        }
        StatusCode::BAD_REQUEST
        | StatusCode::FORBIDDEN
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::UNPROCESSABLE_ENTITY
        | StatusCode::TOO_MANY_REQUESTS
            if !ack.code.is_empty() =>
        {
            Outcome::Answered(no(ack))
        }
        _ => Outcome::Silent(format!("the door answered {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_what_they_mean() {
        let no = |code: &str, retry_after_ms| {
            Outcome::Answered(v1::Ack { code: code.into(), retry_after_ms, ..v1::Ack::default() })
        };
        let yes = Outcome::Answered(v1::Ack { ok: true, id: "1-2-3".into(), ..v1::Ack::default() });
        for (status, body, expected) in [
            (202, r#"{"id":"1-2-3","ok":false,"client_id":"x"}"#, yes),
            (429, r#"{"code":"rate_limited","message":"slow","retry_after_ms":200}"#, no("rate_limited", 200)),
            (503, r#"{"code":"judge_behind","retry_after_ms":1000}"#, no("judge_behind", 1000)),
            (503, r#"{"code":"unavailable","retry_after_ms":1000,"retry_until":5}"#, no("unavailable", 1000)),
            (413, r#"{"code":"too_long","id":"1-2-3","ok":true}"#, no("too_long", 0)),
            (401, r#"{"code":"unauthorized"}"#, Outcome::Unbelieved),
        ] {
            assert_eq!(outcome(StatusCode::from_u16(status).unwrap(), body.as_bytes()), expected, "{body}");
        }
        for (status, body) in [
            (202, "{}"),
            (202, "nonsense"),
            (200, r#"{"id":"1-2-3"}"#),
            (404, r#"{"code":"not_found"}"#),
            (503, "<html>"),
            (503, r#"{"code":"full","retry_after_ms":2000}"#),
            (429, "[]"),
        ] {
            let outcome = outcome(StatusCode::from_u16(status).unwrap(), body.as_bytes());
            assert!(matches!(outcome, Outcome::Silent(_)), "{status} {body}: {outcome:?}");
        }
    }
}
