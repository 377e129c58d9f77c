//! How far a partition of `danmaku-output` was read, who owns it, and which of its records count: two numbers and a comparison.
//! What they show is kept out.
//!
//! Records of a lower owner than the highest seen are passed over (a filter that woke too late wrote them); those whose
//! source is not above the last one repeat what was shown.

use crate::{Cursor, OwnerNumber, v1};

/// A partition's reading.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    at: Cursor,
    owner: OwnerNumber,
}

/// What to do with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// Show it; it stands at this place.
    Show(Cursor),
    /// It only claims the partition for its owner.
    Claim,
    /// Its owner, or its generation, is not the partition's any more.
    PassedOver,
    /// Its source was seen.
    Repeated,
}

impl Reading {
    /// Nothing read yet; the first record will stand at `next`.
    pub fn new(generation: u32, partition: i32, next: u64) -> Self {
        Self { at: Cursor { generation, partition, src_next: 0, next }, owner: OwnerNumber::default() }
    }

    /// The place behind what was read.
    pub fn at(&self) -> Cursor {
        self.at
    }

    /// The next record is read from elsewhere; owner and sources go on.
    pub fn move_to(&mut self, next: u64) {
        self.at.next = next;
    }

    /// Moves behind a record that could not be decoded.
    pub fn skip(&mut self, offset: u64) {
        self.at.next = offset + 1;
    }

    /// Whether `output` begins a new generation: dedup begins anew, and so must everything else.
    pub fn is_new_generation(&self, output: &v1::Output) -> bool {
        output.generation > self.at.generation
    }

    /// Judges the record at `offset`, and moves behind it.
    pub fn judge(&mut self, offset: u64, output: &v1::Output) -> Judged {
        let before = Cursor { next: offset, ..self.at };
        self.at.next = offset + 1;
        if self.is_new_generation(output) {
            *self = Self::new(output.generation, self.at.partition, self.at.next);
        }
        let owner = output.owner_number();
        if output.generation < self.at.generation || owner < self.owner {
            return Judged::PassedOver;
        }
        self.owner = owner;
        let Some(source) = output.source() else { return Judged::Claim };
        if source.offset < self.at.src_next {
            return Judged::Repeated;
        }
        self.at.src_next = source.offset + 1;
        Judged::Show(Cursor { generation: source.generation, src_next: source.offset, ..before })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(number: i32) -> OwnerNumber {
        OwnerNumber { bump: 0, group_generation: number, rewinds: 0 }
    }

    fn output(generation: u32, by: i32, src: Option<u64>) -> v1::Output {
        v1::Output { generation, src, owner: Some(owner(by).into()), ..v1::Output::default() }
    }

    fn place(generation: u32, src_next: u64, next: u64) -> Cursor {
        Cursor { generation, partition: 3, src_next, next }
    }

    #[test]
    fn each_source_is_shown_once() {
        let mut reading = Reading::new(1, 3, 100);
        let steps = [
            (100, 1, Some(50), Judged::Show(place(1, 50, 100))),
            (101, 1, Some(52), Judged::Show(place(1, 52, 101))),
            (102, 1, Some(52), Judged::Repeated),
            (103, 1, Some(51), Judged::Repeated),
            (104, 1, None, Judged::Claim),
            (106, 1, Some(53), Judged::Show(place(1, 53, 106))),
        ];
        for (offset, by, src, expected) in steps {
            assert_eq!(reading.judge(offset, &output(1, by, src)), expected, "{offset}");
        }
        assert_eq!(reading.at(), place(1, 54, 107));
    }

    #[test]
    fn an_old_owner_is_passed_over_and_moves_no_source() {
        let mut reading = Reading::new(1, 3, 0);
        assert_eq!(reading.judge(0, &output(1, 4, Some(7))), Judged::Show(place(1, 7, 0)));
        assert_eq!(reading.judge(1, &output(1, 5, None)), Judged::Claim);
        assert_eq!(reading.judge(2, &output(1, 4, Some(8))), Judged::PassedOver);
        assert_eq!(reading.at(), place(1, 8, 3));
        assert_eq!(reading.judge(3, &output(1, 5, Some(8))), Judged::Show(place(1, 8, 3)));
    }

    #[test]
    fn a_new_generation_begins_anew_and_the_old_one_is_over() {
        let mut reading = Reading::new(1, 3, 0);
        reading.judge(0, &output(1, 9, Some(500)));
        let first = output(2, 1, Some(4));
        assert!(reading.is_new_generation(&first));
        assert_eq!(reading.judge(1, &first), Judged::Show(place(2, 4, 1)));
        assert_eq!(reading.judge(2, &output(1, 9, Some(501))), Judged::PassedOver);
        assert_eq!(reading.at(), place(2, 5, 3));
    }

    #[test]
    fn what_cannot_be_decoded_is_left_behind() {
        let mut reading = Reading::new(1, 3, 0);
        reading.skip(0);
        assert_eq!(reading.at(), place(1, 0, 1));
    }
}
