//! What moderators do while a stream is live, against the service's wire: a true server on port 0, a true database, an embedded
//! broker, and at the river's banks one who writes what doors and filters would and reads what the service wrote.

#![allow(clippy::unwrap_used, reason = "what cannot fail here fails the test")]

#[path = "../book/rig.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod rig;
mod river;
mod openapi;
mod holds;
mod people;
mod rooms;
mod past;
mod exports;
mod stream;
mod forgetting;
mod judge_bot;
#[path = "../book/postgres/server.rs"]
mod server;
mod postgres;
mod real_kafka;
