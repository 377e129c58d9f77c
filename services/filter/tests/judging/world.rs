//! A river with a filter in it, and one who stands at its banks: says things, and reads everything that is written.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use chassis::{
    admin::Readiness,
    ground::Ground,
    kafka::{
        Change, Cluster, Embedded, Heard, LookUp, Membership, Outcome, Outgoing, Producer, ProducerSettings, Reader,
        Timing, TopicSpec,
    },
    shutdown::Shutdown,
    tokens::Verifier,
};
use filter::{Config, Judge};
use judge::book::chunks::pack;
use proto::{
    MessageId, Topic, partition,
    record::{decode, encode},
    rules::Key,
    topics::{OUTPUT_RETENTION_MS, filter_group},
    v1::{
        self, DeadLetter, Entry, Input, Output, Role, RuleChunk, RuleVersion, Rules, State, Verdict, input::Body,
        rules::Record,
    },
};

pub(crate) const PARTITIONS: i32 = 4;
pub(crate) const GENERATION: u32 = 1;

/// Longer than anything takes on two busy cores, so that only what never comes fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A broker with the topics, a producer, and everything that was read so far.
pub(crate) struct World {
    pub(crate) ground: Ground,
    pub(crate) heard: Everything,
    producer: Producer,
    readers: Vec<(Topic, Reader)>,
    _broker: Embedded,
}

/// All records, in the order of their partitions.
#[derive(Default)]
pub(crate) struct Everything {
    /// Per partition: the output record and its `src` header.
    pub(crate) outputs: BTreeMap<i32, Vec<(Output, Option<String>)>>,
    pub(crate) verdicts: Vec<Verdict>,
    /// Those that name ranges, with their rooms.
    pub(crate) tallies: Vec<(i32, String, Verdict)>,
    pub(crate) states: Vec<(String, State)>,
    pub(crate) letters: Vec<DeadLetter>,
}

impl Everything {
    /// The outputs that answer an input, by its id, with how often they do.
    pub(crate) fn answers(&self) -> BTreeMap<MessageId, Vec<&Output>> {
        let mut answers: BTreeMap<MessageId, Vec<&Output>> = BTreeMap::new();
        for (&partition, outputs) in &self.outputs {
            for (output, _) in outputs {
                if let Some(offset) = output.src {
                    answers.entry(MessageId { generation: GENERATION, partition, offset }).or_default().push(output);
                }
            }
        }
        answers
    }

    /// The answer to `id`, if it is there.
    pub(crate) fn answer(&self, id: MessageId) -> Option<&Output> {
        self.answers().get(&id).and_then(|all| all.first().copied())
    }

    /// The verdict records of `id`.
    pub(crate) fn verdicts_on(&self, id: MessageId) -> Vec<&Verdict> {
        let id = id.to_string();
        self.verdicts.iter().filter(|verdict| verdict.id == id).collect()
    }

    /// What a careful reader sees: owners never fall, `src` strictly rises (F4, F6).
    pub(crate) fn check_order(&self) {
        for (partition, outputs) in &self.outputs {
            let (mut owner, mut last) = (Default::default(), None);
            for (output, header) in outputs {
                assert!(output.owner_number() >= owner, "partition {partition}: a lower owner wrote later");
                owner = output.owner_number();
                let Some(src) = output.src else { continue };
                assert!(last < Some(src), "partition {partition}: {src} after {last:?}");
                assert_eq!(header.as_deref(), Some(src.to_string().as_str()));
                last = Some(src);
            }
        }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_topics(&Topic::ALL)
    }

    pub(crate) fn with_topics(topics: &[Topic]) -> Self {
        let specs: Vec<TopicSpec> =
            topics.iter().map(|topic| topic.described("", PARTITIONS, OUTPUT_RETENTION_MS).into()).collect();
        let broker = Embedded::start(specs).unwrap();
        let cluster = broker.cluster();
        let settings =
            ProducerSettings { message_timeout: None, linger: Duration::from_millis(1), queue_bytes: 64 << 20 };
        let read = [Topic::Output, Topic::Verdicts, Topic::State, Topic::DeadLetter];
        let readers = read.into_iter().filter(|topic| topics.contains(topic)).map(|topic| {
            let reader = Reader::new(&cluster, &topic.name("")).unwrap();
            (0..topic.partitions(PARTITIONS)).for_each(|partition| reader.assign(partition, 0).unwrap());
            (topic, reader)
        });
        Self {
            producer: Producer::new(&cluster, settings).unwrap(),
            readers: readers.collect(),
            heard: Everything::default(),
            ground: ground(cluster),
            _broker: broker,
        }
    }

