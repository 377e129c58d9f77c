//! What was said in a room of late, read from `danmaku-input` itself: for recalls, for finding a device, for trying a list on
//! what was. Nothing is kept. What is looked for in it is kept out.

use std::time::{Duration, Instant};

use chassis::{
    ground::Ground,
    kafka::{Cluster, Error, Heard, LookUp, Reader, Record},
};
use proto::{
    MessageId, Topic, partition, record,
    v1::{self, input::Body},
};

use tokio::sync::OwnedSemaphorePermit;

use crate::{named::River, places, refusal::Refusal};

/// Messages of the room that are kept: at 400 B a message 40 MB. How many such readings there are at a time, their places say.
const MESSAGES_MAX: usize = 100_000;

/// Records of the partition that are read: other rooms' too.
const RECORDS_MAX: usize = 1_000_000;

/// How long reading may take; Kafka gives a million records in two seconds.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(15);

const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// A record of the room, where it stands, and when it came there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Past {
    pub(crate) id: MessageId,
    pub(crate) at_ms: i64,
    pub(crate) input: v1::Input,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct History {
    /// In the order in which it was said.
    pub(crate) past: Vec<Past>,
    /// One above the last record of the partition when it was read.
    pub(crate) end: u64,
    /// Whether it is all that was asked for: Kafka had it still, and it was not too much.
    pub(crate) whole: bool,
}

impl History {
    /// Leaves what came since `since_ms`.
    fn forget_before(&mut self, since_ms: i64) {
        self.past.retain(|past| past.at_ms >= since_ms);
    }

    /// By what a user was known last, by whatever `of` makes of his records.
    pub(crate) fn known_by<T>(&self, user: &str, of: impl Fn(&v1::Input) -> Option<T>) -> Option<T> {
        let his = self.past.iter().rev().filter(|past| past.input.user_id() == user);
        his.filter(|past| matches!(past.input.body, Some(Body::Say(_)))).find_map(|past| of(&past.input))
    }
}

/// Where history is read.
#[derive(Clone)]
pub(crate) struct Archive {
    cluster: Cluster,
    topic: String,
    generation: u32,
    partitions: i32,
}

impl Archive {
    /// The river of this ground.
    pub(crate) fn of(ground: &Ground) -> Self {
        Self {
            cluster: ground.cluster.clone(),
            topic: Topic::Input.name(&ground.topic_prefix),
            generation: ground.generation,
            partitions: ground.partitions,
        }
    }

    /// Where a room's records stand.
    pub(crate) fn partition_of(&self, room: &str) -> i32 {
        partition::of(room.as_bytes(), self.partitions)
    }

    /// What its records are named by.
    pub(crate) fn river(&self) -> River {
        River { generation: self.generation, partitions: self.partitions }
    }

    /// The id of a record of this generation.
    pub(crate) fn id(&self, room: &str, offset: u64) -> MessageId {
        MessageId { generation: self.generation, partition: self.partition_of(room), offset }
    }

    /// What came into `room` in the last `back_ms`, which are counted from the newest record where that is younger than
    /// `now_ms`: records have the broker's time, so then our clock was set back, and an hour of it is not a minute. It takes
    /// `place` for as long as it is looked at.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when Kafka does not answer.
    pub(crate) async fn read(
        &self,
        room: &str,
        back_ms: i64,
        now_ms: i64,
        place: OwnedSemaphorePermit,
    ) -> Result<(History, OwnedSemaphorePermit), Refusal> {
        let (archive, room) = (self.clone(), room.to_owned());
        let read = move || archive.read_blocking(&room, back_ms, now_ms);
        let (read, place) = places::work(place, "reading", read).await?;
        let history = read.map_err(|error| {
            tracing::warn!(%error, "history cannot be read");
            away()
        })?;
        Ok((history, place))
    }

    /// One above the last record of a room's partition.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when Kafka does not answer.
    pub(crate) async fn end(&self, room: &str) -> Result<u64, Refusal> {
        let (archive, partition) = (self.clone(), self.partition_of(room));
        let ask = move || {
            let lookup = LookUp::new(&archive.cluster, "danmaku-moderation", LOOK_UP_TIMEOUT)?;
            Ok::<_, Error>(lookup.watermarks(&archive.topic, partition)?.high)
        };
        tokio::task::spawn_blocking(ask).await.map_err(|_| away())?.map_err(|error| {
            tracing::warn!(%error, "the end of a partition cannot be asked for");
            away()
        })
    }

    /// The message with this id, if it stands there still and is of this room.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when Kafka does not answer.
    pub(crate) async fn message(
        &self,
        room: &str,
        id: MessageId,
        place: OwnedSemaphorePermit,
    ) -> Result<Option<Past>, Refusal> {
        if id.generation != self.generation || id.partition != self.partition_of(room) {
            return Ok(None);
        }
        let (archive, wanted) = (self.clone(), room.to_owned());
        let read = move || archive.message_blocking(&wanted, id);
        let (read, _) = places::work(place, "reading", read).await?;
        read.map_err(|error| {
            tracing::warn!(%error, "a message cannot be read");
            away()
        })
    }

