//! The lines of the ledger that do not balance, as values and as sentences.

use std::fmt;

/// A line that does not balance, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant's sentence names its numbers")]
pub enum Broken {
    /// sent ≠ accepted + refused + unknown
    Door { sent: u64, accepted: u64, refused: u64, unknown: u64 },
    /// The door's own count differs from the answers we have.
    DoorCount { door: u64, accepted: u64, unknown: u64 },
    /// accepted ≠ Σ judged
    Judge { accepted: u64, judged: u64, unknown: u64 },
    /// A viewer's received + dropped ≠ shown in its room.
    Viewer { room: String, viewer: usize, shown: u64, received: u64, dropped: u64 },
    /// Σ shown ≠ Σ judged{shown}
    Shown { rooms: u64, judged: u64 },
    /// A viewer's socket ended.
    Left { room: String, viewer: usize, why: String },
    /// A viewer got gaps that do not say how many.
    Uncounted { room: String, viewer: usize, gaps: u64 },
    /// Messages came twice to viewers.
    Duplicates { count: u64, viewers: u64 },
    /// Messages came out of order to viewers.
    Inversions { count: u64, viewers: u64 },
    /// The door gave an id twice.
    Twice { room: String, count: u64 },
    /// More messages were seen that nobody accepted than have an unknown fate.
    Unexplained { count: u64, unknown: u64 },
    /// Frames were no frames.
    Unreadable { count: u64 },
}

impl Broken {
    /// Whether waiting may mend it: messages are still under way.
    pub fn may_mend(&self) -> bool {
        matches!(self, Self::Judge { .. } | Self::Viewer { .. } | Self::Shown { .. })
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Door { sent, accepted, refused, unknown } => {
                write!(f, "sent {sent} ≠ accepted {accepted} + refused {refused} + unknown {unknown}")
            }
            Self::DoorCount { door, accepted, unknown } => {
                write!(f, "the door counted {door} accepted, its answers were {accepted} (unknown {unknown})")
            }
            Self::Judge { accepted, judged, unknown } => {
                write!(f, "accepted {accepted} ≠ judged {judged} (unknown {unknown})")
            }
            Self::Viewer { room, viewer, shown, received, dropped } => {
                write!(f, "{room}, viewer {viewer}: shown {shown} ≠ received {received} + dropped {dropped}")
            }
            Self::Shown { rooms, judged } => {
                write!(f, "shown in all rooms {rooms} ≠ judged as shown {judged}")
            }
            Self::Left { room, viewer, why } => write!(f, "{room}, viewer {viewer}: left: {why}"),
            Self::Uncounted { room, viewer, gaps } => {
                write!(f, "{room}, viewer {viewer}: {gaps} gaps that do not say how many")
            }
            Self::Duplicates { count, viewers } => write!(f, "{count} messages came twice, to {viewers} viewers"),
            Self::Inversions { count, viewers } => {
                write!(f, "{count} messages came after a later one, to {viewers} viewers")
            }
            Self::Twice { room, count } => write!(f, "{room}: {count} answers named an id that another had named"),
            Self::Unexplained { count, unknown } => {
                write!(f, "{count} messages were seen that the door never accepted (unknown {unknown})")
            }
            Self::Unreadable { count } => write!(f, "{count} frames could not be read or were errors"),
        }
    }
}
