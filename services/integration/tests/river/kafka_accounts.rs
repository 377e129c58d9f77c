//! A Kafka that wants to know who asks, and lets each service do what it must and no more: a wrong password is refused at the
//! start, a right one is enough, and the doctor finds by trying what is missing.

use integration::{Kafka, World, kafka::Plan, until};
use proto::Topic;

use crate::{SOON, world_alone};

/// One listener stays as it is, for whoever runs the test; the other one wants a name and a password.
fn plan() -> Plan {
    let users = r#"user_fanout="right" user_spare="right""#;
    let settings = [
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,DIRECT:PLAINTEXT,PROXIED:SASL_PLAINTEXT".to_owned(),
        "listener.name.proxied.sasl.enabled.mechanisms=PLAIN".to_owned(),
        format!(
            "listener.name.proxied.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required {users};"
        ),
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer".to_owned(),
        "super.users=User:ANONYMOUS".to_owned(),
    ];
    Plan { settings: settings.into(), ..Plan::default() }
}

/// Allows fanout the least that it needs.
async fn allow(world: &World) {
    let topics = [Topic::Output, Topic::State, Topic::Rules].map(|topic| topic.name(&world.prefix));
    let mut words =
        vec!["AclCommand", "--bootstrap-server", world.kafka.direct(), "--add", "--allow-principal", "User:fanout"];
    words.extend(["--operation", "Read", "--operation", "Describe", "--operation", "DescribeConfigs"]);
    topics.iter().for_each(|topic| words.extend(["--topic", topic]));
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let told = tokio::task::spawn_blocking(move || Kafka::tool(&words)).await;
    told.expect("a thread").expect("Kafka takes the rules");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_gets_in_with_its_account_and_no_other() {
    let mut world = world_alone("kafka_accounts", plan()).await;
    let plain = world.fanout(&[]).await;
    world.brokers = world.kafka.linked();
    let (right, wrong) = (world.folder().join("right"), world.folder().join("wrong"));
    std::fs::write(&right, "right\n").unwrap();
    std::fs::write(&wrong, "wrong\n").unwrap();
    let (right, wrong) = (right.display().to_string(), wrong.display().to_string());
    let account = |user: &'static str, file: &str| {
        ["--kafka-mechanism", "plain", "--kafka-user", user, "--kafka-password-file", file].map(str::to_owned)
    };

    let flags = account("fanout", &wrong);
    let ended = world.refused("fanout", &flags.each_ref().map(String::as_str)).await;
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let told = ended.err.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    assert!(told.contains("--kafka-user") && told.contains("does not let this program in"), "{}", ended.err);

    allow(&world).await;
    let flags = account("fanout", &right);
    let hall = world.fanout(&flags.each_ref().map(String::as_str)).await;
    assert!(hall.readiness().await.0, "the least that fanout needs is enough");

    // The plain node only says which topics there are: it is asked with an account through the other listener.
    let admin = plain.admin.to_string();
    let asked = async |user: &'static str| {
        let account = account(user, &right);
        let mut words = vec!["doctor", "--json", "--nodes", &admin, "--brokers", &world.brokers, "--as", "fanout"];
        words.extend(account.iter().map(String::as_str));
        world.command(&words).await
    };
    // Kafka's rules reach a broker some milliseconds after they are taken.
    let rows = until("fanout may what it must", SOON, async || {
        let rows = access(&asked("fanout").await.json());
        rows.iter().all(|(_, state, _)| state == "ok").then_some(rows)
    });
    assert_eq!(rows.await.len(), 7, "six topics and the group");

    let ended = asked("spare").await;
    assert_eq!(ended.code, Some(1));
    let lacking: Vec<_> = access(&ended.json()).into_iter().filter(|(_, state, _)| state == "bad").collect();
    let named = [Topic::Output, Topic::State, Topic::Rules].map(|topic| topic.name(&world.prefix));
    for (row, topic) in lacking.iter().zip(&named) {
        assert!(row.0 == *topic && row.2.contains(&format!("fanout needs Read on {topic}")), "{row:?}");
    }
    assert_eq!(lacking.len(), 3, "{}", ended.out);
}

/// Where, how, and what is to be done, of each row on access.
fn access(told: &serde_json::Value) -> Vec<(String, String, String)> {
    let rows = told["findings"].as_array().cloned().unwrap_or_default();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let rows = rows.into_iter().filter(|row| row["check"] == "access");
    rows.map(|row| (text(&row, "of"), text(&row, "state"), text(&row, "do"))).collect()
}
