//! The publisher's life: take the lock, fence the one before, take over, and then publish what comes, as it comes.
//! Kept out: what a parcel means to its readers.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

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
    Parcel, adopt,
    bell::Bell,
    bundle::{Bundle, Left, Place},
    judged,
    kafka::Writer,
    shelf::Shelf,
    stands::{self, Stands},
    take_over, tidy,
};
use crate::{
    http::now_ms,
    metrics::Metrics,
    store::{LeaderLock, Lock, Store},
    versions,
};

/// Parcels that are read at a time. A version of a large import takes 1 MiB, but few are that.
const PARCELS_MAX: i64 = 32;

/// Bytes of rules that go to Kafka in one transaction, and a parcel's more: half of what may be written before the embedded
/// broker is given the whole book again.
const BUNDLE_BYTES: usize = 1 << 20;

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
    /// When it was looked for what is over.
    tidied: Option<Instant>,
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
        let mut desk = Desk { writer, shelf, judged, written: 0, tidied: None };
        adopt::unknown(self.store, self.ground, &desk.shelf).await?;
        take_over::compare(self.store, &desk.shelf).await?;
        self.standing(&mut desk).await?;
        tracing::info!(highest = desk.shelf.highest(), "publishing");
        loop {
            lock.check().await.context("the lock is lost")?;
            while self.publish(&mut desk).await? {}
            self.condition.ready();
            if desk.tidied.is_none_or(|tidied| tidied.elapsed() >= tidy::EVERY) {
                tidy::tidy(self.store, &desk.writer, &mut desk.shelf, now_ms()).await?;
                desk.tidied = Some(Instant::now());
            }
            if let Ok(rung) = time::timeout(tidy::EVERY, bell.wait()).await {
                rung?;
            }
        }
    }

    /// Publishes the next parcels; whether there were any. What they say to the rules goes there together: a transaction takes
    /// as long whatever is in it, and the last of thirty mutes must not wait for thirty of them.
    async fn publish(&self, desk: &mut Desk) -> anyhow::Result<bool> {
        let sql = "SELECT sequence, place, body FROM outbox ORDER BY sequence, place LIMIT $1";
        let rows = sqlx::query(sql).bind(PARCELS_MAX).fetch_all(self.store.reads()).await?;
        let mut bundle = Bundle::on(&desk.shelf);
        for row in &rows {
            let (sequence, place) = (row.try_get(0)?, row.try_get(1)?);
            let parcel: Parcel = record::decode(row.try_get::<&[u8], _>(2)?)?;
            let place = Place { sequence, place };
            let left = self.deliver(desk, &mut bundle, place, parcel).await;
            let left = left.with_context(|| format!("parcel {sequence}/{}", place.place))?;
            bundle.parcels.push((place, left));
            if bundle.bytes >= BUNDLE_BYTES {
                self.settle(desk, bundle).await?;
                bundle = Bundle::on(&desk.shelf);
            }
        }
        self.settle(desk, bundle).await?;
        Ok(!rows.is_empty())
    }

    /// Controls at once, then what restores them, with the bundle. A mute learns where its control stands, and the outbox with it:
    /// whoever delivers the rest, if this one dies in between, restores the mute from there and not from where he writes the
    /// control again.
    async fn deliver(
        &self,
        desk: &mut Desk,
        bundle: &mut Bundle,
        place: Place,
        mut parcel: Parcel,
    ) -> anyhow::Result<Left> {
        let mut src = None;
        for input in &parcel.controls {
            if judged::held_id(input).is_some_and(|id| desk.judged.contains(id)) {
                continue;
            }
            let Some(offset) = desk.writer.control(input).await? else { continue };
            src.get_or_insert(offset);
            self.metrics.control();
        }
        if parcel.version != 0 {
            self.version(bundle, parcel.version, false).await?;
        }
        if let (Some(mute), Some(offset)) = (&mut parcel.mute, src)
            && stands::acts_from(mute, self.ground.generation, offset)
        {
            self.keep(place, &parcel).await?;
        }
        let stands = if let Some(mute) = parcel.mute {
            Some(Stands::mute(mute)?)
        } else {
            parcel.ban.map(Stands::ban).transpose()?
        };
        let Some((key, stands)) = stands else { return Ok(Left::Nothing) };
        bundle.stand(&key, &stands);
        if !parcel.forget {
            return Ok(Left::Stands(key, stands));
        }
        bundle.forget(&key);
        Ok(Left::Forgotten(key))
    }

    /// The parcel goes on waiting, as it is now.
    async fn keep(&self, Place { sequence, place }: Place, parcel: &Parcel) -> anyhow::Result<()> {
        let sql = "UPDATE outbox SET body = $1 WHERE sequence = $2 AND place = $3";
        let _turn = self.store.turn().await;
        let update = sqlx::query(sql).bind(encode(parcel)).bind(sequence).bind(place);
        Ok(update.execute(self.store.reads()).await.map(drop)?)
    }

    /// Adds a version: its missing chunks, itself and what goes for it.
    async fn version(&self, bundle: &mut Bundle, number: i64, whole: bool) -> anyhow::Result<()> {
        let Some(version) = versions::record(self.store, number).await? else {
            tracing::warn!(number, "a version in the outbox is not in the database, it is passed over");
            return Ok(());
        };
        let scope: Scope = version.scope.parse().context("a stored scope")?;
        let step = bundle.shelf.step(&scope, &version, whole);
        for hash in &step.chunks {
            bundle.put(Key::Chunk(*hash).to_string(), Some(self.chunk(hash).await?));
        }
        let key = Key::Version(scope, version.number).to_string();
        bundle.put(key, Some(encode(&v1::Rules { record: Some(Record::Version(version)) })));
        step.gone.iter().for_each(|key| bundle.put(key.to_string(), None));
        bundle.versions.push(number);
        Ok(())
    }

    async fn chunk(&self, hash: &Hash) -> anyhow::Result<Vec<u8>> {
        let entries = versions::chunk(self.store, hash).await?;
        Ok(encode(&v1::Rules { record: Some(Record::Chunk(v1::RuleChunk { entries: entries.into() })) }))
    }

    /// Mutes and bans that the topic lacks, as after it was lost.
    async fn standing(&self, desk: &mut Desk) -> anyhow::Result<()> {
        let mut bundle = Bundle::on(&desk.shelf);
        for (key, stands) in take_over::missing(self.store, &desk.shelf).await? {
            let stands = if self.ground.cluster.embedded { stands.on_new_broker()? } else { stands };
            bundle.stand(&key, &stands);
        }
        self.write(desk, bundle).await
    }

    /// Writes a bundle, and on the embedded broker now and then all of the book with it.
    async fn settle(&self, desk: &mut Desk, bundle: Bundle) -> anyhow::Result<()> {
        self.write(desk, bundle).await?;
        if self.ground.cluster.embedded && desk.written > REWRITE_BYTES {
            self.rewrite(desk).await?;
        }
        Ok(())
    }

    /// Writes all that is in force again.
    async fn rewrite(&self, desk: &mut Desk) -> anyhow::Result<()> {
        for (_, number) in versions::in_force(self.store).await? {
            let mut bundle = Bundle::on(&desk.shelf);
            self.version(&mut bundle, number, true).await?;
            self.write(desk, bundle).await?;
        }
        let mut bundle = Bundle::on(&desk.shelf);
        for (key, stands) in desk.shelf.standing() {
            bundle.put(key.clone(), Some(stands.record.clone()));
        }
        self.write(desk, bundle).await?;
        desk.written = 0;
        tracing::debug!("the whole book was written again");
        Ok(())
    }

    /// Writes a bundle in one transaction. Then its parcels leave the outbox.
    async fn write(&self, desk: &mut Desk, bundle: Bundle) -> anyhow::Result<()> {
        desk.written += desk.writer.rules(bundle.rules).await?;
        desk.shelf = bundle.shelf;
        bundle.versions.into_iter().for_each(|number| self.metrics.version(number));
        self.done(bundle.parcels).await
    }

    /// Parcels are on Kafka: they leave the outbox, and what they made stand is remembered.
    async fn done(&self, parcels: Vec<(Place, Left)>) -> anyhow::Result<()> {
        if parcels.is_empty() {
            return Ok(());
        }
        let _turn = self.store.turn().await;
        let mut transaction = self.store.reads().begin().await?;
        for (Place { sequence, place }, left) in parcels {
            let gone = sqlx::query("DELETE FROM outbox WHERE sequence = $1 AND place = $2").bind(sequence).bind(place);
            gone.execute(&mut *transaction).await?;
            match left {
                Left::Nothing => {}
                Left::Stands(key, stands) => stands.keep(&key, &mut transaction).await?,
                Left::Forgotten(key) => {
                    let forget = sqlx::query("DELETE FROM standing WHERE record_key = $1").bind(key.to_string());
                    forget.execute(&mut *transaction).await?;
                }
            }
        }
        Ok(transaction.commit().await?)
    }
}
