//! The hall's own knobs, each with the reason for its default. What all services share is kept out (`chassis`).

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use chassis::{
    descriptors, memory,
    settings::{parse_bytes, parse_duration},
};
use hyper::http::uri::{Authority, Uri};

/// What the hall is told besides the common settings.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct Config {
    /// Threads that own viewers; 0 = one for each core.
    // A shard never waits, so a second one on a core would only take turns with the first.
    #[arg(long, env = "DANMAKU_SHARDS", value_name = "NUMBER", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=256))]
    pub shards: u16,

    /// How long a busy room gathers messages before they are written together, on a shard with time to spare; a quiet room's
    /// first goes at once.
    // A write costs 4.4 µs whatever it carries, so 50 ms make a room of 500 msg/s 25 times cheaper for each viewer, and
    // add 25 ms on average.
    #[arg(long, env = "DANMAKU_WINDOW", value_name = "DURATION", default_value = "50ms", value_parser = window)]
    pub window: Duration,

    /// How long it gathers them at most, on a shard that is busy; the windows grow and shrink between the two.
    // Each doubling halves the work. Above 200 ms each write pays an immediate ACK (+40 %), and at 250 ms a danmaku is seen
    // 320 ms after Kafka has it at the latest, which is still a blink.
    #[arg(long, env = "DANMAKU_WINDOW_MAX", value_name = "DURATION", default_value = "250ms", value_parser = window)]
    pub window_max: Duration,

    /// Whether viewers without a token may watch.
    // Watching is public on most platforms, and a page shows something before anybody has logged in.
    #[arg(long, env = "DANMAKU_ANONYMOUS", value_name = "BOOL", default_value_t = true,
          action = clap::ArgAction::Set)]
    pub anonymous: bool,

    /// How long a viewer's socket may take nothing before he is closed with 4001.
    // A phone that changes cells is back within 10 s; after 15 s the room's ring has nothing fresh left for him anyway.
    #[arg(long, env = "DANMAKU_BLOCKED_MAX", value_name = "DURATION", default_value = "15s",
          value_parser = parse_duration)]
    pub blocked_max: Duration,

    /// How long a viewer may be silent before he is closed with 4002.
    // Two pings of 30 s may be lost, and the third still comes in time.
    #[arg(long, env = "DANMAKU_IDLE", value_name = "DURATION", default_value = "75s", value_parser = parse_duration)]
    pub idle: Duration,

    /// How often a client is asked to ping.
    // Mobile networks forget idle connections after a minute; 10,000 viewers make 333 pings a second.
    #[arg(long, env = "DANMAKU_PING", value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    pub ping: Duration,

    /// How far back a viewer can come back without missing anything.
    // As long as a silent connection stays open: whoever is closed for silence has not missed anything yet. A partition keeps
    // 32 MiB at most, which at 700 B a message is 75 s of 640 a second.
    #[arg(long, env = "DANMAKU_HISTORY", value_name = "DURATION", default_value = "75s", value_parser = parse_duration)]
    pub history: Duration,

    /// How long danmaku-output is kept, as `danmaku topics apply` was told; no --history can be longer.
    #[arg(long, env = "DANMAKU_OUTPUT_RETENTION", value_name = "DURATION", default_value = "1h",
          value_parser = parse_duration)]
    pub output_retention: Duration,

    /// Chat that is later than this behind its acceptance is not shown as live but counted in a gap.
    // Danmaku answer what is on the screen; 3 s later the scene is another.
    #[arg(long, env = "DANMAKU_FRESH", value_name = "DURATION", default_value = "3s", value_parser = parse_duration)]
    pub fresh: Duration,

    /// Viewers at a time; who comes above it is told 503. 0 = as many as the limit of open files (ulimit -n) allows.
    // Each is a socket, and with --tls-cert three. What the process keeps for itself is the chassis's affair; 128 more are for
    // handshakes under way and requests that are no viewers, so that who is refused is told so in HTTP: a limit of 20,000 makes
    // 19,488.
    #[arg(long, env = "DANMAKU_VIEWERS_MAX", value_name = "NUMBER", default_value_t = 0)]
    pub viewers_max: usize,

    /// Viewers at a time from one address (or IPv6 /64); who comes above it is told 503. 0 = no cap.
    // A carrier puts thousands of phones behind one address, and so does a proxy that --trusted-proxies does not name: none
    // unless it is known who stands in front. 64 suits an open network.
    #[arg(long, env = "DANMAKU_ADDRESS_CONNECTIONS_MAX", value_name = "NUMBER", default_value_t = 0)]
    pub address_connections_max: u32,

    /// New connections let in each second, and as many at once; who is faster waits. 0 = as fast as they come.
    // A handshake costs 100 µs: 2,000 a second are a fifth of a core, which leaves the rest to those who are in already, and
    // the 20,000 viewers of a node that died are back after 10 s.
    #[arg(long, env = "DANMAKU_HANDSHAKES_RATE", value_name = "NUMBER", default_value_t = 2_000)]
    pub handshakes_rate: u32,

    /// Memory for viewers, rooms and history, such as 512MiB; above it nobody is let in, and the slowest and the newest viewers
    /// are closed with 4004. 0 = half of what the container or the machine has.
    // Half: the other one is the allocator's, Kafka's buffers' and the kernel's. 20,000 viewers at 3 KiB are 60 MB, a
    // partition 40 MiB at most (history 32, what stands in rooms 8), a room's frames 512 KiB on each shard at most, 1.5 MiB
    // where moderators see it first.
    #[arg(long, env = "DANMAKU_MEMORY_MAX", value_name = "BYTES", default_value = "0", value_parser = parse_bytes)]
    pub memory_max: u64,

    /// How many connections a user may have, on all nodes together; a newer one replaces the oldest with 4502. 0 is any
    /// number. Without --redis each node counts for itself.
    // One: a stolen token shows, and nobody weighs twice. Platforms whose users watch on phone and desk set 2 or 0.
    #[arg(long, env = "DANMAKU_PLACES", value_name = "NUMBER", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(0..=100))]
    pub places: u16,

    /// Who of a user's connections must acknowledge a direct notice before it leaves his mailbox.
    #[arg(long, env = "DANMAKU_NOTICE_ACK", value_name = "WHO", default_value = "one", value_enum)]
    pub notice_ack: NoticeAck,

    /// Where viewers reach this node, as GET /v1/rooms/{room}/where tells it; the address of --listen unless it is given.
    #[arg(long, env = "DANMAKU_ADVERTISE", value_name = "HOST:PORT", value_parser = advertised)]
    pub advertise: Option<String>,

    /// What this node calls itself in `hello`; the machine's name and a random suffix unless it is given.
    #[arg(long, env = "DANMAKU_NODE", value_name = "NAME")]
    pub node: Option<String>,

    /// Doors for what viewers send on their sockets, a comma list of http://host:port, asked in turn; without one viewers
    /// only watch, and `hello` says so. In one process it is the own door unless another is given.
    #[arg(long, env = "DANMAKU_INGEST", value_name = "URL,...", value_delimiter = ',', value_parser = door)]
    pub ingest: Vec<Authority>,

    /// A file with the relay token that the doors want, read again each minute. Without it this node mints its own for an
    /// hour and renews it, if --keys holds a key that can sign (HS256, or EdDSA with its private part).
    // Production has only public keys here: `danmaku token --roles relay --sub fanout` is run where the private one is.
    #[arg(long, env = "DANMAKU_RELAY_TOKEN_FILE", value_name = "FILE")]
    pub relay_token_file: Option<PathBuf>,
}

