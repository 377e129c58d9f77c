//! More edits than the embedded broker keeps: it lets go of what is older than 5 MiB, so the publisher writes the book again and
//! again. A filter that follows all the time has it whole, and so has one that starts behind all of it.

#![allow(clippy::unwrap_used, reason = "what cannot fail here fails the test")]

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use chassis::{
    admin::{Pages, Readiness},
    ground::Ground,
    kafka::{Cluster, Embedded, Heard, LookUp, Outcome, Outgoing, Producer, ProducerSettings, Reader},
    listen::{self, Limits},
    shutdown::Shutdown,
    tokens::{Claims, Role, Signer},
};
use filter::Judge;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use moderation::House;
use proto::{
    MessageId, Topic,
    record::{decode, encode},
    topics::OUTPUT_RETENTION_MS,
    v1::{self, Input, Verdict, Word, input::Body},
};
use serde_json::{Value, json};

/// Far beyond what anything here takes, in a debug build on busy cores.
const PATIENCE: Duration = Duration::from_secs(180);
/// One partition is enough to judge in.
const PARTITIONS: i32 = 1;
/// Words that come and go, as many at any time.
const WORDS: usize = 3_500;
/// Words that stay. They lie in chunks of their own, which no edit writes anew.
const STAY: usize = 500;
/// The first chunk that is edited, of 64.
const EDITED_FROM: usize = 8;
/// Words that an edit adds; as many of the oldest go.
const EACH: usize = 20;
/// An edit writes 2.2 KB of version and 28 chunks anew, 0.6 KB each: 19 KB, as much as seven edits of a word. So these are 6 MB, and
/// the book is written again three times.
const EDITS: usize = 320;

#[tokio::test(flavor = "multi_thread")]
async fn whoever_follows_and_whoever_starts_late_has_the_whole_book() {
    let river = River::start().await;
    let follows = river.filter().await;
    river.edit("PUT", "lists/house", &json!({})).await;
    let (stay, come) = words();
    let first = [&stay[..], &come[..WORDS]].concat();
    river.edit("POST", "lists/house/entries", &json!({ "add": first })).await;
    let began = Instant::now();
    let mut last = 0;
    for first in (0..EDITS).map(|edit| edit * EACH) {
        let (gone, new) = (&come[first..first + EACH], &come[first + WORDS..first + WORDS + EACH]);
        let made = river.edit("POST", "lists/house/entries", &json!({ "remove": gone, "add": new })).await;
        last = made["version"]["number"].as_u64().unwrap();
    }
    println!("{EDITS} edits in {:.1} s", began.elapsed().as_secs_f64());
    river.until_published(last).await;
    println!("published after {:.1} s", began.elapsed().as_secs_f64());
    let whole = format!("version {last} with {} entries is in force", STAY + WORDS);
    let book = [&stay[..], &come[come.len() - WORDS..]].concat();
    follows.until(&whole).await;
    assert!(river.beginning_of_the_rules() > 0, "the broker keeps all of it, so nothing was tried");
    river.assert_all_acts("follows", &book, last);
    follows.leave().await;

    let late = river.filter().await;
    late.until(&whole).await;
    river.assert_all_acts("starts late", &book, last);
    late.leave().await;
    river.house.leave().await;
}

