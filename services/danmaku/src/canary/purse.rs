//! The tokens that a canary shows: made with a key, read from a file, or asked of a program on an embedded broker. Which of
//! them is used is decided once; how long each is good is looked after here.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use chassis::tokens::{Claims, Role, Signer};
use http_body_util::Full;
use hyper::{Request, StatusCode, Uri};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::Canary;
use crate::{reach, token::now_secs};

/// Tokens are minted for so long, and anew when half of it has passed; a development token is good for as long.
const TTL: Duration = Duration::from_secs(3600);

/// Where tokens come from.
enum Source {
    /// A key, and what the canary's users are called: two canaries must not take one another's places.
    Key(Arc<Signer>, String),
    File(PathBuf),
    Development(Uri),
}

/// The tokens of one canary.
pub(super) struct Purse {
    source: Source,
    /// The speaker's, and when it was got.
    speakers: Mutex<Option<(String, Instant)>>,
}

#[derive(Deserialize)]
struct Minted {
    token: String,
}

impl Purse {
    pub(super) fn of(canary: &Canary) -> anyhow::Result<Self> {
        let source = match (&canary.keys, &canary.token_file) {
            (Some(path), _) => {
                let signer = Signer::from_file(path).with_context(|| {
                    format!("--keys (DANMAKU_KEYS) {} cannot sign; give --token-file", path.display())
                })?;
                Source::Key(Arc::new(signer), format!("canary-{:08x}", rand::random::<u32>()))
            }
            (None, Some(path)) => Source::File(path.clone()),
            (None, None) => Source::Development(canary.door.clone()),
        };
        Ok(Self { source, speakers: Mutex::default() })
    }

    /// The speaker's.
    pub(super) async fn speakers(&self) -> anyhow::Result<String> {
        let mut kept = self.speakers.lock().await;
        if let Some((token, _)) = kept.as_ref().filter(|(_, got)| got.elapsed() < TTL / 2) {
            return Ok(token.clone());
        }
        let token = match &self.source {
            Source::Key(signer, name) => mint(signer, &format!("{name}-0"))?,
            Source::Development(door) => asked(door).await?,
            // Whoever renews it writes it there, and it costs nothing to look.
            Source::File(path) => return read(path),
        };
        *kept = Some((token.clone(), Instant::now()));
        Ok(token)
    }

    /// A watcher's. The first one is the speaker, so that it hears what the judge says to him; the others are others, or
    /// nobody where only one token is had, because a user may have one place.
    pub(super) async fn watchers(&self, number: usize) -> anyhow::Result<Option<String>> {
        match (&self.source, number) {
            (_, 0) => self.speakers().await.map(Some),
            (Source::Key(signer, name), _) => mint(signer, &format!("{name}-{number}")).map(Some),
            (Source::Development(door), _) => asked(door).await.map(Some),
            (Source::File(_), _) => Ok(None),
        }
    }
}

fn mint(signer: &Signer, user: &str) -> anyhow::Result<String> {
    let mut claims = Claims::new(user, [Role::Viewer, Role::Sender].into_iter().collect());
    claims.name = "canary".to_owned();
    Ok(signer.mint(&claims, TTL, now_secs())?)
}

fn read(path: &PathBuf) -> anyhow::Result<String> {
    let token = std::fs::read_to_string(path).with_context(|| format!("--token-file {}", path.display()))?;
    Ok(token.trim().to_owned())
}

async fn asked(door: &Uri) -> anyhow::Result<String> {
    let uri = format!("{}/dev/token?name=canary", door.to_string().trim_end_matches('/'));
    let request = Request::get(uri).body(Full::default())?;
    let answer = reach::ask(request).await.with_context(|| format!("{door} does not answer"))?;
    if answer.status() != StatusCode::OK {
        bail!("{door} gives no tokens away; give --token-file, or --keys with a key that can sign");
    }
    Ok(serde_json::from_slice::<Minted>(answer.body()).context("an answer that is no token")?.token)
}
