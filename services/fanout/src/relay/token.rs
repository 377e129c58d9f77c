//! The token that this node's requests to a door carry: read from a file, or minted here and renewed.
//! Kept out: what it is for, which the door says.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use chassis::tokens::{Claims, Role, Signer, Verifier};
use hyper::{header::HeaderValue, http::uri::Authority};

use crate::config::Config;

/// A token that we mint is good for so long, and minted anew when half of it has passed.
const MINTED_FOR: Duration = Duration::from_secs(3600);

/// How often the file is read again: whoever renews it does so minutes before the old one ends.
const READ_EACH_SECS: u64 = 60;

/// The doors that take what viewers send, and where the token for them comes from.
#[derive(Debug)]
pub struct Doors {
    addresses: Vec<Authority>,
    source: Source,
}

#[derive(Debug)]
pub(super) enum Source {
    File(PathBuf),
    Signer(Arc<Signer>),
}

impl Doors {
    /// The doors of `--ingest`; `None` when there are none, and viewers only watch.
    ///
    /// # Errors
    /// When there are doors and no token for them: no file is named, and no key here can sign one.
    pub fn of(config: &Config, signer: Option<Arc<Signer>>) -> anyhow::Result<Option<Self>> {
        let source = match (&config.relay_token_file, signer) {
            _ if config.ingest.is_empty() => return Ok(None),
            (Some(file), _) => Source::File(file.clone()),
            (None, Some(signer)) => Source::Signer(signer),
            (None, None) => bail!(
                "--ingest (DANMAKU_INGEST): the door wants a relay token, and no key of --keys can sign one; give \
                 --relay-token-file <FILE> (DANMAKU_RELAY_TOKEN_FILE) with what `danmaku token --roles relay` prints"
            ),
        };
        Ok(Some(Self { addresses: config.ingest.clone(), source }))
    }

    pub(super) fn into_parts(self) -> (Vec<Authority>, Source) {
        (self.addresses, self.source)
    }
}

/// The token in use.
pub(super) struct Token {
    source: Source,
    bearer: HeaderValue,
    /// When another one is looked for.
    renew_at: u64,
}

impl Token {
    /// The first token, which must be one that a door with the same keys believes.
    pub(super) fn new(source: Source, verifier: &Verifier, now_secs: u64) -> anyhow::Result<Self> {
        let bearer = match &source {
            Source::Signer(signer) => mint(signer, now_secs)?,
            Source::File(path) => {
                let setting = || format!("--relay-token-file (DANMAKU_RELAY_TOKEN_FILE) {}", path.display());
                let text = std::fs::read_to_string(path).with_context(setting)?;
                let claims = verifier.verify(text.trim(), now_secs).with_context(setting)?;
                if !claims.has(Role::Relay) {
                    bail!("{}: its role is not relay; make one with `danmaku token --roles relay`", setting());
                }
                header(&text).with_context(setting)?
            }
        };
        let renew_at = now_secs + source.renewed_each_secs();
        Ok(Self { source, bearer, renew_at })
    }

    /// The value of `Authorization`. One that cannot be renewed is used on until a door says no.
    pub(super) async fn bearer(&mut self, now_secs: u64) -> HeaderValue {
        if now_secs >= self.renew_at {
            self.renew_at = now_secs + self.source.renewed_each_secs();
            match self.source.fresh(now_secs).await {
                Ok(bearer) => self.bearer = bearer,
                Err(error) => tracing::warn!(error = format!("{error:#}"), "the relay token cannot be renewed"),
            }
        }
        self.bearer.clone()
    }

    /// A door did not believe it. One of a file may have been replaced there; one of ours is no better when it is new.
    pub(super) fn doubt(&mut self) {
        if matches!(self.source, Source::File(_)) {
            self.renew_at = 0;
        }
    }
}

impl Source {
    fn renewed_each_secs(&self) -> u64 {
        match self {
            Self::File(_) => READ_EACH_SECS,
            Self::Signer(_) => MINTED_FOR.as_secs() / 2,
        }
    }

