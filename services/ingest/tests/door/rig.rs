//! A door on an embedded broker, the clients that knock, and a reader of what was written.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use chassis::{
    admin::Readiness,
    ground::Ground,
    kafka::{Embedded, Heard, LookUp, Outcome, Outgoing, Producer, ProducerSettings, Reader},
    listen::{self, Limits},
    shutdown::Shutdown,
    tokens::{Claims, Role, Signer},
    trace::Tracer,
};
use ingest::{Config, Door};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use proto::{Topic, topics::OUTPUT_RETENTION_MS, v1};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};

/// Far beyond what anything here takes; a test that needs it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
pub(crate) const PARTITIONS: i32 = 8;
pub(crate) const PREFIX: &str = "t-";

/// No limits, no judge: what most tests want to be out of the way.
pub(crate) fn open_config() -> Config {
    Config { door_user_rate: 0, door_address_rate: 0, judge_behind_after: Duration::ZERO, ..Config::default() }
}

pub(crate) struct Rig {
    pub(crate) ground: Ground,
    pub(crate) signer: Signer,
    pub(crate) address: SocketAddr,
    metrics: PrometheusHandle,
    broker: Option<Embedded>,
    serving: JoinHandle<()>,
}

/// How a rig differs from the usual one.
pub(crate) struct Plan {
    pub(crate) config: Config,
    /// As the settings say; the topic has [`PARTITIONS`].
    pub(crate) partitions: i32,
    pub(crate) origins: Vec<String>,
    pub(crate) tracer: Tracer,
    pub(crate) trusted_proxies: Vec<ipnet::IpNet>,
    pub(crate) header_timeout: Duration,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            config: open_config(),
            partitions: PARTITIONS,
            origins: Vec::new(),
            tracer: Tracer::off(),
            trusted_proxies: Vec::new(),
            header_timeout: Duration::from_secs(5),
        }
    }
}

impl Rig {
    /// A door that is ready.
    pub(crate) async fn start(config: Config) -> Self {
        Self::ready(Plan { config, ..Plan::default() }).await
    }

    pub(crate) async fn ready(plan: Plan) -> Self {
        let rig = Self::open(plan).await;
        tokio::time::timeout(PATIENCE, rig.ground.readiness.wait_ready())
            .await
            .expect("the door does not become ready");
        rig
    }

    /// A door that may not be ready yet, or never.
    pub(crate) async fn open(plan: Plan) -> Self {
        let topics = [Topic::Input, Topic::Rules];
        let topics = topics.map(|topic| topic.described(PREFIX, PARTITIONS, OUTPUT_RETENTION_MS).into());
        let broker = Embedded::start(topics.into()).unwrap();
        let signer = Signer::random_hs256();
        let ground = Ground {
            cluster: broker.cluster(),
            topic_prefix: PREFIX.into(),
            generation: 3,
            partitions: plan.partitions,
            redis: None,
            readiness: Readiness::new(),
            pages: chassis::admin::Pages::default(),
            tracer: plan.tracer,
            shutdown: Shutdown::new(),
            verifier: Arc::new(signer.verifier().unwrap()),
            trusted_proxies: plan.trusted_proxies,
            origins: plan.origins,
            drain: Duration::from_secs(5),
        };
        // The service caches its handles when it opens, so each test has numbers of its own.
        let recorder = PrometheusBuilder::new().build_recorder();
        let metrics = recorder.handle();
        let door = metrics::with_local_recorder(&recorder, || Door::open(&ground, plan.config)).unwrap();
        let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits { header_timeout: plan.header_timeout, ..Limits::default() };
        let serving = tokio::spawn(listen::serve(listener, ground.shutdown.clone(), limits, move |request, peer| {
            let door = Arc::clone(&door);
            async move { door.handle(request, peer).await }
        }));
        Self { ground, signer, address, metrics, broker: Some(broker), serving }
    }

    /// Takes the broker away.
    pub(crate) fn lose_broker(&mut self) {
        self.broker = None;
    }

    pub(crate) fn token(&self, user: &str, roles: &[Role]) -> String {
        self.mint(&Claims::new(user, roles.iter().copied().collect()))
    }

    pub(crate) fn mint(&self, claims: &Claims) -> String {
        self.signer.mint(claims, Duration::from_secs(3600), unix_secs()).unwrap()
    }

    /// `POST /v1/rooms/{room}/danmaku` by `user`.
    pub(crate) async fn say(&self, room: &str, user: &str, body: &str) -> Answer {
        let token = self.token(user, &[Role::Sender]);
        self.post(&format!("/v1/rooms/{room}/danmaku"), &token, body.as_bytes()).await
    }

