//! Every number the hall tells. Shards count in plain fields of their own and publish the sums once a turn, so that no two
//! cores fight over a counter and nothing is recorded for each delivered frame.

mod described;
mod ends;

use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, gauge, histogram};
use proto::v1::Ack;

use crate::room::frame::Told;
use described::describe;
pub(crate) use ends::{closed, full, joined, refused};

/// Handles of what the shards tell, one set a process.
#[derive(Clone)]
pub(crate) struct ShardMetrics {
    opened: Counter,
    delivered: Counter,
    writes: Counter,
    dropped_slow: Counter,
    dropped_stale: Counter,
    dropped_node: Counter,
    frames: Counter,
    refused_frames: Counter,
    passed_packets: Counter,
    /// What became of sends that go no further than the shard.
    pub(crate) sends: SendMetrics,
    /// Viewers now.
    pub(crate) viewers: Gauge,
    /// Rooms now, as shards keep them: one that is watched on two shards counts twice.
    pub(crate) rooms: Gauge,
    /// Bytes on the rings now.
    pub(crate) ring_bytes: Gauge,
    /// From a record's judgement until it stood in a frame: what our reading lags, and the window.
    pub(crate) encoded: Histogram,
    /// From there until the last viewer who could take it had it.
    pub(crate) written: Histogram,
    /// From a viewer's coming until his join was answered.
    pub(crate) join: Histogram,
    /// Viewers whose sockets take nothing now.
    pub(crate) blocked: Gauge,
}

/// What one shard counted since it last published.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Viewers that came.
    pub(crate) opened: u64,
    /// Messages written, each as often as it has viewers.
    pub(crate) delivered: u64,
    /// Writes that took something.
    pub(crate) writes: u64,
    /// Messages that viewers were told they will not see, because they were slow.
    pub(crate) dropped_slow: u64,
    /// The same, because the messages came too late.
    pub(crate) dropped_stale: u64,
    /// The same, because this node had lost them or had too many for who came back.
    pub(crate) dropped_node: u64,
    /// Frames put on rings.
    pub(crate) frames: u64,
    /// Client frames that were answered with an error.
    pub(crate) refused_frames: u64,
    /// Packets on the goim wire that were not for us.
    pub(crate) passed_packets: u64,
}

/// Handles of what is told about the other nodes.
pub(crate) struct NodesMetrics {
    /// Nodes that live.
    pub(crate) nodes: Gauge,
    /// Questions to Redis that failed.
    pub(crate) failures: Counter,
    /// Viewers replaced by a newer connection on another node.
    pub(crate) replaced: Counter,
    /// Times that all routes were taken anew.
    pub(crate) rehangs: Counter,
    /// Dead nodes whose routes were removed here.
    pub(crate) swept: Counter,
    /// Direct notices taken.
    pub(crate) notices: Counter,
    /// The same, said again.
    pub(crate) notices_again: Counter,
}

impl NodesMetrics {
    /// The handles.
    pub(crate) fn new() -> Self {
        describe_gauge!("danmaku_fanout_nodes", "nodes that live, this one among them; 0 while redis is away");
        describe_counter!("danmaku_fanout_redis_failures_total", "questions to redis without an answer");
        describe_counter!("danmaku_fanout_replaced_total", "places that other connections were told to take");
        describe_counter!("danmaku_fanout_rehangs_total", "times that all routes were taken anew: redis had lost them");
        describe_counter!("danmaku_fanout_swept_total", "dead nodes whose routes were removed by this one");
        describe_counter!("danmaku_fanout_notices_total", "direct notices taken for delivery");
        describe_counter!("danmaku_fanout_notices_again_total", "direct notices said again for want of an ack");
        Self {
            nodes: gauge!("danmaku_fanout_nodes"),
            failures: counter!("danmaku_fanout_redis_failures_total"),
            replaced: counter!("danmaku_fanout_replaced_total"),
            rehangs: counter!("danmaku_fanout_rehangs_total"),
            swept: counter!("danmaku_fanout_swept_total"),
            notices: counter!("danmaku_fanout_notices_total"),
            notices_again: counter!("danmaku_fanout_notices_again_total"),
        }
    }
}

/// Handles of what the Kafka thread tells.
pub(crate) struct ConsumeMetrics {
    /// Records read.
    pub(crate) records: Counter,
    /// Records of an old owner or generation.
    pub(crate) passed_over: Counter,
    /// Records whose source was seen before.
    pub(crate) repeated: Counter,
    /// Items for one user.
    pub(crate) private: Counter,
    /// Records that are none.
    pub(crate) undecodable: Counter,
    /// Consumers thrown away because a partition stood still.
    pub(crate) rebuilds: Counter,
    /// Partitions that went on elsewhere.
    pub(crate) restarts: Counter,
    /// Partitions read now.
    pub(crate) partitions: Gauge,
    /// Bytes of raw records.
    pub(crate) raw_bytes: Gauge,
    /// State records read.
    pub(crate) state_records: Counter,
    /// Bytes of what stands in rooms.
    pub(crate) state_bytes: Gauge,
    /// Rooms whose mode and sticky events were forgotten.
    pub(crate) state_forgotten: Counter,
}

impl Tally {
    /// Adds what viewers were told.
    pub(crate) fn add(&mut self, told: Told) {
        self.delivered += u64::from(told.shown);
        self.dropped_slow += u64::from(told.slow);
        self.dropped_stale += u64::from(told.stale);
        self.dropped_node += u64::from(told.node);
    }
}

