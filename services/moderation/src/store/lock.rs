//! What one process does at a time: locks of the database. Kept out: what is done under them.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use sqlx::{Connection as _, PgConnection};

use super::{Error, Kind, Store};

/// What one process does at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Publishing.
    Outbox,
    /// Reading verdicts.
    Verdicts,
}

impl Lock {
    /// The number of the advisory lock: the bytes of "danmaku", and which.
    fn number(self) -> i64 {
        0x64_616e_6d61_6b75 + self as i64
    }
}

/// A SQLite file as this process's own: beside it lies a file that is locked as long as this lives.
pub(crate) struct OwnFile(#[expect(dead_code, reason = "held for its lock")] File);

impl OwnFile {
    pub(crate) fn take(url: &str) -> anyhow::Result<Self> {
        let path = path_of(url);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).with_context(|| {
                format!(
                    "--database (DANMAKU_DATABASE): no folder {}; name a file that can be written",
                    folder.display()
                )
            })?;
        }
        let lock = path.with_added_extension("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
        let file = file.with_context(|| {
            format!("--database (DANMAKU_DATABASE): no file {}; name one that can be written", lock.display())
        })?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => bail!(
                "--database (DANMAKU_DATABASE): another process has {}; stop it, choose another file, or use PostgreSQL for several",
                path.display()
            ),
            Err(TryLockError::Error(error)) => Err(error)
                .with_context(|| format!("--database (DANMAKU_DATABASE): {} cannot be locked", lock.display())),
        }
    }
}

fn path_of(url: &str) -> PathBuf {
    let path = url.trim_start_matches("sqlite:").trim_start_matches("//");
    Path::new(path.split('?').next().unwrap_or(path)).to_owned()
}

/// The right to do it, until it is dropped or its connection breaks.
pub(crate) struct LeaderLock(Option<PgConnection>);

impl LeaderLock {
    /// Waits until it is this process's turn; `waiting` is called if another one has it.
    pub(crate) async fn take(store: &Store, lock: Lock, waiting: impl FnOnce()) -> Result<Self, Error> {
        if store.kind() == Kind::Sqlite {
            // The file is ours already.
            return Ok(Self(None));
        }
        let mut connection = PgConnection::connect(store.url()).await?;
        let (is_ours,): (bool,) =
            sqlx::query_as("SELECT pg_try_advisory_lock($1)").bind(lock.number()).fetch_one(&mut connection).await?;
        if !is_ours {
            waiting();
            sqlx::query("SELECT pg_advisory_lock($1)").bind(lock.number()).execute(&mut connection).await?;
        }
        Ok(Self(Some(connection)))
    }

    /// Whether it is still held.
    pub(crate) async fn check(&mut self) -> Result<(), Error> {
        match &mut self.0 {
            Some(connection) => connection.ping().await,
            None => Ok(()),
        }
    }
}
