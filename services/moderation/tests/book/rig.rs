//! A service on an embedded broker or a real one, the people who ask it, and a reader of what it published.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use chassis::{
    admin::{Pages, Readiness},
    ground::Ground,
    kafka::{Cluster, Embedded, Heard, LookUp, Reader},
    listen::{self, Limits},
    shutdown::Shutdown,
    tokens::{Claims, Role, Signer},
};
use http_body_util::{BodyExt as _, Full};
use hyper::{HeaderMap, Method, Request};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use moderation::{Config, House};
use proto::{
    Topic, record,
    rules::{Key, Scope},
    topics::OUTPUT_RETENTION_MS,
    v1::{self, rules::Record},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};

/// Far beyond what anything here takes, in a debug build on busy cores; a test that needs it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);
pub(crate) const PARTITIONS: i32 = 8;
pub(crate) const PREFIX: &str = "t-";

/// A folder of a test's own.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("danmaku-moderation-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &PathBuf {
        &self.0
    }

    pub(crate) fn database(&self) -> String {
        format!("sqlite://{}/moderation.db", self.0.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An embedded broker with the topics.
pub(crate) fn broker() -> Embedded {
    let topics = [Topic::Input, Topic::Output, Topic::Rules, Topic::Verdicts]
        .map(|topic| topic.described(PREFIX, PARTITIONS, OUTPUT_RETENTION_MS).into());
    Embedded::start(topics.into()).unwrap()
}

/// A service that is served.
pub(crate) struct Rig {
    pub(crate) house: Arc<House>,
    pub(crate) ground: Ground,
    pub(crate) address: SocketAddr,
    signer: Arc<Signer>,
    serving: JoinHandle<()>,
    _folder: Option<Folder>,
    _broker: Option<Embedded>,
}

impl Rig {
    /// Alone, with all it needs.
    pub(crate) async fn start() -> Self {
        let (folder, broker) = (Folder::new(), broker());
        let mut rig = Self::on(&broker.cluster(), PREFIX, &folder.database()).await;
        (rig._folder, rig._broker) = (Some(folder), Some(broker));
        rig
    }

    /// On a broker and a database that outlive it; ready.
    pub(crate) async fn on(cluster: &Cluster, prefix: &str, database: &str) -> Self {
        let config = Config { database: database.to_owned(), ..Config::default() };
        let rig = Self::open(cluster, prefix, config).await;
        let ready = tokio::time::timeout(PATIENCE, rig.ground.readiness.wait_ready());
        ready.await.unwrap_or_else(|_| panic!("not ready: {:?}", rig.ground.readiness.not_ready()));
        rig
    }

    pub(crate) async fn open(cluster: &Cluster, prefix: &str, config: Config) -> Self {
        let signer = Arc::new(Signer::random_hs256());
        let ground = Ground {
            cluster: cluster.clone(),
            topic_prefix: prefix.into(),
            generation: 3,
            partitions: PARTITIONS,
            redis: None,
            readiness: Readiness::new(),
            pages: Pages::default(),
            tracer: chassis::trace::Tracer::off(),
            shutdown: Shutdown::new(),
            verifier: Arc::new(signer.verifier().unwrap()),
            trusted_proxies: Vec::new(),
            origins: Vec::new(),
            drain: Duration::from_secs(5),
        };
        let house = House::open(&ground, config).await.unwrap();
        let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::clone(&house);
        let handle = move |request, peer| {
            let house = Arc::clone(&served);
            async move { house.handle(request, peer).await }
        };
        let serving = tokio::spawn(listen::serve(listener, ground.shutdown.clone(), Limits::default(), handle));
        Self { house, ground, address, signer, serving, _folder: None, _broker: None }
    }

    /// Lets go of database and broker, so that the next can have them.
    pub(crate) async fn leave(self) {
        self.house.leave().await;
    }

    pub(crate) fn token(&self, user: &str, role: Role) -> String {
        self.token_for(user, role, None)
    }

    pub(crate) fn token_for(&self, user: &str, role: Role, rooms: Option<&[&str]>) -> String {
        let mut claims = Claims::new(user, [role].into_iter().collect());
        claims.rooms = rooms.map(|rooms| rooms.iter().map(|room| (*room).to_owned()).collect());
        self.mint(&claims, 3600)
    }

    pub(crate) fn mint(&self, claims: &Claims, lasts_s: u64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        self.signer.mint(claims, Duration::from_secs(lasts_s), now).unwrap()
    }

    /// Where a path is: below `/v1/moderation/`, unless it begins with a slash.
    pub(crate) fn url(&self, path: &str) -> String {
        match path.strip_prefix('/') {
            Some(path) => format!("http://{}/{path}", self.address),
            None => format!("http://{}/v1/moderation/{path}", self.address),
        }
    }

    /// Somebody with a role, asking.
    pub(crate) fn as_(&self, user: &str, role: Role) -> Asker<'_> {
        Asker { rig: self, token: Some(self.token(user, role)) }
    }

    /// An admin, asking.
    pub(crate) fn admin(&self) -> Asker<'_> {
        self.as_("ann", Role::Admin)
    }

    pub(crate) fn with_token(&self, token: Option<String>) -> Asker<'_> {
        Asker { rig: self, token }
    }

    /// `/openapi.json`, which needs no token.
    pub(crate) async fn document(&self) -> Answer {
        let request = b"GET /openapi.json HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";
        self.raw(request).await
    }

    /// A request whose body stops half-way.
    pub(crate) async fn slow(&self, method: &Method, path: &str) -> Answer {
        self.announced(method, path, 10).await
    }

    /// A request whose body is said to have so many bytes, of which one comes.
    pub(crate) async fn announced(&self, method: &Method, path: &str, bytes: usize) -> Answer {
        self.announced_by(Role::Admin, method, path, bytes).await
    }

    pub(crate) async fn announced_by(&self, role: Role, method: &Method, path: &str, bytes: usize) -> Answer {
        let token = self.token("ann", role);
        let head = format!(
            "{method} {} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {bytes}\r\nconnection: close\r\n\r\n{{",
            self.url(path).split_once(&self.address.to_string()).unwrap().1,
        );
        self.raw(head.as_bytes()).await
    }

    /// A request whose body has no length and comes no further than its first byte, for as long as this is held.
    pub(crate) async fn dripping(&self, role: Role, path: &str) -> TcpStream {
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             transfer-encoding: chunked\r\n\r\n1\r\n{{\r\n",
            self.url(path).split_once(&self.address.to_string()).unwrap().1,
            self.token("ann", role),
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }

    /// Writes bytes and reads until the service closes.
    async fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut text = String::new();
        // A reset after the answer is as good as an end.
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_string(&mut text)).await.expect("no answer and no end");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let (body, text) = (serde_json::from_str(body).unwrap_or(Value::Null), body.to_owned());
        Answer { status, body, text, headers: HeaderMap::new() }
    }

    /// What `danmaku-rules` holds now.
    pub(crate) async fn topic(&self) -> RulesTopic {
        let (cluster, name) = (self.ground.cluster.clone(), Topic::Rules.name(&self.ground.topic_prefix));
        tokio::task::spawn_blocking(move || RulesTopic::read(&cluster, &name)).await.unwrap()
    }

    /// What a filter would make of the topic, once it holds the scope's version with this number.
    pub(crate) async fn in_force(&self, scope: &Scope, number: i64) -> (v1::RuleVersion, Vec<v1::Entry>) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let topic = self.topic().await;
            match topic.book(scope) {
                Some(book) if book.0.number >= number.unsigned_abs() => return book,
                found => assert!(
                    Instant::now() < deadline,
                    "never in force: {number}, but {:?}",
                    found.map(|book| book.0.number)
                ),
            }
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The records of `danmaku-rules` in their order, and what compaction would leave of them.
#[derive(Default)]
pub(crate) struct RulesTopic {
    pub(crate) records: Vec<(String, Vec<u8>)>,
    pub(crate) kept: BTreeMap<String, Vec<u8>>,
}