impl ShardMetrics {
    /// The handles.
    pub(crate) fn new() -> Self {
        describe();
        ends::begin();
        let dropped = |reason| counter!("danmaku_fanout_dropped_total", "reason" => reason);
        Self {
            opened: counter!("danmaku_fanout_opened_total"),
            delivered: counter!("danmaku_fanout_delivered_total"),
            writes: counter!("danmaku_fanout_writes_total"),
            dropped_slow: dropped("slow"),
            dropped_stale: dropped("stale"),
            dropped_node: dropped("node"),
            frames: counter!("danmaku_fanout_frames_total"),
            refused_frames: counter!("danmaku_fanout_refused_frames_total"),
            passed_packets: counter!("danmaku_fanout_passed_packets_total"),
            sends: SendMetrics::new(),
            viewers: gauge!("danmaku_fanout_viewers"),
            rooms: gauge!("danmaku_fanout_rooms"),
            ring_bytes: gauge!("danmaku_fanout_ring_bytes"),
            encoded: histogram!("danmaku_hop_seconds", "hop" => "encoded"),
            written: histogram!("danmaku_hop_seconds", "hop" => "written"),
            join: histogram!("danmaku_fanout_join_seconds"),
            blocked: gauge!("danmaku_fanout_blocked_viewers"),
        }
    }

    /// The window in force on a shard, and the share of its time that it worked.
    pub(crate) fn pace(&self, shard: usize, window: Duration, busy: f64) {
        gauge!("danmaku_fanout_window_seconds", "shard" => shard.to_string()).set(window.as_secs_f64());
        gauge!("danmaku_fanout_busy_ratio", "shard" => shard.to_string()).set(busy);
    }

    /// Adds what a shard counted, and empties it.
    pub(crate) fn publish(&self, tally: &mut Tally) {
        let Tally {
            opened,
            delivered,
            writes,
            dropped_slow,
            dropped_stale,
            dropped_node,
            frames,
            refused_frames,
            passed_packets,
        } = std::mem::take(tally);
        for (counter, count) in [
            (&self.opened, opened),
            (&self.delivered, delivered),
            (&self.writes, writes),
            (&self.dropped_slow, dropped_slow),
            (&self.dropped_stale, dropped_stale),
            (&self.dropped_node, dropped_node),
            (&self.frames, frames),
            (&self.refused_frames, refused_frames),
            (&self.passed_packets, passed_packets),
        ] {
            if count > 0 {
                counter.increment(count);
            }
        }
    }
}

/// Handles of what became of sends.
#[derive(Clone)]
pub(crate) struct SendMetrics {
    accepted: Counter,
    refused: Counter,
    unavailable: Counter,
}

impl SendMetrics {
    /// The handles.
    pub(crate) fn new() -> Self {
        let sends = |outcome| counter!("danmaku_fanout_sends_total", "outcome" => outcome);
        Self { accepted: sends("accepted"), refused: sends("refused"), unavailable: sends("unavailable") }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, ack: &Ack) {
        let counter = match &*ack.code {
            _ if ack.ok => &self.accepted,
            "unavailable" | "judge_behind" => &self.unavailable,
            _ => &self.refused,
        };
        counter.increment(1);
    }
}

/// The caps in force.
pub(crate) fn caps(viewers_max: usize, memory_max: u64) {
    gauge!("danmaku_fanout_viewers_max").set(viewers_max as f64);
    gauge!("danmaku_fanout_memory_max_bytes").set(memory_max as f64);
}

/// What viewers, rooms and history take.
pub(crate) fn memory(bytes: u64) {
    gauge!("danmaku_fanout_memory_bytes").set(bytes as f64);
}

impl ConsumeMetrics {
    /// The handles.
    pub(crate) fn new() -> Self {
        describe();
        Self {
            records: counter!("danmaku_fanout_records_total"),
            passed_over: counter!("danmaku_fanout_passed_over_total"),
            repeated: counter!("danmaku_fanout_repeated_total"),
            private: counter!("danmaku_fanout_private_total"),
            undecodable: counter!("danmaku_fanout_undecodable_total"),
            rebuilds: counter!("danmaku_fanout_rebuilds_total"),
            restarts: counter!("danmaku_fanout_restarts_total"),
            partitions: gauge!("danmaku_fanout_partitions"),
            raw_bytes: gauge!("danmaku_fanout_raw_bytes"),
            state_records: counter!("danmaku_fanout_state_records_total"),
            state_bytes: gauge!("danmaku_fanout_state_bytes"),
            state_forgotten: counter!("danmaku_fanout_state_forgotten_total"),
        }
    }

    /// Since when a partition is not known to be read to its end; `None` for one that is not read.
    pub(crate) fn position_age(partition: i32, age: Option<Duration>) {
        let age = age.unwrap_or_default();
        gauge!("danmaku_fanout_position_age_seconds", "partition" => partition.to_string()).set(age.as_secs_f64());
    }
}

/// Handles of what the follower of bans tells.
pub(crate) struct BanMetrics {
    /// Bans known.
    pub(crate) bans: Gauge,
    /// Bans that are not kept.
    pub(crate) lost: Counter,
}

impl BanMetrics {
    /// The handles.
    pub(crate) fn new() -> Self {
        describe();
        Self { bans: gauge!("danmaku_fanout_bans"), lost: counter!("danmaku_fanout_bans_lost_total") }
    }
}
