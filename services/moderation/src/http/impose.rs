//! Imposing a mute or ban: for how long, and by what else its subject is known. The paths are `sanctions`'.

use std::collections::BTreeSet;

use proto::ban::Subject;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ask::Here,
    live::{reason, subject},
    sanctions::Sanction,
};
use crate::{
    refusal::Refusal,
    sanctions::{self, Kind, Wish},
};

/// Ten years; longer is for good.
const SECONDS_MAX: i64 = 10 * 365 * 24 * 3600;

/// How far back it is looked by what else somebody is known: as long as what was said is kept.
const KNOWN_BACK_MS: i64 = 3_600_000;

/// By what somebody is known besides his user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Also {
    /// His device: a new name on it is not a new person.
    Device,
    /// The hash of where he comes from.
    Address,
}

/// A mute or ban to be imposed. One of `seconds`, `permanent` and, for a mute, `broadcast` says how long.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Impose {
    /// `user/NAME`, `device/NAME` or `address/` and its hash.
    subject: String,
    /// For so long.
    seconds: Option<i64>,
    /// For good.
    #[serde(default)]
    permanent: bool,
    /// As long as this broadcast.
    #[serde(default)]
    broadcast: bool,
    /// Also by what else the user was known in this room within the last hour.
    #[serde(default)]
    also: BTreeSet<Also>,
    /// A ban's room: there it acts at once, elsewhere within a second. Needed for `also`.
    pub(super) room: Option<String>,
    /// Told to moderators, and kept.
    #[serde(default)]
    reason: String,
}

/// What was imposed.
#[derive(Serialize, ToSchema)]
pub(super) struct Imposed {
    /// On the subject, and on what else he is known by.
    pub(super) sanctions: Vec<Sanction>,
    /// Of what was asked for in `also`, what is not known of him.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unknown: Vec<&'static str>,
}

impl Here {
    pub(super) async fn impose(&self, kind: Kind, room: String, said: Impose) -> Result<Imposed, Refusal> {
        let by = self.sanctions(reason(&said.reason)?);
        let until_ms = until_ms(kind, &said, by.now_ms)?;
        let first = subject(&said.subject)?;
        let (more, unknown) = self.known_by(&room, &first, &said.also).await?;
        let subjects = std::iter::once(first).chain(more).collect();
        let wish = Wish { kind, room, subjects, until_ms, broadcast: said.broadcast };
        let rows = sanctions::impose(&self.house.store, &wish, by).await?;
        Ok(Imposed { sanctions: rows.into_iter().map(Sanction::from).collect(), unknown })
    }

    /// By what else a user was known in a room of late, and by what he was not.
    async fn known_by(
        &self,
        room: &str,
        of: &Subject,
        also: &BTreeSet<Also>,
    ) -> Result<(Vec<Subject>, Vec<&'static str>), Refusal> {
        let Subject::User(user) = of else {
            return match also.is_empty() {
                true => Ok((Vec::new(), Vec::new())),
                false => Err(Refusal::Malformed("also is for a subject user/NAME".to_owned())),
            };
        };
        if also.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        if room.is_empty() {
            return Err(Refusal::Malformed("also needs the room in which he was seen".to_owned()));
        }
        let (history, _place) = self.said_of_late(room, KNOWN_BACK_MS).await?;
        let (mut subjects, mut unknown) = (Vec::new(), Vec::new());
        for also in also {
            match history.known_by(user, |input| also.of(input)) {
                Some(subject) => subjects.push(subject),
                None => unknown.push(also.name()),
            }
        }
        Ok((subjects, unknown))
    }
}

impl Also {
    fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Address => "address",
        }
    }

    /// The subject that a record names him by.
    fn of(self, input: &proto::v1::Input) -> Option<Subject> {
        let value = match self {
            Self::Device => &input.device,
            Self::Address => &input.address,
        };
        if value.is_empty() { None } else { format!("{}/{value}", self.name()).parse().ok() }
    }
}

/// When it ends; 0 is never.
fn until_ms(kind: Kind, said: &Impose, now_ms: i64) -> Result<i64, Refusal> {
    let malformed = |why: &str| Err(Refusal::Malformed(why.to_owned()));
    match (said.seconds, said.permanent, said.broadcast) {
        (Some(seconds), false, false) if (1..=SECONDS_MAX).contains(&seconds) => Ok(now_ms + seconds * 1_000),
        (Some(_), false, false) => malformed("seconds is 1 to 315,360,000; say permanent for longer"),
        (None, true, false) => Ok(0),
        (None, false, true) if kind == Kind::Mute => Ok(0),
        (None, false, true) => malformed("a ban has no broadcast; give seconds or permanent"),
        _ => malformed("say one of seconds, permanent and broadcast"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_is_said_once() {
        let said = |seconds, permanent, broadcast| Impose {
            subject: String::new(),
            seconds,
            permanent,
            broadcast,
            also: BTreeSet::new(),
            room: None,
            reason: String::new(),
        };
        for (kind, said, expected) in [
            (Kind::Mute, said(Some(5), false, false), Some(6_000)),
            (Kind::Mute, said(None, true, false), Some(0)),
            (Kind::Mute, said(None, false, true), Some(0)),
            (Kind::Ban, said(None, true, false), Some(0)),
            (Kind::Ban, said(None, false, true), None),
            (Kind::Mute, said(None, false, false), None),
            (Kind::Mute, said(Some(5), true, false), None),
            (Kind::Mute, said(Some(0), false, false), None),
            (Kind::Mute, said(Some(-1), false, false), None),
            (Kind::Mute, said(Some(i64::MAX), false, false), None),
        ] {
            assert_eq!(until_ms(kind, &said, 1_000).ok(), expected, "{kind:?} {:?}", said.seconds);
        }
    }
}