    /// `POST` of a JSON body with a token.
    pub(crate) async fn post(&self, path: &str, token: &str, body: &[u8]) -> Answer {
        self.post_with(path, &format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\n"), body)
            .await
    }

    /// `POST` with just these headers, each ending in CRLF.
    pub(crate) async fn post_with(&self, path: &str, headers: &str, body: &[u8]) -> Answer {
        let head = format!("POST {path} HTTP/1.1\r\nhost: door\r\n{headers}content-length: {}\r\n", body.len());
        self.raw([head.as_bytes(), b"connection: close\r\n\r\n", body].concat().as_slice()).await
    }

    /// Writes bytes and reads until the door closes.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        Answer::read(stream).await
    }

    /// The value of one metric with its labels as Prometheus writes them; 0 when it was never counted.
    pub(crate) fn number(&self, metric: &str) -> f64 {
        let page = self.metrics.render();
        let line = page.lines().find_map(|line| line.strip_prefix(metric)?.strip_prefix(' '));
        line.map_or(0.0, |value| value.parse().unwrap())
    }

    pub(crate) fn accepted(&self) -> f64 {
        self.number("danmaku_ingest_accepted_total")
    }

    pub(crate) fn refused(&self, code: &str) -> f64 {
        self.number(&format!("danmaku_ingest_refused_total{{code=\"{code}\"}}"))
    }

    /// Writes a ban to the rules, and waits until it is there.
    pub(crate) async fn ban(&self, subject: &str, until: i64, sequence: u64) {
        let ban = v1::BanRule { subject: subject.to_owned(), until, sequence, reason: String::new() };
        let value = proto::record::encode(&v1::Rules { record: Some(v1::rules::Record::Ban(ban)) });
        let settings = ProducerSettings { message_timeout: None, linger: Duration::ZERO, queue_bytes: 1 << 20 };
        let producer = Producer::new(&self.ground.cluster, settings).unwrap();
        let (topic, key) = (Topic::Rules.name(PREFIX), format!("ban/{subject}"));
        let outgoing =
            Outgoing { topic: &topic, partition: 0, key: Some(key.as_bytes()), value: Some(&value), headers: &[] };
        assert!(matches!(producer.send(outgoing).unwrap().await, Outcome::Acked(_)));
    }

    /// All that stands in the input topic.
    pub(crate) async fn written(&self) -> Vec<Record> {
        let cluster = self.ground.cluster.clone();
        tokio::task::spawn_blocking(move || {
            let topic = Topic::Input.name(PREFIX);
            let look_up = LookUp::new(&cluster, "t-test", PATIENCE).unwrap();
            let reader = Reader::new(&cluster, &topic).unwrap();
            let mut left = 0;
            for partition in 0..PARTITIONS {
                left += look_up.watermarks(&topic, partition).unwrap().high;
                reader.assign(partition, 0).unwrap();
            }
            let deadline = Instant::now() + PATIENCE;
            let mut records = Vec::new();
            while (records.len() as u64) < left {
                assert!(Instant::now() < deadline, "{} of {left} records read", records.len());
                if let Ok(Some(Heard::Record(record))) = reader.poll(Duration::from_millis(100)) {
                    records.push(Record {
                        partition: record.partition(),
                        offset: record.offset(),
                        key: String::from_utf8(record.key().unwrap().to_vec()).unwrap(),
                        traceparent: record.header("traceparent").map(|value| String::from_utf8_lossy(value).into()),
                        input: proto::record::decode(record.value()).unwrap(),
                    });
                }
            }
            records
        })
        .await
        .unwrap()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// One record of the input topic.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) partition: i32,
    pub(crate) offset: u64,
    pub(crate) key: String,
    pub(crate) traceparent: Option<String>,
    pub(crate) input: v1::Input,
}

impl Record {
    pub(crate) fn id(&self) -> String {
        self.input.id_at(self.partition, self.offset).to_string()
    }
}

/// An answer, folded into plain fields.
#[derive(Debug)]
pub(crate) struct Answer {
    /// 0 when the door closed without a word.
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) async fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A reset after the answer is as good as an end.
        let reading = stream.read_to_end(&mut bytes);
        let _ = tokio::time::timeout(PATIENCE, reading).await.expect("no answer and no end");
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = serde_json::from_str(body).unwrap_or(Value::Null);
        Self { status, head: head.to_ascii_lowercase(), body }
    }

    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    pub(crate) fn id(&self) -> &str {
        self.body["id"].as_str().unwrap_or_default()
    }

    /// Status and code in one, as tables write them.
    pub(crate) fn is(&self) -> (u16, &str) {
        (self.status, self.code())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

pub(crate) fn unix_secs() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}
