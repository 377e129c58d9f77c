//! Spans against a collector of the test's own: what it hears, and that nobody waits for one that is away.

use std::{
    net::SocketAddr,
    sync::{Mutex, PoisonError},
};

use hyper::{Request, StatusCode, body::Incoming};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use prost::Message as _;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use super::{
    otlp::{Answer, Export, Held, PartialSuccess},
    *,
};
use crate::{
    http::{self, Collected},
    listen::{self, Limits},
    shutdown::Shutdown,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// What a collector heard, and what it answers: the script's next word, and then 200.
#[derive(Default)]
struct Desk {
    heard: Mutex<Vec<Export>>,
    script: Mutex<Vec<(StatusCode, Vec<u8>)>>,
}

impl Desk {
    async fn take(&self, request: Request<Incoming>) -> http::Response {
        assert_eq!((request.method().as_str(), request.uri().path()), ("POST", "/v1/traces"));
        assert_eq!(request.headers()["content-type"], "application/x-protobuf");
        let Collected::Whole(body) = http::collect(request.into_body(), 1 << 20, PATIENCE).await else {
            panic!("no body")
        };
        let mut script = self.script.lock().unwrap();
        let (status, answer) = if script.is_empty() { (StatusCode::OK, Vec::new()) } else { script.remove(0) };
        if status.is_success() {
            self.heard.lock().unwrap().push(Export::decode(body).unwrap());
        }
        http::answer(status, "application/x-protobuf", answer)
    }

    /// The names of all spans heard, in order, each behind its service.
    fn names(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let services = heard.iter().flat_map(|export| &export.services);
        let named = services.flat_map(|service| {
            let said = &service.resource.as_ref().unwrap().attributes;
            let name = said.iter().find(|said| said.key == "service.name").unwrap();
            let Some(Held::Text(name)) = name.value.clone().unwrap().held else { panic!("{name:?}") };
            let spans = service.scopes.iter().flat_map(|scope| &scope.spans);
            spans.map(move |span| format!("{name}: {}", span.name))
        });
        named.collect()
    }
}

struct Collector {
    desk: Arc<Desk>,
    address: SocketAddr,
    /// Where nobody answers yet.
    closed: Option<TcpListener>,
    serving: Option<AbortOnDropHandle<()>>,
}

impl Collector {
    /// One that answers nobody until it [`Collector::opens`].
    async fn closed(script: &[(u16, Vec<u8>)]) -> Self {
        let script =
            script.iter().map(|(status, body)| (StatusCode::from_u16(*status).unwrap(), body.clone())).collect();
        let desk = Arc::new(Desk { script: Mutex::new(script), ..Desk::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { desk, address: listener.local_addr().unwrap(), closed: Some(listener), serving: None }
    }

    async fn open(script: &[(u16, Vec<u8>)]) -> Self {
        let mut collector = Self::closed(script).await;
        collector.opens();
        collector
    }

    /// Hangs up on the first who comes.
    async fn hangs_up(&self) {
        let listener = self.closed.as_ref().unwrap();
        drop(tokio::time::timeout(PATIENCE, listener.accept()).await.unwrap().unwrap());
    }

    fn opens(&mut self) {
        let (desk, listener) = (self.desk.clone(), self.closed.take().unwrap());
        let serving = listen::serve(listener, Shutdown::new(), Limits::default(), move |request, _| {
            let desk = desk.clone();
            async move { desk.take(request).await }
        });
        self.serving = Some(AbortOnDropHandle::new(tokio::spawn(serving)));
    }

    /// A tracer that tells it, with numbers of its own.
    fn tracer(&self, one_in: u32) -> (Tracer, PrometheusHandle) {
        let recorder = PrometheusBuilder::new().build_recorder();
        let numbers = recorder.handle();
        let endpoint = format!("http://{}/v1/traces", self.address).parse().unwrap();
        let tracer = metrics::with_local_recorder(&recorder, || Tracer::open(&endpoint, one_in));
        (tracer.of("door"), numbers)
    }

    async fn until(&self, what: &str, so: impl Fn(&Desk) -> bool) {
        let waiting = async {
            while !so(&self.desk) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "not {what}: {:?}", self.desk.names());
    }
}

fn span(topic: &str) -> Span {
    Span::ended(Act::Send, topic, 0, Context::root(), Why::Chance, Instant::now())
}

/// `sent`, `refused`, `dropped` and `left_out`.
fn spans(numbers: &PrometheusHandle) -> [u64; 4] {
    let page = numbers.render();
    ["sent", "refused", "dropped", "left_out"].map(|outcome| {
        let name = format!("danmaku_trace_spans_total{{outcome=\"{outcome}\"}} ");
        page.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok()).unwrap_or_default()
    })
}

#[tokio::test]
async fn each_services_spans_arrive_under_its_name() {
    let collector = Collector::open(&[]).await;
    let (tracer, numbers) = collector.tracer(1);
    tracer.tell(span("a"));
    tracer.of("judge").tell(span("b"));
    tracer.tell(span("c"));
    tracer.end().await;
    assert_eq!(collector.desk.names(), ["door: send a", "door: send c", "judge: send b"]);
    assert_eq!(spans(&numbers), [3, 0, 0, 0]);
}

#[tokio::test]
async fn a_collector_that_comes_late_hears_what_waited() {
    let mut collector = Collector::closed(&[(503, Vec::new())]).await;
    let (tracer, numbers) = collector.tracer(1);
    tracer.tell(span("a"));
    collector.hangs_up().await;
    collector.opens();
    tracer.tell(span("b"));
    collector.until("both", |desk| desk.names().len() == 2).await;
    tracer.end().await;
    assert_eq!(spans(&numbers), [2, 0, 0, 0]);
}

#[tokio::test]
async fn what_is_refused_is_counted_and_the_next_is_sent() {
    let partial = PartialSuccess { rejected_spans: 1, error_message: "one is odd".into() };
    let partial = Answer { partial_success: Some(partial) }.encode_to_vec();
    let collector = Collector::open(&[(400, Vec::new()), (200, partial)]).await;
    let (tracer, numbers) = collector.tracer(1);
    for topics in [&["a", "b"][..], &["c", "d", "e"], &["f"]] {
        topics.iter().for_each(|topic| tracer.tell(span(topic)));
        tracer.end().await;
    }
    assert_eq!(collector.desk.names(), ["c", "d", "e", "f"].map(|topic| format!("door: send {topic}")));
    assert_eq!(spans(&numbers), [3, 3, 0, 0]);
}

#[tokio::test]
async fn nobody_waits_for_a_collector_that_is_away() {
    let collector = Collector::closed(&[]).await;
    let (tracer, numbers) = collector.tracer(1);
    (0..10_000).for_each(|_| tracer.tell(span("a")));
    let [sent, refused, dropped, _] = spans(&numbers);
    assert_eq!((sent, refused, dropped), (0, 0, 10_000 - 2_048), "the queue takes so many, and this thread ran alone");
    // It comes back although nobody hears it.
    tokio::time::timeout(PATIENCE, tracer.end()).await.unwrap();
}

#[tokio::test]
async fn chance_chooses_one_in_so_many() {
    let collector = Collector::closed(&[]).await;
    let chosen = |tracer: &Tracer| (0..20_000).filter(|_| tracer.sample().is_some()).count();
    // Of one in 20 these are 1,000, give or take 31; ten times that is not met in a lifetime.
    assert!((690..1_310).contains(&chosen(&collector.tracer(20).0)));
    assert_eq!(chosen(&collector.tracer(1).0), 20_000);
    assert_eq!(chosen(&collector.tracer(0).0), 0);
    assert_eq!(chosen(&Tracer::off()), 0);
}

#[tokio::test]
async fn late_and_failed_ones_are_told_of_ten_a_second() {
    let collector = Collector::closed(&[]).await;
    let (tracer, numbers) = collector.tracer(0);
    assert!(!tracer.tells_late(LATE - Duration::from_millis(1)));
    let told = (0..100).filter(|_| tracer.tells_late(LATE)).count() + (0..100).filter(|_| tracer.may_tell()).count();
    // The second may have changed meanwhile.
    assert!(told == 10 || told == 20, "{told}");
    assert_eq!(spans(&numbers)[3], 200 - told as u64);
    assert!(!Tracer::off().may_tell());
}

#[tokio::test]
async fn a_context_is_followed_if_it_asks_for_it_and_somebody_is_told() {
    let collector = Collector::closed(&[]).await;
    let (tracer, _) = collector.tracer(0);
    let header = Context::root().to_string();
    let unasked = format!("{}00", &header[..53]);
    assert_eq!(tracer.follows(Some(header.as_bytes())), Context::parse(header.as_bytes()));
    assert_eq!(tracer.follows(Some(unasked.as_bytes())), None);
    assert_eq!(tracer.follows(Some(b"nonsense")), None);
    assert_eq!(tracer.follows(None), None);
    assert_eq!(Tracer::off().follows(Some(header.as_bytes())), None);
}

#[test]
fn a_span_links_to_32_others_and_tells_how_many_more_there_were() {
    let others = vec![Context::root(); 40];
    let span = span("a").linked(&others);
    assert_eq!((span.links.len(), span.links_left_out), (32, 8));
}
