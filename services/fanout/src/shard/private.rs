//! What a room's log holds for single viewers, on its way to them; and what they are told before it is their turn.

use std::sync::Arc;

use bytes::Bytes;
use proto::close::Close;

use super::{Shard, rooms::Local};
use crate::{
    house::Moment,
    raw::Record,
    room::{Audience, Private},
    viewer::Said,
    wire::Wire,
};

impl Shard {
    /// Puts what a flush brought for single viewers into their slots. Whose slot is full is closed, and reads it again when he
    /// comes back.
    pub(super) fn hand_over(&mut self, room: usize, private: Vec<Private>, moment: Moment) {
        for private in private {
            let Some(user) = private.item().to_user.clone() else { continue };
            let here =
                |&&key: &&usize| self.seats.get(key).is_some_and(|seat| seat.room == room && seat.member.is_some());
            for key in self.users.seats(&user).iter().filter(here).copied().collect::<Vec<_>>() {
                self.say_after(key, &private, moment);
            }
        }
    }

    /// Gives who enters what was for him alone above the place at which he does, and handed over before he came: his replay
    /// ends there, and the ring holds only what is for everybody.
    pub(super) fn owe(&mut self, key: usize, moment: Moment) {
        let Some(seat) = self.seats.get(key) else { return };
        let Some(claims) = &seat.who.claims else { return };
        let Local { room, partition, .. } = &self.rooms[seat.room];
        let at = self.partitions[*partition as usize].at;
        let place = room.place_of(room.head(seat.viewer.audience(), moment.now), at);
        let raw = self.house.raw(*partition as usize);
        let heard = raw.since(&room.id, place.next).take_while(|record| record.offset() < at.next);
        let his = heard.flat_map(|record| {
            let items = record.items.iter().enumerate().filter(|(_, item)| item.is_for(&claims.sub));
            items.filter_map(|(index, _)| room.handed_over(record, index))
        });
        let his: Vec<_> = his.collect();
        drop(raw);
        for private in &his {
            self.say_after(key, private, moment);
        }
    }

    fn say_after(&mut self, key: usize, private: &Private, moment: Moment) {
        let takes =
            |shard: &mut Self| shard.seats.get_mut(key).is_none_or(|seat| seat.viewer.say_after(private.clone()));
        if takes(self) {
            return;
        }
        // More than a slot holds came at once: it is empty again if his socket takes it.
        self.pump_and_see(key, moment);
        if !takes(self) {
            self.close(key, Close::Behind, moment);
        }
    }

    /// In a room with a delay everybody hears of recalls with the window in which they came, not only when he would have seen what
    /// was recalled. In their own place they come again, for who was away or could not take them now. All of a window are one
    /// write for each viewer, however many they are.
    pub(super) fn tell_recalled(&mut self, room: usize, moment: Moment) {
        let records = std::mem::take(&mut self.rooms[room].recalled);
        if records.is_empty() {
            return;
        }
        let mut forms: Vec<(Wire, Bytes)> = Vec::new();
        for key in self.rooms[room].turns.members().to_vec() {
            let Some(seat) = self.seats.get(key) else { continue };
            let (viewer, wire) = (&seat.viewer, seat.viewer.wire());
            if viewer.audience() != Audience::Everyone || viewer.blocked_since().is_some() {
                continue;
            }
            let made = forms.iter().find(|(other, _)| *other == wire).map(|(_, bytes)| bytes.clone());
            let bytes = made.unwrap_or_else(|| {
                let bytes = recalls_on(wire, &records);
                forms.push((wire, bytes.clone()));
                bytes
            });
            self.tell(key, Said::Bytes(bytes), moment);
        }
    }
}

/// The recalls of some records, one behind the other.
fn recalls_on(wire: Wire, records: &[Arc<Record>]) -> Bytes {
    let recalls = records.iter().flat_map(|record| record.recalls());
    recalls.map(|shared| &shared.on(wire)[..]).collect::<Vec<_>>().concat().into()
}
