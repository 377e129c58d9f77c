//! The publisher's life: take the lock, fence the one before, take over, and then publish what comes, as it comes.
//! Kept out: what a parcel means to its readers.

use std::{collections::HashSet, sync::Arc, time::Duration};

use anyhow::Context as _;
use chassis::{admin::Condition, ground::Ground};
use judge::book::chunks::Hash;
use proto::{
    record::{self, encode},
    rules::{Key, Scope},
    v1::{self, rules::Record},
};
use sqlx::Row as _;
use tokio::time;

use super::{
    Parcel,
    bell::Bell,
    judged,
    kafka::{Rule, Writer},
    shelf::Shelf,
    stands::{self, Stands},
    take_over,
};
use crate::{
    metrics::Metrics,
    store::{LeaderLock, Lock, Store},
    versions,
};

/// Parcels that are read at a time. A version of a large import takes 1 MiB, but few are that.
const PARCELS_MAX: i64 = 32;

/// How long until it is tried again after a failure: a Kafka or database that is away comes back within seconds.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// The embedded broker keeps 5 MiB of the topic, so the whole book is written again each so many bytes: whoever starts then
/// finds it whole, though the book itself takes up to 2 MiB.
const REWRITE_BYTES: usize = 2 << 20;

/// Publishes until it is dropped. `condition` is ready while this process publishes, or waits for its turn.
pub(crate) async fn run(store: Arc<Store>, ground: Ground, condition: Condition, metrics: Metrics) {
    loop {
        let lead = Lead { store: &store, ground: &ground, condition: &condition, metrics: &metrics };
        if let Err(error) = lead.run().await {
            tracing::warn!(error = format!("{error:#}"), "publishing was given up, it is begun anew");
            condition.not_ready(format!("the rule book is not published: {error:#}"));
            metrics.publisher_lost();
        }
        time::sleep(AGAIN_AFTER).await;
    }
}

struct Lead<'a> {
    store: &'a Store,
    ground: &'a Ground,
    condition: &'a Condition,
    metrics: &'a Metrics,
}

/// What the publisher has in hand while it leads.
struct Desk {
    writer: Writer,
    shelf: Shelf,
    /// What was held and decided on before this publisher began, and judged.
    judged: HashSet<String>,
    /// Bytes written to the rules since the whole book was.
    written: usize,
}

