//! What librdkafka tells besides answers: log lines and errors, turned into tracing events and a fatal flag.

use std::sync::{Arc, OnceLock};

use rdkafka::{
    ClientContext, config::RDKafkaLogLevel, consumer::ConsumerContext, error::KafkaError, types::RDKafkaErrorCode,
};

/// The first fatal error of a client; after it the client must be thrown away.
pub(super) type FatalError = Arc<OnceLock<String>>;

/// The context of clients that have nothing else to tell.
#[derive(Default, Clone)]
pub(super) struct Quiet {
    pub(super) fatal: FatalError,
}

impl ClientContext for Quiet {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        log(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        note(&self.fatal, &error, reason);
    }
}

impl ConsumerContext for Quiet {}

/// Librdkafka warns about every lost connection; what matters to an operator is told by the caller, so it is `debug` here.
pub(super) fn log(level: RDKafkaLogLevel, facility: &str, line: &str) {
    match level {
        RDKafkaLogLevel::Emerg | RDKafkaLogLevel::Alert | RDKafkaLogLevel::Critical => {
            tracing::error!(target: "kafka", facility, "{line}");
        }
        _ => tracing::debug!(target: "kafka", facility, "{line}"),
    }
}

/// Remembers a fatal error; the others heal by themselves.
pub(super) fn note(fatal: &FatalError, error: &KafkaError, reason: &str) {
    if error.rdkafka_error_code() == Some(RDKafkaErrorCode::Fatal) {
        tracing::error!(target: "kafka", %error, reason, "fatal client error");
        let _ = fatal.set(reason.to_owned());
    } else {
        tracing::debug!(target: "kafka", %error, reason, "client error");
    }
}
