//! Remembers believed tokens by their hash, so that a costly signature is checked once.
//!
//! Bounded by two halves: what is new goes into the young one; when that is full, the old half is forgotten and the
//! young becomes old. A token in use is carried over, so what is forgotten is what nobody showed for the longest time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::{Claims, TokenError};

/// Two halves hold 10,000 tokens: at about 500 B 5 MB, and at the 8 KiB a token may have 80 MB.
const HALF_TOKENS_MAX: usize = 5_000;

type Hash = [u8; 32];

/// The memory; shared by all threads, held for one look-up at a time.
#[derive(Debug, Default)]
pub(super) struct Memory {
    halves: Mutex<Halves>,
}

#[derive(Debug, Default)]
struct Halves {
    young: HashMap<Hash, Arc<Claims>>,
    old: HashMap<Hash, Arc<Claims>>,
}

impl Memory {
    /// The remembered claims, else what `check` finds; kept if they are good at `now_secs`.
    pub(super) fn recall_or(
        &self,
        token: &str,
        now_secs: u64,
        check: impl FnOnce() -> Result<Arc<Claims>, TokenError>,
    ) -> Result<Arc<Claims>, TokenError> {
        let hash: Hash = Sha256::digest(token).into();
        if let Some(claims) = self.with(|halves| halves.recall(&hash, now_secs)) {
            return Ok(claims);
        }
        // Outside the lock: a crowd's first tokens are checked side by side.
        let claims = check()?;
        if claims.check_time(now_secs).is_ok() {
            self.with(|halves| halves.remember(hash, claims.clone()));
        }
        Ok(claims)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Halves) -> T) -> T {
        work(&mut self.halves.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Halves {
    fn recall(&mut self, hash: &Hash, now_secs: u64) -> Option<Arc<Claims>> {
        if let Some(claims) = self.old.remove(hash) {
            self.remember(*hash, claims);
        }
        let claims = self.young.get(hash)?.clone();
        if now_secs >= claims.exp {
            self.young.remove(hash);
        }
        Some(claims)
    }

    fn remember(&mut self, hash: Hash, claims: Arc<Claims>) {
        if self.young.len() >= HALF_TOKENS_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, claims);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::tokens::Roles;

    fn claims(exp: u64) -> Arc<Claims> {
        Arc::new(Claims { exp, ..Claims::new("u", Roles::default()) })
    }

    fn tokens(memory: &Memory) -> usize {
        memory.with(|halves| halves.young.len() + halves.old.len())
    }

    #[test]
    fn a_token_is_checked_once_while_it_is_good() {
        let (memory, checks) = (Memory::default(), Cell::new(0));
        let ask = |now_secs| {
            memory.recall_or("token", now_secs, || {
                checks.set(checks.get() + 1);
                Ok(claims(100))
            })
        };
        assert_eq!(ask(1).unwrap().exp, 100);
        assert_eq!(ask(99).unwrap().exp, 100);
        assert_eq!(checks.get(), 1);
        ask(100).unwrap();
        assert_eq!(tokens(&memory), 0, "an expired one is forgotten");
        ask(101).unwrap();
        assert_eq!((checks.get(), tokens(&memory)), (2, 0), "and not remembered again");
    }

    #[test]
    fn a_refused_token_is_not_remembered() {
        let memory = Memory::default();
        assert_eq!(memory.recall_or("token", 1, || Err(TokenError::BadSignature)), Err(TokenError::BadSignature));
        assert_eq!(tokens(&memory), 0);
    }

    #[test]
    fn it_holds_so_many_and_keeps_the_one_in_use() {
        let memory = Memory::default();
        for index in 0..5 * HALF_TOKENS_MAX {
            memory.recall_or(&index.to_string(), 1, || Ok(claims(100))).unwrap();
            memory.recall_or("0", 1, || panic!("forgotten while in use")).unwrap();
            assert!(tokens(&memory) <= 2 * HALF_TOKENS_MAX);
        }
    }
}
