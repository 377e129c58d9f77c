//! A broker, a hall and somebody who writes to its topic.
//!
//! The broker is an embedded one, or the cluster that `DANMAKU_TEST_BROKERS` names, where each world has topics of its own.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::{
    admin::{Pages, Readiness},
    ground::Ground,
    kafka::{Cluster, Delivery, Embedded, Outcome, Outgoing, Producer, ProducerSettings, apply_topics},
    listen::{self, Limits},
    settings::LogFormat,
    shutdown::Shutdown,
    telemetry::{self, Telemetry},
    tokens::{Claims, Role, Signer},
};
use fanout::{Config, Doors, Hall};
use proto::{
    OwnerNumber, Topic,
    v1::{BanRule, Fate, Item, Message, Output, Rules, State, User, item, rules},
};

pub(crate) const PARTITIONS: i32 = 8;

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct World {
    pub(crate) hall: Arc<Hall>,
    pub(crate) address: SocketAddr,
    pub(crate) signer: Signer,
    pub(crate) readiness: Readiness,
    pub(crate) owner: OwnerNumber,
    pub(crate) generation: u32,
    telemetry: Telemetry,
    producer: Producer,
    sources: HashMap<i32, u64>,
    unacknowledged: Vec<Delivery>,
    shutdown: Shutdown,
    // The broker ends last.
    broker: Broker,
}

/// Where a world's topic lives.
struct Broker {
    cluster: Cluster,
    prefix: String,
    _embedded: Option<Embedded>,
}

impl Broker {
    async fn start(partitions: i32) -> Self {
        let Ok(brokers) = std::env::var("DANMAKU_TEST_BROKERS") else {
            let embedded = Embedded::start(fanout::topic_specs("", partitions)).unwrap();
            return Self { cluster: embedded.cluster(), prefix: String::new(), _embedded: Some(embedded) };
        };
        let (cluster, prefix) = (Cluster::real(brokers), format!("hall-{:08x}-", rand::random::<u32>()));
        apply_topics(&cluster, &fanout::topic_specs(&prefix, partitions), 1).await.unwrap();
        Self { cluster, prefix, _embedded: None }
    }
}

/// One more node on a world's broker.
pub(crate) struct Neighbor {
    pub(crate) address: SocketAddr,
    _hall: Arc<Hall>,
}

/// A hall on a broker, served on a port of its own.
fn open(
    broker: &Broker,
    signer: &Signer,
    readiness: &Readiness,
    shutdown: &Shutdown,
    config: Config,
) -> (Arc<Hall>, SocketAddr) {
    let ground = Ground {
        cluster: broker.cluster.clone(),
        topic_prefix: broker.prefix.clone(),
        generation: 1,
        partitions: PARTITIONS,
        redis: None,
        readiness: readiness.clone(),
        pages: Pages::default(),
        tracer: chassis::trace::Tracer::off(),
        shutdown: shutdown.clone(),
        verifier: Arc::new(signer.verifier().unwrap()),
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        origins: vec!["https://live.example.com".into()],
        // Long enough that something can be said meanwhile on a machine that is busy with other tests.
        drain: Duration::from_secs(8),
    };
    let signer = Signer::from_jwks(&signer.to_jwks()).unwrap();
    let doors = Doors::of(&config, Some(Arc::new(signer))).unwrap();
    let hall = Hall::open_with(&ground, config, doors).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = listen::bind_with(any, "--listen", Some(fanout::SEND_BUFFER_BYTES)).unwrap();
    let address = listener.local_addr().unwrap();
    let served = hall.clone();
    let serving = listen::serve(listener, shutdown.clone(), Limits::default(), move |request, peer| {
        let hall = served.clone();
        async move { hall.handle(request, peer).await }
    });
    tokio::spawn(serving);
    (hall, address)
}

/// The hall's settings, with two shards however many cores there are, and any number of places for the few users there are.
pub(crate) fn config() -> Config {
    Config { shards: 2, places: 0, node: Some("n1".into()), ..Config::default() }
}

impl World {
    pub(crate) async fn start(config: Config) -> Self {
        let world = Self::start_with_topics(config, PARTITIONS).await;
        tokio::time::timeout(PATIENCE, world.readiness.wait_ready()).await.expect("ready");
        world
    }

    /// A hall whose topic has so many partitions, which is not what it expects if it is not [`PARTITIONS`].
    pub(crate) async fn start_with_topics(config: Config, partitions: i32) -> Self {
        let telemetry = telemetry::install(LogFormat::Text).unwrap();
        let broker = Broker::start(partitions).await;
        let signer = Signer::random_hs256();
        let readiness = Readiness::new();
        let shutdown = Shutdown::new();
        let (hall, address) = open(&broker, &signer, &readiness, &shutdown, config);
        let settings =
            ProducerSettings { message_timeout: None, linger: Duration::from_millis(1), queue_bytes: 64 * 1024 * 1024 };
        Self {
            hall,
            address,
            signer,
            readiness,
            owner: OwnerNumber { bump: 0, group_generation: 1, rewinds: 0 },
            generation: 1,
            telemetry,
            producer: Producer::new(&broker.cluster, settings).unwrap(),
            sources: HashMap::new(),
            unacknowledged: Vec::new(),
            shutdown,
            broker,
        }
    }

    /// Whether partitions are read only while somebody watches.
    pub(crate) fn reads_on_demand(&self) -> bool {
        !self.broker.cluster.embedded
    }