    /// Starts a filter and waits until it judges.
    pub(crate) async fn filter(&self, config: Config) -> Judge {
        let judge = self.filter_unready(config);
        let ready = tokio::time::timeout(PATIENCE, self.ground.readiness.wait_ready()).await;
        assert!(ready.is_ok(), "not ready: {:?}", self.ground.readiness.not_ready());
        judge
    }

    /// Starts a filter and does not wait.
    pub(crate) fn filter_unready(&self, config: Config) -> Judge {
        Judge::start(&self.ground, config).unwrap()
    }

    /// The same river for a filter with conditions of its own.
    pub(crate) fn beside(&self) -> Ground {
        Ground { readiness: Readiness::new(), ..self.ground.clone() }
    }

    /// Writes a record and returns its offset.
    pub(crate) fn write(&self, topic: Topic, partition: i32, key: &str, value: &[u8]) -> u64 {
        self.write_with(topic, partition, key, value, &[])
    }

    /// Writes an output record as a filter does.
    pub(crate) fn write_output(&self, partition: i32, output: &Output) {
        let src = output.src.map(|src| src.to_string()).unwrap_or_default();
        let headers = [("src", src.as_bytes())];
        let headers = if output.is_claim() { &[] } else { &headers[..] };
        self.write_with(Topic::Output, partition, &output.room, &encode(output), headers);
    }

    fn write_with(&self, topic: Topic, partition: i32, key: &str, value: &[u8], headers: &[(&str, &[u8])]) -> u64 {
        let name = topic.name("");
        let record = Outgoing { topic: &name, partition, key: Some(key.as_bytes()), value: Some(value), headers };
        // The tests' own thread drives a runtime, which must not be blocked unannounced.
        match tokio::task::block_in_place(|| self.producer.send(record).unwrap().wait()) {
            Outcome::Acked(offset) => offset,
            failed @ Outcome::Failed(_) => panic!("{failed:?}"),
        }
    }

    /// Writes a version of the rule book whose words block, as a moderation service does.
    pub(crate) fn publish(&self, number: u64, scope: &str, words: &[&str]) {
        let entry = |word: &&str| {
            let id = format!("e-{word}");
            Entry { id, text: (*word).to_owned(), severity: 3, ..Entry::default() }
        };
        self.publish_entries(number, scope, &words.iter().map(entry).collect::<Vec<_>>());
    }

    /// Writes a version of the rule book.
    pub(crate) fn publish_entries(&self, number: u64, scope: &str, entries: &[Entry]) {
        let chunks = pack(entries).unwrap();
        for chunk in &chunks {
            let record = Record::Chunk(RuleChunk { entries: chunk.packed.clone() });
            self.write_rule(&Key::Chunk(chunk.hash), record);
        }
        let chunks = chunks.iter().map(|chunk| chunk.hash.to_vec()).collect();
        let version = RuleVersion { scope: scope.to_owned(), number, chunks, ..RuleVersion::default() };
        self.write_rule(&Key::Version(scope.parse().unwrap(), number), Record::Version(version));
    }

    /// Writes a record of the rule book.
    pub(crate) fn write_rule(&self, key: &Key, record: Record) {
        self.write(Topic::Rules, 0, &key.to_string(), &encode(&Rules { record: Some(record) }));
    }

    /// Waits until `condition` is not ready for a reason that holds `word`.
    pub(crate) fn until_not_ready(&mut self, condition: &str, word: &str) {
        let readiness = self.ground.readiness.clone();
        let said = |_: &Everything| {
            let reasons = readiness.not_ready();
            reasons.iter().any(|why| why.condition == condition && why.reason.contains(word)).then_some(())
        };
        self.until(&format!("{condition} because of {word}"), said);
    }

    /// Puts an input where a door would put it.
    pub(crate) fn put(&self, input: &Input) -> MessageId {
        let partition = partition::of(input.room.as_bytes(), PARTITIONS);
        let offset = self.write(Topic::Input, partition, &input.room, &encode(input));
        MessageId { generation: GENERATION, partition, offset }
    }

    /// Says something.
    pub(crate) fn say(&self, room: &str, user: &str, text: &str) -> MessageId {
        self.put(&said(room, user, "", text))
    }

