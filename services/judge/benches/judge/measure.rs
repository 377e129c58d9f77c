//! Times and memory, and whether they are within what is promised. Time is that of the core, so that what else runs on the
//! machine counts only as far as it empties the caches.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};

static MISSED: AtomicBool = AtomicBool::new(false);

/// Runs `what` once.
pub(crate) fn time<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let began = core_time();
    let done = what();
    (done, core_time().saturating_sub(began))
}

fn core_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Nanoseconds for each of `all`: the best of nine rounds, because what else runs on the machine only adds.
pub(crate) fn each_ns<T, R>(all: &[T], mut what: impl FnMut(&T) -> R) -> f64 {
    let round = |what: &mut dyn FnMut(&T) -> R| {
        time(|| {
            for one in all {
                std::hint::black_box(what(one));
            }
        })
    };
    let best = (0..9).map(|_| round(&mut what).1).min().unwrap_or_default();
    best.as_secs_f64() * 1e9 / all.len() as f64
}

/// A figure with what it may be at most.
pub(crate) fn figure(name: &str, value: f64, unit: &str, most: f64) {
    let word = if value <= most { "held" } else { "MISSED" };
    if value > most {
        MISSED.store(true, Ordering::Relaxed);
    }
    println!("  {name:<50} {value:>9.1} {unit:<4} at most {most:>7} {word}");
}

/// A figure that nothing is promised of.
pub(crate) fn note(name: &str, ns: f64) {
    println!("    {name:<48} {ns:>9.1} ns");
}

/// Whether all figures so far are within what they may be.
pub(crate) fn all_held() -> bool {
    !MISSED.load(Ordering::Relaxed)
}

/// The value below which this share lies.
pub(crate) fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or_default()
}

/// Memory of this process now.
pub(crate) fn resident_mib() -> f64 {
    status("VmRSS:")
}

/// The most it ever was.
pub(crate) fn peak_mib() -> f64 {
    status("VmHWM:")
}

fn status(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or_default() / 1024.0
}
