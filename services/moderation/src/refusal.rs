//! Why the service does not do what it was asked. Which status each has is `http::answer`'s.

use serde::Serialize;
use utoipa::ToSchema;

use crate::{lists::report::Report, versions::Stamp};

/// A no, with what a person needs to make it a yes.
#[derive(Debug)]
pub enum Refusal {
    /// It cannot be understood.
    Malformed(String),
    /// The room's name is none.
    BadRoom(String),
    /// No token, or one that is not believed.
    Unauthorized(String),
    /// The token does not go so far.
    Forbidden(String),
    /// There is no such thing.
    NotFound(String),
    /// The path knows other methods.
    MethodNotAllowed,
    /// It is done elsewhere, and where.
    Elsewhere(String),
    /// The body did not come in time.
    SlowBody,
    /// Somebody else edited meanwhile; this is the newest version.
    Stale(Box<Stamp>),
    /// It was decided, or exists, already.
    Conflict(String),
    /// The body, or what it unpacks to, is too large.
    TooLong(String),
    /// The body is of a type that is not known here.
    UnsupportedType(String),
    /// It is understood, and cannot be: with the place of each fault.
    Invalid(Vec<Problem>),
    /// It can be done, and probably should not: see the report, or insist.
    NeedsForce(Box<Report>),
    /// He asks too often; how long to wait, in milliseconds.
    TooMany(u64),
    /// The database or Kafka is away.
    Unavailable(String),
}

/// A fault and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// The line of a file, or the place of an entry in what was sent, from 1; absent when it is about the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong, and the remedy.
    pub message: String,
}

impl Problem {
    /// A fault on a line.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    /// A fault of the whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Invalid(vec![problem])
    }
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        tracing::error!(%error, "database");
        Self::Unavailable("the database does not answer; nothing was changed".to_owned())
    }
}
