//! Rows as lines of JSON: a message as the hall's wire says it, with its room and when it was shown. Pure.

use std::io::Write as _;

use proto::frame;
use serde_json::json;

use super::{Head, shown::Row};

pub(super) fn head(to: &mut Vec<u8>, head: &Head) {
    let Head { room, since_ms, start_ms, until_ms, is_cut } = head;
    let said =
        json!({ "export": { "room": room, "since": since_ms, "start": start_ms, "until": until_ms, "cut": is_cut } });
    // Writing behind what is there cannot fail, here and below.
    let _ = writeln!(to, "{said}");
}

pub(super) fn tail(to: &mut Vec<u8>, rows: usize) {
    let _ = writeln!(to, "{}", json!({ "end": { "rows": rows } }));
}

pub(super) fn row(to: &mut Vec<u8>, head: &Head, row: &Row) {
    let (room, message) = (json!(head.room), frame::json_message(&row.message));
    let _ = write!(to, "{{\"room\":{room},\"shown\":{}", row.shown_ms);
    // An object without its first bracket. A message always has an id, so it is never empty.
    to.push(b',');
    to.extend_from_slice(message.strip_prefix(b"{").unwrap_or(&message));
    to.push(b'\n');
}

#[cfg(test)]
mod tests {
    use proto::v1::{Kind, Message, User};
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_line_is_an_object() {
        let head = Head { room: "弹\"幕".into(), since_ms: 900, start_ms: 1_000, until_ms: 9_000, is_cut: true };
        let user = User { id: "u1".into(), name: "Ann\n".into(), ..User::default() };
        let message = Message {
            id: "1-3-7".into(),
            at: 12_000,
            user: Some(user),
            text: "a\u{2028}b".into(),
            kind: Kind::Gift as i32,
            data: r#"{"count":3}"#.into(),
            color: Some(255),
            ..Message::default()
        };
        let mut to = Vec::new();
        super::head(&mut to, &head);
        row(&mut to, &head, &Row { shown_ms: 13_000, message });
        tail(&mut to, 1);
        let lines: Vec<Value> =
            std::str::from_utf8(&to).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let export = json!({ "room": "弹\"幕", "since": 900, "start": 1000, "until": 9000, "cut": true });
        let row = json!({
            "room": "弹\"幕", "shown": 13_000, "id": "1-3-7", "at": 12_000, "user": { "id": "u1", "name": "Ann\n" },
            "text": "a\u{2028}b", "kind": "gift", "color": "#0000ff", "data": { "count": 3 },
        });
        assert_eq!(lines, [json!({ "export": export }), row, json!({ "end": { "rows": 1 } })]);
    }
}
