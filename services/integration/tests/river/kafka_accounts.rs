//! A Kafka that wants to know who asks, and lets each service do what the manifests of Kubernetes allow it and no more: a wrong
//! password is refused at the start, a right one is enough, and the doctor finds by trying what is missing.

use std::collections::BTreeMap;

use chassis::tokens::Role;
use integration::{Kafka, World, kafka::Plan, moderator::in_force, until, world::PARTITIONS};
use proto::Topic;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::{LATER, SOON, together, world_alone};

/// Who may do what, as Strimzi is told.
const USERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../k8s/components/strimzi-users/users.yaml");

/// One listener stays as it is, for whoever runs the test; the other one wants a name and a password.
fn plan() -> Plan {
    let users =
        ["ingest", "filter", "fanout", "moderation", "topics", "spare"].map(|user| format!("user_{user}=\"right\""));
    let settings = [
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,DIRECT:PLAINTEXT,PROXIED:SASL_PLAINTEXT".to_owned(),
        "listener.name.proxied.sasl.enabled.mechanisms=PLAIN".to_owned(),
        format!(
            "listener.name.proxied.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required {};",
            users.join(" ")
        ),
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer".to_owned(),
        "super.users=User:ANONYMOUS".to_owned(),
    ];
    Plan { settings: settings.into(), ..Plan::default() }
}

/// Allows these services what the manifests do, on this river's topics.
async fn allow(world: &World, services: &[&str]) {
    let mut allowed = BTreeMap::<(String, String, Vec<String>), Vec<String>>::new();
    for (service, acl) in acls().into_iter().filter(|(service, _)| services.contains(&&**service)) {
        let (kind, name) = (text(&acl["resource"], "type"), text(&acl["resource"], "name"));
        // The one name that no prefix stands before.
        let name = if name == "danmaku-reader" { name } else { world.prefix.clone() + &name };
        let operations = acl["operations"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| one.as_str().expect("an operation").to_owned());
        allowed.entry((service, kind, operations.collect())).or_default().push(name);
    }
    let tools = allowed.into_iter().map(|((service, kind, operations), names)| {
        let flag = if kind == "transactionalId" { "--transactional-id".to_owned() } else { format!("--{kind}") };
        let begun =
            format!("AclCommand --bootstrap-server {} --add --allow-principal User:{service}", world.kafka.direct());
        let mut words: Vec<_> = begun.split(' ').map(str::to_owned).collect();
        words.extend(operations.into_iter().flat_map(|operation| ["--operation".to_owned(), operation]));
        words.extend(names.into_iter().flat_map(|name| [flag.clone(), name]));
        tokio::task::spawn_blocking(move || Kafka::tool(&words))
    });
    for told in together(2, tools).await {
        told.expect("a thread").expect("Kafka takes the rules");
    }
}

