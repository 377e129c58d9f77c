//! How many files and sockets this process may have open, and how many of those are its clients'.
//! Kept out: what happens when they are used up, which is the accept loop's.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Kept back from the public port's clients: 256 for operators and probes, whose port must answer when the other is full,
/// and 128 for Kafka (four clients with a connection to each of 20 brokers make 80), listeners, pollers and files.
const OWN: usize = 384;

/// Raises the soft limit to the hard one. A soft limit of 1,024 is there for programs that use `select`; none of ours does.
pub fn raise() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}

/// How many this process may have open; `None` is any number.
#[must_use]
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// How many of the process's descriptors are for the clients of its public port.
#[must_use]
pub fn for_clients() -> usize {
    // No limit at all is one that is never reached.
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    share(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Half of a limit so small that our own needs would leave nobody in.
fn share(limit: usize) -> usize {
    limit.saturating_sub(OWN).max(limit / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_what_is_not_our_own() {
        for (limit, clients) in [(20_000, 19_616), (1_024, 640), (768, 384), (256, 128), (64, 32), (0, 0)] {
            assert_eq!(share(limit), clients, "{limit}");
        }
    }

    #[test]
    fn the_limit_can_be_raised_as_far_as_it_goes() {
        raise();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
        assert!(for_clients() > 0);
    }
}
