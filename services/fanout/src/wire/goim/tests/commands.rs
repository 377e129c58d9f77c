//! Tables for what clients are told, place by place.

use proto::v1::{Gap, Hello, Kind, Message, Mode, Pong, Position, Recall, Size, Told, User, Word};
use serde_json::{Value, json};

use super::{super::*, bodies};

fn said(bytes: &[u8]) -> Value {
    let [body] = &bodies(bytes)[..] else { panic!("one message") };
    serde_json::from_slice(body).unwrap()
}

fn command_of(message: &Message) -> Value {
    serde_json::from_slice(&command::message(message)).unwrap()
}

fn user() -> User {
    User { id: "1234".into(), name: "小明".into(), level: 3, badges: vec!["moderator".into()] }
}

pub(super) fn sample() -> Message {
    Message {
        id: "1-3-1042".into(),
        at: 1_700_000_000_123,
        user: Some(user()),
        text: "666 \"好\" 🎉".into(),
        color: Some(0xff8800),
        position: Position::Top as i32,
        size: Size::Large as i32,
        ..Message::default()
    }
}

/// Every place that one of nine client libraries reads without asking.
#[test]
fn a_danmaku_has_every_place_that_clients_read() {
    let command = command_of(&sample());
    assert_eq!(command["cmd"], "DANMU_MSG");
    let info = command["info"].as_array().unwrap();
    let look = info[0].as_array().unwrap();
    assert!(info.len() >= 17 && look.len() >= 16, "{} {}", info.len(), look.len());
    assert_eq!(
        (&look[1], &look[2], &look[3], &look[4]),
        (&json!(5), &json!(36), &json!(0xff8800), &json!(1_700_000_000_123_i64))
    );
    assert!(look[5].as_u64().is_some_and(|number| number < 1 << 53));
    // `printf 1234 | crc32`
    assert_eq!((&look[7], &look[9], &look[10], &look[12]), (&json!("9be3e0a3"), &json!(0), &json!(0), &json!(0)));
    assert_eq!((&look[13], &look[14]), (&json!("{}"), &json!("{}")));
    let extra: Value = serde_json::from_str(look[15]["extra"].as_str().unwrap()).unwrap();
    assert_eq!((&extra["content"], &extra["id_str"]), (&json!("666 \"好\" 🎉"), &json!("1-3-1042")));
    assert_eq!(look[15]["user"]["base"]["name"], "小明");
    assert!(look[15]["user"]["base"]["face"].as_str().is_some_and(|face| !face.is_empty()));
    assert_eq!(info[1], "666 \"好\" 🎉");
    assert_eq!(info[2], json!([1234, "小明", 1, 0, 0, 10_000, 1, ""]));
    assert_eq!(info[3], json!([]));
    assert_eq!((&info[4][0], &info[4][3], info[4].as_array().unwrap().len()), (&json!(3), &json!(">50000"), 5));
    assert_eq!((info[5].as_array().unwrap().len(), &info[7], &info[9]["ts"]), (2, &json!(0), &json!(1_700_000_000)));
    assert_eq!(info[16], json!([0]));
}

#[test]
fn an_edited_danmaku_says_so_where_it_bothers_nobody() {
    let extra = |message: &Message| -> Value {
        let command = command_of(message);
        serde_json::from_str(command["info"][0][15]["extra"].as_str().unwrap()).unwrap()
    };
    assert_eq!(extra(&sample())["edited"], Value::Null);
    assert_eq!(extra(&Message { edited: true, ..sample() })["edited"], true);
}

#[test]
fn a_danmaku_without_anything_has_defaults() {
    let command = command_of(&Message::default());
    assert_eq!(command["info"][0][1], 1);
    assert_eq!(command["info"][0][2], 25);
    assert_eq!(command["info"][0][3], 0xff_ffff);
    let nameless =
        command_of(&Message { user: Some(User { id: "u7".into(), ..User::default() }), ..Message::default() });
    assert_eq!(nameless["info"][2][1], "u7");
    assert_eq!(nameless["info"][2][0], 0x10_0000_0000_0000_u64 | 0xe_8180_000f_a67e);
}

