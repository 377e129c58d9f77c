//! The viewers of a room, and whose turn it is: everybody gets one after each flush, whoever comes and goes meanwhile.
//!
//! Pure. Those in front of `next` have had their turn; the others have not.

/// A room's members.
#[derive(Debug, Default)]
pub(super) struct Turns {
    members: Vec<usize>,
    next: usize,
    /// Whether everybody gets another turn after this one.
    again: bool,
}

impl Turns {
    /// Adds a member, who needs no turn; tells his place.
    pub(super) fn add(&mut self, seat: usize) -> usize {
        let place = self.members.len();
        self.members.push(seat);
        if self.next == place {
            self.next += 1;
        }
        place
    }

    /// Takes away the member at `place`; tells who has moved, and to which place.
    pub(super) fn remove(&mut self, place: usize) -> [Option<(usize, usize)>; 2] {
        let mut hole = place;
        let mut moved = [None; 2];
        if place < self.next {
            // The hole becomes the border, so that the last one, who fills it, keeps his turn if he has not had it.
            self.next -= 1;
            hole = self.next;
            if hole != place {
                self.members[place] = self.members[hole];
                moved[0] = Some((self.members[place], place));
            }
        }
        self.members.swap_remove(hole);
        moved[1] = self.members.get(hole).map(|&seat| (seat, hole));
        self.begin_again();
        moved
    }

    /// Gives everybody a turn.
    pub(super) fn everybody(&mut self) {
        if self.is_over() {
            self.next = 0;
        } else {
            self.again = true;
        }
    }

    fn begin_again(&mut self) {
        if self.is_over() && std::mem::take(&mut self.again) {
            self.next = 0;
        }
    }

    /// Who comes next, as far as known: `count` members at most.
    pub(super) fn coming(&self, count: usize) -> &[usize] {
        &self.members[self.next..self.members.len().min(self.next + count)]
    }

    /// Whether nobody waits for a turn.
    pub(super) fn is_over(&self) -> bool {
        self.next >= self.members.len()
    }

    /// All members.
    pub(super) fn members(&self) -> &[usize] {
        &self.members
    }
}

impl Iterator for Turns {
    type Item = usize;

    /// Whose turn is next.
    fn next(&mut self) -> Option<usize> {
        let seat = *self.members.get(self.next)?;
        self.next += 1;
        self.begin_again();
        Some(seat)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Add,
        Remove(usize),
        Everybody,
        Next,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => Just(Step::Add),
            2 => any::<usize>().prop_map(Step::Remove),
            2 => Just(Step::Everybody),
            8 => Just(Step::Next),
        ];
        prop::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn everybody_who_stays_gets_a_turn_after_each_flush(steps in steps()) {
            let (mut turns, mut seats) = (Turns::default(), 0);
            // Each seat's place, and whether a turn is owed.
            let mut places: BTreeMap<usize, usize> = BTreeMap::new();
            let mut owed: BTreeMap<usize, bool> = BTreeMap::new();
            for step in steps {
                match step {
                    Step::Add => {
                        places.insert(seats, turns.add(seats));
                        owed.insert(seats, false);
                        seats += 1;
                    }
                    Step::Remove(any) if !places.is_empty() => {
                        let seat = *places.keys().nth(any % places.len()).unwrap();
                        let place = places.remove(&seat).unwrap();
                        owed.remove(&seat);
                        for (moved, to) in turns.remove(place).into_iter().flatten() {
                            places.insert(moved, to);
                        }
                    }
                    Step::Remove(_) => {}
                    Step::Everybody => {
                        turns.everybody();
                        owed.values_mut().for_each(|owed| *owed = true);
                    }
                    Step::Next => {
                        let coming = turns.coming(1).first().copied();
                        if let Some(seat) = turns.next() {
                            prop_assert_eq!(coming, Some(seat));
                            owed.insert(seat, false);
                        }
                    }
                }
                for (seat, place) in &places {
                    prop_assert_eq!(turns.members()[*place], *seat);
                }
                prop_assert_eq!(turns.members().len(), places.len());
            }
            let bound = 2 * turns.members().len();
            let rest = turns.by_ref().take(bound + 1).collect::<Vec<_>>();
            prop_assert!(rest.len() <= bound && turns.is_over(), "it ends");
            owed.extend(rest.iter().map(|seat| (*seat, false)));
            prop_assert!(owed.values().all(|owed| !owed), "{:?}", owed);
        }
    }
}
