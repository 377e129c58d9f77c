//! How fast one user and one address may speak through this node. How fast in one room is the judge's to say, exactly.

use std::{
    net::IpAddr,
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use ahash::RandomState;
use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::NoOpMiddleware,
    state::keyed::DashMapStateStore,
};
use proto::UserId;

use crate::{config::Config, refusal::Refusal};

/// Users or addresses that one limiter remembers: 36 B each (measured), so two limiters hold 14 MB at most. A key is
/// forgotten within 10 s + burst / rate, so at the default rates the cap is reached by 16,000 *different* speakers a
/// second on one node, about what a core accepts.
///
/// When it is full, everybody shares one of [`SHARED`] buckets until the janitor has been: speakers are slowed, memory
/// stays as it is, and nobody speaks unlimited.
const KEYS_MAX: usize = 200_000;

/// Buckets for everybody when the limiter is full. They stand beside the keys: 36 B × 4,096 = 150 kB.
const SHARED: u64 = 4096;

/// How often what is forgotten anyway is thrown out: 8 ms for a million keys (measured).
pub(crate) const JANITOR_EVERY: Duration = Duration::from_secs(10);

/// The door's two limiters.
pub(crate) struct Limits {
    users: Option<Keyed>,
    addresses: Option<Keyed>,
    // Keyed by chance at each start, so that nobody can choose names that share a bucket.
    hasher: RandomState,
}

/// How many keys each limiter remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) users: usize,
    pub(crate) addresses: usize,
}

impl Limits {
    pub(crate) fn new(config: &Config) -> Self {
        let keyed = |rate, burst| Keyed::new(rate, burst, KEYS_MAX, DefaultClock::default());
        Self {
            users: keyed(config.door_user_rate, config.door_user_burst),
            addresses: keyed(config.door_address_rate, config.door_address_burst),
            hasher: RandomState::new(),
        }
    }

    /// Takes one message from both budgets, or tells how long until there is one.
    pub(crate) fn check(&self, user: &UserId, address: IpAddr) -> Result<(), Refusal> {
        let checked = |keyed: &Option<Keyed>, key: u64| keyed.as_ref().map_or(Ok(()), |keyed| keyed.check(key));
        checked(&self.users, self.hasher.hash_one(user.as_str()))
            .and_then(|()| checked(&self.addresses, self.hasher.hash_one(network(address))))
            .map_err(Refusal::RateLimited)
    }

    /// Forgets who has not spoken lately, and tells how many are left.
    pub(crate) fn sweep(&self) -> Keys {
        let swept = |keyed: &Option<Keyed>| keyed.as_ref().map_or(0, Keyed::sweep);
        Keys { users: swept(&self.users), addresses: swept(&self.addresses) }
    }
}

/// What counts as one address: a household gets a /64 of IPv6 and could speak from 2^64 addresses.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
    }
}

type Limiter<C> = RateLimiter<u64, DashMapStateStore<u64, RandomState>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// One limiter with a bound on what it remembers.
struct Keyed<C: Clock = DefaultClock> {
    limiter: Limiter<C>,
    clock: C,
    keys_max: usize,
    /// How many checks may pass before the keys have to be counted: each adds one at most, and counting locks the map.
    unseen: AtomicU64,
}

impl<C: Clock + Clone> Keyed<C> {
    /// `None` when there is no limit.
    fn new(rate: u32, burst: u32, keys_max: usize, clock: C) -> Option<Self> {
        let rate = NonZeroU32::new(rate)?;
        let quota = Quota::per_second(rate).allow_burst(NonZeroU32::new(burst).unwrap_or(rate));
        let limiter = RateLimiter::dashmap_with_clock_and_hasher(quota, clock.clone(), RandomState::new());
        Some(Self { limiter, clock, keys_max, unseen: AtomicU64::new(keys_max as u64) })
    }

    fn check(&self, key: u64) -> Result<(), Duration> {
        let key = if self.has_room() { key } else { key % SHARED };
        self.limiter.check_key(&key).map_err(|until| until.wait_time_from(self.clock.now()))
    }

