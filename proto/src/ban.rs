//! Who may not speak or watch: the bans on `danmaku-rules` as a book to look people up in. Pure, with time as an argument.
//!
//! What a ban costs somebody, and who writes it, are kept out; so are mutes, which are the judge's.

use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    str::FromStr,
    time::{Duration, SystemTime},
};

use sha2::{Digest as _, Sha256};

use crate::{
    UserId, record,
    v1::{self, rules},
};

/// Before the subject, in the Kafka key of a ban.
const KEY: &str = "ban/";

/// Bans that are kept. At 48 B an entry and 16 to 135 B of subject, 200,000 take 13 to 37 MB. When the book is full, those
/// that ended make room; without any, a new one is not kept, which is counted and an operator's affair.
const BANS_MAX: usize = 200_000;

/// A ban that ended (or was lifted) is remembered for so long, so that an older record which comes late does not revive it.
const KEPT_AFTER_MS: i64 = 3_600_000;

/// Whom a ban is on. Text form `user/…`, `device/…` or `address/…`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A token's `sub`.
    User(Box<str>),
    /// A token's `device`.
    Device(Box<str>),
    /// Where somebody comes from.
    Address(AddressHash),
}

/// An address as a ban names it: the first 16 bytes of SHA-256 over `danmaku-address/` and the address's text.
///
/// A compacted topic keeps its records for years, so none of them spells an address out. The hash knows no setting: every
/// service, and the database that bans come from, must come to the same one without sharing a secret. So it hides nothing
/// from somebody who tries all 2^32 addresses; the topic's access rules do. 16 bytes are enough to name one: that two of a
/// million addresses meet has a probability of 10^-27. Of IPv6 it is the /64, which is what a household gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressHash([u8; 16]);

impl AddressHash {
    /// The hash of `address`.
    pub fn of(address: IpAddr) -> Self {
        let network = match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
            canonical => canonical,
        };
        let hash = Sha256::digest(format!("danmaku-address/{network}"));
        let mut first = [0; 16];
        first.copy_from_slice(&hash[..16]);
        Self(first)
    }
}

impl fmt::Display for AddressHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for AddressHash {
    type Err = BadSubject;

    fn from_str(hex: &str) -> Result<Self, BadSubject> {
        let is_hash = hex.len() == 32 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let number = u128::from_str_radix(hex, 16).ok().filter(|_| is_hash).ok_or(BadSubject)?;
        Ok(Self(number.to_be_bytes()))
    }
}

impl fmt::Debug for AddressHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(user) => write!(f, "user/{user}"),
            Self::Device(device) => write!(f, "device/{device}"),
            Self::Address(hash) => write!(f, "address/{hash}"),
        }
    }
}

/// A text that names nobody who could be banned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a ban is on user/…, device/… (1 to 128 bytes without control characters) or address/ and 32 hexadecimal digits"
)]
pub struct BadSubject;

impl FromStr for Subject {
    type Err = BadSubject;

    fn from_str(text: &str) -> Result<Self, BadSubject> {
        // A device is named as a user is, so that no record and no key is longer than Kafka takes.
        let (kind, value) = text.split_once('/').filter(|(_, value)| UserId::new(value).is_ok()).ok_or(BadSubject)?;
        match kind {
            "user" => Ok(Self::User(value.into())),
            "device" => Ok(Self::Device(value.into())),
            "address" => value.parse().map(Self::Address),
            _ => Err(BadSubject),
        }
    }
}

impl Subject {
    /// The Kafka key under which only the last word about it is kept.
    pub fn record_key(&self) -> String {
        format!("{KEY}{self}")
    }
}

/// By what somebody can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Person<'a> {
    /// His token's `sub`, if he brought one.
    pub user: Option<&'a str>,
    /// His token's `device`, if it names one.
    pub device: Option<&'a str>,
    /// Where he comes from, if that is known.
    pub address: Option<AddressHash>,
}

/// How long a ban goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Until {
    /// Up to this time, in Unix milliseconds.
    Time(i64),
    /// For good.
    Ever,
}

