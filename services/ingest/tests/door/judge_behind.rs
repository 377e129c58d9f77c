//! When the filters' group does not come after, the rooms of that partition are closed, those alone, and open again.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use chassis::kafka::{Change, Cluster, Membership, Timing};
use ingest::Config;
use proto::{MessageId, Topic, partition, topics};

use crate::rig::{Answer, PARTITIONS, PATIENCE, PREFIX, Rig, open_config};

const BODY: &str = r#"{"text":"hi"}"#;

/// The next offset, per partition.
type Offsets = Arc<Mutex<BTreeMap<i32, u64>>>;

/// A member of the filters' group that judges nothing and commits what it is told to.
struct Group {
    judged: Offsets,
    committed: Offsets,
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Group {
    fn join(cluster: Cluster) -> Self {
        let (judged, committed, stop) = (Offsets::default(), Offsets::default(), Arc::<AtomicBool>::default());
        let thread = {
            let (judged, committed, stop) = (Arc::clone(&judged), Arc::clone(&committed), Arc::clone(&stop));
            thread::spawn(move || keep(&cluster, &judged, &committed, &stop))
        };
        Self { judged, committed, stop, thread: Some(thread) }
    }

    /// Says that the message with this id is judged, and waits until the group's offset says so too.
    async fn judge(&self, id: &str) {
        let id: MessageId = id.parse().unwrap();
        self.judged.lock().unwrap().insert(id.partition, id.offset + 1);
        let deadline = Instant::now() + PATIENCE;
        while self.committed.lock().unwrap().get(&id.partition).is_none_or(|&next| next <= id.offset) {
            assert!(Instant::now() < deadline, "the group does not commit");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().unwrap().join();
    }
}

fn keep(
    cluster: &Cluster,
    judged: &Mutex<BTreeMap<i32, u64>>,
    committed: &Mutex<BTreeMap<i32, u64>>,
    stop: &AtomicBool,
) {
    let timing = Timing {
        session: Duration::from_secs(30),
        heartbeat: Duration::from_millis(500),
        poll: Duration::from_secs(60),
    };
    let group = topics::filter_group(PREFIX, 3);
    let member = Membership::join(cluster, &group, &Topic::Input.name(PREFIX), timing, None).unwrap();
    let mut owned = false;
    while !stop.load(Ordering::Relaxed) {
        if let Ok(Some(change)) = member.poll(Duration::from_millis(20)) {
            owned = matches!(&change, Change::Assigned(_));
            member.accept(&change).unwrap();
        }
        let due = judged.lock().unwrap().clone();
        if owned && due != *committed.lock().unwrap() {
            member.commit(due.clone()).unwrap();
            *committed.lock().unwrap() = due;
        }
    }
}

/// Speaks until the answer is as expected; the ids of what was accepted on the way are added to `said`.
async fn until(rig: &Rig, room: &str, expected: (u16, &str), said: &mut Vec<String>) -> Answer {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = rig.say(room, "u1", BODY).await;
        if answer.status == 202 {
            said.push(answer.id().to_owned());
        }
        if answer.is() == expected {
            return answer;
        }
        assert!(Instant::now() < deadline, "{room} never comes to {expected:?}: {answer:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn one_partition_is_closed_and_opens_when_the_judge_has_caught_up() {
    let config = Config { judge_behind_after: Duration::from_secs(2), ..open_config() };
    let rig = Rig::start(config).await;
    let group = Group::join(rig.ground.cluster.clone());
    let (stuck, lively) = ("demo", "other");
    assert_ne!(partition::of(stuck.as_bytes(), PARTITIONS), partition::of(lively.as_bytes(), PARTITIONS));

    let mut said = Vec::new();
    let closed = until(&rig, stuck, (503, "judge_behind"), &mut said).await;
    assert!(closed.header("retry-after").is_some());
    let mut neighbors = Vec::new();
    until(&rig, lively, (202, ""), &mut neighbors).await;
    assert_eq!(rig.say(stuck, "u1", BODY).await.code(), "judge_behind", "the one is closed and the other open");
    assert_eq!(rig.number("danmaku_ingest_closed_partitions"), 1.0);

    group.judge(&said[0]).await;
    assert!(said.len() > 1, "the partition was open at first");
    group.judge(said.last().unwrap()).await;
    until(&rig, stuck, (202, ""), &mut said).await;
    assert_eq!(rig.written().await.len(), said.len() + neighbors.len());
}
