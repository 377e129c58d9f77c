//! Contents that were read of late, so that an edit does not read and unpack 64 pages to change one. A version never changes,
//! so what is remembered of one is never wrong. Which is the newest is always asked of the database.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use judge::book::chunks::Hash;
use proto::rules::CHUNKS;

use super::{ROW, Row, blobs};
use crate::{
    lists::{
        Content,
        page::{Page, Stored},
    },
    store::Error,
};

/// Versions remembered. Those of a room are small; of 200,000 entries at 400 B one takes 80 MB, and its pages are shared with
/// the versions around it.
const VERSIONS_MAX: usize = 32;

/// Contents by their version's number.
#[derive(Default)]
pub(crate) struct Cache(Mutex<HashMap<i64, (u64, Arc<Content>)>>);

impl Cache {
    /// The content of a version that exists.
    pub(crate) async fn content(
        &self,
        number: i64,
        connection: &mut sqlx::AnyConnection,
    ) -> Result<Arc<Content>, Error> {
        if let Some(content) = self.get(number) {
            return Ok(content);
        }
        let row: Row = sqlx::query_as(ROW).bind(number).fetch_one(&mut *connection).await?;
        let content = Arc::new(read(&row, &self.pages(), connection).await?);
        self.put(number, Arc::clone(&content));
        Ok(content)
    }

    fn get(&self, number: i64) -> Option<Arc<Content>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = known.values().map(|(used, _)| *used).max().unwrap_or_default();
        let (used, content) = known.get_mut(&number)?;
        *used = newest + 1;
        Some(Arc::clone(content))
    }

    /// The pages of all that is remembered, by their names.
    fn pages(&self) -> HashMap<Hash, Page> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = known.values().flat_map(|(_, content)| &content.pages);
        pages.filter_map(|page| Some((page.stored()?.page?, page.clone()))).collect()
    }

    /// Remembers a content; the one that was not used for longest is forgotten for it.
    pub(crate) fn put(&self, number: i64, content: Arc<Content>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = known.values().map(|(used, _)| *used).max().unwrap_or_default();
        known.insert(number, (newest + 1, content));
        if known.len() > VERSIONS_MAX {
            let oldest = known.iter().min_by_key(|(_, (used, _))| *used).map(|(number, _)| *number);
            oldest.map(|number| known.remove(&number));
        }
    }
}

/// Reads a content; of the pages only those that are not `known`, and it shares the others.
async fn read(row: &Row, known: &HashMap<Hash, Page>, connection: &mut sqlx::AnyConnection) -> Result<Content, Error> {
    let lists = serde_json::from_str(&row.lists).map_err(|error| Error::Decode(error.into()))?;
    let mut pages = Vec::with_capacity(CHUNKS);
    for (page, chunk) in row.pages.split(',').zip(row.chunks.split(',')) {
        let stored = Stored { page: blobs::hash(page), chunk: blobs::hash(chunk) };
        pages.push(match &stored.page {
            None => Page::empty(),
            Some(hash) => match known.get(hash) {
                Some(page) => page.stored_as(stored),
                None => {
                    let packed = blobs::read(hash, connection).await?;
                    Page::unpack(stored, &packed).map_err(|error| Error::Decode(error.into()))?
                }
            },
        });
    }
    pages.resize_with(CHUNKS, Page::empty);
    Ok(Content { lists, pages, policy: row.policy()? })
}
