//! Hearing that there is something to publish, without asking again and again. What there is, is kept out.

use std::sync::Arc;

use anyhow::Context as _;
use sqlx::postgres::PgListener;

use crate::store::{CHANNEL, Kind, Store};

/// What rings when the outbox was filled: by this process, and on PostgreSQL by any.
pub(super) struct Bell {
    filled: Arc<tokio::sync::Notify>,
    others: Option<PgListener>,
}

impl Bell {
    pub(super) async fn of(store: &Store) -> anyhow::Result<Self> {
        let others = match store.kind() {
            Kind::Sqlite => None,
            Kind::Postgres => {
                let mut listener = PgListener::connect(store.url()).await?;
                listener.listen(CHANNEL).await?;
                Some(listener)
            }
        };
        Ok(Self { filled: store.filled(), others })
    }

    pub(super) async fn wait(&mut self) -> anyhow::Result<()> {
        let Some(others) = &mut self.others else {
            self.filled.notified().await;
            return Ok(());
        };
        tokio::select! {
            () = self.filled.notified() => Ok(()),
            // A connection that broke may have missed a ring: begun anew, everything is looked at.
            rung = others.try_recv() => rung?.map(drop).context("the database's connection broke"),
        }
    }
}
