//! How long danmaku took from stamp to stamp in the last seconds, for the page: quantiles out of this process's own
//! histograms. Nothing is measured here, and the operator's page of all metrics is the admin port's.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use chassis::{
    http::{self, Response},
    telemetry::Telemetry,
};
use hyper::StatusCode;
use serde::Serialize;

/// The stamps behind the accepted one, in the river's order: each histogram tells the time since the one before.
const HOPS: [&str; 4] = ["appended", "judged", "encoded", "written"];

/// What the quantiles are of: long enough that a quiet room has some messages in it, short enough to see a change.
const WINDOW: Duration = Duration::from_secs(10);

/// Looks nearer together than this share one base, however many pages ask: 11 are kept, of 4 × 17 numbers each, 12 KiB.
const APART: Duration = Duration::from_secs(1);

/// The hops of this process, as they were when somebody last looked.
pub struct Hops {
    telemetry: Telemetry,
    looks: Mutex<Looks>,
}

impl Hops {
    /// Reads what `telemetry` has recorded.
    pub fn new(telemetry: Telemetry) -> Self {
        Self { telemetry, looks: Mutex::default() }
    }

    /// Answers `GET /dev/hops`, to whom the caller has let in.
    pub fn answer(&self) -> Response {
        let now = read(&self.telemetry.render());
        let seen = self.looks.lock().unwrap_or_else(PoisonError::into_inner).look(now, Instant::now());
        http::json(StatusCode::OK, &seen)
    }
}

/// What a look shows.
#[derive(Debug, PartialEq, Serialize)]
struct Seen {
    /// The time looked back over; absent when nobody looked lately, and the numbers are since the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    over_ms: Option<u64>,
    hops: Vec<Hop>,
}

/// One hop. A quantile of nothing is none.
#[derive(Debug, PartialEq, Serialize)]
struct Hop {
    hop: &'static str,
    count: u64,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
}

/// The looks of the last [`WINDOW`], oldest first.
#[derive(Default)]
struct Looks {
    kept: VecDeque<(Instant, [Buckets; HOPS.len()])>,
}

impl Looks {
    /// What came since the oldest look that is kept.
    fn look(&mut self, read: [Buckets; HOPS.len()], now: Instant) -> Seen {
        while self.kept.front().is_some_and(|(at, _)| now.saturating_duration_since(*at) > WINDOW) {
            self.kept.pop_front();
        }
        let base = self.kept.front();
        let over_ms = base.map(|(at, _)| now.saturating_duration_since(*at).as_millis() as u64);
        let hops = HOPS.iter().zip(&read).enumerate().map(|(place, (hop, all))| {
            let fresh = base.map_or_else(|| all.clone(), |(_, then)| all.since(&then[place]));
            Hop { hop, count: fresh.count(), p50_ms: fresh.quantile_ms(0.5), p99_ms: fresh.quantile_ms(0.99) }
        });
        let seen = Seen { over_ms, hops: hops.collect() };
        if self.kept.back().is_none_or(|(at, _)| now.saturating_duration_since(*at) >= APART) {
            self.kept.push_back((now, read));
        }
        seen
    }
}

/// A histogram: how many samples were at most so many seconds, by rising bounds, the last of which is infinite.
#[derive(Debug, Clone, Default, PartialEq)]
struct Buckets(Vec<(f64, u64)>);

impl Buckets {
    fn count(&self) -> u64 {
        self.0.last().map_or(0, |(_, below)| *below)
    }

    /// What was added since `then`.
    fn since(&self, then: &Buckets) -> Buckets {
        let before = |bound: f64| then.0.iter().find(|(known, _)| *known == bound).map_or(0, |(_, below)| *below);
        Buckets(self.0.iter().map(|(bound, below)| (*bound, below.saturating_sub(before(*bound)))).collect())
    }

    /// As Prometheus' `histogram_quantile`: samples lie evenly in their bucket, those beyond the last bound lie on it.
    fn quantile_ms(&self, quantile: f64) -> Option<f64> {
        let rank = quantile * self.count() as f64;
        let place = self.0.iter().position(|(_, below)| *below > 0 && *below as f64 >= rank)?;
        let (from, before) = place.checked_sub(1).map_or((0.0, 0), |place| self.0[place]);
        let (to, below) = self.0[place];
        let seconds = match to.is_finite() {
            true => from + (to - from) * (rank - before as f64) / (below - before) as f64,
            false => from,
        };
        // To a hundredth of a millisecond: the buckets tell no more.
        Some((seconds * 100_000.0).round() / 100.0)
    }
}

