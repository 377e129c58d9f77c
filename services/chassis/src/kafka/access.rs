//! As whom Kafka is asked: what librdkafka is told of it, and whether Kafka lets us in.
//! Kept out: what we may do once inside, which each topic's answers say.

use std::{
    fmt, fs,
    path::Path,
    time::{Duration, Instant},
};

use rdkafka::{
    consumer::{BaseConsumer, Consumer},
    error::KafkaError,
    types::RDKafkaErrorCode,
};

use super::{Cluster, context::Quiet};
use crate::settings::{KafkaAccess, Mechanism};

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
            let password = read(file, "--kafka-password-file (DANMAKU_KAFKA_PASSWORD_FILE)")?;
            pairs.extend([("sasl.mechanisms", mechanism.to_owned()), ("sasl.username", user.clone())]);
            // A file ends with a line's end, a password does not.
            pairs.push(("sasl.password", password.trim_end_matches(['\r', '\n']).to_owned()));
        }
        for (key, file, setting) in [
            ("ssl.ca.location", &given.kafka_ca, "--kafka-ca (DANMAKU_KAFKA_CA)"),
            ("ssl.certificate.location", &given.kafka_certificate, "--kafka-certificate (DANMAKU_KAFKA_CERTIFICATE)"),
            ("ssl.key.location", &given.kafka_key, "--kafka-key (DANMAKU_KAFKA_KEY)"),
        ] {
            if let Some(file) = file {
                read(file, setting)?;
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

fn read(file: &Path, setting: &str) -> Result<String, String> {
    fs::read_to_string(file)
        .map_err(|error| format!("{setting}: {} cannot be read: {error}; name a file that can", file.display()))
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
        Answer::No(why) => Err(no(cluster, &why)),
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
        Answer::No(why) => Err(no(cluster, &why)),
    }
}

fn no(cluster: &Cluster, why: &str) -> String {
    format!(
        "--kafka-user, --kafka-password-file, --kafka-ca (DANMAKU_KAFKA_…): Kafka at {} does not let this program in ({why}); \
         give the user, password and certificates that Kafka knows",
        cluster.brokers
    )
}

/// What a knock brings.
enum Answer {
    In,
    No(String),
    Silent,
}

async fn knocked(cluster: &Cluster) -> Answer {
    let cluster = cluster.clone();
    tokio::task::spawn_blocking(move || knock(&cluster)).await.unwrap_or(Answer::Silent)
}

fn knock(cluster: &Cluster) -> Answer {
    let consumer = cluster.consumer("danmaku-door").create_with_context(Quiet::default());
    let consumer: BaseConsumer<Quiet> = match consumer {
        Ok(consumer) => consumer,
        // Librdkafka cannot use what it is told.
        Err(error) => return Answer::No(error.to_string()),
    };
    let give_up = Instant::now() + LET_IN_WITHIN;
    while Instant::now() < give_up {
        // Of one topic, which need not exist: of all of them it may be megabytes.
        if consumer.fetch_metadata(Some("danmaku-input"), Duration::from_millis(250)).is_ok() {
            return Answer::In;
        }
        while let Some(heard) = consumer.poll(Duration::ZERO) {
            if let Err(error) = heard
                && is_refusal(&error)
            {
                return Answer::No(error.to_string());
            }
        }
    }
    Answer::Silent
}

fn is_refusal(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    matches!(error.rdkafka_error_code(), Some(Code::Authentication | Code::SaslAuthenticationFailed | Code::SSL))
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
}
