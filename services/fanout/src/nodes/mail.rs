//! Direct notices: the mailbox first, then whoever of the user's connections are there, then again until one has it.
//!
//! A notice lies in the mailbox until it is acknowledged. Its places are looked up after it was written, and a connection
//! looks into the mailbox after it has taken its place, so one of the two finds the other whatever comes first.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use ahash::HashMap;
use chassis::redis::{Link, RedisError, Script, cmd};
use proto::{UserId, v1::Notice};

use super::{
    Local,
    keys::{NOTICE_LIFE, millis},
    routes::Claimed,
};

/// A user who was away for a week still reads the newest; at 4 KiB each this is 0.8 MiB.
const MAILBOX_NOTICES: usize = 200;

/// Notices that are handed over before the last of them was acknowledged.
const BATCH: usize = 20;

/// How long an acknowledgement may take, and how often a notice is said again without one.
const AGAIN_AFTER: Duration = Duration::from_secs(3);
const AGAIN_MAX: u8 = 3;

/// How long the last notice of a batch may wait for its acknowledgement before the batch is handed over again, as often. This is
/// looked at twice a minute.
const HANDED_MAX: Duration = Duration::from_secs(10);

/// Notices of this node that wait for an acknowledgement: 1,000 a second for the 9 s that each may take. A later one is said
/// once, and lies in its mailbox.
const OUTSTANDING_MAX: usize = 10_000;

/// A notice that may have to be said again.
#[derive(Debug, Clone)]
pub(super) struct Outstanding {
    pub(super) user: UserId,
    pub(super) id: String,
    /// Where it lies.
    pub(super) lies: String,
    pub(super) times: u8,
}

/// What a connection is handed over.
#[derive(Debug)]
struct Handing {
    user: UserId,
    /// Up to where the mailbox was handed over, and the last notice of that.
    lies: String,
    last: String,
    /// Where that batch began, when it was handed over, and how often again.
    before: String,
    handed: Instant,
    times: u8,
}

impl Handing {
    /// From the beginning of a mailbox.
    fn new(user: UserId, now: Instant) -> Self {
        let zero = || "0".to_owned();
        Self { user, lies: zero(), last: String::new(), before: zero(), handed: now, times: 0 }
    }

    /// Goes back to where the batch began, if it was not acknowledged in time; tells whether it did.
    fn goes_back(&mut self, now: Instant) -> bool {
        let is_late = self.times < AGAIN_MAX && now.saturating_duration_since(self.handed) > HANDED_MAX;
        if is_late {
            self.lies.clone_from(&self.before);
            self.times += 1;
        }
        is_late
    }
}

/// The script of [`post`].
pub(super) fn post_script() -> Script {
    Script::new(include_str!("lua/post.lua"))
}

/// Puts a notice into its mailbox; whoever posts it again posts nothing new.
pub(super) async fn post(
    script: &Script,
    link: &mut Link,
    local: &Local,
    user: &UserId,
    notice: &Notice,
) -> Result<Outstanding, RedisError> {
    let text = serde_json::to_string(notice).unwrap_or_default();
    let mut script = script.prepare_invoke();
    script.key(local.keys.mailbox(user)).key(local.keys.notice(user, &notice.id));
    script.arg(text).arg(millis(NOTICE_LIFE)).arg(MAILBOX_NOTICES);
    let lies: String = script.invoke_async(link).await?;
    Ok(Outstanding { user: user.clone(), id: notice.id.clone(), lies, times: 0 })
}

/// What is under way between mailboxes and viewers.
pub(super) struct Mail {
    deliver: Script,
    ack: Script,
    /// In the order in which they are due.
    outstanding: VecDeque<(Instant, Outstanding)>,
    handing: HashMap<u64, Handing>,
}

impl Mail {
    pub(super) fn new() -> Self {
        Self {
            deliver: Script::new(include_str!("lua/deliver.lua")),
            ack: Script::new(include_str!("lua/ack.lua")),
            outstanding: VecDeque::new(),
            handing: HashMap::default(),
        }
    }

    /// Says a notice to whoever of its user's connections are there, and remembers to do so again.
    pub(super) async fn deliver(
        &mut self,
        link: &mut Link,
        local: &Local,
        notice: Outstanding,
        now: Instant,
    ) -> Result<(), RedisError> {
        let mut script = self.deliver.prepare_invoke();
        script.key(local.keys.mailbox(&notice.user)).key(local.keys.places(notice.user.as_str()));
        script.key(local.keys.acked(&notice.user, &notice.id));
        script.arg(&notice.lies).arg(notice.user.as_str()).arg(local.keys.channel(""));
        let told = script.invoke_async::<i64>(link).await;
        if !told.as_ref().is_ok_and(|told| *told < 0) {
            self.again(notice, now);
        }
        told.map(|_| ())
    }