#[test]
fn gifts_and_super_chats() {
    let gift = Message {
        kind: Kind::Gift as i32,
        data: r#"{"count":3,"gift":"rose","name":"玫瑰","value":30}"#.into(),
        ..sample()
    };
    let said = command_of(&gift);
    assert_eq!(said["cmd"], "SEND_GIFT");
    let data = &said["data"];
    assert_eq!(
        (&data["giftName"], &data["num"], &data["total_coin"], &data["price"]),
        (&json!("玫瑰"), &json!(3), &json!(30), &json!(10))
    );
    for name in
        ["uname", "face", "uid", "timestamp", "giftId", "giftType", "action", "rnd", "coin_type", "tid", "guard_level"]
    {
        assert!(!data[name].is_null(), "{name}");
    }
    assert!(data["gift_info"]["img_basic"].is_string());
    for (amount, currency, price) in [(3000, "CNY", json!(30)), (150, "USD", json!(1.5)), (500, "JPY", json!(500))] {
        let data = json!({ "amount_minor": amount, "currency": currency, "show_ms": 60_000 }).to_string();
        let said = command_of(&Message { kind: Kind::Super as i32, data, ..sample() });
        assert_eq!((&said["cmd"], &said["data"]["price"]), (&json!("SUPER_CHAT_MESSAGE"), &price));
        let data = &said["data"];
        assert_eq!(
            (&data["start_time"], &data["end_time"], &data["time"]),
            (&json!(1_700_000_000), &json!(1_700_000_060), &json!(60))
        );
        for name in [
            "id",
            "uid",
            "message",
            "message_trans",
            "background_bottom_color",
            "background_color",
            "background_icon",
            "background_image",
            "background_price_color",
        ] {
            assert!(!data[name].is_null(), "{name}");
        }
        for name in ["uname", "face", "guard_level", "user_level"] {
            assert!(!data["user_info"][name].is_null(), "{name}");
        }
        assert!(data["gift"]["gift_id"].is_number() && data["gift"]["gift_name"].is_string());
    }
}

#[test]
fn hostile_data_of_a_platform_makes_no_panic_and_no_command_name() {
    for data in [
        "",
        "no JSON",
        "[]",
        "7",
        r#"{"count":-1,"value":1e300}"#,
        r#"{"count":0,"value":18446744073709551615}"#,
        r#"{"amount_minor":18446744073709551615,"show_ms":18446744073709551615}"#,
    ] {
        for kind in [Kind::Gift, Kind::Super, Kind::System, Kind::Event] {
            let message =
                Message { kind: kind as i32, data: data.into(), event: "DANMU_MSG".into(), at: i64::MAX, ..sample() };
            let cmd = command_of(&message)["cmd"].as_str().unwrap().to_owned();
            assert!(
                !cmd.contains("DANMU_MSG") && cmd.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'),
                "{cmd}"
            );
        }
    }
}

#[test]
fn what_is_said_to_one_viewer() {
    let say = |said: &FromServer| say(Version::Brotli, said);
    assert_eq!(say(&FromServer::Hello(Hello::default())), auth_reply(true));
    assert_eq!(say(&FromServer::Pong(Pong { online: 9, ..Pong::default() })), heartbeat_reply(9));
    assert!(say(&FromServer::Gap(Gap::default())).is_empty());
    let recalled = said(&say(&FromServer::Recall(Recall { ids: vec!["1-3-1042".into()], ..Recall::default() })));
    assert!(!recalled["cmd"].as_str().unwrap().contains("DANMU_MSG"));
    assert_eq!(recalled["data"]["ids"], json!(["1-3-1042"]));
}

#[test]
fn silences() {
    for (mode, cmd, kind, level) in [
        (Mode::default(), "ROOM_SILENT_OFF", "", 0),
        (Mode { slow_ms: 3000, emote_only: true, ..Mode::default() }, "ROOM_SILENT_OFF", "", 0),
        (Mode { emergency: true, level_min: 3, ..Mode::default() }, "ROOM_SILENT_ON", "member", 1),
        (Mode { level_min: 3, ..Mode::default() }, "ROOM_SILENT_ON", "level", 3),
        (Mode { followers_min_s: 60, ..Mode::default() }, "ROOM_SILENT_ON", "medal", 1),
    ] {
        let said: Value = serde_json::from_slice(&command::mode(&mode)).unwrap();
        assert_eq!(
            (&said["cmd"], &said["data"]["type"], &said["data"]["level"]),
            (&json!(cmd), &json!(kind), &json!(level))
        );
    }
}

#[test]
fn only_a_mute_is_told_to_its_sender() {
    let told = |verdict: i32| command::told(&Told { verdict, ..Told::default() }, "1234");
    let said: Value = serde_json::from_slice(&told(Word::Muted as i32).unwrap()).unwrap();
    assert_eq!(
        (&said["cmd"], &said["data"]["uid"], &said["uid"]),
        (&json!("ROOM_BLOCK_MSG"), &json!(1234), &json!("1234"))
    );
    assert_eq!((told(Word::Limited as i32), told(99)), (None, None));
}
