//! Where a text lies while it is judged: folded once, for everything that looks at it. One a thread will do; nothing is
//! remembered from one record to the next but which names are clean.

use std::borrow::Cow;

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
    scratch: Scratch,
}

impl Desk {
    /// Lays a text down.
    pub(crate) fn lay(&mut self, text: &str) {
        fold(text, &mut self.folded);
    }

    /// What is the same for texts that look the same.
    pub(crate) fn key(&self) -> Cow<'_, str> {
        self.folded.key()
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

    /// `text`, which lies here, as it may be shown; `None` if nothing of it is to be masked.
    pub(crate) fn masked(&self, text: &str, ruling: &Ruling) -> Option<String> {
        (!ruling.masks.is_empty()).then(|| mask(text, &self.folded, &ruling.masks))
    }
}
