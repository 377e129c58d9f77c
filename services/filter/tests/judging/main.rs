//! The true filter on the embedded broker: what is written to the input, and what must then stand in the other topics.
//! Real Kafka, crashes and cut links are for the integration crate.

// A test that cannot go on says where; its helpers too.
#![allow(clippy::unwrap_used)]

mod world;

mod order;
mod verdicts;
mod control;
mod told;
mod thinned;
mod poison;
mod restart;
mod inheritance;
mod rules;
mod topics;
mod rebalance;
