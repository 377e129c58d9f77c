//! Where a text lies while it is judged: folded once, for everything that looks at it. One a thread will do; nothing is
//! remembered from one record to the next but which names are clean.

use proto::v1::{Decision, Role, input::Body};

use crate::{
    book::Book,
    emote::is_emotes_only,
    fold::{Folded, fold},
    heard::Heard,
    mask::mask,
    rules::{self, Ruling, Said, Scratch},
};

/// Room to judge on.
#[derive(Default)]
pub struct Desk {
    folded: Folded,
    key: String,
    scratch: Scratch,
}

impl Desk {
    /// Lays a text down.
    pub(crate) fn lay(&mut self, text: &str) {
        fold(text, &mut self.folded);
    }

    /// What is the same for texts that read the same as the one that lies here.
    pub(crate) fn key(&mut self) -> &str {
        write_key(&self.folded, &mut self.key);
        &self.key
    }

    /// Whether `text`, which lies here, is nothing but emotes of `room`.
    pub(crate) fn is_emotes(&self, book: &Book, room: &str, text: &str) -> bool {
        is_emotes_only(text, &self.folded, |code| book.is_emote(room, code))
    }

    /// What the rules say about the message whose text lies here.
    pub(crate) fn ruling(&mut self, book: &Book, heard: &Heard) -> Ruling {
        let input = heard.input();
        let said = Said {
            room: &input.room,
            role: input.role(),
            folded: &self.folded,
            name: input.user.as_ref().map_or("", |user| &user.name),
            at_ms: heard.append_ms(),
        };
        rules::judge(book, said, &mut self.scratch)
    }

    /// The name of who said what was held and is decided on now, as it may be shown; `None` if nothing of it is to be masked.
    pub(crate) fn name_of_held(&mut self, book: &Book, heard: &Heard) -> Option<String> {
        let (room, at_ms) = (&*heard.input().room, heard.append_ms());
        let Some(Body::Decision(Decision { user: Some(user), .. })) = &heard.input().body else { return None };
        rules::masked_name(
            book,
            Said { room, role: Role::Sender, folded: &self.folded, name: &user.name, at_ms },
            &mut self.scratch,
        )
    }

    /// `text`, which lies here, as it may be shown; `None` if nothing of it is to be masked.
    pub(crate) fn masked(&self, text: &str, ruling: &Ruling) -> Option<String> {
        (!ruling.masks.is_empty()).then(|| mask(text, &self.folded, &ruling.masks))
    }
}

/// Writes what is the same for texts that read the same: without what is unseen, without signs, and with runs of one letter as one.
/// Only numbers are what they are: whoever counts, or tells a score, does not repeat himself.
pub(crate) fn write_key(folded: &Folded, key: &mut String) {
    key.clear();
    for symbol in folded.symbols() {
        if symbol.char.is_numeric() || !key.ends_with(symbol.char) {
            key.push(symbol.char);
        }
    }
    if key.is_empty() {
        key.push_str(&folded.key());
    }
}
