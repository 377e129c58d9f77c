//! A crowd in one room, spread over shards and nodes, and a quiet room beside it: everybody hears everything, in order.

use integration::{Node, Sender, Viewer, World, ledger};
use proto::MessageId;

use crate::{LATER, together, world};

const VIEWERS: usize = 750; // on each of two nodes
const SAID: usize = 100;

/// The crowd may lag so many messages behind before anybody goes on: a ring holds 64 flushes.
const AHEAD: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hot_room_everybody_hears_everything_in_order() {
    let world = world("hot_room").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    // How late it is on a machine that runs the crowd too is not what is tested.
    let lenient = ["--shards", "2", "--fresh", "10m", "--blocked-max", "10m"];
    let (one, two) = tokio::join!(world.fanout(&lenient), world.fanout(&lenient));
    let (hot, quiet) = (world.room_in(3, "hot"), world.room_in(3, "quiet"));
    let (mut crowd, mut few) = (Vec::new(), Vec::new());
    for node in [&one, &two] {
        crowd.extend(gather(&world, node, &hot).await);
        few.push(world.viewer(node, &quiet).await);
    }
    for node in [&one, &two] {
        assert_eq!(node.metrics().await.sum("danmaku_fanout_viewers"), VIEWERS as f64 + 1.0);
    }

    let (mut all, mut quietly) = (Vec::new(), Vec::new());
    for number in 0..SAID {
        all.push(say(&world.sender(&ingest, &format!("u{number}")), &hot, number).await);
        if number % 10 == 0 {
            quietly.push(say(&world.sender(&ingest, &format!("q{number}")), &quiet, number).await);
        }
        let due = all.len().saturating_sub(AHEAD);
        for viewer in &crowd {
            viewer.until("the crowd keeps up", LATER, |seen| seen.all.len() >= due).await;
        }
    }
    for (room, viewers, said) in [("hot", &crowd, &all), ("quiet", &few, &quietly)] {
        for (number, viewer) in viewers.iter().enumerate() {
            viewer.until("the last message", LATER, |seen| seen.all.len() >= said.len()).await;
            let (who, seen) = (format!("viewer {number} of the {room} room"), viewer.seen());
            ledger::check_exact(&who, &seen.frames, said);
            assert_eq!((seen.gaps.len(), seen.closed), (0, None), "{who}");
        }
    }
}

async fn say(sender: &Sender, room: &str, number: usize) -> MessageId {
    sender.say(room, &format!("word {number}")).await.accepted()
}

async fn gather(world: &World, node: &Node, room: &str) -> Vec<Viewer> {
    let hall = node.address();
    let ticket = integration::viewer::Ticket { room: room.to_owned(), ..Default::default() };
    let comes = (0..VIEWERS).map(|_| {
        let ticket = ticket.clone();
        async move {
            let viewer = Viewer::connect(hall, &ticket).await.expect("a viewer is let in");
            viewer.until("a hello", LATER, |seen| seen.hello.is_some()).await;
            viewer
        }
    });
    let viewers = together(32, comes).await;
    assert_eq!(world.partition_of(room), 3);
    viewers
}
