//! A quiet room beside a hot one, on the same shard: how long its few messages take while thousands hear the other.

use std::{thread, time::Duration};

use crate::{
    bench::{Bench, Figure},
    crowd::{Crowd, Door},
    feed::Feed,
    probe,
};

/// Viewers of the hot room and of the quiet one.
const HOT: usize = 9_000;
const QUIET: usize = 100;

/// Messages a second in the hot room; the quiet one has one.
const A_SECOND: usize = 49;

/// Until windows have grown to what the load asks for.
const WARM_UP: Duration = Duration::from_secs(15);

const PLAY: Duration = Duration::from_secs(60);
const TAIL: Duration = Duration::from_secs(10);

/// The longest window, and a slice of writing to others.
const AT_MOST_MS: f64 = 250.0 + 60.0;

pub(crate) fn run(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    let node = bench.hall(&[])?;
    let door = |room: &str| Door { address: node.address(), rooms: vec![room.to_owned()], is_hall: true };
    let mut hot = Crowd::enter(&door("hot"), HOT, &[])?;
    let mut quiet = Crowd::enter(&door("quiet"), QUIET, &[])?;
    // In turns, so one room's many turns are its pace.
    let mut turns = vec!["hot".to_owned(); A_SECOND];
    turns.push("quiet".to_owned());

    for (length, is_warm) in [(WARM_UP, false), (PLAY, true)] {
        hot.count_anew();
        quiet.count_anew();
        let said = thread::scope(|scope| {
            let saying = scope.spawn(|| feed.run(&turns, 1, length));
            let enough = length.as_secs() * QUIET as u64;
            let in_time = quiet.listen(length + TAIL, &mut [&mut hot], |crowd| crowd.tally.heard >= enough)?;
            anyhow::ensure!(in_time, "the quiet room heard {} of {enough}", quiet.tally.heard);
            saying.join().map_err(|_| anyhow::anyhow!("whoever spoke has failed"))?
        })?;
        if is_warm {
            println!(
                "    hot room heard {:.2} M, gaps {}; quiet room {said} messages, p50 {} ms, load {}",
                hot.tally.heard as f64 / 1e6,
                hot.tally.gaps,
                quiet.tally.percentile(50),
                probe::load()
            );
        }
    }
    bench.figure(Figure {
        name: format!("p99 of a quiet room beside a hot one of {HOT} viewers, ms"),
        value: quiet.tally.percentile(99) as f64,
        at_least: None,
        at_most: Some(AT_MOST_MS),
    });
    Ok(())
}
