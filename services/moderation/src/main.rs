//! The moderators' service as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    chassis::program::block_on(moderation::run(chassis::settings::parse()))
}
