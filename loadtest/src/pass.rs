//! Who the crowd says it is: a key, and tokens signed with it. Where a key is kept is the caller's.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::{Deserialize, Serialize};

/// Signs tokens of one HS256 key.
pub struct Pass {
    key: EncodingKey,
    header: Header,
    /// When all its tokens end, in Unix seconds.
    exp: u64,
}

#[derive(Serialize, Deserialize)]
struct Jwks {
    keys: Vec<Jwk>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Jwk {
    kty: String,
    alg: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    k: String,
}

#[derive(Serialize)]
struct Claims<'a> {
    sub: &'a str,
    roles: [&'a str; 2],
    exp: u64,
}

/// How long tokens are good: longer than any replay, which takes at most a day.
const GOOD_FOR: Duration = Duration::from_secs(25 * 3600);

impl Pass {
    /// Writes a random key as a JWKS to a new file that only its owner may read, and signs with it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let secret: [u8; 32] = rand::random();
        let key = Jwk {
            kty: "oct".into(),
            alg: "HS256".into(),
            kid: Some("loadtest".into()),
            k: URL_SAFE_NO_PAD.encode(secret),
        };
        let jwks = serde_json::to_string(&Jwks { keys: vec![key] })?;
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(jwks.as_bytes())?;
        Self::from_jwks(&jwks)
    }

    /// Signs with the first HS256 key of a JWKS file.
    ///
    /// # Errors
    /// When the file cannot be read or holds no such key.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let jwks = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        Self::from_jwks(&jwks).with_context(|| format!("use {}", path.display()))
    }

    fn from_jwks(jwks: &str) -> anyhow::Result<Self> {
        let Jwks { keys } = serde_json::from_str(jwks).context("it is no JWKS")?;
        let Some(key) = keys.into_iter().find(|key| key.kty == "oct" && key.alg == "HS256") else {
            bail!("it holds no HS256 key, which is what a load test can sign with");
        };
        let secret = URL_SAFE_NO_PAD.decode(key.k).context("its key is not base64url")?;
        let now = SystemTime::UNIX_EPOCH.elapsed().context("the clock is before 1970")?;
        Ok(Self {
            key: EncodingKey::from_secret(&secret)?,
            header: Header { kid: key.kid, ..Header::new(Algorithm::HS256) },
            exp: (now + GOOD_FOR).as_secs(),
        })
    }

    /// A token of a viewer who may also send.
    ///
    /// # Errors
    /// Never for a key that was read.
    pub fn mint(&self, user: &str) -> anyhow::Result<String> {
        let claims = Claims { sub: user, roles: ["viewer", "sender"], exp: self.exp };
        Ok(jsonwebtoken::encode(&self.header, &claims, &self.key)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_once_and_read_again() {
        let path =
            std::env::temp_dir().join(format!("loadtest-keys-{}-{:x}", std::process::id(), rand::random::<u64>()));
        let made = Pass::create(&path).unwrap();
        let read = Pass::open(&path).unwrap();
        assert!(Pass::create(&path).is_err(), "a key in use is not overwritten");
        std::fs::remove_file(&path).unwrap();
        let signature = |pass: &Pass| {
            let token = Pass { exp: 1, key: pass.key.clone(), header: pass.header.clone() }.mint("u1").unwrap();
            token.rsplit_once('.').unwrap().1.to_owned()
        };
        assert_eq!(signature(&made), signature(&read));
    }

    #[test]
    fn other_keys_are_refused() {
        for jwks in [
            "[]",
            r#"{"keys":[]}"#,
            r#"{"keys":[{"kty":"RSA","alg":"RS256","n":"a"}]}"#,
            r#"{"keys":[{"kty":"oct","alg":"HS256","k":"!"}]}"#,
        ] {
            assert!(Pass::from_jwks(jwks).is_err(), "{jwks}");
        }
    }
}
