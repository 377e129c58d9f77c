//! This program once more, as a server to compare with, on the measured core. It ends with us.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::Context as _;

use crate::probe;

/// A running one. Dropping it kills it.
pub(crate) struct Servant {
    pub(crate) address: SocketAddr,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Servant {
    /// Starts it, and reads where it listens.
    pub(crate) fn start(arguments: &[String]) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("its input")?;
        let mut output = BufReader::new(child.stdout.take().context("its output")?);
        probe::pin(child.id())?;
        let address = line(&mut output)?.parse().context("where it listens")?;
        Ok(Self { address, child, input, output })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Tells it something.
    pub(crate) fn tell(&mut self, word: &str) -> anyhow::Result<()> {
        Ok(writeln!(self.input, "{word}")?)
    }

    /// Its answer.
    pub(crate) fn answer(&mut self) -> anyhow::Result<String> {
        line(&mut self.output)
    }
}

impl Drop for Servant {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(output: &mut BufReader<ChildStdout>) -> anyhow::Result<String> {
    let mut line = String::new();
    output.read_line(&mut line)?;
    Ok(line.trim().to_owned())
}
