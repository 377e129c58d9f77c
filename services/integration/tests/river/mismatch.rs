//! Topics with another partition count than the setting: every service refuses to become ready, and says the sentence.

use integration::until;

use crate::{SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_partition_count_mismatch_is_told_and_nobody_becomes_ready() {
    let world = world("mismatch").await;
    for service in ["ingest", "filter", "fanout"] {
        let node = world.start_unready(service, &["--partitions", "16"]).await;
        let told = until("the sentence on /readyz", SOON, async || {
            let (ready, text) = node.readiness().await;
            assert!(!ready, "{service} is ready: {text}");
            text.contains("has 8 partitions, --partitions says 16").then_some(text)
        });
        let told = told.await;
        assert!(told.contains("set --partitions 8"), "{service} names the remedy: {told}");
    }
}
