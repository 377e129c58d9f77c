//! How much is said in a room, smoothed over some ten seconds. Pure: counts and seconds in, a rate out.

/// The part of a second's count that the rate takes over.
const PART: f32 = 0.1;

/// A room's rate.
#[derive(Debug, Default)]
pub(super) struct Rate {
    count: u32,
    per_second: f32,
}

impl Rate {
    /// Something was said.
    pub(super) fn count(&mut self) {
        self.count = self.count.saturating_add(1);
    }

    /// A second is over.
    pub(super) fn second(&mut self) {
        self.per_second += PART * (std::mem::take(&mut self.count) as f32 - self.per_second);
    }

    /// Messages a second.
    pub(super) fn per_second(&self) -> f64 {
        self.per_second.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_near_what_is_said_and_forgets_it() {
        let mut rate = Rate::default();
        let mut seconds = |seconds: usize, messages: usize| {
            for _ in 0..seconds {
                (0..messages).for_each(|_| rate.count());
                rate.second();
            }
            rate.per_second()
        };
        assert!((5.0..8.0).contains(&seconds(10, 10)), "two thirds after ten seconds");
        assert!((9.9..10.1).contains(&seconds(60, 10)));
        assert!(seconds(60, 0) < 0.1);
    }
}