    fn has_room(&self) -> bool {
        let take = |left: u64| left.checked_sub(1);
        if self.unseen.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            return true;
        }
        let left = self.keys_max.saturating_sub(self.limiter.len());
        // This check takes one of those left.
        self.unseen.store(left.saturating_sub(1) as u64, Ordering::Relaxed);
        left > 0
    }

    fn sweep(&self) -> usize {
        let before = self.limiter.len();
        self.limiter.retain_recent();
        let left = self.limiter.len();
        if left < before / 2 {
            self.limiter.shrink_to_fit();
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn keyed(rate: u32, burst: u32, keys_max: usize) -> (Keyed<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (Keyed::new(rate, burst, keys_max, clock.clone()).unwrap(), clock)
    }

    #[test]
    fn a_burst_then_the_rate_then_a_wait_that_is_enough() {
        let (keyed, clock) = keyed(5, 10, 100);
        for _ in 0..10 {
            assert_eq!(keyed.check(1), Ok(()));
        }
        let wait = keyed.check(1).unwrap_err();
        assert_eq!(wait, Duration::from_millis(200));
        assert_eq!(keyed.check(2), Ok(()), "another key is another budget");
        clock.advance(wait);
        assert_eq!(keyed.check(1), Ok(()));
        assert!(keyed.check(1).is_err());
    }

    #[test]
    fn zero_is_no_limit() {
        let config = Config { door_user_rate: 0, door_address_rate: 0, ..Config::default() };
        let limits = Limits::new(&config);
        let user = UserId::new("u1").unwrap();
        for _ in 0..1000 {
            assert_eq!(limits.check(&user, IpAddr::from([127, 0, 0, 1])), Ok(()));
        }
        assert_eq!(limits.sweep(), Keys { users: 0, addresses: 0 });
    }

    #[test]
    fn users_and_addresses_are_two_budgets() {
        let config = Config {
            door_user_rate: 1,
            door_user_burst: 2,
            door_address_rate: 1,
            door_address_burst: 3,
            ..Config::default()
        };
        let limits = Limits::new(&config);
        let check = |user: &str, address: [u8; 4]| limits.check(&UserId::new(user).unwrap(), address.into()).is_ok();
        assert!(check("a", [192, 0, 2, 1]) && check("a", [192, 0, 2, 1]));
        assert!(!check("a", [192, 0, 2, 2]), "the user is over, wherever he speaks from");
        assert!(check("b", [192, 0, 2, 1]));
        assert!(!check("c", [192, 0, 2, 1]), "the address is over, whoever speaks from it");
        assert_eq!(limits.sweep(), Keys { users: 3, addresses: 1 });
    }

    #[test]
    fn who_is_quiet_is_forgotten() {
        let (keyed, clock) = keyed(5, 10, 100);
        for key in 0..50 {
            assert_eq!(keyed.check(key), Ok(()));
        }
        assert_eq!(keyed.sweep(), 50);
        clock.advance(Duration::from_secs(3));
        assert_eq!(keyed.sweep(), 0);
    }

    #[test]
    fn a_full_limiter_keeps_its_size_and_still_limits() {
        let (keyed, _clock) = keyed(1, 1, 100);
        let refused = (0..20_000u64).map(|key| key * 1_000_003).filter(|&key| keyed.check(key).is_err()).count();
        assert!(keyed.sweep() <= 100 + SHARED as usize, "{}", keyed.sweep());
        assert!(refused >= 20_000 - 100 - SHARED as usize, "{refused}");
    }

    #[test]
    fn a_household_is_one_address() {
        let one: IpAddr = "2001:db8:1:2:aaaa::1".parse().unwrap();
        let same: IpAddr = "2001:db8:1:2:bbbb::2".parse().unwrap();
        let other: IpAddr = "2001:db8:1:3::1".parse().unwrap();
        assert_eq!(network(one), network(same));
        assert_ne!(network(one), network(other));
    }
}
