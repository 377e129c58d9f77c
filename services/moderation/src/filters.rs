//! By which version of the rule book each partition was judged last, and by whom: from the newest records of `danmaku-output`.
//! Filters serve nobody and say nothing of themselves, and an owner's number names no machine; what runs where is in metrics.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use chassis::kafka::{Cluster, Error, Heard, LookUp, Reader};
use proto::{OwnerNumber, record, v1};

/// Records of each partition that are looked at: an owner's claim, and what came after it.
const TAIL: u64 = 64;

/// 64 partitions take a tenth of a second.
const TIME_MAX: Duration = Duration::from_secs(10);

const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a filter may take to hear of a version, twice what is promised; and what clocks may differ.
const HEARD_WITHIN_MS: i64 = 2_000;

/// A partition, as its newest records tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stand {
    /// The highest owner seen.
    pub(crate) owner: Option<OwnerNumber>,
    /// The version that judged last, and when that was; none where nothing was said.
    pub(crate) judged: Option<(u64, i64)>,
}

/// What that says of the version on Kafka.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// It judges by it.
    Current,
    /// It was judged by an older one after it had to be known.
    Behind,
    /// Nothing was judged since.
    Quiet,
}

impl Stand {
    fn hear(&mut self, output: &v1::Output, at_ms: i64) {
        let owner = output.owner_number();
        if self.owner.is_some_and(|highest| owner < highest) {
            return;
        }
        self.owner = Some(owner);
        if output.source().is_some() {
            self.judged = Some((output.rules_version, at_ms));
        }
    }

    /// What it says of version `number`, which is on Kafka since `since_ms`.
    pub(crate) fn says(&self, number: u64, since_ms: i64) -> Says {
        match self.judged {
            Some((version, _)) if version >= number => Says::Current,
            Some((_, at_ms)) if at_ms > since_ms + HEARD_WITHIN_MS => Says::Behind,
            _ => Says::Quiet,
        }
    }
}

/// Each partition's; nothing if Kafka takes too long. Blocks.
pub(crate) fn read(cluster: &Cluster, topic: &str, partitions: i32) -> Result<Option<Vec<Stand>>, Error> {
    let lookup = LookUp::new(cluster, "danmaku-moderation", LOOK_UP_TIMEOUT)?;
    let reader = Reader::new(cluster, topic)?;
    let mut ends = BTreeMap::new();
    for partition in 0..partitions {
        let marks = lookup.watermarks(topic, partition)?;
        if marks.high > marks.low {
            reader.assign(partition, marks.high.saturating_sub(TAIL).max(marks.low))?;
            ends.insert(partition, marks.high);
        }
    }
    let mut stands = vec![Stand::default(); usize::try_from(partitions).unwrap_or_default()];
    let deadline = Instant::now() + TIME_MAX;
    while !ends.is_empty() && Instant::now() < deadline {
        match reader.poll(Duration::from_millis(100))? {
            Some(Heard::Record(record)) => {
                let stand = usize::try_from(record.partition()).ok().and_then(|place| stands.get_mut(place));
                if let (Some(stand), Ok(output)) = (stand, record::decode(record.value())) {
                    stand.hear(&output, record.time_ms());
                }
                if ends.get(&record.partition()).is_some_and(|end| record.offset() + 1 >= *end) {
                    ends.remove(&record.partition());
                }
            }
            Some(Heard::End(partition)) => _ = ends.remove(&partition),
            None => {}
        }
    }
    Ok(ends.is_empty().then_some(stands))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(number: i32) -> OwnerNumber {
        OwnerNumber { bump: 0, group_generation: number, rewinds: 0 }
    }

    #[test]
    fn the_highest_owner_speaks_for_its_partition() {
        let output = |by: i32, version: u64| v1::Output {
            src: Some(1),
            owner: Some(owner(by).into()),
            rules_version: version,
            ..v1::Output::default()
        };
        let mut stand = Stand::default();
        stand.hear(&v1::Output::claim(1, owner(4)), 10);
        assert_eq!(stand, Stand { owner: Some(owner(4)), judged: None });
        stand.hear(&output(4, 7), 20);
        stand.hear(&output(3, 6), 30);
        assert_eq!(stand, Stand { owner: Some(owner(4)), judged: Some((7, 20)) });
        stand.hear(&v1::Output::claim(1, owner(5)), 40);
        assert_eq!(stand, Stand { owner: Some(owner(5)), judged: Some((7, 20)) });
    }

    #[test]
    fn what_a_partition_says_of_a_version() {
        for (judged, says) in [
            (None, Says::Quiet),
            (Some((8, 1)), Says::Current),
            (Some((9, 1)), Says::Current),
            (Some((7, 900)), Says::Quiet),
            (Some((7, 3_000)), Says::Quiet),
            (Some((7, 3_001)), Says::Behind),
        ] {
            assert_eq!(Stand { owner: None, judged }.says(8, 1_000), says, "{judged:?}");
        }
    }
}