/// A door's address out of `http://host:port`. There is no TLS between our services; a sidecar or the network brings it.
fn door(text: &str) -> Result<Authority, String> {
    let uri = text.trim().parse::<Uri>().ok().filter(|uri| uri.scheme_str() == Some("http"));
    let bare = uri.filter(|uri| uri.path() == "/" && uri.query().is_none());
    bare.and_then(|uri| uri.authority().filter(|authority| !authority.as_str().contains('@')).cloned())
        .ok_or_else(|| "a door is http://host:port, such as http://ingest:8081".to_owned())
}

/// Connections that are no viewers, or not yet.
const OTHERS: usize = 128;

/// Who must acknowledge a direct notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum NoticeAck {
    /// The first who does so is enough.
    One,
    /// Everyone who is connected.
    All,
}

impl NoticeAck {
    pub(crate) fn is_all(self) -> bool {
        self == Self::All
    }
}

/// How many of a port's connections may be viewers.
fn share(connections_max: usize) -> usize {
    connections_max.saturating_sub(OTHERS).max(connections_max / 2)
}

/// A host and a port, or a URL for those whose viewers come through a gateway.
fn advertised(text: &str) -> Result<String, String> {
    let is_plain = !text.is_empty() && text.len() <= 255 && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain { Ok(text.into()) } else { Err("an address is like hall-0.example.com:443, or a URL".into()) }
}

