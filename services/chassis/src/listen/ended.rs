//! The numbers of a listener: what ended connections that no service was asked about.
//! Kept out: the answers of services, which count their own refusals.

use std::error::Error as _;
use std::io;

/// Why connections end early: a small closed set, for it becomes a label.
const REASONS: [&str; 7] = ["headers_too_large", "malformed", "slow_reader", "slow_headers", "lost", "tls", "not_tls"];

/// Each number with a sentence, and told from the beginning, so that a first one is seen as a rise.
pub(super) fn describe() {
    metrics::describe_counter!(
        "danmaku_http_ended_early_total",
        "Connections that ended otherwise than by an answered request, by what their client did."
    );
    metrics::describe_counter!(
        "danmaku_http_starved_accepts_total",
        "Connections that could not be accepted for want of descriptors or memory."
    );
    metrics::describe_counter!(
        "danmaku_http_turned_away_total",
        "Connections that were told 503 unparsed, because there was no place for them."
    );
    REASONS.into_iter().for_each(|reason| ended_early(reason).increment(0));
    metrics::counter!("danmaku_http_starved_accepts_total").increment(0);
    metrics::counter!("danmaku_http_turned_away_total").increment(0);
    metrics::describe_gauge!(
        "danmaku_http_certificate_ends_seconds",
        "When the certificate of --tls-cert ends, in Unix time; absent without one."
    );
}

/// Notes when the certificate in force ends.
pub(super) fn certificate_ends(unix_seconds: u64) {
    // Exact until far beyond any certificate's end.
    #[allow(clippy::cast_precision_loss)]
    metrics::gauge!("danmaku_http_certificate_ends_seconds").set(unix_seconds as f64);
}

/// Counts a connection that found no place.
pub(super) fn turned_away() {
    metrics::counter!("danmaku_http_turned_away_total").increment(1);
}

/// Counts a connection that ended otherwise than by an answered request.
pub(super) fn early(error: &hyper::Error) {
    early_for(reason(error));
}

/// The same, for a reason of which HTTP knows nothing.
pub(super) fn early_for(reason: &'static str) {
    ended_early(reason).increment(1);
}

fn ended_early(reason: &'static str) -> metrics::Counter {
    metrics::counter!("danmaku_http_ended_early_total", "reason" => reason)
}

/// Counts a failure to accept, for want of descriptors or memory.
pub(super) fn starved() {
    metrics::counter!("danmaku_http_starved_accepts_total").increment(1);
}

/// One of [`REASONS`].
fn reason(error: &hyper::Error) -> &'static str {
    if error.is_parse_too_large() {
        "headers_too_large"
    } else if error.is_parse() {
        "malformed"
    } else if is_stall(error) {
        "slow_reader"
    } else if error.is_timeout() {
        // Also a connection that was kept open and asked nothing more.
        "slow_headers"
    } else {
        "lost"
    }
}

fn is_stall(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}
