//! As whom Kafka is asked: what librdkafka is told of it, and whether Kafka lets us in.
//! Kept out: what we may do once inside, which each topic's answers say.

use std::{
    fmt, fs,
    path::Path,
    sync::OnceLock,
    time::{Duration, Instant},
};

use rdkafka::{
    ClientContext,
    config::RDKafkaLogLevel,
    error::KafkaError,
    message::DeliveryResult,
    producer::{BaseProducer, Producer as _, ProducerContext},
    types::RDKafkaErrorCode,
};

use super::{Cluster, context};
use crate::settings::{KafkaAccess, Mechanism};

const PASSWORD: &str = "--kafka-password-file (DANMAKU_KAFKA_PASSWORD_FILE)";
const CA: &str = "--kafka-ca (DANMAKU_KAFKA_CA)";
const CERTIFICATE: &str = "--kafka-certificate (DANMAKU_KAFKA_CERTIFICATE)";
const KEY: &str = "--kafka-key (DANMAKU_KAFKA_KEY)";

/// What every client is told besides where Kafka is. It shows itself without the password.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Access(Vec<(&'static str, String)>);

impl Access {
    /// Reads the files that the settings name.
    ///
    /// # Errors
    /// A sentence that names the setting, when a file cannot be read.
    pub fn of(given: &KafkaAccess) -> Result<Self, String> {
        let mut pairs = Vec::new();
        if let (Some(user), Some(file)) = (&given.kafka_user, &given.kafka_password_file) {
            let mechanism = match given.kafka_mechanism {
                Mechanism::Plain => "PLAIN",
                Mechanism::ScramSha256 => "SCRAM-SHA-256",
                Mechanism::ScramSha512 => "SCRAM-SHA-512",
            };
            let password = text(file, PASSWORD)?;
            // A file ends with a line's end, a password does not.
            let password = password.trim_end_matches(['\r', '\n']);
            if password.is_empty() {
                return Err(format!("{PASSWORD}: {} is empty; put the password there", file.display()));
            }
            pairs.extend([("sasl.mechanisms", mechanism.to_owned()), ("sasl.username", user.clone())]);
            pairs.push(("sasl.password", password.to_owned()));
        }
        for (key, file, setting, label) in [
            ("ssl.ca.location", &given.kafka_ca, CA, "CERTIFICATE"),
            ("ssl.certificate.location", &given.kafka_certificate, CERTIFICATE, "CERTIFICATE"),
            ("ssl.key.location", &given.kafka_key, KEY, "PRIVATE KEY"),
        ] {
            if let Some(file) = file {
                pem(file, setting, label)?;
                pairs.push((key, file.display().to_string()));
            }
        }
        let protocol = match (given.kafka_user.is_some(), given.kafka_ca.is_some()) {
            (false, false) => return Ok(Self::default()),
            (true, false) => "sasl_plaintext",
            (false, true) => "ssl",
            (true, true) => "sasl_ssl",
        };
        pairs.push(("security.protocol", protocol.to_owned()));
        Ok(Self(pairs))
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(key, value)| (*key, value.as_str()))
    }
}

fn read(file: &Path, setting: &str) -> Result<Vec<u8>, String> {
    fs::read(file)
        .map_err(|error| format!("{setting}: {} cannot be read: {error}; name a file that can", file.display()))
}

fn text(file: &Path, setting: &str) -> Result<String, String> {
    String::from_utf8(read(file, setting)?)
        .map_err(|_| format!("{setting}: {} is no text in UTF-8; write it so", file.display()))
}

/// Looks whether there is a `label` in PEM at all; what is in it, OpenSSL sees.
fn pem(file: &Path, setting: &str, label: &str) -> Result<(), String> {
    let held = read(file, setting)?;
    let begins = |line: &str| line.starts_with("-----BEGIN ") && line.trim_end().ends_with(&format!("{label}-----"));
    if String::from_utf8_lossy(&held).lines().any(begins) {
        return Ok(());
    }
    let is = file.display();
    Err(format!("{setting}: {is} holds no {label} in PEM; name a file with a line -----BEGIN {label}----- in it"))
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(key, _)| key)).finish()
    }
}

/// How long Kafka may take to say whether it lets us in. One that says nothing is away, which is no refusal.
const LET_IN_WITHIN: Duration = Duration::from_secs(5);

/// Asks Kafka whether it lets us in. `Err` is its no; one that is away says nothing, and may be back in a moment.
///
/// # Errors
/// A sentence that names the settings.
pub async fn let_in(cluster: &Cluster) -> Result<(), String> {
    match knocked(cluster).await {
        Answer::In | Answer::Silent => Ok(()),
        Answer::No(no) => Err(no),
    }
}

/// The same for who must have an answer.
///
/// # Errors
/// Also when there is none.
pub async fn reach(cluster: &Cluster) -> Result<(), String> {
    match knocked(cluster).await {
        Answer::In => Ok(()),
        Answer::Silent => Err(format!("no answer within {} s", LET_IN_WITHIN.as_secs())),
        Answer::No(no) => Err(no),
    }
}

/// What a knock brings.
enum Answer {
    In,
    /// A sentence that names the settings.
    No(String),
    Silent,
}

async fn knocked(cluster: &Cluster) -> Answer {
    let cluster = cluster.clone();
    tokio::task::spawn_blocking(move || knock(&cluster)).await.unwrap_or(Answer::Silent)
}

