//! A version that is being made, off the runtime and without a lock. Its number, and storing it, are the parent's.

use std::sync::Arc;

use proto::rules::Scope;

use super::{Wish, read::Current};
use crate::{
    lists::{Content, edit::Tally, page::Blob},
    refusal::{Problem, Refusal},
};

/// No rules is not "allow all": a filter keeps its last good book when it reads an empty one, so none is published.
const EMPTIED: &str =
    "the book of all rooms would have no entry in force, and filters would keep the one before; leave one";

/// A version that is not stored yet.
pub(super) struct Next {
    pub(super) content: Content,
    pub(super) tally: Tally,
    /// Of its pages, what the one before did not have.
    pub(super) blobs: Vec<Blob>,
}

impl Wish<'_> {
    /// What `make` makes of the newest version, if it is the one that the author has seen.
    pub(super) async fn next<F>(&self, (newest, content): &Current, make: &Arc<F>) -> Result<Option<Next>, Refusal>
    where
        F: Fn(&mut Content) -> Result<Option<Tally>, Refusal> + Send + Sync + 'static,
    {
        if let (Some(base), Some(newest)) = (self.base, newest)
            && base != newest.number
        {
            return Err(Refusal::Stale(Box::new(newest.clone())));
        }
        let (is_global, mut content, make) = (*self.scope == Scope::Global, Content::clone(content), Arc::clone(make));
        let made = tokio::task::spawn_blocking(move || {
            let before = content.count().1;
            let Some(tally) = make(&mut content)? else { return Ok(None) };
            if is_global && before > 0 && content.count().1 == 0 {
                return Err(Problem::whole(EMPTIED).into());
            }
            let blobs = content.pack().map_err(|error| Refusal::from(Problem::whole(error.to_string())))?;
            Ok(Some(Next { content, tally, blobs }))
        });
        made.await.map_err(|_| Refusal::Unavailable("the edit was given up".to_owned()))?
    }
}
