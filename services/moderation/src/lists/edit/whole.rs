//! Edits of a whole list, and of all that ends with a broadcast. Single entries are the parent's.

use std::collections::HashMap;

use super::{
    super::{
        Content, LISTS_MAX, List,
        page::{Kept, Page},
    },
    Tally,
};
use crate::refusal::Problem;

impl Content {
    /// Makes a list or changes it; whether anything is different now.
    ///
    /// # Errors
    /// When the name is none, or there are too many.
    pub fn set_list(&mut self, name: &str, list: List) -> Result<bool, Problem> {
        let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        if name.is_empty() || name.len() > 40 || !name.bytes().all(fits) {
            return Err(Problem::whole("a list's name is 1 to 40 of a-z, 0-9, _ and -"));
        }
        if list.comment.len() > 500 {
            return Err(Problem::whole("a comment is at most 500 bytes"));
        }
        let before = self.lists.get(name);
        if before == Some(&list) {
            return Ok(false);
        }
        if before.is_none() && self.lists.len() >= LISTS_MAX {
            return Err(Problem::whole(format!("a scope has at most {LISTS_MAX} lists")));
        }
        if before.is_some_and(|before| before.mode != list.mode) {
            let on_list = |kept: &Kept| kept.entry.list == name;
            self.pages.iter_mut().filter(|page| page.entries().iter().any(on_list)).for_each(Page::touch);
        }
        self.lists.insert(name.to_owned(), list);
        Ok(true)
    }

    /// Takes a list away with all its entries; `None` if there is none.
    pub fn drop_list(&mut self, name: &str) -> Option<Tally> {
        self.lists.remove(name)?;
        Some(Tally { removed: self.retain(|kept| kept.entry.list != name), ..Tally::default() })
    }

    /// Ends what ended with its broadcast in a `later` content: to go back to this one does not begin that broadcast again.
    pub fn end_as_in(&mut self, later: &Self) {
        let ended = later.pages.iter().flat_map(|page| page.entries()).filter(|kept| kept.broadcast);
        let ended: HashMap<&str, i64> =
            ended.map(|kept| (&*kept.entry.id, kept.entry.expires_ms)).filter(|(_, ends_ms)| *ends_ms != 0).collect();
        let lasts = |kept: &Kept| kept.broadcast && ended.contains_key(&*kept.entry.id);
        for page in self.pages.iter_mut().filter(|page| page.entries().iter().any(lasts)) {
            for kept in page.edit() {
                if let (true, Some(ends_ms)) = (kept.broadcast, ended.get(&*kept.entry.id)) {
                    kept.entry.expires_ms = *ends_ms;
                }
            }
        }
    }

    /// Ends at `now_ms` what is for this broadcast only.
    pub fn end_broadcast(&mut self, now_ms: i64) -> Tally {
        let mut tally = Tally::default();
        let is_on = |kept: &Kept| kept.broadcast && (kept.entry.expires_ms == 0 || kept.entry.expires_ms > now_ms);
        for page in self.pages.iter_mut().filter(|page| page.entries().iter().any(is_on)) {
            for kept in page.edit().iter_mut().filter(|kept| is_on(kept)) {
                kept.entry.expires_ms = now_ms;
                // One that had not begun, by a clock that was set back maybe, never does: no entry ends before it begins.
                kept.entry.starts_ms = kept.entry.starts_ms.min(now_ms - 1);
                tally.changed += 1;
            }
        }
        tally
    }
}
