//! A private PostgreSQL server that nobody reaches over the network without TLS.

use std::{
    net::{SocketAddr, TcpListener},
    os::unix::fs::PermissionsExt as _,
};

use super::server::Postgres;

const ACCESS: &str = "local all all trust\nhostssl all all 127.0.0.0/8 trust\n";

/// The server, on an address of its own.
pub(crate) struct OverTls {
    server: Postgres,
    address: SocketAddr,
}

impl OverTls {
    /// `None`, and says so, on a machine without the programs.
    pub(crate) fn start() -> Option<Self> {
        let server = Postgres::made()?;
        // Of this process's own, so that nobody takes the port between the two who bind it.
        let [_, _, high, low] = std::process::id().to_be_bytes();
        let free = TcpListener::bind(SocketAddr::from(([127, 78, high, low.clamp(1, 254)], 0))).unwrap();
        let it = Self { server, address: free.local_addr().unwrap() };
        drop(free);
        let (host, port) = (it.address.ip().to_string(), it.address.port());
        let pair = rcgen::generate_simple_self_signed([host.clone()]).unwrap();
        let certificate = it.write("cert.pem", &pair.cert.pem());
        let key = it.write("key.pem", &pair.signing_key.serialize_pem());
        it.write("data/pg_hba.conf", ACCESS);
        it.server.begin(&format!(
            "-c listen_addresses={host} -p {port} -c ssl=on -c ssl_cert_file={certificate} -c ssl_key_file={key}"
        ));
        Some(it)
    }

    /// Where it is, as the service is told.
    pub(crate) fn url(&self) -> String {
        let certificate = self.server.folder.path().join("cert.pem").display().to_string();
        format!("postgres://danmaku@{}/postgres?sslmode=verify-full&sslrootcert={certificate}", self.address)
    }

    /// A file that only its owner may read: PostgreSQL takes no other key.
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.server.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path.display().to_string()
    }
}