impl RulesTopic {
    /// Reads it to its end. A broker that lets go of its beginning meanwhile makes us begin anew.
    pub(crate) fn read(cluster: &Cluster, name: &str) -> Self {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match Self::try_read(cluster, name) {
                Ok(topic) => return topic,
                Err(error) => assert!(Instant::now() < deadline, "the rules are not read: {error}"),
            }
        }
    }

    fn try_read(cluster: &Cluster, name: &str) -> Result<Self, chassis::kafka::Error> {
        let marks = LookUp::new(cluster, "t-test", PATIENCE)?.watermarks(name, 0)?;
        let reader = Reader::of_committed(cluster, name)?;
        reader.assign(0, marks.low)?;
        let mut topic = Self::default();
        loop {
            match reader.poll(PATIENCE)? {
                Some(Heard::Record(record)) => {
                    let key = String::from_utf8(record.key().unwrap().to_vec()).unwrap();
                    let value = record.value().to_vec();
                    topic.records.push((key.clone(), value.clone()));
                    if value.is_empty() {
                        topic.kept.remove(&key);
                    } else {
                        topic.kept.insert(key, value);
                    }
                }
                Some(Heard::End(_)) => return Ok(topic),
                None => panic!("nothing was read of the rules"),
            }
        }
    }

    fn record(&self, key: &Key) -> Option<Record> {
        record::decode::<v1::Rules>(self.kept.get(&key.to_string())?).unwrap().record
    }

    /// The newest version that is whole, with its entries in the order of their texts.
    pub(crate) fn book(&self, scope: &Scope) -> Option<(v1::RuleVersion, Vec<v1::Entry>)> {
        let numbers = self.kept.keys().filter_map(|key| match key.parse() {
            Ok(Key::Version(of, number)) if of == *scope => Some(number),
            _ => None,
        });
        let mut numbers: Vec<u64> = numbers.collect();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.into_iter().find_map(|number| {
            let Some(Record::Version(version)) = self.record(&Key::Version(scope.clone(), number)) else { return None };
            let mut entries = Vec::new();
            for hash in &version.chunks {
                let hash: [u8; 32] = hash.as_slice().try_into().unwrap();
                let Some(Record::Chunk(chunk)) = self.record(&Key::Chunk(hash)) else { return None };
                entries.extend(judge::book::chunks::unpack(&hash, &chunk.entries).unwrap());
            }
            entries.sort_by(|a, b| a.text.cmp(&b.text));
            Some((version, entries))
        })
    }

    pub(crate) fn count(&self, prefix: &str) -> usize {
        self.kept.keys().filter(|key| key.starts_with(prefix)).count()
    }
}

