//! What was shown, as files and for players: rows in their order, nothing that was taken back, and who may read it.

use bytes::Bytes;
use chassis::tokens::Role;
use hyper::Method;
use moderation::Config;
use proto::v1::{Kind, Message, Position, Recall};
use serde_json::{Value, json};

use crate::{
    rig::{Answer, Folder, PREFIX, Rig, broker},
    river::River,
};

const XML: &str = "/v1/rooms/demo/export.xml";
const NDJSON: &str = "/v1/rooms/demo/export.ndjson";

/// The rows of an export as recorders write it.
fn rows(answer: &Answer) -> Vec<&str> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.text.starts_with("<?xml") && answer.text.ends_with("</i>\n"), "{}", answer.text);
    answer.text.lines().filter(|line| ["<d ", "<gift ", "<sc "].iter().any(|tag| line.starts_with(tag))).collect()
}

/// The lines of the other form: what it says of itself, and its rows.
fn lines(answer: &Answer) -> (Value, Vec<Value>) {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let mut lines: Vec<Value> = answer.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = lines.pop().unwrap();
    let head = lines.remove(0)["export"].clone();
    assert_eq!(end, json!({ "end": { "rows": lines.len() } }));
    (head, lines)
}

fn texts(answer: &Answer) -> Vec<String> {
    lines(answer).1.iter().map(|row| row["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_is_told_as_it_was_seen() {
    let rig = Rig::start().await;
    let (river, reader) = (River::of(&rig.ground.cluster), rig.as_("lo", Role::LogViewer));
    let empty = reader.get(NDJSON).await;
    assert_eq!(lines(&empty).1.len(), 0);
    river.show("demo", "ann", "a < b & \"c\"");
    river.show("other", "ann", "elsewhere");
    let look = |kind: Kind, data: &str| Message { kind: kind as i32, data: data.into(), ..Message::default() };
    river.show_as("demo", "bob", "", look(Kind::Gift, r#"{"gift":"r","name":"Rose","count":3,"value":9}"#));
    let data = r#"{"amount_minor":3050,"currency":"EUR","show_ms":60000}"#;
    river.show_as("demo", "eve", "for you", look(Kind::Super, data));
    river.show_as("demo", "platform", "", look(Kind::Event, "{}"));
    let top = Message { position: Position::Top as i32, color: Some(255), ..Message::default() };
    let last = river.show_as("demo", "cid", "last", top);

    let xml = reader.get(XML).await;
    let rows = rows(&xml);
    assert_eq!(rows.len(), 4, "{}", xml.text);
    let first = "user=\"ann&apos;s name\">a &lt; b &amp; &quot;c&quot;</d>";
    assert!(rows[0].starts_with("<d p=\"0.000,1,25,16777215,7,0,ann,3-") && rows[0].ends_with(first), "{}", rows[0]);
    assert!(rows[1].ends_with("uid=\"bob\" giftname=\"Rose\" giftcount=\"3\" price=\"3\"/>"), "{}", rows[1]);
    assert!(
        rows[2].ends_with("price=\"30\" time=\"60\" amount_minor=\"3050\" currency=\"EUR\">for you</sc>"),
        "{}",
        rows[2]
    );
    assert!(rows[3].contains(&format!(",5,25,255,7,0,cid,{last}\"")), "{}", rows[3]);
    assert_eq!(xml.header("content-type"), "application/xml; charset=utf-8");
    assert_eq!((xml.header("content-disposition"), xml.header("x-content-type-options")), ("attachment", "nosniff"));

    let ndjson = reader.get(NDJSON).await;
    let (head, rows) = lines(&ndjson);
    let kinds: Vec<_> = rows.iter().map(|row| row["kind"].as_str().unwrap_or("chat")).collect();
    assert_eq!(kinds, ["chat", "gift", "super", "event", "chat"]);
    assert!(rows.is_sorted_by_key(|row| row["shown"].as_i64()));
    let is_in = |row: &Value| row["shown"].as_i64() < head["until"].as_i64() && row["room"] == "demo" && row["at"] == 7;
    assert!(rows.iter().all(is_in), "{rows:?}");
    assert_eq!((&head["room"], &head["start"], &head["cut"]), (&json!("demo"), &rows[0]["shown"], &json!(false)));
    for (header, name) in [("danmaku-since", "since"), ("danmaku-start", "start"), ("danmaku-until", "until")] {
        assert_eq!(ndjson.header(header), head[name].to_string(), "{name}");
        assert!(xml.text.contains(&format!("{name}=\"{}\"", head[name])), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_back_is_in_no_file() {
    let rig = Rig::start().await;
    let (river, reader) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let gone = river.show("demo", "ann", "gone");
    river.show("demo", "ann", "stays");
    river.show("demo", "eve", "one");
    let second = river.show("demo", "eve", "two");
    assert_eq!(texts(&reader.get(NDJSON).await), ["gone", "stays", "one", "two"]);
    let (head, rows) = lines(&reader.get(NDJSON).await);
    river.take_back("demo", Recall { ids: vec![gone.to_string()], ..Recall::default() });
    let by_user = Recall { user: "eve".into(), through: second.to_string(), ..Recall::default() };
    river.take_back("demo", by_user);
    river.show("demo", "eve", "later");
    assert_eq!(texts(&reader.get(NDJSON).await), ["stays", "later"]);
    assert_eq!(reader.get(XML).await.text.matches("<d ").count(), 2);
    // Also of a part that ended before anything was taken back.
    let part = format!("{NDJSON}?from={}&to={}", rows[0]["shown"], head["until"]);
    let answer = reader.get(&part).await;
    assert!(texts(&answer).contains(&"stays".to_owned()) && !answer.text.contains("gone"), "{}", answer.text);
    let players: Value = rig.as_("vi", Role::Viewer).get("/v3/?id=demo").await.ok();
    let said: Vec<_> = players["data"].as_array().unwrap().iter().map(|row| row[4].as_str().unwrap()).collect();
    assert_eq!(said, ["stays", "later"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_it() {
    let rig = Rig::start().await;
    let (river, reader) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    for number in 0..5 {
        river.show("demo", "ann", &number.to_string());
        // Each in a millisecond of its own, on the clock that the embedded broker keeps.
        let began = std::time::SystemTime::now();
        while began.elapsed().is_ok_and(|elapsed| elapsed.as_millis() < 2) {
            std::thread::yield_now();
        }
    }
    let (_, rows) = lines(&reader.get(NDJSON).await);
    let at = |number: usize| rows[number]["shown"].as_i64().unwrap();
    let part = reader.get(&format!("{NDJSON}?from={}&to={}", at(1), at(3))).await;
    assert_eq!(texts(&part), ["1", "2"]);
    let (head, _) = lines(&part);
    let told = ["since", "start", "until"].map(|name| head[name].as_i64().unwrap());
    assert_eq!(told, [at(1), at(1), at(3)]);
    let rest = reader.get(&format!("{NDJSON}?from={}", head["until"])).await;
    assert_eq!(texts(&rest), ["3", "4"], "where the first part ends the next goes on");
    assert_eq!(texts(&reader.get(&format!("{NDJSON}?from={}", i64::MAX)).await).len(), 0);
    for (bad, expected) in [("?from=yesterday", (400, "malformed")), ("?form=1", (400, "malformed"))] {
        assert_eq!(reader.get(&format!("{NDJSON}{bad}")).await.is(), expected, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn web_players_get_the_newest_and_no_html() {
    let (folder, broker) = (Folder::new(), broker());
    let config = Config { database: folder.database(), anonymous_players: true, ..Config::default() };
    let rig = Rig::open(&broker.cluster(), PREFIX, config).await;
    let river = River::of(&broker.cluster());
    for text in ["old", "<img src=x onerror=\"alert(1)\">", "new"] {
        river.show("demo", "ann", text);
    }
    let nobody = rig.with_token(None);
    let page = format!("http://{}", rig.address);
    let origin = [("origin", page.as_str())];
    let answer = nobody.ask(Method::GET, "/v3/?id=demo&max=2&_t=1", None, &origin, Bytes::new()).await;
    assert_eq!(
        (&answer.body["code"], answer.body["data"].as_array().unwrap().len()),
        (&json!(0), 2),
        "{}",
        answer.text
    );
    let row = &answer.body["data"][0];
    assert_eq!((row[1].clone(), row[2].clone()), (json!(0), json!(0x00_ff_ff_ff)));
    assert_eq!(row[3], "ann&#x27;s name");
    assert_eq!(row[4], "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
    assert_eq!(answer.body["data"][1][4], "new");
    assert_eq!(answer.header("access-control-allow-origin"), page);
    assert_eq!(answer.header("cache-control"), "public, max-age=30");
    assert_eq!(nobody.get("/v3/?id=demo&limit=1").await.body["data"].as_array().unwrap().len(), 1);

    // What a browser asks before, what it may not, and what is done elsewhere.
    let asked = nobody.ask(Method::OPTIONS, "/v3/", None, &origin, Bytes::new()).await;
    assert_eq!((asked.status, asked.header("access-control-allow-methods")), (204, "GET, POST"));
    assert_eq!((asked.header("access-control-allow-origin"), asked.text.as_str()), (page.as_str(), ""));
    let foreign = [("origin", "https://elsewhere.example")];
    assert_eq!(nobody.ask(Method::GET, "/v3/?id=demo", None, &foreign, Bytes::new()).await.is(), (403, "forbidden"));
    let said = nobody.post("/v3/", json!({ "id": "demo", "text": "x", "token": "t" })).await;
    assert_eq!(said.is(), (405, "method_not_allowed"));
    assert!(said.body["message"].as_str().unwrap().contains("/v1/rooms/{room}/danmaku"), "{}", said.text);
    for (path, expected) in [("/v3/", (400, "malformed")), ("/v3/?id=a/b", (400, "bad_room"))] {
        assert_eq!(nobody.get(path).await.is(), expected, "{path}");
    }
    assert_eq!(nobody.get(NDJSON).await.is(), (401, "unauthorized"), "files are for moderators all the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_read_what() {
    let rig = Rig::start().await;
    for (role, file, player) in [
        (Role::Viewer, 403, 200),
        (Role::Sender, 403, 200),
        (Role::LogViewer, 200, 200),
        (Role::Moderator, 200, 200),
        (Role::Service, 200, 200),
        (Role::Owner, 200, 200),
    ] {
        let asker = rig.as_("me", role);
        for path in [XML, NDJSON] {
            assert_eq!(asker.get(path).await.status, file, "{role:?} {path}");
        }
        assert_eq!(asker.get("/v3/?id=demo").await.status, player, "{role:?}");
    }
    let elsewhere = rig.with_token(Some(rig.token_for("me", Role::Moderator, Some(&["other"]))));
    for path in [XML, NDJSON, "/v3/?id=demo"] {
        assert_eq!(elsewhere.get(path).await.is(), (403, "forbidden"), "{path}");
        assert_eq!(rig.with_token(None).get(path).await.is(), (401, "unauthorized"), "{path}");
        assert_eq!(rig.with_token(Some("x".to_owned())).get(path).await.is(), (401, "unauthorized"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_judges_by_what_is_told_by_partition() {
    let rig = Rig::start().await;
    let (river, reader) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let id = river.show("demo", "ann", "hello");
    let told = reader.get("filters").await.ok();
    let place = usize::try_from(id.partition).unwrap();
    for (partition, one) in told["partitions"].as_array().unwrap().iter().enumerate() {
        let expected = if partition == place { (json!("1-0-0"), json!(7)) } else { (Value::Null, Value::Null) };
        assert_eq!((one["owner"].clone(), one["version"].clone()), expected, "{told}");
        assert_eq!(one["partition"], partition);
    }
    assert_eq!((&told["published"], &told["partitions"][place]["says"]), (&json!(0), &json!("current")));
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_two_at_a_time_are_told_to_wait() {
    let rig = Rig::start().await;
    let (river, reader) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    for number in 0..300 {
        river.show("demo", "ann", &number.to_string());
    }
    let get = || reader.get(NDJSON);
    // Each reading makes a client for Kafka and asks it three things; taking a request takes a thousandth of that.
    let viewer = rig.as_("vi", Role::Viewer);
    let (a, b, c, d, e, f, g, h, player) =
        tokio::join!(get(), get(), get(), get(), get(), get(), get(), get(), viewer.get("/v3/?id=demo"));
    assert_eq!(player.status, 200, "players have places of their own");
    let (whole, busy): (Vec<_>, Vec<_>) = [a, b, c, d, e, f, g, h].into_iter().partition(|answer| answer.status == 200);
    assert!(!whole.is_empty() && !busy.is_empty(), "{} were told, {} not", whole.len(), busy.len());
    assert!(busy.iter().all(|answer| answer.is() == (429, "rate_limited") && answer.header("retry-after") == "5"));
    assert!(whole.iter().all(|answer| lines(answer).1.len() == 300));
    assert_eq!(lines(&get().await).1.len(), 300, "and then there is room again");
}
