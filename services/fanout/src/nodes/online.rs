//! How many watch a partition's rooms on each node: 12 B a room, written and read once a second for a whole partition.
//!
//! For 10,000 rooms on a node that is one script of 120 KB a second up, and as much down for each other node that has
//! viewers of the same partitions; with four nodes 0.5 MB a second each, and 1 ms of Redis (measured). A count is written at
//! most 1 s after it changed and read at most 1 s after it was written: 2 s. What a node wrote it removes itself, and the others
//! do it for a dead one; meanwhile counts that stand still are passed over.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use ahash::HashMap;
use chassis::redis::{Link, RedisError, Script, pipe};
use proto::RoomId;
use sha2::{Digest as _, Sha256};

use super::{
    Local,
    keys::{COUNTS_LIFE, millis},
};

/// A node whose counts stand still for so long is gone: it writes them each second. After as long without an answer nothing is
/// known of the others.
const STILL_MAX: Duration = Duration::from_secs(5);

/// Partitions in one script of counts: all of them unless there are unusually many.
const PARTITIONS_MAX: usize = 64;

/// What a room is called in 64 bits. Two of 10,000 rooms share one with a probability of 3 in a trillion, and then share
/// their counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Print(u64);

impl Print {
    pub(crate) fn of(room: &RoomId) -> Self {
        let digest = Sha256::digest(room.as_str());
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        Self(u64::from_le_bytes(first))
    }
}

/// Counts as one node writes them: a number that rises each time, then a name and a count for each room.
pub(super) fn written(turn: u64, counts: &[(Print, u32)]) -> Vec<u8> {
    let mut bytes = turn.to_le_bytes().to_vec();
    for (print, count) in counts {
        bytes.extend_from_slice(&print.0.to_le_bytes());
        bytes.extend_from_slice(&count.to_le_bytes());
    }
    bytes
}

fn read(bytes: &[u8]) -> Option<(u64, impl Iterator<Item = (Print, u32)>)> {
    let (turn, rest) = bytes.split_first_chunk::<8>()?;
    let one = |bytes: &[u8]| {
        let (print, count) = bytes.split_first_chunk::<8>()?;
        Some((Print(u64::from_le_bytes(*print)), u32::from_le_bytes(count.try_into().ok()?)))
    };
    Some((u64::from_le_bytes(*turn), rest.chunks_exact(12).filter_map(one)))
}

/// What is exchanged once a second.
pub(super) struct Round {
    /// Partitions that somebody asks about, whether anybody watches them here or not.
    pub(super) asked: Vec<i32>,
    /// A number that rises each time.
    pub(super) turn: u64,
    pub(super) now: Instant,
}

/// What this node says of its rooms, and hears of the others'.
pub(super) struct Online {
    script: Script,
    /// Partitions of which something of this node's may stand in Redis.
    written: BTreeSet<i32>,
    others: Others,
    /// When all was last written and read.
    done: Instant,
}

impl Online {
    pub(super) fn new() -> Self {
        Self {
            script: Script::new(include_str!("lua/online.lua")),
            written: BTreeSet::new(),
            others: Others::default(),
            done: Instant::now(),
        }
    }

    /// Tells how many watch here, and hears how many do elsewhere.
    pub(super) async fn count(&mut self, link: &mut Link, local: &Local, round: Round) -> Result<(), RedisError> {
        let now = round.now;
        match self.exchange(link, local, round).await {
            Ok(sums) => {
                self.done = now;
                local.house.presence.elsewhere(sums);
                Ok(())
            }
            Err(error) => {
                if now.saturating_duration_since(self.done) > STILL_MAX {
                    local.house.presence.forget_others();
                }
                Err(error)
            }
        }
    }

    async fn exchange(
        &mut self,
        link: &mut Link,
        local: &Local,
        Round { asked, turn, now }: Round,
    ) -> Result<HashMap<Print, u32>, RedisError> {
        let mut here = local.house.presence.here();
        for partition in asked.into_iter().chain(self.written.iter().copied()) {
            here.entry(partition).or_default();
        }
        let (mut sums, partitions) = (HashMap::default(), here.into_iter().collect::<Vec<_>>());
        for some in partitions.chunks(PARTITIONS_MAX) {
            let mut script = self.script.prepare_invoke();
            script.arg(&local.id).arg(millis(COUNTS_LIFE));
            for (partition, counts) in some {
                let written = if counts.is_empty() { Vec::new() } else { written(turn, counts) };
                script.key(local.keys.online(*partition)).arg(written);
            }
            // Before: what is not answered may be written.
            self.written.extend(some.iter().map(|(partition, _)| partition));
            let answer: Vec<Vec<Vec<u8>>> = script.invoke_async(link).await?;
            for ((partition, counts), said) in some.iter().zip(answer) {
                if counts.is_empty() {
                    self.written.remove(partition);
                }
                let said: Vec<_> = said
                    .chunks_exact(2)
                    .map(|pair| (String::from_utf8_lossy(&pair[0]).into_owned(), pair[1].clone()))
                    .collect();
                self.others.sum(*partition, &said, now, &mut sums);
            }
        }
        Ok(sums)
    }

