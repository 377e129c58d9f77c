//! How much memory this process may take: what its container allows, or what the machine has.

use std::fs;

/// In bytes; `None` where the system does not say.
#[must_use]
pub fn allowed() -> Option<u64> {
    // The first is the container's own view of its limit (cgroup v2); "max" there is none.
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    container.into_iter().chain(machine).min()
}

fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_says_how_much_it_has() {
        assert_eq!(total("MemFree: 1 kB\nMemTotal:       16384 kB\n"), Some(16 << 20));
        assert_eq!(total("MemTotal: lots\n"), None);
        assert!(allowed().is_some_and(|bytes| bytes > 0));
    }
}
