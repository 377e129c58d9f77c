//! Whether the node says that it is full. It says so at a cap, and takes it back below 95 % of it: a balancer that is told both
//! within a second sends everybody to and fro.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use chassis::admin::Condition;

use super::{Cap, Caps};

/// How often that is looked at. A balancer asks every few seconds.
const LOOKED_AT_EVERY: Duration = Duration::from_millis(250);

/// The memory of what was said last.
#[derive(Debug, Default)]
pub(super) struct Fullness {
    full: Option<Cap>,
}

/// What counts as having room again.
pub(super) fn below(max: u64) -> u64 {
    max - max / 20
}

impl Fullness {
    /// Looks again; tells which cap is reached.
    pub(super) fn look(&mut self, caps: &Caps) -> Option<Cap> {
        let viewers = (caps.viewers.load(Ordering::Relaxed) as u64, caps.viewers_max as u64);
        let table = [(Cap::Viewers, viewers), (Cap::Memory, (caps.memory(), caps.memory_max))];
        let is_full = |cap, (taken, max): (u64, u64)| taken >= if self.full == Some(cap) { below(max) } else { max };
        let full: Vec<Cap> = table.into_iter().filter(|&(cap, used)| is_full(cap, used)).map(|(cap, _)| cap).collect();
        // What was said goes on to be said as long as it is true.
        self.full = self.full.filter(|cap| full.contains(cap)).or(full.first().copied());
        self.full
    }

    /// What an operator is told.
    fn reason(cap: Cap, caps: &Caps) -> String {
        match cap {
            Cap::Viewers => format!("full: {} viewers are all that --viewers-max allows", caps.viewers_max),
            Cap::Address => "full: one address has all that --address-connections-max allows".to_owned(),
            Cap::Memory => "full: viewers, rooms and history take all that --memory-max allows".to_owned(),
        }
    }
}

/// Says to operators, for as long as it is polled, whether there is room for more viewers, and how far the caps are used up.
pub(crate) async fn watch(caps: Arc<Caps>, condition: Condition) {
    let mut fullness = Fullness::default();
    loop {
        match fullness.look(&caps) {
            Some(cap) => condition.not_ready(Fullness::reason(cap, &caps)),
            None => condition.ready(),
        }
        caps.tell();
        tokio::time::sleep(LOOKED_AT_EVERY).await;
    }
}
