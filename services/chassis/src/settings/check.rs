//! Tries every given value alone against its argument's own parser and words what is wrong.
//! Kept out: clap's judgement of the line as a whole (unknown flags, conflicts), which stays clap's.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};

use clap::builder::OsStringValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// A copy that takes any value for any argument, so that reading it never stops at the first bad one.
pub(super) fn loosened(command: Command) -> Command {
    command
        .mut_args(|arg| if carries_value(&arg) { arg.value_parser(OsStringValueParser::new()) } else { arg })
        .mut_subcommands(loosened)
}

/// One paragraph for each given value that its argument does not accept, down the chosen subcommands.
pub(super) fn problems(command: &Command, given: &ArgMatches) -> Vec<String> {
    let mut problems: Vec<String> = command
        .get_arguments()
        .filter(|arg| carries_value(arg))
        .flat_map(|arg| raw_values(arg, given).into_iter().filter_map(|value| problem(arg, &value, given)))
        .collect();
    if let Some((name, given)) = given.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        problems.extend(self::problems(command, given));
    }
    problems
}

/// Help and version give nothing; a count is numbered by clap itself.
pub(super) fn carries_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append | ArgAction::SetTrue | ArgAction::SetFalse)
}

/// What was given for an argument, as it was written; empty when nothing was and there is no default.
pub(super) fn raw_values(arg: &Arg, given: &ArgMatches) -> Vec<OsString> {
    given.get_raw(arg.get_id().as_str()).map(|values| values.map(OsStr::to_owned).collect()).unwrap_or_default()
}

/// How an argument is written: `--listen`, or `<NAME>` for a positional one.
pub(super) fn spelled(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => format!("<{}>", arg.get_id().as_str().to_uppercase()),
    }
}

fn problem(arg: &Arg, value: &OsStr, given: &ArgMatches) -> Option<String> {
    let error = refused(arg, value)?;
    let secret = arg.is_hide_env_values_set();
    let name = match arg.get_env() {
        Some(env) => format!("{} ({})", spelled(arg), env.to_string_lossy()),
        None => spelled(arg),
    };
    let shown = if secret { "***".into() } else { format!("`{}`", value.to_string_lossy()) };
    let origin = match given.value_source(arg.get_id().as_str()) {
        Some(ValueSource::EnvVariable) => " from the environment",
        Some(ValueSource::DefaultValue) => " by default",
        _ => "",
    };
    // A parser's own words may repeat the value.
    let why = error.source().filter(|_| !secret).map(|why| format!(": {why}")).unwrap_or_default();
    Some(format!("{name}: {shown}{origin} is not accepted{why}\n      {}", remedy(arg, &error)))
}

/// The error of parsing this value for this argument and nothing else.
fn refused(arg: &Arg, value: &OsStr) -> Option<clap::Error> {
    let mut line = OsString::from("--value=");
    line.push(value);
    let alone = Arg::new("value").long("value").action(ArgAction::Set).value_parser(arg.get_value_parser().clone());
    Command::new("value").no_binary_name(true).arg(alone).try_get_matches_from([line]).err()
}

fn remedy(arg: &Arg, error: &clap::Error) -> String {
    let flag = spelled(arg);
    if let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue)
        && !valid.is_empty()
    {
        return format!("Give one of: {}.", valid.join(", "));
    }
    let value = arg.get_value_names().and_then(|names| names.first()).map_or("VALUE", |name| name.as_str());
    match arg.get_default_values().first().filter(|default| !default.is_empty()) {
        Some(default) => format!("Give {flag} <{value}>, for example {flag} {}.", default.to_string_lossy()),
        None => format!("Give {flag} <{value}>, or leave it out."),
    }
}
