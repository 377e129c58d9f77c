//! `/about`: which program this is and how it acts, for an operator who compares it with the others.
//! Kept out: whether it is well, which `/readyz` and `/metrics` say.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::StatusCode;
use serde::{Deserialize, Serialize};

use super::Pages;
use crate::kafka::Cluster;
use crate::settings::{self, Common, Settings, effective};
use crate::{descriptors, http, release};

/// The page's path.
pub const PATH: &str = "/about";

/// What a program says of itself. A later release may say more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// What it is called: `fanout`, or `danmaku` where all are in one process.
    pub program: String,
    /// Its release.
    pub version: String,
    /// The commit that it was built of.
    pub commit: String,
    /// Its clock, in Unix milliseconds.
    pub now_ms: i64,
    /// In its records and cursors.
    pub generation: u32,
    /// Over which it spreads rooms.
    pub partitions: i32,
    /// Before the names of its topics.
    pub topic_prefix: String,
    /// Where its Kafka is.
    pub brokers: String,
    /// Whether that is its own.
    pub embedded: bool,
    /// How long it may take to leave.
    pub drain_ms: u64,
    /// Files and sockets that it may have open; absent where there is no limit.
    pub files_max: Option<u64>,
    /// Its settings as they were given or are by default; a secret as `***`.
    pub settings: BTreeMap<String, String>,
}

impl About {
    /// What this process says.
    pub(crate) fn this<S: Settings>(common: &Common, cluster: &Cluster) -> Self {
        let all = effective::<S>(settings::line()).unwrap_or_default();
        Self {
            program: S::command().get_name().to_owned(),
            version: release::VERSION.to_owned(),
            commit: release::COMMIT.to_owned(),
            now_ms: 0,
            generation: common.generation,
            partitions: common.partitions,
            topic_prefix: common.topic_prefix.clone(),
            brokers: cluster.brokers.clone(),
            embedded: cluster.embedded,
            drain_ms: u64::try_from(common.drain.as_millis()).unwrap_or(u64::MAX),
            files_max: descriptors::limit(),
            settings: all.into_iter().filter_map(|one| Some((one.name, one.value?))).collect(),
        }
    }

    /// Adds the page.
    pub(crate) fn told_on(self, pages: &Pages) {
        pages.add(PATH, move |_| {
            let about = Self { now_ms: unix_ms(), ..self.clone() };
            async move { http::json(StatusCode::OK, &about) }
        });
    }
}

fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
