//! Signs tokens for development, tests and our own services.
//! Kept out of production for users: there the platform signs, and we hold only what is needed to check.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, crypto};
use serde::Serialize;

use super::keys::{self, Jwk, Jwks};
use super::{Claims, KeysError, Verifier};

/// The fixed head of an Ed25519 private key in PKCS#8 (RFC 8410 §7); the 32 bytes of the key follow.
const ED25519_PKCS8: [u8; 16] = *b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

/// Why a token was not signed.
#[derive(Debug, thiserror::Error)]
#[error("cannot sign a token: {0}")]
pub struct SignerError(jsonwebtoken::errors::Error);

/// A key that signs.
pub struct Signer {
    jwk: Jwk,
    algorithm: Algorithm,
    encoding: EncodingKey,
}

#[derive(Serialize)]
struct Minted<'a> {
    #[serde(flatten)]
    claims: &'a Claims,
    iat: u64,
}

impl Signer {
    /// A fresh HS256 key; it lives as long as its holder unless it is [saved](Self::save).
    #[must_use]
    pub fn random_hs256() -> Self {
        let secret: [u8; 32] = rand::random();
        let jwk = Jwk {
            kty: "oct".into(),
            alg: Some("HS256".into()),
            kid: Some(format!("{:016x}", rand::random::<u64>())),
            usage: Some("sig".into()),
            k: Some(URL_SAFE_NO_PAD.encode(secret)),
            ..Jwk::default()
        };
        let encoding = EncodingKey::from_secret(&secret).expect("32 bytes are not empty");
        Self { jwk, algorithm: Algorithm::HS256, encoding }
    }

    /// The first key in a JWKS file that can sign: HS256, or EdDSA with its private part `d`.
    ///
    /// # Errors
    /// When the file cannot be read or no key in it can sign.
    pub fn from_file(path: &Path) -> Result<Self, KeysError> {
        Self::from_jwks(&keys::read(path)?)
    }

    /// As [`from_file`](Self::from_file), from the text of a JWKS.
    ///
    /// # Errors
    /// When the text is no JWKS or no key in it can sign.
    pub fn from_jwks(text: &str) -> Result<Self, KeysError> {
        let keys = keys::parse(text)?;
        let mut refusal = KeysError::Empty;
        for jwk in keys {
            match Self::from_jwk(jwk) {
                Ok(signer) => return Ok(signer),
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    }

    fn from_jwk(jwk: Jwk) -> Result<Self, KeysError> {
        // What cannot check cannot sign: a short secret is refused here too.
        keys::Key::from_jwk(&jwk)?;
        let algorithm = jwk.algorithm()?;
        let encoding = match algorithm {
            Algorithm::HS256 => {
                EncodingKey::from_secret(&jwk.bytes("k", &jwk.k)?).map_err(|error| jwk.unusable(error.to_string()))?
            }
            Algorithm::EdDSA => {
                let private = jwk.bytes("d", &jwk.d)?;
                EncodingKey::from_ed_der(&[&ED25519_PKCS8[..], &private].concat())
            }
            _ => return Err(jwk.unusable("only HS256 and EdDSA keys can sign here")),
        };
        crypto::sign(b"", &encoding, algorithm).map_err(|error| jwk.unusable(error.to_string()))?;
        Ok(Self { jwk, algorithm, encoding })
    }

    /// Signs `claims`, good from now for `ttl`; their own `exp` is replaced.
    ///
    /// # Errors
    /// Never for a signer that was made, unless the system's randomness fails.
    pub fn mint(&self, claims: &Claims, ttl: Duration, now_secs: u64) -> Result<String, SignerError> {
        let claims = Claims { exp: now_secs.saturating_add(ttl.as_secs()), ..claims.clone() };
        let mut header = Header::new(self.algorithm);
        header.kid.clone_from(&self.jwk.kid);
        jsonwebtoken::encode(&header, &Minted { claims: &claims, iat: now_secs }, &self.encoding).map_err(SignerError)
    }

    /// The key as a JWKS, **secret included**, for [`Verifier::from_jwks`] and [`Signer::from_jwks`].
    #[must_use]
    pub fn to_jwks(&self) -> String {
        let jwks = Jwks { keys: vec![self.jwk.clone()] };
        serde_json::to_string_pretty(&jwks).expect("a key is strings")
    }

    /// Writes the key to a new file that only its owner may read, so that separate processes can share it.
    ///
    /// # Errors
    /// When the file exists already (a key in use is not overwritten) or cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        writeln!(file, "{}", self.to_jwks())
    }

    /// A verifier of this key's tokens.
    ///
    /// # Errors
    /// Never for a signer that was made; the key is read anew.
    pub fn verifier(&self) -> Result<Verifier, KeysError> {
        Verifier::from_jwks(&self.to_jwks())
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("kid", &self.jwk.kid).field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
