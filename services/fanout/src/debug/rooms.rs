//! `/debug/rooms`: the rooms and partitions of this node with the most viewers, or the most messages. What a metric may not
//! say, because rooms are as many as there are streams.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use chassis::{
    admin::Query,
    http::{Refusal, Response, json},
};
use hyper::StatusCode;
use proto::RoomId;
use serde::Serialize;

use super::ask_all;
use crate::inbox::{Event, Inbox};

/// As many as fit on a screen, unless somebody asks for more.
const TOP: usize = 20;

/// At most so many: 100 KB of JSON.
const TOP_MAX: usize = 1_000;

/// A room as one shard sees it. Shards tell of all theirs, so that none is missed that is watched on several: 1 MB for
/// 10,000 rooms, and only when somebody asks.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Which.
    pub(crate) room: RoomId,
    /// Where.
    pub(crate) partition: i32,
    /// By how many.
    pub(crate) viewers: usize,
    /// Messages a second, smoothed over some ten seconds.
    pub(crate) messages: f64,
}

/// What the first of a list has most of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Viewers,
    Messages,
}

/// A room or a partition on this node.
#[derive(Debug, Serialize, Default)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
    partition: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    rooms: Option<usize>,
    viewers: usize,
    messages_per_second: f64,
}

#[derive(Debug, Serialize)]
struct Page {
    rooms: Vec<Row>,
    partitions: Vec<Row>,
    silent_shards: usize,
}

/// Answers the page.
pub(crate) async fn rooms(shards: Vec<Arc<Inbox>>, query: Query) -> Response {
    let Some((by, top)) = asked(&query) else {
        let message = "ask for /debug/rooms?by=viewers or by=messages, with top= 1 to 1000";
        return Refusal::new(StatusCode::BAD_REQUEST, "malformed", message).into_response();
    };
    let (found, silent_shards) = ask_all(&shards, Event::Watched).await;
    json(StatusCode::OK, &page(found.into_iter().flatten(), by, top, silent_shards))
}

fn asked(query: &Query) -> Option<(By, usize)> {
    let (mut by, mut top) = (By::Viewers, TOP);
    for (name, value) in query {
        match (&**name, &**value) {
            ("by", "viewers") => by = By::Viewers,
            ("by", "messages") => by = By::Messages,
            ("top", count) => top = count.parse().ok().filter(|top| (1..=TOP_MAX).contains(top))?,
            _ => return None,
        }
    }
    Some((by, top))
}

/// A room that is watched on several shards has the viewers of all, and the messages of each.
fn page(watched: impl Iterator<Item = Watched>, by: By, top: usize, silent_shards: usize) -> Page {
    let mut rooms: BTreeMap<RoomId, Row> = BTreeMap::new();
    for one in watched {
        let row = rooms.entry(one.room).or_default();
        row.partition = one.partition;
        row.viewers += one.viewers;
        row.messages_per_second = row.messages_per_second.max(one.messages);
    }
    let mut partitions: BTreeMap<i32, Row> = BTreeMap::new();
    for room in rooms.values() {
        let row = partitions.entry(room.partition).or_default();
        row.partition = room.partition;
        *row.rooms.get_or_insert(0) += 1;
        row.viewers += room.viewers;
        row.messages_per_second += room.messages_per_second;
    }
    let named = rooms.into_iter().map(|(id, row)| Row { room: Some(id.as_str().to_owned()), ..row });
    Page { rooms: first(named, by, top), partitions: first(partitions.into_values(), by, top), silent_shards }
}

fn first(rows: impl Iterator<Item = Row>, by: By, top: usize) -> Vec<Row> {
    let mut rows: Vec<_> =
        rows.map(|row| Row { messages_per_second: tenths(row.messages_per_second), ..row }).collect();
    rows.sort_by_key(|row| {
        let messages = (row.messages_per_second * 10.0) as u64;
        Reverse(if by == By::Viewers { (row.viewers as u64, messages) } else { (messages, row.viewers as u64) })
    });
    rows.truncate(top);
    rows
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(room: &str, partition: i32, viewers: usize, messages: f64) -> Watched {
        Watched { room: RoomId::new(room).unwrap(), partition, viewers, messages }
    }

    #[test]
    fn shards_are_added_up_and_the_first_have_most() {
        let watched = || {
            [
                watched("quiet", 1, 7, 0.0),
                watched("loud", 2, 3, 40.04),
                watched("loud", 2, 2, 39.0),
                watched("calm", 2, 4, 1.0),
            ]
            .into_iter()
        };
        let names = |rows: &[Row]| -> Vec<_> { rows.iter().filter_map(|row| row.room.clone()).collect() };
        let by_viewers = page(watched(), By::Viewers, 2, 0);
        assert_eq!(names(&by_viewers.rooms), ["quiet", "loud"]);
        assert_eq!((by_viewers.rooms[1].viewers, by_viewers.rooms[1].messages_per_second), (5, 40.0));
        let partitions: Vec<_> =
            by_viewers.partitions.iter().map(|row| (row.partition, row.rooms, row.viewers)).collect();
        assert_eq!(partitions, [(2, Some(2), 9), (1, Some(1), 7)]);
        let by_messages = page(watched(), By::Messages, 3, 0);
        assert_eq!(names(&by_messages.rooms), ["loud", "calm", "quiet"]);
    }

    #[test]
    fn what_is_asked() {
        let query = |pairs: &[(&str, &str)]| -> Query {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        for (pairs, expected) in [
            (&[][..], Some((By::Viewers, 20))),
            (&[("by", "messages"), ("top", "3")], Some((By::Messages, 3))),
            (&[("top", "1001")], None),
            (&[("top", "0")], None),
            (&[("by", "name")], None),
            (&[("room", "demo")], None),
        ] {
            assert_eq!(asked(&query(pairs)), expected, "{pairs:?}");
        }
    }
}
