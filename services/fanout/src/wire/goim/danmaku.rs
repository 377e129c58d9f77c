//! `DANMU_MSG`: one chat message as a list whose every place means something. Clients read places without asking whether
//! they are there, so all of them are.

use proto::v1::{Message, Position, Size};
use serde_json::{Value, json};

use super::{
    command::{self, AVATAR},
    number,
};

/// What a message without a color is shown in.
const WHITE: u32 = 0xff_ffff;

/// What the level's and the name's color fields hold; a room's own colors are its page's business.
const GRAY: u32 = 0x96_96_96;

/// The command of a chat message.
pub(super) fn command(message: &Message) -> Value {
    let user = message.user.clone().unwrap_or_default();
    let (uid, name, is_moderator) = (number::of(&user.id), command::name(&user), command::is_moderator(&user));
    let seconds = message.at / 1000;
    let number = number::of(&message.id);
    json!({ "cmd": "DANMU_MSG", "info": [
        look(message, uid, name),
        message.text,
        // Of the room's: moderator, and two kinds of paying members. Then full member, phone verified, color of the name.
        [uid, name, is_moderator, 0, 0, 10_000, 1, ""],
        // A medal, which nobody has here.
        [],
        // The level, its color, and the rank, which begins to count at 50,000.
        [user.level, 0, GRAY, ">50000", 0],
        ["", ""],
        0,
        0,
        null,
        { "ts": seconds, "ct": format!("{:08X}", number as u32) },
        0,
        0,
        null,
        null,
        0,
        0,
        [0],
        null,
    ] })
}

/// How it looks, when it was said, and twice what it is known by.
fn look(message: &Message, uid: u64, name: &str) -> Value {
    let (mode, size) = (mode(message.position()), size(message.size()));
    let color = message.color.unwrap_or(WHITE);
    let checksum = number::checksum(&uid.to_string());
    json!([
        0,
        mode,
        size,
        color,
        message.at,
        number::of(&message.id),
        0,
        checksum,
        0,
        // 0: nobody's gift.
        0,
        // No bubble, and text, which is neither a sticker nor a voice.
        0,
        "",
        0,
        "{}",
        "{}",
        {
            "mode": 0,
            "show_player_type": 0,
            "extra": extra(message, mode, size, color, &checksum),
            "user": { "uid": uid, "base": { "name": name, "face": AVATAR } },
        },
        { "activity_identity": "", "activity_source": 0, "not_show": 0 },
    ])
}

/// JSON as text within the JSON, which clients read again.
fn extra(message: &Message, mode: u8, size: u8, color: u32, checksum: &str) -> String {
    let mut extra = json!({
        "send_from_me": false, "mode": 0, "color": color, "dm_type": 0, "font_size": size, "player_mode": mode,
        "show_player_type": 0, "content": message.text, "user_hash": checksum, "emoticon_unique": "", "emots": null,
        "id_str": message.id, "reply_mid": 0, "reply_uname": "", "show_reply": false,
    });
    // Ours, so it is there only where it says something.
    if message.edited {
        extra["edited"] = true.into();
    }
    extra.to_string()
}

fn mode(position: Position) -> u8 {
    match position {
        Position::Scroll => 1,
        Position::Bottom => 4,
        Position::Top => 5,
    }
}

fn size(size: Size) -> u8 {
    match size {
        Size::Small => 18,
        Size::Normal => 25,
        Size::Large => 36,
    }
}
