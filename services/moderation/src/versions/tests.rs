//! Edits that meet one another.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use tokio::{runtime::Handle, time::timeout};

use super::*;
use crate::lists::{
    List,
    edit::{By, Edit, placed},
    entry::Entry,
};

/// Far beyond what anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

static EVERYWHERE: Scope = Scope::Global;

fn wish(list: &str) -> Wish<'_> {
    Wish {
        scope: &EVERYWHERE,
        author: "ann",
        act: "put_list",
        subject: list,
        reason: "",
        base: None,
        back_to: None,
        now_ms: 1_000,
    }
}

fn put(list: &str, content: &mut Content) -> Result<Option<Tally>, Refusal> {
    content.set_list(list, List::default())?;
    Ok(Some(Tally::default()))
}

/// An edit that puts words on a list, which it makes.
fn words(list: &str, texts: Vec<String>) -> impl Fn(&mut Content) -> Result<Option<Tally>, Refusal> + use<> {
    let list = list.to_owned();
    move |content| {
        content.set_list(&list, List::default())?;
        let entries = texts.iter().map(|text| (1, Entry::word(text.clone())));
        let edit = Edit { add: placed(&list, entries).map_err(Refusal::Invalid)?, ..Edit::default() };
        let by = By { author: "ann", sees_private: true, now_ms: 1_000 };
        content.edit(&Scope::Global, &list, &edit, by, crate::http::new_id).map(Some).map_err(Refusal::Invalid)
    }
}

/// A database of its own, which is gone with its folder.
struct World {
    store: Arc<Store>,
    folder: std::path::PathBuf,
}

impl World {
    async fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("danmaku-versions-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let store = Arc::new(Store::open(&format!("sqlite://{}/moderation.db", folder.display())).await.unwrap());
        Self { store, folder }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[tokio::test]
async fn versions_share_the_pages_that_are_the_same_also_when_they_are_read_again() {
    let world = World::new("shared").await;
    let first = words("house", (0..500).map(|number| format!("blorp{number}")).collect());
    let second = words("house", vec!["gruntle".to_owned()]);
    let cache = Cache::default();
    publish(&world.store, &cache, wish("house"), first).await.unwrap();
    publish(&world.store, &cache, wish("house"), second).await.unwrap();
    // As after a restart.
    let cache = Cache::default();
    let mut connection = world.store.reads().acquire().await.unwrap();
    let one = cache.content(1, &mut connection).await.unwrap();
    let two = cache.content(2, &mut connection).await.unwrap();
    let pages = one.pages.iter().zip(&two.pages).filter(|(page, _)| !page.entries().is_empty());
    let others = pages.filter(|(one, two)| one.entries().as_ptr() != two.entries().as_ptr());
    assert_eq!((others.count(), two.count().0), (1, 501));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_an_edit_that_is_being_made_and_none_is_lost() {
    let world = World::new("meeting").await;
    let store = &world.store;
    let (cache, asked) = (Arc::new(Cache::default()), Arc::new(AtomicU32::new(0)));
    let (others, calls) = ((Arc::clone(store), Arc::clone(&cache)), Arc::clone(&asked));
    let slow = publish(store, &cache, wish("slow"), move |content| {
        if calls.fetch_add(1, Ordering::Relaxed) == 0 {
            // Meanwhile another one is made, from its beginning to its end.
            let quick = publish(&others.0, &others.1, wish("quick"), |content| put("quick", content));
            Handle::current().block_on(quick)?;
        }
        put("slow", content)
    });
    let stamp = timeout(PATIENCE, slow).await.expect("the other one waits for it").unwrap();
    let (newest, content) = current(store, &cache, &Scope::Global).await.unwrap();
    assert_eq!(content.lists.keys().collect::<Vec<_>>(), ["quick", "slow"]);
    assert_eq!((newest, stamp.number, asked.load(Ordering::Relaxed)), (Some(stamp.clone()), 2, 2));

    // What changes nothing waits for nobody.
    let change = store.change().await.unwrap();
    let nothing = timeout(PATIENCE, publish(store, &cache, wish("none"), |_| Ok(None)));
    assert_eq!(nothing.await.expect("it waits for a change").unwrap(), stamp);
    drop(change);
}

#[tokio::test]
async fn old_versions_are_forgotten_with_what_only_they_were_made_of() {
    let world = World::new("forgotten").await;
    let (store, cache) = (&world.store, Cache::default());
    let many = (0..500).map(|number| format!("fnord{number}")).collect();
    publish(store, &cache, wish("house"), words("house", many)).await.unwrap();
    publish(store, &cache, wish("kept"), words("kept", vec!["gruntle".to_owned()])).await.unwrap();
    publish(store, &cache, wish("house"), |content| Ok(content.drop_list("house"))).await.unwrap();
    for number in 4..=53 {
        let list = format!("list{number}");
        publish(store, &cache, wish(&list), words(&list, vec![format!("blorp{number}")])).await.unwrap();
    }
    let count = async |what: &str| {
        let sql = format!("SELECT COUNT(*), COALESCE(MIN(number), 0) FROM {what}");
        sqlx::query_as::<_, (i64, i64)>(sqlx::AssertSqlSafe(sql)).fetch_one(store.reads()).await.unwrap()
    };
    assert_eq!(forget(store, i64::MAX).await.unwrap(), 0, "none is on Kafka yet");
    sqlx::query("DELETE FROM outbox").execute(store.reads()).await.unwrap();
    assert_eq!(forget(store, 1_000).await.unwrap(), 0, "none is old");
    let blobs = "(SELECT 1 AS number FROM blobs) AS all_blobs";
    let before = count(blobs).await.0;
    let old = cache.content(1, &mut store.reads().acquire().await.unwrap()).await.unwrap();

    assert_eq!(forget(store, 1_001).await.unwrap(), 3);
    assert_eq!(count("versions").await, (50, 4));
    // 500 words are on all of 64 pages, nearly surely, each with its chunk.
    assert!(before - count(blobs).await.0 > 100);
    let fresh = Cache::default();
    for number in 4..=53 {
        let read = content(store, &fresh, &EVERYWHERE, Some(number)).await.unwrap();
        assert_eq!(read.count().0, usize::try_from(number - 2).unwrap(), "what is left is whole");
    }
    // It was read before it was forgotten, and comes too late.
    let back = Wish { back_to: Some(1), ..wish("back") };
    let late = publish(store, &cache, back, move |content| {
        *content = (*old).clone();
        Ok(Some(Tally::default()))
    });
    for refused in [late.await.err(), content(store, &cache, &EVERYWHERE, Some(1)).await.err()] {
        assert!(matches!(refused, Some(Refusal::NotFound(why)) if why.contains("--versions-keep")));
    }
}
