//! The moderators' service against its wire: a true server on port 0, a true database, an embedded broker.

#![allow(clippy::unwrap_used, reason = "what cannot fail here fails the test")]

mod rig;
mod lists;
mod versions;
mod files;
mod dry_run;
mod bad_input;
mod audit;
mod outbox;
mod openapi;
mod postgres;
mod real_kafka;
