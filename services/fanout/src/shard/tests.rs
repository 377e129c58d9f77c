//! A shard, turn by turn, with true sockets and words in its inbox as the other threads would put them: what no client and
//! no broker can be made to do on demand.

mod bench;

use std::time::Duration;

use bytes::Bytes;
use chassis::{
    kafka::Cluster,
    tokens::{Claims, Role},
};
use proto::{
    Cursor, UserId,
    frame::{FromServer, server_from_json},
    v1::{self, Fate, GapReason, Notice},
};
use tokio::{
    io::AsyncReadExt as _,
    net::{TcpListener, TcpStream},
};

use super::*;
use crate::{
    admission::{Admission, Pass},
    arrival::{Access, Arrival, Line},
    config::Config,
    house::tests::ground,
    inbox::{Heard, Opened},
    lookup::Question,
    message::Message,
    places::Places,
    raw::{Body, Item, Record},
    resume::Since,
    wire::Wire,
};

mod delay;

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
        let stream = TcpStream::connect(self.listener.local_addr().unwrap()).await.unwrap();
        let (taken, _) = self.listener.accept().await.unwrap();
        let arrival = Arrival {
            room: RoomId::new(room).unwrap(),
            partition: PARTITION,
            address: [127, 0, 0, 1].into(),
            line: Line::WebSocket(taken.into_std().unwrap(), Bytes::new()),
            wire: Wire::Json,
            since,
            access: Access::Granted(None),
            permit: self.inbox.permit().unwrap(),
            pass: pass(&self.house),
        };
        self.inbox.tell(Event::Arrived(Box::new(arrival)));
        Client { stream, bytes: Vec::new() }
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

#[tokio::test]
async fn a_join_is_answered_once_the_partition_has_caught_up() {
    let mut rig = Rig::new().await;
    let mut client = rig.enter("a", Since::Now).await;
    rig.turn();
    let wish = rig.house.wants.get(0, PARTITION as usize);
    rig.inbox.tell(Event::Opened(Opened { wish, at: at(2), is_caught_up: false }));
    let records = (2..5).map(|offset| rig.record(offset, "a", Fate::Lossy)).collect();
    rig.hear(records, 5);
    rig.turn();
    assert!(!client.has_bytes().await);
    rig.inbox.tell(Event::CaughtUp(PARTITION));
    assert_eq!(client.hello(&mut rig).await.cursor, at(5).to_string());
    assert_eq!(client.texts(&mut rig).await, ["2", "3", "4"]);
}

#[tokio::test]
async fn a_join_that_cannot_be_answered_is_sent_elsewhere() {
    let mut rig = Rig::new().await;
    let mut client = rig.enter("a", Since::Now).await;
    rig.turn();
    rig.pass(join::JOIN_WAIT + Duration::from_secs(1));
    assert!(matches!(client.next(&mut rig).await, Ok(FromServer::Reconnect(advice)) if advice.reason == "try later"));
    assert_eq!(client.next(&mut rig).await, Err(1013));
}

#[tokio::test]
async fn a_cursor_ahead_waits_until_the_node_is_there() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Cursor(at(12))).await;
    rig.turn();
    assert_eq!(rig.house.lookups.take_questions(), [Question::High { partition: PARTITION, shard: 0 }]);
    rig.inbox.tell(Event::High { partition: PARTITION, offset: 20 });
    rig.say(10);
    rig.turn();
    assert!(!client.has_bytes().await, "at 11 it is still behind");
    rig.say(11);
    rig.say(12);
    let hello = client.hello(&mut rig).await;
    assert_eq!((hello.recovered, hello.cursor), (Some(true), at(12).to_string()));
    assert_eq!(client.texts(&mut rig).await, ["12"], "what it had seen elsewhere is not shown again");
}

