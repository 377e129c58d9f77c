//! What stands in the topics, read raw; and what a careful reader makes of the output (F6).

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::bail;
use chassis::kafka::{Cluster, Heard, LookUp, Reader};
use proto::{MessageId, OwnerNumber, Source, record, v1};

/// A record and where it stands.
#[derive(Debug, Clone)]
pub struct Raw {
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: u64,
    /// When it was appended.
    pub time_ms: i64,
    /// Its key.
    pub key: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
}

/// A decoded record and where it stands.
#[derive(Debug, Clone)]
pub struct At<R> {
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: u64,
    /// The record.
    pub record: R,
}

const READ_WITHIN: Duration = Duration::from_secs(30);

/// All records of a topic as it is now. Blocks.
///
/// # Errors
/// When Kafka does not answer in time.
pub fn read(cluster: &Cluster, topic: &str, partitions: i32) -> anyhow::Result<Vec<Raw>> {
    let lookup = LookUp::new(cluster, "danmaku-river", Duration::from_secs(10))?;
    let reader = Reader::new(cluster, topic)?;
    let mut open = BTreeMap::new();
    for partition in 0..partitions {
        let marks = lookup.watermarks(topic, partition)?;
        if marks.low < marks.high {
            reader.assign(partition, marks.low)?;
            open.insert(partition, marks.high);
        }
    }
    let mut records = Vec::new();
    let deadline = Instant::now() + READ_WITHIN;
    while !open.is_empty() {
        if Instant::now() > deadline {
            bail!("{topic} was not read to its end in time");
        }
        match reader.poll(Duration::from_millis(100))? {
            Some(Heard::Record(heard)) => {
                if open.get(&heard.partition()).is_some_and(|high| heard.offset() < *high) {
                    records.push(Raw {
                        partition: heard.partition(),
                        offset: heard.offset(),
                        time_ms: heard.time_ms(),
                        key: heard.key().unwrap_or_default().to_vec(),
                        value: heard.value().to_vec(),
                    });
                }
                open.retain(|&partition, high| partition != heard.partition() || heard.offset() + 1 < *high);
            }
            // A control record of a transaction has an offset and is never heard.
            Some(Heard::End(partition)) => {
                open.remove(&partition);
            }
            None => {}
        }
    }
    records.sort_by_key(|raw| (raw.partition, raw.offset));
    Ok(records)
}

/// Decodes them all.
///
/// # Panics
/// At one that is no `R`.
pub fn decode<R: prost::Message + Default>(raw: &[Raw]) -> Vec<At<R>> {
    let one = |raw: &Raw| At {
        partition: raw.partition,
        offset: raw.offset,
        record: record::decode(&raw.value).expect("a record of its topic's kind"),
    };
    raw.iter().map(one).collect()
}

/// Output as a careful reader takes it, and how many records it passed over.
#[derive(Debug, Default)]
pub struct Careful {
    /// Answers, at most one for an input.
    pub answers: BTreeMap<MessageId, v1::Output>,
    /// Records of an owner lower than one seen before.
    pub stale: usize,
    /// Records whose `src` is not above the last one seen.
    pub repeats: usize,
    /// Claims.
    pub claims: usize,
}

/// Reads output by the rule for readers: pass over a lower owner than the highest seen, and a source not above the last.
/// Written again here from the rule, so that a fault in fanout's reading does not hide in its own tests.
pub fn careful(outputs: &[At<v1::Output>]) -> Careful {
    let mut careful = Careful::default();
    let mut last: BTreeMap<i32, (OwnerNumber, Option<Source>)> = BTreeMap::new();
    for At { partition, record, .. } in outputs {
        let (owner, source) = last.entry(*partition).or_default();
        if record.owner_number() < *owner {
            careful.stale += 1;
            continue;
        }
        *owner = record.owner_number();
        match record.source() {
            None => careful.claims += 1,
            Some(found) if source.is_some_and(|source| found <= source) => careful.repeats += 1,
            Some(found) => {
                *source = Some(found);
                let id = MessageId { generation: found.generation, partition: *partition, offset: found.offset };
                careful.answers.insert(id, record.clone());
            }
        }
    }
    careful
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(bump: u64, src: Option<u64>) -> At<v1::Output> {
        let owner = Some(OwnerNumber { bump, ..OwnerNumber::default() }.into());
        At { partition: 0, offset: 0, record: v1::Output { generation: 1, src, owner, ..v1::Output::default() } }
    }

    #[test]
    fn an_old_owner_and_a_repeat_are_passed_over() {
        let read = careful(&[
            output(1, None),
            output(1, Some(4)),
            output(2, None),
            output(1, Some(5)), // written by one who slept
            output(2, Some(4)), // judged again
            output(2, Some(6)),
        ]);
        let sources: Vec<_> = read.answers.keys().map(|id| id.offset).collect();
        assert_eq!((sources, read.stale, read.repeats, read.claims), (vec![4, 6], 1, 1, 2));
    }
}
