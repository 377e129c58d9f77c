//! Everybody comes at once: what that costs, beside a plain server; and everybody comes back after the hall was killed.

use std::time::{Duration, Instant};

use crate::{
    bench::{Bench, Figure, VIEWERS, median},
    crowd::{Crowd, Door},
    feed::Feed,
    probe,
    servant::Servant,
};

/// Both.
pub(crate) fn run(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    enter(bench)?;
    come_back(bench, feed)
}

fn enter(bench: &mut Bench) -> anyhow::Result<()> {
    let (mut halls, mut plains) = (Vec::new(), Vec::new());
    for round in 0..bench.rounds {
        let plain = Servant::start(&["plain".to_owned()])?;
        plains.push(cost(&door(bench, plain.address, false), plain.pid())?);
        let node = bench.hall(&[])?;
        halls.push(cost(&door(bench, node.address(), true), node.pid())?);
        println!(
            "    round {round} plain {:.2} s, hall {:.2} s of CPU, load {}",
            plains[round],
            halls[round],
            probe::load()
        );
    }
    let figure = |name: &str, value, at_most| {
        let name = format!("{name}: CPU seconds for {VIEWERS} viewers to connect");
        Figure { name, value, at_least: None, at_most }
    };
    bench.figure(figure("hall", median(halls.into_iter()), Some(1.0)));
    bench.figure(figure("plain fastwebsockets server", median(plains.into_iter()), None));
    Ok(())
}

fn door(bench: &Bench, address: std::net::SocketAddr, is_hall: bool) -> Door {
    Door { address, rooms: bench.rooms.clone(), is_hall }
}

/// CPU seconds until all are in.
fn cost(door: &Door, pid: u32) -> anyhow::Result<f64> {
    // One viewer first: what is made once is not the crowd's.
    let first = Crowd::enter(door, 1, &[])?;
    let before = probe::cpu(pid)?;
    Crowd::enter(door, VIEWERS, &[])?;
    drop(first);
    Ok((probe::cpu(pid)? - before).as_secs_f64())
}

/// Kills the hall under its viewers, lets the rooms go on, and starts it again at the same address.
fn come_back(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    let node = bench.hall(&[])?;
    let door = door(bench, node.address(), true);
    let mut crowd = Crowd::enter(&door, VIEWERS, &[])?;
    let each = feed.run(&bench.rooms, 5, Duration::from_secs(2))?;
    let all = |crowd: &Crowd| crowd.tally.heard == each * VIEWERS as u64;
    anyhow::ensure!(crowd.listen(Duration::from_secs(10), &mut [], all)?, "not everybody heard everything");
    let cursors = crowd.cursors();

    let killed = Instant::now();
    node.kill();
    drop(crowd);
    feed.run(&bench.rooms, 5, Duration::from_millis(200))?;
    let node = bench.hall(&["--listen", &door.address.to_string()])?;
    let ready = Instant::now();
    let crowd = Crowd::enter(&door, VIEWERS, &cursors)?;
    let (since_killed, since_ready) = (killed.elapsed(), ready.elapsed());
    anyhow::ensure!(
        crowd.tally.recovered == VIEWERS as u64,
        "{} of {VIEWERS} missed nothing, and {} gaps were told",
        crowd.tally.recovered,
        crowd.tally.gaps
    );
    drop(node);
    let figure = |name: &str, value: Duration, at_most| Figure {
        name: name.to_owned(),
        value: value.as_secs_f64(),
        at_least: None,
        at_most,
    };
    bench.figure(figure("all have resumed: seconds after the hall was killed", since_killed, Some(5.0)));
    bench.figure(figure("all have resumed: seconds after it was ready again", since_ready, None));
    Ok(())
}