#[tokio::test]
async fn a_cursor_inside_what_waits_for_its_window_waits_too() {
    let mut rig = Rig::open().await;
    let mut stays = rig.enter("a", Since::Now).await;
    stays.hello(&mut rig).await;
    rig.say(10);
    assert_eq!(stays.texts(&mut rig).await, ["10"]);
    // The next two wait for the end of the window; the cursor lies between them.
    rig.say(11);
    rig.say(12);
    rig.turn();
    let mut client = rig.enter("a", Since::Cursor(at(12))).await;
    rig.turn();
    assert!(!client.has_bytes().await);
    rig.pass(Duration::from_millis(100));
    assert_eq!(stays.texts(&mut rig).await, ["11", "12"]);
    let hello = client.hello(&mut rig).await;
    assert_eq!(hello.recovered, Some(true));
    assert_eq!(client.texts(&mut rig).await, ["12"]);
    rig.say(13);
    rig.pass(Duration::from_millis(100));
    assert_eq!(client.texts(&mut rig).await, ["13"]);
}

#[tokio::test]
async fn a_cursor_beyond_the_partition_is_told_so() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Cursor(at(500))).await;
    rig.turn();
    rig.inbox.tell(Event::High { partition: PARTITION, offset: 20 });
    assert_eq!(client.hello(&mut rig).await.recovered, Some(false));
    assert_eq!(client.gap(&mut rig).await, (None, GapReason::Node, Cursor { src_next: 0, ..at(10) }));
}

#[tokio::test]
async fn a_source_that_never_comes_is_given_up() {
    let mut rig = Rig::open().await;
    let ahead = Cursor { src_next: 999, ..at(10) };
    let mut client = rig.enter("a", Since::Cursor(ahead)).await;
    rig.turn();
    assert!(!client.has_bytes().await);
    rig.pass(join::JOIN_WAIT + Duration::from_secs(1));
    assert_eq!(client.hello(&mut rig).await.recovered, Some(false));
}

#[tokio::test]
async fn chat_dropped_in_a_full_inbox_is_a_gap_of_its_room() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    for burst in 0..40 {
        let first = 10 + burst * 1_000;
        let records = (first..first + 1_000).map(|offset| {
            let room = if offset % 10 == 0 { "a" } else { "elsewhere" };
            rig.record(offset, room, Fate::Lossy)
        });
        let records = records.collect();
        rig.hear(records, first + 1_000);
    }
    let (dropped, reason, _) = client.gap(&mut rig).await;
    assert_eq!(reason, GapReason::Node);
    let mut shown = 0;
    while shown + dropped.unwrap() < 4_000 {
        rig.pass(Duration::from_millis(60));
        shown += client.texts(&mut rig).await.len() as u32;
    }
    assert_eq!(shown + dropped.unwrap(), 4_000);
}

#[tokio::test]
async fn a_full_inbox_without_chat_closes_the_rooms_viewers() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    let mut other = rig.enter("b", Since::Now).await;
    client.hello(&mut rig).await;
    other.hello(&mut rig).await;
    for burst in 0..40 {
        let first = 10 + burst * 1_000;
        let records = (first..first + 1_000).map(|offset| rig.record(offset, "a", Fate::Lossless)).collect();
        rig.hear(records, first + 1_000);
    }
    loop {
        match client.next(&mut rig).await {
            Ok(_) => {}
            Err(code) => break assert_eq!(code, 4003),
        }
    }
    assert!(!other.has_bytes().await);
}

#[tokio::test]
async fn after_a_stall_viewers_get_now() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    (10..15).for_each(|offset| rig.say(offset));
    // The records were read, but the shard had no turn for so long.
    rig.pass(Duration::from_millis(3_001));
    rig.say(15);
    assert_eq!(client.gap(&mut rig).await, (Some(5), GapReason::Stale, at(15)));
    assert_eq!(client.texts(&mut rig).await, ["15"]);
}

#[tokio::test]
async fn a_partition_that_goes_on_elsewhere_is_a_gap_nobody_can_number() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    rig.inbox.tell(Event::Restarted(at(2)));
    let old = rig.record(2, "a", Fate::Lossy);
    rig.hear(vec![old], 3);
    rig.turn();
    assert!(!client.has_bytes().await, "what is read before it has caught up is history");
    rig.inbox.tell(Event::CaughtUp(PARTITION));
    assert_eq!(client.gap(&mut rig).await, (None, GapReason::Node, at(3)));
    rig.pass(Duration::from_millis(100));
    rig.say(3);
    assert_eq!(client.texts(&mut rig).await, ["3"]);
}