/// The hops' buckets in a page of Prometheus' text format; other labels are added up.
fn read(page: &str) -> [Buckets; HOPS.len()] {
    let mut hops: [Buckets; HOPS.len()] = Default::default();
    for line in page.lines() {
        let Some((labels, value)) = line.strip_prefix("danmaku_hop_seconds_bucket{").and_then(|l| l.split_once("} "))
        else {
            continue;
        };
        let label = |name: &str| {
            let mut pairs = labels.split(',').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value.trim_matches('"'))
        };
        let place = label("hop").and_then(|hop| HOPS.iter().position(|known| *known == hop));
        let bound = label("le").and_then(|bound| bound.parse().ok());
        let (Some(place), Some(bound), Ok(below)) = (place, bound, value.trim().parse()) else { continue };
        hops[place].add(bound, below);
    }
    hops
}

impl Buckets {
    fn add(&mut self, bound: f64, below: u64) {
        let place = self.0.partition_point(|(known, _)| *known < bound);
        match self.0.get_mut(place) {
            Some((known, sum)) if *known == bound => *sum += below,
            _ => self.0.insert(place, (bound, below)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn quantiles_lie_within_their_bucket() {
        for (buckets, quantile, expected) in [
            (vec![], 0.5, None),
            (vec![(0.001, 0), (INF, 0)], 0.5, None),
            (vec![(0.001, 10), (INF, 10)], 0.5, Some(0.5)),
            (vec![(0.001, 0), (0.002, 10), (INF, 10)], 0.5, Some(1.5)),
            (vec![(0.001, 50), (0.002, 50), (0.010, 100), (INF, 100)], 0.5, Some(1.0)),
            (vec![(0.001, 50), (0.002, 50), (0.010, 100), (INF, 100)], 0.75, Some(6.0)),
            (vec![(0.001, 90), (0.01, 100), (INF, 100)], 0.99, Some(9.1)),
            (vec![(0.001, 1), (30.0, 1), (INF, 100)], 0.99, Some(30_000.0)),
        ] {
            assert_eq!(Buckets(buckets.clone()).quantile_ms(quantile), expected, "{buckets:?} {quantile}");
        }
    }

    #[test]
    fn hops_are_read_out_of_a_page_of_metrics() {
        let page = "# TYPE danmaku_hop_seconds histogram\n\
                    danmaku_hop_seconds_bucket{hop=\"written\",le=\"0.001\"} 3\n\
                    danmaku_hop_seconds_bucket{hop=\"written\",le=\"+Inf\"} 4\n\
                    danmaku_hop_seconds_bucket{shard=\"1\",hop=\"written\",le=\"+Inf\"} 2\n\
                    danmaku_hop_seconds_bucket{hop=\"a later one\",le=\"+Inf\"} 9\n\
                    danmaku_hop_seconds_bucket{hop=\"judged\",le=\"x\"} 9\n\
                    danmaku_hop_seconds_sum{hop=\"written\"} 0.2\n\
                    danmaku_other_seconds_bucket{hop=\"judged\",le=\"+Inf\"} 7\n";
        let [appended, judged, encoded, written] = read(page);
        assert_eq!(written, Buckets(vec![(0.001, 3), (INF, 6)]));
        for nothing in [appended, judged, encoded] {
            assert_eq!(nothing, Buckets::default());
        }
    }

    #[test]
    fn the_recorder_writes_what_is_read_here() {
        let telemetry = chassis::telemetry::install(chassis::settings::LogFormat::Text).unwrap();
        metrics::histogram!("danmaku_hop_seconds", "hop" => "judged").record(0.004);
        let [_, judged, ..] = read(&telemetry.render());
        assert_eq!(judged.count(), 1);
        assert!(judged.quantile_ms(0.5).is_some_and(|middle| middle > 2.5 && middle <= 5.0), "{judged:?}");
    }

    #[test]
    fn a_look_is_over_the_last_seconds() {
        let start = Instant::now();
        let mut looks = Looks::default();
        let mut look = |at_ms: u64, appended: u64| {
            let mut read: [Buckets; 4] = Default::default();
            read[0] = Buckets(vec![(0.001, appended), (INF, appended)]);
            let seen = looks.look(read, start + Duration::from_millis(at_ms));
            assert!(looks.kept.len() <= 11, "{}", looks.kept.len());
            (seen.over_ms, seen.hops[0].count)
        };
        assert_eq!(look(0, 100), (None, 100), "since the start");
        assert_eq!(look(2_000, 110), (Some(2_000), 10));
        assert_eq!(look(2_100, 111), (Some(2_100), 11));
        assert_eq!(look(10_000, 150), (Some(10_000), 50));
        assert_eq!(look(10_500, 150), (Some(8_500), 40), "the first look is too old");
        assert_eq!(look(60_000, 900), (None, 900), "nobody had looked");
        for turn in 0..100 {
            look(60_000 + 100 * turn, 900);
        }
    }
}
