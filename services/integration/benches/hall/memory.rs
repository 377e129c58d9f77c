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

/// After this a hall holds as much history as it ever will.
const WARM_UP: Duration = Duration::from_secs(90);

/// All three.
pub(crate) fn run(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    idle(bench)?;
    stalled(bench, feed)?;
    long(bench, feed)
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
fn long(bench: &mut Bench, feed: &mut Feed) -> anyhow::Result<()> {
    let node = bench.hall(&[])?;
    let (rooms, address) = (bench.rooms[..2].to_vec(), node.address());
    let mut readers = Crowd::enter(&Door { address, rooms: rooms.clone(), is_hall: true }, 500, &[])?;
    let minutes = Duration::from_secs(60 * bench.stall_minutes);
    let began = Instant::now();
    let (mut warm, mut most) = (0, 0);
    let result = thread::scope(|scope| {
        let feeding = scope.spawn(|| feed.run(&rooms, A_SECOND, WARM_UP + minutes));
        while began.elapsed() < WARM_UP + minutes {
            let stalled = stall(address, &rooms[0])?;
            // Blocked over 15 s: closed.
            readers.listen(Duration::from_secs(20), &mut [], |_| false)?;
            drop(stalled);
            let now = probe::memory(node.pid())?;
            println!("    {:3} s: {:.1} MB, load {}", began.elapsed().as_secs(), now as f64 / 1e6, probe::load());
            if began.elapsed() < WARM_UP {
                warm = warm.max(now);
            } else {
                most = most.max(now);
            }
        }
        feeding.join().map_err(|_| anyhow::anyhow!("whoever spoke has failed"))?
    });
    result?;
    bench.figure(Figure {
        name: format!("memory after {} minutes of stalls, percent above the first 90 s", bench.stall_minutes),
        value: (most as f64 / warm as f64 - 1.0) * 100.0,
        at_least: None,
        at_most: Some(2.0),
    });
    Ok(())
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
