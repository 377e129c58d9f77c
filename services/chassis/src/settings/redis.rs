//! Where Redis is, said in a setting or in a file.
//! Kept out: what an address looks like, and whether anybody answers there.

use std::path::PathBuf;

use crate::redis::{self, Address};

use super::secret;

/// What a program is told about its Redis.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub struct RedisPlace {
    /// A Redis for what nodes tell one another and may lose: who is connected where, counts, mailboxes. Without one, or
    /// while it is away, danmaku flow all the same. An account goes before the host as user:password@; rediss:// is TLS, and
    /// SSL_CERT_FILE names an authority that this machine does not trust by itself.
    // Marked secret because it may hold the password.
    #[arg(long, env = "DANMAKU_REDIS", value_name = "redis[s]://HOST:PORT/DATABASE", hide_env_values = true,
          value_parser = redis::address)]
    redis: Option<Address>,

    /// A file that holds the address, read at the start: for one with a password. It goes before --redis.
    #[arg(long, env = "DANMAKU_REDIS_FILE", value_name = "FILE", value_parser = in_file)]
    redis_file: Option<Address>,
}

impl RedisPlace {
    /// The address, whichever way it was said.
    #[must_use]
    pub fn address(&self) -> Option<&Address> {
        self.redis_file.as_ref().or(self.redis.as_ref())
    }
}

fn in_file(path: &str) -> Result<Address, String> {
    redis::address(&secret(&PathBuf::from(path))?)
}
