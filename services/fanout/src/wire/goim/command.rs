//! The JSON of what is said: a command's name and the fields that clients read without asking whether they are there.
//!
//! No name but the danmaku's own holds `DANMU_MSG`, which clients look for anywhere in it, and none is taken from outside:
//! one client makes events of its own from them.

use proto::v1::{Kind, Message, Mode, Notice, Recall, Told, User, Word};
use serde_json::{Value, json};

use super::{danmaku, number};

/// A picture for who has none, because some clients fail without. It is a gray square; the end of the address lets a client
/// append the size that it wants.
pub(super) const AVATAR: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'%3E\
    %3Cpath fill='%23999' d='M0 0h1v1H0z'/%3E%3C/svg%3E#";

/// Who has this badge is shown as one of the room's moderators.
const MODERATOR: &str = "moderator";

/// Currencies whose smallest part is the whole: the price is not in hundredths.
const WITHOUT_PARTS: [&str; 6] = ["CLP", "ISK", "JPY", "KRW", "PYG", "VND"];

/// One message.
pub(crate) fn message(message: &Message) -> Vec<u8> {
    let command = match message.kind() {
        Kind::Chat => danmaku::command(message),
        Kind::Gift => gift(message),
        Kind::Super => super_chat(message),
        Kind::System => line(&message.id, &message.text, &message.data),
        Kind::Event => event(message),
    };
    command.to_string().into_bytes()
}

/// Messages that leave the screen: `ids` as danmaku tell them in `extra.id_str`, or all of a user's up to one of them.
pub(crate) fn recall(recall: &Recall) -> Vec<u8> {
    let uid = if recall.user.is_empty() { 0 } else { number::of(&recall.user) };
    let ids = &recall.ids;
    let numbers: Vec<_> = ids.iter().map(|id| number::of(id)).collect();
    let data =
        json!({ "ids": ids, "numbers": numbers, "uid": uid, "through": recall.through, "reason": recall.reason });
    json!({ "cmd": "MESSAGE_RECALL", "data": data }).to_string().into_bytes()
}

/// Whether everybody may speak. Of the modes, this wire knows the silences; the others let people speak, only less.
pub(crate) fn mode(mode: &Mode) -> Vec<u8> {
    // -1: until it is told otherwise.
    let (cmd, kind, level, second) = match mode {
        Mode { emergency: true, .. } => ("ROOM_SILENT_ON", "member", 1, -1),
        Mode { level_min: level @ 1.., .. } => ("ROOM_SILENT_ON", "level", *level, -1),
        Mode { followers_min_s: 1.., .. } => ("ROOM_SILENT_ON", "medal", 1, -1),
        _ => ("ROOM_SILENT_OFF", "", 0, 0),
    };
    let data = json!({ "type": kind, "level": level, "second": second });
    json!({ "cmd": cmd, "data": data }).to_string().into_bytes()
}

/// What the judge says to a sender alone: that he is muted. This wire has no word for the rest.
pub(crate) fn told(told: &Told, sender: &str) -> Option<Vec<u8>> {
    (Word::known(told.verdict) == Some(Word::Muted)).then(|| {
        let uid = number::of(sender);
        // 1: by a moderator. Some clients read the user beside the data, as text.
        let data = json!({ "uid": uid, "uname": sender, "operator": 1, "until": told.until });
        let command = json!({ "cmd": "ROOM_BLOCK_MSG", "uid": uid.to_string(), "uname": sender, "data": data });
        command.to_string().into_bytes()
    })
}

/// A notice to one user.
pub(crate) fn notice(notice: &Notice) -> Vec<u8> {
    line(&notice.id, &notice.text, &notice.data).to_string().into_bytes()
}

/// What a user is called; who has no name is called by his id.
pub(super) fn name(user: &User) -> &str {
    if user.name.is_empty() { &user.id } else { &user.name }
}

/// 1 for who has the badge of moderators.
pub(super) fn is_moderator(user: &User) -> u8 {
    u8::from(user.badges.iter().any(|badge| badge == MODERATOR))
}

