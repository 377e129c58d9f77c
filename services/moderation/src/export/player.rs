//! The newest rows as a web player asks for them, `[seconds, type, color, author, text]`. Pure. It puts what it gets into its
//! page as HTML, so nothing here may be any.

use std::collections::VecDeque;

use proto::v1::{Kind, Message, Position};
use serde::Serialize;

use super::{Head, shown::Row};

const WHITE: u32 = 0xff_ffff;

/// A row: seconds, 0 scrolls, 1 top, 2 bottom, color, author, text.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub(crate) struct Shown(f64, u8, u32, String, String);

/// The newest rows, so far.
pub(crate) struct Newest {
    rows: VecDeque<Shown>,
    most: usize,
}

impl Newest {
    /// At most so many.
    pub(crate) fn of(most: usize) -> Self {
        Self { rows: VecDeque::new(), most }
    }

    /// Takes a row. A player shows lines of text and nothing else.
    pub(crate) fn add(&mut self, head: &Head, row: &Row) {
        let message = &row.message;
        if !matches!(message.kind(), Kind::Chat | Kind::System) || message.text.is_empty() {
            return;
        }
        if self.rows.len() >= self.most {
            self.rows.pop_front();
        }
        if self.most > 0 {
            self.rows.push_back(shown(message, row.shown_ms - head.start_ms));
        }
    }

    /// They, in the order of time.
    pub(crate) fn rows(self) -> Vec<Shown> {
        self.rows.into()
    }
}

fn shown(message: &Message, ms: i64) -> Shown {
    let kind = match (message.kind(), message.position()) {
        (Kind::System, _) | (_, Position::Top) => 1,
        (_, Position::Bottom) => 2,
        (_, Position::Scroll) => 0,
    };
    let name = message.user.as_ref().map_or("", |user| &user.name);
    // Times of a file are below 2^53 ms.
    let seconds = ms.max(0) as f64 / 1000.0;
    Shown(seconds, kind, message.color.unwrap_or(WHITE) & WHITE, harmless(name), harmless(&message.text))
}

/// A text that is no HTML, in an element or in an attribute.
fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => harmless.push_str("&amp;"),
            '<' => harmless.push_str("&lt;"),
            '>' => harmless.push_str("&gt;"),
            '"' => harmless.push_str("&quot;"),
            '\'' => harmless.push_str("&#x27;"),
            '/' => harmless.push_str("&#x2F;"),
            '`' => harmless.push_str("&#x60;"),
            character => harmless.push(character),
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use proto::v1::User;

    use super::*;

    fn row(at_ms: i64, text: &str) -> Row {
        let user = User { name: "<b>".into(), ..User::default() };
        Row {
            shown_ms: at_ms,
            message: Message { user: Some(user), text: text.into(), color: Some(255), ..Message::default() },
        }
    }

    fn told(most: usize, rows: &[Row]) -> String {
        let head = Head { room: "demo".into(), since_ms: 0, start_ms: 1_000, until_ms: 9_000, is_cut: false };
        let mut newest = Newest::of(most);
        rows.iter().for_each(|row| newest.add(&head, row));
        serde_json::to_string(&newest.rows()).unwrap()
    }

    #[test]
    fn the_newest_in_order_and_harmless() {
        let mut top = row(3_250, "<img src=x onerror='a'>/`");
        top.message.position = Position::Top as i32;
        let mut gift = row(4_000, "no line");
        gift.message.kind = Kind::Gift as i32;
        let rows = [row(500, "old"), row(2_000, "x"), row(2_500, ""), top, gift];
        let expected = r#"[[1.0,0,255,"&lt;b&gt;","x"],[2.25,1,255,"&lt;b&gt;","&lt;img src=x onerror=&#x27;a&#x27;&gt;&#x2F;&#x60;"]]"#;
        assert_eq!(told(2, &rows), expected);
        assert_eq!(told(0, &rows), "[]");
        assert!(told(9, &rows).starts_with(r#"[[0.0,0,255,"&lt;b&gt;","old"]"#), "before its beginning is at it");
    }
}
