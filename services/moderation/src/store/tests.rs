//! Writers of a file have their turns in the order in which they asked; and no password is logged.

use super::*;

#[tokio::test]
async fn who_waits_to_write_is_next_and_not_who_writes_most() {
    let folder = std::env::temp_dir().join(format!("danmaku-store-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let store = Store::open(&format!("sqlite://{}/moderation.db", folder.display())).await.unwrap();
    let order = Mutex::new(Vec::new());
    let wrote = |who: &'static str| order.lock().unwrap().push(who);
    let first = store.change().await.unwrap();
    let publisher = async {
        let _turn = store.turn().await;
        wrote("the publisher");
    };
    let editor = async {
        let change = store.change().await.unwrap();
        wrote("the editor again");
        change.commit().await.unwrap();
    };
    let editing = async {
        // Both others are asked first, and wait.
        tokio::task::yield_now().await;
        wrote("the editor");
        first.commit().await.unwrap();
    };
    tokio::join!(publisher, editor, editing);
    assert_eq!(*order.lock().unwrap(), ["the editor", "the publisher", "the editor again"]);
    store.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_password_is_not_logged_wherever_it_stands() {
    for (url, told) in [
        ("postgres://ann:secret@db:5432/danmaku", "postgres://…@db:5432/danmaku"),
        ("postgres://ann:se@cret@db/danmaku?sslmode=require", "postgres://…@db/danmaku?…"),
        ("postgres://db/danmaku?user=ann&password=secret", "postgres://db/danmaku?…"),
        ("postgres://db/danmaku?user=ann&password=se@cret", "postgres://…"),
        ("postgres://ann:se?cret@db/danmaku", "postgres://…"),
        ("postgres://db/danmaku", "postgres://db/danmaku"),
        ("sqlite://data/moderation.db?mode=ro", "sqlite://data/moderation.db?…"),
    ] {
        assert_eq!(without_password(url), told);
    }
}
