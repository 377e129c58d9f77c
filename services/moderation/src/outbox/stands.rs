//! A mute or ban as it stands on the rules, and in the database beside them. Who is under it is kept out (the judge).

use anyhow::Context as _;
use proto::{
    record::{self, encode},
    rules::Key,
    v1::{self, rules::Record},
};

/// A mute or ban as a record, and what is to be known of it.
pub(super) struct Stands {
    pub(super) sequence: u64,
    pub(super) until: i64,
    pub(super) record: Vec<u8>,
}

/// A mute acts from its control record at `offset`; from an earlier one if it was written before. Whether that is news.
pub(super) fn acts_from(mute: &mut v1::MuteRule, generation: u32, offset: u64) -> bool {
    let is_known = mute.generation == generation && mute.src <= offset;
    if !is_known {
        (mute.src, mute.generation) = (offset, generation);
    }
    !is_known
}

impl Stands {
    pub(super) fn mute(mute: v1::MuteRule) -> anyhow::Result<(Key, Self)> {
        let room = proto::RoomId::new(&mute.room).map_err(|why| anyhow::anyhow!("a stored room: {why}"))?;
        let key = Key::Mute(room, mute.subject.parse().context("a stored subject")?);
        let (sequence, until) = (mute.sequence, mute.until);
        Ok((key, Self { sequence, until, record: encode(&v1::Rules { record: Some(Record::Mute(mute)) }) }))
    }

    pub(super) fn ban(ban: v1::BanRule) -> anyhow::Result<(Key, Self)> {
        let key = Key::Ban(ban.subject.parse().context("a stored subject")?);
        let (sequence, until) = (ban.sequence, ban.until);
        Ok((key, Self { sequence, until, record: encode(&v1::Rules { record: Some(Record::Ban(ban)) }) }))
    }

    /// The same for a broker on which offsets began anew. There its control record is in no partition, so it is of generation 0,
    /// which there never was: before everything that a judge hears, he is told of it.
    pub(super) fn on_new_broker(self) -> anyhow::Result<Self> {
        match record::decode::<v1::Rules>(&self.record)?.record {
            Some(Record::Mute(mute)) => Ok(Self::mute(v1::MuteRule { src: 0, generation: 0, ..mute })?.1),
            _ => Ok(self),
        }
    }

    /// Remembers it in the database; one with a lower sequence number gives way.
    pub(super) async fn keep(&self, key: &Key, connection: &mut sqlx::AnyConnection) -> Result<(), sqlx::Error> {
        let sql = "INSERT INTO standing (record_key, record, sequence, until_ms) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (record_key) DO UPDATE SET record = excluded.record, sequence = excluded.sequence, \
                   until_ms = excluded.until_ms WHERE standing.sequence <= excluded.sequence";
        sqlx::query(sql)
            .bind(key.to_string())
            .bind(self.record.clone())
            .bind(self.sequence.cast_signed())
            .bind(self.until)
            .execute(connection)
            .await
            .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mute_acts_from_the_first_of_its_controls() {
        let mut mute = v1::MuteRule::default();
        for (generation, offset, is_news, src) in
            [(1, 9, true, 9), (1, 12, false, 9), (1, 4, true, 4), (2, 7, true, 7), (2, 8, false, 7)]
        {
            assert_eq!((acts_from(&mut mute, generation, offset), mute.src), (is_news, src), "{offset}");
            assert_eq!(mute.generation, generation);
        }
    }
}
