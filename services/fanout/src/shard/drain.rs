//! Leaving the node: each viewer is served until his slot, and then told to come back elsewhere, with a true cursor.
//!
//! When that is, is `slots`'; what he is told is `say`'s.

mod slots;

use proto::close::Close;

use super::Shard;
use crate::{house::Moment, inbox::Leaving};
pub(super) use slots::Drain;

impl Shard {
    /// The node leaves: who is here gets a slot.
    pub(super) fn leave(&mut self, leaving: Leaving) {
        let waiting = self.seats.iter().map(|(key, seat)| (key, seat.who.connection)).collect();
        let (shard, shards) = (self.index, self.house.config.shards());
        self.drain.get_or_insert_with(|| Drain::new(leaving, shard, shards, waiting));
    }

    /// Sends away whose slot has come; in the end whoever is here still, without waiting for him.
    pub(super) fn drain_due(&mut self, moment: Moment) {
        while let Some((key, connection)) = self.drain.as_mut().and_then(|drain| drain.due(moment.now)) {
            // He may have left by himself, and another have taken his seat.
            if self.seats.get(key).is_some_and(|seat| seat.who.connection == connection) {
                self.send_away(key, Close::Restarting, "restart", moment);
            }
        }
        if self.drain.as_ref().is_some_and(|drain| drain.is_over(moment.now)) {
            let keys: Vec<usize> = self.seats.iter().map(|(key, _)| key).collect();
            for key in keys {
                self.send_away(key, Close::Restarting, "restart", moment);
                self.remove(key);
            }
        }
    }
}
