//! What Linux says of a process, its sockets and the machine; and keeping a process on one core.

use std::{process::Command, time::Duration};

use anyhow::Context as _;

/// The core of what is measured; everything else runs on the other, where this program was started.
pub(crate) const MEASURED_CORE: &str = "0";

/// `USER_HZ`, the unit of times in `/proc`: 100 on every Linux that is in use.
const TICK: Duration = Duration::from_millis(10);

/// Keeps all threads of a process on the measured core.
pub(crate) fn pin(pid: u32) -> anyhow::Result<()> {
    let output = Command::new("taskset").args(["-a", "-p", "-c", MEASURED_CORE, &pid.to_string()]).output();
    let output = output.context("taskset of util-linux")?;
    anyhow::ensure!(output.status.success(), "taskset: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// The CPU time of a process, all threads, kernel and user.
pub(crate) fn cpu(pid: u32) -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).context("the process is gone")?;
    // The name may hold spaces; user and system time are the 12th and 13th field behind it.
    let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok()).unwrap_or_default();
    Ok(TICK * (ticks(11) + ticks(12)))
}

/// What a process has allocated and touched, in bytes: resident memory without mapped files.
pub(crate) fn memory(pid: u32) -> anyhow::Result<u64> {
    status(pid, "RssAnon")
}

/// A size in `/proc/PID/status`, in bytes.
pub(crate) fn status(pid: u32, field: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).context("the process is gone")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    Ok(line.with_context(|| field.to_owned())?.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}

/// What the kernel holds for the sockets of a listening port, in bytes, and how many there are.
pub(crate) fn socket_memory(port: u16) -> anyhow::Result<(u64, usize)> {
    let output = Command::new("ss").args(["-tmnHO", "state", "established", &format!("sport = :{port}")]).output();
    let text = String::from_utf8(output.context("ss of iproute2")?.stdout)?;
    let (mut bytes, mut sockets) = (0, 0);
    for line in text.lines() {
        let Some((_, memory)) = line.split_once("skmem:(") else { continue };
        sockets += 1;
        // r: received, t: sent, f: reserved, w: queued, o: options, bl: backlog; rb, tb and d are limits and counts.
        for field in memory.trim_end_matches(')').split(',') {
            let digits = field.trim_start_matches(char::is_alphabetic);
            if matches!(&field[..field.len() - digits.len()], "r" | "t" | "f" | "w" | "o" | "bl") {
                bytes += digits.parse::<u64>().unwrap_or_default();
            }
        }
    }
    Ok((bytes, sockets))
}

/// How busy the machine is, as `uptime` tells it.
pub(crate) fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
