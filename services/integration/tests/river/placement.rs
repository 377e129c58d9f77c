//! Where a room is watched: all nodes say the same, name one of them, and pass over one that leaves.

use integration::{Node, Redis, World, until};

use crate::{SOON, world};

async fn told(world: &World, hall: &Node, room: &str) -> Vec<String> {
    let (status, text) = world.get(hall, &format!("/v1/rooms/{room}/where")).await;
    assert_eq!(status, 200, "{text}");
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&answer["room"], &answer["partition"]), (&room.into(), &world.partition_of(room).into()));
    let nodes = answer["nodes"].as_array().expect("nodes");
    nodes.iter().map(|node| node["address"].as_str().expect("an address").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_nodes_name_the_same_one_and_none_that_leaves() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("placement").await;
    let url = redis.url();
    let flags = ["--redis", &url];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let address = two.address().to_string();
    let room = until("a room whose home is the second", SOON, async || {
        for number in 0..50 {
            let room = format!("r{number}");
            if told(&world, &one, &room).await == [address.clone()]
                && told(&world, &two, &room).await == [address.clone()]
            {
                return Some(room);
            }
        }
        None
    })
    .await;
    // Elsewhere works as well.
    let viewer = world.viewer(&one, &room).await;
    assert_eq!(viewer.seen().closed, None);

    let peers = fanout::peers(&chassis::redis::address(&url).unwrap(), &world.prefix).await.unwrap();
    assert_eq!(peers.len(), 2);
    assert!(two.stop().await.success());
    let first = [one.address().to_string()];
    until("the first alone", SOON, async || (told(&world, &one, &room).await == first).then_some(())).await;
    assert_eq!(world.get(&one, "/v1/rooms/a%2Fb/where").await.0, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_redis_a_node_names_itself() {
    let world = world("placement_alone").await;
    let hall = world.fanout(&["--advertise", "hall-0.example.com:443"]).await;
    assert_eq!(told(&world, &hall, "demo").await, ["hall-0.example.com:443"]);
}