    /// Forgets nodes of which nothing stands there any more.
    pub(super) fn forget(&mut self, now: Instant) {
        self.others.forget(now);
    }

    /// Takes away what this node has said.
    pub(super) async fn end(&self, link: &mut Link, local: &Local) -> Result<(), RedisError> {
        forget_counts(link, local, &local.id, self.written.iter().copied()).await
    }
}

/// Takes away what a node has said of these partitions.
pub(super) async fn forget_counts(
    link: &mut Link,
    local: &Local,
    node: &str,
    partitions: impl Iterator<Item = i32>,
) -> Result<(), RedisError> {
    let mut all = pipe();
    for partition in partitions {
        all.cmd("HDEL").arg(local.keys.online(partition)).arg(node).ignore();
    }
    if all.is_empty() { Ok(()) } else { all.query_async(link).await }
}

/// What each node last said of a partition.
#[derive(Debug, Default)]
struct Others {
    seen: HashMap<(i32, String), Seen>,
}

#[derive(Debug)]
struct Seen {
    turn: u64,
    /// When it last moved …
    moved: Instant,
    /// … and when it was last there, however still.
    there: Instant,
}

impl Others {
    /// Adds up what the other nodes say of a partition.
    fn sum(&mut self, partition: i32, said: &[(String, Vec<u8>)], now: Instant, sums: &mut HashMap<Print, u32>) {
        for (node, bytes) in said {
            let Some((turn, counts)) = read(bytes) else { continue };
            let seen = self.seen.entry((partition, node.clone())).or_insert(Seen { turn, moved: now, there: now });
            if seen.turn != turn {
                (seen.turn, seen.moved) = (turn, now);
            }
            seen.there = now;
            if now.saturating_duration_since(seen.moved) > STILL_MAX {
                continue;
            }
            for (print, count) in counts {
                let sum = sums.entry(print).or_default();
                *sum = sum.saturating_add(count);
            }
        }
    }

    /// One that is still there is not forgotten: it would count again as if it were new.
    fn forget(&mut self, now: Instant) {
        self.seen.retain(|_, seen| now.saturating_duration_since(seen.there) < 60 * STILL_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(room: &str) -> Print {
        Print::of(&RoomId::new(room).unwrap())
    }

    #[test]
    fn what_is_written_is_read() {
        let counts = [(print("a"), 3), (print("房间"), u32::MAX)];
        let bytes = written(7, &counts);
        assert_eq!(bytes.len(), 8 + 2 * 12);
        let (turn, read_back) = read(&bytes).unwrap();
        assert_eq!((turn, read_back.collect::<Vec<_>>()), (7, counts.to_vec()));
        assert!(read(b"short").is_none());
        assert_eq!(read(&bytes[..30]).unwrap().1.count(), 1, "a torn end is passed over");
    }

    #[test]
    fn nodes_add_up_and_one_that_stands_still_is_left_out() {
        let (mut others, start) = (Others::default(), Instant::now());
        let mut sums = |seconds: u64, one: u64, two: u64| {
            let said = [
                ("one".to_owned(), written(one, &[(print("a"), 2)])),
                ("two".to_owned(), written(two, &[(print("a"), 3)])),
            ];
            let mut sums = HashMap::default();
            others.sum(0, &said, start + Duration::from_secs(seconds), &mut sums);
            sums.get(&print("a")).copied().unwrap_or_default()
        };
        assert_eq!(sums(0, 1, 1), 5);
        assert_eq!(sums(5, 6, 1), 5, "still for 5 s");
        assert_eq!(sums(6, 7, 1), 2, "and gone");
        assert_eq!(sums(7, 8, 2), 5, "and back");
    }

    #[test]
    fn one_that_stays_and_stands_still_does_not_come_back() {
        let (mut others, start) = (Others::default(), Instant::now());
        let said = [("dead".to_owned(), written(1, &[(print("a"), 3)]))];
        for second in 0..700 {
            let now = start + Duration::from_secs(second);
            let mut sums = HashMap::default();
            others.sum(0, &said, now, &mut sums);
            assert_eq!(!sums.is_empty(), second <= 5, "after {second} s");
            others.forget(now);
        }
        others.forget(start + Duration::from_secs(1_000));
        assert!(others.seen.is_empty());
    }
}
