//! A sentence for each number of the hall.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

pub(super) fn describe() {
    describe_gauge!("danmaku_fanout_bans", "bans known, with those that ended of late");
    describe_counter!(
        "danmaku_fanout_bans_lost_total",
        "bans not kept: unreadable, or over 200,000; they do not act here"
    );
    describe_counter!("danmaku_fanout_state_records_total", "state records read");
    describe_gauge!("danmaku_fanout_state_bytes", Unit::Bytes, "modes and sticky events kept for who joins");
    describe_counter!(
        "danmaku_fanout_state_forgotten_total",
        "rooms whose mode and sticky events were too many to keep"
    );
    describe_gauge!("danmaku_fanout_viewers", "viewers connected: opened - closed");
    describe_gauge!("danmaku_fanout_rooms", "rooms kept by shards; one watched on two shards counts twice");
    describe_gauge!("danmaku_fanout_ring_bytes", Unit::Bytes, "encoded frames that rings hold");
    describe_gauge!("danmaku_fanout_raw_bytes", Unit::Bytes, "records kept for joins and resumes");
    describe_gauge!("danmaku_fanout_window_seconds", Unit::Seconds, "how long a busy room gathers messages, by shard");
    describe_gauge!(
        "danmaku_fanout_busy_ratio",
        "the share of a second that a shard worked, by shard; 0.25 is aimed at"
    );
    describe_gauge!(
        "danmaku_fanout_blocked_viewers",
        "viewers whose sockets take nothing now; the hall waits for none"
    );
    describe_histogram!(
        "danmaku_fanout_join_seconds",
        Unit::Seconds,
        "from a viewer's coming until his join is answered"
    );
    describe_counter!("danmaku_fanout_joins_total", "answered joins: fresh, recovered whole, or told of a gap");
    describe_gauge!(
        "danmaku_fanout_position_age_seconds",
        Unit::Seconds,
        "since a partition was last known to be read to its end, looked at each 2 s; 0 for one that is not read"
    );
    describe_gauge!("danmaku_fanout_viewers_max", "viewers there is room for: --viewers-max, or what open files allow");
    describe_gauge!("danmaku_fanout_memory_bytes", Unit::Bytes, "what viewers, rooms and history take, as estimated");
    describe_gauge!("danmaku_fanout_memory_max_bytes", Unit::Bytes, "what they may take: --memory-max, or a default");
    describe_counter!("danmaku_fanout_full_total", "viewers refused for want of room, by what is full");
    describe_gauge!("danmaku_fanout_partitions", "partitions read");
    describe_counter!("danmaku_fanout_opened_total", "viewers that came; pairs with closed");
    describe_counter!(
        "danmaku_fanout_closed_total",
        "viewers whose end was decided, by close code and whose it was; pairs with opened"
    );
    describe_counter!(
        "danmaku_fanout_refused_total",
        "handshakes refused, by status and code, or those of a close on goim"
    );
    describe_counter!("danmaku_fanout_delivered_total", "messages written, each as often as it had viewers");
    describe_counter!(
        "danmaku_fanout_writes_total",
        "writes to viewers that took something; delivered / writes = messages a write"
    );
    describe_counter!("danmaku_fanout_frames_total", "frames put on rings, each encoded once for all viewers");
    describe_counter!("danmaku_fanout_dropped_total", "messages counted in gaps, as often as viewers were told");
    describe_counter!("danmaku_fanout_refused_frames_total", "client frames answered with an error");
    describe_counter!("danmaku_fanout_sends_total", "what viewers sent on their sockets, by what they were told");
    describe_counter!("danmaku_fanout_passed_packets_total", "goim packets of operations that are not for us");
    describe_counter!("danmaku_fanout_records_total", "output records read");
    describe_counter!("danmaku_fanout_passed_over_total", "records of an old owner or generation: look at the filters");
    describe_counter!("danmaku_fanout_repeated_total", "records whose input was shown already");
    describe_counter!("danmaku_fanout_private_total", "items for one user alone");
    describe_counter!("danmaku_fanout_undecodable_total", "records that are none: look at who else writes there");
    describe_counter!("danmaku_fanout_rebuilds_total", "consumers thrown away because a partition stood still");
    describe_counter!("danmaku_fanout_restarts_total", "partitions that went on elsewhere: recreated, or cut off");
    describe_histogram!(
        "danmaku_hop_seconds",
        Unit::Seconds,
        "time a danmaku takes to a stamp from the one before: appended, judged, encoded, written"
    );
}
