//! The judgement of one danmaku, as a pure library: no clock, no Kafka, no Redis; the caller brings them.
//!
//! The filter runs it on every record of a partition; moderation will run it dry. One [`Judge`] is the memory of one
//! partition, so giving a partition up drops all that was known about its users.
//!
//! # Layout, in reading order
//! [`pipeline`] is the order of judgement on one screen. Its stages: [`heard`] is what is judged and its time, `repeat`, `rate`
//! and `duplicate` are the limits (all three remember through `recent`), [`normalize`] and [`words`] the rules, [`book`] holds
//! the rules of one version. [`verdict`] is what they come to, in values and in records.

#![forbid(unsafe_code)]

pub mod pipeline;
pub mod heard;
mod clock;
mod repeat;
mod rate;
pub mod normalize;
pub mod fold;
pub mod entry;
pub mod matcher;
pub mod contact;
pub mod mask;
pub mod emote;
mod duplicate;
mod recent;
pub mod words;
pub mod book;
pub mod verdict;

pub use book::Book;
pub use heard::{Heard, Unjudgeable};
pub use pipeline::{Judge, Limits};
pub use verdict::{Judgement, Rule, Stood, Verdict};
pub use words::Words;
