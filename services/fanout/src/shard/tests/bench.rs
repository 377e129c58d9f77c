//! What a shard's writing costs beside a raw `send` loop: the same sockets and the same bytes, by turns in one thread, in
//! CPU time of that thread. `make bench-fanout` runs it; the readers are on the other core.

use std::{
    io::{Read as _, Write as _},
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use mio::{Events, Interest, Poll, Token};
use rustix::{
    thread::{CpuSet, sched_setaffinity},
    time::{ClockId, clock_gettime},
};
use socket2::SockRef;

use super::*;
use crate::{socket::Socket, wire::Wire};

/// Alternations of shard and raw loop.
const ROUNDS: usize = 40;

/// The sockets in the hot loop, and messages in a write.
const HOT: [(usize, u64); 4] = [(1_000, 1), (1_000, 25), (5_000, 1), (5_000, 25)];

/// Live: so many rooms of so many viewers, and messages a second in each.
const ROOMS: usize = 5;
const ROOM_VIEWERS: usize = 1_000;
const ROOM_MESSAGES: u32 = 250;

/// How long either writes live before the other does.
const LIVE: Duration = Duration::from_secs(2);

const WINDOW: Duration = Duration::from_millis(100);

/// Keeps this thread on a core.
fn pin(core: usize) {
    let mut cores = CpuSet::new();
    cores.set(core);
    sched_setaffinity(None, &cores).expect("a machine of two cores");
}

/// CPU time of this thread.
fn cpu() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("a clock that has begun")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A rig whose sockets are on a raw loop's list too.
struct Both {
    rig: Rig,
    raw: Vec<std::net::TcpStream>,
    next: u64,
}

impl Both {
    /// `viewers` in each of these rooms, with their own ends of the sockets.
    async fn new(rooms: &[&str], viewers: usize) -> (Self, Vec<std::net::TcpStream>) {
        let config =
            Config { idle: Duration::from_secs(100_000), window: WINDOW, window_max: WINDOW, ..Config::default() };
        let (mut both, mut clients) = (Self { rig: Rig::with(config).await, raw: Vec::new(), next: 10 }, Vec::new());
        for room in rooms.iter().flat_map(|room| std::iter::repeat_n(room, viewers)) {
            clients.push(both.rig.enter(room, Since::Now).await.stream.into_std().unwrap());
            both.rig.turn();
        }
        both.rig.opened(10);
        let dup = |(_, seat): (_, &Seat)| match &seat.socket {
            Socket::Tcp(stream) => SockRef::from(stream).try_clone().unwrap().into(),
            Socket::Pipe(_) => panic!("no event streams here"),
        };
        both.raw = both.rig.shard.seats.iter().map(dup).collect();
        (both, clients)
    }

    /// Messages for one write to everybody; the CPU time until they are written.
    async fn by_shard(&mut self, messages: u64) -> Duration {
        // A window, so that a sweep a second weighs what it does in life.
        self.rig.pass(WINDOW);
        let records =
            (self.next..self.next + messages).map(|offset| self.rig.record(offset, "a", Fate::Lossy)).collect();
        self.next += messages;
        let heard = Event::Heard(Heard { records, to: at(self.next) });
        let before = cpu();
        self.rig.inbox.tell(heard);
        while self.rig.turn() {
            tokio::task::yield_now().await;
        }
        cpu() - before
    }

    /// What every viewer got last.
    fn frame(&self) -> Bytes {
        let (_, local) = self.rig.shard.rooms.iter().next().unwrap();
        let ring = &local.room.ring;
        ring.get(ring.next() - 1).unwrap().shared().unwrap().on(Wire::Json).clone()
    }

    fn by_hand(&self, frame: &[u8]) -> Duration {
        let before = cpu();
        for mut stream in &self.raw {
            assert_eq!(stream.write(frame).unwrap(), frame.len());
        }
        cpu() - before
    }
}

/// Reads everything from everybody when told to, and acknowledges it, so that the writer pays for neither.
fn drain_when_told(clients: Vec<std::net::TcpStream>) -> impl FnMut() {
    let (tell, told) = mpsc::sync_channel::<()>(1);
    let (answer, answered) = mpsc::sync_channel(1);
    thread::spawn(move || {
        pin(1);
        let mut buffer = vec![0; 64 * 1024];
        for () in told {
            for mut client in &clients {
                while client.read(&mut buffer).is_ok_and(|len| len > 0) {}
                SockRef::from(client).set_tcp_quickack(true).unwrap();
                SockRef::from(client).set_tcp_quickack(false).unwrap();
            }
            answer.send(()).unwrap();
        }
    });
    move || {
        tell.send(()).unwrap();
        answered.recv().unwrap();
    }
}

/// The ratios that the hall promises: of writing as fast as it can, and of a living room at its pace.
const HOT_MAX: f64 = 1.05;
const LIVE_MAX: f64 = 1.10;

/// Whether the ratio keeps what is promised.
async fn hot(viewers: usize, messages: u64) -> bool {
    let (mut both, clients) = Both::new(&["a"], viewers).await;
    let mut drain = drain_when_told(clients);
    drain();
    let (mut shard, mut raw) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        shard.push(both.by_shard(messages).await.as_nanos() as f64 / viewers as f64);
        drain();
        let frame = both.frame();
        raw.push(both.by_hand(&frame).as_nanos() as f64 / viewers as f64);
        drain();
    }
    let ratio = median(shard.iter().zip(&raw).map(|(shard, raw)| shard / raw).collect());
    let (shard, raw, bytes) = (median(shard), median(raw), both.frame().len());
    println!(
        "  hot, {viewers} sockets, {bytes} B: shard {shard:.0} ns a write, raw {raw:.0} ns, ratio {ratio:.3} (≤ {HOT_MAX})"
    );
    ratio <= HOT_MAX
}

