//! When danmaku are said: a rate that swings on three scales of time, and chance within it.

use std::time::Duration;

use super::dice::{Dice, running};

/// How much the rate swings from one stretch to the next: the stretch in seconds, and the square of the rate's
/// coefficient of variation.
///
/// Counted in the room, variance / mean is 2.14 in windows of 1 s (mean 1.24), 11.4 in 10 s (12.4), 33.2 in 60 s (74.1)
/// and 65.5 in 300 s (368). A rate with squared variation v gives 1 + v · mean, so v is 0.92, 0.84, 0.43 and 0.18.
/// Factors of several scales multiply: in windows of 300 s, 1.18 = 1.095 · (1 + 0.19 / 5) · (1 + 0.46 / 20), each
/// shorter stretch averaged; in 60 s, 1.43 = 1.095 · 1.19 · (1 + 0.46 / 4) within 2 %; in 1 s, 1.92 = 1.095 · 1.19 · 1.46.
const SWINGS: [(u64, f64); 3] = [(300, 0.095), (60, 0.19), (15, 0.46)];

/// The times of `count` danmaku within `span`, in milliseconds, in order.
pub(super) fn times_ms(count: usize, span: Duration, dice: &mut Dice) -> Vec<u64> {
    let secs = span.as_secs().max(1);
    let factors = SWINGS.map(|(stretch, variation)| {
        let sigma = variation.ln_1p().sqrt();
        // A log-normal factor of mean 1.
        let factor = |_| (sigma * dice.normal() - sigma * sigma / 2.0).exp();
        (stretch, (0..=secs / stretch).map(factor).collect::<Vec<f64>>())
    });
    let rate = |sec: u64| factors.iter().map(|(stretch, factors)| factors[(sec / stretch) as usize]).product();
    let rates = running((0..secs).map(rate));
    let mut times: Vec<u64> =
        (0..count).map(|_| dice.weighed(&rates) as u64 * 1000 + dice.below(1000) as u64).collect();
    times.sort_unstable();
    times
}
