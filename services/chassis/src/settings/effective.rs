//! The settings as they act, for one log line at the start; secrets never leave.

use std::ffi::OsString;
use std::fmt;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::{Settings, Stop, check};

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nobody said anything.
    Default,
    /// The environment variable.
    Environment,
    /// The command line.
    Flag,
}

/// One setting as it acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// The flag without its dashes.
    pub name: String,
    /// The value as it was written, or `***` for a secret; `None` when there is none.
    pub value: Option<String>,
    /// Who said so.
    pub source: Source,
}

impl fmt::Display for Effective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.as_deref().unwrap_or("(none)");
        match self.source {
            Source::Default => write!(f, "{}={value}", self.name),
            Source::Environment => write!(f, "{}={value} (environment)", self.name),
            Source::Flag => write!(f, "{}={value} (flag)", self.name),
        }
    }
}

/// Logs this process's effective settings in one line; call it once telemetry is installed.
pub fn describe<T: Settings>() {
    let Ok(all) = effective::<T>(super::line()) else {
        return; // `parse` has said what is wrong and ended the process.
    };
    let words: Vec<String> = all.iter().map(ToString::to_string).collect();
    tracing::info!(settings = words.join(", "), "settings");
}

/// The settings in `args` and the environment as they act, values marked `hide_env_values` as `***`.
///
/// # Errors
/// As `parse_from`, when the line itself cannot be read.
pub fn effective<T: Settings>(args: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Vec<Effective>, Stop> {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let command = super::command::<T>();
    let given = super::given(&command, &args)?;
    Ok(collect(&command, &given))
}

fn collect(command: &Command, given: &ArgMatches) -> Vec<Effective> {
    let here = command.get_arguments().filter(|arg| check::carries_value(arg)).map(|arg| one(arg, given));
    let below = given.subcommand().and_then(|(name, given)| Some((command.find_subcommand(name)?, given)));
    here.chain(below.into_iter().flat_map(|(command, given)| collect(command, given))).collect()
}

fn one(arg: &Arg, given: &ArgMatches) -> Effective {
    let raw = check::raw_values(arg, given);
    let value = match raw.as_slice() {
        [] => None,
        _ if arg.is_hide_env_values_set() => Some("***".into()),
        values => Some(values.iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(",")),
    };
    let source = match given.value_source(arg.get_id().as_str()) {
        Some(ValueSource::CommandLine) => Source::Flag,
        Some(ValueSource::EnvVariable) => Source::Environment,
        _ => Source::Default,
    };
    Effective { name: check::spelled(arg).trim_start_matches('-').into(), value, source }
}
