//! What a relay passes on is the person's: his name on record, his pace, his end.

use chassis::tokens::{Claims, HEADER_ADDRESS, HEADER_CLAIMS, Role};
use ingest::Config;
use proto::{ban::AddressHash, v1};

use crate::rig::{Answer, Rig, open_config, unix_secs};

fn person(user: &str) -> Claims {
    Claims {
        exp: unix_secs() + 60,
        level: 7,
        device: Some("d1".into()),
        ..Claims::new(user, [Role::Viewer, Role::Sender].into_iter().collect())
    }
}

/// A relay's request on behalf of `claims`.
async fn pass_on(rig: &Rig, act: &str, claims: &Claims, address: &str, body: &str) -> Answer {
    let headers = format!(
        "authorization: Bearer {}\r\ncontent-type: application/json\r\n{HEADER_CLAIMS}: {}\r\n{HEADER_ADDRESS}: {address}\r\n",
        rig.token("fanout:n1", &[Role::Relay]),
        claims.to_header(),
    );
    rig.post_with(act, &headers, body.as_bytes()).await
}

const SAY: &str = "/v1/rooms/demo/danmaku";

#[tokio::test]
async fn a_record_names_the_person_and_not_the_node() {
    let rig = Rig::start(open_config()).await;
    let answer = pass_on(&rig, SAY, &person("u1"), "192.0.2.7", r#"{"text":"hi","client_id":"c1"}"#).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let written = rig.written().await;
    let input = &written[0].input;
    assert_eq!((input.user_id(), input.role(), &*input.device), ("u1", v1::Role::Sender, "d1"));
    assert_eq!((input.user.as_ref().unwrap().level, written[0].id()), (7, answer.id().to_owned()));
    assert_eq!(input.address, AddressHash::of([192, 0, 2, 7].into()).to_string());
}

#[tokio::test]
async fn limits_see_the_person_and_where_he_is() {
    let config =
        Config { door_user_rate: 1, door_user_burst: 1, door_address_rate: 1, door_address_burst: 2, ..open_config() };
    let rig = Rig::start(config).await;
    let mut refused = 0;
    for turn in 0..20 {
        // Twenty people through one node, each from where he is.
        let (user, address) = (format!("u{turn}"), format!("192.0.2.{turn}"));
        assert_eq!(pass_on(&rig, SAY, &person(&user), &address, r#"{"text":"hi"}"#).await.status, 202);
        // Twenty people who share an address.
        let answer = pass_on(&rig, SAY, &person(&format!("v{turn}")), "198.51.100.1", r#"{"text":"hi"}"#).await;
        refused += usize::from(answer.is() == (429, "rate_limited"));
    }
    assert!(refused > 0, "the shared address is limited");
    let mut statuses = Vec::new();
    for turn in 0..20 {
        let address = format!("203.0.113.{turn}");
        statuses.push(pass_on(&rig, SAY, &person("w"), &address, r#"{"text":"hi"}"#).await.status);
    }
    assert!(statuses[0] == 202 && statuses.contains(&429), "one person is limited: {statuses:?}");
}

#[tokio::test]
async fn a_person_whose_time_is_over_and_acts_that_are_not_a_relays() {
    let rig = Rig::start(open_config()).await;
    let body = r#"{"text":"hi","client_id":"c1","kind":"system"}"#;
    let over = Claims { exp: unix_secs(), ..person("u1") };
    assert_eq!(pass_on(&rig, SAY, &over, "192.0.2.7", body).await.is(), (401, "unauthorized"));
    let elsewhere = Claims { rooms: Some(vec!["other".into()]), ..person("u1") };
    assert_eq!(pass_on(&rig, SAY, &elsewhere, "192.0.2.7", body).await.is(), (403, "forbidden"));
    let service = Claims { roles: [Role::Service].into_iter().collect(), ..person("platform") };
    for act in ["/v1/rooms/demo/events", "/v1/announcements"] {
        assert_eq!(pass_on(&rig, act, &service, "192.0.2.7", body).await.is(), (403, "forbidden"), "{act}");
    }
    assert_eq!(pass_on(&rig, SAY, &person("u1"), "nowhere", body).await.is(), (400, "malformed"));
    assert_eq!(rig.written().await.len(), 0);
}
