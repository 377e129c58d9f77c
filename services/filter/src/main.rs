//! The filter as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    chassis::program::block_on(filter::run(chassis::settings::parse()))
}