    fn read_blocking(&self, room: &str, back_ms: i64, now_ms: i64) -> Result<History, Error> {
        let lookup = LookUp::new(&self.cluster, "danmaku-moderation", LOOK_UP_TIMEOUT)?;
        let partition = self.partition_of(room);
        let marks = lookup.watermarks(&self.topic, partition)?;
        // An embedded broker knows no times: all that it keeps is looked at.
        let from = match self.cluster.embedded {
            true => marks.low,
            false => lookup.offset_at(&self.topic, partition, now_ms - back_ms)?.unwrap_or(marks.high),
        };
        let from = from.max(marks.low);
        let mut history = History { end: marks.high, whole: true, ..History::default() };
        if from >= marks.high {
            return Ok(history);
        }
        let (mut records, mut first_ms, mut newest_ms) = (0, None, now_ms);
        let stretch = Stretch { topic: &self.topic, partition, from, end: marks.high, within: TIME_MAX };
        let all = each(&self.cluster, &stretch, |record| {
            records += 1;
            first_ms.get_or_insert(record.time_ms());
            newest_ms = newest_ms.max(record.time_ms());
            history.past.extend(self.past(room, record).filter(|past| past.at_ms >= newest_ms - back_ms));
            if history.past.len() >= MESSAGES_MAX {
                history.forget_before(newest_ms - back_ms);
            }
            history.past.len() < MESSAGES_MAX && records < RECORDS_MAX
        })?;
        let since_ms = newest_ms - back_ms;
        history.forget_before(since_ms);
        // If the first one that is kept is younger than what was asked for, older ones may be gone.
        let is_cut = from == marks.low && marks.low > 0 && first_ms.is_some_and(|first_ms| first_ms > since_ms);
        history.whole = all && !is_cut;
        Ok(history)
    }

    fn message_blocking(&self, room: &str, id: MessageId) -> Result<Option<Past>, Error> {
        let lookup = LookUp::new(&self.cluster, "danmaku-moderation", LOOK_UP_TIMEOUT)?;
        let marks = lookup.watermarks(&self.topic, id.partition)?;
        if !(marks.low..marks.high).contains(&id.offset) {
            return Ok(None);
        }
        let mut found = None;
        let (from, end) = (id.offset, id.offset + 1);
        let stretch = Stretch { topic: &self.topic, partition: id.partition, from, end, within: TIME_MAX };
        each(&self.cluster, &stretch, |record| {
            found = self.past(room, record).filter(|past| past.id == id);
            false
        })?;
        Ok(found)
    }

    fn past(&self, room: &str, record: &Record<'_>) -> Option<Past> {
        // The key is the room: other rooms' records are not even decoded.
        let input: v1::Input =
            (record.key() == Some(room.as_bytes())).then(|| record::decode(record.value()).ok())??;
        let id = input.id_at(record.partition(), record.offset());
        Some(Past { id, at_ms: record.time_ms(), input })
    }
}

/// A part of a partition, up to `end`, and how long reading it may take.
pub(crate) struct Stretch<'a> {
    pub(crate) topic: &'a str,
    pub(crate) partition: i32,
    pub(crate) from: u64,
    pub(crate) end: u64,
    pub(crate) within: Duration,
}

/// Tells `hear` each record of a stretch, for as long as it wants more. Whether it was told all. Blocks.
pub(crate) fn each(
    cluster: &Cluster,
    stretch: &Stretch<'_>,
    mut hear: impl FnMut(&Record<'_>) -> bool,
) -> Result<bool, Error> {
    let reader = Reader::new(cluster, stretch.topic)?;
    reader.assign(stretch.partition, stretch.from)?;
    let deadline = Instant::now() + stretch.within;
    while Instant::now() < deadline {
        match reader.poll(Duration::from_millis(100))? {
            Some(Heard::Record(record)) if record.offset() >= stretch.end => return Ok(true),
            Some(Heard::Record(record)) => {
                if !hear(&record) {
                    return Ok(false);
                }
                if record.offset() + 1 >= stretch.end {
                    return Ok(true);
                }
            }
            Some(Heard::End(_)) => return Ok(true),
            None => {}
        }
    }
    Ok(false)
}

fn away() -> Refusal {
    Refusal::Unavailable("kafka does not answer; nothing was done".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_is_known_by_what_he_brought_last() {
        let past = |offset, user: &str, device: &str, body| Past {
            id: MessageId { generation: 1, partition: 0, offset },
            at_ms: 0,
            input: v1::Input {
                user: Some(v1::User { id: user.to_owned(), ..v1::User::default() }),
                device: device.to_owned(),
                body: Some(body),
                ..v1::Input::default()
            },
        };
        let say = || Body::Say(v1::Say::default());
        let past = vec![
            past(1, "ann", "old", say()),
            past(2, "ann", "new", say()),
            past(3, "bob", "his", say()),
            past(4, "ann", "", say()),
            past(5, "ann", "a service's", Body::Post(v1::Post::default())),
        ];
        let history = History { past, end: 6, whole: true };
        let device =
            |user| history.known_by(user, |input| Some(input.device.clone()).filter(|device| !device.is_empty()));
        assert_eq!((device("ann").as_deref(), device("bob").as_deref()), (Some("new"), Some("his")));
        assert_eq!(device("cleo"), None);
    }
}
