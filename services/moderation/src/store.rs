//! The database: SQLite for one process, PostgreSQL for several. Opening it, and the one way to change it.
//! Kept out: what is stored, which each part says in SQL that both databases understand.
//!
//! Every change is one [`Change`]: it takes the next sequence number first, and with it the lock that all changes queue
//! for. So sequence numbers rise in the order of commits, on both databases.

mod lock;

pub(crate) use lock::{LeaderLock, Lock, OwnFile};

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context as _;
use proto::record::encode;
use sqlx::{
    Any, AnyConnection, AnyPool, Connection as _, Executor as _, Row as _, SqlStr, Transaction,
    any::{AnyPoolOptions, install_default_drivers},
    migrate::{Migration, MigrationType, Migrator},
};
use tokio::sync::{Mutex as Queue, Notify, OwnedMutexGuard, watch};

use crate::outbox::Parcel;

/// An error of a query: the database is away, or disagrees with us about what stands in it.
pub(crate) type Error = sqlx::Error;

/// Connections at a time. Requests are short, and writers queue for one lock anyway.
const CONNECTIONS_MAX: u32 = 8;

/// How long a request may wait for a connection, and a writer of SQLite for another one.
const WAIT: Duration = Duration::from_secs(5);

/// What a connection to a file is told first. NORMAL keeps a WAL database whole through a crash of the process; FULL also through
/// that of the machine.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;";

/// The channel on which processes tell one another of a filled outbox.
pub(crate) const CHANNEL: &str = "danmaku_outbox";

/// The channel on which they tell one another of new events.
pub(crate) const EVENTS: &str = "danmaku_events";

/// The tables, step by step. A step that was released is never changed: a later one goes on from it.
const STEPS: [(&str, &str); 2] = [
    ("rule book", include_str!("../migrations/0001_rule_book.sql")),
    ("live", include_str!("../migrations/0002_live.sql")),
];

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file of this process alone.
    Sqlite,
    /// A server that several processes share.
    Postgres,
}

impl Kind {
    /// The kind that a `--database` names.
    #[must_use]
    pub(crate) fn of(url: &str) -> Option<Self> {
        match url.split_once(':')?.0 {
            "sqlite" => Some(Self::Sqlite),
            "postgres" | "postgresql" => Some(Self::Postgres),
            _ => None,
        }
    }
}

/// An open database, whose tables are up to date.
pub(crate) struct Store {
    pool: AnyPool,
    kind: Kind,
    url: String,
    /// Told when the outbox was filled by this process.
    filled: Arc<Notify>,
    /// Told when there are new events.
    told: watch::Sender<()>,
    own: Mutex<Option<OwnFile>>,
    /// SQLite takes one writer at a time. Who comes meanwhile asks again after a pause, and of many that write one after the other
    /// lets him in by chance only: so writers queue here. PostgreSQL has a queue of its own.
    writers: Arc<Queue<()>>,
}

