//! What cannot work is refused at the start, by the program itself, in a sentence that names the setting and the remedy.

use integration::Redis;

use crate::world;

/// The service, its flags, the exit code, and what the sentence must have.
type Refused<'a> = (&'a str, Vec<&'a str>, i32, [&'a str; 2]);

/// `EX_USAGE`: starting again unchanged cannot help.
const USAGE: i32 = 64;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_that_cannot_work_together_are_named_with_the_remedy() {
    let world = world("refused_at_start").await;
    let plain = world.folder().join("plain");
    std::fs::write(&plain, "a file").unwrap();
    let beneath = format!("sqlite://{}/moderation.db", plain.join("folder").display());
    let plain_path = plain.display().to_string();
    let no_file = world.folder().join("nothing").display().to_string();
    let table: Vec<Refused<'_>> = vec![
        ("ingest", vec!["--drain", "30s", "--grace", "20s"], USAGE, ["--drain (DANMAKU_DRAIN)", "shorten --drain"]),
        ("filter", vec!["--judge-threads", "9"], USAGE, ["--judge-threads (DANMAKU_JUDGE_THREADS)", "at most 8"]),
        ("fanout", vec!["--history", "2h"], USAGE, ["--history (DANMAKU_HISTORY)", "--output-retention"]),
        ("fanout", vec!["--ping", "75s"], USAGE, ["--ping (DANMAKU_PING)", "shorten --ping"]),
        ("fanout", vec!["--window", "900ms"], USAGE, ["--window (DANMAKU_WINDOW)", "shorten one"]),
        ("ingest", vec!["--kafka-user", "me"], USAGE, ["--kafka-user (DANMAKU_KAFKA_USER)", "give both"]),
        ("ingest", vec!["--keys", &no_file], 1, ["--keys (DANMAKU_KEYS)", "cannot be used"]),
        ("moderation", vec!["--database", &beneath], 1, ["--database (DANMAKU_DATABASE)", "that can be written"]),
        ("fanout", vec!["--redis-file", &no_file], USAGE, ["--redis-file (DANMAKU_REDIS_FILE)", "cannot be read"]),
        (
            "moderation",
            vec!["--database-file", &plain_path],
            USAGE,
            ["--database-file (DANMAKU_DATABASE_FILE)", "sqlite://"],
        ),
        (
            "fanout",
            vec!["--kafka-user", "me", "--kafka-mechanism", "plain", "--kafka-password-file", &no_file],
            1,
            ["--kafka-password-file (DANMAKU_KAFKA_PASSWORD_FILE)", "name a file that can"],
        ),
    ];
    for (service, flags, code, words) in table {
        let ended = world.refused(service, &flags).await;
        assert_eq!(ended.code, Some(code), "{service} {flags:?}: {}", ended.err);
        assert!(ended.out.is_empty(), "{service} {flags:?} said that it is ready");
        let told = ended.err.lines().find(|line| line.contains(words[0])).unwrap_or_else(|| panic!("{}", ended.err));
        assert!(told.contains(words[1]), "{service} {flags:?}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_secret_is_asked_for() {
    let world = world("secret_missing").await;
    for service in ["ingest", "moderation"] {
        // Not through the world's recipe, which gives keys.
        let line = [service, "--brokers", &world.brokers, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"];
        let ended = world.run(&line).await;
        let told = ended.err;
        assert_eq!(ended.code, Some(USAGE), "{service}: {told}");
        assert!(told.contains("--keys (DANMAKU_KEYS)") && told.contains("give --keys <FILE>"), "{service}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_wants_a_password_is_no_redis_that_is_away() {
    let Some(redis) = Redis::start().await else { return };
    let set: String = redis.ask(&["CONFIG", "SET", "requirepass", "hush"]).await;
    assert_eq!(set, "OK");
    let world = world("redis_locked").await;
    let without = redis.url();
    let with = |password: &str| without.replace("redis://", &format!("redis://:{password}@"));
    for url in [without.clone(), with("other")] {
        let ended = world.refused("fanout", &["--redis", &url]).await;
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        let told = ended.err.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
        assert!(told.contains("--redis (DANMAKU_REDIS)") && told.contains("password@"), "{}", ended.err);
        assert!(!ended.err.contains("other@"), "the password is not told: {}", ended.err);
    }
    // In a file, it goes before what others can see.
    let file = world.folder().join("redis");
    std::fs::write(&file, format!("{}\n", with("hush"))).unwrap();
    let hall = world.fanout(&["--redis", &without, "--redis-file", &file.display().to_string()]).await;
    assert!(hall.readiness().await.0);
}
