//! The words all services share: records, ids, topics, frames, close codes.
//!
//! Values and bytes only: nothing here reads a clock, a socket or Kafka.
//!
//! # Layout, in reading order
//! `danmaku.proto` names every record and frame; [`room`] and [`id`] are what they are called by, [`text`] is what may
//! be said; [`partition`] and [`topics`] say where in Kafka they live, [`record`] as which bytes, [`reading`] which records
//! count; [`ban`] is who may not be here, [`rules`] under which keys the rule book stands, [`lag`] how far behind a reader is;
//! [`frame`] and [`close`] are the viewer's wire.

pub mod room;
pub mod id;
pub mod text;
pub mod partition;
pub mod topics;
pub mod record;
pub mod reading;
pub mod ban;
pub mod rules;
pub mod lag;
pub mod frame;
mod json;
pub mod close;
#[cfg(test)]
mod described;

/// The types generated from `danmaku.proto`; their documentation is that file.
#[allow(missing_docs, clippy::large_enum_variant, clippy::doc_markdown)]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/danmaku.v1.rs"));
}

pub use id::{Cursor, MessageId, OwnerNumber, Source};
pub use room::{RoomId, UserId};
pub use topics::Topic;
