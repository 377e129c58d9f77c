//! How many connections a listener has, those that were upgraded and taken elsewhere too.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The places of one listener.
#[derive(Debug)]
pub(super) struct Places {
    max: usize,
    taken: Arc<AtomicUsize>,
}

/// A connection's place, free again when this is dropped: whoever takes an upgraded socket keeps both together.
#[derive(Debug)]
pub struct Place(Arc<AtomicUsize>);

impl Places {
    /// So many, all free.
    pub(super) fn new(max: usize) -> Self {
        Self { max, taken: Arc::default() }
    }

    /// One of them, if one is free.
    pub(super) fn take(&self) -> Option<Place> {
        let take = |taken| (taken < self.max).then_some(taken + 1);
        self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
        Some(Place(self.taken.clone()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_once_it_is_left() {
        let places = Places::new(2);
        let (first, second) = (places.take(), places.take());
        assert!(first.is_some() && second.is_some());
        assert!(places.take().is_none());
        drop(first);
        assert!(places.take().is_some());
    }
}
