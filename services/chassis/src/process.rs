//! What the system says of this process, under the names that every program's dashboards know, and how busy its runtime is.
//! The system is asked when somebody looks; where it has no `/proc` it says less.

use std::{
    fs,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use metrics::{counter, describe_counter, describe_gauge, gauge};
use rustix::process::{Resource, getrlimit};
use tokio::runtime::Handle;

use crate::release;

/// In which `/proc` counts time: programs are shown hundredths on every Linux, whatever its kernel counts by.
const TICKS_A_SECOND: u64 = 100;

/// Each number with a sentence; and those that stay as they are.
pub(crate) fn begin() {
    describe_gauge!("danmaku_build_info", "1, with the release and the commit it was built from.");
    describe_gauge!("process_start_time_seconds", "When the process began, in Unix seconds.");
    describe_counter!("process_cpu_seconds_total", "Time on a processor, in whole seconds.");
    describe_gauge!("process_resident_memory_bytes", "Memory that the process takes.");
    describe_gauge!("process_threads", "Threads.");
    describe_gauge!("process_open_fds", "Files and sockets open.");
    describe_gauge!("process_max_fds", "Files and sockets that may be open.");
    describe_gauge!(
        "danmaku_runtime_busy_ratio",
        "The share of the last 5 s that the runtime's workers were busy; 1 is all of them all the time."
    );
    describe_gauge!("danmaku_runtime_tasks", "Tasks that live on the runtime.");
    gauge!("danmaku_build_info", "version" => release::VERSION, "commit" => release::COMMIT).set(1.0);
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    gauge!("process_start_time_seconds").set(began.as_secs_f64());
}

/// Looks at the system's files.
pub(crate) fn tell() {
    let read = |path| fs::read_to_string(path).ok();
    if let Some(ticks) = read("/proc/self/stat").and_then(|text| processor_ticks(&text)) {
        counter!("process_cpu_seconds_total").absolute(ticks / TICKS_A_SECOND);
    }
    if let Some(status) = read("/proc/self/status") {
        let number = |name| status_number(&status, name).map(|number| number as f64);
        number("VmRSS").into_iter().for_each(|kib| gauge!("process_resident_memory_bytes").set(kib * 1024.0));
        number("Threads").into_iter().for_each(|threads| gauge!("process_threads").set(threads));
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // One of them is the folder that is being read.
        gauge!("process_open_fds").set(open.count().saturating_sub(1) as f64);
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        gauge!("process_max_fds").set(most as f64);
    }
}

/// Fields 14 and 15: time in the program, and in the kernel for it. The name before them may hold spaces and brackets.
fn processor_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

fn status_number(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// How busy a runtime's workers are, from one look to the next.
pub(crate) struct Runtime {
    runtime: Handle,
    busy: Duration,
    looked: Instant,
}

impl Runtime {
    /// The runtime that this is called on, if it is called on one.
    pub(crate) fn current() -> Option<Self> {
        let runtime = Handle::try_current().ok()?;
        Some(Self { runtime, busy: Duration::ZERO, looked: Instant::now() })
    }

    /// Tells how busy it was since the last look.
    pub(crate) fn look(&mut self, now: Instant) {
        let metrics = self.runtime.metrics();
        let workers = metrics.num_workers();
        let busy: Duration = (0..workers).map(|worker| metrics.worker_total_busy_duration(worker)).sum();
        let passed = now.saturating_duration_since(self.looked) * u32::try_from(workers).unwrap_or(u32::MAX);
        if !passed.is_zero() {
            let share = busy.saturating_sub(self.busy).as_secs_f64() / passed.as_secs_f64();
            gauge!("danmaku_runtime_busy_ratio").set(share.min(1.0));
        }
        gauge!("danmaku_runtime_tasks").set(metrics.num_alive_tasks() as f64);
        (self.busy, self.looked) = (busy, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_is_passed_over() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194560 12 0 3 0 250 50 9 9 20 0 31 0 90 1000 20 18446744073709551615";
        assert_eq!(processor_ticks(stat), Some(300));
        for torn in ["", "7 a S 1", "7 (a) S 1 7 7 0 -1 4194560 12 0 3 0 250"] {
            assert_eq!(processor_ticks(torn), None, "{torn:?}");
        }
    }

    #[test]
    fn a_number_is_found_by_its_whole_name() {
        let status = "Name:\tx\nVmRSSs:\t9 kB\nVmRSS:\t   5120 kB\nThreads:\t31\n";
        assert_eq!((status_number(status, "VmRSS"), status_number(status, "Threads")), (Some(5120), Some(31)));
        assert_eq!(status_number(status, "VmSwap"), None);
    }
}
