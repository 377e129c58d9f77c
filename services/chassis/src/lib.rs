//! What every service stands on: its release, settings, telemetry, spans, admin port, shutdown, listening, HTTP words, tokens, Kafka, Redis.
//!
//! Chassis knows no danmaku: rooms, records, limits and verdicts are kept out, and it depends on nothing of ours.
//! The modules stand in the order a service meets them between its first line and its first request.

pub mod release;
pub mod settings;
pub mod telemetry;
mod process;
pub mod lately;
pub mod dependency;
pub mod trace;
pub mod admin;
pub mod shutdown;
pub mod descriptors;
pub mod memory;
pub mod listen;
pub mod http;
pub mod address;
pub mod origin;
pub mod tokens;
pub mod kafka;
pub mod redis;
pub mod ground;
pub mod program;
