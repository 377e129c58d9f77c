//! Who may do what. Pure: a token's claims in, yes or no out. Where the token stood in the request is kept out.

use chassis::tokens::{Claims, Role};
use proto::rules::Scope;

use crate::refusal::Refusal;

/// Somebody whose token is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The token's `sub`: what the audit log calls him.
    pub id: String,
    /// When his token ends, in Unix seconds.
    pub expires: u64,
    rank: Rank,
    /// The only rooms he is for; `None` is all.
    rooms: Option<Vec<String>>,
}

/// What somebody is here; a later one may all that an earlier one may, within his rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// No moderator at all.
    Nobody,
    /// May read what was done.
    LogViewer,
    /// Moderates rooms.
    Moderator,
    /// The platform's own server, and bots: as a moderator.
    Service,
    /// Keeps all rooms' book, and reads what is private.
    Admin,
    /// May also erase.
    Owner,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Reading lists, versions, policies; trying texts.
    ReadBook,
    /// Changing them.
    EditBook,
    /// Reading the audit log.
    ReadLog,
    /// Muting, recalling, deciding and the like.
    Moderate,
    /// Seeing what the room is shown.
    Watch,
    /// Saying that a message should not be there.
    Report,
    /// What cannot be undone.
    Erase,
}

impl Caller {
    /// The caller with these claims.
    #[must_use]
    pub fn of(claims: &Claims) -> Self {
        let ranks = [
            (Role::Owner, Rank::Owner),
            (Role::Admin, Rank::Admin),
            (Role::Service, Rank::Service),
            (Role::Moderator, Rank::Moderator),
            (Role::LogViewer, Rank::LogViewer),
        ];
        let rank = ranks.into_iter().find(|(role, _)| claims.has(*role)).map_or(Rank::Nobody, |(_, rank)| rank);
        Self { id: claims.sub.clone(), expires: claims.exp, rank, rooms: claims.rooms.clone() }
    }

    /// Somebody without a token.
    #[must_use]
    pub fn nobody() -> Self {
        Self { id: String::new(), expires: 0, rank: Rank::Nobody, rooms: None }
    }

    /// Whether he came with a token.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.id.is_empty()
    }

    /// Whether he may do it in this scope.
    ///
    /// # Errors
    /// [`Refusal::Forbidden`], which says what would be needed.
    pub fn may(&self, act: Act, scope: &Scope) -> Result<(), Refusal> {
        let needed = match (act, scope) {
            (Act::Watch | Act::Report, _) => Rank::Nobody,
            (Act::ReadLog, _) => Rank::LogViewer,
            (Act::ReadBook, _) | (Act::EditBook | Act::Moderate, Scope::Room(_)) => Rank::Moderator,
            (Act::EditBook | Act::Moderate, Scope::Global) => Rank::Admin,
            (Act::Erase, _) => Rank::Owner,
        };
        if self.rank < needed {
            return Err(Refusal::Forbidden(format!("this needs a token with the role {}", needed.role())));
        }
        match (scope, &self.rooms) {
            (Scope::Room(room), Some(rooms)) if !rooms.iter().any(|name| name == room.as_str()) => {
                Err(Refusal::Forbidden("the token is for other rooms".to_owned()))
            }
            // What holds everywhere may be read by who is for one room, as it holds there too; nothing more.
            (Scope::Global, Some(_)) if act != Act::ReadBook => {
                Err(Refusal::Forbidden("the token is for some rooms only".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Whether he moderates any room.
    ///
    /// # Errors
    /// [`Refusal::Forbidden`], which says what would be needed.
    pub fn moderates(&self) -> Result<(), Refusal> {
        match self.rank >= Rank::Moderator {
            true => Ok(()),
            false => Err(Refusal::Forbidden(format!("this needs a token with the role {}", Rank::Moderator.role()))),
        }
    }

    /// Whether he may read what `author` keeps private.
    #[must_use]
    pub fn sees_private(&self, author: &str) -> bool {
        self.rank >= Rank::Admin || self.id == author
    }
}

impl Rank {
    fn role(self) -> &'static str {
        match self {
            Self::Nobody => "viewer",
            Self::LogViewer => "log_viewer",
            Self::Moderator => "moderator",
            Self::Service => "service",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }
}

#[cfg(test)]
mod tests {
    use proto::RoomId;

    use super::*;

    /// Roles, rooms, what is asked for and where, and whether he may.
    type Case<'a> = (&'a [Role], Option<&'a [&'a str]>, Act, Scope, bool);

    #[test]
    fn who_may_what_where() {
        let room = |name| Scope::Room(RoomId::new(name).unwrap());
        let table: [Case<'_>; 23] = [
            (&[Role::Viewer], None, Act::Report, room("demo"), true),
            (&[Role::Viewer], Some(&["demo"]), Act::Report, room("other"), false),
            (&[Role::Viewer], None, Act::Watch, room("demo"), true),
            (&[Role::Viewer], Some(&["demo"]), Act::Watch, room("other"), false),
            (&[Role::Viewer, Role::Sender, Role::Relay], None, Act::ReadLog, Scope::Global, false),
            (&[Role::Viewer], None, Act::ReadBook, room("demo"), false),
            (&[Role::LogViewer], None, Act::ReadLog, Scope::Global, true),
            (&[Role::LogViewer], Some(&["demo"]), Act::ReadLog, room("demo"), true),
            (&[Role::LogViewer], Some(&["demo"]), Act::ReadLog, Scope::Global, false),
            (&[Role::LogViewer], None, Act::ReadBook, Scope::Global, false),
            (&[Role::Moderator], None, Act::ReadBook, Scope::Global, true),
            (&[Role::Moderator], None, Act::EditBook, Scope::Global, false),
            (&[Role::Moderator], None, Act::EditBook, room("demo"), true),
            (&[Role::Moderator], Some(&["demo"]), Act::EditBook, room("demo"), true),
            (&[Role::Moderator], Some(&["demo"]), Act::EditBook, room("other"), false),
            (&[Role::Moderator], Some(&["demo"]), Act::ReadBook, Scope::Global, true),
            (&[Role::Moderator], Some(&[]), Act::Moderate, room("demo"), false),
            (&[Role::Service], None, Act::Moderate, room("demo"), true),
            (&[Role::Service], None, Act::EditBook, Scope::Global, false),
            (&[Role::Admin], None, Act::EditBook, Scope::Global, true),
            (&[Role::Admin], Some(&["demo"]), Act::EditBook, Scope::Global, false),
            (&[Role::Admin], None, Act::Erase, Scope::Global, false),
            (&[Role::Viewer, Role::Owner], None, Act::Erase, Scope::Global, true),
        ];
        for (roles, rooms, act, scope, expected) in table {
            let mut claims = Claims::new("ann", roles.iter().copied().collect());
            claims.rooms = rooms.map(|rooms| rooms.iter().map(|room| (*room).to_owned()).collect());
            let caller = Caller::of(&claims);
            assert_eq!(caller.may(act, &scope).is_ok(), expected, "{roles:?} {rooms:?} {act:?} {scope}");
        }
    }

    #[test]
    fn what_is_private_is_its_authors_and_the_admins() {
        let caller = |role| Caller::of(&Claims::new("ann", [role].into_iter().collect()));
        assert!(caller(Role::Moderator).sees_private("ann"));
        assert!(!caller(Role::Moderator).sees_private("bob") && !caller(Role::Service).sees_private("bob"));
        assert!(caller(Role::Admin).sees_private("bob") && caller(Role::Owner).sees_private("bob"));
    }
}
