//! Ten rooms of 960 viewers at an even pace, from Kafka to every socket: what a delivery costs, and how long it takes;
//! beside it, in turns, the least that a coalescing hall can cost.

use std::{thread, time::Duration};

use anyhow::Context as _;
use integration::Node;

use crate::{
    bench::{Bench, Figure, VIEWERS, median},
    crowd::{Crowd, Door},
    ears::Tally,
    feed::Feed,
    probe,
    servant::Servant,
};

/// One play each of hall and floor is a round.
const PLAY: Duration = Duration::from_secs(10);

/// How long the last messages may take.
const TAIL: Duration = Duration::from_secs(15);

struct Case {
    a_second: u32,
    window_ms: u32,
    /// Deliveries per CPU-second.
    at_least: f64,
    /// What the 99th of a hundred messages may take, in milliseconds.
    at_most_ms: Option<usize>,
}

const CASES: [Case; 3] = [
    Case { a_second: 50, window_ms: 250, at_least: 1.1e6, at_most_ms: Some(320) },
    Case { a_second: 50, window_ms: 400, at_least: 1.6e6, at_most_ms: None },
    Case { a_second: 250, window_ms: 250, at_least: 4.0e6, at_most_ms: None },
];

/// What one play came to.
struct Played {
    per_cpu_second: f64,
    p99: usize,
}

/// All cases.
pub(crate) fn run(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    // The broker's own compiler is busy at first, and whatever waits for it spins.
    feed.run(&bench.rooms, 250, Duration::from_secs(20))?;
    CASES.iter().try_for_each(|case| one(bench, feed, case))
}

fn one(bench: &mut Bench, feed: &mut Feed, case: &Case) -> anyhow::Result<()> {
    let Case { a_second, window_ms, .. } = *case;
    let node = bench.hall(&["--window", &format!("{window_ms}ms"), "--window-max", &format!("{window_ms}ms")])?;
    let rooms = bench.rooms.clone();
    let mut hall = Crowd::enter(&Door { address: node.address(), rooms: rooms.clone(), is_hall: true }, VIEWERS, &[])?;
    let words = ["floor".to_owned(), rooms.len().to_string(), a_second.to_string(), window_ms.to_string()];
    let mut floor = Servant::start(&words)?;
    let mut bare = Crowd::enter(&Door { address: floor.address, rooms: rooms.clone(), is_hall: false }, VIEWERS, &[])?;

    let (mut halls, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds {
        let pid = floor.pid();
        let floor_plays = || {
            floor.tell(&PLAY.as_millis().to_string())?;
            Ok(floor.answer()?.parse()?)
        };
        floors.push(play("floor", [&mut bare, &mut hall], pid, case, floor_plays)?);
        let played = play("hall", [&mut hall, &mut bare], node.pid(), case, || feed.run(&rooms, a_second, PLAY));
        halls.push(played.with_context(|| counted(bench, &node))?);
    }
    report(bench, case, &halls, &floors);
    Ok(())
}

/// What the hall says of itself, for the one who wonders where a message was left.
fn counted(bench: &Bench, node: &Node) -> String {
    let metrics = bench.runtime.block_on(node.metrics());
    let sum = |noun: &str| format!("{noun} {}", metrics.sum(&format!("danmaku_fanout_{noun}_total")));
    let sums = ["records", "repeated", "passed_over", "frames", "writes", "delivered"].map(sum).join(", ");
    format!("{sums}, dropped {:?}", metrics.by("danmaku_fanout_dropped_total", "reason"))
}

/// Lets a server play and its crowd listen, until every viewer has heard everything.
fn play(
    name: &str,
    [crowd, other]: [&mut Crowd; 2],
    pid: u32,
    case: &Case,
    say: impl FnOnce() -> anyhow::Result<u64> + Send,
) -> anyhow::Result<Played> {
    crowd.count_anew();
    let each = u64::from(case.a_second) * PLAY.as_secs();
    let before = probe::cpu(pid)?;
    let (said, in_time) = thread::scope(|scope| {
        let saying = scope.spawn(say);
        let in_time = crowd.listen(PLAY + TAIL, &mut [other], |crowd| crowd.tally.heard >= each * VIEWERS as u64);
        (saying.join(), in_time)
    });
    let cpu = probe::cpu(pid)? - before;
    let said = said.map_err(|_| anyhow::anyhow!("whoever spoke has failed"))??;
    let (least, most) = crowd.range();
    anyhow::ensure!(
        in_time? && (said, least, most, crowd.tally.gaps) == (each, each, each, 0),
        "{name}: {said} of {each} were said in each room; viewers heard {least} to {most}, and {} gaps",
        crowd.tally.gaps
    );
    let Tally { heard, batches, .. } = crowd.tally;
    let played = Played { per_cpu_second: heard as f64 / cpu.as_secs_f64(), p99: crowd.tally.percentile(99) };
    println!(
        "    {name:5} {:5.2} M deliveries per CPU-second, {:.1} a frame, p50 {} ms, p99 {} ms, load {}",
        played.per_cpu_second / 1e6,
        heard as f64 / batches as f64,
        crowd.tally.percentile(50),
        played.p99,
        probe::load()
    );
    Ok(played)
}

fn report(bench: &mut Bench, case: &Case, halls: &[Played], floors: &[Played]) {
    let named = format!("{} msg/s a room, window {} ms", case.a_second, case.window_ms);
    let of = |played: &[Played]| median(played.iter().map(|played| played.per_cpu_second));
    bench.figure(Figure {
        name: format!("{named}: million deliveries per CPU-second"),
        value: of(halls) / 1e6,
        at_least: Some(case.at_least / 1e6),
        at_most: None,
    });
    bench.figure(Figure {
        name: format!("{named}: times the bare loop's cost"),
        value: median(halls.iter().zip(floors).map(|(hall, floor)| floor.per_cpu_second / hall.per_cpu_second)),
        at_least: None,
        at_most: case.at_most_ms.map(|_| 1.15),
    });
    bench.figure(Figure {
        name: format!("{named}: p99 from before Kafka to the socket, ms"),
        value: median(halls.iter().map(|played| played.p99 as f64)),
        at_least: None,
        at_most: case.at_most_ms.map(|ms| ms as f64),
    });
}
