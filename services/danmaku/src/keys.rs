//! `danmaku keys`: a key file for development. Production brings its own JWKS.

use std::{io::ErrorKind, path::PathBuf, process::ExitCode};

use chassis::{settings::Settings, tokens::Signer};

/// Writes a JWKS file with one random HS256 key, for development and tests.
///
/// Whoever can read the file can mint tokens: production uses its identity provider's public keys instead.
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku keys")]
pub struct Keys {
    /// Where to write it; an existing file is not replaced.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

impl Settings for Keys {}

/// Writes the file; the exit code tells whether it could.
pub fn run(keys: &Keys) -> ExitCode {
    match Signer::random_hs256().save(&keys.out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            eprintln!("error: {} exists; remove it first, or choose another --out", keys.out.display());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: cannot write {}: {error}", keys.out.display());
            ExitCode::FAILURE
        }
    }
}
