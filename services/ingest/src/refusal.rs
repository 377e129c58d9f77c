//! Why the door did not let something in, as values. Which status each has is `http::answer`'s alone.

use std::time::Duration;

use proto::text::BadText;

/// One no. Its text is for the person who wrote the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is nothing at this path.
    NotFound,
    /// There is something, but not for this method.
    MethodNotAllowed,
    /// The body is not said to be JSON.
    UnsupportedType,
    /// The body did not arrive in time.
    SlowBody,
    /// The body, or the text in characters, is over its limit.
    TooLong(String),
    /// Not JSON, or a field is not what it must be.
    Malformed(String),
    /// The room's name is none.
    BadRoom(String),
    /// No token, or one that is not believed.
    Unauthorized(String),
    /// The token is good, but not for this; or the page's origin is not allowed.
    Forbidden(String),
    /// Nothing is left to read once the text is cleaned.
    Empty,
    /// One character is made of more bytes than any script needs.
    ClusterTooLong,
    /// Too fast.
    RateLimited(Duration),
    /// The judge has not caught up with this room's partition.
    JudgeBehind,
    /// Kafka did not acknowledge: nobody knows whether the message was written.
    Unavailable {
        /// Until when it can be sent again without showing twice, in Unix milliseconds. Of several answers under one
        /// `client_id` the first one's holds.
        retry_until_ms: u64,
    },
}

impl From<BadText> for Refusal {
    fn from(why: BadText) -> Self {
        match why {
            BadText::Empty => Self::Empty,
            BadText::ClusterTooLong => Self::ClusterTooLong,
            BadText::TooLong(_) => Self::TooLong(why.to_string()),
        }
    }
}

impl Refusal {
    /// Every code, for the metrics.
    pub(crate) const CODES: [&'static str; 14] = [
        "not_found",
        "method_not_allowed",
        "unsupported_type",
        "slow_body",
        "too_long",
        "malformed",
        "bad_room",
        "unauthorized",
        "forbidden",
        "empty",
        "cluster_too_long",
        "rate_limited",
        "judge_behind",
        "unavailable",
    ];

    /// One word a program can tell cases apart by.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::UnsupportedType => "unsupported_type",
            Self::SlowBody => "slow_body",
            Self::TooLong(_) => "too_long",
            Self::Malformed(_) => "malformed",
            Self::BadRoom(_) => "bad_room",
            Self::Unauthorized(_) => "unauthorized",
            Self::Forbidden(_) => "forbidden",
            Self::Empty => "empty",
            Self::ClusterTooLong => "cluster_too_long",
            Self::RateLimited(_) => "rate_limited",
            Self::JudgeBehind => "judge_behind",
            Self::Unavailable { .. } => "unavailable",
        }
    }

    /// One sentence with the remedy where there is one.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::NotFound => {
                "there are POST /v1/rooms/{room}/danmaku, POST /v1/rooms/{room}/events and POST /v1/announcements; a slash \
                 in a room is refused"
                    .into()
            }
            Self::MethodNotAllowed => "only POST is answered here".into(),
            Self::UnsupportedType => "the body must be JSON: send Content-Type: application/json".into(),
            Self::SlowBody => "the body did not arrive in time".into(),
            Self::TooLong(what) | Self::Malformed(what) | Self::Unauthorized(what) | Self::Forbidden(what) => {
                what.clone()
            }
            Self::BadRoom(why) => format!("the room in the path is none: {why}"),
            Self::Empty => BadText::Empty.to_string(),
            Self::ClusterTooLong => BadText::ClusterTooLong.to_string(),
            Self::RateLimited(_) => "too many messages: wait as long as retry_after_ms says".into(),
            Self::JudgeBehind => "messages of this room are not judged at present: try again later".into(),
            Self::Unavailable { .. } => {
                "not acknowledged, so perhaps written: send it again with the same client_id until the retry_until of \
                 the first such answer, and it will not show twice"
                    .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_counted() {
        let all = [
            Refusal::NotFound,
            Refusal::MethodNotAllowed,
            Refusal::UnsupportedType,
            Refusal::SlowBody,
            Refusal::TooLong(String::new()),
            Refusal::Malformed(String::new()),
            Refusal::BadRoom(String::new()),
            Refusal::Unauthorized(String::new()),
            Refusal::Forbidden(String::new()),
            Refusal::Empty,
            Refusal::ClusterTooLong,
            Refusal::RateLimited(Duration::ZERO),
            Refusal::JudgeBehind,
            Refusal::Unavailable { retry_until_ms: 0 },
        ];
        assert_eq!(all.map(|refusal| refusal.code()), Refusal::CODES);
    }
}
