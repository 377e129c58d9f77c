//! What a process has used, from Linux's `/proc`; elsewhere nothing is known, and the report says so.

use std::time::Duration;

/// `USER_HZ`, the unit of times in `/proc`: 100 on every Linux that is in use.
const TICKS_PER_SEC: u64 = 100;

/// CPU time of a process, all threads, since it began; none when it is gone or unknown.
pub fn cpu(pid: u32) -> Option<Duration> {
    ticks(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// CPU time of this process.
pub fn own_cpu() -> Option<Duration> {
    cpu(std::process::id())
}

/// The most memory a process has had resident, in bytes.
pub fn memory_peak(pid: u32) -> Option<u64> {
    kibibytes(&std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM:")
}

/// How many files this process may have open.
pub fn open_files_max() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let row = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    row.split_whitespace().next()?.parse().ok()
}

/// User and system time, the 14th and 15th field. The second field is the program's name in brackets and may hold
/// spaces and brackets itself.
fn ticks(stat: &str) -> Option<Duration> {
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((next()? + next()?) * 1000 / TICKS_PER_SEC))
}

fn kibibytes(status: &str, field: &str) -> Option<u64> {
    let row = status.lines().find_map(|line| line.strip_prefix(field))?;
    row.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_hides_nothing() {
        let stat = "77 (a ) (b) S 1 77 77 0 -1 4194304 100 0 0 0 250 75 0 0 20 0 9 0 100 0 0";
        assert_eq!(ticks(stat), Some(Duration::from_millis(3250)));
        assert_eq!(ticks("77 (a"), None);
        assert_eq!(kibibytes("Name:\ta\nVmHWM:\t    2048 kB\n", "VmHWM:"), Some(2 << 20));
    }

    #[test]
    fn this_process_is_known_on_linux() {
        if cfg!(target_os = "linux") {
            assert!(own_cpu().is_some() && memory_peak(std::process::id()).is_some() && open_files_max().is_some());
        }
        assert_eq!(cpu(0), None);
    }
}
