//! The fanout service alone; all of it is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    chassis::program::block_on(fanout::run(chassis::settings::parse()))
}
