//! A room that moderators see six seconds before everybody else.

use super::*;
use crate::wire::Shared;

/// A rig whose room has a delay.
async fn delayed() -> Rig {
    let rig = Rig::open().await;
    let mode = v1::Mode { delay_ms: 6_000, ..v1::Mode::default() };
    rig.house.standing(PARTITION as usize).set_mode(&RoomId::new("a").unwrap(), Default::default(), mode);
    rig
}

/// A record of frames that are no messages: for whom, and what.
fn of_frames(rig: &Rig, offset: u64, frames: Vec<(Option<&str>, FromServer)>) -> Arc<Record> {
    let item = |(user, said): (Option<&str>, FromServer)| Item {
        fate: Fate::Lossless,
        to_user: user.map(Box::from),
        body: Body::Said(Box::new(Shared::say(said))),
    };
    let record = Arc::into_inner(rig.record(offset, "a", Fate::Lossless)).unwrap();
    Arc::new(Record { items: frames.into_iter().map(item).collect(), ..record })
}

fn verdict(offset: u64) -> FromServer {
    FromServer::Verdict(v1::Told { id: format!("1-3-{}", offset + 100), ..v1::Told::default() })
}

/// More verdicts for a user than may wait for their place, behind a message that everybody will see in six seconds.
fn too_many_verdicts(rig: &Rig) -> Vec<Arc<Record>> {
    let told = (11..81).map(|offset| of_frames(rig, offset, vec![(Some("u7"), verdict(offset))]));
    std::iter::once(rig.record(10, "a", Fate::Lossy)).chain(told).collect()
}

/// An event stream of that user: it is gone with its last byte, and takes the room along.
fn events(rig: &Rig) -> Reader {
    let claims = Claims { exp: u64::MAX, ..Claims::new("u7", [Role::Viewer].into_iter().collect()) };
    rig.stream(Access::Granted(Some(Arc::new(claims))))
}

fn recall(offset: u64) -> FromServer {
    FromServer::Recall(v1::Recall { ids: vec![format!("1-3-{}", offset + 100)], ..v1::Recall::default() })
}

#[tokio::test]
async fn who_reads_is_not_closed_for_verdicts_that_the_delay_holds_back() {
    let mut rig = delayed().await;
    let mut speaks = rig.enter_as("u7").await;
    speaks.hello(&mut rig).await;
    // What the door lets one say in six seconds, each answered by the judge.
    for number in 0..40 {
        let offset = 10 + 2 * number;
        let told = of_frames(&rig, offset + 1, vec![(Some("u7"), verdict(offset))]);
        let said = rig.record(offset, "a", Fate::Lossy);
        rig.hear(vec![said, told], offset + 2);
        rig.turn();
        rig.pass(Duration::from_millis(140));
    }
    rig.pass(Duration::from_secs(6));
    let mut told = 0;
    while told < 40 {
        match speaks.next(&mut rig).await {
            Ok(FromServer::Verdict(_)) => told += 1,
            other => assert!(matches!(other, Ok(FromServer::Batch(_) | FromServer::Gap(_))), "{other:?} after {told}"),
        }
    }
}

#[tokio::test]
async fn a_hail_of_recalls_is_one_write_for_each_viewer_and_says_nothing_else_to_him() {
    let mut rig = delayed().await;
    let mut viewer = rig.enter("a", Since::Now).await;
    viewer.hello(&mut rig).await;
    rig.say(10);
    rig.turn();
    let before = rig.shard.seats.len();
    let records = (11..211).map(|offset| {
        // The judge tells in the same record who it was.
        of_frames(&rig, offset, vec![(Some("u7"), verdict(offset)), (None, recall(offset))])
    });
    let records = records.collect();
    rig.hear(records, 211);
    // Before its window ends nobody is written anything.
    rig.turn();
    assert!(!viewer.has_bytes().await);
    rig.pass(Duration::from_millis(100));
    rig.turn();
    let mut buffer = vec![0; 64 * 1024];
    let len = tokio::time::timeout(Duration::from_secs(30), viewer.stream.read(&mut buffer)).await.unwrap().unwrap();
    viewer.bytes.extend_from_slice(&buffer[..len]);
    for offset in 11..211 {
        let Some(Ok(FromServer::Recall(told))) = viewer.whole_frame() else { panic!("no recall of {offset}") };
        assert_eq!(told.ids, [format!("1-3-{}", offset + 100)]);
    }
    assert!(viewer.whole_frame().is_none() && rig.shard.seats.len() == before, "{} are left", rig.shard.seats.len());
}

#[tokio::test]
async fn a_room_whose_last_viewer_cannot_take_what_he_is_owed_goes_with_him() {
    for comes_first in [true, false] {
        let mut rig = delayed().await;
        let others = rig.shard.seats.len();
        let told = too_many_verdicts(&rig);
        // He is here when they come, or comes when they are there.
        let early = comes_first.then(|| events(&rig));
        rig.turn();
        rig.hear(told, 81);
        rig.turn();
        let late = (!comes_first).then(|| events(&rig));
        rig.turn();
        rig.pass(Duration::from_millis(300));
        rig.turn();
        let (seats, rooms) = (rig.shard.seats.len(), rig.shard.rooms.len());
        assert_eq!((seats, rooms), (others, others), "only the first room is left, comes first: {comes_first}");
        drop((early, late));
    }
}

#[tokio::test]
async fn a_room_that_somebody_waiting_keeps_hears_on() {
    let mut rig = delayed().await;
    rig.say(10);
    rig.turn();
    // What is young is put onto the ring for him, but he has seen that elsewhere, and waits.
    let mut waits = rig.enter("a", Since::Cursor(at(11))).await;
    rig.turn();
    rig.inbox.tell(Event::High { partition: PARTITION, offset: 20 });
    rig.turn();
    rig.pass(Duration::from_secs(5));
    (11..14).for_each(|offset| rig.say(offset));
    rig.turn();
    rig.pass(Duration::from_millis(1_300));
    assert_eq!(waits.hello(&mut rig).await.cursor, at(11).to_string());
    rig.turn();
    assert!(waits.bytes.is_empty() && !waits.has_bytes().await, "what was said 1.3 s ago is the moderators' yet");
    rig.pass(Duration::from_secs(5));
    assert_eq!(waits.texts(&mut rig).await, ["11", "12", "13"]);
}

#[tokio::test]
async fn a_room_whose_only_viewer_has_no_token_yet_hears_on() {
    let mut rig = delayed().await;
    let mut leaves = rig.enter("a", Since::Now).await;
    leaves.hello(&mut rig).await;
    rig.say(10);
    rig.turn();
    // He comes back before the hall sees that he was gone, and his token is on its way.
    let mut back = rig.enter_with("a", Since::Now, Access::TokenFirst).await;
    rig.turn();
    let gone = rig.shard.rooms[rig.shard.by_name["a"]].turns.members()[0];
    rig.shard.remove(gone);
    rig.say(11);
    rig.pass(Duration::from_millis(300));
    rig.turn();
    let (key, _) = rig.shard.seats.iter().find(|(_, seat)| seat.who.is_locked).unwrap();
    rig.shard.seats[key].who.is_locked = false;
    let moment = rig.moment;
    rig.shard.try_answer(key, None, moment);
    rig.say(12);
    rig.pass(Duration::from_millis(300));
    rig.turn();
    rig.pass(Duration::from_millis(6_500));
    back.hello(&mut rig).await;
    let mut seen = Vec::new();
    while seen.len() < 3 {
        seen.extend(back.texts(&mut rig).await);
    }
    assert_eq!(seen, ["10", "11", "12"]);
}