/// Each of the manifests' rules, with whom it is for.
fn acls() -> Vec<(String, Value)> {
    let file = std::fs::read_to_string(USERS).expect("the manifest of accounts");
    let users = serde_norway::Deserializer::from_str(&file).map(|user| Value::deserialize(user).expect("YAML"));
    let of = |user: Value| {
        let service = text(&user["metadata"], "name").trim_start_matches("danmaku-").to_owned();
        let acls = user["spec"]["authorization"]["acls"].as_array().cloned().unwrap_or_default();
        acls.into_iter().map(move |acl| (service.clone(), acl))
    };
    users.flat_map(of).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_gets_in_with_its_account_and_no_other() {
    let mut world = world_alone("kafka_accounts", plan()).await;
    let plain = world.fanout(&[]).await;
    world.brokers = world.kafka.linked();

    let flags = account(&world, "fanout", "wrong");
    let ended = world.refused("fanout", &flags.each_ref().map(String::as_str)).await;
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let told = ended.err.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    assert!(told.contains("--kafka-user") && told.contains("does not let this program in"), "{}", ended.err);

    allow(&world, &["fanout"]).await;
    let flags = account(&world, "fanout", "right");
    let hall = world.fanout(&flags.each_ref().map(String::as_str)).await;
    assert!(hall.readiness().await.0, "the least that fanout needs is enough");

    // The plain node only says which topics there are: it is asked with an account through the other listener.
    let admin = plain.admin.to_string();
    let asked = async |user| {
        let account = account(&world, user, "right");
        let mut words = vec!["doctor", "--json", "--nodes", &admin, "--brokers", &world.brokers, "--as", "fanout"];
        words.extend(account.iter().map(String::as_str));
        world.command(&words).await
    };
    // Kafka's rules reach a broker some milliseconds after they are taken.
    let rows = until("fanout may what it must", SOON, async || {
        let rows = access(&asked("fanout").await.json());
        rows.iter().all(|(_, state, _)| state == "ok").then_some(rows)
    });
    assert_eq!(rows.await.len(), 8, "six topics, the filters' group and the readers'");

    let ended = asked("spare").await;
    assert_eq!(ended.code, Some(1));
    let lacking: Vec<_> = access(&ended.json()).into_iter().filter(|(_, state, _)| state == "bad").collect();
    let named = [Topic::Output, Topic::State, Topic::Rules].map(|topic| topic.name(&world.prefix));
    for (row, topic) in lacking.iter().zip(&named) {
        assert!(row.0 == *topic && row.2.contains(&format!("fanout needs Read on {topic}")), "{row:?}");
    }
    assert_eq!(lacking.len(), 4, "{}", ended.out);
    assert!(lacking[3].2.contains("fanout needs Describe on group danmaku-reader"), "{:?}", lacking[3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_accounts_of_the_manifests_are_enough() {
    let mut world = world_alone("kafka_accounts_enough", plan()).await;
    world.by_the_book = true;
    world.brokers = world.kafka.linked();
    let services = ["ingest", "filter", "fanout", "moderation", "topics"];
    let [ingest, filter, fanout, moderation, topics] = services.map(|user| account(&world, user, "right"));
    allow(&world, &services).await;

    let partitions = PARTITIONS.to_string();
    let mut words = vec!["topics", "verify", "--brokers", &world.brokers, "--partitions", &partitions];
    words.extend(["--topic-prefix", &world.prefix]);
    words.extend(topics.iter().map(String::as_str));
    until("the topics may be looked at", SOON, async || (world.command(&words).await.code == Some(0)).then_some(()))
        .await;

    let desk = world.moderation(&moderation.each_ref().map(String::as_str)).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let version = ann.block("house", "quomble").await;
    let filter = filter.each_ref().map(String::as_str);
    let door = world.ingest(&ingest.each_ref().map(String::as_str)).await;
    let first = world.filter(&filter).await;
    let hall = world.fanout(&fanout.each_ref().map(String::as_str)).await;
    in_force(&[&first], version).await;

    // Who judges next reads it back.
    let eve = world.viewer_named(&hall, "accounts", "eve").await;
    ann.put("rooms/accounts/mode", &json!({ "mode": { "emote_only": true } })).await;
    eve.until("the mode", SOON, |seen| seen.modes.last().is_some_and(|mode| mode.emote_only)).await;
    until("the mode is kept", SOON, async || (!world.raw(Topic::State).await.is_empty()).then_some(())).await;
    drop(first);
    let _second = world.filter(&filter).await;
    let shown = world.sender(&door, "eve").say("accounts", "🎉").await.accepted();
    eve.until("what is said now", LATER, |seen| seen.ids().contains(&shown)).await;
}

/// The flags of who comes as `user`, with this password.
fn account(world: &World, user: &str, password: &str) -> [String; 6] {
    let file = world.folder().join(password);
    std::fs::write(&file, password).expect("a file for a password");
    ["--kafka-mechanism", "plain", "--kafka-user", user, "--kafka-password-file", &file.display().to_string()]
        .map(str::to_owned)
}

/// Where, how, and what is to be done, of each row on access.
fn access(told: &Value) -> Vec<(String, String, String)> {
    let rows = told["findings"].as_array().cloned().unwrap_or_default();
    let rows = rows.into_iter().filter(|row| row["check"] == "access");
    rows.map(|row| (text(&row, "of"), text(&row, "state"), text(&row, "do"))).collect()
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}
