//! `danmaku token`: mints a token for development. Who may have one in production is decided elsewhere.

use std::{
    io::Write as _,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use chassis::{
    settings::{Settings, parse_duration},
    tokens::{Claims, Role, Signer},
};
use proto::{RoomId, UserId};

/// Mints a token with a key of a JWKS file and prints it.
///
/// Example: danmaku keys --out dev.jwks && danmaku token --keys dev.jwks --sub alice --roles viewer,sender
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku token")]
pub struct Token {
    /// The JWKS file; its first key that can sign is used.
    #[arg(long, env = "DANMAKU_KEYS", value_name = "FILE")]
    pub keys: PathBuf,

    /// The user's id.
    #[arg(long, value_name = "USER", value_parser = user)]
    pub sub: String,

    /// The name that others see; the id if absent.
    #[arg(long)]
    pub name: Option<String>,

    /// The user's level.
    #[arg(long, default_value_t = 0)]
    pub level: u32,

    /// What the user may do, a comma list of viewer, sender, moderator, service, relay (what fanout passes sends on with), admin,
    /// owner, log_viewer.
    #[arg(long, value_delimiter = ',', default_value = "viewer,sender", value_parser = role)]
    pub roles: Vec<Role>,

    /// The only rooms the token is for, a comma list; every room if absent.
    #[arg(long, value_delimiter = ',', value_name = "ROOM,...", value_parser = room)]
    pub rooms: Vec<String>,

    /// How long it is good.
    #[arg(long, default_value = "1h", value_parser = ttl)]
    pub ttl: Duration,
}

impl Settings for Token {}

/// A token that no service believes is not worth minting.
fn user(id: &str) -> Result<String, String> {
    UserId::new(id).map(|_| id.to_owned()).map_err(|error| format!("no user id: {error}"))
}

/// A room's name, as an argument.
pub(crate) fn room(name: &str) -> Result<String, String> {
    RoomId::new(name).map(|_| name.to_owned()).map_err(|error| format!("no room: {error}"))
}

fn role(name: &str) -> Result<Role, String> {
    Role::named(name)
        .ok_or_else(|| "expected viewer, sender, moderator, service, relay, admin, owner or log_viewer".to_owned())
}

/// A token's end is told in whole seconds, so one of less than a second has ended before it is printed.
fn ttl(text: &str) -> Result<Duration, String> {
    let ttl = parse_duration(text).map_err(|error| error.to_string())?;
    if ttl >= Duration::from_secs(1) { Ok(ttl) } else { Err("a token that is good for less than 1s is expired".into()) }
}

/// Prints a token; the exit code tells whether one could be minted.
pub fn run(token: &Token) -> ExitCode {
    match mint(token) {
        Ok(minted) => {
            // A reader that went away wants no token.
            let _ = writeln!(std::io::stdout(), "{minted}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn mint(token: &Token) -> anyhow::Result<String> {
    let signer = Signer::from_file(&token.keys)
        .with_context(|| format!("--keys {}; make one with `danmaku keys --out FILE`", token.keys.display()))?;
    let mut claims = Claims::new(&*token.sub, token.roles.iter().copied().collect());
    claims.name = token.name.clone().unwrap_or_else(|| token.sub.clone());
    claims.level = token.level;
    claims.rooms = (!token.rooms.is_empty()).then(|| token.rooms.clone());
    Ok(signer.mint(&claims, token.ttl, now_secs())?)
}

/// Unix seconds of this machine's clock.
pub(crate) fn now_secs() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs())
}

/// Unix milliseconds of this machine's clock.
pub(crate) fn now_ms() -> i64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_service_believes_is_minted() {
        let long = "x".repeat(129);
        for id in ["", "a\nb", &long] {
            assert!(user(id).is_err() && room(id).is_err(), "{id:?}");
        }
        assert_eq!((ttl("0s").is_err(), ttl("999ms").is_err(), ttl("1s")), (true, true, Ok(Duration::from_secs(1))));
        assert_eq!((user("alice"), room("好")), (Ok("alice".to_owned()), Ok("好".to_owned())));
    }
}
