//! Which node a room is best watched on. Pure: the nodes and their loads in, an order out; the same on every node.
//!
//! A node reads the partitions that its viewers' rooms live in, so a partition has one home: nodes compete for it by a hash
//! of both, the highest first, and none gets more than 1.25 of its fair share. A node more or less therefore moves little
//! else than its own share. A room that is too large for one node gets several, and a node that has become too full is
//! passed over; whoever connects elsewhere is served all the same.

use std::cmp::Reverse;

use sha2::{Digest as _, Sha256};

/// No node is home to more than this many times its share of the partitions, and no room gives one node more than this many
/// times its share of all viewers.
const BOUND: f64 = 1.25;

/// A room below this is left on one node, whatever its share: a node reads a partition more cheaply than it splits a crowd.
const HOT_MIN: f64 = 1_000.0;

/// Above this part of what it can carry, a node takes nobody who could go elsewhere.
const FULL: f64 = 0.9;

/// A node as far as placing is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) viewers: u64,
    pub(crate) capacity: u64,
}

impl Node {
    fn load(&self) -> f64 {
        self.viewers as f64 / (self.capacity.max(1)) as f64
    }
}

/// All nodes, and which partitions each is home to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Map {
    nodes: Vec<Node>,
    /// A number among `nodes` for each partition; empty without nodes.
    homes: Vec<usize>,
}

impl Map {
    /// The map of these nodes. Homes are found anew only if nodes came, went or grew since the `last` one.
    pub(crate) fn new(nodes: Vec<Node>, partitions: usize, last: &Self) -> Self {
        let same = |(one, other): (&Node, &Node)| one.id == other.id && one.capacity == other.capacity;
        let is_known = nodes.len() == last.nodes.len() && nodes.iter().zip(&last.nodes).all(same);
        let homes = if is_known { last.homes.clone() } else { homes(&nodes, partitions) };
        Self { nodes, homes }
    }

    /// The nodes for a room of `watching` viewers in `partition`, the best first: one, or as many as the room needs.
    pub(crate) fn place(&self, partition: usize, watching: u64) -> Vec<usize> {
        let Some(&home) = self.homes.get(partition) else { return Vec::new() };
        let nodes = &self.nodes;
        let emptiest = |one: &usize, other: &usize| nodes[*one].load().total_cmp(&nodes[*other].load());
        let mut order: Vec<_> = (0..nodes.len()).collect();
        order.sort_by_cached_key(|&node| Reverse((node == home, score(&nodes[node].id, partition))));
        let mut chosen: Vec<_> = order.iter().copied().filter(|&node| nodes[node].load() < FULL).collect();
        if chosen.is_empty() {
            chosen = order;
            chosen.sort_by(emptiest);
        }
        chosen.truncate(needed(nodes, watching));
        // The emptiest of them first, so that a crowd spreads.
        chosen.sort_by(emptiest);
        chosen
    }
}

fn homes(nodes: &[Node], partitions: usize) -> Vec<usize> {
    let mut claims: Vec<_> = (0..nodes.len()).flat_map(|node| (0..partitions).map(move |at| (node, at))).collect();
    claims.sort_by_cached_key(|&(node, partition)| Reverse(score(&nodes[node].id, partition)));
    let all: u64 = nodes.iter().map(|node| node.capacity.max(1)).sum();
    let share = |node: &Node| (BOUND * partitions as f64 * node.capacity.max(1) as f64 / all as f64).ceil() as usize;
    let mut free: Vec<_> = nodes.iter().map(share).collect();
    let mut homes = vec![None; partitions];
    for (node, partition) in claims {
        if homes[partition].is_none() && free[node] > 0 {
            homes[partition] = Some(node);
            free[node] -= 1;
        }
    }
    // The shares add up to more than there are partitions, so each has found one.
    homes.into_iter().flatten().collect()
}

/// How many nodes a room needs.
fn needed(nodes: &[Node], watching: u64) -> usize {
    let all: u64 = nodes.iter().map(|node| node.viewers).sum::<u64>().max(watching);
    let share = (BOUND * all as f64 / nodes.len() as f64).max(HOT_MIN);
    ((watching as f64 / share).ceil() as usize).max(1)
}

