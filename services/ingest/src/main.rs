//! The door as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    chassis::program::block_on(ingest::run(chassis::settings::parse()))
}
