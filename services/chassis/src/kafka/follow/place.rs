//! How far a followed partition was read, and whether that is all there was. Pure; reading is the parent's.

/// How far a partition was read. Not every offset is a record that is heard: compaction leaves holes, and transactions write
/// markers. So the end itself counts, as an event: with it, everything below the high watermark known before was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// One above the last record.
    pub(super) next: u64,
    /// Everything below this was read.
    pub(super) read_to: u64,
    /// As last asked.
    pub(super) high: u64,
    pub(super) is_caught_up: bool,
}

impl Place {
    pub(super) fn record(&mut self, offset: u64) {
        self.next = offset + 1;
        self.read_to = self.read_to.max(self.next);
    }

    pub(super) fn end(&mut self) {
        self.read_to = self.read_to.max(self.high);
    }

    /// Whether it has just reached what there was at the beginning.
    pub(super) fn takes_up(&mut self) -> bool {
        self.read_to >= self.high && !std::mem::replace(&mut self.is_caught_up, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_and_markers_are_read_when_the_end_is_reached() {
        let mut place = Place { next: 3, read_to: 3, high: 10, is_caught_up: false };
        place.record(5);
        assert!(!place.takes_up());
        // 6 to 8 were compacted away and 9 is a marker.
        place.end();
        assert!(place.takes_up());
        assert_eq!((place.next, place.read_to), (6, 10));
        assert!(!place.takes_up(), "it is told once");
        place.record(12);
        assert_eq!((place.next, place.read_to), (13, 13));
    }

    #[test]
    fn the_last_record_is_an_end_too() {
        let mut place = Place { high: 2, ..Place::default() };
        place.record(0);
        assert!(!place.takes_up());
        place.record(1);
        assert!(place.takes_up());
    }
}
