//! Every reason for which the hall hangs up: code, word, and whether the client should come back.
//!
//! 4000–4499 come back (with the last cursor), 4500–4999 do not before something changes.

/// Why a WebSocket was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Close {
    /// The client said goodbye.
    Normal,
    /// A frame that RFC 6455 does not allow.
    Protocol,
    /// A kind of message that is not spoken here.
    Unsupported,
    /// Text that is not UTF-8.
    NotUtf8,
    /// A message above the limit.
    TooBig,
    /// A fault of ours.
    Internal,
    /// This node restarts; others serve the room.
    Restarting,
    /// Not now; see `reconnect.after_ms`.
    TryLater,
    /// The socket took nothing for too long.
    Slow,
    /// Nothing was heard for too long.
    Silent,
    /// Fell off the lossless lane; a resume reads the rest.
    Behind,
    /// The node is full.
    Full,
    /// The token ended; refresh it first.
    Expired,
    /// No token, or a bad one.
    Unauthorized,
    /// A newer connection of the same user took the place.
    Replaced,
    /// A moderator removed the user.
    Removed,
    /// No such room, or not for this user.
    NotAllowed,
    /// The first frames were not our protocol.
    NotOurProtocol,
    /// Too many refused messages.
    Refused,
}

/// What a client does after a close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Reconnect with the last cursor, by exponential backoff with full jitter.
    ComeBack,
    /// Get a fresh token, then reconnect.
    RefreshFirst,
    /// Stay away until something changes.
    StayAway,
}

impl Close {
    /// All of them, by code.
    pub const ALL: [Close; 19] = [
        Close::Normal,
        Close::Protocol,
        Close::Unsupported,
        Close::NotUtf8,
        Close::TooBig,
        Close::Internal,
        Close::Restarting,
        Close::TryLater,
        Close::Slow,
        Close::Silent,
        Close::Behind,
        Close::Full,
        Close::Expired,
        Close::Unauthorized,
        Close::Replaced,
        Close::Removed,
        Close::NotAllowed,
        Close::NotOurProtocol,
        Close::Refused,
    ];

    /// The code on the wire.
    pub fn code(self) -> u16 {
        self.row().0
    }

    /// The reason on the wire, and the label in metrics.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// What the client does next.
    pub fn after(self) -> After {
        self.row().2
    }

    fn row(self) -> (u16, &'static str, After) {
        use After::{ComeBack, RefreshFirst, StayAway};
        match self {
            Close::Normal => (1000, "goodbye", StayAway),
            Close::Protocol => (1002, "protocol error", StayAway),
            Close::Unsupported => (1003, "unsupported data", StayAway),
            Close::NotUtf8 => (1007, "not utf-8", StayAway),
            Close::TooBig => (1009, "too big", StayAway),
            Close::Internal => (1011, "internal error", ComeBack),
            Close::Restarting => (1012, "restarting", ComeBack),
            Close::TryLater => (1013, "try later", ComeBack),
            Close::Slow => (4001, "slow", ComeBack),
            Close::Silent => (4002, "silent", ComeBack),
            Close::Behind => (4003, "behind", ComeBack),
            Close::Full => (4004, "node full", ComeBack),
            Close::Expired => (4005, "token expired", RefreshFirst),
            Close::Unauthorized => (4501, "token missing or bad", StayAway),
            Close::Replaced => (4502, "replaced by a newer connection", StayAway),
            Close::Removed => (4503, "removed by a moderator", StayAway),
            Close::NotAllowed => (4504, "no such room or not allowed", StayAway),
            Close::NotOurProtocol => (4505, "not our protocol", StayAway),
            Close::Refused => (4506, "too many refused messages", StayAway),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_tell_whether_to_come_back() {
        for close in Close::ALL {
            match close.code() {
                4000..=4499 => assert_ne!(close.after(), After::StayAway, "{close:?}"),
                4500..=4999 => assert_eq!(close.after(), After::StayAway, "{close:?}"),
                _ => {}
            }
            assert!(close.word().len() <= 123, "a control frame holds 125 bytes");
        }
        assert!(Close::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
    }
}
