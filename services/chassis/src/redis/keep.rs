//! Keeps one connection: makes it, watches it, and makes the next when it is bad.
//!
//! Not the library's connection manager: its commands wait as long as it reconnects, which is for ever when it never gives
//! up; when it does give up nobody connects again before somebody asks; and it stays with a master that has become a
//! replica.

use std::{
    sync::{Arc, PoisonError, Weak},
    time::{Duration, Instant},
};

use ::redis::{
    AsyncConnectionConfig, ErrorKind, PushInfo, PushKind, RedisError, RedisResult, ServerErrorKind, Value, cmd,
};
use bytes::Bytes;
use metrics::{counter, describe_counter};
use tokio::{sync::Notify, time};

use super::{Address, Link, Shared, told};

/// Name look-up, handshake, login.
const CONNECT_WAIT: Duration = Duration::from_secs(1);

/// A healthy Redis answers in well under a millisecond; one that takes longer than this is as good as away.
const RESPONSE_WAIT: Duration = Duration::from_millis(500);

/// Between attempts: the first ones quickly, as after a restart, then twice a second for as long as it takes.
const AGAIN_AFTER: Duration = Duration::from_millis(50);
const AGAIN_AFTER_MAX: Duration = Duration::from_millis(500);

/// How often the connection is asked whether it is good; a half-open one is found out after this and the response time.
const ASK_EVERY: Duration = Duration::from_secs(2);

/// What is told of it.
pub(super) fn describe() {
    describe_counter!("danmaku_redis_connects_total", "connections made to Redis");
    describe_counter!("danmaku_redis_dropped_total", "messages of Redis that came faster than they were taken");
    // Told from the beginning, so that a first one is seen as a rise.
    counter!("danmaku_redis_connects_total").increment(0);
    counter!("danmaku_redis_dropped_total").increment(0);
}

/// Goes on until nobody wants a connection any more.
pub(super) async fn keep(address: Address, shared: Weak<Shared>) {
    let mut wait = AGAIN_AFTER;
    let mut was_up = true; // So that the first failure is told.
    while let Some(wanted) = shared.upgrade() {
        let (lost, asked) = (Arc::new(Notify::new()), Instant::now());
        let error = match time::timeout(2 * CONNECT_WAIT, connect(&address, &wanted, &lost)).await {
            Ok(Ok(link)) => {
                wanted.is_up(&address, &link, asked.elapsed());
                (wait, was_up) = (AGAIN_AFTER, true);
                let has_new_channel = wanted.has_new_channel.clone();
                drop(wanted);
                let why = watch(link, &lost, &has_new_channel, &shared).await;
                let Some(wanted) = shared.upgrade() else { return };
                wanted.link.send_replace(None);
                why
            }
            Ok(Err(error)) => told(&error),
            Err(_) => "it does not answer".to_owned(),
        };
        let Some(wanted) = shared.upgrade() else { return };
        wanted.is_down(&address, &error, std::mem::replace(&mut was_up, false));
        drop(wanted);
        time::sleep(wait.mul_f64(rand::random_range(0.5..1.0))).await;
        wait = (wait * 2).min(AGAIN_AFTER_MAX);
    }
}

impl Shared {
    fn is_up(&self, address: &Address, link: &Link, after: Duration) {
        tracing::info!(%address, "redis connected");
        self.note.set("connected");
        self.dependency.answered(after);
        counter!("danmaku_redis_connects_total").increment(1);
        self.link.send_replace(Some(link.clone()));
    }

    fn is_down(&self, address: &Address, error: &str, was_up: bool) {
        if was_up {
            tracing::warn!(%address, error, "redis away; danmaku flow without it");
        }
        self.note.set(format!("away: {error}"));
        self.dependency.is_silent();
    }

    fn heard(&self, push: PushInfo) {
        let [Value::BulkString(channel), Value::BulkString(payload)] = &push.data[..] else { return };
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = std::str::from_utf8(channel).ok().and_then(|name| channels.get(name)) else { return };
        if sender.try_send(Bytes::copy_from_slice(payload)).is_err() {
            counter!("danmaku_redis_dropped_total").increment(1);
        }
    }
}

/// A connection that takes writes, with all channels subscribed; `lost` hears when the server hangs up.
async fn connect(address: &Address, shared: &Arc<Shared>, lost: &Arc<Notify>) -> RedisResult<Link> {
    let (hearing, lost) = (Arc::downgrade(shared), lost.clone());
    let heard = move |push: PushInfo| {
        match push.kind {
            PushKind::Message => hearing.upgrade().into_iter().for_each(|shared| shared.heard(push.clone())),
            PushKind::Disconnection => lost.notify_one(),
            _ => {}
        }
        Ok::<_, RedisError>(())
    };
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(CONNECT_WAIT))
        .set_response_timeout(Some(RESPONSE_WAIT))
        .set_push_sender(heard);
    let mut link = address.client()?.get_multiplexed_async_connection_with_config(&config).await?;
    check(&mut link).await?;
    subscribe(&mut link, shared).await?;
    Ok(link)
}

/// Returns why the connection is no longer good.
async fn watch(mut link: Link, lost: &Notify, has_new_channel: &Notify, shared: &Weak<Shared>) -> String {
    loop {
        let checked = tokio::select! {
            () = lost.notified() => return "it hung up".to_owned(),
            () = has_new_channel.notified() => listen(&mut link, shared).await,
            () = time::sleep(ASK_EVERY) => ask(&mut link, shared).await,
        };
        if let Err(error) = checked {
            return error.to_string();
        }
    }
}

/// Subscribes all channels on a connection that had been told of before one of them was wanted.
async fn listen(link: &mut Link, shared: &Weak<Shared>) -> RedisResult<()> {
    let Some(shared) = shared.upgrade() else { return Ok(()) };
    subscribe(link, &shared).await?;
    shared.link.send_replace(Some(link.clone()));
    Ok(())
}

async fn subscribe(link: &mut Link, shared: &Shared) -> RedisResult<()> {
    let channels: Vec<_> = shared.channels.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
    if channels.is_empty() { Ok(()) } else { link.subscribe(channels).await }
}

/// Asks a connection that was good the last time.
async fn ask(link: &mut Link, shared: &Weak<Shared>) -> RedisResult<()> {
    let asked = Instant::now();
    check(link).await?;
    shared.upgrade().iter().for_each(|shared| shared.dependency.answered(asked.elapsed()));
    Ok(())
}

/// Whether it answers, and takes writes. One whose rules keep its role from us is believed.
async fn check(link: &mut Link) -> RedisResult<()> {
    match cmd("ROLE").query_async::<Value>(link).await {
        Ok(Value::Array(role)) if !matches!(&role[..], [Value::BulkString(name), ..] if name == b"master") => {
            Err(RedisError::from((ErrorKind::Server(ServerErrorKind::ReadOnly), "it is a replica")))
        }
        Err(error) if error.kind() != ErrorKind::Server(ServerErrorKind::NoPerm) => Err(error),
        _ => Ok(()),
    }
}
