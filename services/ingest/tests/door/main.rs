//! The door as its clients meet it: a true service on port 0, an embedded broker behind it, and clients that write bytes.
//! The files stand in the order of a message's fate: accepted, refused for what it is, for how it comes, for its pace, for
//! what is behind the door.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod rig;

mod accepted;
mod announcements;
mod bad_input;
mod tokens;
mod relay;
mod bans;
mod slow_client;
mod origin;
mod pace;
mod outage;
mod judge_behind;
