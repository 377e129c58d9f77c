//! Writing records in Kafka transactions under a fixed name: all of a step is read, or nothing of it. What is written, and
//! who may write, is kept out; but whoever begins under the same name later fences the one before.

use std::{sync::Mutex, time::Duration};

use rdkafka::{
    ClientContext, Message as _,
    config::RDKafkaLogLevel,
    error::KafkaError,
    message::DeliveryResult,
    producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer},
    types::RDKafkaErrorCode,
};

use super::{Cluster, Error, Outgoing, context, context::FatalError};

/// How long a step may take on Kafka's side: the broker aborts one that hangs, and readers are held up no longer.
const TRANSACTION_MS: &str = "30000";

/// Why a step was not written. All of it can be tried again, except by who was fenced.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    /// Somebody began under the same name later: this one must stop.
    #[error("another process writes under this name now")]
    Fenced,
    /// The record itself is at fault, for example too large.
    #[error("kafka takes no such record: {0}")]
    BadRecord(String),
    /// Nothing of it is to be read; this producer must be thrown away.
    #[error("{0}")]
    Broken(Error),
}

/// A producer whose steps are transactions. Its calls block.
pub struct Transactions {
    inner: ThreadedProducer<Reports>,
    timeout: Duration,
}

#[derive(Default)]
struct Reports {
    fatal: FatalError,
    /// The first record of the step that was refused.
    refused: Mutex<Option<KafkaError>>,
}

impl ClientContext for Reports {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        context::log(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        context::note(&self.fatal, &error, reason);
    }
}

impl ProducerContext for Reports {
    type DeliveryOpaque = ();

    fn delivery(&self, report: &DeliveryResult<'_>, (): ()) {
        if let Err((error, message)) = report {
            tracing::debug!(target: "kafka", %error, partition = message.partition(), "record of a transaction refused");
            self.refused().get_or_insert_with(|| error.clone());
        }
    }
}

impl Reports {
    fn refused(&self) -> std::sync::MutexGuard<'_, Option<KafkaError>> {
        self.refused.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Transactions {
    /// Begins to write under `name`, and fences whoever does so already. Each step may take `timeout`. Blocks.
    ///
    /// # Errors
    /// When no broker answers in time, or does not let us.
    pub fn begin(cluster: &Cluster, name: &str, timeout: Duration) -> Result<Self, Error> {
        let mut config = cluster.client();
        config
            .set("transactional.id", name)
            .set("transaction.timeout.ms", TRANSACTION_MS)
            .set("compression.type", "lz4")
            .set("linger.ms", "0");
        let inner: ThreadedProducer<Reports> = config.create_with_context(Reports::default())?;
        inner.init_transactions(timeout)?;
        Ok(Self { inner, timeout })
    }

    /// Writes all of `records`, or nothing that a reader of committed records would see. Blocks.
    ///
    /// # Errors
    /// [`NotWritten`] says whether this producer may go on; after anything but a bad record it may not.
    pub fn write(&self, records: &[Outgoing<'_>]) -> Result<(), NotWritten> {
        self.refused_before();
        self.inner.begin_transaction().map_err(broken)?;
        for record in records {
            if let Err(error) = self.send(*record) {
                return Err(self.abort(error));
            }
        }
        match self.inner.commit_transaction(self.timeout) {
            Ok(()) => Ok(()),
            Err(error) => {
                let error = self.inner.context().refused().take().unwrap_or(error);
                Err(self.abort(error))
            }
        }
    }

    fn refused_before(&self) {
        *self.inner.context().refused() = None;
    }

    fn send(&self, record: Outgoing<'_>) -> Result<(), KafkaError> {
        loop {
            let mut out = BaseRecord::<[u8], [u8]>::to(record.topic).partition(record.partition);
            out.key = record.key;
            out.payload = record.value;
            match self.inner.send(out) {
                Ok(()) => return Ok(()),
                // A step may be larger than the queue, which empties while we wait.
                Err((error, _)) if error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull) => {
                    self.inner.flush(self.timeout)?;
                }
                Err((error, _)) => return Err(error),
            }
        }
    }

    /// Takes the step back.
    fn abort(&self, error: KafkaError) -> NotWritten {
        let why = broken(error);
        if matches!(why, NotWritten::Fenced) {
            return why;
        }
        match self.inner.abort_transaction(self.timeout) {
            Ok(()) => why,
            Err(error) => broken(error),
        }
    }
}

fn broken(error: KafkaError) -> NotWritten {
    use RDKafkaErrorCode as Code;
    match error.rdkafka_error_code() {
        Some(Code::Fenced | Code::ProducerFenced | Code::InvalidProducerEpoch) => NotWritten::Fenced,
        Some(Code::MessageSizeTooLarge | Code::InvalidMessage | Code::InvalidMessageSize | Code::InvalidRecord) => {
            NotWritten::BadRecord(error.to_string())
        }
        _ => NotWritten::Broken(error.into()),
    }
}