impl Lead<'_> {
    async fn run(&self) -> anyhow::Result<()> {
        // Who waits for his turn serves requests meanwhile: what he commits the other one publishes.
        let lock = LeaderLock::take(self.store, Lock::Outbox, || self.condition.ready()).await;
        let mut lock = lock.context("the lock cannot be taken")?;
        let mut bell = Bell::of(self.store).await?;
        // First the fence, then the reading: what is read then stays so.
        let writer = Writer::begin(self.ground).await?;
        let shelf = take_over::read(self.ground).await?;
        let judged = judged::judged(self.store, self.ground).await?;
        let mut desk = Desk { writer, shelf, judged, written: 0 };
        take_over::compare(self.store, &desk.shelf).await?;
        self.standing(&mut desk).await?;
        tracing::info!(highest = desk.shelf.highest(), "publishing");
        loop {
            lock.check().await.context("the lock is lost")?;
            while self.publish(&mut desk).await? {}
            self.condition.ready();
            bell.wait().await?;
        }
    }

    /// Publishes the next parcels; whether there were any.
    async fn publish(&self, desk: &mut Desk) -> anyhow::Result<bool> {
        let sql = "SELECT sequence, place, body FROM outbox ORDER BY sequence, place LIMIT $1";
        let rows = sqlx::query(sql).bind(PARCELS_MAX).fetch_all(self.store.reads()).await?;
        for row in &rows {
            let (sequence, place): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
            let parcel: Parcel = record::decode(row.try_get::<&[u8], _>(2)?)?;
            let left = self.deliver(desk, sequence, place, parcel);
            let left = left.await.with_context(|| format!("parcel {sequence}/{place}"))?;
            self.done(sequence, place, left).await?;
            if self.ground.cluster.embedded && desk.written > REWRITE_BYTES {
                self.rewrite(desk).await?;
            }
        }
        Ok(!rows.is_empty())
    }

    /// Controls first, then what restores them; a mute learns where its control stands, and the outbox with it: whoever delivers
    /// the rest, if this one dies in between, restores the mute from there and not from where he writes the control again.
    async fn deliver(&self, desk: &mut Desk, sequence: i64, place: i64, mut parcel: Parcel) -> anyhow::Result<Left> {
        let mut src = None;
        for input in &parcel.controls {
            if judged::held_id(input).is_some_and(|id| desk.judged.contains(id)) {
                continue;
            }
            let offset = desk.writer.control(input).await?;
            src.get_or_insert(offset);
            self.metrics.control();
        }
        if parcel.version != 0 {
            self.version(desk, parcel.version, false).await?;
        }
        if let (Some(mute), Some(offset)) = (&mut parcel.mute, src)
            && stands::acts_from(mute, self.ground.generation, offset)
        {
            self.keep(sequence, place, &parcel).await?;
        }
        let stands = if let Some(mute) = parcel.mute {
            Some(Stands::mute(mute)?)
        } else {
            parcel.ban.map(Stands::ban).transpose()?
        };
        let Some((key, stands)) = stands else { return Ok(Left::Nothing) };
        desk.written += desk.writer.rules(vec![(key.to_string(), Some(stands.record.clone()))]).await?;
        desk.shelf.stand(&key, stands.sequence, stands.until, &stands.record);
        if !parcel.forget {
            return Ok(Left::Stands(key, stands));
        }
        desk.written += desk.writer.rules(vec![(key.to_string(), None)]).await?;
        desk.shelf.hear(key.to_string().as_bytes(), &[]);
        Ok(Left::Forgotten(key))
    }

    /// The parcel goes on waiting, as it is now.
    async fn keep(&self, sequence: i64, place: i64, parcel: &Parcel) -> anyhow::Result<()> {
        let sql = "UPDATE outbox SET body = $1 WHERE sequence = $2 AND place = $3";
        let _turn = self.store.turn().await;
        let update = sqlx::query(sql).bind(encode(parcel)).bind(sequence).bind(place);
        Ok(update.execute(self.store.reads()).await.map(drop)?)
    }

    /// Publishes a version: its missing chunks, itself and what goes for it, in one transaction.
    async fn version(&self, desk: &mut Desk, number: i64, whole: bool) -> anyhow::Result<()> {
        let Some(version) = versions::record(self.store, number).await? else {
            tracing::warn!(number, "a version in the outbox is not in the database, it is passed over");
            return Ok(());
        };
        let scope: Scope = version.scope.parse().context("a stored scope")?;
        let mut shelf = desk.shelf.clone();
        let step = shelf.step(&scope, &version, whole);
        let mut rules: Vec<Rule> = Vec::with_capacity(step.chunks.len() + 1 + step.gone.len());
        for hash in &step.chunks {
            rules.push((Key::Chunk(*hash).to_string(), Some(self.chunk(hash).await?)));
        }
        let key = Key::Version(scope, version.number).to_string();
        rules.push((key, Some(encode(&v1::Rules { record: Some(Record::Version(version)) }))));
        rules.extend(step.gone.iter().map(|key| (key.to_string(), None)));
        desk.written += desk.writer.rules(rules).await?;
        desk.shelf = shelf;
        self.metrics.version(number);
        Ok(())
    }

    async fn chunk(&self, hash: &Hash) -> anyhow::Result<Vec<u8>> {
        let entries = versions::chunk(self.store, hash).await?;
        Ok(encode(&v1::Rules { record: Some(Record::Chunk(v1::RuleChunk { entries: entries.into() })) }))
    }

    /// Mutes and bans that the topic lacks, as after it was lost.
    async fn standing(&self, desk: &mut Desk) -> anyhow::Result<()> {
        let missing = take_over::missing(self.store, &desk.shelf).await?;
        for (key, stands) in missing {
            let stands = if self.ground.cluster.embedded { stands.on_new_broker()? } else { stands };
            desk.written += desk.writer.rules(vec![(key.to_string(), Some(stands.record.clone()))]).await?;
            desk.shelf.stand(&key, stands.sequence, stands.until, &stands.record);
        }
        Ok(())
    }

    /// Writes all that is in force again.
    async fn rewrite(&self, desk: &mut Desk) -> anyhow::Result<()> {
        for (_, number) in versions::in_force(self.store).await? {
            self.version(desk, number, true).await?;
        }
        let rules = desk.shelf.standing().iter().map(|(key, stands)| (key.clone(), Some(stands.record.clone())));
        desk.writer.rules(rules.collect()).await?;
        desk.written = 0;
        tracing::debug!("the whole book was written again");
        Ok(())
    }

    /// The parcel is on Kafka: it leaves the outbox, and what it made stand is remembered.
    async fn done(&self, sequence: i64, place: i64, left: Left) -> anyhow::Result<()> {
        let _turn = self.store.turn().await;
        let mut transaction = self.store.reads().begin().await?;
        sqlx::query("DELETE FROM outbox WHERE sequence = $1 AND place = $2")
            .bind(sequence)
            .bind(place)
            .execute(&mut *transaction)
            .await?;
        match left {
            Left::Nothing => {}
            Left::Stands(key, stands) => stands.keep(&key, &mut transaction).await?,
            Left::Forgotten(key) => {
                let forget = sqlx::query("DELETE FROM standing WHERE record_key = $1").bind(key.to_string());
                forget.execute(&mut *transaction).await?;
            }
        }
        Ok(transaction.commit().await?)
    }
}

/// What a parcel leaves behind on the topic.
enum Left {
    Nothing,
    /// A mute or ban, in force or lifted.
    Stands(Key, Stands),
    /// One that was removed.
    Forgotten(Key),
}
