//! One replay from the file to the report: gather, rehearse, send, settle, add up.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

use crate::config::{Fault, Replay};
use crate::door::Door;
use crate::file::{self, Recording};
use crate::part::Part;
use crate::process;
use crate::progress::Progress;
use crate::report::{Asked, Report};
use crate::schedule::{self, Manner, Schedule};
use crate::senders::{Senders, Tally};
use crate::server::Server;
use crate::viewers::{Seating, Viewers};

/// When nothing changes for this long, nothing will any more.
pub(crate) const STILL_FOR: Duration = Duration::from_secs(15);

/// Between two looks at both sides.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Files that are open besides viewers and requests.
const OTHER_FILES: u64 = 64;

/// Viewers a room, if nobody says.
const VIEWERS_A_ROOM: u32 = 10;

/// Replays a file as it was asked for.
///
/// # Errors
/// When the file cannot be read or the server cannot be played to. Books that do not balance are a report, not an error.
pub async fn run(replay: &Replay, interrupted: impl Future<Output = ()>) -> anyhow::Result<Report> {
    let viewers = replay.viewers.unwrap_or(replay.rooms * VIEWERS_A_ROOM);
    ensure!(
        viewers >= replay.rooms,
        "--viewers {viewers} is below --rooms {}: each room needs one who counts",
        replay.rooms
    );
    enough_files(u64::from(viewers))?;
    let recording = file::read(&replay.file)?;
    let seed = replay.seed.unwrap_or_else(rand::random);
    let manner = Manner {
        speed: replay.speed,
        rooms: replay.rooms as usize,
        duration_max: replay.duration,
        seed: u64::from(seed),
    };
    let schedule = schedule::lay(&recording.lines, manner);
    let asked = Asked::new(replay, &recording, &schedule, viewers, seed);
    asked.announce();
    tokio::pin!(interrupted);
    // Who is interrupted while something starts lets it go: a child ends with its value, a Kafka with this program.
    let mut server = tokio::select! {
        server = Server::stand(&replay.against) => server?,
        () = &mut interrupted => bail!("interrupted"),
    };
    let (outcome, look_at_log) = tokio::select! {
        outcome = play(&mut server, asked, recording, &schedule) => {
            let well = outcome.as_ref().is_ok_and(Report::is_balanced);
            (outcome, !well)
        }
        () = &mut interrupted => (Err(anyhow::anyhow!("interrupted")), false),
    };
    server.leave(look_at_log).await;
    outcome
}

fn enough_files(viewers: u64) -> anyhow::Result<()> {
    let needed = viewers + crate::senders::IN_FLIGHT_MAX as u64 + OTHER_FILES;
    match process::open_files_max() {
        Some(most) if most < needed => {
            bail!(
                "{viewers} viewers need {needed} open files and {most} are allowed: ulimit -n {needed}, or fewer --viewers"
            )
        }
        _ => Ok(()),
    }
}

async fn play(server: &mut Server, asked: Asked, recording: Recording, schedule: &Schedule) -> anyhow::Result<Report> {
    let senders = gather(server, &asked, recording).await?;
    senders.probe().await;
    await_probe(&senders.viewers, &asked, &senders.take_tally()).await?;
    let beginning = schedule.cues.partition_point(|cue| cue.at.as_secs_f64() < asked.warm_secs);
    if beginning > 0 {
        let rehearsal = Part { name: "warm-up", cast: "warm-", cues: &schedule.cues[..beginning], forget_one: false };
        let rehearsed = rehearsal.play(server, &senders).await?;
        // What is lost before anybody measures is lost.
        if !rehearsed.books.broken().is_empty() {
            eprintln!("the books of the warm-up do not balance; nothing else was played, and this is its report");
            return Ok(Report::new(asked, &rehearsed));
        }
    }
    let forget_one = asked.fault == Some(Fault::DropOne);
    let part = Part { name: "sending", cast: "", cues: &schedule.cues, forget_one };
    let measured = part.play(server, &senders).await?;
    Ok(Report::new(asked, &measured))
}

/// Brings the viewers in and makes the senders.
async fn gather(server: &mut Server, asked: &Asked, recording: Recording) -> anyhow::Result<Arc<Senders>> {
    let pass = server.pass.take().context("a server without a key")?;
    let rooms: Vec<_> = (0..asked.rooms).map(|number| format!("load-{:08x}-{number}", asked.seed)).collect();
    let tokens = (0..asked.viewers).map(|number| pass.mint(&format!("viewer-{number}")));
    let seating =
        Seating { address: server.public, rooms: rooms.clone(), tokens: tokens.collect::<anyhow::Result<_>>()? };
    let viewers = Arc::new(Viewers::gather(seating)?);
    await_joined(server, &viewers, u64::from(asked.viewers)).await?;
    Ok(Arc::new(Senders {
        door: Door::new(server.public),
        pass,
        viewers,
        lines: recording.lines,
        rooms,
        run: format!("{:08x}", rand::random::<u32>()),
        tally: Default::default(),
        begun: AtomicU64::new(0),
    }))
}

async fn await_joined(server: &mut Server, viewers: &Viewers, count: u64) -> anyhow::Result<()> {
    let mut progress = Progress::begin("joining", count);
    loop {
        server.check()?;
        let sight = viewers.look().await?;
        let all = || sight.rooms.iter().flat_map(|room| &room.viewers);
        if let Some(why) = all().find_map(|viewer| viewer.left.as_ref()) {
            bail!("a viewer could not join: {why}");
        }
        let joined = all().filter(|viewer| viewer.joined).count() as u64;
        if joined == count {
            return Ok(());
        }
        progress.tell(joined, String::new);
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Waits until every viewer has seen its room's first word, as history or live: so it is in.
async fn await_probe(viewers: &Viewers, asked: &Asked, tally: &Tally) -> anyhow::Result<()> {
    ensure!(tally.accepted == u64::from(asked.rooms), "{} rooms were not spoken to: {tally}", asked.rooms);
    let began = Instant::now();
    loop {
        let sight = viewers.look().await?;
        let all = sight.rooms.iter().flat_map(|room| &room.viewers);
        let missing = all.filter(|viewer| viewer.claim() + viewer.replay == 0).count();
        if missing == 0 {
            return Ok(());
        }
        ensure!(began.elapsed() < STILL_FOR, "{missing} viewers have not seen the first word of their room after 15 s");
        tokio::time::sleep(LOOK_EVERY / 5).await;
    }
}
