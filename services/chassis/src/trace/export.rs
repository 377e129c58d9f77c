//! Spans on their way to the collector: a bounded queue, and a task that sends what it holds (OTLP over HTTP, protobuf).
//! What they look like there is `otlp`'s; who tells them waits for nothing here.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, StatusCode, Uri, header::CONTENT_TYPE};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use metrics::{Counter, counter, describe_counter};
use prost::Message as _;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep, timeout, timeout_at},
};

use super::{
    otlp::{self, Answer},
    span::Span,
};
use crate::http::{Collected, collect};

/// Spans that wait: at 800 B 1.6 MB, and 13 s of 150 a second, which one danmaku in 1,000 of 50,000 a second comes to. When it
/// is full the newest is dropped and counted.
const QUEUE_SPANS: usize = 2_048;

/// Spans in one request, 300 kB at most as a rule.
const BATCH_SPANS: usize = 512;

/// How long a first span waits for company.
const GATHER: Duration = Duration::from_secs(1);

/// How long the collector may take to answer.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Its answer is empty, or says what it did not take.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// How long a request that nobody took waits until it is sent again; twice as long each time, up to the second.
const AGAIN_AFTER: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(15)];

/// What is handed to the task.
enum Word {
    Span(Box<Span>),
    /// Send what you have, and say when it is done.
    End(oneshot::Sender<()>),
}

/// The way to the task.
pub(super) struct Queue {
    words: mpsc::Sender<Word>,
    dropped: Counter,
    left_out: Counter,
}

impl Queue {
    /// Leaves a span to be sent, or drops it when too many wait.
    pub(super) fn put(&self, span: Span) {
        if self.words.try_send(Word::Span(Box::new(span))).is_err() {
            self.dropped.increment(1);
        }
    }

    /// Counts one that is late or failed and of which nothing is told.
    pub(super) fn left_out(&self) {
        self.left_out.increment(1);
    }

    /// Waits until what waits now was sent.
    pub(super) async fn end(&self) {
        let (tell, told) = oneshot::channel();
        if self.words.send(Word::End(tell)).await.is_ok() {
            let _ = told.await;
        }
    }
}

/// The task.
pub(super) struct Exporter {
    client: Client<HttpConnector, Full<Bytes>>,
    endpoint: Uri,
    instance: String,
    sent: Counter,
    refused: Counter,
    dropped: Counter,
    /// Whether it was told that the collector takes nothing.
    in_trouble: bool,
}

/// What became of a request.
enum Outcome {
    /// It was taken, but for so many spans.
    Taken { refused: u64 },
    /// It will never be taken.
    Refused(String),
    /// Nobody took it; perhaps later.
    Away(String),
}

impl Exporter {
    /// Starts the task, on the runtime it is called on, and returns the way to it.
    pub(super) fn start(endpoint: Uri) -> Queue {
        describe_counter!(
            "danmaku_trace_spans_total",
            "Spans by what became of them: sent, refused by the collector, dropped because too many waited for it, or left out \
             because ten a second that are late or failed say enough."
        );
        let spans = |outcome| counter!("danmaku_trace_spans_total", "outcome" => outcome);
        let (words, heard) = mpsc::channel(QUEUE_SPANS);
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(ANSWER_WAIT));
        let exporter = Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            endpoint,
            instance: format!("{:016x}", rand::random::<u64>()),
            sent: spans("sent"),
            refused: spans("refused"),
            dropped: spans("dropped"),
            in_trouble: false,
        };
        // It ends with the last tracer.
        tokio::spawn(exporter.run(heard));
        Queue { words, dropped: spans("dropped"), left_out: spans("left_out") }
    }

    async fn run(mut self, mut words: mpsc::Receiver<Word>) {
        while let Some(first) = words.recv().await {
            let (spans, end) = gather(first, &mut words).await;
            if !spans.is_empty() {
                self.bring(&spans, end.is_some()).await;
            }
            // Who asked may have waited long enough.
            end.map(|end| end.send(()));
        }
    }

    /// Brings spans to the collector, again and again while it is away; only the last are given up then.
    async fn bring(&mut self, spans: &[Span], are_last: bool) {
        let body = Bytes::from(otlp::request(spans, &self.instance).encode_to_vec());
        let (count, [mut wait, wait_max]) = (spans.len() as u64, AGAIN_AFTER);
        loop {
            match self.post(body.clone()).await {
                Outcome::Taken { refused } => {
                    self.is_back();
                    self.refused.increment(refused);
                    return self.sent.increment(count.saturating_sub(refused));
                }
                Outcome::Refused(why) => {
                    self.trouble(&why);
                    return self.refused.increment(count);
                }
                Outcome::Away(_) if are_last => return self.dropped.increment(count),
                Outcome::Away(why) => self.trouble(&why),
            }
            sleep(wait).await;
            wait = (wait * 2).min(wait_max);
        }
    }

    async fn post(&self, body: Bytes) -> Outcome {
        let request =
            Request::post(self.endpoint.clone()).header(CONTENT_TYPE, "application/x-protobuf").body(Full::new(body));
        let request = match request {
            Ok(request) => request,
            Err(error) => return Outcome::Refused(format!("no request can be made: {error}")),
        };
        let response = match timeout(ANSWER_WAIT, self.client.request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                return Outcome::Away(format!("{error}{cause}"));
            }
            Err(_) => return Outcome::Away("it did not answer in time".to_owned()),
        };
        let status = response.status();
        let answer = collect(response.into_body(), ANSWER_BYTES_MAX, ANSWER_WAIT).await;
        outcome(status, if let Collected::Whole(bytes) = &answer { bytes } else { &[] })
    }

    /// Says once what an operator should look at.
    fn trouble(&mut self, why: &str) {
        if !std::mem::replace(&mut self.in_trouble, true) {
            tracing::warn!(why, "the collector of --otlp-endpoint takes no spans; danmaku flow all the same");
        }
    }

    fn is_back(&mut self) {
        if std::mem::take(&mut self.in_trouble) {
            tracing::info!("the collector of --otlp-endpoint takes spans again");
        }
    }
}

/// The first span and what comes within the second behind it, at most a batch; and who is to be told that it was sent.
async fn gather(first: Word, words: &mut mpsc::Receiver<Word>) -> (Vec<Span>, Option<oneshot::Sender<()>>) {
    let (until, mut spans, mut next) = (Instant::now() + GATHER, Vec::new(), Some(first));
    loop {
        match next {
            Some(Word::Span(span)) => spans.push(*span),
            Some(Word::End(tell)) => return (spans, Some(tell)),
            None => return (spans, None),
        }
        if spans.len() == BATCH_SPANS {
            return (spans, None);
        }
        next = timeout_at(until, words.recv()).await.ok().flatten();
    }
}

/// What an answer means, as OTLP says.
fn outcome(status: StatusCode, body: &[u8]) -> Outcome {
    match status {
        _ if status.is_success() => {
            let partial = Answer::decode(body).unwrap_or_default().partial_success.unwrap_or_default();
            if partial.rejected_spans > 0 {
                tracing::warn!(why = partial.error_message, "the collector of --otlp-endpoint refuses some spans");
            }
            Outcome::Taken { refused: partial.rejected_spans.max(0).unsigned_abs() }
        }
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => Outcome::Away(format!("it answered {status}")),
        _ => Outcome::Refused(format!("it answered {status}")),
    }
}
