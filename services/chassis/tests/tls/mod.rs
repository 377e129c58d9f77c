//! The door with a certificate of its own: a true listener, and clients that speak TLS and believe one certificate only.

use std::fs;
use std::io;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use chassis::listen::{Port, Tls};
use tokio::net::TcpSocket;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio_rustls::{TlsConnector, rustls};

use super::*;

/// A certificate, its key, and the folder they lie in, which goes with it.
struct Files(PathBuf);

/// What a certificate's files hold.
struct Pair {
    certificate: CertificateDer<'static>,
    certificate_pem: String,
    key_pem: String,
}

impl Pair {
    fn new() -> Self {
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key_pem = pem("PRIVATE KEY", &signing_key.serialize_der());
        Self { certificate: cert.der().clone(), certificate_pem: pem("CERTIFICATE", cert.der()), key_pem }
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let lines: Vec<String> =
        BASE64.encode(der).as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

impl Files {
    fn new(pair: &Pair) -> Self {
        let folder = std::env::temp_dir().join(format!("danmaku-tls-{:016x}", rand::random::<u64>()));
        fs::create_dir(&folder).unwrap();
        let files = Self(folder);
        files.hold(pair);
        files
    }

    fn hold(&self, pair: &Pair) {
        self.hold_texts(&pair.certificate_pem, &pair.key_pem);
    }

    fn hold_texts(&self, certificate: &str, key: &str) {
        fs::write(self.certificate(), certificate).unwrap();
        fs::write(self.key(), key).unwrap();
    }

    fn certificate(&self) -> PathBuf {
        self.0.join("cert.pem")
    }

    fn key(&self) -> PathBuf {
        self.0.join("key.pem")
    }

    fn open(&self, limits: Limits) -> Door {
        let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
        let tls = Tls::open(&self.certificate(), &self.key()).unwrap();
        open_port(Port { listener, tls: Some(tls) }, limits)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A connection of somebody who believes this certificate and no other.
async fn connect(door: &Door, believed: &Pair) -> io::Result<TlsStream<TcpStream>> {
    let socket = TcpSocket::new_v4().unwrap();
    // Another address of this machine's than the door's, to be told apart from it.
    socket.bind(SocketAddr::from(([127, 0, 0, 2], 0))).unwrap();
    let stream = socket.connect(door.address).await?;
    let mut roots = RootCertStore::empty();
    roots.add(believed.certificate.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await
}

/// Tries until the door has a place.
async fn until_connected(door: &Door, believed: &Pair) {
    let asking = async {
        while connect(door, believed).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, asking).await.expect("a place");
}

/// Asks for a path, and reads until the server has said that it ends.
async fn ask_over(mut stream: TlsStream<TcpStream>, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an end that TLS announces");
    answer
}

#[tokio::test]
async fn who_speaks_tls_is_served_under_his_own_address() {
    let pair = Pair::new();
    let door = Files::new(&pair).open(patient());
    let stream = connect(&door, &pair).await.unwrap();
    assert_eq!(stream.get_ref().1.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
    let answer = ask_over(stream, "/peer").await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\"127.0.0.2\""), "{answer}");
    assert!(connect(&door, &Pair::new()).await.is_err(), "the certificate is another's");
}

#[tokio::test]
async fn from_this_machine_itself_http_is_heard_too() {
    let pair = Pair::new();
    let door = Files::new(&pair).open(patient());
    assert_eq!(ask(door.address, "GET", "/peer").await.status, 200);
}

#[tokio::test]
async fn who_does_not_finish_the_handshake_is_closed() {
    let pair = Pair::new();
    let door = Files::new(&pair).open(Limits { header_timeout: SHORT, ..patient() });
    // Nothing; the beginning of a record; a record that is none.
    for start in ["", "\x16\x03\x01", "\x16\x03\x01\x00\x05hello"] {
        let mut stream = TcpStream::connect(door.address).await.unwrap();
        stream.write_all(start.as_bytes()).await.unwrap();
        let mut told = Vec::new();
        let _ = tokio::time::timeout(LONG, stream.read_to_end(&mut told)).await.expect("closed");
    }
}

#[tokio::test]
async fn an_upgraded_connection_is_a_socket_that_goes_on_after_the_door_is_closed() {
    let pair = Pair::new();
    let door = Files::new(&pair).open(Limits { connections_max: 1, ..patient() });
    let mut stream = connect(&door, &pair).await.unwrap();
    stream
        .write_all(b"GET /taken HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nec")
        .await
        .unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(connect(&door, &pair).await.is_err(), "its place is kept");
    door.shutdown.trigger();
    stream.write_all(b"ho").await.unwrap();
    let mut echoed = Vec::new();
    stream.read_to_end(&mut echoed).await.unwrap();
    assert_eq!(echoed, b"echo");
    door.serving.await.unwrap();
}

#[tokio::test]
async fn who_takes_nothing_is_let_go() {
    let pair = Pair::new();
    let door = Files::new(&pair).open(Limits { stall_max: SHORT, connections_max: 1, ..patient() });
    let mut stuck = connect(&door, &pair).await.unwrap();
    stuck.write_all(b"GET /large HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    until_connected(&door, &pair).await;
    door.shutdown.trigger();
    tokio::time::timeout(LONG / 2, door.serving).await.unwrap().unwrap();
    drop(stuck);
}

#[tokio::test]
async fn who_vanishes_leaves_his_place() {
    let pair = Pair::new();
    let door = Files::new(&pair).open(Limits { connections_max: 1, ..patient() });
    let mut vanishing = connect(&door, &pair).await.unwrap();
    vanishing.write_all(b"GET /forever HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    door.waiting.notified().await;
    drop(vanishing);
    until_connected(&door, &pair).await;
}

#[tokio::test]
async fn at_closing_time_an_idle_connection_is_closed_and_holds_up_nobody() {
    let pair = Pair::new();
    let door = Files::new(&pair).open(patient());
    let mut idle = connect(&door, &pair).await.unwrap();
    // Answered, so that it is inside and not on its way.
    idle.write_all(b"GET /peer HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    idle.read_u8().await.unwrap();
    door.shutdown.trigger();
    tokio::time::timeout(LONG / 2, door.serving).await.expect("closed without its client").unwrap();
    idle.read_to_end(&mut Vec::new()).await.unwrap();
}

#[tokio::test]
async fn a_new_certificate_serves_who_comes_then_and_a_bad_one_nobody() {
    let (old, new) = (Pair::new(), Pair::new());
    let files = Files::new(&old);
    let door = files.open(patient());
    let before = connect(&door, &old).await.unwrap();
    for (certificate, key) in [("", ""), (&*new.certificate_pem, &*old.key_pem), (&*new.certificate_pem, &*new.key_pem)]
    {
        files.hold_texts(certificate, key);
    }
    let renewing = async {
        while connect(&door, &new).await.is_err() {
            // Never without one.
            assert!(connect(&door, &old).await.is_ok() || connect(&door, &new).await.is_ok());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LONG, renewing).await.expect("the new certificate");
    assert!(connect(&door, &old).await.is_err(), "the old one has gone");
    assert!(ask_over(before, "/peer").await.starts_with("HTTP/1.1 200 "), "who was there goes on");
}

#[tokio::test]
async fn what_cannot_serve_is_refused_with_setting_and_remedy() {
    let (pair, other) = (Pair::new(), Pair::new());
    let files = Files::new(&pair);
    let locked = pair.key_pem.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let broken = pair.certificate_pem.replace('M', "*");
    let table = [
        ("", &*pair.key_pem, "--tls-cert", "BEGIN CERTIFICATE"),
        (&*pair.key_pem, &*pair.key_pem, "--tls-cert", "BEGIN CERTIFICATE"),
        (&*broken, &*pair.key_pem, "--tls-cert", "BEGIN CERTIFICATE"),
        (&*pem("CERTIFICATE", b"no certificate"), &*pair.key_pem, "--tls-cert", "BEGIN CERTIFICATE"),
        (&*pair.certificate_pem, "", "--tls-key", "BEGIN PRIVATE KEY"),
        (&*pair.certificate_pem, &*locked, "--tls-key", "without a passphrase"),
        (&*pair.certificate_pem, &*pem("PRIVATE KEY", b"no key"), "--tls-key", "BEGIN PRIVATE KEY"),
        (&*pair.certificate_pem, &*other.key_pem, "--tls-cert and --tls-key", "made together"),
    ];
    for (certificate, key, setting, remedy) in table {
        files.hold_texts(certificate, key);
        let error = Tls::open(&files.certificate(), &files.key()).unwrap_err().to_string();
        assert!(error.starts_with(setting) && error.contains(remedy), "{error}");
    }
    fs::remove_file(files.key()).unwrap();
    let error = Tls::open(&files.certificate(), &files.key()).unwrap_err().to_string();
    assert!(error.starts_with("--tls-key /") && error.contains("cannot be read"), "{error}");
}
