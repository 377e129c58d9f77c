//! The least that a coalescing hall can cost: one thread, no Kafka, no backpressure. A room's messages gather for a
//! window, then each of its viewers gets one `send` of all of them.
//!
//! A process of its own: `hall floor ROOMS A_SECOND WINDOW_MS`; a line on its standard input is the milliseconds to play.

use std::{
    io::{BufRead as _, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use socket2::SockRef;

use crate::crowd::unix_ms;

type Rooms = Arc<Mutex<Vec<Vec<TcpStream>>>>;

/// Its whole life.
pub(crate) fn run(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let mut number = || arguments.next().and_then(|word| word.parse::<u32>().ok()).context("three numbers");
    let (count, a_second, window) = (number()?, number()?, Duration::from_millis(number()?.into()));
    let rooms: Rooms = Arc::new(Mutex::new((0..count).map(|_| Vec::new()).collect()));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    let filled = rooms.clone();
    std::thread::spawn(move || listener.incoming().flatten().try_for_each(|stream| admit(stream, &filled)));
    for line in std::io::stdin().lock().lines() {
        let rooms = rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let each = play(&rooms, a_second, window, Duration::from_millis(line?.parse()?));
        println!("{each}");
    }
    Ok(())
}

/// A viewer goes to the room whose number ends its name.
fn admit(mut stream: TcpStream, rooms: &Rooms) -> std::io::Result<()> {
    let mut request = [0; 1024];
    let len = stream.read(&mut request)?;
    let request = String::from_utf8_lossy(&request[..len]).into_owned();
    stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")?;
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    // Nobody is slow here: what does not fit would be lost.
    SockRef::from(&stream).set_send_buffer_size(1 << 20)?;
    let room = request.split('/').nth(3).and_then(|room| room.rsplit('-').next()?.parse::<usize>().ok());
    let mut rooms = rooms.lock().unwrap_or_else(PoisonError::into_inner);
    let count = rooms.len();
    rooms[room.unwrap_or_default() % count].push(stream);
    Ok(())
}

struct Room {
    waiting: String,
    next_message: Instant,
    next_flush: Instant,
}

/// How many messages each room got.
fn play(viewers: &[Vec<TcpStream>], a_second: u32, window: Duration, length: Duration) -> u64 {
    let (began, step) = (Instant::now(), Duration::from_secs(1) / a_second);
    let count = viewers.len() as u32;
    let room = |number: u32| Room {
        waiting: String::new(),
        next_message: began + step * number / count,
        next_flush: began + window * number / count,
    };
    let mut rooms: Vec<Room> = (0..count).map(room).collect();
    let (end, mut said) = (began + length, 0_u64);
    loop {
        let now = Instant::now();
        for (room, viewers) in rooms.iter_mut().zip(viewers) {
            while room.next_message <= now && room.next_message < end {
                said += 1;
                let late = now.duration_since(room.next_message).as_millis();
                message(&mut room.waiting, said, unix_ms() - late as i64);
                room.next_message += step;
            }
            if room.next_flush <= now {
                room.next_flush += window;
                flush(&mut room.waiting, viewers);
            }
        }
        if now >= end && rooms.iter().all(|room| room.waiting.is_empty()) {
            return said / u64::from(count);
        }
        let next = |room: &Room| match room.next_message {
            message if message < end => message.min(room.next_flush),
            _ => room.next_flush,
        };
        let next = rooms.iter().map(next).min().unwrap_or(end);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

/// One of 100 bytes, like the hall's.
fn message(waiting: &mut String, number: u64, at: i64) {
    use std::fmt::Write as _;
    let separator = if waiting.is_empty() { "" } else { "," };
    // A string takes whatever is written.
    let _ = write!(
        waiting,
        r#"{separator}{{"id":"1-3-{:07}","at":{at},"user":{{"id":"u{:04}"}},"text":"said by somebody in this room"}}"#,
        number % 10_000_000,
        number % 10_000,
    );
}

fn flush(waiting: &mut String, viewers: &[TcpStream]) {
    if waiting.is_empty() {
        return;
    }
    let text = format!(r#"{{"type":"batch","cursor":"1-3-1000000-1000000","messages":[{waiting}]}}"#);
    waiting.clear();
    let mut frame = vec![0x81, 126];
    frame.extend((text.len() as u16).to_be_bytes());
    frame.extend_from_slice(text.as_bytes());
    for mut viewer in viewers {
        // If it does not take all, the crowd's count tells.
        let _ = viewer.write(&frame);
    }
}
