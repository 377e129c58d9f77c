//! Who reads the topic, as the filter does: record by record, and after each what is whole is put in force.

use std::collections::BTreeMap;

use judge::{
    Book,
    book::{Assembly, BadEdition, Change, Press, Refused},
    fold::{Folded, fold},
    rules::{self, Ruling, Said, Scratch},
};
use proto::{rules::Scope, v1::Role};

use crate::publisher::Written;

#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) assembly: Assembly,
    pub(crate) press: Press,
    pub(crate) refused: Vec<Refused>,
    pub(crate) bad: Vec<(u64, BadEdition)>,
    /// Per scope, the highest version that was told.
    pub(crate) newest: BTreeMap<Scope, Option<u64>>,
}

impl Reader {
    /// One that was told all of `log` and then caught up.
    pub(crate) fn of(log: &[Written]) -> Self {
        let mut reader = Self::default();
        log.iter().for_each(|written| drop(reader.hear(written)));
        reader.caught_up();
        reader
    }

    pub(crate) fn hear(&mut self, (key, value): &Written) -> Change {
        self.hear_at(key, value, 0)
    }

    pub(crate) fn hear_at(&mut self, key: &str, value: &[u8], at_ms: i64) -> Change {
        let change = self.assembly.hear(key.as_bytes(), value, at_ms);
        if let Change::Refused(refused) = &change {
            self.refused.push(refused.clone());
        }
        change
    }

    /// Hears, and puts in force what is whole.
    pub(crate) fn follow(&mut self, written: &Written) {
        self.hear(written);
        self.put_in_force();
    }

    pub(crate) fn caught_up(&mut self) {
        self.assembly.caught_up();
        self.put_in_force();
    }

    pub(crate) fn put_in_force(&mut self) {
        for renewal in self.assembly.renewals() {
            self.newest.insert(renewal.scope.clone(), renewal.newest);
            self.bad.extend(self.press.renew(renewal));
        }
    }

    pub(crate) fn in_force(&self, scope: &Scope) -> u64 {
        self.press.in_force(scope)
    }

    pub(crate) fn book(&self) -> Book {
        let (mutes, bans) = (self.assembly.mutes().clone(), self.assembly.bans().clone());
        self.press.book().expect("no book").with_people(mutes.into(), bans.into())
    }

    pub(crate) fn ruling(&self, room: &str, text: &str) -> Ruling {
        ruling(&self.book(), room, text)
    }
}

/// What `book` says of a text said in `room` by anybody.
pub(crate) fn ruling(book: &Book, room: &str, text: &str) -> Ruling {
    ruling_of(book, text, Said { room, ..said() })
}

/// A message of a viewer without a name.
pub(crate) fn said() -> Said<'static> {
    static NOTHING: std::sync::LazyLock<Folded> = std::sync::LazyLock::new(Folded::default);
    Said { room: "demo", role: Role::Sender, folded: &NOTHING, name: "", at_ms: 0 }
}

/// What `book` says of a text that is said so.
pub(crate) fn ruling_of(book: &Book, text: &str, said: Said<'_>) -> Ruling {
    let mut folded = Folded::default();
    fold(text, &mut folded);
    rules::judge(book, Said { folded: &folded, ..said }, &mut Scratch::default())
}
