//! `danmaku doctor`: looks at a deployment from outside, compares its parts, and says what to do. It changes nothing.
//!
//! # Layout, in reading order
//! `facts` is what there is to know, `node`, `kafka` and `redis` ask for it; `checks` judges it, pure, a file for each kind;
//! `told` is how the findings look. Whether danmaku really arrive is kept out (`canary`).

mod facts;
mod node;
mod kafka;
mod checks;
mod told;

use std::{process::ExitCode, time::Duration};

use chassis::{
    kafka::Access,
    redis,
    settings::{KafkaAccess, RedisPlace, list_of_brokers, parse_duration},
};

use facts::{Facts, Service};

/// Looks at a deployment and says what is wrong and what to do: exit code 0 if nothing is, 1 if something is, 2 if it cannot
/// be asked so.
///
/// Without flags it looks at the one-process program of this machine. A deployment is named by the admin ports of all its
/// processes; where their Kafka is they say themselves. Nothing is changed: writing is tried with a record that is too large.
///
/// Examples:
///   danmaku doctor
///   danmaku doctor --nodes ingest:9091,filter:9092,fanout-0:9093,fanout-1:9093,moderation:9094 --gateway-idle 1h
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku doctor", verbatim_doc_comment)]
pub struct Doctor {
    /// The admin ports of all processes, a comma list; a name that leads to several addresses is asked at each of them.
    #[arg(long, value_name = "HOST:PORT,...", value_delimiter = ',', default_value = "127.0.0.1:9090", value_parser = node::port)]
    nodes: Vec<String>,

    /// Kafka's brokers, where it is reached from here in another way than from the services.
    #[arg(long, value_name = "HOST:PORT,...", value_parser = list_of_brokers)]
    brokers: Option<String>,

    /// As whom Kafka is asked.
    #[command(flatten)]
    kafka: KafkaAccess,

    /// Whose account in Kafka that is: what this service needs must be allowed, and all else had better not be.
    #[arg(long = "as", value_name = "SERVICE", value_enum)]
    account: Option<Service>,

    /// The Redis of the halls; they do not tell where it is, for the password in it.
    #[command(flatten)]
    redis: RedisPlace,

    /// How long the gateway in front keeps a connection on which nothing is said: nginx's proxy_read_timeout, Envoy's
    /// streamIdleTimeout.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    gateway_idle: Option<Duration>,

    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

/// Looks, and prints what was found.
pub async fn run(doctor: Doctor) -> ExitCode {
    let problems = doctor.kafka.problems();
    let access = match Access::of(&doctor.kafka) {
        Ok(access) if problems.is_empty() => access,
        Ok(_) => return usage(&problems.join("\n  ")),
        Err(why) => return usage(&why),
    };
    let rows = checks::all(&gathered(&doctor, access).await);
    told::print(&rows, doctor.json);
    ExitCode::from(u8::from(checks::is_ill(&rows)))
}

fn usage(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::from(2)
}

async fn gathered(doctor: &Doctor, access: Access) -> Facts {
    let redis = async {
        match doctor.redis.address() {
            Some(address) => Some((address.to_string(), redis::look(address).await)),
            None => None,
        }
    };
    let (nodes, redis) = tokio::join!(node::ask_all(&doctor.nodes), redis);
    let kafka = kafka::ask(&nodes, doctor.brokers.as_deref(), access).await;
    Facts { nodes, kafka, redis, account: doctor.account, gateway_idle: doctor.gateway_idle }
}
