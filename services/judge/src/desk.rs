//! Where a text lies while it is judged: folded once, for everything that looks at it. One a thread will do; nothing is
//! remembered from one record to the next.

use std::borrow::Cow;

use proto::v1::Action;

use crate::{
    book::Book,
    emote::is_emotes_only,
    fold::{Folded, fold},
    normalize::normalize,
    verdict::Finding,
};

/// Room to judge on.
#[derive(Default)]
pub struct Desk {
    folded: Folded,
}

/// What the rules say about one message.
pub(crate) struct Ruling {
    pub(crate) action: Action,
    /// How long its author is muted, for [`Action::Mute`].
    pub(crate) mute_s: u32,
    pub(crate) found: Finding,
    /// The text with its masks, for [`Action::Mask`].
    pub(crate) text: Option<String>,
    /// The name of its author, the same.
    pub(crate) name: Option<String>,
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
    pub(crate) fn ruling(&mut self, book: &Book, text: &str) -> Ruling {
        let found = book.words.hit(&normalize(text)).map(|line| Finding {
            code: "words".into(),
            rule: format!("word:{line}"),
            hits: Vec::new(),
        });
        let action = if found.is_some() { Action::Block } else { Action::Pass };
        Ruling { action, mute_s: 0, found: found.unwrap_or_default(), text: None, name: None }
    }
}
