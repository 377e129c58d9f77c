//! One look at a Redis: is it there, does it let us in, does it take writes? For a start, and for an operator.
//! Kept out: the connection that services keep.

use std::time::Duration;

use ::redis::{AsyncConnectionConfig, ErrorKind, RedisError, Value, cmd};

use super::{Address, Link, told};

/// Name look-up, handshake, login, two questions.
const SEEN_WITHIN: Duration = Duration::from_secs(2);

/// What a look shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// It answers.
    Up {
        /// `master`, `slave` or `sentinel`; `unknown` where its rules keep that from us.
        role: String,
        /// Its release, as far as it says.
        version: String,
    },
    /// It wants a password, or another one.
    Locked(String),
    /// There is no answer.
    Away(String),
}

/// Looks once.
pub async fn look(address: &Address) -> Seen {
    match tokio::time::timeout(SEEN_WITHIN, asked(address)).await {
        Ok(Ok((role, version))) => Seen::Up { role, version },
        Ok(Err(error)) if is_locked(&error) => Seen::Locked(error.to_string()),
        Ok(Err(error)) => Seen::Away(told(&error)),
        Err(_) => Seen::Away(format!("nothing was heard for {} s", SEEN_WITHIN.as_secs())),
    }
}

/// Whether a Redis lets us in. `Err` is its no; one that is away says nothing, and danmaku flow without it.
///
/// # Errors
/// A sentence that names the setting.
pub async fn let_in(address: &Address) -> Result<(), String> {
    match look(address).await {
        Seen::Locked(why) => Err(format!(
            "--redis (DANMAKU_REDIS): Redis at {address} does not let this program in ({why}); give its account, like \
             redis://user:password@host:6379/0"
        )),
        Seen::Up { .. } | Seen::Away(_) => Ok(()),
    }
}

async fn asked(address: &Address) -> Result<(String, String), RedisError> {
    let config =
        AsyncConnectionConfig::new().set_connection_timeout(Some(SEEN_WITHIN)).set_response_timeout(Some(SEEN_WITHIN));
    let mut link: Link = address.client()?.get_multiplexed_async_connection_with_config(&config).await?;
    let role = match cmd("ROLE").query_async::<Value>(&mut link).await {
        Ok(Value::Array(role)) => match role.first() {
            Some(Value::BulkString(name)) => String::from_utf8_lossy(name).into_owned(),
            _ => "unknown".to_owned(),
        },
        Err(error) if is_locked(&error) => return Err(error),
        _ => "unknown".to_owned(),
    };
    let told: String = cmd("INFO").arg("server").query_async(&mut link).await.unwrap_or_default();
    let version = told.lines().find_map(|line| line.strip_prefix("redis_version:")).unwrap_or("unknown");
    Ok((role, version.trim().to_owned()))
}

fn is_locked(error: &RedisError) -> bool {
    error.kind() == ErrorKind::AuthenticationFailed || matches!(error.code(), Some("NOAUTH" | "WRONGPASS"))
}
