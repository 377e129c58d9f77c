//! The door under bad and good manners: slow or long headers and bodies, crowds, panics, upgrades, closing time.
//! A true listener on port 0 and clients that send bytes; timeouts under test are short, those that must not act long.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod tls;
mod wire;

use std::future::{Future, pending};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chassis::http::{self, Collected, Response};
use chassis::listen::{self, Limits, Port};
use chassis::shutdown::Shutdown;
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use wire::{answer, ask, say};

const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(60);
const HEAD: &str = "POST /body HTTP/1.1\r\nhost: test\r\nconnection: close\r\n";

struct Door {
    address: SocketAddr,
    shutdown: Shutdown,
    /// A request for `/wait` has come in.
    waiting: Arc<Notify>,
    /// Lets it be answered.
    release: Arc<Notify>,
    serving: JoinHandle<()>,
}

fn open(limits: Limits) -> Door {
    let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
    open_port(listener.into(), limits)
}

fn open_port(port: Port, limits: Limits) -> Door {
    let address = port.listener.local_addr().unwrap();
    let shutdown = Shutdown::new();
    let (waiting, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let service = {
        let (waiting, release) = (waiting.clone(), release.clone());
        move |request, peer| respond(request, peer, waiting.clone(), release.clone())
    };
    let serving = tokio::spawn(listen::serve(port, shutdown.clone(), limits, service));
    Door { address, shutdown, waiting, release, serving }
}

fn patient() -> Limits {
    Limits { header_timeout: LONG, drain: LONG, ..Limits::default() }
}

async fn respond(request: Request<Incoming>, peer: SocketAddr, waiting: Arc<Notify>, release: Arc<Notify>) -> Response {
    match request.uri().path() {
        "/peer" => http::json(StatusCode::OK, &peer.ip().to_string()),
        "/panic" => panic!("as asked"),
        "/body" | "/slow-body" => {
            let timeout = if request.uri().path() == "/body" { LONG } else { SHORT };
            match http::collect(request.into_body(), 4, timeout).await {
                Collected::Whole(bytes) => http::answer(StatusCode::OK, "text/plain", bytes),
                Collected::TooLong => http::answer(StatusCode::PAYLOAD_TOO_LARGE, "text/plain", ""),
                Collected::Slow => http::answer(StatusCode::REQUEST_TIMEOUT, "text/plain", ""),
                Collected::Broken => http::answer(StatusCode::BAD_REQUEST, "text/plain", ""),
            }
        }
        "/wait" => {
            waiting.notify_one();
            release.notified().await;
            http::answer(StatusCode::OK, "text/plain", "waited")
        }
        // More than the buffers of two sockets hold.
        "/large" => http::answer(StatusCode::OK, "text/plain", "x".repeat(64 << 20)),
        "/forever" => {
            waiting.notify_one();
            pending().await
        }
        "/taken" => upgrade(request, echo_on_the_socket),
        _ => upgrade(request, echo_once),
    }
}

fn upgrade<F>(mut request: Request<Incoming>, echo: fn(OnUpgrade) -> F) -> Response
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(echo(hyper::upgrade::on(&mut request)));
    let mut response = http::answer(StatusCode::SWITCHING_PROTOCOLS, "text/plain", "");
    response.headers_mut().insert("connection", "upgrade".parse().unwrap());
    response.headers_mut().insert("upgrade", "echo".parse().unwrap());
    response
}

async fn echo_once(upgrade: OnUpgrade) {
    let mut stream = TokioIo::new(upgrade.await.unwrap());
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes).await.unwrap();
    stream.write_all(&bytes).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// The same, by a hall's own means: the socket is taken out of HTTP, and written to past the runtime.
async fn echo_on_the_socket(upgrade: OnUpgrade) {
    let (mut stream, _place, early) = listen::taken(upgrade.await.unwrap()).unwrap();
    let mut bytes = early.to_vec();
    while bytes.len() < 4 {
        bytes.push(stream.read_u8().await.unwrap());
    }
    let socket = socket2::SockRef::from(&stream);
    assert_eq!(socket.send(&bytes).unwrap(), 4);
    socket.shutdown(std::net::Shutdown::Write).unwrap();
    // To the client's end.
    stream.read_to_end(&mut Vec::new()).await.unwrap();
}

