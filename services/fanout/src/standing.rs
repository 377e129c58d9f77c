//! What stands in the rooms of one partition: each one's mode and sticky events, which a late joiner is told in `hello`.
//!
//! Pure: records in, values out. Of two about one thing the higher source holds, whichever comes first, because a mode is
//! heard both from `danmaku-output`, where it acts, and from `danmaku-state`, where it is remembered.

use std::collections::BTreeSet;

use ahash::HashMap;
use proto::{
    RoomId, Source,
    v1::{Message, Mode, State, state::Value},
};

/// Sticky events of a room; a record's own bound. At one more the oldest is forgotten.
const STICKY_MAX: usize = 16;

/// What a partition's rooms hold. A room with all 16 at 3 KiB takes 53 KiB, so this is 150 such rooms, or 12,000 with a mode
/// and a score; 64 partitions at their bound take 512 MiB. When it is full, the rooms that changed longest ago are forgotten
/// whole: who joins them is told less until something changes there, which is counted.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// A room with its name twice, and its places in map and order.
const ROOM_BYTES: usize = 256;

/// A sticky event besides its key and what its encoding takes: the message's fields and their allocations.
const STICKY_BYTES: usize = 300;

/// The rooms of a partition in which something stands.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    rooms: HashMap<RoomId, Room>,
    /// The same rooms, by when they last changed.
    order: BTreeSet<(Source, RoomId)>,
    bytes: usize,
    forgotten: u64,
}

#[derive(Debug, Default)]
struct Room {
    /// Also the default one: it must still beat an older one that is read later.
    mode: Option<(Source, Mode)>,
    /// In the order of their sources.
    sticky: Vec<Sticky>,
    changed: Source,
    bytes: usize,
}

#[derive(Debug)]
struct Sticky {
    source: Source,
    key: Box<str>,
    message: Message,
    bytes: usize,
}

/// A state record that is for no room, or says nothing that this release knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is no room's mode or sticky event")]
pub(crate) struct NoState;

impl Standing {
    /// The room's mode, if one was ever set; it may be the default one.
    pub(crate) fn mode(&self, room: &RoomId) -> Option<Mode> {
        self.rooms.get(room)?.mode.map(|(_, mode)| mode)
    }

    /// The room's sticky events, the oldest first; at most 16.
    pub(crate) fn sticky(&self, room: &RoomId) -> Vec<Message> {
        let sticky = self.rooms.get(room).into_iter().flat_map(|room| &room.sticky);
        sticky.map(|sticky| sticky.message.clone()).collect()
    }

    /// How many bytes it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many rooms were forgotten since this was last asked.
    pub(crate) fn take_forgotten(&mut self) -> u64 {
        std::mem::take(&mut self.forgotten)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes a record of `danmaku-state`.
    pub(crate) fn hear(&mut self, state: State) -> Result<(), NoState> {
        let room = RoomId::new(&state.room).map_err(|_| NoState)?;
        let source = Source { generation: state.generation, offset: state.src };
        match (state.value, state.key.strip_prefix("sticky/")) {
            (Some(Value::Mode(mode)), None) if state.key == "mode" => self.set_mode(&room, source, mode),
            (Some(Value::Message(message)), Some(key)) => {
                self.change(&room, source, |room| room.stick(source, key, message));
            }
            // The judge's own affair.
            (Some(Value::Muted(_)), None) => {}
            _ => return Err(NoState),
        }
        Ok(())
    }

    /// The mode of `room` was set at `source`.
    pub(crate) fn set_mode(&mut self, room: &RoomId, source: Source, mode: Mode) {
        self.change(room, source, |room| {
            if room.mode.is_none_or(|(at, _)| at < source) {
                room.mode = Some((source, mode));
            }
        });
    }

    /// Takes a tombstone of `danmaku-state`, which has a key alone.
    pub(crate) fn remove(&mut self, record_key: &[u8]) -> Result<(), NoState> {
        // A room's id holds no slash, and a sticky key may.
        let text = std::str::from_utf8(record_key).map_err(|_| NoState)?;
        let (room, key) = text.split_once('/').ok_or(NoState)?;
        let room = RoomId::new(room).map_err(|_| NoState)?;
        let Some(changed) = self.rooms.get(&room).map(|room| room.changed) else { return Ok(()) };
        self.change(&room, changed, |room| match key.strip_prefix("sticky/") {
            Some(key) => room.sticky.retain(|sticky| &*sticky.key != key),
            None if key == "mode" => room.mode = None,
            None => {}
        });
        Ok(())
    }

    /// Changes a room, which is made if need be and forgotten if nothing is left in it, and keeps the books.
    fn change(&mut self, id: &RoomId, source: Source, change: impl FnOnce(&mut Room)) {
        let mut room = self.rooms.remove(id).unwrap_or_default();
        self.bytes -= room.bytes;
        self.order.remove(&(room.changed, id.clone()));
        change(&mut room);
        if room.mode.is_none() && room.sticky.is_empty() {
            return;
        }
        room.changed = room.changed.max(source);
        room.bytes = ROOM_BYTES + room.sticky.iter().map(|sticky| sticky.bytes).sum::<usize>();
        self.bytes += room.bytes;
        self.order.insert((room.changed, id.clone()));
        self.rooms.insert(id.clone(), room);
        while self.bytes > BYTES_MAX
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.bytes -= self.rooms.remove(&oldest).map_or(0, |room| room.bytes);
            self.forgotten += 1;
        }
    }
}

impl Room {
    fn stick(&mut self, source: Source, key: &str, message: Message) {
        let known = self.sticky.iter().position(|sticky| &*sticky.key == key);
        if known.is_some_and(|place| self.sticky[place].source >= source) {
            return;
        }
        known.map(|place| self.sticky.remove(place));
        let bytes = STICKY_BYTES + key.len() + proto::record::encoded_len(&message);
        let place = self.sticky.partition_point(|sticky| sticky.source < source);
        self.sticky.insert(place, Sticky { source, key: key.into(), message, bytes });
        if self.sticky.len() > STICKY_MAX {
            self.sticky.remove(0);
        }
    }
}

#[cfg(test)]
mod tests;
