//! Kafka: does it answer, are the topics as they should be, may each service do there what it must?

use chassis::kafka::{Mismatch, Tried};
use proto::Topic;

use super::Row;
use crate::doctor::facts::{Facts, Kafka, Service, TopicFacts};

/// What to do where Kafka gave no answer.
const AGAIN: &str = "mend what keeps it from being tried, and look again";

pub(super) fn check(facts: &Facts) -> Vec<Row> {
    let Some(kafka) = &facts.kafka else { return Vec::new() };
    let of = if kafka.is_embedded { format!("{} (embedded)", kafka.brokers) } else { kafka.brokers.clone() };
    match &kafka.answers {
        Err(why) => {
            let remedy = "see that Kafka is up; where it is reached from here in another way than from the services, give \
                          --brokers, and --kafka-user and the like for its account";
            vec![Row::ok("kafka", of, why).bad(remedy)]
        }
        Ok(()) => {
            let mut rows = vec![Row::ok("kafka", of, "answers")];
            rows.extend(topics(kafka, facts.account));
            // The embedded one knows no accounts.
            if !kafka.is_embedded {
                rows.extend(kafka.topics.iter().map(|topic| may(topic, facts.account)));
                rows.push(group(kafka, facts.account));
                rows.push(readers(kafka, facts.account));
            }
            rows
        }
    }
}

fn topics(kafka: &Kafka, account: Option<Service>) -> Vec<Row> {
    let of_interest = |facts: &&TopicFacts| account.is_none_or(|service| looks(service, facts.topic));
    let rows: Vec<Row> = kafka.topics.iter().filter(of_interest).flat_map(topic).collect();
    if rows.is_empty() {
        return vec![Row::ok("topics", "all", "there, with the partitions and settings that they need")];
    }
    rows
}

/// What is not as it should be with a topic.
fn topic(facts: &TopicFacts) -> Vec<Row> {
    let row = |mismatch: &Mismatch| {
        let told = mismatch.to_string();
        let (found, remedy) = told.split_once("; ").unwrap_or((&told, "run `danmaku topics verify`"));
        Row::ok("topics", mismatch.topic(), found).bad(remedy)
    };
    match &facts.mismatches {
        Ok(mismatches) => mismatches.iter().map(row).collect(),
        Err(why) => {
            let remedy = match facts.settings {
                Tried::Denied => format!("allow this account Describe and DescribeConfigs on {}", facts.name),
                Tried::Allowed | Tried::Unknown(_) => AGAIN.to_owned(),
            };
            vec![Row::ok("topics", &facts.name, why).unknown(remedy)]
        }
    }
}

/// What a service does with a topic: whether it reads it, and whether it writes it.
fn needs(service: Service, topic: Topic) -> (bool, bool) {
    use Service::{Fanout, Filter, Ingest, Moderation};
    let reads = match topic {
        Topic::Input => matches!(service, Filter | Moderation),
        Topic::Output => matches!(service, Filter | Fanout | Moderation),
        Topic::Verdicts => service == Moderation,
        Topic::State => matches!(service, Filter | Fanout),
        Topic::Rules => true,
        Topic::DeadLetter => false,
    };
    let writes = match topic {
        Topic::Input => matches!(service, Ingest | Moderation),
        Topic::Output | Topic::Verdicts | Topic::State | Topic::DeadLetter => service == Filter,
        Topic::Rules => service == Moderation,
    };
    (reads, writes)
}

/// Whether a service looks at a topic's settings: where it reads or writes, and moderation how long a person is kept.
fn looks(service: Service, topic: Topic) -> bool {
    needs(service, topic) != (false, false) || (service, topic) == (Service::Moderation, Topic::DeadLetter)
}

