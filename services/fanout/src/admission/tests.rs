//! Coming and going at the caps.

use super::{fullness::Fullness, *};

fn caps(viewers_max: usize, address_connections_max: u32, memory_max: u64) -> Arc<Caps> {
    let config = Config { viewers_max, address_connections_max, memory_max, ..Config::default() };
    Arc::new(Caps::new(&config, 2))
}

fn admit(caps: &Arc<Caps>, address: &str) -> Result<Pass, Cap> {
    match caps.admit(address.parse().unwrap()) {
        Admission::Admitted(pass) => Ok(pass),
        Admission::Full { cap, retry } => {
            assert!((RETRY_MAX / 2..=RETRY_MAX).contains(&retry));
            Err(cap)
        }
    }
}

#[test]
fn a_viewer_who_is_gone_makes_room() {
    let caps = caps(2, 0, 1 << 30);
    let first = admit(&caps, "192.0.2.1").unwrap();
    let _second = admit(&caps, "192.0.2.1").unwrap();
    assert_eq!(admit(&caps, "192.0.2.2").unwrap_err(), Cap::Viewers);
    drop(first);
    admit(&caps, "192.0.2.2").unwrap();
}

#[test]
fn an_address_has_its_own_cap_and_leaves_nothing_behind() {
    let caps = caps(10, 2, 1 << 30);
    let passes = ["192.0.2.1", "::ffff:192.0.2.1"].map(|address| admit(&caps, address).unwrap());
    assert_eq!(admit(&caps, "192.0.2.1").unwrap_err(), Cap::Address);
    let others = ["192.0.2.2", "2001:db8::1", "2001:db8::2"].map(|address| admit(&caps, address).unwrap());
    assert_eq!(admit(&caps, "2001:db8::ffff:3").unwrap_err(), Cap::Address, "a household has 64 bits");
    admit(&caps, "2001:db8:0:1::1").unwrap();
    drop((passes, others));
    assert!(caps.by_network.lock().unwrap().is_empty());
    assert_eq!(caps.viewers.load(Ordering::Relaxed), 0, "the refused are not counted");
}

#[test]
fn memory_is_everybodys_and_each_shard_gives_back_its_part() {
    let caps = caps(10, 0, 1_000);
    caps.shard_takes(0, 300);
    caps.shard_takes(1, 600);
    caps.partitions_take(99);
    assert_eq!((caps.excess(300), caps.excess(600)), (0, 0));
    admit(&caps, "192.0.2.1").unwrap();
    caps.partitions_take(200);
    assert_eq!(admit(&caps, "192.0.2.1").unwrap_err(), Cap::Memory);
    assert_eq!((caps.excess(300), caps.excess(600)), (50, 100), "down to 950");
}

#[test]
fn full_is_said_at_the_cap_and_taken_back_below_95_percent() {
    let caps = caps(20, 0, 1_000);
    let mut fullness = Fullness::default();
    let mut passes: Vec<_> = (0..19).map(|_| admit(&caps, "192.0.2.1").unwrap()).collect();
    assert_eq!(fullness.look(&caps), None);
    passes.push(admit(&caps, "192.0.2.1").unwrap());
    assert_eq!(fullness.look(&caps), Some(Cap::Viewers));
    passes.pop();
    assert_eq!(fullness.look(&caps), Some(Cap::Viewers), "19 of 20");
    caps.shard_takes(0, 1_000);
    passes.pop();
    assert_eq!(fullness.look(&caps), Some(Cap::Memory), "18 of 20, and the memory");
    caps.shard_takes(0, 950);
    assert_eq!(fullness.look(&caps), Some(Cap::Memory));
    caps.shard_takes(0, 949);
    assert_eq!(fullness.look(&caps), None);
}