fn knock(cluster: &Cluster) -> Answer {
    // A producer, because a consumer hears only a code, and nothing of a certificate.
    let producer: BaseProducer<Door> = match cluster.client().create_with_context(Door::default()) {
        Ok(producer) => producer,
        // Librdkafka cannot use what it is told.
        Err(error) => return Answer::No(unusable(&error.to_string())),
    };
    let give_up = Instant::now() + LET_IN_WITHIN;
    while Instant::now() < give_up {
        // Of one topic, which need not exist: of all of them it may be megabytes.
        if producer.client().fetch_metadata(Some("danmaku-input"), Duration::from_millis(250)).is_ok() {
            return Answer::In;
        }
        producer.poll(Duration::ZERO);
        if let Some((code, reason)) = producer.context().no.get() {
            return Answer::No(no(&cluster.brokers, *code, reason));
        }
    }
    Answer::Silent
}

/// Hears the first no, with its reason.
#[derive(Default)]
struct Door {
    no: OnceLock<(RDKafkaErrorCode, String)>,
}

impl ClientContext for Door {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        context::log(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        tracing::debug!(target: "kafka", %error, reason, "at the door");
        if let Some(code) = error.rdkafka_error_code().filter(|code| is_no(*code, reason)) {
            let _ = self.no.set((code, reason.to_owned()));
        }
    }
}

impl ProducerContext for Door {
    type DeliveryOpaque = ();

    fn delivery(&self, _: &DeliveryResult<'_>, (): ()) {}
}

/// In TLS 1.3 a broker says no to a certificate when the handshake is over, so it is no error of TLS any more.
fn is_no(code: RDKafkaErrorCode, reason: &str) -> bool {
    use RDKafkaErrorCode as Code;
    matches!(code, Code::Authentication | Code::SaslAuthenticationFailed | Code::SSL) || is_alert(reason)
}

/// Whether the other side said it, in TLS.
fn is_alert(reason: &str) -> bool {
    reason.contains("SSL routines:") && reason.contains(" alert ")
}

/// Kafka's no, by the settings that it is about.
fn no(brokers: &str, code: RDKafkaErrorCode, reason: &str) -> String {
    // Librdkafka tells of its own settings behind it.
    let reason = reason.split(": broker certificate could not be verified").next().unwrap_or(reason);
    if is_alert(reason) {
        format!(
            "--kafka-certificate, --kafka-key (DANMAKU_KAFKA_…): Kafka at {brokers} does not let this program in ({reason}); \
             give a certificate that Kafka's authority signed, and its key"
        )
    } else if reason.contains("certificate verify failed") {
        format!(
            "{CA}: the certificate of Kafka at {brokers} is not of this authority, or not for that name \
             ({reason}); give the authority that signed it, and in --brokers a name that stands in it"
        )
    } else if code == RDKafkaErrorCode::SSL {
        format!(
            "{CA}: there is no TLS with Kafka at {brokers} ({reason}); give in --brokers a listener \
             that speaks it"
        )
    } else {
        format!(
            "--kafka-user, --kafka-password-file, --kafka-mechanism (DANMAKU_KAFKA_…): Kafka at {brokers} does not let this \
             program in ({reason}); give the user and the password that Kafka knows"
        )
    }
}

/// What librdkafka cannot use, by the setting from which it has it.
fn unusable(why: &str) -> String {
    let of = |name: &str| why.contains(name);
    let setting = if of("ssl.ca.location") {
        CA
    } else if of("ssl.certificate.location") {
        CERTIFICATE
    } else if of("ssl.key.location") || of("rivate key") {
        KEY
    } else {
        "--kafka-user, --kafka-ca and their like (DANMAKU_KAFKA_…)"
    };
    format!(
        "{setting}: it cannot be used ({why}); give a PEM file without a passphrase, and a key that is its certificate's"
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_password_is_read_and_never_shown() {
        let file = std::env::temp_dir().join(format!("danmaku-password-{}", std::process::id()));
        fs::write(&file, "hush\n").unwrap();
        let given = KafkaAccess {
            kafka_user: Some("fanout".to_owned()),
            kafka_password_file: Some(file.clone()),
            kafka_mechanism: Mechanism::Plain,
            ..KafkaAccess::default()
        };
        let access = Access::of(&given).unwrap();
        assert!(access.pairs().any(|pair| pair == ("sasl.password", "hush")));
        assert!(access.pairs().any(|pair| pair == ("security.protocol", "sasl_plaintext")));
        assert!(!format!("{access:?}").contains("hush"));
        fs::remove_file(&file).unwrap();
        assert!(Access::of(&given).unwrap_err().contains("DANMAKU_KAFKA_PASSWORD_FILE"));
        let tls = KafkaAccess { kafka_ca: Some(PathBuf::from("/nowhere/ca.pem")), ..KafkaAccess::default() };
        assert!(Access::of(&tls).unwrap_err().contains("--kafka-ca"));
        assert_eq!(Access::of(&KafkaAccess::default()), Ok(Access::default()));
    }

    #[test]
    fn a_file_of_another_kind_is_named() {
        let file = std::env::temp_dir().join(format!("danmaku-pem-{}", std::process::id()));
        let given = |held: &[u8]| {
            fs::write(&file, held).unwrap();
            Access::of(&KafkaAccess { kafka_ca: Some(file.clone()), ..KafkaAccess::default() })
        };
        let pem = b"Issuer: us\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        assert!(given(pem).is_ok());
        for held in [&b""[..], b"nonsense\n", b"\x30\x82\xff\x00", b"-----BEGIN PRIVATE KEY-----\n"] {
            let told = given(held).unwrap_err();
            assert!(told.starts_with("--kafka-ca (DANMAKU_KAFKA_CA)") && told.contains("no CERTIFICATE"), "{told}");
        }
        fs::remove_file(&file).unwrap();
    }
}