fn may(facts: &TopicFacts, account: Option<Service>) -> Row {
    let tried = [("read", &facts.ends.read), ("write", &facts.write), ("settings", &facts.settings)];
    let found = tried.map(|(act, tried)| format!("{act} {}", word(tried))).join(", ");
    let row = Row::ok("access", &facts.name, found);
    let Some(service) = account else {
        // Whose account this is nobody said, so nobody knows what it should be allowed.
        let row_unknown =
            "an operator's account may less than the services': give --as SERVICE and that service's account";
        return if tried.iter().all(|(_, tried)| **tried == Tried::Allowed) { row } else { row.unknown(row_unknown) };
    };
    let (reads, writes) = needs(service, facts.topic);
    let wanted = [(reads, &facts.ends.read, "Read"), (writes, &facts.write, "Write")];
    let (lacking, spare) = (acts(wanted, true), acts(wanted, false));
    let is_unknown = wanted.iter().any(|(needed, tried, _)| *needed && matches!(tried, Tried::Unknown(_)));
    let (name, topic) = (service.name(), &facts.name);
    match (lacking.as_str(), spare.as_str()) {
        ("", _) if looks(service, facts.topic) && facts.settings == Tried::Denied => row.watch(format!(
            "allow {name} DescribeConfigs on {topic}: without it the topic's settings are not looked at"
        )),
        ("", _) if is_unknown => row.unknown(AGAIN),
        ("", "") => row,
        ("", spare) => row.watch(format!("{name} needs no {spare} on {topic}: take it from its account")),
        (lacking, _) => row.bad(format!("{name} needs {lacking} on {topic}: allow it (ACL, or KafkaUser)")),
    }
}

/// The acts that are needed and denied, or allowed and not needed.
fn acts(acts: [(bool, &Tried, &str); 2], is_needed: bool) -> String {
    let wrong = if is_needed { Tried::Denied } else { Tried::Allowed };
    let found = acts.into_iter().filter(|(needed, tried, _)| *needed == is_needed && **tried == wrong);
    found.map(|(.., name)| name).collect::<Vec<_>>().join(" and ")
}

fn group(kafka: &Kafka, account: Option<Service>) -> Row {
    let (name, tried) = &kafka.group;
    let row = Row::ok("access", format!("group {name}"), format!("describe {}", word(tried)));
    match (account, tried) {
        (_, Tried::Allowed) if account == Some(Service::Fanout) => {
            row.watch(format!("fanout has no group: take Describe and Read on group {name} from its account"))
        }
        (_, Tried::Allowed) | (Some(Service::Fanout | Service::Moderation), Tried::Denied) => row,
        (Some(service @ Service::Filter), Tried::Denied) => {
            row.bad(format!("{} needs Read on group {name}: allow it", service.name()))
        }
        (Some(service @ Service::Ingest), Tried::Denied) => row
            .bad(format!("{} needs Describe on group {name}, or it never says judge_behind: allow it", service.name())),
        (Some(_), Tried::Unknown(_)) => row.unknown(AGAIN),
        (None, Tried::Denied | Tried::Unknown(_)) => row.unknown("give --as SERVICE and that service's account"),
    }
}

/// Every service reads topics.
fn readers(kafka: &Kafka, account: Option<Service>) -> Row {
    let (name, tried) = &kafka.readers;
    let row = Row::ok("access", format!("group {name}"), format!("describe {}", word(tried)));
    match (account, tried) {
        (_, Tried::Allowed) => row,
        (Some(service), Tried::Denied) => {
            row.bad(format!("{} needs Describe on group {name}, under which it reads: allow it", service.name()))
        }
        (Some(_), Tried::Unknown(_)) => row.unknown(AGAIN),
        (None, Tried::Denied | Tried::Unknown(_)) => row.unknown("give --as SERVICE and that service's account"),
    }
}

fn word(tried: &Tried) -> String {
    match tried {
        Tried::Allowed => "allowed".to_owned(),
        Tried::Denied => "denied".to_owned(),
        Tried::Unknown(why) => format!("not known ({why})"),
    }
}
