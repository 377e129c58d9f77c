//! One river for one test: topics of its own, keys, services as processes, senders and viewers. Faults are the test's.

mod moderators;
mod topics;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chassis::{
    kafka::Cluster,
    tokens::{Claims, Role, Signer},
};
use http_body_util::Full;
use hyper::Request;
use proto::partition;

use crate::{
    crowd::Table,
    ended::{self, Ended},
    kafka::Kafka,
    node::{self, Clock, Node, Recipe},
    sender::{Http, Sender},
    viewer::{Ticket, Viewer},
};

/// Eight are enough to spread rooms and few enough to create for each test.
pub const PARTITIONS: i32 = 8;

/// Invented words that the filter blocks.
pub const BLOCKED_WORDS: [&str; 2] = ["blorfed", "坏词甲"];

/// A river. Its nodes must be dropped before it, as locals declared later are.
pub struct World {
    /// Its broker.
    pub kafka: Arc<Kafka>,
    /// Before every topic and group.
    pub prefix: String,
    /// In every id and cursor, and in the flags of services started from now on.
    pub generation: u32,
    /// The clock of services started from now on.
    pub clock: Clock,
    /// How services started from now on reach Kafka; the direct way unless a test puts them behind a link.
    pub brokers: String,
    /// Where moderators' services started from now on keep what they do; a file of this test's unless it has a server.
    pub database: String,
    /// Whether filters started from now on judge by the rule book; by a file of words otherwise.
    pub by_the_book: bool,
    program: PathBuf,
    signer: Signer,
    keys: PathBuf,
    words: PathBuf,
    logs: PathBuf,
    started: AtomicU32,
    http: Http,
}

impl World {
    /// A river on the shared broker. `program` is this crate's `node`, `logs` a folder for the test alone.
    pub async fn new(name: &str, program: &Path, logs: &Path) -> Self {
        let kafka = tokio::task::spawn_blocking(Kafka::shared).await.expect("the shared broker");
        Self::on(kafka, name, program, logs).await
    }

    /// A river on a broker of its own.
    pub async fn on(kafka: Arc<Kafka>, name: &str, program: &Path, logs: &Path) -> Self {
        let world = Self::bare(kafka, name, program, logs);
        world.apply_topics(PARTITIONS).await;
        world
    }

    /// One without topics yet.
    ///
    /// # Panics
    /// When its files cannot be made: then there is nothing to test.
    pub fn bare(kafka: Arc<Kafka>, name: &str, program: &Path, logs: &Path) -> Self {
        let logs = logs.join(name);
        let _ = std::fs::remove_dir_all(&logs);
        std::fs::create_dir_all(&logs).expect("a folder for logs");
        let signer = Signer::random_hs256();
        let (keys, words) = (logs.join("keys.json"), logs.join("words.txt"));
        signer.save(&keys).expect("a file for keys");
        std::fs::write(&words, BLOCKED_WORDS.join("\n")).expect("a file for words");
        Self {
            brokers: kafka.direct().to_owned(),
            database: format!("sqlite://{}", logs.join("moderation.db").display()),
            by_the_book: false,
            prefix: format!("{}-", name.replace('_', "-")),
            generation: 1,
            clock: Clock::Right,
            program: program.to_owned(),
            signer,
            keys,
            words,
            logs,
            started: AtomicU32::new(1),
            http: Http::default(),
            kafka,
        }
    }

    /// Kafka, reached directly.
    pub fn cluster(&self) -> Cluster {
        self.kafka.cluster()
    }

    /// The partition of a room.
    pub fn partition_of(&self, room: &str) -> i32 {
        partition::of(room.as_bytes(), PARTITIONS)
    }

    /// A room name in `partition`, beginning with `stem`.
    ///
    /// # Panics
    /// Never: among thousands of names each of eight partitions has its share.
    pub fn room_in(&self, partition: i32, stem: &str) -> String {
        let mut names = (0..10_000).map(|number| format!("{stem}-{number}"));
        names.find(|name| self.partition_of(name) == partition).expect("a name for each partition")
    }

    /// Starts an ingest without door limits, as all senders share an address. One of `flags` beats ours.
    pub async fn ingest(&self, flags: &[&str]) -> Node {
        self.start("ingest", flags).await
    }

    /// Starts a filter.
    pub async fn filter(&self, flags: &[&str]) -> Node {
        self.start("filter", flags).await
    }

