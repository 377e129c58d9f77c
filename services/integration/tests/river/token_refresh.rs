//! A socket does not outlive its token: refreshed, it goes on; forgotten, it is closed 4005 once the token has ended.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chassis::tokens::Role;
use integration::viewer::Ticket;

use crate::{SOON, world};

const ROOM: &str = "long";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn token_refresh() {
    let world = world("token_refresh").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let short = world.token_for("ann", &[Role::Viewer], Duration::from_secs(5));
    let ticket = Ticket { room: ROOM.into(), token: Some(short), ..Ticket::default() };
    let forgets = world.viewer_with(&fanout, &ticket).await;
    let refreshes = world.viewer_with(&fanout, &ticket).await;
    let expires = forgets.seen().hello.unwrap().expires;

    let others = world.token("bob", &[Role::Viewer]);
    refreshes.tell(&serde_json::json!({ "type": "refresh", "token": others })).await.unwrap();
    refreshes.until("the error", SOON, |seen| seen.errors.len() == 1).await;
    let fresh = world.token("ann", &[Role::Viewer]);
    refreshes.tell(&serde_json::json!({ "type": "refresh", "token": fresh })).await.unwrap();
    refreshes.until("a second hello", SOON, |seen| seen.hellos == 2).await;
    assert!(refreshes.seen().hello.unwrap().expires > expires);

    forgets.until("the close", SOON, |seen| seen.closed.is_some()).await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
    println!("closed {} ms after the token's end", now - expires);
    assert_eq!(forgets.seen().closed, Some(4005));
    assert!(now >= expires, "not before its end");
    let id = world.sender(&ingest, "bob").say(ROOM, "still there?").await.accepted();
    refreshes.until("what is said later", SOON, |seen| seen.ids().contains(&id)).await;
    assert_eq!(refreshes.seen().closed, None);
}
