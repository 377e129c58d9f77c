//! As whom Kafka is asked, and how the way there is protected; flag and environment are the same words.
//! Kept out: where Kafka is, and whether it lets us in.

use std::path::PathBuf;

/// What a program is told about getting into Kafka. Without any of it, it goes there plainly.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct KafkaAccess {
    /// The name under which Kafka knows this program; the password stands in --kafka-password-file.
    #[arg(long, env = "DANMAKU_KAFKA_USER", value_name = "NAME")]
    pub kafka_user: Option<String>,

    /// The file with that user's password, read at the start.
    #[arg(long, env = "DANMAKU_KAFKA_PASSWORD_FILE", value_name = "FILE")]
    pub kafka_password_file: Option<PathBuf>,

    /// How the password is proved; scram needs a build with the feature kafka-tls.
    // What Strimzi gives its users. PLAIN shows the password to whoever hears the line, so it wants --kafka-ca beside it.
    #[arg(
        long,
        env = "DANMAKU_KAFKA_MECHANISM",
        value_name = "MECHANISM",
        default_value = "scram-sha-512",
        value_enum
    )]
    pub kafka_mechanism: Mechanism,

    /// The certificate (PEM) of who signed the brokers' certificates; with it Kafka is spoken to over TLS, which needs a
    /// build with the feature kafka-tls.
    #[arg(long, env = "DANMAKU_KAFKA_CA", value_name = "FILE")]
    pub kafka_ca: Option<PathBuf>,

    /// This program's own certificate (PEM), where Kafka wants one.
    #[arg(long, env = "DANMAKU_KAFKA_CERTIFICATE", value_name = "FILE")]
    pub kafka_certificate: Option<PathBuf>,

    /// The private key (PEM) of --kafka-certificate.
    #[arg(long, env = "DANMAKU_KAFKA_KEY", value_name = "FILE")]
    pub kafka_key: Option<PathBuf>,
}

/// How a password is proved to Kafka.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mechanism {
    /// It is sent as it stands.
    Plain,
    /// By a challenge.
    #[value(name = "scram-sha-256")]
    ScramSha256,
    /// By a challenge.
    #[default]
    #[value(name = "scram-sha-512")]
    ScramSha512,
}

/// Whether librdkafka was built with OpenSSL, which TLS and SCRAM are made of.
const HAS_TLS: bool = cfg!(feature = "kafka-tls");

impl KafkaAccess {
    /// Whether nothing was given.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.kafka_user.is_none() && self.kafka_ca.is_none()
    }

    /// What is wrong between these values.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let halves = [
            ("kafka-user", self.kafka_user.is_some(), "kafka-password-file", self.kafka_password_file.is_some()),
            ("kafka-certificate", self.kafka_certificate.is_some(), "kafka-key", self.kafka_key.is_some()),
        ];
        let mut problems: Vec<String> = Vec::new();
        for (one, has_one, other, has_other) in halves {
            let (given, missing) = if has_one { (one, other) } else { (other, one) };
            if has_one != has_other {
                problems.push(format!("--{given} ({}): it needs --{missing} beside it; give both", variable(given)));
            }
        }
        if self.kafka_certificate.is_some() && self.kafka_ca.is_none() {
            problems.push(format!(
                "--kafka-certificate ({}): it is shown over TLS only; give --kafka-ca <FILE> too",
                variable("kafka-certificate")
            ));
        }
        problems.extend(self.beyond(HAS_TLS));
        problems
    }

    /// What a build without TLS cannot do.
    fn beyond(&self, has_tls: bool) -> Option<String> {
        let remedy = "use a release's programs, or build with --features chassis/kafka-tls";
        match (has_tls, &self.kafka_ca, &self.kafka_user, self.kafka_mechanism) {
            (true, ..) | (false, None, None, _) | (false, None, Some(_), Mechanism::Plain) => None,
            (false, Some(_), ..) => {
                Some(format!("--kafka-ca ({}): this build speaks no TLS to Kafka; {remedy}", variable("kafka-ca")))
            }
            (false, None, Some(_), _) => Some(format!(
                "--kafka-mechanism ({}): this build knows no SCRAM; {remedy}, or give --kafka-mechanism plain",
                variable("kafka-mechanism")
            )),
        }
    }
}

fn variable(flag: &str) -> String {
    format!("DANMAKU_{}", flag.to_uppercase().replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(user: bool, password: bool, certificate: bool, key: bool, ca: bool) -> KafkaAccess {
        let file = |is_given: bool| is_given.then(|| PathBuf::from("f"));
        KafkaAccess {
            kafka_user: user.then(|| "fanout".to_owned()),
            kafka_password_file: file(password),
            kafka_mechanism: Mechanism::Plain,
            kafka_ca: file(ca),
            kafka_certificate: file(certificate),
            kafka_key: file(key),
        }
    }

    #[test]
    fn what_needs_something_beside_it_says_so() {
        for (given, words) in [
            (access(false, false, false, false, false), &[][..]),
            (access(true, true, false, false, false), &[]),
            (access(true, false, false, false, false), &["--kafka-user (DANMAKU_KAFKA_USER)"]),
            (access(false, true, false, false, false), &["--kafka-password-file (DANMAKU_KAFKA_PASSWORD_FILE)"]),
            (access(false, false, true, false, false), &["--kafka-key beside it", "--kafka-ca <FILE>"]),
            (access(false, false, true, true, false), &["--kafka-ca <FILE>"]),
        ] {
            let problems = given.problems();
            assert_eq!(problems.len(), words.len(), "{problems:?}");
            for (problem, word) in problems.iter().zip(words) {
                assert!(problem.contains(word), "{problem}");
            }
        }
    }

    #[test]
    fn a_build_without_tls_says_what_it_cannot_do() {
        let scram = KafkaAccess { kafka_mechanism: Mechanism::ScramSha512, ..access(true, true, false, false, false) };
        let tls = access(false, false, false, false, true);
        for (given, word) in [(&scram, "--kafka-mechanism"), (&tls, "--kafka-ca")] {
            assert!(given.beyond(false).is_some_and(|problem| problem.contains(word)), "{given:?}");
            assert_eq!(given.beyond(true), None);
        }
        assert_eq!(access(true, true, false, false, false).beyond(false), None);
    }
}