#[tokio::test]
async fn a_request_is_answered_and_its_peer_known() {
    let door = open(patient());
    let answer = ask(door.address, "GET", "/peer").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "\"127.0.0.1\""));
}

#[tokio::test]
async fn headers_that_do_not_complete_are_closed() {
    let door = open(Limits { header_timeout: SHORT, ..patient() });
    for start in ["", "GET / HT", "GET /peer HTTP/1.1\r\nhost: te"] {
        let answer = say(door.address, start).await;
        assert!(matches!(answer.status, 0 | 408), "{start:?}: {answer:?}");
    }
    assert_eq!(ask(door.address, "GET", "/peer").await.status, 200);
}

#[tokio::test]
async fn headers_too_long_are_431() {
    let door = open(patient());
    let long = "a".repeat(20 * 1024);
    let answer = say(door.address, &format!("GET /peer HTTP/1.1\r\nhost: test\r\nx: {long}\r\n\r\n")).await;
    assert_eq!(answer.status, 431);
}

#[tokio::test]
async fn a_body_has_a_length_and_a_time() {
    let door = open(patient());
    for (rest, status) in [
        ("content-length: 4\r\n\r\n1234", 200),
        ("content-length: 5\r\n\r\n", 413),
        ("content-length: 99999999999\r\n\r\n", 413),
        ("transfer-encoding: chunked\r\n\r\n4\r\n1234\r\n0\r\n\r\n", 200),
        ("transfer-encoding: chunked\r\n\r\n4\r\n1234\r\n4\r\n5678\r\n", 413),
        ("transfer-encoding: chunked\r\n\r\nzz\r\n", 400),
    ] {
        assert_eq!(say(door.address, &format!("{HEAD}{rest}")).await.status, status, "{rest}");
    }
    let slow = HEAD.replace("/body", "/slow-body");
    assert_eq!(say(door.address, &format!("{slow}content-length: 4\r\n\r\n12")).await.status, 408);
}

#[tokio::test]
async fn a_panic_costs_its_own_connection_only() {
    let door = open(patient());
    assert_eq!(ask(door.address, "GET", "/panic").await.status, 0);
    assert_eq!(ask(door.address, "GET", "/peer").await.status, 200);
}

#[tokio::test]
async fn an_upgraded_connection_belongs_to_its_taker() {
    let door = open(patient());
    let mut stream = TcpStream::connect(door.address).await.unwrap();
    stream.write_all(b"GET /up HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n").await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    door.shutdown.trigger();
    door.serving.await.unwrap();
    stream.write_all(b"echo").await.unwrap();
    let mut echoed = Vec::new();
    stream.read_to_end(&mut echoed).await.unwrap();
    assert_eq!(echoed, b"echo", "after the door was closed");
}

#[tokio::test]
async fn at_closing_time_a_request_in_hand_is_finished_and_an_idle_connection_closed() {
    let door = open(patient());
    let mut idle = TcpStream::connect(door.address).await.unwrap();
    let mut busy = TcpStream::connect(door.address).await.unwrap();
    busy.write_all(b"GET /wait HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    door.waiting.notified().await;
    door.shutdown.trigger();
    assert_eq!(answer(&mut idle).await.status, 0);
    door.release.notify_one();
    let answer = answer(&mut busy).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "waited"));
    door.serving.await.unwrap();
    assert!(TcpStream::connect(door.address).await.is_err());
}

