//! `GET /v1/rooms/{room}/where`: the nodes on which a room is best watched. Watching it elsewhere works as well.

use chassis::http::{Refusal, Response, json};
use hyper::{Method, Request, StatusCode};
use proto::{RoomId, partition};
use serde_json::json;

use super::{for_page, refusals, room_named};
use crate::{hall::Hall, metrics, nodes};

/// The room's name as it stands in the path.
pub(super) fn raw_room(path: &str) -> Option<&str> {
    path.strip_prefix("/v1/rooms/")?.strip_suffix("/where")
}

impl Hall {
    /// Which nodes to connect to, the best first.
    pub(crate) fn tell_where<B>(&self, request: &Request<B>) -> Response {
        match self.room_asked_about(request) {
            Ok(room) => {
                let mut response = self.whereabouts(&room);
                for_page(&mut response, request.headers());
                response
            }
            Err(refusal) => {
                metrics::refused(refusal.status.as_u16(), refusal.code);
                refusals::answer(refusal, &Method::GET)
            }
        }
    }

    fn room_asked_about<B>(&self, request: &Request<B>) -> Result<RoomId, Refusal> {
        if request.method() != Method::GET {
            return Err(refusals::method_not_allowed("where a room is watched is asked with GET"));
        }
        self.page_may_speak(request.headers())?;
        room_named(raw_room(request.uri().path()).unwrap_or_default())
    }

    fn whereabouts(&self, room: &RoomId) -> Response {
        let partition = partition::of(room.as_str().as_bytes(), self.house.partitions() as i32);
        let peers = match &self.nodes {
            Some(nodes) => nodes.place(partition, self.house.presence.watching(room)),
            None => vec![nodes::alone(&self.house)],
        };
        let told: Vec<_> = peers.iter().map(|peer| json!({ "address": peer.address, "node": peer.node })).collect();
        json(StatusCode::OK, &json!({ "room": room.as_str(), "partition": partition, "nodes": told }))
    }
}

#[cfg(test)]
mod tests {
    use super::raw_room;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("/v1/rooms/demo/where", Some("demo")),
            ("/v1/rooms/a/b/where", Some("a/b")),
            ("/v1/rooms/demo/live", None),
            ("/v1/rooms/where", None),
        ] {
            assert_eq!(raw_room(path), expected, "{path}");
        }
    }
}
