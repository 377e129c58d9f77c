//! How viewers come to us and part from us, by labels of small closed sets.

use metrics::{Counter, counter};
use proto::close::Close;

use crate::admission::Cap;

/// Counts a viewer that went; `None` is a connection that was lost.
pub(crate) fn closed(close: Option<Close>) {
    closes(close).increment(1);
}

/// The code of a connection that was lost is the one that a browser gives it.
fn closes(close: Option<Close>) -> Counter {
    let (code, reason) = close.map_or((1006, "lost"), |close| (close.code(), close.word()));
    let initiator = match close {
        None => "network",
        Some(Close::Normal) => "client",
        Some(_) => "server",
    };
    counter!("danmaku_fanout_closed_total", "code" => code.to_string(), "reason" => reason, "initiator" => initiator)
}

/// Counts an answered join: whether all was there that was asked for; `None` asked for nothing.
pub(crate) fn joined(recovered: Option<bool>) {
    joins(recovered).increment(1);
}

fn joins(recovered: Option<bool>) -> Counter {
    let outcome = match recovered {
        None => "fresh",
        Some(true) => "recovered",
        Some(false) => "with_gap",
    };
    counter!("danmaku_fanout_joins_total", "outcome" => outcome)
}

/// Counts somebody for whom there was no room, by what is full.
pub(crate) fn full(cap: &'static str) {
    fulls(cap).increment(1);
}

fn fulls(cap: &'static str) -> Counter {
    counter!("danmaku_fanout_full_total", "cap" => cap)
}

/// Counts a handshake that was refused, by its status and code; on the goim wire by those of its close.
pub(crate) fn refused(status: u16, reason: &'static str) {
    refusals(status, reason).increment(1);
}

fn refusals(status: u16, reason: &'static str) -> Counter {
    counter!("danmaku_fanout_refused_total", "status" => status.to_string(), "reason" => reason)
}

/// What a handshake may be refused with, as [`refused`] is told.
const REFUSALS: [(u16, &str); 9] = [
    (400, "malformed"),
    (400, "bad_room"),
    (401, "unauthorized"),
    (403, "forbidden"),
    (404, "not_found"),
    (405, "method_not_allowed"),
    (426, "malformed"),
    (503, "full"),
    (503, "unavailable"),
];

/// What may happen is told from the beginning, so that a first one is seen as a rise.
pub(super) fn begin() {
    Close::ALL.into_iter().map(Some).chain([None]).for_each(|close| closes(close).increment(0));
    [None, Some(true), Some(false)].into_iter().for_each(|recovered| joins(recovered).increment(0));
    Cap::ALL.into_iter().for_each(|cap| fulls(cap.word()).increment(0));
    REFUSALS.into_iter().for_each(|(status, reason)| refusals(status, reason).increment(0));
}
