//! The settings every service shares; flag and environment are the same words.
//! Kept out: settings of one service alone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use hyper::Uri;
use ipnet::IpNet;

use crate::listen::{Tls, TlsError};

use super::{KafkaAccess, RedisPlace, list_of_brokers, network, origin, otlp_endpoint, parse_duration, topic_prefix};

/// What every service is told. Flatten it into the service's own settings with `#[command(flatten)]`; other default
/// addresses go into [`DEFAULTS`](super::Settings::DEFAULTS).
#[derive(Debug, Clone, clap::Args)]
pub struct Common {
    /// Kafka's brokers to begin with, a comma list of host:port.
    #[arg(long, env = "DANMAKU_BROKERS", value_name = "HOST:PORT,...", value_parser = list_of_brokers)]
    pub brokers: Option<String>,

    /// As whom Kafka is asked.
    #[command(flatten)]
    pub kafka: KafkaAccess,

    /// Where clients are served; port 0 takes any free one (the ready line on stdout names it).
    #[arg(long, env = "DANMAKU_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Where operators are served: /livez, /readyz and /metrics. Never open it to the public.
    #[arg(long, env = "DANMAKU_ADMIN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9090")]
    pub admin: SocketAddr,

    /// The certificate for --listen, PEM, the server's own first and those who issued it behind: clients then speak TLS, and
    /// only who comes from this machine itself may do without. A new one in the file serves who comes from then on. Without
    /// this setting TLS ends in front, at a gateway.
    #[arg(long, env = "DANMAKU_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// The private key of --tls-cert, PEM, without a passphrase.
    #[arg(long, env = "DANMAKU_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// The keys that tokens are signed with, a JWKS file; each key must name its "alg". It is read again each minute, and
    /// what cannot be used then changes nothing.
    #[arg(long, env = "DANMAKU_KEYS", value_name = "FILE")]
    pub keys: Option<PathBuf>,

    /// The topics' generation; raise it by one when topics are created anew or the cluster is moved.
    #[arg(long, env = "DANMAKU_GENERATION", value_name = "NUMBER", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub generation: u32,

    /// How many partitions the room topics have; must be what the topics really have.
    // 64: a filter and a fanout node can be added up to that many times before a new topic version is needed.
    #[arg(long, env = "DANMAKU_PARTITIONS", value_name = "NUMBER", default_value_t = 64,
          value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub partitions: i32,

    /// Put before every topic, group and transactional id, so that several installations can share brokers.
    #[arg(long, env = "DANMAKU_TOPIC_PREFIX", value_name = "TEXT", default_value = "", hide_default_value = true,
          value_parser = topic_prefix)]
    pub topic_prefix: String,

    /// Where Redis is.
    #[command(flatten)]
    pub redis: RedisPlace,

    /// Networks of the proxies in front, a comma list; only what they add to X-Forwarded-For is believed.
    #[arg(long, env = "DANMAKU_TRUSTED_PROXIES", value_name = "NETWORK,...", value_delimiter = ',',
          value_parser = network)]
    pub trusted_proxies: Vec<IpNet>,

    /// Web origins whose pages may connect, a comma list of scheme://host:port; the own origin always may.
    #[arg(long, env = "DANMAKU_ORIGINS", value_name = "ORIGIN,...", value_delimiter = ',', value_parser = origin)]
    pub origins: Vec<String>,

    /// How long the program may take to leave after SIGTERM; a second signal ends it at once.
    // 30 s: Kubernetes kills after 30 s by default, give it terminationGracePeriodSeconds of this and a little more.
    #[arg(long, env = "DANMAKU_DRAIN", value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    pub drain: Duration,

    /// How long whoever ends this program waits before it is killed: Kubernetes' terminationGracePeriodSeconds less the
    /// preStop, systemd's TimeoutStopSec. Given, --drain is held against it.
    #[arg(long, env = "DANMAKU_GRACE", value_name = "DURATION", value_parser = parse_duration)]
    pub grace: Option<Duration>,

    /// How logs are written on stderr; RUST_LOG chooses which, for example RUST_LOG=info,fanout=debug.
    #[arg(long, env = "DANMAKU_LOG_FORMAT", value_name = "FORMAT", default_value = "text", value_enum)]
    pub log_format: LogFormat,

    /// Where spans are sent: the OTLP/HTTP receiver of an OpenTelemetry collector on this machine or network, such as
    /// http://collector:4318. Without one nothing is traced. TLS and credentials are the collector's part.
    #[arg(long, env = "DANMAKU_OTLP_ENDPOINT", value_name = "http://HOST:PORT", value_parser = otlp_endpoint)]
    pub otlp_endpoint: Option<Uri>,

    /// One danmaku in so many is traced from the door to the room; 0 = none by chance. Those that are late (over 1s) or
    /// fail are traced besides, ten a second at most.
    // At 50,000 a second these are 50 traces of three spans a second, 100 kB/s.
    #[arg(long, env = "DANMAKU_TRACE_ONE_IN", value_name = "DANMAKU", default_value_t = 1_000)]
    pub trace_one_in: u32,
}

impl Common {
    /// What is wrong between the values that every service has.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let mut problems = self.kafka.problems();
        if let Some(grace) = self.grace.filter(|grace| self.drain >= *grace) {
            problems.push(format!(
                "--drain (DANMAKU_DRAIN): {:?} are not over before --grace, {grace:?}, and who is still here then is cut off; \
                 shorten --drain, or lengthen the grace and say so in --grace",
                self.drain
            ));
        }
        problems
    }

    /// The TLS of the public port, if it is to have any; must be called on a tokio runtime.
    ///
    /// # Errors
    /// When its files cannot serve; the text names the setting and the remedy.
    pub fn tls(&self) -> Result<Option<Tls>, TlsError> {
        // One without the other was refused with the command line.
        let files = self.tls_cert.as_ref().zip(self.tls_key.as_ref());
        files.map(|(certificate, key)| Tls::open(certificate, key)).transpose()
    }

    /// What is wrong when a service that brings no broker of its own is named none.
    pub fn without_brokers(&self) -> Option<String> {
        let missing = "--brokers (DANMAKU_BROKERS): Kafka is needed; give --brokers <HOST:PORT,...>";
        self.brokers.is_none().then(|| missing.to_owned())
    }
}

/// How a log line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// For people: one line of words and fields.
    #[default]
    Text,
    /// For machines: one JSON object a line.
    Json,
}
