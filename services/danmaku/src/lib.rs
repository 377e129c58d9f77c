//! All services in one process on an embedded broker, and the command line. Nothing here is on a danmaku's path: what a
//! service does is in its own crate, and the same code runs there alone.
#![forbid(unsafe_code)]

pub mod up;
mod lives;

pub mod dev;
pub mod hops;
pub mod crowd;
pub mod words;
pub mod sanction;
pub mod recall;
pub mod mode;
pub mod holds;
mod reach;
mod api;
mod show;
pub mod token;
pub mod topics;
pub mod drain;
pub mod doctor;
pub mod canary;
pub mod keys;
pub mod line;
pub mod papers;
