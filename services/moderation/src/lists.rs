//! What moderators keep for one scope: its lists with their entries, and its policy. Pure: one content in, the next out.
//! Kept out: numbers, authors and the database (`versions`), and what a hit leads to (the judge).
//!
//! Entries lie on 64 pages, by the same hash of their text that spreads them over the chunks of the rule book: an edit writes
//! one page and one chunk anew, and versions share all others.

pub mod edit;
pub mod entry;
mod letters;
pub mod page;
pub mod policy;
pub mod report;

use std::collections::BTreeMap;

use proto::{rules::CHUNKS, v1};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use page::{Blob, Kept, Page, TooLarge};

/// Lists of a scope. A list is a subject, not a word.
pub const LISTS_MAX: usize = 64;

/// Whether a list's entries act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// They do.
    #[default]
    Enforce,
    /// Hits are reported, and nothing is done about them.
    Observe,
    /// They are not published; only dry runs know them.
    Draft,
}

/// A list as the content knows it; its entries lie on the pages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct List {
    /// Whether its entries act.
    pub mode: Mode,
    /// What it is for.
    #[serde(default)]
    pub comment: String,
}

/// All of a scope at one moment.
#[derive(Debug, Clone, Default)]
pub struct Content {
    /// By name.
    pub lists: BTreeMap<String, List>,
    /// 64, or none at all.
    pub pages: Vec<Page>,
    /// `None` leaves it to the global policy, or the built-in one.
    pub policy: Option<v1::Policy>,
}

impl Content {
    /// Nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self { pages: vec![Page::default(); CHUNKS], ..Self::default() }
    }

    /// Every entry.
    pub fn entries(&self) -> impl Iterator<Item = &Kept> {
        self.pages.iter().flat_map(|page| page.entries())
    }

    /// The entries of one list.
    pub fn of<'a>(&'a self, list: &'a str) -> impl Iterator<Item = &'a Kept> {
        self.entries().filter(move |kept| kept.entry.list == list)
    }

    /// How many there are in all, and how many of those are in the rule book.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let drafts: Vec<&str> =
            self.lists.iter().filter(|(_, list)| list.mode == Mode::Draft).map(|(name, _)| name.as_str()).collect();
        self.entries().fold((0, 0), |(all, published), kept| {
            (all + 1, published + usize::from(!drafts.contains(&kept.entry.list.as_str())))
        })
    }

    /// The mode of a list. No entry is without one; if it were, it would act on nobody.
    #[must_use]
    pub fn mode_of(&self, list: &str) -> Mode {
        self.lists.get(list).map_or(Mode::Draft, |list| list.mode)
    }

    /// What has to be stored so that this content can be read again, and its chunks published: of the pages that are new.
    ///
    /// # Errors
    /// When a chunk is more than a record of the rule book may be.
    pub fn pack(&mut self) -> Result<Vec<Blob>, TooLarge> {
        let mut blobs = Vec::new();
        let Self { lists, pages, .. } = self;
        let mode_of = |list: &str| lists.get(list).map_or(Mode::Draft, |list| list.mode);
        for page in pages {
            page.pack(mode_of, &mut blobs)?;
        }
        Ok(blobs)
    }
}
