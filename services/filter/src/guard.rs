//! What is done about a panic, which is a bug: it ends what was done and not the thread that did it. What to make of that is the
//! caller's affair; what it was stands in the log.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `act` comes to; `None` if it panics. Whoever goes on with what `act` had in its hands says why that is whole. As long as
/// nothing panics it costs a call that is not inlined, so it may stand on the way of a record.
pub(crate) fn guarded<T>(act: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(act)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_no_answer() {
        let divide = |by: u32| guarded(|| 6_u32.checked_div(by).expect("a test's own"));
        assert_eq!((divide(3), divide(0), divide(2)), (Some(2), None, Some(3)));
    }
}
