//! Keys out of a JWKS: what is in the file, and which of it can be used.
//! Kept out: fetching keys over the network.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, crypto};
use serde::{Deserialize, Serialize};

/// RFC 7518 §3.2: a key of HS256 must have as many bits as its hash.
const SECRET_BYTES: RangeInclusive<usize> = 32..=1024;
/// RFC 7518 §3.3: a key of RS256 must have 2048 bits; above 8192 a check takes milliseconds.
const MODULUS_BYTES: RangeInclusive<usize> = 256..=1024;
/// A key takes less than 2 KiB, and no provider has 500 of them; what is larger is another file.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Why a set of keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said; a part of the sentence, so not its source, which would be said again.
        error: io::Error,
    },
    /// It is no JWKS.
    #[error("not a JWKS, which is {{\"keys\": [...]}}: {0}")]
    NotJwks(serde_json::Error),
    /// There is no key for signatures in it.
    #[error("the JWKS holds no key for signatures")]
    Empty,
    /// A `kid` occurs twice, so it selects nothing.
    #[error("two keys have the kid `{0}`; give each its own")]
    Twice(String),
    /// One key cannot be used.
    #[error("key {which} of the JWKS: {why}")]
    Key {
        /// Its place, counted from 1, and its `kid`.
        which: String,
        /// What is wrong, with the remedy.
        why: String,
    },
}

/// One key as the file writes it. A private part (`d`) is for a signer.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Jwk {
    pub(super) kty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kid: Option<String>,
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) crv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) k: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) x: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) y: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) n: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) e: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) d: Option<String>,
    /// Its place in the file, from 1.
    #[serde(skip)]
    pub(super) place: usize,
}

/// A set of keys as the file writes it.
#[derive(Serialize, Deserialize)]
pub(super) struct Jwks {
    pub(super) keys: Vec<Jwk>,
}

/// A key that signatures are checked with.
pub(super) struct Key {
    pub(super) kid: Option<String>,
    algorithm: Algorithm,
    decoding: DecodingKey,
}

pub(super) fn read(path: &Path) -> Result<String, KeysError> {
    let unreadable = |error| KeysError::Read { path: path.into(), error };
    let mut text = String::new();
    // Not by its size: a device has none, and never ends.
    let file = File::open(path).map_err(unreadable)?;
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(unreadable(io::Error::other("it is larger than 1 MiB")));
    }
    Ok(text)
}

/// The keys for signatures in a JWKS; those for encryption are passed over.
pub(super) fn parse(text: &str) -> Result<Vec<Jwk>, KeysError> {
    let Jwks { keys } = serde_json::from_str(text).map_err(KeysError::NotJwks)?;
    let numbered = keys.into_iter().enumerate().map(|(index, key)| Jwk { place: index + 1, ..key });
    let keys: Vec<Jwk> = numbered.filter(|key| key.usage.as_deref() != Some("enc")).collect();
    if keys.is_empty() {
        return Err(KeysError::Empty);
    }
    let twice = keys.iter().enumerate().find_map(|(index, key)| {
        let kid = key.kid.as_ref()?;
        keys[..index].iter().any(|before| before.kid.as_ref() == Some(kid)).then_some(kid)
    });
    match twice {
        Some(kid) => Err(KeysError::Twice(kid.clone())),
        None => Ok(keys),
    }
}

