//! A small crowd of synthetic senders, so that a first look at the page shows it moving. It speaks through the real door,
//! over HTTP and with tokens, and gets no favor there.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use chassis::{
    shutdown::Shutdown,
    tokens::{Claims, Role, Signer},
};
use http_body_util::Full;
use hyper::{
    Request,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use rand::{RngExt as _, seq::IndexedRandom as _};
use serde_json::json;

use crate::token::now_secs;

/// A sender speaks every 1.2 to 4.8 s, 3 s on average: below the judge's 1 a second, and 12 of them make 4 messages a second.
const PAUSE_MS: std::ops::Range<u64> = 1_200..4_800;

/// Tokens are minted for so long and anew when half of it has passed.
const TOKEN_TTL: Duration = Duration::from_secs(3600);

const NAMES: &[&str] =
    &["阿芦", "松子糖", "小半夏", "晚风", "半块饼干", "Mika", "云朵邮差", "灯塔", "Juniper", "鱼丸", "青石板", "Otto"];

const OPENINGS: &[&str] = &["这波", "刚才那下", "主播", "今天", "等等", "哇", "笑死", "说真的", "Honestly", "wow"];

const ENDINGS: &[&str] = &[
    "太漂亮了",
    "可以可以",
    "有点东西",
    "好听",
    "稳住",
    "再来一次",
    "看呆了",
    "🎉🎉",
    "nice one",
    "先截图了",
    "这也行？",
];

const ALONE: &[&str] = &["666", "哈哈哈哈", "好耶", "来了来了", "？", "草莓味的", "GG", "👏👏👏", "前排", "泪目"];

/// What the embedded word list blocks, so that a verdict shows up in the metrics now and then.
pub(crate) const NAUGHTY: &str = "咕噜坏词";

const COLORS: &[&str] = &["#ffffff", "#ffd166", "#06d6a0", "#8ecae6", "#ff8fab", "#cdb4db"];

/// Who talks where.
pub struct Crowd {
    /// How many senders.
    pub senders: usize,
    /// Where the door is.
    pub door: SocketAddr,
    /// Into which room.
    pub room: String,
    /// Who signs their tokens.
    pub signer: Arc<Signer>,
}

impl Crowd {
    /// Talks until shutdown. A refused message is no fault: the next one comes in a moment.
    pub async fn talk(self, shutdown: Shutdown) {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let crowd = Arc::new(self);
        let mut senders = tokio::task::JoinSet::new();
        for number in 0..crowd.senders {
            senders.spawn(sender(crowd.clone(), client.clone(), number));
        }
        // Dropping the set at shutdown ends them.
        shutdown.requested().await;
    }
}

async fn sender(crowd: Arc<Crowd>, client: Client<HttpConnector, Full<Bytes>>, number: usize) {
    let mut token: Option<(String, u64)> = None;
    loop {
        let (pause, body) = {
            let mut rng = rand::rng();
            (rng.random_range(PAUSE_MS), message(&mut rng))
        };
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let now = now_secs();
        if token.as_ref().is_none_or(|(_, minted)| now > minted + TOKEN_TTL.as_secs() / 2) {
            token = crowd.mint(number, now).map(|minted| (minted, now));
        }
        let Some((bearer, _)) = &token else { return };
        if let Some(request) = crowd.request(bearer, body)
            && let Err(error) = client.request(request).await
        {
            tracing::debug!(%error, "the crowd was not heard");
        }
    }
}

impl Crowd {
    fn mint(&self, number: usize, now: u64) -> Option<String> {
        let mut claims = Claims::new(format!("crowd-{number}"), [Role::Sender].into_iter().collect());
        claims.name = NAMES[number % NAMES.len()].to_owned();
        claims.level = u32::try_from(number % 30).unwrap_or_default();
        self.signer.mint(&claims, TOKEN_TTL, now).ok()
    }

    fn request(&self, token: &str, body: String) -> Option<Request<Full<Bytes>>> {
        let path = percent_encoding::utf8_percent_encode(&self.room, percent_encoding::NON_ALPHANUMERIC);
        Request::post(format!("http://{}/v1/rooms/{path}/danmaku", self.door))
            .header(AUTHORIZATION, format!("Bearer {token}"))
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(body))
            .ok()
    }
}

fn message(rng: &mut impl rand::Rng) -> String {
    let pick = |rng: &mut _, from: &[&'static str]| from.choose(rng).copied().unwrap_or_default();
    let text = match rng.random_range(0..100u8) {
        0..2 => NAUGHTY.to_owned(),
        2..40 => pick(rng, ALONE).to_owned(),
        _ => format!("{}{}", pick(rng, OPENINGS), pick(rng, ENDINGS)),
    };
    let mut body = json!({ "text": text, "client_id": format!("{:016x}", rng.random::<u64>()) });
    if rng.random_bool(0.3) {
        body["color"] = pick(rng, COLORS).into();
    }
    match rng.random_range(0..40u8) {
        0 => body["position"] = "top".into(),
        1 => body["position"] = "bottom".into(),
        2 => body["size"] = "large".into(),
        _ => {}
    }
    body.to_string()
}