#[tokio::test]
async fn the_end_of_an_old_stream_is_not_the_beginning_of_a_new_one() {
    let mut rig = Rig::new().await;
    let first = rig.enter("a", Since::Now).await;
    rig.turn();
    let old_wish = rig.house.wants.get(0, PARTITION as usize);
    rig.opened(10);
    drop(first);
    while rig.house.wants.get(0, PARTITION as usize) != 0 {
        rig.turn();
        tokio::task::yield_now().await;
    }
    let mut second = rig.enter("a", Since::Now).await;
    rig.turn();
    // The Kafka thread has not noticed yet, and answers the old wish once more.
    rig.say(10);
    rig.inbox.tell(Event::Opened(Opened { wish: old_wish, at: at(11), is_caught_up: true }));
    rig.turn();
    assert!(!second.has_bytes().await);
    rig.opened(40);
    assert_eq!(second.hello(&mut rig).await.cursor, at(40).to_string());
}

#[tokio::test]
async fn a_large_room_does_not_keep_a_small_one_from_its_turn() {
    let mut rig = Rig::open().await;
    let mut crowd = Vec::new();
    for _ in 0..600 {
        crowd.push(rig.enter("a", Since::Now).await);
        rig.turn();
    }
    for client in &mut crowd {
        client.hello(&mut rig).await;
    }
    let mut small = rig.enter("b", Since::Now).await;
    small.hello(&mut rig).await;
    rig.pass(Duration::from_millis(100));
    let records = vec![rig.record(10, "a", Fate::Lossy), rig.record(11, "b", Fate::Lossy)];
    rig.hear(records, 12);
    let mut turns = 0;
    while rig.turn() {
        turns += 1;
        if small.has_bytes().await {
            break;
        }
    }
    let mut waiting = 0;
    for client in &crowd {
        waiting += usize::from(!client.has_bytes().await);
    }
    assert!(waiting >= 600 - 2 * 256, "the small room came after {turns} turns, {waiting} of the crowd still wait");
    for client in &mut crowd {
        assert_eq!(client.texts(&mut rig).await, ["10"]);
    }
}

#[tokio::test]
async fn windows_join_what_is_said_and_a_quiet_room_writes_at_once() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    rig.say(10);
    rig.turn();
    assert!(client.has_bytes().await, "at once, in the turn in which it was heard");
    assert_eq!(client.texts(&mut rig).await, ["10"]);
    for offset in 11..20 {
        rig.say(offset);
        rig.pass(Duration::from_millis(1));
        rig.turn();
    }
    assert!(!client.has_bytes().await, "the window gathers");
    rig.pass(Duration::from_millis(75));
    assert_eq!(client.texts(&mut rig).await.len(), 9);
}

#[tokio::test]
async fn a_silent_event_stream_is_kept_alive_by_comments() {
    use http_body_util::BodyExt as _;

    let mut rig = Rig::open().await;
    let (writer, mut reader) = crate::socket::pipe::pipe();
    let arrival = Arrival {
        room: RoomId::new("a").unwrap(),
        partition: PARTITION,
        address: [127, 0, 0, 1].into(),
        line: Line::Events(writer),
        wire: Wire::Sse,
        since: Since::Now,
        access: Access::Granted(None),
        permit: rig.inbox.permit().unwrap(),
        pass: pass(&rig.house),
    };
    rig.inbox.tell(Event::Arrived(Box::new(arrival)));
    rig.turn();
    let hello = reader.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(hello.starts_with(b"event: hello\n"));
    for _ in 0..3 {
        // Silence closes nobody here: such a client cannot speak.
        rig.pass(Duration::from_secs(60));
        rig.turn();
        assert_eq!(reader.frame().await.unwrap().unwrap().into_data().unwrap(), ":\n\n");
    }
}

#[test]
fn an_idle_viewer_takes_a_kilobyte() {
    // Measured with 9,000 viewers: 1,000 B each. What is ours is this; tokio's registration takes 256 B, the waker 48 B, and
    // the allocator the rest.
    let ours = size_of::<Seat>() + size_of::<seat::Who>();
    assert!(ours <= 576, "{ours}");
}

