//! How a command ends: what it says, where, and with which exit code. 0 is done, 1 is a no of the service or a finding, 2 is a
//! question that could not be asked.

use std::{fmt::Write as _, io::Write as _, process::ExitCode};

use serde::Deserialize;

use crate::{
    show::{ago, plain},
    token::now_ms,
    words::report::Report,
};

/// What a command has to say.
pub(crate) struct Said {
    /// To whoever reads it.
    pub(crate) text: String,
    /// Whether a script should look at it.
    pub(crate) is_finding: bool,
}

impl Said {
    /// That it is done.
    pub(crate) fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_finding: false }
    }
}

/// What became of a command.
pub(crate) type Outcome = Result<Said, Failure>;

/// Why a command did not do what it was told.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The service said no.
    Refused {
        /// The HTTP status.
        status: u16,
        /// The answer as it stands.
        text: String,
    },
    /// There is no answer, or none that can be read.
    Unreachable(String),
    /// It cannot be asked so.
    Usage(String),
}

/// A refusal as the service writes it.
#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    code: String,
    message: String,
    #[serde(default)]
    problems: Vec<Problem>,
    newest: Option<Newest>,
    report: Option<Report>,
}

#[derive(Deserialize)]
struct Problem {
    line: Option<u64>,
    message: String,
}

#[derive(Deserialize)]
struct Newest {
    number: u64,
    author: String,
    at_ms: i64,
    reason: String,
}

impl Failure {
    pub(super) fn refused(status: u16, text: String) -> Self {
        Self::Refused { status, text }
    }

    /// What a person is told.
    fn told(&self, now_ms: i64) -> String {
        let (status, text) = match self {
            Self::Unreachable(why) | Self::Usage(why) => return format!("error: {why}"),
            Self::Refused { status, text } => (status, text),
        };
        let Ok(fault) = serde_json::from_str::<Fault>(text) else {
            return format!("error: the service answered {status}: {}", plain(text));
        };
        let mut told = match (&*fault.code, &*fault.problems) {
            // The service names a field of the question, which is a flag here.
            ("needs_force", _) => {
                "error: nothing was changed: the report names doubts; give --force to go on all the same".to_owned()
            }
            ("invalid", [_, ..]) => "error: nothing was changed".to_owned(),
            _ => format!("error: {}", plain(&fault.message)),
        };
        for Problem { line, message } in &fault.problems {
            let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            // Writing into a string does not fail.
            let _ = write!(told, "\n  {line}{}", plain(message));
        }
        if let Some(Newest { number, author, at_ms, reason }) = &fault.newest {
            let (author, when) = (plain(author), ago(*at_ms, now_ms));
            let why = if reason.is_empty() { String::new() } else { format!(": {}", plain(reason)) };
            let _ = write!(told, "\n  version {number} is by {author}, {when}{why}");
        }
        if let Some(report) = &fault.report {
            let _ = write!(told, "\n{}", report.told());
        }
        told
    }
}

/// Says how a command ended; the exit code tells it to a script.
pub(crate) fn end(outcome: Outcome, as_it_stands: bool) -> ExitCode {
    let mut out = std::io::stdout();
    // A reader that went away wants to hear nothing more.
    match outcome {
        Ok(Said { text, is_finding }) => {
            let _ =
                if text.is_empty() || text.ends_with('\n') { write!(out, "{text}") } else { writeln!(out, "{text}") };
            ExitCode::from(u8::from(is_finding))
        }
        Err(Failure::Refused { text, .. }) if as_it_stands => {
            let _ = writeln!(out, "{text}");
            ExitCode::from(1)
        }
        Err(failure) => {
            eprintln!("{}", failure.told(now_ms()));
            ExitCode::from(if matches!(failure, Failure::Refused { .. }) { 1 } else { 2 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_is_told_with_all_that_helps() {
        let refused = |text: &str| Failure::refused(422, text.to_owned()).told(100_000);
        let told = refused(
            r#"{"code":"invalid","message":"nothing was changed: line 2: it has no text","problems":[{"line":2,"message":"it has no text"}]}"#,
        );
        assert_eq!(told, "error: nothing was changed\n  line 2: it has no text");
        let told = refused(
            r#"{"code":"stale_version","message":"version 7 is newer","newest":{"number":7,"author":"bob","at_ms":40000,"reason":"x"}}"#,
        );
        assert_eq!(told, "error: version 7 is newer\n  version 7 is by bob, 1 min ago: x");
        let told = refused(r#"{"code":"needs_force","message":"send force=true"}"#);
        assert!(told.ends_with("give --force to go on all the same"), "{told}");
        assert_eq!(refused("<html>"), "error: the service answered 422: <html>");
    }
}
