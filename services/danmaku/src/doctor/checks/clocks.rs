//! Clocks: of each process and of Kafka against this machine's.

use super::Row;
use crate::doctor::facts::{Facts, Kafka, Said};

/// Tokens are good to the second, and nothing else compares clocks of two machines.
const AHEAD_MS_MAX: i64 = 1_000;

const REMEDY: &str = "let the machine follow a time server (chrony, systemd-timesyncd): tokens end and begin early or late \
                      there, and `at` is wrong on what is said there";

pub(super) fn check(facts: &Facts) -> Vec<Row> {
    let said = facts.nodes.iter().filter_map(|node| Some((&node.address, node.said.as_ref().ok()?)));
    said.map(|(address, said)| node(address, said)).chain(facts.kafka.as_ref().map(broker)).collect()
}

fn node(address: &str, said: &Said) -> Row {
    let row = Row::ok("clock", address, format!("{} (±{} ms)", ahead(said.ahead_ms), said.give_or_take_ms));
    if said.ahead_ms.abs() - said.give_or_take_ms > AHEAD_MS_MAX { row.bad(REMEDY) } else { row }
}

/// A broker tells its time only by what it appended: one that is behind looks like one to whom nothing was said.
fn broker(kafka: &Kafka) -> Row {
    let newest = kafka.topics.iter().filter_map(|topic| topic.ends.newest_ms).max();
    let Some(newest) = newest else {
        let row = Row::ok("clock", "kafka", "no record says what time it is there");
        return row.unknown("say something (`danmaku canary --once`), and look again");
    };
    let behind_ms = kafka.read_ms - newest;
    let seconds = behind_ms / 1_000;
    match behind_ms {
        ..0 if -behind_ms > AHEAD_MS_MAX => {
            Row::ok("clock", "kafka", format!("{} s ahead of here", -seconds)).bad(REMEDY)
        }
        60_000.. => Row::ok("clock", "kafka", format!("its last record is {seconds} s old"))
            .unknown("say something (`danmaku canary --once`), and look again: a clock that is behind looks the same"),
        _ => Row::ok("clock", "kafka", format!("its last record is {seconds} s old")),
    }
}

fn ahead(ms: i64) -> String {
    match ms {
        0.. => format!("{ms} ms ahead of here"),
        _ => format!("{} ms behind here", -ms),
    }
}
