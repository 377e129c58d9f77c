//! The whole river under test: real Kafka, each service as a process of its own, and faults.
//! Kept out: what one service can show alone (its own `tests/`), and load (the `loadtest` crate).
//!
//! `make e2e` runs everything; `cargo test -p integration -- happy` runs the tests whose names hold a word; add
//! `--test-threads=2` on a small machine. A Kafka is started by `scripts/kafka` on free ports in a temporary folder, shared
//! by all tests under a topic prefix each, and ends with the test process whatever happens to it. Tests that hurt a broker
//! start one of their own.
//!
//! A test that fails prints the end of its services' logs; whole they lie in `target/tmp/river/TEST/SERVICE-N.log`
//! (`RUST_LOG` sets how much they say). Nothing is proved by sleeping: a test waits [`until`] something is so, and the
//! deadline is only how long it takes to call the wait hopeless.
//!
//! # Layout, in reading order
//! [`world`] is a river for one test; [`kafka`], [`redis`], [`postgres`], [`prometheus`] and [`node`] are the processes in it, [`ended`]
//! those that do not stay, [`proxy`] a link that
//! can be cut, [`admin`] a clumsy operator. [`sender`], [`viewer`], [`moderator`], [`fleet`] and [`crowd`] are its people, [`stranger`] programs from
//! elsewhere, [`goim`] a client without manners; [`records`], [`metrics`], [`collector`] and [`ledger`] are how a test looks into it. The
//! tests are in `tests/river`, a file for each behavior.

#![forbid(unsafe_code)]

pub mod world;
pub mod kafka;
pub mod redis;
pub mod postgres;
pub mod prometheus;
pub mod node;
pub mod ended;
pub mod proxy;
pub mod admin;
pub mod sender;
pub mod viewer;
pub mod moderator;
pub mod fleet;
pub mod crowd;
pub mod stranger;
pub mod goim;
pub mod records;
pub mod metrics;
pub mod collector;
pub mod ledger;
mod wait;

pub use collector::Collector;
pub use crowd::{Crowd, Said, Table};
pub use ended::Ended;
pub use fleet::Fleet;
pub use kafka::Kafka;
pub use moderator::Moderator;
pub use node::Node;
pub use postgres::Postgres;
pub use prometheus::Prometheus;
pub use redis::Redis;
pub use sender::{Answer, Sender};
pub use viewer::Viewer;
pub use wait::{until, until_so};
pub use world::World;
