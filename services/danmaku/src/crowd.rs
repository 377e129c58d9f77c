//! A small crowd of synthetic senders, so that a first look at the page shows it moving. It speaks through the real door,
//! over HTTP and with tokens, and gets no favor there.

use std::{net::SocketAddr, ops::Range, sync::Arc, time::Duration};

use bytes::Bytes;
use chassis::{
    shutdown::Shutdown,
    tokens::{Claims, Role, Roles, Signer},
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
use rand::{RngExt as _, rngs::ThreadRng, seq::IndexedRandom as _};
use serde_json::{Value, json};

use crate::token::now_secs;

/// A sender speaks every 1.2 to 4.8 s, 3 s on average: below the judge's 1 a second, and 12 of them make 4 messages a second.
const PAUSE_MS: Range<u64> = 1_200..4_800;

/// The platform posts a gift every 8 to 20 s, each fourth a super-chat instead: both are seen within the first minute.
const GIFT_PAUSE_MS: Range<u64> = 8_000..20_000;

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

/// Id, name, and what one of them is worth.
const GIFTS: &[(&str, &str, u64)] = &[("rose", "玫瑰", 10), ("lightstick", "荧光棒", 50), ("rocket", "火箭", 5_000)];

/// What the embedded word list blocks, so that a verdict shows up in the metrics now and then.
pub(crate) const NAUGHTY: &str = "咕噜坏词";

const COLORS: &[&str] = &["#ffffff", "#ffd166", "#06d6a0", "#8ecae6", "#ff8fab", "#cdb4db"];

/// Who talks where.
pub struct Crowd {
    /// How many senders. Where there are any, the platform posts their gifts.
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
        for voice in (0..crowd.senders).map(Voice::sender).chain([Voice::platform()]) {
            senders.spawn(voice.speak(crowd.clone(), client.clone()));
        }
        // Dropping the set at shutdown ends them.
        shutdown.requested().await;
    }
}

/// One who speaks: who it is, how often, through which door, and what.
struct Voice {
    claims: Claims,
    pause_ms: Range<u64>,
    door: &'static str,
    say: fn(&mut ThreadRng) -> Value,
}

impl Voice {
    fn sender(number: usize) -> Self {
        let mut claims = Claims::new(user_id(number), [Role::Sender].into_iter().collect());
        claims.name = NAMES[number % NAMES.len()].to_owned();
        claims.level = u32::try_from(number % 30).unwrap_or_default();
        Self { claims, pause_ms: PAUSE_MS, door: "danmaku", say: message }
    }

    fn platform() -> Self {
        let claims = Claims::new("crowd-platform", [Role::Service].into_iter().collect::<Roles>());
        Self { claims, pause_ms: GIFT_PAUSE_MS, door: "events", say: gift }
    }

    async fn speak(self, crowd: Arc<Crowd>, client: Client<HttpConnector, Full<Bytes>>) {
        let mut token: Option<(String, u64)> = None;
        loop {
            let (pause, mut body) = {
                let mut rng = rand::rng();
                (rng.random_range(self.pause_ms.clone()), (self.say)(&mut rng))
            };
            body["client_id"] = format!("{:016x}", rand::random::<u64>()).into();
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let now = now_secs();
            if token.as_ref().is_none_or(|(_, minted)| now > minted + TOKEN_TTL.as_secs() / 2) {
                token = crowd.signer.mint(&self.claims, TOKEN_TTL, now).ok().map(|minted| (minted, now));
            }
            let Some((bearer, _)) = &token else { return };
            if let Some(request) = crowd.request(bearer, self.door, &body)
                && let Err(error) = client.request(request).await
            {
                tracing::debug!(%error, "the crowd was not heard");
            }
        }
    }
}

fn user_id(number: usize) -> String {
    format!("crowd-{number}")
}

impl Crowd {
    fn request(&self, token: &str, door: &str, body: &Value) -> Option<Request<Full<Bytes>>> {
        let path = percent_encoding::utf8_percent_encode(&self.room, percent_encoding::NON_ALPHANUMERIC);
        Request::post(format!("http://{}/v1/rooms/{path}/{door}", self.door))
            .header(AUTHORIZATION, format!("Bearer {token}"))
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(body.to_string()))
            .ok()
    }
}

fn pick<T: Copy + Default>(rng: &mut ThreadRng, from: &[T]) -> T {
    from.choose(rng).copied().unwrap_or_default()
}

fn message(rng: &mut ThreadRng) -> Value {
    let text = match rng.random_range(0..100u8) {
        0..2 => NAUGHTY.to_owned(),
        2..40 => pick(rng, ALONE).to_owned(),
        _ => format!("{}{}", pick(rng, OPENINGS), pick(rng, ENDINGS)),
    };
    let mut body = json!({ "text": text });
    if rng.random_bool(0.3) {
        body["color"] = pick(rng, COLORS).into();
    }
    match rng.random_range(0..40u8) {
        0 => body["position"] = "top".into(),
        1 => body["position"] = "bottom".into(),
        2 => body["size"] = "large".into(),
        _ => {}
    }
    body
}

/// A gift, or now and then a super-chat, from one of the names.
fn gift(rng: &mut ThreadRng) -> Value {
    let number = rng.random_range(0..NAMES.len());
    let user = json!({ "id": user_id(number), "name": NAMES[number] });
    if rng.random_bool(0.25) {
        let data = json!({ "amount_minor": pick(rng, &[500, 3_000, 5_000]), "currency": "CNY", "show_ms": 12_000 });
        return json!({ "kind": "super", "user": user, "text": pick(rng, ENDINGS), "data": data });
    }
    let (id, name, worth) = pick(rng, GIFTS);
    let count = rng.random_range(1..10u64);
    let data = json!({ "gift": id, "name": name, "count": count, "value": worth * count });
    json!({ "kind": "gift", "user": user, "data": data })
}