    /// Remembers to say a notice again, unless that was done often enough.
    pub(super) fn again(&mut self, notice: Outstanding, now: Instant) {
        if notice.times < AGAIN_MAX && self.outstanding.len() < OUTSTANDING_MAX {
            self.outstanding.push_back((now + AGAIN_AFTER, Outstanding { times: notice.times + 1, ..notice }));
        }
    }

    /// The next notice that was not acknowledged in time; in the mailbox it may be gone all the same.
    pub(super) fn due(&mut self, now: Instant) -> Option<Outstanding> {
        self.outstanding.pop_front_if(|(at, _)| *at <= now).map(|(_, notice)| notice)
    }

    /// A connection has a notice.
    pub(super) async fn acked(
        &mut self,
        link: &mut Link,
        local: &Local,
        (user, connection, id): (&UserId, u64, &str),
    ) -> Result<(), RedisError> {
        let keys = &local.keys;
        let mut script = self.ack.prepare_invoke();
        script.key(keys.mailbox(user)).key(keys.notice(user, id));
        script.key(keys.places(user.as_str())).key(keys.acked(user, id));
        script.arg(local.member(connection)).arg(u8::from(local.house.config.notice_ack.is_all()));
        script.arg(millis(NOTICE_LIFE));
        let _: u8 = script.invoke_async(link).await?;
        match self.handing.get_mut(&connection) {
            Some(handing) if handing.last == id => {
                handing.times = 0;
                self.hand_over(link, local, connection).await
            }
            _ => Ok(()),
        }
    }

    /// A connection has its place: what waits for its user is handed over.
    pub(super) async fn arrived(
        &mut self,
        link: &mut Link,
        local: &Local,
        claimed: &Claimed,
    ) -> Result<(), RedisError> {
        if claimed.mail == 0 {
            return Ok(());
        }
        self.handing.insert(claimed.connection, Handing::new(claimed.user.clone(), Instant::now()));
        self.hand_over(link, local, claimed.connection).await
    }

    /// A connection is gone, and with it what it was being handed.
    pub(super) fn left(&mut self, connection: u64) {
        self.handing.remove(&connection);
    }

    /// Forgets what connections were being handed that are gone, should their end have been missed; and hands over again what is
    /// not acknowledged: a shard that had too much to do has let it go.
    pub(super) async fn look_after(&mut self, link: &mut Link, local: &Local, now: Instant) -> Result<(), RedisError> {
        let is_here =
            |user: &UserId, connection| local.house.places.of(user).iter().any(|place| place.connection == connection);
        self.handing.retain(|connection, handing| is_here(&handing.user, *connection));
        let late =
            self.handing.iter_mut().filter_map(|(connection, handing)| handing.goes_back(now).then_some(*connection));
        for connection in late.collect::<Vec<_>>() {
            self.hand_over(link, local, connection).await?;
        }
        Ok(())
    }

    /// The next batch of what waits.
    async fn hand_over(&mut self, link: &mut Link, local: &Local, connection: u64) -> Result<(), RedisError> {
        let Some(handing) = self.handing.get_mut(&connection) else { return Ok(()) };
        let after = format!("({}", handing.lies);
        let range =
            cmd("XRANGE").arg(local.keys.mailbox(&handing.user)).arg(after).arg("+").arg("COUNT").arg(BATCH).take();
        let found: Vec<(String, Vec<(String, String)>)> = range.query_async(link).await?;
        let Some((lies, _)) = found.last() else {
            self.handing.remove(&connection);
            return Ok(());
        };
        handing.before = std::mem::replace(&mut handing.lies, lies.clone());
        handing.handed = Instant::now();
        let text = |(_, fields): &(String, Vec<(String, String)>)| serde_json::from_str(&fields.first()?.1).ok();
        let notices: Vec<Notice> = found.iter().filter_map(text).collect();
        handing.last = notices.last().map(|notice| notice.id.clone()).unwrap_or_default();
        local.house.places.notify(&handing.user, connection, notices);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_without_an_acknowledgement_is_handed_over_again_three_times() {
        let start = Instant::now();
        let mut handing = Handing::new(UserId::new("a").unwrap(), start);
        // As a second batch leaves it.
        (handing.before, handing.lies) = ("20-0".to_owned(), "40-0".to_owned());
        assert!(!handing.goes_back(start + HANDED_MAX), "he may still read");
        let late = start + HANDED_MAX + Duration::from_secs(1);
        let went_back = (0..5).filter(|_| handing.goes_back(late)).count();
        assert_eq!((went_back, handing.lies.as_str()), (3, "20-0"));
    }
}
