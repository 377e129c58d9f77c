//! How much memory this process may take: what its container or its unit allows, or what the machine has.

use std::{fs, path::Path};

/// In bytes; `None` where the system does not say.
#[must_use]
pub fn allowed() -> Option<u64> {
    let group = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    limits(&group).filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).chain(machine).min()
}

/// The files with the limits (cgroup v2) of the process's own group and of those around it: a container sees its own at the
/// top, and systemd's `MemoryMax` stands at the unit, or at a slice around it. "max" in one is no limit.
fn limits(group: &str) -> impl Iterator<Item = std::path::PathBuf> {
    let own = group.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    Path::new(own).ancestors().map(|group| Path::new("/sys/fs/cgroup").join(group).join("memory.max"))
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

    #[test]
    fn each_group_around_the_process_may_limit_it() {
        for (group, expected) in [
            ("0::/\n", vec!["memory.max"]),
            (
                "1:name=x:/y\n0::/a.slice/b.service\n",
                vec!["a.slice/b.service/memory.max", "a.slice/memory.max", "memory.max"],
            ),
            ("", vec!["memory.max"]),
        ] {
            let expected: Vec<_> = expected.iter().map(|file| Path::new("/sys/fs/cgroup").join(file)).collect();
            assert_eq!(limits(group).collect::<Vec<_>>(), expected, "{group:?}");
        }
    }
}
