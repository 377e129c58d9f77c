//! What services add to the operator's port: pages to look at, which change nothing.
//! Kept out: the three pages that every service has.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};

use crate::http::Response;

/// What a page was asked for: the pairs of its query, decoded, in order.
pub type Query = Vec<(String, String)>;

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;
type Page = Arc<dyn Fn(Query) -> Answering + Send + Sync>;

/// The pages, by path. Clones share them; they may be added while the port is served.
#[derive(Clone, Default)]
pub struct Pages(Arc<RwLock<BTreeMap<&'static str, Page>>>);

impl Pages {
    /// Adds a page; one that was there under this path is replaced.
    pub fn add<F>(&self, path: &'static str, page: impl Fn(Query) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Response> + Send + 'static,
    {
        let page: Page = Arc::new(move |query| Box::pin(page(query)));
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(path, page);
    }

    pub(super) fn get(&self, path: &str) -> Option<Page> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    pub(super) fn paths(&self) -> Vec<&'static str> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.paths()).finish()
    }
}