#[tokio::test]
async fn an_answer_does_not_reach_who_took_the_seat_of_him_who_asked() {
    let mut rig = Rig::open().await;
    let mut stays = rig.enter("a", Since::Now).await;
    stays.hello(&mut rig).await;
    let mut asked = rig.enter("a", Since::Now).await;
    let connection = |hello: &proto::v1::Hello| hello.connection.rsplit('-').next().unwrap().parse::<u64>().unwrap();
    let first = connection(&asked.hello(&mut rig).await);
    let (key, _) = rig.shard.seats.iter().find(|(_, seat)| seat.who.connection == first).unwrap();
    drop(asked);
    let deadline = Instant::now() + Duration::from_secs(30);
    while rig.shard.seats.contains(key) {
        assert!(Instant::now() < deadline, "he has left");
        rig.turn();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut other = rig.enter("a", Since::Now).await;
    let second = connection(&other.hello(&mut rig).await);
    assert_eq!(rig.shard.seats[key].who.connection, second, "the seat is taken again");
    let answer = |connection, id: &str| {
        let ack = proto::v1::Ack { ok: true, id: id.into(), ..proto::v1::Ack::default() };
        rig.inbox.tell(Event::Acked(Box::new(crate::relay::Acked { key, connection, ack })));
    };
    answer(first, "1-3-1");
    answer(second, "1-3-2");
    assert!(matches!(other.next(&mut rig).await, Ok(FromServer::Ack(ack)) if ack.id == "1-3-2"));
}

impl Rig {
    async fn enter_as(&mut self, user: &str) -> Client {
        let client = self.enter("a", Since::Now).await;
        self.turn();
        let newest = self.shard.seats.iter().max_by_key(|(_, seat)| seat.who.connection);
        let key = newest.unwrap().0;
        let claims = Claims::new(user, [Role::Viewer].into_iter().collect());
        self.shard.known(key, Arc::new(Claims { exp: u64::MAX, ..claims }));
        client
    }
}

#[tokio::test]
async fn a_newer_connection_takes_the_place_and_a_fresh_token_does_not() {
    let mut rig = Rig::open().await;
    let (mut first, mut other) = (rig.enter_as("ann").await, rig.enter_as("bob").await);
    // The same user by another token is the same place.
    let key = rig.shard.users.seats("ann")[0];
    let claims = rig.shard.seats[key].who.claims.clone().unwrap();
    rig.shard.known(key, claims);
    rig.turn();
    assert!(!rig.shard.seats[key].viewer.is_leaving());
    let _second = rig.enter_as("ann").await;
    rig.turn();
    let closed = loop {
        if let Err(code) = first.next(&mut rig).await {
            break code;
        }
    };
    assert_eq!(closed, 4502);
    assert!(matches!(other.next(&mut rig).await, Ok(FromServer::Hello(_))));
    assert_eq!(rig.house.places.of(&UserId::new("ann").unwrap()).len(), 1);
}

#[tokio::test]
async fn notices_are_said_and_only_what_was_said_is_acknowledged() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter_as("ann").await;
    let user = UserId::new("ann").unwrap();
    let connection = rig.house.places.of(&user)[0].connection;
    let notice = |id: &str| Notice { id: id.into(), text: "hi".into(), ..Notice::default() };
    rig.house.places.notify(&user, connection, vec![notice("n1"), notice("n2"), notice("n1")]);
    rig.house.places.notify(&user, connection + 1, vec![notice("n3")]);
    let mut heard = Vec::new();
    while heard.len() < 3 {
        if let Ok(FromServer::Notice(notice)) = client.next(&mut rig).await {
            heard.push(notice.id);
        }
    }
    assert_eq!(heard, ["n1", "n2", "n1"], "again is again");
    let key = rig.shard.users.seats("ann")[0];
    for id in ["n2", "n2", "n9"] {
        rig.shard.has_notice(key, id.into());
    }
    assert_eq!(rig.shard.seats[key].who.notices, ["n1"], "the one that is still awaited");
}
