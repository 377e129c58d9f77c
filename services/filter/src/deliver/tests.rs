//! Whatever order acknowledgements come in, only a finished prefix may be stored.

use std::{cell::RefCell, rc::Rc};

use proptest::prelude::*;

use super::*;

/// An answer that the test gives when it likes.
#[derive(Clone, Default)]
struct Later(Rc<RefCell<Option<Outcome>>>);

impl Later {
    fn come(&self, outcome: Outcome) {
        *self.0.borrow_mut() = Some(outcome);
    }

    fn acked() -> Self {
        let later = Self::default();
        later.come(Outcome::Acked(0));
        later
    }
}

impl Answer for Later {
    fn outcome(&mut self) -> Option<Outcome> {
        self.0.borrow().clone()
    }
}

fn kept(bytes: usize) -> Option<Kept> {
    Some(Kept { append_ms: 5, value: vec![0; bytes] })
}

fn bad() -> Outcome {
    Outcome::Failed(Failure::BadRecord("too large".to_owned()))
}

proptest! {
    #[test]
    fn only_a_finished_prefix_is_stored(
        inputs in prop::collection::vec(0usize..4, 1..40),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    ) {
        let mut in_flight = InFlight::new(100);
        let mut waiting: Vec<(u64, Later)> = Vec::new();
        for (offset, &records) in (100..).zip(&inputs) {
            let answers: Vec<_> = (0..records).map(|_| Later::default()).collect();
            waiting.extend(answers.iter().map(|answer| (offset, answer.clone())));
            in_flight.push(offset, answers, 10, kept(0));
        }
        let end = 100 + inputs.len() as u64;
        let mut check = |waiting: &[(u64, Later)]| {
            assert_eq!(in_flight.settle(), Settled::Quiet);
            let first = waiting.iter().map(|(offset, _)| *offset).min().unwrap_or(end);
            assert_eq!(in_flight.finished(), first);
            assert_eq!(in_flight.len() as u64, end - first);
        };
        check(&waiting);
        for pick in order {
            if waiting.is_empty() { break }
            let (_, answer) = waiting.swap_remove(pick.index(waiting.len()));
            answer.come(Outcome::Acked(1));
            check(&waiting);
        }
        for (_, answer) in std::mem::take(&mut waiting) {
            answer.come(Outcome::Acked(1));
        }
        check(&waiting);
        assert_eq!((in_flight.bytes, in_flight.has_drained()), (0, true));
    }
}

#[test]
fn an_input_is_finished_after_its_output_and_its_verdict() {
    let (output, verdict) = (Later::default(), Later::default());
    let mut in_flight = InFlight::new(7);
    in_flight.push(7, vec![output.clone(), verdict.clone()], 1, kept(0));
    in_flight.push(8, vec![Later::acked()], 1, kept(0));
    output.come(Outcome::Acked(3));
    assert_eq!((in_flight.settle(), in_flight.finished()), (Settled::Quiet, 7));
    verdict.come(Outcome::Acked(9));
    assert_eq!((in_flight.settle(), in_flight.finished()), (Settled::Quiet, 9));
}

#[test]
fn what_is_kept_no_more_is_finished_after_what_is_in_flight() {
    let output = Later::default();
    let mut in_flight = InFlight::new(7);
    in_flight.push(7, vec![output.clone()], 1, kept(0));
    assert_eq!(in_flight.skip_to(50), 42, "from 8 on");
    assert_eq!(in_flight.skip_to(50), 0, "they are counted once");
    assert_eq!((in_flight.settle(), in_flight.finished()), (Settled::Quiet, 7));
    output.come(Outcome::Acked(3));
    assert_eq!((in_flight.settle(), in_flight.finished(), in_flight.len()), (Settled::Quiet, 50, 0));
    // What is only learned anew was finished before.
    assert_eq!((in_flight.skip_to(30), in_flight.len()), (0, 0));
}

#[test]
fn what_can_never_be_written_is_set_apart_and_the_partition_goes_on() {
    let (output, letter) = (Later::default(), Later::default());
    let mut in_flight = InFlight::new(7);
    in_flight.push(7, vec![output.clone()], 1, kept(3));
    in_flight.push(8, vec![Later::acked()], 1, kept(0));
    output.come(bad());
    let expected = Settled::Unwritable { offset: 7, input: kept(3).unwrap(), reason: "too large".to_owned() };
    assert_eq!(in_flight.settle(), expected);
    in_flight.wait_also(letter.clone());
    assert_eq!((in_flight.settle(), in_flight.finished()), (Settled::Quiet, 7), "its dead letter is not acknowledged");
    letter.come(Outcome::Acked(0));
    assert_eq!((in_flight.settle(), in_flight.finished()), (Settled::Quiet, 9));
}

#[test]
fn an_input_is_set_apart_once() {
    let (output, verdict, letter) = (Later::default(), Later::default(), Later::default());
    let mut in_flight = InFlight::new(7);
    in_flight.push(7, vec![output.clone(), verdict.clone()], 1, kept(3));
    [output, verdict].iter().for_each(|answer| answer.come(bad()));
    assert!(matches!(in_flight.settle(), Settled::Unwritable { .. }));
    in_flight.wait_also(letter.clone());
    letter.come(bad());
    assert_eq!((in_flight.settle(), in_flight.finished()), (Settled::Quiet, 8), "nor for its dead letter");
}

#[test]
fn every_other_failure_is_the_producers() {
    for failure in [Failure::TimedOut, Failure::Full, Failure::Broken("fenced".to_owned())] {
        let output = Later::default();
        let mut in_flight = InFlight::new(7);
        in_flight.push(7, vec![output.clone()], 1, kept(0));
        output.come(Outcome::Failed(failure.clone()));
        assert!(matches!(in_flight.settle(), Settled::Broken(_)), "{failure:?}");
        assert_eq!(in_flight.finished(), 7);
    }
}

#[test]
fn full_at_its_cap_and_drained_at_half() {
    let fill = |inputs: usize, bytes: usize| {
        let mut in_flight = InFlight::new(0);
        (0..inputs as u64)
            .for_each(|offset| in_flight.push(offset, vec![Later::default()], bytes / 2, kept(bytes / 2)));
        (in_flight.is_full(), in_flight.has_drained())
    };
    assert_eq!(fill(2_048, 10), (false, true));
    assert_eq!(fill(2_049, 10), (false, false));
    assert_eq!(fill(4_095, 10), (false, false));
    assert_eq!(fill(4_096, 10), (true, false));
    assert_eq!(fill(2, 512 << 10), (false, true));
    assert_eq!(fill(3, 512 << 10), (false, false));
    assert_eq!(fill(4, 512 << 10), (true, false));
}
