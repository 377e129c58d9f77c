//! One request to a door and what its answer means. In which order requests go out, and who is told, is kept out.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
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

/// How long a door that gave no answer is asked after the others: a hung one costs one send in so long, not each second one.
const SILENT_FOR: Duration = Duration::from_secs(5);

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
    doors: Vec<Door>,
    /// Which door is asked first.
    turn: AtomicUsize,
}

/// A door, and until when it is asked last because it was silent.
struct Door {
    address: Authority,
    silent_until: Mutex<Option<Instant>>,
}

impl Door {
    fn new(address: Authority) -> Self {
        Self { address, silent_until: Mutex::default() }
    }

    /// Whether it is worth asking first. When a silent one's time is over, one send finds out, not all that come.
    fn is_worth_asking(&self, now: Instant) -> bool {
        let mut until = self.silent_until();
        let is_silent = until.is_some_and(|until| now < until);
        if !is_silent && until.is_some() {
            *until = Some(now + SILENT_FOR);
        }
        !is_silent
    }

    /// What became of asking it.
    fn note(&self, outcome: &Outcome, now: Instant) {
        let is_silent = matches!(outcome, Outcome::Silent(_));
        *self.silent_until() = is_silent.then(|| now + SILENT_FOR);
    }

    fn silent_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.silent_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asker {
    pub(super) fn new(doors: Vec<Authority>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_WAIT));
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE_MAX).pool_timer(TokioTimer::new());
        let doors = doors.into_iter().map(Door::new).collect();
        Self { client: builder.build(connector), doors, turn: AtomicUsize::new(0) }
    }

    /// Brings a send to a door, until `deadline`. Doors are asked in turn; a door that cannot be reached has taken nothing,
    /// so the next one is asked.
    pub(super) async fn ask(&self, job: &Job, bearer: HeaderValue, deadline: Instant) -> Outcome {
        if Instant::now() >= deadline {
            return Outcome::Silent("it waited for its turn too long".to_owned());
        }
        let mut outcome = Outcome::Silent("there is no door".to_owned());
        for door in self.in_turn(Instant::now()) {
            let (reply, has_taken_nothing) = self.ask_one(&door.address, job, bearer.clone(), deadline).await;
            door.note(&reply, Instant::now());
            outcome = reply;
            if !has_taken_nothing {
                break;
            }
        }
        outcome
    }

    /// The doors in the order in which one send asks them: first whose turn it is, unless it was silent.
    fn in_turn(&self, now: Instant) -> Vec<&Door> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed).checked_rem(self.doors.len()).unwrap_or_default();
        let mut doors: Vec<_> = self.doors[turn..].iter().chain(&self.doors[..turn]).collect();
        if let Some(first) = doors.iter().position(|door| door.is_worth_asking(now)) {
            doors[..=first].rotate_right(1);
        }
        doors
    }

    /// Asks one door; tells too whether it cannot have taken anything.
    async fn ask_one(&self, door: &Authority, job: &Job, bearer: HeaderValue, deadline: Instant) -> (Outcome, bool) {
        let request = match request(door, job, bearer) {
            Ok(request) => request,
            Err(error) => return (Outcome::Silent(format!("no request can be made: {error}")), false),
        };
        match tokio::time::timeout_at(deadline.into(), self.client.request(request)).await {
            Ok(Ok(response)) => (read(response, deadline).await, false),
            Ok(Err(error)) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                (Outcome::Silent(format!("{door}: {error}{cause}")), error.is_connect())
            }
            Err(_) => (Outcome::Silent(format!("{door} did not answer in time")), false),
        }
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
    fn a_silent_door_is_asked_last_and_one_send_tries_it_again() {
        let asker = Asker::new(["a:1", "b:1", "c:1"].map(|door| door.parse().unwrap()).into());
        let start = Instant::now();
        let order = |secs: u64| {
            let doors = asker.in_turn(start + Duration::from_secs(secs));
            doors.iter().map(|door| &door.address.as_str()[..1]).collect::<String>()
        };
        assert_eq!([order(0), order(0), order(0), order(0)], ["abc", "bca", "cab", "abc"]);
        asker.doors[1].note(&Outcome::Silent(String::new()), start);
        assert_eq!([order(0), order(1), order(4)], ["cba", "cab", "abc"], "its turn goes to the next");
        assert_eq!([order(6), order(6), order(6), order(6)], ["bca", "cab", "abc", "cba"], "it was tried once");
        asker.doors[1].note(&Outcome::Unbelieved, start + Duration::from_secs(6));
        assert_eq!([order(6), order(6), order(6)], ["cab", "abc", "bca"], "it speaks again");
        asker.doors.iter().for_each(|door| door.note(&Outcome::Silent(String::new()), start));
        assert_eq!([order(1), order(1)], ["cab", "abc"], "when all were silent each still has its turn");
    }

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
