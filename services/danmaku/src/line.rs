//! The whole command line as one tree: for completions and manual pages. What a command does, and which one runs, is kept out.

use chassis::settings;
use clap::{Command, CommandFactory as _};

use crate::{
    canary::Canary,
    doctor::Doctor,
    drain::Drain,
    holds::Holds,
    keys::Keys,
    mode::Mode,
    papers::{Completions, Man},
    recall::Recall,
    sanction::{Ban, Mute, Unban, Unmute},
    token::Token,
    topics::Topics,
    up::Up,
    words::Words,
};

/// The commands, in the order in which the help tells them.
#[must_use]
pub fn commands() -> [(&'static str, Command); 17] {
    [
        ("topics", settings::command::<Topics>()),
        ("keys", settings::command::<Keys>()),
        ("token", settings::command::<Token>()),
        ("drain", settings::command::<Drain>()),
        ("doctor", Doctor::command()),
        ("canary", Canary::command()),
        ("completions", Completions::command()),
        ("man", Man::command()),
        ("words", Words::command()),
        ("mute", Mute::command()),
        ("unmute", Unmute::command()),
        ("ban", Ban::command()),
        ("unban", Unban::command()),
        ("recall", Recall::command()),
        ("mode", Mode::command()),
        ("holds", Holds::command()),
        ("up", settings::command::<Up>()),
    ]
}

/// The program with its commands below it.
#[must_use]
pub fn danmaku() -> Command {
    let below = commands().into_iter().filter(|(name, _)| *name != "up").map(|(name, command)| command.name(name));
    settings::command::<Up>().subcommands(below)
}

/// All programs.
#[must_use]
pub fn programs() -> [Command; 5] {
    [
        danmaku(),
        settings::command::<ingest::Settings>(),
        settings::command::<filter::Settings>(),
        settings::command::<fanout::Settings>(),
        settings::command::<moderation::Settings>(),
    ]
}

#[cfg(test)]
mod pages;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_told_of_in_the_help() {
        let help = settings::command::<Up>().render_long_help().to_string();
        for (name, command) in commands() {
            command.debug_assert();
            assert!(help.contains(name), "{name}");
        }
        for program in programs() {
            program.debug_assert();
        }
    }
}