impl Jwk {
    /// The one algorithm this key is for, which its kind has to fit.
    pub(super) fn algorithm(&self) -> Result<Algorithm, KeysError> {
        let alg = self
            .alg
            .as_deref()
            .ok_or_else(|| self.unusable("it names no algorithm; add \"alg\" (HS256, EdDSA, ES256 or RS256)"))?;
        match (alg, self.kty.as_str(), self.crv.as_deref()) {
            ("HS256", "oct", _) => Ok(Algorithm::HS256),
            ("EdDSA" | "Ed25519", "OKP", Some("Ed25519")) => Ok(Algorithm::EdDSA),
            ("ES256", "EC", Some("P-256")) => Ok(Algorithm::ES256),
            ("RS256", "RSA", _) => Ok(Algorithm::RS256),
            ("HS256" | "EdDSA" | "Ed25519" | "ES256" | "RS256", kty, crv) => {
                let crv = crv.unwrap_or("none");
                Err(self.unusable(format!("a key of kty `{kty}` and crv `{crv}` cannot be for {alg}")))
            }
            _ => Err(self.unusable(format!("algorithm {alg} is not supported; use HS256, EdDSA, ES256 or RS256"))),
        }
    }

    /// A part's bytes.
    pub(super) fn bytes(&self, name: &str, part: &Option<String>) -> Result<Vec<u8>, KeysError> {
        let text = part.as_ref().ok_or_else(|| self.unusable(format!("its part `{name}` is missing")))?;
        URL_SAFE_NO_PAD.decode(text).map_err(|_| self.unusable(format!("its part `{name}` is not base64url")))
    }

    pub(super) fn unusable(&self, why: impl Into<String>) -> KeysError {
        let kid = self.kid.as_deref().map_or("without kid".into(), |kid| format!("`{kid}`"));
        KeysError::Key { which: format!("{} ({kid})", self.place), why: why.into() }
    }

    fn decoding(&self, algorithm: Algorithm) -> Result<DecodingKey, KeysError> {
        match algorithm {
            Algorithm::EdDSA => Ok(DecodingKey::from_ed_der(&self.sized("x", &self.x, 32..=32)?)),
            Algorithm::ES256 => {
                let (x, y) = (self.sized("x", &self.x, 32..=32)?, self.sized("y", &self.y, 32..=32)?);
                // An uncompressed point (SEC 1 §2.3.3) is 4 and its coordinates.
                Ok(DecodingKey::from_ec_der(&[vec![4], x, y].concat()))
            }
            Algorithm::RS256 => {
                let (n, e) = (self.sized("n", &self.n, MODULUS_BYTES)?, self.sized("e", &self.e, 1..=8)?);
                Ok(DecodingKey::from_rsa_raw_components(&n, &e))
            }
            _ => {
                let secret = self.sized("k", &self.k, SECRET_BYTES)?;
                DecodingKey::from_secret(&secret).map_err(|error| self.unusable(error.to_string()))
            }
        }
    }

    fn sized(&self, name: &str, part: &Option<String>, sizes: RangeInclusive<usize>) -> Result<Vec<u8>, KeysError> {
        let bytes = self.bytes(name, part)?;
        if sizes.contains(&bytes.len()) {
            return Ok(bytes);
        }
        let (least, most) = sizes.into_inner();
        Err(self.unusable(format!("its part `{name}` has {} bytes; it needs {least} to {most}", bytes.len())))
    }
}

impl Key {
    pub(super) fn from_jwk(jwk: &Jwk) -> Result<Self, KeysError> {
        let algorithm = jwk.algorithm()?;
        let decoding = jwk.decoding(algorithm)?;
        // Any signature will do: a key that is no point of its curve fails before it is compared.
        crypto::verify("AA", b"", &decoding, algorithm).map_err(|error| jwk.unusable(error.to_string()))?;
        Ok(Self { kid: jwk.kid.clone(), algorithm, decoding })
    }

    pub(super) fn algorithm_name(&self) -> &'static str {
        match self.algorithm {
            Algorithm::EdDSA => "EdDSA",
            Algorithm::ES256 => "ES256",
            Algorithm::RS256 => "RS256",
            _ => "HS256",
        }
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.algorithm == Algorithm::HS256
    }

    pub(super) fn signed(&self, message: &str, signature: &str) -> bool {
        crypto::verify(signature, message.as_bytes(), &self.decoding, self.algorithm).unwrap_or(false)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("kid", &self.kid).field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
