//! The rule book from the records of its topic to what it says of a message. Properties bear the numbers of the list of what a
//! filter of live messages must hold to.

// A test that cannot go on says where; its helpers too.
#![allow(clippy::unwrap_used)]

mod publisher;
mod reader;

mod assembly;
mod edits;
mod precedence;
mod policy;
mod swap;
mod explained;
