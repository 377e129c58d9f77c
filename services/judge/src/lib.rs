//! The judgement of one danmaku, as a pure library: no clock, no Kafka, no Redis; the caller brings them.
//!
//! The filter runs it on every record of a partition; moderation will run it dry. One [`Judge`] is the memory of one
//! partition, so giving a partition up drops all that was known about its users.
//!
//! # Layout, in reading order
//! [`pipeline`] is the order of judgement on one screen, on what [`memory`] holds. Its stages: [`heard`] is what is judged, `clock`
//! and `who` its time and its speaker; `repeat`, `mute` and `mode` say who may speak, `rate` and `pressure` how fast, `crowd` how
//! much of a room is looked at while it is late, `duplicate`, `similar` and [`rules`] what may be said, `budget` how much of it can be read.
//! What they remember for a while lies in `recent`, and `lot` draws where not all can pass. A text lies on the [`desk`]
//! meanwhile. [`fold`] is what it is compared by, [`matcher`] finds entries in it, [`contact`] addresses and numbers, [`mask`]
//! covers them; [`entry`] checks what moderators write. [`book`] holds the rules of one moment, [`words`] reads them from a plain
//! file. [`verdict`] is what it comes to, in values and in records.

#![forbid(unsafe_code)]

pub mod pipeline;
pub mod memory;
pub mod heard;
mod clock;
mod who;
mod repeat;
mod mute;
pub mod mode;
mod rate;
mod pressure;
mod crowd;
pub mod fold;
pub mod entry;
pub mod matcher;
pub mod contact;
pub mod mask;
pub mod emote;
pub mod explain;
mod duplicate;
mod similar;
pub mod words;
pub mod rules;
mod budget;
mod recent;
mod lot;
pub mod desk;
pub mod book;
pub mod verdict;

pub use book::Book;
pub use desk::Desk;
pub use heard::{Heard, Unjudgeable};
pub use memory::{Coming, Judge, Limits};
pub use pressure::MEMORY_MS;
pub use verdict::{Judgement, Stood, Verdict};