/// How much a node wants a partition.
fn score(node: &str, partition: usize) -> u64 {
    let digest = Sha256::new().chain_update(partition.to_le_bytes()).chain_update(node).finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    const PARTITIONS: usize = 64;

    fn nodes(ids: impl IntoIterator<Item = String>) -> Vec<Node> {
        ids.into_iter().map(|id| Node { id, viewers: 0, capacity: 100_000 }).collect()
    }

    fn place(nodes: &[Node], partition: usize, watching: u64) -> Vec<usize> {
        Map::new(nodes.to_vec(), PARTITIONS, &Map::default()).place(partition, watching)
    }

    fn named(set: usize, count: usize) -> Vec<Node> {
        nodes((0..count).map(|node| format!("host-{set}-{node}")))
    }

    #[test]
    fn four_nodes_with_ten_thousand_rooms_read_at_most_24_partitions_each() {
        for set in 0..20 {
            let (mut nodes, mut map) = (named(set, 4), Map::default());
            let mut read = BTreeMap::<usize, BTreeSet<usize>>::new();
            for room in 0..10_000 {
                let partition = proto::partition::of(format!("room {room}").as_bytes(), PARTITIONS as i32) as usize;
                // One room in a hundred is a thousand times as large as the others.
                let viewers = if room % 100 == 0 { 1_000 } else { 1 };
                map = Map::new(nodes.clone(), PARTITIONS, &map);
                let node = map.place(partition, viewers)[0];
                read.entry(node).or_default().insert(partition);
                nodes[node].viewers += viewers;
            }
            for partitions in read.values() {
                assert!(partitions.len() <= 24, "{} partitions on one node", partitions.len());
            }
        }
    }

    #[test]
    fn a_fifth_node_moves_at_most_one_and_a_half_fifths() {
        let moved = |set| {
            let (before, after) = (homes(&named(set, 4), PARTITIONS), homes(&named(set, 5), PARTITIONS));
            before.iter().zip(&after).filter(|(before, after)| before != after).count()
        };
        let moves: Vec<_> = (0..200).map(moved).collect();
        assert!(moves.iter().all(|&moved| moved <= PARTITIONS * 3 / 10), "{moves:?}");
    }

    #[test]
    fn a_hot_room_gets_several_nodes_and_a_small_one_its_home() {
        let mut nodes = named(0, 4);
        let home = homes(&nodes, PARTITIONS)[7];
        assert_eq!(place(&nodes, 7, 10), [home]);
        nodes.iter_mut().for_each(|node| node.viewers = 2_500);
        assert_eq!(place(&nodes, 7, 9_000).len(), 3, "9,000 of 10,000, at most 3,125 each");
        nodes[home].viewers = 95_000;
        assert_ne!(place(&nodes, 7, 10), [home], "a full node is passed over");
        nodes.iter_mut().for_each(|node| node.viewers = 100_000);
        assert_eq!(place(&nodes, 7, 10).len(), 1, "all full: somebody is named all the same");
        assert!(place(&[], 7, 10).is_empty());
    }

    #[test]
    fn a_larger_node_is_home_to_more() {
        let mut nodes = named(1, 3);
        nodes[0].capacity = 400_000;
        let homes = homes(&nodes, PARTITIONS);
        let count = |node| homes.iter().filter(|&&home| home == node).count();
        assert!(count(0) > count(1) + count(2), "{} of 64", count(0));
    }

    proptest! {
        #[test]
        fn every_partition_has_one_home_and_no_node_too_many(ids in prop::collection::btree_set("[a-z0-9]{1,8}", 1..12)) {
            let nodes = nodes(ids);
            let homes = homes(&nodes, PARTITIONS);
            prop_assert_eq!(homes.len(), PARTITIONS);
            let most = (BOUND * PARTITIONS as f64 / nodes.len() as f64).ceil() as usize;
            for node in 0..nodes.len() {
                prop_assert!(homes.iter().filter(|&&home| home == node).count() <= most);
            }
        }

        #[test]
        fn a_node_that_goes_leaves_most_others_partitions_where_they_are(set: u16) {
            let (before, after) = (named(set.into(), 5), named(set.into(), 4));
            let (before, after) = (homes(&before, PARTITIONS), homes(&after, PARTITIONS));
            let lost = before.iter().filter(|&&home| home == 4).count();
            let moved = before.iter().zip(&after).filter(|(before, after)| before != after).count();
            prop_assert!(moved <= lost + PARTITIONS / 5, "{moved} moved, {lost} had to");
        }
    }
}