/// A platform's own JSON; what is none is nothing.
fn data(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn whole(data: &Value, name: &str) -> u64 {
    data[name].as_u64().unwrap_or_default()
}

fn text<'a>(data: &'a Value, name: &str) -> &'a str {
    data[name].as_str().unwrap_or_default()
}

fn gift(message: &Message) -> Value {
    let (user, data) = (message.user.clone().unwrap_or_default(), data(&message.data));
    let (gift, count, value) = (text(&data, "gift"), whole(&data, "count").max(1), whole(&data, "value"));
    let called = Some(text(&data, "name")).filter(|name| !name.is_empty()).unwrap_or(gift);
    let id = number::of(gift);
    json!({ "cmd": "SEND_GIFT", "data": {
        "giftName": called, "giftId": id, "giftType": 0, "gift_info": { "img_basic": AVATAR }, "num": count,
        "uid": number::of(&user.id), "uname": name(&user), "face": AVATAR, "guard_level": 0,
        "timestamp": message.at / 1000, "action": "送出", "coin_type": "gold",
        "price": value / count, "discount_price": value / count, "total_coin": value,
        "rnd": message.id, "tid": message.id, "medal_info": no_medal(),
    } })
}

fn super_chat(message: &Message) -> Value {
    let (user, data) = (message.user.clone().unwrap_or_default(), data(&message.data));
    let (amount, currency) = (whole(&data, "amount_minor"), text(&data, "currency"));
    let (start, seconds) = (message.at / 1000, whole(&data, "show_ms") / 1000);
    let color = format!("#{:06x}", message.color.unwrap_or(0x2a_60b2));
    json!({ "cmd": "SUPER_CHAT_MESSAGE", "data": {
        "id": number::of(&message.id), "uid": number::of(&user.id), "message": message.text, "message_trans": "",
        "price": price(amount, currency), "amount_minor": amount, "currency": currency, "rate": 1000,
        "start_time": start, "end_time": start.saturating_add_unsigned(seconds), "time": seconds, "ts": start,
        "gift": { "gift_id": 0, "gift_name": "", "num": 1 }, "medal_info": no_medal(),
        "user_info": {
            "uname": name(&user), "face": AVATAR, "face_frame": "", "guard_level": 0, "user_level": user.level,
            "is_vip": 0, "is_svip": 0, "is_main_vip": 0, "manager": is_moderator(&user), "name_color": "#666666",
        },
        "background_bottom_color": color, "background_color": "#ffffff", "background_price_color": color,
        "background_color_start": color, "background_color_end": color, "color_point": 1, "background_icon": "",
        "background_image": "", "message_font_color": "#ffffff", "token": "", "trans_mark": 0,
    } })
}

/// In whole units of the currency, as people read it.
fn price(amount_minor: u64, currency: &str) -> Value {
    match amount_minor {
        whole if WITHOUT_PARTS.contains(&currency) => whole.into(),
        whole if whole % 100 == 0 => (whole / 100).into(),
        parts => (parts as f64 / 100.0).into(),
    }
}

fn no_medal() -> Value {
    json!({
        "anchor_roomid": 0, "anchor_uname": "", "guard_level": 0, "icon_id": 0, "is_lighted": 0, "medal_color": 0,
        "medal_level": 0, "medal_name": "", "special": "", "target_id": 0,
    })
}

/// A line of the platform's.
fn line(id: &str, text: &str, own: &str) -> Value {
    json!({
        "cmd": "NOTICE_MSG", "msg_common": text, "msg_self": text, "msg_type": 1, "link_url": "", "shield_uid": -1,
        "business_id": "", "data": { "id": id, "text": text, "data": data(own) },
    })
}

/// A typed event; its name stands in the data, because a client would make an event of its own of a command's.
fn event(message: &Message) -> Value {
    let user = message.user.clone().unwrap_or_default();
    json!({ "cmd": "ROOM_EVENT", "data": {
        "id": message.id, "at": message.at, "event": message.event, "text": message.text, "data": data(&message.data),
        "uid": number::of(&user.id), "uname": name(&user),
    } })
}