/// A window of nothing would write every message alone; above a second nobody would call it live.
fn window(text: &str) -> Result<Duration, String> {
    let window = parse_duration(text).map_err(|error| error.to_string())?;
    let allowed = Duration::from_millis(1)..=Duration::from_secs(1);
    if allowed.contains(&window) { Ok(window) } else { Err("a window is between 1ms and 1s".into()) }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            shards: 0,
            window: Duration::from_millis(50),
            window_max: Duration::from_millis(250),
            anonymous: true,
            blocked_max: Duration::from_secs(15),
            idle: Duration::from_secs(75),
            ping: Duration::from_secs(30),
            history: Duration::from_secs(75),
            output_retention: Duration::from_secs(3600),
            fresh: Duration::from_secs(3),
            viewers_max: 0,
            address_connections_max: 0,
            handshakes_rate: 2_000,
            memory_max: 0,
            places: 1,
            notice_ack: NoticeAck::One,
            advertise: None,
            node: None,
            ingest: Vec::new(),
            relay_token_file: None,
        }
    }
}

impl Config {
    /// What is wrong with these knobs taken together.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.ping >= self.idle {
            problems.push(format!(
                "--ping (DANMAKU_PING): {:?} must be shorter than --idle, {:?}, or nobody pings in time; shorten --ping, or \
                 lengthen --idle",
                self.ping, self.idle
            ));
        }
        if self.window > self.window_max {
            problems.push(format!(
                "--window (DANMAKU_WINDOW): {:?} is longer than --window-max, {:?}; shorten one, or lengthen the other",
                self.window, self.window_max
            ));
        }
        if self.history > self.output_retention {
            problems.push(format!(
                "--history (DANMAKU_HISTORY): {:?} are longer than --output-retention, {:?}, for which danmaku-output is kept; \
                 shorten --history, or keep the topic longer and say so in --output-retention",
                self.history, self.output_retention
            ));
        }
        problems
    }

    /// How many viewers there may be.
    pub(crate) fn viewers_max(&self) -> usize {
        match self.viewers_max {
            0 => share(descriptors::for_clients()),
            given => given,
        }
    }

    /// How much memory viewers, rooms and history may take.
    pub(crate) fn memory_max(&self) -> u64 {
        match self.memory_max {
            0 => memory::allowed().map_or(u64::MAX, |allowed| allowed / 2),
            given => given,
        }
    }

    /// The same, reached at `address` and with so many connections at a time, unless it says otherwise.
    #[must_use]
    pub fn listening_at(mut self, address: Option<SocketAddr>, connections_max: usize) -> Self {
        self.advertise = self.advertise.or_else(|| address.map(|address| address.to_string()));
        if self.viewers_max == 0 {
            self.viewers_max = share(connections_max);
        }
        self
    }

    /// Where viewers reach this node.
    pub(crate) fn address(&self) -> String {
        self.advertise.clone().unwrap_or_default()
    }

    /// How many shards there will be on this machine.
    pub(crate) fn shards(&self) -> usize {
        match self.shards {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            given => usize::from(given),
        }
    }

    /// What this node calls itself.
    pub(crate) fn node(&self) -> String {
        let named = || {
            let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            let host = if host.trim().is_empty() { "node" } else { host.trim() };
            format!("{host}-{:04x}", rand::random::<u16>())
        };
        self.node.clone().unwrap_or_else(named)
    }
}

