//! Edits that meet one another.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use tokio::{runtime::Handle, time::timeout};

use super::*;
use crate::lists::List;

/// Far beyond what anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

static EVERYWHERE: Scope = Scope::Global;

fn wish(list: &str) -> Wish<'_> {
    Wish { scope: &EVERYWHERE, author: "ann", act: "put_list", subject: list, reason: "", base: None, now_ms: 1_000 }
}

fn put(list: &str, content: &mut Content) -> Result<Option<Tally>, Refusal> {
    content.set_list(list, List::default())?;
    Ok(Some(Tally::default()))
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_an_edit_that_is_being_made_and_none_is_lost() {
    let folder = std::env::temp_dir().join(format!("danmaku-versions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let store = Arc::new(Store::open(&format!("sqlite://{}/moderation.db", folder.display())).await.unwrap());
    let (cache, asked) = (Arc::new(Cache::default()), Arc::new(AtomicU32::new(0)));
    let (others, calls) = ((Arc::clone(&store), Arc::clone(&cache)), Arc::clone(&asked));
    let slow = publish(&store, &cache, wish("slow"), move |content| {
        if calls.fetch_add(1, Ordering::Relaxed) == 0 {
            // Meanwhile another one is made, from its beginning to its end.
            let quick = publish(&others.0, &others.1, wish("quick"), |content| put("quick", content));
            Handle::current().block_on(quick)?;
        }
        put("slow", content)
    });
    let stamp = timeout(PATIENCE, slow).await.expect("the other one waits for it").unwrap();
    let (newest, content) = current(&store, &cache, &Scope::Global).await.unwrap();
    assert_eq!(content.lists.keys().collect::<Vec<_>>(), ["quick", "slow"]);
    assert_eq!((newest, stamp.number, asked.load(Ordering::Relaxed)), (Some(stamp.clone()), 2, 2));

    // What changes nothing waits for nobody.
    let change = store.change().await.unwrap();
    let nothing = timeout(PATIENCE, publish(&store, &cache, wish("none"), |_| Ok(None)));
    assert_eq!(nothing.await.expect("it waits for a change").unwrap(), stamp);
    drop(change);
    store.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}
