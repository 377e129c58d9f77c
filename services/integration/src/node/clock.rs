//! A process's wall clock, which may be wrong. Its monotonic one never is.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A service's clock.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    Right,
    /// Wrong by so many seconds: ahead, or behind if negative.
    Wrong {
        /// What [`Clock::library`] made.
        library: PathBuf,
        /// How much.
        secs: i64,
    },
}

impl Clock {
    /// Compiles what bends a process's clock into `folder`.
    ///
    /// # Errors
    /// Why a wrong clock is not to be had on this machine.
    pub fn library(folder: &Path) -> Result<PathBuf, String> {
        if !cfg!(target_os = "linux") {
            return Err("a wrong clock needs Linux".to_owned());
        }
        let library = folder.join("clock.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library);
        compiler.args([concat!(env!("CARGO_MANIFEST_DIR"), "/src/node/clock.c"), "-ldl"]);
        let done = compiler.output().map_err(|error| format!("a wrong clock needs a C compiler: cc: {error}"))?;
        let said = || format!("a wrong clock was not compiled: {}", String::from_utf8_lossy(&done.stderr));
        if done.status.success() { Ok(library) } else { Err(said()) }
    }

    pub(super) fn bend(&self, command: &mut Command) {
        if let Self::Wrong { library, secs } = self {
            command.env("LD_PRELOAD", library).env("DANMAKU_TEST_CLOCK_SECS", secs.to_string());
        }
    }
}
