//! The viewers: thousands of WebSocket clients on one thread, and the books they fill. What the books say is elsewhere.
//!
//! The thread looks at its sockets once a millisecond instead of sleeping in `epoll_wait`: to wake a sleeping reader
//! costs a server on the same machine 6 to 7 µs a write, more than the write itself, and a crowd must not slow what it
//! measures. So each delivery is told up to a millisecond late.

mod socket;

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use proto::MessageId;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::LocalSet;

use crate::book::{Delivery, Room, Sent};
use crate::latency::Latency;
use crate::ledger;

/// How long the thread sleeps between two looks at its sockets.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Handshakes under way: a server's listen backlog is 4096, and its handshake rate may be limited.
const HANDSHAKES_MAX: usize = 64;

/// News under way to the thread. It reads them once a millisecond; when full, a sender waits before it tells that a
/// message was accepted, not before it sends.
const NEWS_MAX: usize = 16_384;

/// One scratch buffer for all sockets.
const READ_BYTES: usize = 256 * 1024;

/// Who listens where.
pub struct Seating {
    /// The server.
    pub address: SocketAddr,
    /// The rooms' names.
    pub rooms: Vec<String>,
    /// One token a viewer; viewer `n` listens in room `n % rooms`.
    pub tokens: Vec<String>,
}

/// The viewers, on their thread. Dropping it ends them.
pub struct Viewers {
    news: mpsc::Sender<News>,
}

/// What the viewers saw so far.
#[derive(Debug, Clone, Default)]
pub struct Sight {
    /// Room by room, as the ledger wants it.
    pub rooms: Vec<ledger::Room>,
    /// How long deliveries took.
    pub delivery: Delivery,
    /// How long the crowd itself let a socket wait: the time between two looks.
    pub turn: Latency,
    /// Frames that nobody could read.
    pub unreadable: u64,
    /// The first of them.
    pub unreadable_first: Option<String>,
}

/// What the thread is told; in this order, so that a look sees what was accepted before it.
enum News {
    Accepted { room: usize, id: MessageId, sent: Sent },
    Measure { forget_one: bool },
    Look(oneshot::Sender<Sight>),
}

impl Viewers {
    /// Starts the thread and sends the viewers in.
    ///
    /// # Errors
    /// When there is no thread or runtime for them.
    pub fn gather(seating: Seating) -> anyhow::Result<Self> {
        let (news, heard) = mpsc::channel(NEWS_MAX);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new()
            .name("viewers".into())
            .spawn(move || LocalSet::new().block_on(&runtime, life(seating, heard)))
            .context("start the viewers' thread")?;
        Ok(Self { news })
    }

    /// Tells that a message was accepted.
    pub async fn accepted(&self, room: usize, id: MessageId, sent: Sent) {
        // The thread ends only with this value, or by a fault that the next look tells.
        let _ = self.news.send(News::Accepted { room, id, sent }).await;
    }

    /// Begins a measured part, in which one viewer may forget one message on purpose.
    pub async fn measure(&self, forget_one: bool) {
        let _ = self.news.send(News::Measure { forget_one }).await;
    }

    /// What they saw so far.
    ///
    /// # Errors
    /// When their thread has died.
    pub async fn look(&self) -> anyhow::Result<Sight> {
        let (answer, sight) = oneshot::channel();
        let _ = self.news.send(News::Look(answer)).await;
        sight.await.context("the viewers' thread has died")
    }
}

/// What all viewers of the thread share.
struct Stage {
    address: SocketAddr,
    rooms: Vec<(String, RefCell<Room>)>,
    scratch: RefCell<Vec<u8>>,
    delivery: RefCell<Delivery>,
    turn: RefCell<Latency>,
    unreadable: Cell<u64>,
    unreadable_first: RefCell<Option<String>>,
    handshakes: Arc<Semaphore>,
}

/// The thread's life: viewers run between two sleeps.
async fn life(seating: Seating, mut news: mpsc::Receiver<News>) {
    let stage = Rc::new(Stage::new(&seating));
    for (number, token) in seating.tokens.into_iter().enumerate() {
        tokio::task::spawn_local(socket::watch(Rc::clone(&stage), number, token));
    }
    let mut looked = Instant::now();
    loop {
        // The whole thread sleeps; see the top. The yield has the runtime ask for events, without waiting for any.
        std::thread::sleep(LOOK_EVERY);
        tokio::task::yield_now().await;
        stage.turn.borrow_mut().record(looked.elapsed());
        looked = Instant::now();
        loop {
            match news.try_recv() {
                Ok(one) => stage.hear(one),
                Err(mpsc::error::TryRecvError::Empty) => break,
                Err(mpsc::error::TryRecvError::Disconnected) => return,
            }
        }
    }
}

impl Stage {
    fn new(seating: &Seating) -> Self {
        let (rooms, viewers) = (seating.rooms.len(), seating.tokens.len());
        let seats = |room: usize| (viewers + rooms - 1 - room) / rooms;
        let room = |(number, name): (usize, &String)| (name.clone(), RefCell::new(Room::new(seats(number))));
        Self {
            address: seating.address,
            rooms: seating.rooms.iter().enumerate().map(room).collect(),
            scratch: RefCell::new(vec![0; READ_BYTES]),
            delivery: RefCell::default(),
            turn: RefCell::default(),
            unreadable: Cell::default(),
            unreadable_first: RefCell::default(),
            handshakes: Arc::new(Semaphore::new(HANDSHAKES_MAX)),
        }
    }

    fn hear(&self, news: News) {
        match news {
            News::Accepted { room, id, sent } => {
                self.rooms[room].1.borrow_mut().accept(id, sent, &mut self.delivery.borrow_mut());
            }
            News::Measure { forget_one } => {
                self.rooms.iter().for_each(|(_, room)| room.borrow_mut().measure());
                if forget_one {
                    self.rooms[0].1.borrow_mut().forget_one();
                }
                *self.delivery.borrow_mut() = Delivery::default();
                *self.turn.borrow_mut() = Latency::default();
            }
            // Who asked may have gone.
            News::Look(answer) => drop(answer.send(self.sight())),
        }
    }

    fn sight(&self) -> Sight {
        Sight {
            rooms: self.rooms.iter().map(|(name, room)| room.borrow().sight(name)).collect(),
            delivery: self.delivery.borrow().clone(),
            turn: self.turn.borrow().clone(),
            unreadable: self.unreadable.get(),
            unreadable_first: self.unreadable_first.borrow().clone(),
        }
    }

    fn unreadable(&self, why: String) {
        self.unreadable.set(self.unreadable.get() + 1);
        self.unreadable_first.borrow_mut().get_or_insert(why);
    }
}
