//! What the judge says, as far as moderators need it: `danmaku-verdicts` is followed from where the database says it was read
//! to, and what it taught is written in one commit with how far. So each verdict counts once, whatever dies in between.
//!
//! # Layout, in reading order
//! `follow` is the reader's life and its batches; `learn` is what one verdict means (pure), `keep` writes it down.

pub(crate) mod follow;
mod keep;
pub(crate) mod learn;
