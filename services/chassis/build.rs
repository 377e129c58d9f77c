//! Says of which commit this is built: the one that DANMAKU_COMMIT names, else the checkout's if this is a release build.
//! A development build does not ask, or each commit would build every crate anew.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=DANMAKU_COMMIT");
    let named = env::var("DANMAKU_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(of_the_checkout).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=DANMAKU_COMMIT={commit}");
}

fn of_the_checkout() -> Option<String> {
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    // An unpacked archive may lie within somebody else's checkout, whose commit says nothing about it.
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != Path::new("../..").canonicalize().ok()? {
        return None;
    }
    // It grows with each commit and checkout. A file that is missing would be a reason to run again each time.
    let moves = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&moves).exists() {
        println!("cargo:rerun-if-changed={moves}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