/// From this year 9999's end on a date has no usual form.
const NO_DATE_MS: i64 = 253_402_300_800_000;

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(ms) if *ms < NO_DATE_MS => {
                let since = Duration::from_millis(u64::try_from(*ms).unwrap_or(0));
                write!(f, "banned until {}", httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since))
            }
            Self::Time(_) | Self::Ever => f.write_str("banned for good"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ban {
    until: Until,
    sequence: u64,
}

/// Everybody who is banned.
#[derive(Debug, Clone, Default)]
pub struct Book {
    users: HashMap<Box<str>, Ban>,
    devices: HashMap<Box<str>, Ban>,
    addresses: HashMap<AddressHash, Ban>,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// The book says it now.
    Kept,
    /// A later one was known.
    Older,
    /// It is about something else.
    Other,
    /// It is under the key of a ban, and none that this release can read.
    Unreadable,
    /// The book is full.
    NoRoom,
}

impl Book {
    /// Whether nobody is in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many there are, with those that ended of late.
    pub fn len(&self) -> usize {
        self.users.len() + self.devices.len() + self.addresses.len()
    }

    /// Whether an address is banned, so that it is worth a hash to look one up.
    pub fn has_addresses(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// Whether somebody is banned at `now_ms`, and for how long.
    pub fn until(&self, person: Person<'_>, now_ms: i64) -> Option<Until> {
        let user = person.user.and_then(|user| self.users.get(user));
        let device = person.device.and_then(|device| self.devices.get(device));
        let address = person.address.and_then(|address| self.addresses.get(&address));
        let all = [user, device, address].into_iter().flatten();
        all.map(|ban| ban.until).filter(|until| *until > Until::Time(now_ms)).max()
    }

    /// Takes a record of `danmaku-rules`, as it stands there. Of two about one subject the higher sequence holds; a tombstone
    /// lifts the ban.
    pub fn hear(&mut self, key: &[u8], value: &[u8], now_ms: i64) -> Taken {
        let Some(subject) = key.strip_prefix(KEY.as_bytes()) else { return Taken::Other };
        let subject: Option<Subject> = std::str::from_utf8(subject).ok().and_then(|text| text.parse().ok());
        let Some(subject) = subject else { return Taken::Unreadable };
        if value.is_empty() {
            self.lift(&subject);
            return Taken::Kept;
        }
        let Ok(v1::Rules { record: Some(rules::Record::Ban(rule)) }) = record::decode(value) else {
            return Taken::Unreadable;
        };
        if rule.subject != subject.to_string() {
            return Taken::Unreadable;
        }
        let until = if rule.until == 0 { Until::Ever } else { Until::Time(rule.until) };
        self.write(subject, Ban { until, sequence: rule.sequence }, now_ms)
    }

    fn write(&mut self, subject: Subject, ban: Ban, now_ms: i64) -> Taken {
        if let Some(known) = self.find(&subject) {
            if known.sequence > ban.sequence {
                return Taken::Older;
            }
            *known = ban;
            return Taken::Kept;
        }
        if self.len() >= BANS_MAX {
            self.forget_ended(now_ms);
        }
        if self.len() >= BANS_MAX {
            return Taken::NoRoom;
        }
        match subject {
            Subject::User(user) => self.users.insert(user, ban),
            Subject::Device(device) => self.devices.insert(device, ban),
            Subject::Address(address) => self.addresses.insert(address, ban),
        };
        Taken::Kept
    }

    fn find(&mut self, subject: &Subject) -> Option<&mut Ban> {
        match subject {
            Subject::User(user) => self.users.get_mut(user),
            Subject::Device(device) => self.devices.get_mut(device),
            Subject::Address(address) => self.addresses.get_mut(address),
        }
    }

    fn lift(&mut self, subject: &Subject) {
        match subject {
            Subject::User(user) => self.users.remove(user),
            Subject::Device(device) => self.devices.remove(device),
            Subject::Address(address) => self.addresses.remove(address),
        };
    }

    /// Forgets bans that ended long ago.
    fn forget_ended(&mut self, now_ms: i64) {
        let stays = |ban: &Ban| ban.until > Until::Time(now_ms - KEPT_AFTER_MS);
        self.users.retain(|_, ban| stays(ban));
        self.devices.retain(|_, ban| stays(ban));
        self.addresses.retain(|_, ban| stays(ban));
    }
}

/// The book in force, and the one that is being read while the topic is told from its beginning: what was known holds until
/// the new one is whole.
#[derive(Debug)]
pub struct Books {
    in_force: Option<Book>,
    reading: Option<Book>,
}

impl Default for Books {
    fn default() -> Self {
        Self { in_force: None, reading: Some(Book::default()) }
    }
}

impl Books {
    /// The book in force; `None` before the topic was read for the first time.
    pub fn in_force(&self) -> Option<&Book> {
        self.in_force.as_ref()
    }

    /// The topic is told from its beginning again.
    pub fn anew(&mut self) {
        self.reading = Some(Book::default());
    }

    /// The topic was told to its end.
    pub fn caught_up(&mut self) {
        self.in_force = self.reading.take().or(self.in_force.take());
    }

    /// Takes a record; see [`Book::hear`].
    pub fn hear(&mut self, key: &[u8], value: &[u8], now_ms: i64) -> Taken {
        let book = self.reading.as_mut().or(self.in_force.as_mut());
        book.map_or(Taken::Other, |book| book.hear(key, value, now_ms))
    }
}

#[cfg(test)]
mod tests;
