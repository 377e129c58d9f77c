//! A database that was lost: a scope that only the topic knows is taken into it, so that moderators can edit what is in force. The
//! rule book does not say comments, tags, what is private, or drafts; those are lost with the database.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context as _;
use chassis::ground::Ground;
use judge::book::chunks::{self, Hash};
use proto::{
    record,
    rules::{Key, Scope},
    v1::{self, rules::Record},
};

use super::{
    shelf::{Shelf, hashes},
    take_over,
};
use crate::{
    lists::{
        Content, List, Mode,
        page::{Kept, spread},
    },
    store::Store,
    versions,
};

/// Versions and chunks as they stand on the topic. Those of one scope are 25 MB at the most, and this is done once in years.
#[derive(Default)]
struct Found {
    versions: HashMap<(Scope, u64), v1::RuleVersion>,
    chunks: HashMap<Hash, Vec<u8>>,
}

/// Takes in the newest version of each scope that the database does not know.
pub(super) async fn unknown(store: &Store, ground: &Ground, shelf: &Shelf) -> anyhow::Result<()> {
    let known: HashSet<Scope> = versions::in_force(store).await?.into_iter().map(|(scope, _)| scope).collect();
    let wanted: Vec<(Scope, u64)> = shelf
        .scopes()
        .filter(|scope| !known.contains(*scope))
        .filter_map(|scope| shelf.newest(scope).map(|(number, _)| (scope.clone(), number)))
        .filter(|(scope, number)| shelf.has_whole(scope, *number))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let found = read(ground).await?;
    let mut change = store.change().await?;
    for (scope, number) in wanted {
        let version =
            found.versions.get(&(scope.clone(), number)).context("the topic lost a version while it was read")?;
        let content = content(version, &found.chunks).with_context(|| format!("version {number} of {scope}"))?;
        versions::adopt(&mut change, version, content).await?;
        tracing::warn!(%scope, number, "the database did not know what is in force; it is taken from danmaku-rules");
    }
    Ok(change.commit().await?)
}

async fn read(ground: &Ground) -> anyhow::Result<Found> {
    let found = Arc::new(Mutex::new(Found::default()));
    let heard = Arc::clone(&found);
    take_over::each(ground, move |key, value| {
        let Some(key) = std::str::from_utf8(key).ok().and_then(|key| key.parse::<Key>().ok()) else { return };
        let record = record::decode::<v1::Rules>(value).ok().and_then(|rules| rules.record);
        let mut found = heard.lock().unwrap_or_else(PoisonError::into_inner);
        match (key, record) {
            (Key::Version(scope, number), Some(Record::Version(version))) => {
                found.versions.insert((scope, number), version);
            }
            (Key::Chunk(hash), Some(Record::Chunk(chunk))) => drop(found.chunks.insert(hash, chunk.entries.into())),
            _ => {}
        }
    })
    .await?;
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut found))
}

/// A version's lists, as far as the book says them.
fn content(version: &v1::RuleVersion, packed: &HashMap<Hash, Vec<u8>>) -> anyhow::Result<Content> {
    let mut content = Content { policy: version.policy.clone(), ..Content::empty() };
    for hash in hashes(version) {
        let packed = packed.get(&hash).context("a chunk is missing")?;
        let entries = chunks::unpack(&hash, packed)?;
        for entry in &entries {
            let mode = if entry.observe { Mode::Observe } else { Mode::Enforce };
            content.lists.entry(entry.list.clone()).or_insert(List { mode, comment: String::new() });
        }
        let kept = entries.into_iter().map(|entry| Kept::published(entry, &version.author, version.published_ms));
        for (place, kept) in spread(kept) {
            content.pages.get_mut(place).context("a place beyond the 64")?.edit().extend(kept);
        }
    }
    Ok(content)
}