#[tokio::test]
async fn at_the_deadline_the_rest_is_dropped() {
    let door = open(Limits { drain: Duration::ZERO, ..patient() });
    let mut stuck = TcpStream::connect(door.address).await.unwrap();
    stuck.write_all(b"GET /forever HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    door.waiting.notified().await;
    door.shutdown.trigger();
    door.serving.await.unwrap();
    assert_eq!(answer(&mut stuck).await.status, 0);
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_dropped_and_holds_up_nobody() {
    let door = open(Limits { stall_max: SHORT, connections_max: 1, ..patient() });
    let mut stuck = TcpStream::connect(door.address).await.unwrap();
    stuck.write_all(b"GET /large HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    // Its place is free again soon, and the door closes long before the drain's end, though this client is still there.
    until_let_in(door.address).await;
    door.shutdown.trigger();
    tokio::time::timeout(LONG / 2, door.serving).await.unwrap().unwrap();
    drop(stuck);
}

/// Asks until the door has a place.
async fn until_let_in(address: SocketAddr) {
    let asking = async {
        loop {
            let answer = ask(address, "GET", "/peer").await;
            match answer.status {
                200 => break,
                503 => assert!(answer.head.contains("retry-after: 2\r\n"), "{answer:?}"),
                _ => panic!("{answer:?}"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, asking).await.expect("a place");
}

#[tokio::test]
async fn when_full_the_next_is_told_so_until_one_has_left() {
    let door = open(Limits { connections_max: 1, ..patient() });
    let mut first = TcpStream::connect(door.address).await.unwrap();
    first.write_all(b"GET /wait HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").await.unwrap();
    door.waiting.notified().await;
    let refused = ask(door.address, "GET", "/peer").await;
    assert_eq!((refused.status, refused.body.contains("\"code\":\"full\"")), (503, true), "{refused:?}");
    door.release.notify_one();
    assert_eq!(answer(&mut first).await.status, 200);
    until_let_in(door.address).await;
}

#[tokio::test]
async fn who_is_told_so_has_asked_first() {
    let door = open(Limits { connections_max: 0, ..patient() });
    let mut stream = TcpStream::connect(door.address).await.unwrap();
    // Time enough for the door to have accepted: this runtime has one thread, and nothing else to do.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let early = stream.try_read(&mut [0]);
    assert_eq!(early.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    stream.write_all(b"GET /peer HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    assert_eq!(answer(&mut stream).await.status, 503);
    // One who asks nothing is told all the same.
    assert_eq!(answer(&mut TcpStream::connect(door.address).await.unwrap()).await.status, 503);
}

#[tokio::test]
async fn an_upgraded_connection_keeps_its_place() {
    let door = open(Limits { connections_max: 1, ..patient() });
    let mut stream = TcpStream::connect(door.address).await.unwrap();
    stream.write_all(b"GET /up HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n").await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert_eq!(ask(door.address, "GET", "/peer").await.status, 503);
    stream.write_all(b"echo").await.unwrap();
    stream.read_to_end(&mut Vec::new()).await.unwrap();
    until_let_in(door.address).await;
}

#[tokio::test]
async fn who_is_faster_than_the_pace_waits_and_is_served() {
    // Ten at once and ten more a second.
    let door = open(Limits { accepts_per_second: 10, ..patient() });
    let asked = std::time::Instant::now();
    let mut asking = tokio::task::JoinSet::new();
    (0..15).for_each(|_| drop(asking.spawn(ask(door.address, "GET", "/peer"))));
    assert!(asking.join_all().await.iter().all(|answer| answer.status == 200));
    // The other five cannot have been let in sooner, however fast the machine is.
    assert!(asked.elapsed() >= Duration::from_millis(499), "{:?}", asked.elapsed());
}

#[tokio::test]
async fn at_closing_time_who_waits_in_the_backlog_is_told_so() {
    let door = open(Limits { accepts_per_second: 1, ..patient() });
    assert_eq!(ask(door.address, "GET", "/peer").await.status, 200);
    let mut waiting = TcpStream::connect(door.address).await.unwrap();
    waiting.write_all(b"GET /peer HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    door.shutdown.trigger();
    assert_eq!(answer(&mut waiting).await.status, 503);
    door.serving.await.unwrap();
}

#[tokio::test]
async fn a_client_that_vanished_is_noticed_after_half_a_minute() {
    let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
    let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (accepted, _) = listener.accept().await.unwrap();
    let socket = socket2::SockRef::from(&accepted);
    assert!(socket.keepalive().unwrap());
    assert_eq!(socket.tcp_keepalive_time().unwrap(), Duration::from_secs(30));
}

#[tokio::test]
async fn a_port_in_use_is_an_error_that_names_setting_and_remedy() {
    let taken = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
    let address = taken.local_addr().unwrap();
    let error = listen::bind(address, "--admin").unwrap_err();
    assert!(matches!(error, listen::Error::InUse { .. }));
    let expected = format!("--admin {address}: the port is in use; stop what uses it, or give another (port 0");
    assert!(error.to_string().starts_with(&expected), "{error}");
    let elsewhere = listen::bind(SocketAddr::from(([192, 0, 2, 1], 0)), "--listen").unwrap_err();
    assert!(matches!(elsewhere, listen::Error::NotOurs { .. }), "{elsewhere}");
}
