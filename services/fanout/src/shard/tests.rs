//! A shard, turn by turn, with true sockets and words in its inbox as the other threads would put them: what no client and
//! no broker can be made to do on demand.

use std::time::Duration;

use bytes::Bytes;
use chassis::{
    kafka::Cluster,
    tokens::{Claims, Role},
};
use proto::{
    Cursor,
    frame::{FromServer, server_from_json},
    v1::{self, Fate, GapReason},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::*;
use crate::{
    admission::{Admission, Pass},
    arrival::{Access, Arrival, Line},
    config::Config,
    house::tests::ground,
    inbox::{Heard, Opened},
    message::Message,
    places::Places,
    raw::{Body, Item, Record},
    resume::Since,
    socket::pipe::{Reader, pipe},
    wire::Wire,
};

mod joins;
mod turns;
mod gaps;
mod people;
mod delay;
mod leaving;
mod bench;

const PARTITION: i32 = 3;

struct Rig {
    shard: Shard,
    house: Arc<House>,
    inbox: Arc<Inbox>,
    listener: TcpListener,
    moment: Moment,
}

/// A client's side of a connection.
struct Client {
    stream: TcpStream,
    bytes: Vec<u8>,
}

fn at(next: u64) -> Cursor {
    Cursor { generation: 1, partition: PARTITION, src_next: next + 100, next }
}

/// A place on the node.
fn pass(house: &House) -> Pass {
    match house.caps.admit(std::net::Ipv4Addr::LOCALHOST.into()) {
        Admission::Admitted(pass) => pass,
        full @ Admission::Full { .. } => panic!("{full:?}"),
    }
}

fn record(moment: Moment, offset: u64, room: &str, fate: Fate) -> Arc<Record> {
    let (id, text) = (format!("1-3-{}", offset + 100), offset.to_string());
    let message = Message::new(&v1::Message { id, text, ..v1::Message::default() });
    Arc::new(Record {
        at: at(offset),
        append_ms: moment.unix_ms,
        heard: moment.now,
        said: moment.now,
        fresh_until: moment.now + Duration::from_secs(3),
        trace: None,
        room: RoomId::new(room).ok(),
        items: vec![Item { fate, to_user: None, body: Body::Message(Arc::new(message)) }].into(),
    })
}

impl Rig {
    async fn new() -> Self {
        Self::with(Config::default()).await
    }

    async fn with(config: Config) -> Self {
        let ground = ground(Cluster::real("127.0.0.1:1"), 8);
        let config = Config { node: Some("n".into()), ..config };
        let bell = Bell::default();
        let inbox = Arc::new(Inbox::new(bell.clone()));
        let (places, _) = Places::new(1, vec![inbox.clone()], false);
        let house = Arc::new(House::new(&ground, config, 1, places));
        let metrics = ShardMetrics::new();
        Self {
            shard: Shard::new(0, house.clone(), inbox.clone(), bell, metrics),
            house,
            inbox,
            listener: TcpListener::bind("127.0.0.1:0").await.unwrap(),
            moment: Moment::now(),
        }
    }

    /// A rig whose shard hears the partition, which stands at offset 10.
    async fn open() -> Self {
        let mut rig = Self::new().await;
        rig.enter("first", Since::Now).await;
        rig.turn();
        rig.opened(10);
        rig
    }

    async fn enter(&mut self, room: &str, since: Since) -> Client {
        self.enter_with(room, since, Access::Granted(None)).await
    }

    async fn enter_with(&mut self, room: &str, since: Since, access: Access) -> Client {
        let stream = TcpStream::connect(self.listener.local_addr().unwrap()).await.unwrap();
        let (taken, _) = self.listener.accept().await.unwrap();
        let line = Line::WebSocket(taken.into_std().unwrap(), Bytes::new());
        let arrival = self.arrival(room, line, Wire::Json, since, access);
        self.inbox.tell(Event::Arrived(Box::new(arrival)));
        Client { stream, bytes: Vec::new() }
    }

    /// An event stream in room `a`.
    fn stream(&self, access: Access) -> Reader {
        let (writer, reader) = pipe();
        let arrival = self.arrival("a", Line::Events(writer), Wire::Sse, Since::Now, access);
        self.inbox.tell(Event::Arrived(Box::new(arrival)));
        reader
    }

    fn arrival(&self, room: &str, line: Line, wire: Wire, since: Since, access: Access) -> Arrival {
        Arrival {
            room: RoomId::new(room).unwrap(),
            partition: PARTITION,
            address: [127, 0, 0, 1].into(),
            line,
            wire,
            since,
            access,
            permit: self.inbox.permit().unwrap(),
            pass: pass(&self.house),
        }
    }

    async fn enter_as(&mut self, user: &str) -> Client {
        let client = self.enter("a", Since::Now).await;
        self.turn();
        let newest = self.shard.seats.iter().max_by_key(|(_, seat)| seat.who.connection);
        let key = newest.unwrap().0;
        let claims = Claims::new(user, [Role::Viewer].into_iter().collect());
        self.shard.known(key, Arc::new(Claims { exp: u64::MAX, ..claims }));
        client
    }

    fn opened(&mut self, next: u64) {
        let wish = self.house.wants.get(0, PARTITION as usize);
        self.inbox.tell(Event::Opened(Opened { wish, at: at(next), is_caught_up: true }));
        self.turn();
    }

    fn record(&self, offset: u64, room: &str, fate: Fate) -> Arc<Record> {
        record(self.moment, offset, room, fate)
    }

    /// The Kafka thread has read these records, and what stands between.
    fn hear(&mut self, records: Vec<Arc<Record>>, to: u64) {
        let mut raw = self.house.raw(PARTITION as usize);
        records.iter().for_each(|record| raw.push(record.clone()));
        drop(raw);
        self.inbox.tell(Event::Heard(Heard { records: records.into(), to: at(to) }));
    }

    fn say(&mut self, offset: u64) {
        let record = self.record(offset, "a", Fate::Lossy);
        self.hear(vec![record], offset + 1);
    }

    fn turn(&mut self) -> bool {
        self.shard.turn(self.moment)
    }

    fn pass(&mut self, time: Duration) {
        self.moment.now += time;
    }
}

impl Client {
    /// Says something short, masked with zeros.
    async fn say(&mut self, text: &str) {
        let head = [0x81, 0x80 | u8::try_from(text.len()).unwrap(), 0, 0, 0, 0];
        self.stream.write_all(&[&head, text.as_bytes()].concat()).await.unwrap();
    }

    /// The next frame, or the code of a close.
    async fn next(&mut self, rig: &mut Rig) -> Result<FromServer, u16> {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(frame) = self.whole_frame() {
                return frame;
            }
            assert!(Instant::now() < deadline, "nothing came");
            rig.turn();
            let mut buffer = vec![0; 4096];
            let read = tokio::time::timeout(Duration::from_millis(5), self.stream.read(&mut buffer)).await;
            let len = read.map_or(0, Result::unwrap);
            self.bytes.extend_from_slice(&buffer[..len]);
        }
    }

    fn whole_frame(&mut self) -> Option<Result<FromServer, u16>> {
        let (&first, &second) = (self.bytes.first()?, self.bytes.get(1)?);
        let (start, len) = match second {
            126 => (4, usize::from(u16::from_be_bytes(self.bytes.get(2..4)?.try_into().ok()?))),
            len => (2, usize::from(len)),
        };
        let payload = self.bytes.get(start..start + len)?.to_vec();
        self.bytes.drain(..start + len);
        Some(match first {
            0x88 => Err(u16::from_be_bytes([payload[0], payload[1]])),
            _ => Ok(server_from_json(&payload).unwrap()),
        })
    }

    async fn hello(&mut self, rig: &mut Rig) -> proto::v1::Hello {
        match self.next(rig).await {
            Ok(FromServer::Hello(hello)) => hello,
            other => panic!("{other:?}"),
        }
    }

    async fn texts(&mut self, rig: &mut Rig) -> Vec<String> {
        match self.next(rig).await {
            Ok(FromServer::Batch(batch)) => batch.messages.into_iter().map(|message| message.text).collect(),
            other => panic!("{other:?}"),
        }
    }

    async fn gap(&mut self, rig: &mut Rig) -> (Option<u32>, GapReason, Cursor) {
        match self.next(rig).await {
            Ok(FromServer::Gap(gap)) => (gap.dropped, gap.reason(), gap.cursor.parse().unwrap()),
            other => panic!("{other:?}"),
        }
    }

    /// Whether something is there to read.
    async fn has_bytes(&self) -> bool {
        tokio::time::timeout(Duration::from_millis(1), self.stream.readable()).await.is_ok()
    }
}