    /// Starts a fanout.
    pub async fn fanout(&self, flags: &[&str]) -> Node {
        self.start("fanout", flags).await
    }

    /// Starts a fanout that brings what its viewers send to these doors.
    pub async fn fanout_to(&self, doors: &[&Node]) -> Node {
        let doors: Vec<_> = doors.iter().map(|door| format!("http://{}", door.address())).collect();
        self.fanout(&["--ingest", &doors.join(",")]).await
    }

    /// Starts a fanout that may have so many files and sockets open.
    pub async fn fanout_with_files(&self, files_max: usize, flags: &[&str]) -> Node {
        Node::start(Recipe { files_max: Some(files_max), ..self.recipe("fanout", flags) }).await
    }

    async fn start(&self, service: &str, flags: &[&str]) -> Node {
        Node::start(self.recipe(service, flags)).await
    }

    /// Starts a service that will not become ready.
    pub async fn start_unready(&self, service: &str, flags: &[&str]) -> Node {
        Node::start_unready(self.recipe(service, flags)).await
    }

    /// Runs a service that is to refuse these settings.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn refused(&self, service: &str, flags: &[&str]) -> Ended {
        let Recipe { program, service, flags, .. } = self.recipe(service, flags);
        let line: Vec<_> = std::iter::once(service.to_owned()).chain(flags).collect();
        ended::run(program, &line).await
    }

    /// Runs a command of `danmaku`.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn command(&self, words: &[&str]) -> Ended {
        self.run(&[&["danmaku"], words].concat()).await
    }

    /// Runs the node program with these words alone.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn run(&self, words: &[&str]) -> Ended {
        let line: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        ended::run(&self.program, &line).await
    }

    /// Where its keys are.
    pub fn keys(&self) -> &Path {
        &self.keys
    }

    /// One more process; `given` flags beat ours.
    fn recipe<'a>(&'a self, service: &'a str, given: &[&str]) -> Recipe<'a> {
        let name = format!("{service}-{}", self.started.fetch_add(1, Ordering::Relaxed));
        let log = self.logs.join(format!("{name}.log"));
        let mut ours = vec![
            ("--brokers", self.brokers.clone()),
            ("--listen", "127.0.0.1:0".to_owned()),
            ("--admin", "127.0.0.1:0".to_owned()),
            ("--keys", self.keys.display().to_string()),
            ("--generation", self.generation.to_string()),
            ("--partitions", PARTITIONS.to_string()),
            ("--topic-prefix", self.prefix.clone()),
            ("--drain", "10s".to_owned()),
        ];
        match service {
            "ingest" => {
                ours.extend([("--door-user-rate", "0".to_owned()), ("--door-address-rate", "0".to_owned())]);
            }
            "filter" => {
                // Tests that count messages say them faster than anybody reads.
                ours.push(("--room-budget", "0".to_owned()));
                if !self.by_the_book {
                    ours.push(("--words", self.words.display().to_string()));
                }
            }
            "moderation" => ours.push(("--database", self.database.clone())),
            // The same few people watch by several wires.
            "fanout" => ours.push(("--places", "0".to_owned())),
            _ => {}
        }
        let mut flags: Vec<_> = given.iter().map(|&word| word.to_owned()).collect();
        for (flag, value) in ours.into_iter().filter(|(flag, _)| !given.contains(flag)) {
            flags.extend([flag.to_owned(), value]);
        }
        let clock = self.clock.clone();
        Recipe { program: &self.program, service, flags, clock, name, log, files_max: None, http: self.http.clone() }
    }

    /// Changes the words that filters block; they look each second.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn set_words(&self, words: &[&str]) {
        std::fs::write(&self.words, words.join("\n")).expect("a file for words");
    }

    /// A folder for what this test makes.
    pub fn folder(&self) -> &Path {
        &self.logs
    }

    /// Speakers for a room: so many that none is faster than the judge's one message a second at `Crowd`'s paces.
    pub fn table(&self, ingest: &Node, room: &str, people: usize) -> Table {
        let senders = (0..people).map(|number| self.sender(ingest, &format!("{room}-{number}"))).collect();
        Table { room: room.to_owned(), senders }
    }

    /// A token for `user`, good for a day: some test's clocks are wrong by an hour.
    ///
    /// # Panics
    /// Never for a signer that was made.
    pub fn token(&self, user: &str, roles: &[Role]) -> String {
        self.token_for(user, roles, Duration::from_secs(86_400))
    }

    /// A token for `user`, good for so long.
    ///
    /// # Panics
    /// Never for a signer that was made.
    pub fn token_for(&self, user: &str, roles: &[Role], ttl: Duration) -> String {
        self.mint(&Claims::new(user, roles.iter().copied().collect()), ttl)
    }

    fn mint(&self, claims: &Claims, ttl: Duration) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        self.signer.mint(claims, ttl, now).expect("a signed token")
    }

    /// Somebody who may send, at a door.
    pub fn sender(&self, ingest: &Node, user: &str) -> Sender {
        self.sender_as(ingest, user, &[Role::Viewer, Role::Sender])
    }

    /// Somebody with these roles, at a door.
    pub fn sender_as(&self, ingest: &Node, user: &str, roles: &[Role]) -> Sender {
        let token = self.token(user, roles);
        Sender { door: ingest.address(), token, http: self.http.clone() }
    }

    /// A platform's own server, at a door.
    pub fn service(&self, ingest: &Node) -> Sender {
        let token = self.token("platform", &[Role::Service]);
        Sender { door: ingest.address(), token, http: self.http.clone() }
    }

    /// A direct notice to `user`, from the platform's own server: the status and the answer.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn notify(&self, fanout: &Node, user: &str, body: &str) -> (u16, String) {
        let token = self.token("platform", &[Role::Service]);
        self.notify_as(fanout, user, body, &token).await
    }

    /// The same with any token.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn notify_as(&self, fanout: &Node, user: &str, body: &str, token: &str) -> (u16, String) {
        let request = Request::post(format!("http://{}/v1/users/{user}/notices", fanout.address()))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .body(Full::from(body.to_owned()));
        self.http.ask(request.expect("a request")).await.expect("a hall answers")
    }

    /// A page of a hall's public port: the status and the answer.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn get(&self, fanout: &Node, path: &str) -> (u16, String) {
        self.http.get(fanout.address(), path).await.expect("a hall answers")
    }

    /// A viewer with a name.
    ///
    /// # Panics
    /// When he is not let in.
    pub async fn viewer_named(&self, fanout: &Node, room: &str, user: &str) -> Viewer {
        let token = Some(self.token(user, &[Role::Viewer]));
        self.viewer_with(fanout, &Ticket { room: room.to_owned(), token, ..Ticket::default() }).await
    }

    /// An anonymous viewer of a room.
    ///
    /// # Panics
    /// When he is not let in.
    pub async fn viewer(&self, fanout: &Node, room: &str) -> Viewer {
        self.viewer_with(fanout, &Ticket { room: room.to_owned(), ..Ticket::default() }).await
    }

    /// A viewer with a token, who may send.
    ///
    /// # Panics
    /// When he is not let in.
    pub async fn speaker(&self, fanout: &Node, room: &str, user: &str) -> Viewer {
        let token = Some(self.token(user, &[Role::Viewer, Role::Sender]));
        self.viewer_with(fanout, &Ticket { room: room.to_owned(), token, ..Ticket::default() }).await
    }

    /// A viewer who comes back with his last cursor.
    ///
    /// # Panics
    /// When he is not let in.
    pub async fn viewer_since(&self, fanout: &Node, room: &str, since: &str) -> Viewer {
        let ticket = Ticket { room: room.to_owned(), since: Some(since.to_owned()), ..Ticket::default() };
        self.viewer_with(fanout, &ticket).await
    }

    /// A viewer of any kind, once his hello has come.
    ///
    /// # Panics
    /// When he is not let in.
    pub async fn viewer_with(&self, fanout: &Node, ticket: &Ticket) -> Viewer {
        let viewer = Viewer::connect(fanout.address(), ticket).await.expect("a viewer is let in");
        viewer.until("a hello", Duration::from_secs(30), |seen| seen.hello.is_some()).await;
        viewer
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let files = std::fs::read_dir(&self.logs).into_iter().flatten().flatten();
        let mut logs: Vec<_> = files.map(|file| file.path()).collect();
        logs.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
        logs.sort();
        for log in logs {
            eprintln!("──── the end of {}\n{}", log.display(), node::tail(&log));
        }
    }
}
