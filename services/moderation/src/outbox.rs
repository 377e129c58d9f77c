//! From the database to Kafka: what was committed is published in the order of commits, by one process at a time.
//! Kept out: what a change is (`lists`, and whoever else fills the outbox).
//!
//! A change and its parcel are one commit. The publisher hears of it, publishes, and deletes the parcel; one that dies in
//! between publishes it again, which its readers do not mind: a version and its chunks are what they were, a sanction carries
//! its sequence number, an approval its held id.
//!
//! # Layout, in reading order
//! `publish` is the publisher's life: it takes the lock, begins its transactions, `take_over` compares the topic with the
//! database, `adopt` restores what only the topic knows, `judged` finds what the judge has seen of the outbox, and then it waits
//! for parcels; `tidy` takes away what is over. `shelf` knows what stands on the topic and what a version adds to it, `stands` is
//! a mute or ban there, `bundle` is what is written together, `bell` rings when there is a parcel, and `kafka` writes.

pub(crate) mod publish;
mod take_over;
mod adopt;
mod tidy;
mod judged;
mod shelf;
mod stands;
mod bundle;
mod bell;
mod kafka;

use proto::v1;

/// What goes to Kafka together.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Parcel {
    /// A version of the rule book, by its number; 0 is none.
    #[prost(int64, tag = "1")]
    pub(crate) version: i64,
    /// Records for `danmaku-input`, each in its room's partition, written before the rules below.
    #[prost(message, repeated, tag = "2")]
    pub(crate) controls: Vec<v1::Input>,
    /// A mute; it gets the offset of the first control.
    #[prost(message, optional, tag = "3")]
    pub(crate) mute: Option<v1::MuteRule>,
    /// A ban.
    #[prost(message, optional, tag = "4")]
    pub(crate) ban: Option<v1::BanRule>,
    /// The mute or ban, which is lifted, is to be forgotten: a tombstone follows it.
    #[prost(bool, tag = "5")]
    pub(crate) forget: bool,
}

impl Parcel {
    /// A version.
    pub(crate) fn version(number: i64) -> Self {
        Self { version: number, ..Self::default() }
    }
}
