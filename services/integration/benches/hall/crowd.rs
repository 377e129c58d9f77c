//! Thousands of viewers in one thread. They poll and never sleep in the kernel: on a machine of few cores whoever writes
//! to a sleeping reader pays for waking him, more than for the write itself.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::SocketAddr,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use mio::{Events, Interest, Poll, Token, net::TcpStream};

use crate::ears::{Ears, Stage, Tally};

/// Handshakes under way at a time: more would only wait in the server's backlog.
const HANDSHAKES_MAX: usize = 256;

/// Between two looks at the sockets.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// How often a viewer pings, as `hello` asks him to.
const PING_EVERY: Duration = Duration::from_secs(30);

/// To whom the viewers go.
#[derive(Debug, Clone)]
pub(crate) struct Door {
    pub(crate) address: SocketAddr,
    pub(crate) rooms: Vec<String>,
    /// Whether it says hello, and wants pings.
    pub(crate) is_hall: bool,
}

/// The viewers of one server.
pub(crate) struct Crowd {
    poll: Poll,
    events: Events,
    viewers: Vec<(TcpStream, Ears)>,
    live: usize,
    pub(crate) tally: Tally,
    buffer: Box<[u8]>,
    is_hall: bool,
    next_ping: usize,
    began: Instant,
}

impl Crowd {
    /// So many viewers, spread over the rooms; each comes back to where his cursor says, if he brings one.
    pub(crate) fn enter(door: &Door, count: usize, cursors: &[String]) -> anyhow::Result<Self> {
        let mut crowd = Self {
            poll: Poll::new()?,
            events: Events::with_capacity(4096),
            viewers: Vec::with_capacity(count),
            live: 0,
            tally: Tally::default(),
            buffer: vec![0; 256 * 1024].into(),
            is_hall: door.is_hall,
            next_ping: 0,
            began: Instant::now(),
        };
        let deadline = Instant::now() + Duration::from_secs(120);
        while crowd.live < count {
            while crowd.viewers.len() < count && crowd.viewers.len() - crowd.live < HANDSHAKES_MAX {
                crowd.call(door, cursors)?;
            }
            crowd.look()?;
            // One that asks in a circle would keep Kafka, with which it shares a core, from answering the hall.
            std::thread::sleep(LOOK_EVERY);
            anyhow::ensure!(Instant::now() < deadline, "{} of {count} viewers are in after 120 s", crowd.live);
        }
        crowd.began = Instant::now();
        Ok(crowd)
    }

    fn call(&mut self, door: &Door, cursors: &[String]) -> anyhow::Result<()> {
        let number = self.viewers.len();
        let room = &door.rooms[number % door.rooms.len()];
        let since = cursors.get(number).map(|cursor| format!("?since={cursor}")).unwrap_or_default();
        let stream = std::net::TcpStream::connect(door.address).context("a viewer's socket")?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        write!(
            stream,
            "GET /v1/rooms/{room}/live{since} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            door.address
        )?;
        self.poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
        self.viewers.push((stream, Ears::new(door.is_hall)));
        Ok(())
    }

    /// Reads whatever has come.
    fn look(&mut self) -> anyhow::Result<()> {
        self.poll.poll(&mut self.events, Some(Duration::ZERO))?;
        for event in &self.events {
            let (stream, ears) = &mut self.viewers[event.token().0];
            let was_live = ears.stage == Stage::Live;
            loop {
                let read = match stream.read(&mut self.buffer) {
                    Ok(0) => anyhow::bail!("a viewer was closed"),
                    Ok(read) => read,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error).context("a viewer's socket"),
                };
                ears.hear(&self.buffer[..read], unix_ms(), &mut self.tally)?;
                // Edge-triggered: less than asked for is all there was.
                if read < self.buffer.len() {
                    break;
                }
            }
            self.live += usize::from(!was_live && ears.stage == Stage::Live);
        }
        Ok(())
    }

    /// Looks until `is_enough`, and keeps up the connections of others meanwhile; whether it was in time.
    pub(crate) fn listen(
        &mut self,
        within: Duration,
        others: &mut [&mut Self],
        is_enough: impl Fn(&Self) -> bool,
    ) -> anyhow::Result<bool> {
        let deadline = Instant::now() + within;
        while Instant::now() < deadline {
            self.keep_up()?;
            others.iter_mut().try_for_each(|other| other.keep_up())?;
            if is_enough(self) {
                return Ok(true);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(false)
    }

    fn keep_up(&mut self) -> anyhow::Result<()> {
        self.look()?;
        self.ping();
        Ok(())
    }

    /// Each viewer once in [`PING_EVERY`], evenly.
    fn ping(&mut self) {
        let due = self.began.elapsed().as_secs_f64() / PING_EVERY.as_secs_f64() * self.viewers.len() as f64;
        while self.is_hall && self.next_ping < due as usize {
            let number = self.next_ping % self.viewers.len();
            // A mask of zeros is a valid one.
            let _ = self.viewers[number].0.write_all(b"\x81\x8f\0\0\0\0{\"type\":\"ping\"}");
            self.next_ping += 1;
        }
    }

    /// The fewest and the most messages that any viewer has heard.
    pub(crate) fn range(&self) -> (u64, u64) {
        let heard = || self.viewers.iter().map(|(_, ears)| ears.heard);
        (heard().min().unwrap_or_default(), heard().max().unwrap_or_default())
    }

    /// Where each viewer would come back.
    pub(crate) fn cursors(&self) -> Vec<String> {
        self.viewers.iter().map(|(_, ears)| ears.cursor.clone()).collect()
    }

    /// Begins to count anew.
    pub(crate) fn count_anew(&mut self) {
        self.tally = Tally::default();
        self.viewers.iter_mut().for_each(|(_, ears)| ears.heard = 0);
    }
}

/// Now, as stamps tell it.
pub(crate) fn unix_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}