/// The words that stay, and those that come and go in this order: they pack badly, and none holds another.
fn words() -> (Vec<String>, Vec<String>) {
    let all = (1u64..).map(|number| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let is_edited = |word: &String| judge::book::chunks::place(word) >= EDITED_FROM;
    let stay = all.clone().filter(|word| !is_edited(word)).take(STAY).collect();
    (stay, all.filter(is_edited).take(WORDS + EDITS * EACH).collect())
}

/// A broker, a moderators' service with whoever edits, and one who speaks.
struct River {
    ground: Ground,
    house: Arc<House>,
    address: SocketAddr,
    token: String,
    http: Client<HttpConnector, Full<Bytes>>,
    producer: Producer,
    folder: PathBuf,
    _broker: Embedded,
}

/// A filter with conditions of its own.
struct Filter {
    judge: Judge,
    readiness: Readiness,
}

impl River {
    async fn start() -> Self {
        let topics = Topic::ALL.map(|topic| topic.described("", PARTITIONS, OUTPUT_RETENTION_MS).into());
        let broker = Embedded::start(topics.into()).unwrap();
        let signer = Signer::random_hs256();
        let ground = ground(broker.cluster(), &signer);
        let folder = std::env::temp_dir().join(format!("danmaku-many-edits-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let database = format!("sqlite://{}/moderation.db", folder.display());
        let house = House::open(&ground, moderation::Config { database, ..Default::default() }).await.unwrap();
        let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::clone(&house);
        let handle = move |request, peer| {
            let house = Arc::clone(&served);
            async move { house.handle(request, peer).await }
        };
        tokio::spawn(listen::serve(listener, ground.shutdown.clone(), Limits::default(), handle));
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let claims = Claims::new("ann", [Role::Admin].into_iter().collect());
        let settings = ProducerSettings { message_timeout: None, linger: Duration::ZERO, queue_bytes: 1 << 20 };
        Self {
            token: signer.mint(&claims, Duration::from_secs(3_600), now).unwrap(),
            http: Client::builder(TokioExecutor::new()).build_http(),
            producer: Producer::new(&ground.cluster, settings).unwrap(),
            ground,
            house,
            address,
            folder,
            _broker: broker,
        }
    }

    async fn edit(&self, method: &str, path: &str, body: &Value) -> Value {
        let request = Request::builder()
            .method(method)
            .uri(format!("http://{}/v1/moderation/{path}", self.address))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(body.to_string())));
        let response = self.http.request(request.unwrap()).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    /// Waits until the publisher has written all versions up to this one.
    async fn until_published(&self, version: u64) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let published = self.edit("GET", "versions?limit=1", &Value::Null).await["published"].as_u64().unwrap();
            if published >= version {
                return;
            }
            assert!(Instant::now() < deadline, "{published} of {version} versions are published");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn filter(&self) -> Filter {
        let ground = Ground { readiness: Readiness::new(), ..self.ground.clone() };
        let config = filter::Config { say_rate: 0, room_budget: 0, ..filter::Config::default() };
        let judge = Judge::start(&ground, config.with_words_or("fnord")).unwrap();
        let ready = tokio::time::timeout(PATIENCE, ground.readiness.wait_ready()).await;
        assert!(ready.is_ok(), "not ready: {:?}", ground.readiness.not_ready());
        Filter { judge, readiness: ground.readiness }
    }

    /// The oldest record of the rules that the broker keeps.
    fn beginning_of_the_rules(&self) -> u64 {
        let look = || LookUp::new(&self.ground.cluster, "test", PATIENCE)?.watermarks(&Topic::Rules.name(""), 0);
        tokio::task::block_in_place(look).unwrap().low
    }

    /// Words from all over the book are said, and all are masked by its last version.
    fn assert_all_acts(&self, who: &str, book: &[String], version: u64) {
        let said = book.iter().step_by(71).map(|word| self.say(&format!("{who} {word}"), &format!("so {word}")));
        let said: Vec<String> = said.collect();
        let verdicts = tokio::task::block_in_place(|| self.verdicts(&said));
        for id in &said {
            assert_eq!(verdicts[id], (Word::Masked, version), "{who}: {id}");
        }
    }

    fn say(&self, user: &str, text: &str) -> String {
        let user = Some(v1::User { id: user.to_owned(), ..v1::User::default() });
        let say = Body::Say(v1::Say { text: text.to_owned(), ..v1::Say::default() });
        let input = Input { generation: 1, room: "demo".to_owned(), user, body: Some(say), ..Input::default() };
        let input = Input { role: v1::Role::Sender as i32, ..input };
        let (topic, value) = (Topic::Input.name(""), encode(&input));
        let record = Outgoing { topic: &topic, partition: 0, key: Some(b"demo"), value: Some(&value), headers: &[] };
        match tokio::task::block_in_place(|| self.producer.send(record).unwrap().wait()) {
            Outcome::Acked(offset) => MessageId { generation: 1, partition: 0, offset }.to_string(),
            failed @ Outcome::Failed(_) => panic!("{failed:?}"),
        }
    }

    /// The verdicts on `ids`, each with the version that gave it. One that simply passes has none.
    fn verdicts(&self, ids: &[String]) -> BTreeMap<String, (Word, u64)> {
        let reader = Reader::new(&self.ground.cluster, &Topic::Verdicts.name("")).unwrap();
        reader.assign(0, 0).unwrap();
        let (mut all, deadline) = (BTreeMap::new(), Instant::now() + PATIENCE);
        while !ids.iter().all(|id| all.contains_key(id)) {
            assert!(Instant::now() < deadline, "only {} have a verdict, of {}", all.len(), ids.len());
            if let Some(Heard::Record(record)) = reader.poll(Duration::from_millis(100)).unwrap() {
                let verdict: Verdict = decode(record.value()).unwrap();
                all.insert(verdict.id.clone(), (verdict.word(), verdict.rules_version));
            }
        }
        all
    }
}

impl Drop for River {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Filter {
    /// Waits until it says that these rules are in force.
    async fn until(&self, rules: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let notes = self.readiness.notes();
            if notes.iter().any(|note| note.state == rules) {
                return;
            }
            assert!(Instant::now() < deadline, "not {rules}, but {notes:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn leave(self) {
        self.judge.leave().await;
    }
}

fn ground(cluster: Cluster, signer: &Signer) -> Ground {
    Ground {
        cluster,
        topic_prefix: "".into(),
        generation: 1,
        partitions: PARTITIONS,
        redis: None,
        readiness: Readiness::new(),
        pages: Pages::default(),
        tracer: chassis::trace::Tracer::off(),
        shutdown: Shutdown::new(),
        verifier: Arc::new(signer.verifier().unwrap()),
        trusted_proxies: Vec::new(),
        origins: Vec::new(),
        drain: Duration::from_secs(1),
    }
}