    /// Reads on until `done` says so.
    pub(crate) fn until<T>(&mut self, what: &str, mut done: impl FnMut(&Everything) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.read_on();
            if let Some(answer) = done(&self.heard) {
                return answer;
            }
            assert!(Instant::now() < deadline, "{what}: not seen; not ready: {:?}", self.ground.readiness.not_ready());
        }
    }

    /// Reads on until `id` is answered, and gives the answer.
    pub(crate) fn answer(&mut self, id: MessageId) -> Output {
        self.until(&format!("the answer to {id}"), |heard| heard.answer(id).cloned())
    }

    fn read_on(&mut self) {
        for (topic, reader) in &self.readers {
            while let Ok(Some(heard)) = reader.poll(Duration::from_millis(10)) {
                let Heard::Record(record) = heard else { continue };
                let (partition, value) = (record.partition(), record.value());
                match topic {
                    Topic::Output => {
                        let src = record.header("src").map(|src| String::from_utf8_lossy(src).into_owned());
                        self.heard.outputs.entry(partition).or_default().push((decode(value).unwrap(), src));
                    }
                    Topic::Verdicts => {
                        let verdict: Verdict = decode(value).unwrap();
                        let room = String::from_utf8_lossy(record.key().unwrap()).into_owned();
                        match verdict.ranges.is_empty() {
                            true => self.heard.verdicts.push(verdict),
                            false => self.heard.tallies.push((partition, room, verdict)),
                        }
                    }
                    Topic::State => {
                        let key = String::from_utf8_lossy(record.key().unwrap()).into_owned();
                        self.heard.states.push((key, decode(value).unwrap()));
                    }
                    _ => self.heard.letters.push(decode(value).unwrap()),
                }
            }
        }
    }

    /// Waits until the group has committed these offsets.
    pub(crate) fn until_committed(&self, expected: &BTreeMap<i32, u64>) {
        let look_up = LookUp::new(&self.ground.cluster, &filter_group("", GENERATION), Duration::from_secs(5)).unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let partitions: Vec<i32> = expected.keys().copied().collect();
            let committed = look_up.committed(&Topic::Input.name(""), &partitions).unwrap();
            if committed == *expected {
                return;
            }
            assert!(Instant::now() < deadline, "committed: {committed:?}, expected {expected:?}");
        }
    }

    /// Commits these offsets as a member of the group that then leaves: what a filter that crashed may have left.
    pub(crate) fn commit(&self, offsets: &[(i32, u64)]) {
        let second = Duration::from_secs(1);
        let timing = Timing { session: 6 * second, heartbeat: second / 2, poll: 10 * second };
        let group = filter_group("", GENERATION);
        let member = Membership::join(&self.ground.cluster, &group, &Topic::Input.name(""), timing, None).unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(change) = member.poll(Duration::from_millis(50)).unwrap() {
                member.accept(&change).unwrap();
                if matches!(change, Change::Assigned(_)) {
                    break;
                }
            }
            assert!(Instant::now() < deadline, "no member of {group}");
        }
        member.commit(offsets.iter().copied()).unwrap();
    }
}

fn ground(cluster: Cluster) -> Ground {
    Ground {
        cluster,
        topic_prefix: String::new(),
        generation: GENERATION,
        partitions: PARTITIONS,
        redis: None,
        readiness: Readiness::new(),
        pages: chassis::admin::Pages::default(),
        tracer: chassis::trace::Tracer::off(),
        shutdown: Shutdown::new(),
        verifier: Arc::new(Verifier::empty()),
        trusted_proxies: Vec::new(),
        origins: Vec::new(),
        drain: Duration::from_secs(10),
    }
}

/// A config with one invented word.
pub(crate) fn config() -> Config {
    Config::default().with_words_or("# invented\nblorp\n")
}

/// What a door writes of a danmaku.
pub(crate) fn said(room: &str, user: &str, client_id: &str, text: &str) -> Input {
    let say = v1::Say { text: text.to_owned(), ..Default::default() };
    Input { client_id: client_id.to_owned(), ..brought(room, user, Role::Sender, Body::Say(say)) }
}

/// What a door writes of anything.
pub(crate) fn brought(room: &str, user: &str, role: Role, body: Body) -> Input {
    Input {
        generation: GENERATION,
        room: room.to_owned(),
        user: Some(v1::User { id: user.to_owned(), name: user.to_owned(), ..Default::default() }),
        role: role as i32,
        accepted_ms: 7,
        body: Some(body),
        ..Default::default()
    }
}

/// A word file of its own; gone when dropped.
pub(crate) struct WordFile(pub(crate) std::path::PathBuf);

static WORD_FILES: Mutex<u32> = Mutex::new(0);

impl WordFile {
    pub(crate) fn holding(content: &[u8]) -> Self {
        let mut number = WORD_FILES.lock().unwrap();
        *number += 1;
        let path = std::env::temp_dir().join(format!("danmaku-judging-{}-{number}", std::process::id()));
        let file = Self(path);
        file.holds(content);
        file
    }

    pub(crate) fn holds(&self, content: &[u8]) {
        std::fs::write(&self.0, content).unwrap();
    }
}

impl Drop for WordFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