/// Everything the hall is told when it runs alone.
#[derive(Debug, Clone, clap::Parser)]
#[command(name = "fanout", version, about = "The hall of Danmaku: every viewer of a room sees what may be shown")]
pub struct Settings {
    /// What every service is told.
    #[command(flatten)]
    pub common: chassis::settings::Common,
    /// The hall's own.
    #[command(flatten)]
    pub own: Config,
}

impl chassis::settings::Settings for Settings {
    const DEFAULTS: &'static [(&'static str, &'static str)] =
        &[("listen", "127.0.0.1:8082"), ("admin", "127.0.0.1:9093")];

    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.common.without_brokers().into_iter().collect();
        if !self.own.anonymous && self.common.keys.is_none() {
            problems.push(
                "--anonymous false (DANMAKU_ANONYMOUS): without keys nobody could watch; give --keys <FILE>".to_owned(),
            );
        }
        if !self.own.ingest.is_empty() && self.common.keys.is_none() {
            problems.push("--ingest (DANMAKU_INGEST): without keys nobody could send; give --keys <FILE>".to_owned());
        }
        problems.extend(self.common.problems());
        problems.extend(self.own.problems());
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chassis::settings::Stop;

    #[test]
    fn the_defaults_in_code_and_on_the_line_are_the_same() {
        let settings: Settings = chassis::settings::parse_from(["fanout", "--brokers", "localhost:9092"]).unwrap();
        assert_eq!(settings.own, Config::default());
    }

    #[test]
    fn viewers_are_as_many_as_the_port_takes_but_for_others() {
        let table = [(0, 19_616, 19_488), (0, 6_538, 6_410), (0, 100, 50), (7, 19_616, 7)];
        for (viewers_max, connections_max, expected) in table {
            let config = Config { viewers_max, ..Config::default() }.listening_at(None, connections_max);
            assert_eq!(config.viewers_max(), expected, "{viewers_max} of {connections_max}");
        }
    }

    #[test]
    fn doors() {
        for (text, expected) in [
            ("http://ingest:8081", Some("ingest:8081")),
            (" http://[::1]:8081/ ", Some("[::1]:8081")),
            ("http://ingest", Some("ingest")),
            ("https://ingest:8081", None),
            ("ingest:8081", None),
            ("http://ingest:8081/v1", None),
            ("http://me@ingest:8081", None),
            ("", None),
        ] {
            assert_eq!(door(text).ok().as_ref().map(Authority::as_str), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_work_together_is_named() {
        let line = ["fanout", "--brokers=x:9092", "--anonymous=false", "--ping=80s", "--ingest=http://door:8081"];
        let more = ["--window=300ms", "--history=2h", "--drain=30s", "--grace=30s"];
        let Err(Stop::Problems(problems)) = chassis::settings::parse_from::<Settings>(line.into_iter().chain(more))
        else {
            panic!("accepted");
        };
        for (problem, flag) in problems.0.iter().zip(["anonymous", "ingest", "drain", "ping", "window", "history"]) {
            assert!(problem.starts_with(&format!("--{flag} ")), "{problem}");
        }
        assert_eq!(problems.0.len(), 6, "{problems}");
    }
}
