//! A viewer of whom nothing is heard is closed; any sign of life will do.

use std::time::Duration;

use fanout::Config;

use crate::{
    client::Viewer,
    world::{World, config},
};

#[tokio::test]
async fn who_is_silent_for_too_long_is_closed() {
    let idle = Duration::from_millis(1_500);
    let world = World::start(Config { idle, ping: idle / 3, ..config() }).await;
    let mut silent = Viewer::enter(&world, "demo").await;
    let mut alive = Viewer::enter(&world, "demo").await;
    assert_eq!((silent.hellos[0].ping_ms, silent.hellos[0].idle_ms), (500, 1_500));
    // A WebSocket pong nobody asked for is life as well.
    let signs = async {
        loop {
            alive.send_frame(0x8a, b"").await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let code = tokio::select! {
        code = silent.until_closed() => code,
        () = signs => unreachable!(),
    };
    assert_eq!(code, 4002);
    assert_eq!(alive.ping(1).await.at, 1);
}