/// The turn to write: the next in the queue has it once this is dropped.
pub(crate) struct Turn(#[allow(dead_code, reason = "it is held")] Option<OwnedMutexGuard<()>>);

impl Store {
    /// Opens the database at `url` and brings its tables up to date.
    ///
    /// # Errors
    /// When it cannot be reached or opened, or another process has the file.
    pub(crate) async fn open(url: &str) -> anyhow::Result<Self> {
        let kind = Kind::of(url).context("--database (DANMAKU_DATABASE) is sqlite://FILE or postgres://HOST/NAME")?;
        install_default_drivers();
        let own = match kind {
            Kind::Sqlite => Some(OwnFile::take(url)?),
            Kind::Postgres => None,
        };
        let address = match kind {
            Kind::Sqlite if !url.contains('?') => format!("{url}?mode=rwc"),
            _ => url.to_owned(),
        };
        if kind == Kind::Sqlite {
            // A pool would try again and again, and then say no more than that it could not.
            let opened = async { AnyConnection::connect(&address).await?.execute(PRAGMAS).await };
            opened.await.with_context(|| format!("--database (DANMAKU_DATABASE): {url} cannot be opened"))?;
        }
        let pool = AnyPoolOptions::new()
            .max_connections(CONNECTIONS_MAX)
            .acquire_timeout(WAIT)
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if kind == Kind::Sqlite {
                        connection.execute(PRAGMAS).await?;
                    }
                    Ok(())
                })
            })
            .connect(&address)
            .await
            .with_context(|| format!("--database (DANMAKU_DATABASE): {} cannot be opened", without_password(url)))?;
        migrations()
            .run(&pool)
            .await
            .context("--database (DANMAKU_DATABASE): its tables cannot be brought up to date")?;
        Ok(Self {
            pool,
            kind,
            url: url.to_owned(),
            filled: Arc::default(),
            told: watch::Sender::default(),
            own: Mutex::new(own),
            writers: Arc::default(),
        })
    }

    /// For reading. Nothing is written through it without a [`Turn`].
    pub(crate) fn reads(&self) -> &AnyPool {
        &self.pool
    }

    /// Waits for the turn to write what is no change: how far something has come.
    pub(crate) async fn turn(&self) -> Turn {
        Turn(match self.kind {
            Kind::Sqlite => Some(Arc::clone(&self.writers).lock_owned().await),
            Kind::Postgres => None,
        })
    }

    /// Begins a change, which waits until all changes before it are done.
    pub(crate) async fn change(&self) -> Result<Change, Error> {
        let turn = self.turn().await;
        let mut transaction = self.pool.begin().await?;
        let row = sqlx::query("UPDATE counters SET value = value + 1 WHERE name = 'sequence' RETURNING value")
            .fetch_one(&mut *transaction)
            .await?;
        let sequence = row.try_get(0)?;
        Ok(Change {
            transaction,
            sequence,
            places: 0,
            tells: false,
            kind: self.kind,
            filled: Arc::clone(&self.filled),
            told: self.told.clone(),
            _turn: turn,
        })
    }

    /// Told each time this process has filled the outbox.
    pub(crate) fn filled(&self) -> Arc<Notify> {
        Arc::clone(&self.filled)
    }

    /// Told each time there are new events, of whichever process.
    pub(crate) fn told(&self) -> watch::Receiver<()> {
        self.told.subscribe()
    }

    /// Another process has told something.
    pub(crate) fn ring(&self) {
        self.told.send_replace(());
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Ends all connections, and lets go of the file; queries fail from now on.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A change under way: all of it is committed, or nothing.
pub(crate) struct Change {
    transaction: Transaction<'static, Any>,
    sequence: i64,
    places: i64,
    tells: bool,
    kind: Kind,
    filled: Arc<Notify>,
    told: watch::Sender<()>,
    _turn: Turn,
}

impl Change {
    /// Its number; a later change has a higher one.
    pub(crate) fn sequence(&self) -> i64 {
        self.sequence
    }

    /// Where its queries run.
    pub(crate) fn connection(&mut self) -> &mut sqlx::AnyConnection {
        &mut self.transaction
    }

    /// The next number of the rule book, which counts over all scopes.
    pub(crate) async fn next_number(&mut self) -> Result<i64, Error> {
        let row = sqlx::query("UPDATE counters SET value = value + 1 WHERE name = 'number' RETURNING value")
            .fetch_one(self.connection())
            .await?;
        row.try_get(0)
    }

    /// Puts something into the outbox, behind all that was put there before.
    pub(crate) async fn put(&mut self, parcel: &Parcel) -> Result<(), Error> {
        sqlx::query("INSERT INTO outbox (sequence, place, body) VALUES ($1, $2, $3)")
            .bind(self.sequence)
            .bind(self.places)
            .bind(encode(parcel))
            .execute(&mut *self.transaction)
            .await?;
        self.places += 1;
        Ok(())
    }

    /// It has events: who listens hears of them once it is committed.
    pub(crate) fn tells(&mut self) {
        self.tells = true;
    }

    /// Makes it true, and wakes the publisher if it is its turn.
    pub(crate) async fn commit(mut self) -> Result<(), Error> {
        if self.places > 0 && self.kind == Kind::Postgres {
            // Delivered with the commit, to whichever process publishes.
            sqlx::query("SELECT pg_notify($1, '')").bind(CHANNEL).execute(&mut *self.transaction).await?;
        }
        if self.tells && self.kind == Kind::Postgres {
            sqlx::query("SELECT pg_notify($1, '')").bind(EVENTS).execute(&mut *self.transaction).await?;
        }
        self.transaction.commit().await?;
        if self.places > 0 {
            self.filled.notify_one();
        }
        if self.tells {
            self.told.send_replace(());
        }
        Ok(())
    }
}

fn migrations() -> Migrator {
    let step = |((name, sql), number): ((&'static str, &'static str), i64)| {
        Migration::new(number, name.into(), MigrationType::Simple, SqlStr::from_static(sql), false)
    };
    Migrator::with_migrations(STEPS.into_iter().zip(1..).map(step).collect())
}

/// The address without what must not be logged: a password may stand before the host, or in the query.
fn without_password(url: &str) -> String {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    let (address, query) = url.split_once('?').map_or((url, ""), |(address, _)| (address, "?…"));
    match address.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://…@{host}{query}"),
        // A password with a question mark in it.
        None if url.contains('@') => format!("{scheme}://…"),
        None => format!("{address}{query}"),
    }
}

#[cfg(test)]
mod tests;
