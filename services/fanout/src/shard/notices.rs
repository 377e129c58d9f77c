//! Direct notices at a viewer's seat: said to him, and acknowledged by him. Mailboxes and repeats are kept out.

use bytes::BytesMut;
use proto::{UserId, frame::FromServer, v1::Notice};

use super::Shard;
use crate::{house::Moment, viewer::Said};

/// Notices of which a viewer's ack is awaited: three batches. An ack for anything else is passed over, so that nobody asks
/// Redis by talking nonsense.
const AWAITED_MAX: usize = 64;

impl Shard {
    /// Says notices to one connection, in one entry of its private slot.
    pub(super) fn notices(&mut self, user: &UserId, connection: u64, notices: Vec<Notice>, moment: Moment) {
        let Some(key) = self.seat_of(user, connection) else { return };
        let seat = &mut self.seats[key];
        let (wire, awaited) = (seat.viewer.wire(), &mut seat.who.notices);
        let mut bytes = BytesMut::new();
        for notice in notices {
            if !awaited.contains(&notice.id) {
                awaited.push_back(notice.id.clone());
            }
            bytes.extend_from_slice(&wire.say(&FromServer::Notice(notice)));
        }
        let too_many = awaited.len().saturating_sub(AWAITED_MAX);
        awaited.drain(..too_many);
        // A wire without a word for it says nothing.
        if !bytes.is_empty() {
            self.tell(key, Said::Bytes(bytes.freeze()), moment);
        }
    }

    /// A viewer has a notice.
    pub(super) fn has_notice(&mut self, key: usize, notice: String) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        let Some(at) = seat.who.notices.iter().position(|awaited| *awaited == notice) else { return };
        seat.who.notices.remove(at);
        if let Some(user) = &seat.who.place {
            self.house.places.acked(user, seat.who.connection, notice);
        }
    }
}