/// Readers that poll, and count reads and bytes.
#[derive(Default)]
struct Readers {
    reads: AtomicU64,
    bytes: AtomicU64,
    is_over: AtomicBool,
}

impl Readers {
    fn run(&self, clients: Vec<std::net::TcpStream>) {
        pin(1);
        let (mut poll, mut events, mut buffer) =
            (Poll::new().unwrap(), Events::with_capacity(4096), vec![0; 64 * 1024]);
        let mut clients: Vec<_> = clients.into_iter().map(mio::net::TcpStream::from_std).collect();
        for (number, client) in clients.iter_mut().enumerate() {
            poll.registry().register(client, Token(number), Interest::READABLE).unwrap();
        }
        while !self.is_over.load(Ordering::Relaxed) {
            poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
            for event in &events {
                let read = clients[event.token().0].read(&mut buffer).unwrap();
                self.reads.fetch_add(1, Ordering::Relaxed);
                self.bytes.fetch_add(read as u64, Ordering::Relaxed);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Writes and bytes since the last time.
    fn take(&self) -> (u64, u64) {
        // What was written last is read within two looks.
        thread::sleep(Duration::from_millis(20));
        (self.reads.swap(0, Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed))
    }
}

impl Both {
    /// The shard as it runs, while rooms are spoken in; CPU time.
    async fn live_shard(&mut self, rooms: &[&str]) -> Duration {
        let step = Duration::from_secs(1) / (ROOM_MESSAGES * ROOMS as u32);
        let (inbox, mut next, end) = (self.rig.inbox.clone(), self.next, Instant::now() + LIVE);
        let rooms: Vec<String> = rooms.iter().map(|&room| room.to_owned()).collect();
        let feeding = thread::spawn(move || {
            pin(1);
            let mut due = Instant::now();
            while due < end {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                let record = record(Moment::now(), next, &rooms[next as usize % ROOMS], Fate::Lossy);
                next += 1;
                due += step;
                inbox.tell(Event::Heard(Heard { records: [record].into(), to: at(next) }));
            }
            next
        });
        let before = cpu();
        while Instant::now() < end {
            self.rig.shard.turn_and_wait().await;
        }
        let took = cpu() - before;
        self.next = feeding.join().unwrap();
        took
    }

    /// As many writes of as many bytes, in turns of one room; CPU time.
    fn live_raw(&self, writes: u64, bytes: u64) -> Duration {
        let frame = vec![b'x'; (bytes / writes) as usize];
        let turns = writes.div_ceil(ROOM_VIEWERS as u64) as u32;
        let (began, before) = (Instant::now(), cpu());
        for turn in 0..turns {
            thread::sleep((began + LIVE * turn / turns).saturating_duration_since(Instant::now()));
            for mut stream in self.raw.iter().skip(turn as usize % ROOMS * ROOM_VIEWERS).take(ROOM_VIEWERS) {
                assert_eq!(stream.write(&frame).unwrap(), frame.len());
            }
        }
        cpu() - before
    }
}

async fn live() -> bool {
    let rooms = ["a", "b", "c", "d", "e"];
    let (mut both, clients) = Both::new(&rooms, ROOM_VIEWERS).await;
    let readers = Arc::new(Readers::default());
    let reading = thread::spawn({
        let readers = readers.clone();
        move || readers.run(clients)
    });
    readers.take();
    let (mut shard, mut raw) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS / 4 {
        let took = both.live_shard(&rooms).await;
        let (writes, bytes) = readers.take();
        shard.push(took.as_nanos() as f64 / writes as f64);
        let took = both.live_raw(writes, bytes);
        raw.push(took.as_nanos() as f64 / readers.take().0 as f64);
        println!("    {writes} writes of {} B in {LIVE:?}", bytes / writes);
    }
    readers.is_over.store(true, Ordering::Relaxed);
    reading.join().unwrap();
    let ratio = median(shard.iter().zip(&raw).map(|(shard, raw)| shard / raw).collect());
    let (shard, raw) = (median(shard), median(raw));
    println!(
        "  live, {ROOMS} rooms of {ROOM_VIEWERS}: shard {shard:.0} ns a write, raw {raw:.0} ns, ratio {ratio:.3} (≤ {LIVE_MAX})"
    );
    ratio <= LIVE_MAX
}

#[tokio::test]
#[ignore = "figures, for a machine that does nothing else: make bench-fanout"]
async fn writing_beside_a_raw_loop() {
    pin(0);
    let mut is_kept = true;
    for (viewers, messages) in HOT {
        is_kept &= hot(viewers, messages).await;
    }
    is_kept &= live().await;
    assert!(is_kept, "a ratio is missed");
}
