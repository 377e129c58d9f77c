//! Says one thing at the door, as any viewer does, and tells what the door answered.

use std::{sync::Arc, time::Duration};

use http_body_util::Full;
use hyper::{
    Request, StatusCode, Uri,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rand::RngExt as _;
use serde::Deserialize;
use serde_json::json;

use super::purse::Purse;
use crate::reach;

/// A door's own deadline is 5 s.
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);

/// What the door answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Accepted,
    /// The status or the door's code.
    Refused(String),
    /// Nobody knows whether it was accepted.
    Silent(String),
}

pub(super) struct Speaker {
    uri: String,
    purse: Arc<Purse>,
}

#[derive(Deserialize)]
struct Refusal {
    code: String,
}

impl Speaker {
    pub(super) fn new(door: &Uri, room: &str, purse: Arc<Purse>) -> Self {
        let room = utf8_percent_encode(room, NON_ALPHANUMERIC);
        let door = door.to_string();
        Self { uri: format!("{}/v1/rooms/{room}/danmaku", door.trim_end_matches('/')), purse }
    }

    /// Says `text`, which is its own `client_id` too.
    pub(super) async fn say(&self, text: &str) -> Answer {
        match tokio::time::timeout(ANSWERED_WITHIN, self.said(text)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => Answer::Silent(format!("{error:#}")),
            Err(_) => Answer::Silent(format!("no answer within {} s", ANSWERED_WITHIN.as_secs())),
        }
    }

    async fn said(&self, text: &str) -> anyhow::Result<Answer> {
        let token = self.purse.speakers().await?;
        let request = Request::post(&self.uri)
            .header(AUTHORIZATION, format!("Bearer {token}"))
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(json!({ "text": text, "client_id": text }).to_string()))?;
        let answer = reach::ask(request).await?;
        let status = answer.status();
        if status == StatusCode::ACCEPTED {
            return Ok(Answer::Accepted);
        }
        let code =
            serde_json::from_slice::<Refusal>(answer.body()).map_or_else(|_| status.as_u16().to_string(), |no| no.code);
        // It may have been written all the same.
        Ok(if code == "unavailable" { Answer::Silent(code) } else { Answer::Refused(code) })
    }
}

/// Something new to say: seven letters that can be read aloud. A list of words seldom has them, and they are too few to be
/// alike to what was said before.
pub(super) fn text() -> String {
    let mut rng = rand::rng();
    let mut letter = |from: &[u8]| char::from(from[rng.random_range(0..from.len())]);
    (0..7).map(|place| if place % 2 == 0 { letter(b"bdfgklmnprstvz") } else { letter(b"aeiou") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_short_and_their_own_names() {
        for _ in 0..100 {
            let text = text();
            assert!(text.len() == 7 && text.bytes().all(|letter| letter.is_ascii_lowercase()), "{text}");
        }
    }
}
