//! Rows as recorders write them: `<d p="time,mode,size,color,sent,pool,user,id" user="name">text</d>`, `<gift>` and `<sc>`. Pure.
//!
//! Readers of this are many and half of them are regular expressions: eight fields always, no row without a text, a row a
//! line, the five named entities and no others, whole numbers, and no character that XML does not allow. Events have no shape here.

use std::{borrow::Cow, io::Write as _};

use proto::v1::{Kind, Message, Position, Size, User};
use serde_json::Value;

use super::{Head, ROWS_MAX, shown::Row};

const WHITE: u32 = 0xff_ffff;

/// Currencies whose smallest part is the whole: the price is not in hundredths.
const WITHOUT_PARTS: [&str; 6] = ["CLP", "ISK", "JPY", "KRW", "PYG", "VND"];

pub(super) fn head(to: &mut Vec<u8>, head: &Head) {
    let room = escaped(&head.room);
    // Writing behind what is there cannot fail, here and below.
    let _ = write!(
        to,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<i>\n<chatserver>danmaku</chatserver><chatid>{room}</chatid>\
         <mission>0</mission><maxlimit>{ROWS_MAX}</maxlimit><state>0</state><real_name>0</real_name><source>k-v</source>\n\
         <danmaku room=\"{room}\" since=\"{}\" start=\"{}\" until=\"{}\" cut=\"{}\"/>\n",
        head.since_ms, head.start_ms, head.until_ms, head.is_cut,
    );
}

pub(super) fn tail(to: &mut Vec<u8>) {
    to.extend_from_slice(b"</i>\n");
}

pub(super) fn row(to: &mut Vec<u8>, head: &Head, row: &Row) {
    let nobody = User::default();
    let user = row.message.user.as_ref().unwrap_or(&nobody);
    let at = seconds(row.shown_ms - head.start_ms);
    let (text, name) = (escaped(&row.message.text), escaped(&user.name));
    match row.message.kind() {
        Kind::Chat | Kind::System if !text.trim().is_empty() => {
            let p = fields(&row.message, &at, user);
            let _ = writeln!(to, "<d p=\"{p}\" user=\"{name}\">{text}</d>");
        }
        Kind::Gift => {
            let data = Data::of(&row.message);
            let (gift, count) =
                (data.text("name").or(data.text("gift")).unwrap_or_default(), data.number("count").max(1));
            let (uid, gift, price) = (escaped(&user.id), escaped(gift), data.number("value") / count);
            let _ = writeln!(
                to,
                "<gift ts=\"{at}\" user=\"{name}\" uid=\"{uid}\" giftname=\"{gift}\" giftcount=\"{count}\" \
                 price=\"{price}\"/>"
            );
        }
        Kind::Super => {
            let data = Data::of(&row.message);
            let (minor, currency) = (data.number("amount_minor"), data.text("currency").unwrap_or_default());
            let (uid, price, shown_s) = (escaped(&user.id), whole(minor, currency), data.number("show_ms") / 1000);
            let currency = escaped(currency);
            let _ = writeln!(
                to,
                "<sc ts=\"{at}\" user=\"{name}\" uid=\"{uid}\" price=\"{price}\" time=\"{shown_s}\" \
                 amount_minor=\"{minor}\" currency=\"{currency}\">{text}</sc>"
            );
        }
        Kind::Chat | Kind::System | Kind::Event => {}
    }
}

/// The eight fields. A comma in a name would make nine of them.
fn fields(message: &Message, at: &str, user: &User) -> String {
    let mode = match (message.kind(), message.position()) {
        (Kind::System, _) | (_, Position::Top) => 5,
        (_, Position::Bottom) => 4,
        (_, Position::Scroll) => 1,
    };
    let size = match message.size() {
        Size::Small => 18,
        Size::Normal => 25,
        Size::Large => 36,
    };
    let color = message.color.unwrap_or(WHITE) & WHITE;
    let uid = if user.id.is_empty() { "0".into() } else { escaped(&user.id) };
    let id = escaped(&message.id);
    format!("{at},{mode},{size},{color},{},0,{},{}", message.at, uid.replace(',', "%2C"), id.replace(',', "%2C"))
}

/// Seconds to the millisecond. What is shown before time begins stands at its beginning.
fn seconds(ms: i64) -> String {
    let ms = ms.max(0);
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// In whole units of the currency. Readers take no fractions; the amount stands beside it.
fn whole(amount_minor: u64, currency: &str) -> u64 {
    if WITHOUT_PARTS.contains(&currency) { amount_minor } else { amount_minor / 100 }
}

/// What came with a message. The door lets only JSON in.
struct Data(Value);

impl Data {
    fn of(message: &Message) -> Self {
        Self(serde_json::from_str(&message.data).unwrap_or_default())
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0[name].as_str()
    }

    fn number(&self, name: &str) -> u64 {
        self.0[name].as_u64().unwrap_or_default()
    }
}

/// A text that may stand anywhere in XML: on one line, and without what XML 1.0 does not allow.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| !matches!(character, '&' | '<' | '>' | '"' | '\'') && is_allowed(character);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            allowed if is_allowed(allowed) => escaped.push(allowed),
            _ => {}
        }
    }
    Cow::Owned(escaped)
}

