//! The program's own certificate, and certificates of others that its commands go to.

use std::{
    io::Write as _,
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Instant,
};

use serde_json::Value;
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};

use crate::{PATIENCE, Program, folder};

/// A folder with a certificate; dropping it removes it.
struct Certificate {
    folder: PathBuf,
    der: CertificateDer<'static>,
}

impl Certificate {
    fn new() -> Self {
        Self::of("localhost")
    }

    /// For the server of that name or number.
    fn of(host: &str) -> Self {
        let folder = folder();
        std::fs::create_dir(&folder).unwrap();
        let pair = rcgen::generate_simple_self_signed([host.to_owned()]).unwrap();
        std::fs::write(folder.join("cert.pem"), pair.cert.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), pair.signing_key.serialize_pem()).unwrap();
        Self { folder, der: pair.cert.der().clone() }
    }

    fn flags(&self) -> [String; 2] {
        [("cert", "cert.pem"), ("key", "key.pem")]
            .map(|(flag, file)| format!("--tls-{flag}={}", self.folder.join(file).display()))
    }

    /// A connection of somebody who believes this certificate alone.
    fn connect(&self, address: &str) -> StreamOwned<ClientConnection, TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), socket)
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The whole way over TLS, and around it where the crowd and the hall take what they say to the own door.
#[test]
fn with_a_certificate_danmaku_fly_over_tls() {
    let certificate = Certificate::new();
    let [cert, key] = certificate.flags();
    let program = Program::start(&["--crowd=3", &cert, &key]);
    let (status, minted) = program.get("/dev/token?name=me", "");
    assert_eq!(status, 200, "from this machine it is HTTP as ever");
    let token: Value = serde_json::from_str(&minted).unwrap();

    let mut viewer = certificate.connect(&program.public);
    let handshake = format!(
        "GET /v1/rooms/demo/live HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         sec-websocket-protocol: danmaku.v1.json, bearer.{}\r\n\r\n",
        token["token"].as_str().unwrap()
    );
    viewer.write_all(handshake.as_bytes()).unwrap();
    let heard = hear(&mut viewer, "\"type\":\"batch\"");
    assert!(heard.starts_with("HTTP/1.1 101 "), "{heard}");

    // Said on the socket: it goes through the hall, the own door and the judge, and comes back. Shorter than 126 B, masked with 0.
    let said = br#"{"type":"send","client_id":"tls-1","text":"over TLS"}"#;
    let mut frame = vec![0x81, 0x80 | u8::try_from(said.len()).unwrap(), 0, 0, 0, 0];
    frame.extend_from_slice(said);
    viewer.write_all(&frame).unwrap();
    hear(&mut viewer, "\"text\":\"over TLS\"");
}

/// Commands speak TLS too: they trust what the machine trusts, here the file that it is told of.
#[test]
fn commands_come_over_tls() {
    let certificate = Certificate::new();
    let [cert, key] = certificate.flags();
    let program = Program::start(&["--crowd=0", &cert, &key]);
    let port = program.public.rsplit_once(':').unwrap().1;
    let server = format!("https://localhost:{port}");
    let told = |trusted: &str, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_danmaku"));
        let ended = command.args(words).env("SSL_CERT_FILE", trusted).output().unwrap();
        let text = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
        (ended.status.code(), text)
    };
    let trusted = certificate.folder.join("cert.pem").display().to_string();
    let (code, text) = told(&trusted, &["canary", "--once", "--within=60s", "--door", &server]);
    assert_eq!((code, text.starts_with("delivered")), (Some(0), true), "{text}");
    let (code, text) = told(&trusted, &["words", "list", "--server", &server]);
    assert_eq!(code, Some(0), "{text}");

    let stranger = Certificate::new();
    let (code, text) =
        told(&stranger.folder.join("cert.pem").display().to_string(), &["words", "list", "--server", &server]);
    assert_eq!((code, text.contains("SSL_CERT_FILE")), (Some(2), true), "{text}");
}

/// A Redis that speaks TLS alone, ended with its owner.
struct Locked(Child);

impl Locked {
    /// `None`, and says so, where there is no such program.
    fn start(host: &str, port: u16, certificate: &Certificate) -> Option<Self> {
        let file = |name: &str| certificate.folder.join(name).display().to_string();
        let port = port.to_string();
        let mut command = Command::new("redis-server");
        command.args(["--bind", host, "--port", "0", "--tls-port", &port, "--tls-auth-clients", "no", "--save", ""]);
        command.args(["--tls-cert-file", &file("cert.pem"), "--tls-key-file", &file("key.pem")]);
        match command.current_dir(&certificate.folder).stdout(Stdio::null()).spawn() {
            Ok(child) => Some(Self(child)),
            Err(_) => {
                eprintln!("skipped: there is no redis-server on this machine; on Debian: apt-get install redis-server");
                None
            }
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Redis is reached over TLS by who trusts its certificate; who does not is told what to set.
#[test]
fn redis_is_looked_at_over_tls() {
    // A loopback address of this process's own, so that nobody takes the port between the two who bind it.
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let host = format!("127.77.{}.{}", high, low.clamp(1, 254));
    let free = std::net::TcpListener::bind((host.as_str(), 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let certificate = Certificate::of(&host);
    let Some(_redis) = Locked::start(&host, port, &certificate) else { return };
    let row = |trusted: &Certificate| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_danmaku"));
        command.args(["doctor", "--json", "--redis", &format!("rediss://{host}:{port}/0")]);
        command.args(["--brokers", "127.0.0.1:1", "--nodes", "127.0.0.1:1"]);
        let ended = command.env("SSL_CERT_FILE", trusted.folder.join("cert.pem")).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stdout).into_owned();
        let seen: Value = serde_json::from_str(&told).unwrap_or_else(|_| panic!("{told}"));
        let rows = seen["findings"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["check"] == "redis").unwrap_or_else(|| panic!("{told}"))
    };
    let give_up = Instant::now() + PATIENCE;
    let seen = loop {
        let row = row(&certificate);
        if row["state"] == "ok" || Instant::now() > give_up {
            break row;
        }
    };
    assert!(seen["state"] == "ok" && seen["found"].as_str().unwrap().starts_with("master"), "{seen}");
    let stranger = row(&Certificate::of(&host));
    assert!(stranger["state"] != "ok" && stranger.to_string().contains("SSL_CERT_FILE"), "{stranger}");
}

/// What comes, up to and with a text. The stream is read byte by byte, for the socket blocks.
fn hear(stream: &mut impl std::io::Read, text: &str) -> String {
    let mut heard = Vec::new();
    while !heard.ends_with(text.as_bytes()) {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap_or_else(|error| panic!("{error} before {text}"));
        heard.push(byte[0]);
    }
    String::from_utf8_lossy(&heard).into_owned()
}