    /// One more node on the same broker, with the same keys.
    pub(crate) async fn neighbor(&self, config: Config) -> Neighbor {
        let readiness = Readiness::new();
        let (hall, address) = open(&self.broker, &self.signer, &readiness, &Shutdown::new(), config);
        tokio::time::timeout(PATIENCE, readiness.wait_ready()).await.expect("ready");
        Neighbor { address, _hall: hall }
    }

    /// Sources begin anew, as in a topic that was recreated.
    pub(crate) fn begin_generation(&mut self, generation: u32) {
        self.generation = generation;
        self.sources.clear();
    }

    pub(crate) fn partition(room: &str) -> i32 {
        proto::partition::of(room.as_bytes(), PARTITIONS)
    }

    /// The next chat message in a room; its text is returned by the number of its source too.
    pub(crate) fn say(&mut self, room: &str, text: &str) -> u64 {
        let output = self.output(room, vec![self.item(room, Fate::Lossy, text)]);
        self.write(room, &output);
        output.src.unwrap()
    }

    /// A gift, which nobody may miss.
    pub(crate) fn give(&mut self, room: &str, text: &str) -> u64 {
        let output = self.output(room, vec![self.item(room, Fate::Lossless, text)]);
        self.write(room, &output);
        output.src.unwrap()
    }

    /// The item of the next source.
    pub(crate) fn item(&self, room: &str, fate: Fate, text: &str) -> Item {
        let partition = Self::partition(room);
        let src = self.sources.get(&partition).copied().unwrap_or_default();
        let message = Message {
            id: format!("{}-{partition}-{src}", self.generation),
            at: 1_700_000_000_000,
            user: Some(User { id: "u1".into(), name: "Mei".into(), ..User::default() }),
            text: text.to_owned(),
            ..Message::default()
        };
        Item { fate: fate as i32, to_user: String::new(), body: Some(item::Body::Message(message)) }
    }

    /// A record of the next source.
    pub(crate) fn output(&mut self, room: &str, items: Vec<Item>) -> Output {
        let source = self.sources.entry(Self::partition(room)).or_default();
        let src = *source;
        *source += 1;
        Output {
            generation: self.generation,
            src: Some(src),
            owner: Some(self.owner.into()),
            room: room.to_owned(),
            items,
            ..Output::default()
        }
    }

    /// Writes a record to the partition of `room`.
    pub(crate) fn write(&mut self, room: &str, output: &Output) {
        self.write_bytes(room, &proto::record::encode(output));
    }

    pub(crate) fn write_bytes(&mut self, room: &str, value: &[u8]) {
        self.write_to(Topic::Output, Self::partition(room), room, Some(value));
    }

    /// What stands in a room from now on: a record of `danmaku-state`.
    pub(crate) fn set_state(&mut self, room: &str, state: &State) {
        let value = proto::record::encode(state);
        self.write_to(Topic::State, Self::partition(room), &state.record_key(), Some(&value));
    }

    /// A ban on `danmaku-rules`.
    pub(crate) fn ban(&mut self, subject: &str, until: i64, sequence: u64) {
        let ban = BanRule { subject: subject.to_owned(), until, sequence, reason: String::new() };
        let value = proto::record::encode(&Rules { record: Some(rules::Record::Ban(ban)) });
        self.write_to(Topic::Rules, 0, &format!("ban/{subject}"), Some(&value));
    }

    /// Writes a record, or a tombstone.
    pub(crate) fn write_to(&mut self, topic: Topic, partition: i32, key: &str, value: Option<&[u8]>) {
        let topic = topic.name(&self.broker.prefix);
        let outgoing = Outgoing { topic: &topic, partition, key: Some(key.as_bytes()), value, headers: &[] };
        self.unacknowledged.push(self.producer.send(outgoing).unwrap());
    }

    /// Waits until everything written is on the broker.
    pub(crate) async fn acknowledged(&mut self) {
        for delivery in self.unacknowledged.drain(..) {
            let outcome = tokio::time::timeout(PATIENCE, delivery).await.expect("acknowledged");
            assert!(matches!(outcome, Outcome::Acked(_)), "{outcome:?}");
        }
    }

    pub(crate) fn token(&self, sub: &str, change: impl FnOnce(&mut Claims)) -> String {
        self.token_for(sub, Duration::from_secs(600), change)
    }

    pub(crate) fn token_for(&self, sub: &str, ttl: Duration, change: impl FnOnce(&mut Claims)) -> String {
        let mut claims = Claims::new(sub, [Role::Viewer, Role::Sender].into_iter().collect());
        change(&mut claims);
        self.signer.mint(&claims, ttl, unix_secs()).unwrap()
    }

    /// A number of the metrics page; all tests of this program share them.
    pub(crate) fn metric(&self, line: &str) -> f64 {
        let page = self.telemetry.render();
        let found = page.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(' ')?.parse().ok());
        found.unwrap_or_default()
    }

    /// Waits until a number is at least `least`.
    pub(crate) async fn metric_reaches(&self, line: &str, least: f64) {
        let deadline = Instant::now() + PATIENCE;
        while self.metric(line) < least {
            assert!(Instant::now() < deadline, "{line} is {}", self.metric(line));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// As on SIGTERM.
    pub(crate) async fn leave(&self) {
        self.shutdown.trigger();
        tokio::time::timeout(PATIENCE, self.hall.leave()).await.expect("left in time");
    }
}

pub(crate) fn unix_secs() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}
