//! What is done about a hit: the table of the room, then the one for all rooms, then the built-in one. Data, not code: a policy
//! is rows, and the first that fits holds.

use proto::v1::{self, Entry, Policy, PolicyRow, Reading, Role};

use super::precedence::is_weak;
use crate::book::Book;

/// The category of addresses and numbers, which are found by their shape.
pub(crate) const CONTACT: &str = "contact";

/// How long a mute lasts that says no time, in seconds.
const MUTE_S: u32 = 60;

/// What is done about a message, from the mildest to the strictest: by how much of it is seen, then by what it costs its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Nothing.
    #[default]
    Pass,
    /// It is shown, and moderators hear of it.
    Flag,
    /// It is shown without what was hit.
    Mask,
    /// It waits for a moderator.
    Hold,
    /// It is refused as if it had come too fast.
    Limit,
    /// Only its author sees it.
    Shadow,
    /// It is refused.
    Block,
    /// It is refused, and its author is silent for a while.
    Mute,
}

/// An action with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deed {
    pub(crate) action: Action,
    pub(crate) mute_s: u32,
}

/// Where a deed comes from, for explanations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The entry says it itself.
    Entry,
    /// A row of the room's table, counted from 0.
    Room(usize),
    /// A row of the table for all rooms.
    Global(usize),
    /// The built-in table.
    BuiltIn,
    /// Whoever runs the room is exempt.
    Exempt,
    /// The entry only watches.
    Observe,
}

/// The tables that hold for one message.
pub(crate) struct Table<'a> {
    room: Option<&'a Policy>,
    global: Option<&'a Policy>,
    role: Role,
}

impl Action {
    /// `None` where a record leaves it to the table, or names one of a later release.
    fn of(action: v1::Action) -> Option<Self> {
        Some(match action {
            v1::Action::Policy => return None,
            v1::Action::Pass => Self::Pass,
            v1::Action::Flag => Self::Flag,
            v1::Action::Mask => Self::Mask,
            v1::Action::Block => Self::Block,
            v1::Action::Hold => Self::Hold,
            v1::Action::Shadow => Self::Shadow,
            v1::Action::Limit => Self::Limit,
            v1::Action::Mute => Self::Mute,
        })
    }
}

impl Deed {
    fn new(action: Action, mute_s: u32) -> Self {
        let mute_s = match (action, mute_s) {
            (Action::Mute, 0) => MUTE_S,
            (Action::Mute, seconds) => seconds,
            _ => 0,
        };
        Self { action, mute_s }
    }
}

impl<'a> Table<'a> {
    /// The tables for what `role` says in `room`.
    pub(crate) fn of(book: &'a Book, room: &str, role: Role) -> Self {
        let [room, global] = book.policies(room);
        Self { room, global, role }
    }

    /// What is done about an entry that was found by this reading.
    pub(crate) fn deed(&self, entry: &Entry, reading: Reading) -> Deed {
        self.explained(entry, reading).0
    }

    /// The same, and where it comes from.
    pub(crate) fn explained(&self, entry: &Entry, reading: Reading) -> (Deed, Origin) {
        if entry.observe {
            // Moderators hear of it as of a flagged one, marked as what only watches.
            return (Deed::new(Action::Flag, 0), Origin::Observe);
        }
        let (deed, origin) = self.strong(entry);
        if is_weak(reading) && deed.action > Action::Flag {
            return (Deed::new(self.weak(), 0), origin);
        }
        (deed, origin)
    }

    fn strong(&self, entry: &Entry) -> (Deed, Origin) {
        // What is mandatory holds for those who run the room as for anybody.
        let role = if entry.mandatory && runs_the_room(self.role) { Role::Sender } else { self.role };
        if let Some(action) = Action::of(entry.action()).filter(|_| !runs_the_room(role)) {
            return (Deed::new(action, 0), Origin::Entry);
        }
        let rows = |policy: Option<&'a Policy>| policy.into_iter().flat_map(|policy| policy.rows.iter().enumerate());
        let room = rows(self.room).map(|(at, row)| (row, Origin::Room(at)));
        let global = rows(self.global).map(|(at, row)| (row, Origin::Global(at)));
        let mut fitting = room.chain(global).filter_map(|(row, origin)| Some((fit(row, entry, role)?, origin)));
        fitting.next().unwrap_or_else(|| built_in(entry, role))
    }

    /// What is done about a reading that is only a suspicion.
    fn weak(&self) -> Action {
        let said = [self.room, self.global].into_iter().flatten().find_map(|policy| Action::of(policy.weak()));
        if said == Some(Action::Hold) { Action::Hold } else { Action::Flag }
    }
}

/// Who is exempt from what is not mandatory, unless a row names his role.
fn runs_the_room(role: Role) -> bool {
    matches!(role, Role::Moderator | Role::Streamer | Role::Service)
}

/// What a row says about an entry, if it fits. A row of a later release, with an action that we do not know, never does.
fn fit(row: &PolicyRow, entry: &Entry, role: Role) -> Option<Deed> {
    let names_category = row.category.is_empty() || row.category == entry.category;
    let names_role = match row.role {
        None => !runs_the_room(role),
        Some(named) => named == role as i32,
    };
    let fits = names_category && names_role && entry.severity >= row.severity_min;
    Action::of(row.action()).filter(|_| fits).map(|action| Deed::new(action, row.mute_s))
}

/// The table where nobody has written one.
fn built_in(entry: &Entry, role: Role) -> (Deed, Origin) {
    if runs_the_room(role) {
        return (Deed::new(Action::Pass, 0), Origin::Exempt);
    }
    let action = match entry.severity {
        _ if entry.category == CONTACT => Action::Mask,
        0 | 1 => Action::Flag,
        2 => Action::Mask,
        _ => Action::Block,
    };
    (Deed::new(action, 0), Origin::BuiltIn)
}
