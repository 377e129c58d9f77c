//! Messages as people name them: whether a message of a room can have such an id. Pure; whether there was one, nobody knows for ever.

use proto::{MessageId, partition};

/// Kafka counts offsets in 63 bits.
const OFFSET_MAX: u64 = i64::MAX.cast_unsigned();

/// The river as it is now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct River {
    pub(crate) generation: u32,
    pub(crate) partitions: i32,
}

impl River {
    /// The message of `room` with this id; or why none can have it.
    pub(crate) fn message(self, room: &str, id: &str) -> Result<MessageId, String> {
        let id: MessageId = id.parse().map_err(|_| "no message has such an id; it is generation-partition-offset")?;
        if !(1..=self.generation).contains(&id.generation) {
            return Err(format!("there is no generation {}; this is {}", id.generation, self.generation));
        }
        if !(0..self.partitions).contains(&id.partition) {
            return Err(format!("there is no partition {}; there are {}, from 0", id.partition, self.partitions));
        }
        if id.partition != partition::of(room.as_bytes(), self.partitions) {
            return Err("this message is of another room".to_owned());
        }
        if id.offset > OFFSET_MAX {
            return Err(format!("there is no offset {}; the last there can be is {OFFSET_MAX}", id.offset));
        }
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_no_message_of_the_room_can_have_is_refused_with_the_reason() {
        let river = River { generation: 3, partitions: 8 };
        let own = partition::of(b"demo", 8);
        for (id, why) in [
            (format!("3-{own}-7"), None),
            (format!("1-{own}-{}", i64::MAX), None),
            (format!("0-{own}-7"), Some("no generation 0")),
            (format!("4-{own}-7"), Some("no generation 4; this is 3")),
            ("3-8-7".to_owned(), Some("no partition 8; there are 8")),
            (format!("3-{}-7", i32::MAX), Some("no partition 2147483647")),
            (format!("3-{}-7", (own + 1) % 8), Some("another room")),
            (format!("3-{own}-{}", u64::MAX), Some("no offset 18446744073709551615")),
            (format!("3-{own}--7"), Some("generation-partition-offset")),
            (format!("3-{own}"), Some("generation-partition-offset")),
            ("a-announced".to_owned(), Some("generation-partition-offset")),
            (String::new(), Some("generation-partition-offset")),
        ] {
            let told = river.message("demo", &id);
            match why {
                None => assert_eq!(told.map(|id| id.to_string()), Ok(id)),
                Some(why) => assert!(told.as_ref().is_err_and(|told| told.contains(why)), "{id}: {told:?}"),
            }
        }
    }
}
