//! What a service is told at its start: flags and environment, judged whole before anything is bound.
//! Kept out: what a value means to a service, and any change of settings while it runs.

mod bytes;
mod check;
mod common;
mod duration;
mod effective;
mod kafka;
mod redis;
mod secret;
mod values;

pub use bytes::{BytesError, parse_bytes};
pub use common::{Common, LogFormat};
pub use duration::{DurationError, parse_duration};
pub use effective::{Effective, Source, describe, effective};
pub use kafka::{KafkaAccess, Mechanism};
pub use redis::RedisPlace;
pub use secret::secret;
pub use values::{list_of_brokers, network, origin, otlp_endpoint, topic_prefix};

use std::ffi::OsString;
use std::fmt;
use std::sync::OnceLock;

use clap::{ArgMatches, Command};

use crate::release;

/// `EX_USAGE` of sysexits.h: the command was used wrongly, so starting it again unchanged cannot help.
pub const EXIT_USAGE: i32 = 64;

/// A service's settings: one clap struct that flattens [`Common`] and adds the service's own.
pub trait Settings: clap::Parser {
    /// Where this service's defaults differ from those written on its fields: (argument id, default).
    const DEFAULTS: &'static [(&'static str, &'static str)] = &[];

    /// What is wrong between values that are each right alone; a sentence each, naming the flags and the remedy.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Everything that is wrong with the settings, a paragraph each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        let noun = if count == 1 { "setting is" } else { "settings are" };
        writeln!(f, "error: {count} {noun} not usable; nothing was started\n")?;
        self.0.iter().try_for_each(|problem| writeln!(f, "  {problem}"))?;
        write!(f, "\nFor all settings with their meaning, try '--help'.")
    }
}

/// Why a program does not go on to run.
#[derive(Debug)]
pub enum Stop {
    /// Clap has the word: help or version was asked for, or a flag is unknown, missing or in conflict.
    Usage(clap::Error),
    /// Values that cannot be used, all of them.
    Problems(Problems),
}

impl Stop {
    /// Says why and ends the process: 0 after help or version, [`EXIT_USAGE`] otherwise.
    pub fn exit(self) -> ! {
        let code = match self {
            Self::Usage(error) => {
                // Nobody is left to tell when the terminal itself is gone.
                let _ = error.print();
                if error.use_stderr() { EXIT_USAGE } else { 0 }
            }
            Self::Problems(problems) => {
                eprintln!("{problems}");
                EXIT_USAGE
            }
        };
        std::process::exit(code)
    }
}

/// The settings of this process, from its arguments and environment; ends the process when they cannot be used.
#[must_use]
pub fn parse<T: Settings>() -> T {
    parse_from(std::env::args_os()).unwrap_or_else(|stop: Stop| stop.exit())
}

/// The settings in `args` (the first is the program's name) and the environment.
///
/// Every value is tried alone first, so that one run names all that are bad; what is wrong between values can only
/// be asked once each of them is right.
///
/// # Errors
/// [`Stop`] says what to print and with which code to end.
pub fn parse_from<T: Settings>(args: impl IntoIterator<Item = impl Into<OsString>>) -> Result<T, Stop> {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    LINE.get_or_init(|| args.clone());
    let mut command = command::<T>();
    let given = given(&command, &args)?;
    // Built, so that arguments without a parser of their own have got the one of their action.
    command.build();
    stop_on(check::problems(&command, &given))?;
    let matches = command.try_get_matches_from(args).map_err(Stop::Usage)?;
    let settings = T::from_arg_matches(&matches).map_err(Stop::Usage)?;
    stop_on(settings.problems())?;
    Ok(settings)
}

/// The line that this process's settings were read from: its first one.
static LINE: OnceLock<Vec<OsString>> = OnceLock::new();

/// The same; before any was read, the process's arguments.
pub(crate) fn line() -> Vec<OsString> {
    LINE.get().cloned().unwrap_or_else(|| std::env::args_os().collect())
}

fn stop_on(problems: Vec<String>) -> Result<(), Stop> {
    if problems.is_empty() { Ok(()) } else { Err(Stop::Problems(Problems(problems))) }
}

/// The service's command line with the service's own defaults.
#[must_use]
pub fn command<T: Settings>() -> Command {
    for (id, _) in T::DEFAULTS {
        debug_assert!(T::command().get_arguments().any(|arg| arg.get_id() == id), "no argument {id} to default");
    }
    let command = T::command();
    let command = if command.get_version().is_some() { command.version(release::WHOLE) } else { command };
    // `mut_arg` would move what it touches to the end of every list.
    command.mut_args(|arg| match T::DEFAULTS.iter().find(|(id, _)| arg.get_id() == id) {
        Some((_, default)) => arg.required(false).default_value(*default),
        None => arg,
    })
}

/// What was given for each argument, whatever it is worth.
fn given(command: &Command, args: &[OsString]) -> Result<ArgMatches, Stop> {
    check::loosened(command.clone()).try_get_matches_from(args).map_err(Stop::Usage)
}

#[cfg(test)]
mod tests;
