//! What a viewer keeps on the hall: one who is idle, one who never reads, and a long time of such.

use std::{
    io::Write as _,
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use socket2::{Domain, Socket, Type};

use crate::{
    bench::{Bench, Figure, VIEWERS},
    crowd::{Crowd, Door},
    feed::Feed,
    probe,
};

/// How many never read.
const STALLED: usize = 500;

/// Small, so that it is full soon.
const STALLED_RECEIVE_BYTES: usize = 8 * 1024;

/// A dense room fills a stalled viewer's buffers in 2 s.
const A_SECOND: u32 = 250;

/// How much history a hall keeps: after as long it holds as much as it ever will.
const HISTORY: Duration = Duration::from_secs(75);

/// In the first 75 s the history fills, in the next all of it is replaced once and the allocator's free pieces get their
/// places, and from then on memory is to be flat. What the third 75 s take is what the stalls are compared with.
const WARM_UP: Duration = Duration::from_secs(3 * 75);

/// A viewer who takes nothing is closed after 15 s, and gone 5 s later at the latest.
const ROUND_SECS: usize = 20;

/// What one viewer keeps.
pub(crate) fn run(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    idle(bench)?;
    stalled(bench, feed)
}

fn idle(bench: &mut Bench) -> anyhow::Result<()> {
    let node = bench.hall(&[])?;
    let door = Door { address: node.address(), rooms: bench.rooms.clone(), is_hall: true };
    // The first of each room: what a room keeps is not a viewer's.
    let first = Crowd::enter(&door, bench.rooms.len(), &[])?;
    let before = probe::memory(node.pid())?;
    let mut crowd = Crowd::enter(&door, VIEWERS, &[])?;
    crowd.listen(Duration::from_secs(2), &mut [], |_| false)?;
    let bytes = (probe::memory(node.pid())? - before) as f64 / VIEWERS as f64;
    drop(first);
    bench.figure(kilobytes("user memory of an idle viewer", bytes, Some(3.0)));
    Ok(())
}

fn stalled(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    let node = bench.hall(&["--blocked-max", "10m"])?;
    let (room, address) = (&bench.rooms[..1], node.address());
    let door = Door { address, rooms: room.to_vec(), is_hall: true };
    let reader = Crowd::enter(&door, 1, &[])?;
    feed.run(room, A_SECOND, Duration::from_secs(10))?;
    let before = probe::memory(node.pid())?;
    let stalled = stall(address, &room[0])?;
    feed.run(room, A_SECOND, Duration::from_secs(10))?;
    let (kernel, sockets) = probe::socket_memory(address.port())?;
    // The history of the second ten seconds is in it, and nothing is taken away for that.
    let user = probe::memory(node.pid())?.saturating_sub(before) as f64 / STALLED as f64;
    anyhow::ensure!(sockets > STALLED, "{sockets} sockets of {STALLED} stalled viewers and one that reads");
    drop((stalled, reader));
    let kernel = kernel as f64 / sockets as f64;
    bench.figure(kilobytes("user memory of one that never reads", user, None));
    bench.figure(kilobytes("user and socket memory of one that never reads", user + kernel, Some(64.0)));
    Ok(())
}

/// Stalled viewers come, are closed, and come again, while others read.
pub(crate) fn stalls(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    let node = bench.hall(&[])?;
    let (rooms, address) = (bench.rooms[..2].to_vec(), node.address());
    let mut readers = Crowd::enter(&Door { address, rooms: rooms.clone(), is_hall: true }, 500, &[])?;
    let length = WARM_UP + Duration::from_secs(60 * bench.stall_minutes);
    let (began, mut peaks) = (Instant::now(), Peaks { minutes: bench.stall_minutes, ..Peaks::default() });
    feed.longest();
    thread::scope(|scope| {
        let feeding = scope.spawn(|| feed.run(&rooms, A_SECOND, length));
        while began.elapsed() < length && !feeding.is_finished() {
            let stalled = stall(address, &rooms[0])?;
            for _ in 0..ROUND_SECS {
                readers.listen(Duration::from_secs(1), &mut [], |_| false)?;
                peaks.see(began.elapsed(), probe::memory(node.pid())?);
            }
            drop(stalled);
            peaks.tell(began.elapsed());
        }
        feeding.join().map_err(|_| anyhow::anyhow!("whoever spoke has failed"))?
    })?;
    peaks.report(bench, feed.longest());
    Ok(())
}

/// The most memory, while everything reaches its bound and afterwards.
#[derive(Default)]
struct Peaks {
    warm: u64,
    most: u64,
    round: u64,
    minutes: u64,
}

impl Peaks {
    fn see(&mut self, elapsed: Duration, bytes: u64) {
        self.round = self.round.max(bytes);
        if elapsed >= WARM_UP {
            self.most = self.most.max(bytes);
        } else if elapsed >= WARM_UP - HISTORY {
            self.warm = self.warm.max(bytes);
        }
    }

    /// The figures. What Kafka withholds for long comes all at once and stands in one history, which so takes more.
    fn report(&self, bench: &mut Bench, longest: Duration) {
        let mut figure = |name: String, value, at_most| bench.figure(Figure { name, value, at_least: None, at_most });
        figure("longest that Kafka took for a record of the stalls, s".to_owned(), longest.as_secs_f64(), None);
        figure("memory in the 75 s before, MB at most".to_owned(), self.warm as f64 / 1e6, None);
        let percent = (self.most as f64 / self.warm as f64 - 1.0) * 100.0;
        figure(format!("memory in {} minutes of stalls, percent above that", self.minutes), percent, Some(2.0));
    }

    /// Says the most of a round.
    fn tell(&mut self, elapsed: Duration) {
        let most = std::mem::take(&mut self.round) as f64 / 1e6;
        println!("    {:3} s: {most:.1} MB at most, load {}", elapsed.as_secs(), probe::load());
    }
}

/// Viewers who ask to watch and never read a byte.
fn stall(address: SocketAddr, room: &str) -> anyhow::Result<Vec<TcpStream>> {
    let one = || {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_recv_buffer_size(STALLED_RECEIVE_BYTES)?;
        socket.connect(&address.into())?;
        let mut stream = TcpStream::from(socket);
        write!(
            stream,
            "GET /v1/rooms/{room}/live HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )?;
        Ok(stream)
    };
    (0..STALLED).map(|_| one()).collect()
}

fn kilobytes(name: &str, bytes: f64, at_most: Option<f64>) -> Figure {
    Figure { name: format!("{name}, KB"), value: bytes / 1000.0, at_least: None, at_most }
}
