//! By which version of the rule book rooms are judged, as far as records tell.

use axum::Json;
use proto::Topic;
use serde::Serialize;
use utoipa::ToSchema;

use super::ask::Here;
use crate::{
    access::Act,
    filters::{self, Says, Stand},
    refusal::Refusal,
    versions,
};

/// Which version judges where.
#[derive(Serialize, ToSchema)]
pub(super) struct Filters {
    /// The newest version that is on Kafka, of all books; 0 before the first.
    published: i64,
    /// When it was made.
    published_ms: i64,
    /// Each partition of the river, by its number.
    partitions: Vec<Judged>,
}

/// A partition, as the newest records in it tell.
#[derive(Serialize, ToSchema)]
pub(super) struct Judged {
    /// Its number.
    partition: usize,
    /// The filter that owns it, by a number that rises with each change and names no machine; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// The version that judged last; absent where nothing was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    judged_ms: Option<i64>,
    /// `current`: by the newest. `behind`: by an older one, more than 2 s after the newest came. `quiet`: nothing was said since.
    says: &'static str,
}

/// By which version each partition was judged last
///
/// Filters serve nobody, so their records speak for them: a partition in which nothing is said says nothing. How each process
/// stands is `danmaku_filter_rules_version` in its metrics.
#[utoipa::path(get, path = "/v1/moderation/filters", tag = "versions", responses((status = 200, body = Filters)))]
pub(super) async fn all(here: Here) -> Result<Json<Filters>, Refusal> {
    here.scope(None, Act::ReadBook)?;
    let store = &here.house.store;
    let published = versions::published(store).await?;
    let published_ms = versions::record(store, published).await?.map_or(0, |version| version.published_ms);
    let ground = here.house.ground.clone();
    let topic = Topic::Output.name(&ground.topic_prefix);
    let read = move || filters::read(&ground.cluster, &topic, ground.partitions);
    let stands = tokio::task::spawn_blocking(read).await.ok().and_then(Result::ok).flatten();
    let stands = stands.ok_or_else(|| Refusal::Unavailable("kafka does not answer; nothing is known".to_owned()))?;
    let told = |(partition, stand)| told(partition, stand, published.unsigned_abs(), published_ms);
    Ok(Json(Filters { published, published_ms, partitions: stands.into_iter().enumerate().map(told).collect() }))
}

fn told(partition: usize, stand: Stand, published: u64, published_ms: i64) -> Judged {
    let says = match stand.says(published, published_ms) {
        Says::Current => "current",
        Says::Behind => "behind",
        Says::Quiet => "quiet",
    };
    let owner = stand.owner.map(|owner| format!("{}-{}-{}", owner.bump, owner.group_generation, owner.rewinds));
    let (version, judged_ms) = stand.judged.unzip();
    Judged { partition, owner, version, judged_ms, says }
}
