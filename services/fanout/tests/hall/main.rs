//! The hall as viewers and operators know it: the true service on port 0, an embedded broker, and output records made here
//! as a filter would make them. One module for each behavior.

#![allow(clippy::unwrap_used, reason = "what cannot fail here fails the test")]

mod world;
mod client;

mod happy_path;
mod history;
mod slow_viewer;
mod resume;
mod dedup;
mod freshness;
mod events;
mod bad_frames;
mod handshake;
mod admission;
mod tokens;
mod sends;
mod bans;
mod standing;
mod heartbeat;
mod goim;
mod leaving;
mod topics;
