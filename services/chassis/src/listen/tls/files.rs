//! The files of `--tls-cert` and `--tls-key`: what they hold, and when a change of them is one. Serving is kept out.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio_rustls::rustls::{
    self, InconsistentKeys, ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer, UnixTime,
        pem::{self, PemObject as _},
    },
};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage};

/// A chain of ten certificates has 20 KiB.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Year 9999, after which no certificate ends.
const LATEST: Duration = Duration::from_secs(253_402_300_799);

/// Why a certificate and its key cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file is not there, or not for us.
    #[error("{setting} {}: cannot be read; give a file in PEM that the program's user may read", path.display())]
    Unreadable {
        /// The flag the path came from.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No chain in it.
    #[error(
        "--tls-cert {}: it holds no usable certificate ({why}); give PEM that begins with the server's own BEGIN CERTIFICATE, \
         those who issued it behind",
        path.display()
    )]
    NoCertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        why: String,
    },
    /// No key in it.
    #[error(
        "--tls-key {}: it holds no usable key ({why}); give PEM with BEGIN PRIVATE KEY, without a passphrase \
         (`openssl pkey` takes it off)",
        path.display()
    )]
    NoKey {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        why: String,
    },
    /// Each is right alone.
    #[error("--tls-cert and --tls-key: the key is not this certificate's; give the two that were made together")]
    Strangers,
}

/// Where the two are.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
}

/// What they hold.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Content {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// A certificate and its key that can serve, and when it ends.
pub(super) struct Usable {
    pub(super) config: Arc<ServerConfig>,
    pub(super) ends: Option<UnixTime>,
}

/// What is in force, and what was seen last.
pub(super) struct Looks {
    in_force: Content,
    last: Content,
}

impl Paths {
    /// Reads both.
    pub(super) fn read(&self) -> Result<Content, Error> {
        Ok(Content { certificate: read("--tls-cert", &self.certificate)?, key: read("--tls-key", &self.key)? })
    }

    /// What these bytes, which came from here, can serve.
    pub(super) fn judge(&self, content: &Content) -> Result<Usable, Error> {
        let no_certificate = |why: String| Error::NoCertificate { path: self.certificate.clone(), why };
        let no_key = |why: String| Error::NoKey { path: self.key.clone(), why };
        let chain = chain(&content.certificate).map_err(|why| no_certificate(plain(&why)))?;
        let key = PrivateKeyDer::from_pem_slice(&content.key).map_err(|why| no_key(plain(&why)))?;
        let ends = chain.first().and_then(ends);
        let provider = Arc::new(ring::default_provider());
        // Apart from the certificate, so that what is said of either names its own file.
        provider.key_provider.load_private_key(key.clone_key()).map_err(|why| no_key(why.to_string()))?;
        let built = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
        let mut config = built.map_err(|why| match why {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => Error::Strangers,
            why => no_certificate(why.to_string()),
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Usable { config: Arc::new(config), ends })
    }
}

impl Looks {
    pub(super) fn new(in_force: Content) -> Self {
        Self { last: in_force.clone(), in_force }
    }

    /// Whether what is seen is to be judged: it is not in force, and was the same at the last look. Two files are never
    /// written at once, and neither is written in no time.
    pub(super) fn is_news(&mut self, seen: &Content) -> bool {
        let is_settled = self.last == *seen;
        self.last.clone_from(seen);
        is_settled && self.in_force != *seen
    }

    /// What is in force from now on.
    pub(super) fn took(&mut self, content: Content) {
        self.in_force = content;
    }
}

fn read(setting: &'static str, path: &Path) -> Result<Vec<u8>, Error> {
    let mut content = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut content));
    read.map(|_| content).map_err(|source| Error::Unreadable { setting, path: path.to_owned(), source })
}

fn chain(content: &[u8]) -> Result<Vec<CertificateDer<'static>>, pem::Error> {
    let chain = CertificateDer::pem_slice_iter(content).collect::<Result<Vec<_>, _>>()?;
    if chain.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(chain) }
}

/// The library's own word for an empty file is a puzzle.
fn plain(why: &pem::Error) -> String {
    match why {
        pem::Error::NoItemsFound => "there is no such block in it".to_owned(),
        why => why.to_string(),
    }
}

/// When a certificate ends. Who checks certificates tells it to who comes too late, so we come too late.
fn ends(certificate: &CertificateDer<'_>) -> Option<UnixTime> {
    let parsed = EndEntityCert::try_from(certificate).ok()?;
    let late = UnixTime::since_unix_epoch(LATEST);
    let usage = KeyUsage::server_auth();
    match parsed.verify_for_usage(ALL_VERIFICATION_ALGS, &[], &[], late, usage, None, None).err()? {
        webpki::Error::CertExpired { not_after, .. } => Some(not_after),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content { certificate: text.into(), key: Vec::new() }
    }

    #[test]
    fn news_is_what_stays_for_two_looks_and_is_not_in_force() {
        let mut looks = Looks::new(content("old"));
        for (seen, is_news) in [("old", false), ("half", false), ("new", false), ("new", true), ("new", true)] {
            assert_eq!(looks.is_news(&content(seen)), is_news, "{seen}");
        }
        looks.took(content("new"));
        for (seen, is_news) in [("new", false), ("old", false), ("old", true)] {
            assert_eq!(looks.is_news(&content(seen)), is_news, "{seen}");
        }
    }

    #[test]
    fn a_certificate_tells_its_end() {
        let mut params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
        for (year, unix_seconds) in [(2001, 978_307_200), (2030, 1_893_456_000), (2100, 4_102_444_800)] {
            params.not_after = rcgen::date_time_ymd(year, 1, 1);
            params.not_before = rcgen::date_time_ymd(2000, 1, 1);
            let certificate = params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap();
            assert_eq!(ends(certificate.der()).map(|ends| ends.as_secs()), Some(unix_seconds), "{year}");
        }
    }
}