/// Neither a control nor what some readers take for the end of a line. A `char` is no lone surrogate.
fn is_allowed(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proto::v1::{Kind, Message, Position, Size, User};

    use super::*;

    fn head() -> Head {
        Head { room: "a&b".into(), since_ms: 900, start_ms: 1_000, until_ms: 9_000, is_cut: false }
    }

    fn written(message: Message) -> String {
        let mut to = Vec::new();
        row(&mut to, &head(), &Row { shown_ms: 13_345, message });
        String::from_utf8(to).unwrap()
    }

    fn chat(text: &str) -> Message {
        let user = User { id: "u1".into(), name: "Ann".into(), ..User::default() };
        Message { id: "1-3-7".into(), at: 12_000, user: Some(user), text: text.into(), ..Message::default() }
    }

    #[test]
    fn rows() {
        let of = |kind: Kind, data: &str| Message { kind: kind as i32, data: data.into(), ..chat("Hi!") };
        let looks = Message {
            color: Some(0x00_ff_00),
            position: Position::Bottom as i32,
            size: Size::Large as i32,
            user: Some(User { id: "u,1".into(), name: "A\"<b>".into(), ..User::default() }),
            ..chat("a < b & c")
        };
        let table = [
            (chat("哈哈"), "<d p=\"12.345,1,25,16777215,12000,0,u1,1-3-7\" user=\"Ann\">哈哈</d>\n"),
            (looks, "<d p=\"12.345,4,36,65280,12000,0,u%2C1,1-3-7\" user=\"A&quot;&lt;b&gt;\">a &lt; b &amp; c</d>\n"),
            (
                Message { user: None, ..of(Kind::System, "") },
                "<d p=\"12.345,5,25,16777215,12000,0,0,1-3-7\" user=\"\">Hi!</d>\n",
            ),
            (
                of(Kind::Gift, r#"{"gift":"g","name":"Rose","count":3,"value":30}"#),
                "<gift ts=\"12.345\" user=\"Ann\" uid=\"u1\" giftname=\"Rose\" giftcount=\"3\" price=\"10\"/>\n",
            ),
            (
                of(Kind::Super, r#"{"amount_minor":3050,"currency":"EUR","show_ms":60000}"#),
                "<sc ts=\"12.345\" user=\"Ann\" uid=\"u1\" price=\"30\" time=\"60\" amount_minor=\"3050\" currency=\"EUR\">Hi!</sc>\n",
            ),
            (of(Kind::Event, r#"{"x":1}"#), ""),
            (chat(""), ""),
            (chat(" \u{1}"), ""),
        ];
        for (message, expected) in table {
            assert_eq!(written(message.clone()), expected, "{message:?}");
        }
    }

    #[test]
    fn prices_are_whole() {
        for (minor, currency, expected) in [(3000, "EUR", 30), (3099, "EUR", 30), (500, "JPY", 500), (0, "", 0)] {
            assert_eq!(whole(minor, currency), expected);
        }
    }

    #[test]
    fn a_head_and_a_tail_make_a_whole() {
        let mut to = Vec::new();
        super::head(&mut to, &head());
        tail(&mut to);
        let text = String::from_utf8(to).unwrap();
        assert!(text.contains("<chatid>a&amp;b</chatid>") && text.ends_with("</i>\n"), "{text}");
        assert!(text.contains("since=\"900\" start=\"1000\" until=\"9000\" cut=\"false\"/>"), "{text}");
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_one_row_of_eight_fields(text in "[\\s\\S]{0,40}", name in "[\\s\\S]{0,20}", id in "[\\s\\S]{0,20}") {
            let user = User { id, name, ..User::default() };
            let row = written(Message { user: Some(user), ..chat(&text) });
            prop_assume!(!row.is_empty());
            let inner = row.strip_prefix("<d p=\"").and_then(|row| row.strip_suffix("</d>\n")).unwrap();
            let (p, rest) = inner.split_once("\" user=\"").unwrap();
            let (name, text) = rest.split_once("\">").unwrap();
            prop_assert_eq!(p.split(',').count(), 8);
            for part in [p, name, text] {
                prop_assert!(!part.contains(['<', '>', '"', '\'', '\n', '\u{0}']), "{}", row);
                let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
                for (at, _) in part.match_indices('&') {
                    prop_assert!(entities.iter().any(|entity| part[at..].starts_with(entity)), "{}", row);
                }
            }
        }
    }
}
