//! Randomness that is the same on every machine and with every release of every library.

/// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough to invent talk.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to, not including, 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn happens(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// A number below `bound`, which is above 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.share() * bound as f64) as usize
    }

    pub(super) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// The index of a weight, each as often as it weighs. `running` are the running sums of the weights.
    pub(super) fn weighed(&mut self, running: &[f64]) -> usize {
        let at = self.share() * running.last().copied().unwrap_or_default();
        running.partition_point(|&sum| sum <= at).min(running.len() - 1)
    }

    /// A standard normal number, as near as twelve uniform ones come.
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

/// The sums of all weights up to each.
pub(super) fn running(weights: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let add = |sum: &mut f64, weight: f64| {
        *sum += weight;
        Some(*sum)
    };
    weights.into_iter().scan(0.0, add).collect()
}
