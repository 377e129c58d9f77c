//! One word to every room: a record in each partition, all under one id that a retry has too.

use std::{collections::BTreeSet, time::Duration};

use chassis::tokens::{Claims, Role};
use ingest::Config;
use proto::v1::{self, input::Body};

use crate::rig::{PARTITIONS, Rig, open_config};

const PATH: &str = "/v1/announcements";
const BODY: &[u8] = br#"{"text":" soon \u202e","client_id":"maintenance-7","data":{"at":9}}"#;

#[tokio::test]
async fn it_stands_in_every_partition_under_one_id() {
    let rig = Rig::start(open_config()).await;
    let token = rig.token("platform", &[Role::Service]);
    for _ in 0..2 {
        let answer = rig.post(PATH, &token, BODY).await;
        assert_eq!((answer.status, answer.id()), (202, "a-maintenance-7"), "{answer:?}");
    }
    let written = rig.written().await;
    assert_eq!((written.len(), rig.accepted()), (2 * PARTITIONS as usize, 2.0 * f64::from(PARTITIONS)));
    let partitions: BTreeSet<i32> = written.iter().map(|record| record.partition).collect();
    assert_eq!(partitions, (0..PARTITIONS).collect());
    for record in written {
        let word = v1::Announcement { id: "a-maintenance-7".into(), text: "soon".into(), data: r#"{"at":9}"#.into() };
        assert_eq!(record.input.body, Some(Body::Announcement(word)));
        assert_eq!(
            (&*record.input.room, &*record.input.client_id, record.input.role()),
            ("", "maintenance-7", v1::Role::Service)
        );
        assert_eq!(record.input.user, None);
    }
}

#[tokio::test]
async fn who_may_not_and_what_is_none() {
    let rig = Rig::start(open_config()).await;
    let service = rig.token("platform", &[Role::Service]);
    let mut bound = Claims::new("platform", [Role::Service].into_iter().collect());
    bound.rooms = Some(vec!["demo".into()]);
    let long = format!(r#"{{"text":"{}","client_id":"c"}}"#, "x".repeat(101));
    let data = format!(r#"{{"text":"hi","client_id":"c","data":"{}"}}"#, "d".repeat(2047));
    for (token, body, expected) in [
        (rig.token("u1", &[Role::Sender, Role::Moderator]), BODY, (403, "forbidden")),
        (rig.token("n1", &[Role::Relay]), BODY, (403, "forbidden")),
        (rig.mint(&bound), BODY, (403, "forbidden")),
        (service.clone(), br#"{"text":"hi"}"#, (400, "malformed")),
        (service.clone(), br#"{"client_id":"c"}"#, (400, "malformed")),
        (service.clone(), br#"{"text":" ","client_id":"c"}"#, (422, "empty")),
        (service.clone(), long.as_bytes(), (413, "too_long")),
        (service, data.as_bytes(), (413, "too_long")),
    ] {
        let answer = rig.post(PATH, &token, body).await;
        assert_eq!(answer.is(), expected, "{}", String::from_utf8_lossy(body));
    }
    assert_eq!(rig.written().await.len(), 0);
}

#[tokio::test]
async fn without_every_acknowledgement_it_is_not_accepted() {
    let config = Config { produce_timeout: Duration::from_secs(1), ..open_config() };
    let mut rig = Rig::start(config).await;
    let token = rig.token("platform", &[Role::Service]);
    rig.lose_broker();
    assert_eq!(rig.post(PATH, &token, BODY).await.is(), (503, "unavailable"));
}
