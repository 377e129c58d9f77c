//! What is meant for one viewer reaches him and nobody else: answers, places, notices.

use proto::{UserId, v1::Notice};

use super::*;

#[tokio::test]
async fn an_answer_does_not_reach_who_took_the_seat_of_him_who_asked() {
    let mut rig = Rig::open().await;
    let mut stays = rig.enter("a", Since::Now).await;
    stays.hello(&mut rig).await;
    let mut asked = rig.enter("a", Since::Now).await;
    let connection = |hello: &proto::v1::Hello| hello.connection.rsplit('-').next().unwrap().parse::<u64>().unwrap();
    let first = connection(&asked.hello(&mut rig).await);
    let (key, _) = rig.shard.seats.iter().find(|(_, seat)| seat.who.connection == first).unwrap();
    drop(asked);
    let deadline = Instant::now() + Duration::from_secs(30);
    while rig.shard.seats.contains(key) {
        assert!(Instant::now() < deadline, "he has left");
        rig.turn();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut other = rig.enter("a", Since::Now).await;
    let second = connection(&other.hello(&mut rig).await);
    assert_eq!(rig.shard.seats[key].who.connection, second, "the seat is taken again");
    let answer = |connection, id: &str| {
        let ack = proto::v1::Ack { ok: true, id: id.into(), ..proto::v1::Ack::default() };
        rig.inbox.tell(Event::Acked(Box::new(crate::relay::Acked { key, connection, ack })));
    };
    answer(first, "1-3-1");
    answer(second, "1-3-2");
    assert!(matches!(other.next(&mut rig).await, Ok(FromServer::Ack(ack)) if ack.id == "1-3-2"));
}

#[tokio::test]
async fn a_newer_connection_takes_the_place_and_a_fresh_token_does_not() {
    let mut rig = Rig::open().await;
    let (mut first, mut other) = (rig.enter_as("ann").await, rig.enter_as("bob").await);
    // The same user by another token is the same place.
    let key = rig.shard.users.seats("ann")[0];
    let claims = rig.shard.seats[key].who.claims.clone().unwrap();
    rig.shard.known(key, claims);
    rig.turn();
    assert!(!rig.shard.seats[key].viewer.is_leaving());
    let _second = rig.enter_as("ann").await;
    rig.turn();
    let closed = loop {
        if let Err(code) = first.next(&mut rig).await {
            break code;
        }
    };
    assert_eq!(closed, 4502);
    assert!(matches!(other.next(&mut rig).await, Ok(FromServer::Hello(_))));
    assert_eq!(rig.house.places.of(&UserId::new("ann").unwrap()).len(), 1);
}

#[tokio::test]
async fn notices_are_said_and_only_what_was_said_is_acknowledged() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter_as("ann").await;
    let user = UserId::new("ann").unwrap();
    let connection = rig.house.places.of(&user)[0].connection;
    let notice = |id: &str| Notice { id: id.into(), text: "hi".into(), ..Notice::default() };
    rig.house.places.notify(&user, connection, vec![notice("n1"), notice("n2"), notice("n1")]);
    rig.house.places.notify(&user, connection + 1, vec![notice("n3")]);
    let mut heard = Vec::new();
    while heard.len() < 3 {
        if let Ok(FromServer::Notice(notice)) = client.next(&mut rig).await {
            heard.push(notice.id);
        }
    }
    assert_eq!(heard, ["n1", "n2", "n1"], "again is again");
    let key = rig.shard.users.seats("ann")[0];
    for id in ["n2", "n2", "n9"] {
        rig.shard.has_notice(key, id.into());
    }
    assert_eq!(rig.shard.seats[key].who.notices, ["n1"], "the one that is still awaited");
}

#[tokio::test]
async fn tokens_that_are_refused_count_as_sends_that_are() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter_as("ann").await;
    client.hello(&mut rig).await;
    for _ in 0..21 {
        client.say(r#"{"type":"refresh","token":"a.b.c"}"#).await;
        assert!(matches!(client.next(&mut rig).await, Ok(FromServer::Error(error)) if error.code == "unauthorized"));
        rig.pass(Duration::from_millis(400));
    }
    assert_eq!(client.next(&mut rig).await, Err(4506));
}
