//! What a token says about who brings it. Pure.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::TokenError;

/// What somebody may be here; what each may do is the services' to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// Watches.
    Viewer,
    /// Sends.
    Sender,
    /// Moderates.
    Moderator,
    /// The platform's own server.
    Service,
    /// One of our own services, speaking for somebody it verified.
    Relay,
    /// Keeps the rule book of all rooms.
    Admin,
    /// Owns the installation.
    Owner,
    /// Reads what moderators did.
    LogViewer,
}

/// A set of roles; in JSON a list of their names. A name we do not know is passed over: it grants nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u8);

/// The claims of a believed token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct Claims {
    /// The platform's id of the user; never empty.
    pub sub: String,
    /// The name to show; the id when the platform gives none.
    pub name: String,
    /// The user's level, 0 when the platform has none.
    #[serde(skip_serializing_if = "is_zero")]
    pub level: u32,
    /// What to show beside the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub badges: Vec<String>,
    /// What the user may be here.
    pub roles: Roles,
    /// The only rooms the token is for; `None` is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rooms: Option<Vec<String>>,
    /// Since when the user follows, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows_since: Option<u64>,
    /// Since when the account exists, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_since: Option<u64>,
    /// The platform's id of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// From when the token is good, in Unix seconds.
    #[serde(rename = "nbf", skip_serializing_if = "Option::is_none")]
    pub not_before: Option<u64>,
    /// When the token ends, in Unix seconds.
    pub exp: u64,
}

/// The claims as they are written, before anything is required of them.
#[derive(Deserialize)]
pub(super) struct Raw {
    sub: Option<String>,
    name: Option<String>,
    level: Option<u32>,
    badges: Option<Vec<String>>,
    roles: Option<Roles>,
    rooms: Option<Vec<String>>,
    follows_since: Option<NumericDate>,
    account_since: Option<NumericDate>,
    device: Option<String>,
    nbf: Option<NumericDate>,
    exp: Option<NumericDate>,
}

/// Unix seconds; some issuers write a fraction, which is cut off.
struct NumericDate(u64);

impl Claims {
    /// Somebody without anything but an id and roles; minting sets the end.
    #[must_use]
    pub fn new(sub: impl Into<String>, roles: Roles) -> Self {
        let sub = sub.into();
        Self {
            name: sub.clone(),
            sub,
            level: 0,
            badges: Vec::new(),
            roles,
            rooms: None,
            follows_since: None,
            account_since: None,
            device: None,
            not_before: None,
            exp: 0,
        }
    }

    /// Whether the role is among the roles.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(role)
    }

    /// Whether the token is for this room.
    #[must_use]
    pub fn covers(&self, room: &str) -> bool {
        self.rooms.as_ref().is_none_or(|rooms| rooms.iter().any(|name| name == room))
    }

    /// Whether the claims are good at `now_secs`; asked anew at each use of claims that are kept.
    ///
    /// # Errors
    /// [`TokenError::Expired`] from `exp` on, [`TokenError::NotYetValid`] before `nbf`.
    pub fn check_time(&self, now_secs: u64) -> Result<(), TokenError> {
        if now_secs >= self.exp {
            Err(TokenError::Expired)
        } else if self.not_before.is_some_and(|from| now_secs < from) {
            Err(TokenError::NotYetValid)
        } else {
            Ok(())
        }
    }
}

impl TryFrom<Raw> for Claims {
    type Error = TokenError;

    fn try_from(raw: Raw) -> Result<Self, TokenError> {
        let sub = raw.sub.filter(|sub| !sub.is_empty()).ok_or(TokenError::MissingSub)?;
        let secs = |date: Option<NumericDate>| date.map(|date| date.0);
        Ok(Self {
            name: raw.name.filter(|name| !name.is_empty()).unwrap_or_else(|| sub.clone()),
            sub,
            level: raw.level.unwrap_or_default(),
            badges: raw.badges.unwrap_or_default(),
            roles: raw.roles.unwrap_or_default(),
            rooms: raw.rooms,
            follows_since: secs(raw.follows_since),
            account_since: secs(raw.account_since),
            device: raw.device,
            not_before: secs(raw.nbf),
            exp: secs(raw.exp).ok_or(TokenError::MissingExp)?,
        })
    }
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 8] = [
        Self::Viewer,
        Self::Sender,
        Self::Moderator,
        Self::Service,
        Self::Relay,
        Self::Admin,
        Self::Owner,
        Self::LogViewer,
    ];

    /// The role as tokens and command lines write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Sender => "sender",
            Self::Moderator => "moderator",
            Self::Service => "service",
            Self::Relay => "relay",
            Self::Admin => "admin",
            Self::Owner => "owner",
            Self::LogViewer => "log_viewer",
        }
    }

    /// The role of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

impl Roles {
    /// Whether the role is in the set.
    #[must_use]
    pub fn contains(self, role: Role) -> bool {
        self.0 & (1 << role as u8) != 0
    }

    /// The roles in the set.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |&role| self.contains(role))
    }
}

impl FromIterator<Role> for Roles {
    fn from_iter<I: IntoIterator<Item = Role>>(roles: I) -> Self {
        Self(roles.into_iter().fold(0, |set, role| set | 1 << role as u8))
    }
}

impl fmt::Debug for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Roles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Role::name))
    }
}

impl<'de> Deserialize<'de> for Roles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        Ok(names.iter().filter_map(|name| Role::named(name)).collect())
    }
}

impl<'de> Deserialize<'de> for NumericDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = NumericDate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("Unix seconds")
            }
            fn visit_u64<E: de::Error>(self, secs: u64) -> Result<NumericDate, E> {
                Ok(NumericDate(secs))
            }
            fn visit_f64<E: de::Error>(self, secs: f64) -> Result<NumericDate, E> {
                // Above 2^53 a float is no longer a count of seconds.
                if (0.0..=9_007_199_254_740_992.0).contains(&secs) {
                    Ok(NumericDate(secs as u64))
                } else {
                    Err(E::custom("out of range"))
                }
            }
        }
        deserializer.deserialize_any(Number)
    }
}

fn is_zero(level: &u32) -> bool {
    *level == 0
}
