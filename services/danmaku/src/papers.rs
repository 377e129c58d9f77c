//! What is packed beside the programs: completions for shells and manual pages, made of the command line itself.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use clap_complete::Shell;

use crate::line;

/// Prints a shell's completions of `danmaku` and its commands.
///
/// Example: danmaku completions bash > /etc/bash_completion.d/danmaku
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku completions")]
pub struct Completions {
    /// For which shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes manual pages of all programs and commands into a folder.
///
/// Example: danmaku man /usr/local/share/man/man1
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku man")]
pub struct Man {
    /// The folder, which is made if it is not there.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Prints them.
#[must_use]
pub fn completions(completions: &Completions) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(completions.shell, &mut line::danmaku(), "danmaku", &mut text);
    // A reader that went away wants no more.
    let _ = std::io::stdout().write_all(&text);
    ExitCode::SUCCESS
}

/// Writes them; the exit code tells whether it could.
#[must_use]
pub fn man(man: &Man) -> ExitCode {
    match written(man) {
        Ok(count) => {
            eprintln!("{count} pages in {}", man.folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn written(man: &Man) -> anyhow::Result<usize> {
    let folder = &man.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for program in line::programs() {
        clap_mangen::generate_to(program, folder)
            .with_context(|| format!("no page can be written in {}", folder.display()))?;
    }
    Ok(std::fs::read_dir(folder)?.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_for_each_program_and_command() {
        let folder = std::env::temp_dir().join(format!("danmaku-man-{}", std::process::id()));
        written(&Man { folder: folder.clone() }).unwrap();
        for name in ["danmaku", "fanout", "danmaku-doctor", "danmaku-words-list"] {
            let page =
                std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap_or_else(|_| panic!("no {name}"));
            assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{page}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn every_shell_completes_every_command() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut line::danmaku(), "danmaku", &mut text);
            let text = String::from_utf8(text).unwrap();
            for (name, _) in line::commands() {
                assert!(name == "up" || text.contains(name), "{shell}: {name}");
            }
        }
    }
}