/// Somebody who asks.
pub(crate) struct Asker<'a> {
    rig: &'a Rig,
    token: Option<String>,
}

/// An answer, folded into plain fields.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) text: String,
    #[allow(dead_code, reason = "the live part's tests read them")]
    pub(crate) headers: HeaderMap,
}

impl Answer {
    /// Status and code in one, as tables write them.
    pub(crate) fn is(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or_default())
    }

    /// The body, of an answer that has to be a success.
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.body
    }

    /// A header of the answer.
    #[allow(dead_code, reason = "the live part's tests read them")]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The lines that a refusal names.
    pub(crate) fn lines(&self) -> Vec<u64> {
        let problems = self.body["problems"].as_array().cloned().unwrap_or_default();
        problems.iter().filter_map(|problem| problem["line"].as_u64()).collect()
    }
}

impl Asker<'_> {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, None, &[], Bytes::new()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.ask(Method::DELETE, path, None, &[], Bytes::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.ask(Method::POST, path, Some("application/json"), &[], body.to_string().into()).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.ask(Method::PUT, path, Some("application/json"), &[], body.to_string().into()).await
    }

    /// Posts a file.
    pub(crate) async fn file(&self, path: &str, kind: &'static str, file: impl Into<Bytes>) -> Answer {
        self.ask(Method::POST, path, Some(kind), &[], file.into()).await
    }

    /// Asks anything. Every answer has to be one that the document describes.
    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        kind: Option<&str>,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> Answer {
        let mut request = Request::builder().method(method.clone()).uri(self.rig.url(path));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        let answered = client.request(request.body(Full::new(body)).unwrap());
        let response = tokio::time::timeout(PATIENCE, answered).await.expect("no answer").unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(text.to_vec()).unwrap();
        super::openapi::assert_described(&method, path, status);
        Answer { status, body: serde_json::from_str(&text).unwrap_or(Value::Null), text, headers }
    }
}

/// A scope that is a room.
pub(crate) fn room(name: &str) -> Scope {
    Scope::Room(proto::RoomId::new(name).unwrap())
}

/// The texts of entries.
pub(crate) fn texts(entries: &[v1::Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.text.as_str()).collect()
}
