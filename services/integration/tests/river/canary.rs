//! The canary tells the true delivery ratio: it is whole while danmaku arrive, and says where they do not.

use std::net::SocketAddr;

use integration::{Node, World, metrics::Metrics, sender::Http, until};

use crate::{LATER, world};

/// A canary at work, by its admin port.
struct Canary {
    process: std::process::Child,
    admin: SocketAddr,
    http: Http,
}

impl Canary {
    fn start(world: &World, door: &Node, halls: &[&Node]) -> Self {
        use std::io::{BufRead as _, BufReader};
        let halls: Vec<_> = halls.iter().map(|hall| format!("http://{}", hall.address())).collect();
        let mut process = std::process::Command::new(crate::program())
            .args(["danmaku", "canary", "--every", "1s", "--within", "5s", "--admin", "127.0.0.1:0"])
            .args(["--door", &format!("http://{}", door.address()), "--halls", &halls.join(",")])
            .arg("--keys")
            .arg(world.keys())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the node program starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("a ready line");
        let ready: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
        let admin = ready["admin"].as_str().and_then(|admin| admin.parse().ok()).expect("an admin port");
        Self { process, admin, http: Http::default() }
    }

    async fn until(&self, what: &str, is_so: impl Fn(&Metrics) -> bool) -> Metrics {
        until(what, LATER, async || {
            let (_, page) = self.http.get(self.admin, "/metrics").await.ok()?;
            Some(Metrics::parse(&page)).filter(|metrics| is_so(metrics))
        })
        .await
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn at(metrics: &Metrics, name: &str, hall: &Node) -> f64 {
    metrics.sum_where(name, &[("hall", &hall.address().to_string())])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_tells_what_arrives_and_where_it_does_not() {
    let world = world("canary").await;
    let (ingest, filter, one, two) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]), world.fanout(&["--anonymous", "false"]));
    let canary = Canary::start(&world, &ingest, &[&one, &two]);
    let metrics = canary
        .until("some were seen everywhere", |metrics| {
            [&one, &two].iter().all(|hall| at(metrics, "danmaku_canary_received_total", hall) >= 3.0)
                && metrics.sum("danmaku_canary_healthy") == 1.0
        })
        .await;
    assert_eq!(metrics.sum("danmaku_canary_delivery_ratio"), 1.0);
    assert_eq!((metrics.sum("danmaku_canary_lost_total"), metrics.sum("danmaku_canary_repeated_total")), (0.0, 0.0));
    assert!(metrics.sum("danmaku_canary_seconds_count") >= 6.0);

    // A hall goes and comes back at its address: the viewer comes back with his cursor, and nothing is told twice.
    let (address, lost) = (two.address(), two);
    lost.kill();
    canary.until("the hall is missed", |metrics| metrics.sum("danmaku_canary_healthy") == 0.0).await;
    let address = address.to_string();
    let two = world.fanout(&["--anonymous", "false", "--listen", &address]).await;
    let before = at(&metrics, "danmaku_canary_received_total", &two);
    let metrics = canary
        .until("it is seen there again", |metrics| {
            at(metrics, "danmaku_canary_received_total", &two) >= before + 2.0
                && metrics.sum("danmaku_canary_healthy") == 1.0
        })
        .await;
    assert_eq!(metrics.sum("danmaku_canary_repeated_total"), 0.0);

    // Without a judge all is accepted and nothing arrives, which no part's own numbers call a fault.
    filter.kill();
    let metrics = canary
        .until("it is lost", |metrics| {
            [&one, &two].iter().all(|hall| at(metrics, "danmaku_canary_lost_total", hall) >= 1.0)
        })
        .await;
    assert!(metrics.sum("danmaku_canary_delivery_ratio") < 1.0);
    assert_eq!(metrics.sum("danmaku_canary_healthy"), 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_a_probe_it_says_one_thing_and_where_it_was_seen() {
    let world = world("canary_once").await;
    let (ingest, filter, hall) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let (door, halls) = (format!("http://{}", ingest.address()), format!("http://{}", hall.address()));
    let keys = world.keys().display().to_string();
    let words = ["canary", "--once", "--json", "--door", &door, "--halls", &halls, "--keys", &keys, "--within", "30s"];
    let ended = world.command(&words).await;
    assert_eq!((ended.code, &ended.json()["delivered"]), (Some(0), &true.into()), "{ended:?}");
    assert!(ended.json()["halls"][0]["seen_ms"].is_u64(), "{ended:?}");

    let nobody = [&words[..6], &["http://127.0.0.1:1", "--keys", &keys, "--within", "1s"]].concat();
    let ended = world.command(&nobody).await;
    assert_eq!((ended.code, &ended.json()["said"]), (Some(1), &"accepted".into()), "{ended:?}");
    assert!(ended.json()["halls"][0]["why"].as_str().unwrap().contains("connect"), "{ended:?}");

    filter.kill();
    let ended = world.command(&[&words[..9], &["--within", "2s"]].concat()).await;
    assert_eq!((ended.code, &ended.json()["delivered"]), (Some(1), &false.into()), "{ended:?}");
    assert_eq!(world.command(&["canary", "--door", "x"]).await.code, Some(2), "it cannot be asked so");
}
