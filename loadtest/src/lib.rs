//! A crowd from outside, and its ledger: it replays danmaku files into a running Danmaku and adds up the books. It knows
//! the server by its ports alone; nothing of a service is linked.
//!
//! # Layout, in reading order
//! [`config`] is the command line and [`replay`] the life of a run, in parts. [`mod@file`], [`schedule`] and [`split`] say what is
//! said when and by whom; [`server`], with [`program`] and [`kafka`], is what it is said to. [`senders`] say it through
//! [`door`]; [`viewers`] listen, read [`wire`] and write [`book`]. [`scrape`] and [`process`] ask the other side;
//! [`ledger`] adds both up and [`report`] tells. [`synthesize`] invents the file that lies in `data/`.
#![forbid(unsafe_code)]

pub mod config;
pub mod replay;
mod part;
pub mod file;
pub mod schedule;
pub mod split;
pub mod server;
pub mod scratch;
pub mod program;
pub mod kafka;
pub mod pass;
pub mod senders;
pub mod door;
pub mod viewers;
pub mod wire;
pub mod book;
pub mod latency;
pub mod scrape;
pub mod process;
pub mod ledger;
pub mod report;
pub mod progress;
pub mod synthesize;