    async fn fresh(&self, now_secs: u64) -> anyhow::Result<HeaderValue> {
        match self {
            Self::Signer(signer) => mint(signer, now_secs),
            Self::File(path) => {
                let setting = || format!("--relay-token-file (DANMAKU_RELAY_TOKEN_FILE) {}", path.display());
                header(&tokio::fs::read_to_string(path).await.with_context(setting)?)
            }
        }
    }
}

fn mint(signer: &Signer, now_secs: u64) -> anyhow::Result<HeaderValue> {
    let claims = Claims::new("fanout", [Role::Relay].into_iter().collect());
    header(&signer.mint(&claims, MINTED_FOR, now_secs)?)
}

fn header(token: &str) -> anyhow::Result<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.trim())).context("it is no token")?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn claims(bearer: &HeaderValue, verifier: &Verifier, now_secs: u64) -> Arc<Claims> {
        verifier.verify(bearer.to_str().unwrap().strip_prefix("Bearer ").unwrap(), now_secs).unwrap()
    }

    #[tokio::test]
    async fn one_of_ours_is_renewed_before_it_ends() {
        let signer = Arc::new(Signer::random_hs256());
        let verifier = signer.verifier().unwrap();
        let mut token = Token::new(Source::Signer(signer), &verifier, NOW).unwrap();
        let first = token.bearer(NOW + 1_799).await;
        assert!(claims(&first, &verifier, NOW).has(Role::Relay) && first.is_sensitive());
        let second = token.bearer(NOW + 1_800).await;
        assert_eq!(claims(&second, &verifier, NOW + 1_800).exp, NOW + 1_800 + 3_600);
    }

    #[tokio::test]
    async fn one_of_a_file_is_read_again_and_must_be_a_relays_at_first() {
        let folder = std::env::temp_dir().join(format!("danmaku-relay-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("token");
        let signer = Signer::random_hs256();
        let verifier = signer.verifier().unwrap();
        let write = |sub: &str, role: Role| {
            let claims = Claims::new(sub, [role].into_iter().collect());
            let token = signer.mint(&claims, Duration::from_secs(600), NOW).unwrap();
            std::fs::write(&path, format!("{token}\n")).unwrap();
        };
        let open = || Token::new(Source::File(path.clone()), &verifier, NOW).map_err(|error| format!("{error:#}"));
        let says = |outcome: Result<Token, String>| outcome.err().unwrap();
        assert!(says(open()).contains("--relay-token-file"));
        write("node", Role::Sender);
        assert!(says(open()).contains("--roles relay"));
        std::fs::write(&path, "nonsense").unwrap();
        assert!(says(open()).contains("malformed"));
        write("one", Role::Relay);
        let mut token = open().unwrap();
        write("two", Role::Relay);
        assert_eq!(claims(&token.bearer(NOW + 59).await, &verifier, NOW).sub, "one");
        token.doubt();
        assert_eq!(claims(&token.bearer(NOW + 59).await, &verifier, NOW).sub, "two");
        write("three", Role::Relay);
        assert_eq!(claims(&token.bearer(NOW + 119).await, &verifier, NOW).sub, "three");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(claims(&token.bearer(NOW + 179).await, &verifier, NOW).sub, "three", "the last one is used on");
    }

    #[test]
    fn doors_want_a_token() {
        let none = Config::default();
        assert!(Doors::of(&none, None).unwrap().is_none());
        let config = Config { ingest: vec!["door:8081".parse().unwrap()], ..Config::default() };
        assert!(Doors::of(&config, None).unwrap_err().to_string().contains("--relay-token-file"));
        assert!(Doors::of(&config, Some(Arc::new(Signer::random_hs256()))).unwrap().is_some());
        let config = Config { relay_token_file: Some("token".into()), ..config };
        assert!(Doors::of(&config, None).unwrap().is_some());
    }
}
