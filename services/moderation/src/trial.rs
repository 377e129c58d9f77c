//! Messages that were said, under rules that are not in force: an entry, a draft, a list that only watches. Pure; the judge's
//! own rules look, so what is found here is what would be found there. Reading what was said is kept out.

use judge::{
    book::Book,
    fold::{Folded, fold},
    rules::{Ruling, Said, Scratch, judge},
};
use proto::{
    MessageId, RoomId,
    v1::{self, Field, Hit, input::Body},
};

use crate::{
    history::{History, Past},
    lists::{Content, Mode, edit::placed, entry::Entry, page::Kept},
    refusal::{Problem, Refusal},
    verdicts::learn::said_in,
};

/// The list that entries are on which stand on none.
pub(crate) const DRAFT: &str = "draft";

/// Rules to be tried.
pub(crate) struct Trial(Book);

/// What is tried besides what is in force.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Draft {
    /// A list of the room, or of all rooms, as if it were in force.
    List(String),
    /// These entries, in the room.
    Entries(Vec<Kept>),
}

impl Trial {
    /// These entries and nothing else.
    ///
    /// # Errors
    /// What is wrong with which of them.
    pub(crate) fn of_entries(entries: &[Entry], most: usize) -> Result<Self, Refusal> {
        let entries = drafted(entries, most)?.into_iter().map(|kept| kept.entry).collect();
        Book::of_entries(1, entries, None).map(Self).map_err(bad)
    }

    /// What is in force in a room, with a draft if there is one.
    ///
    /// # Errors
    /// When they cannot be searched for together.
    pub(crate) fn in_force(
        global: &Content,
        room: &RoomId,
        of_room: &Content,
        draft: Option<&Draft>,
    ) -> Result<Self, Refusal> {
        let book = Book::of_entries(1, published(global, draft), global.policy.clone()).map_err(bad)?;
        let mut entries = published(of_room, draft);
        if let Some(Draft::Entries(drafted)) = draft {
            entries.extend(drafted.iter().map(|kept| kept.entry.clone()));
        }
        book.with_room(room.clone(), entries, of_room.policy.clone()).map(Self).map_err(bad)
    }

    /// What these rules say of each danmaku of a history, in its order.
    pub(crate) fn look<'a>(&'a self, history: &'a History) -> impl Iterator<Item = (&'a Past, Ruling)> + 'a {
        let (mut scratch, mut folded) = (Scratch::default(), Folded::default());
        history.past.iter().filter(|past| matches!(past.input.body, Some(Body::Say(_)))).map(move |past| {
            fold(said_in(&past.input), &mut folded);
            let said = Said {
                room: &past.input.room,
                role: past.input.role(),
                folded: &folded,
                name: past.input.user.as_ref().map_or("", |user| &user.name),
                at_ms: past.at_ms,
            };
            (past, judge(&self.0, said, &mut scratch))
        })
    }

    /// The messages in whose text one of the entries is found; ways to reach somebody, which the judge knows by their shape,
    /// are none.
    pub(crate) fn found_in(&self, history: &History) -> Vec<MessageId> {
        let is_drafted = |hit: &Hit| hit.list == DRAFT && hit.field() == Field::Text;
        let found = self.look(history).filter(|(_, ruling)| ruling.hits.iter().any(is_drafted));
        found.map(|(past, _)| past.id).collect()
    }
}

/// Entries as a body says them, each with an id of its place.
///
/// # Errors
/// What is wrong with which of them.
pub(crate) fn drafted(entries: &[Entry], most: usize) -> Result<Vec<Kept>, Refusal> {
    if entries.len() > most {
        return Err(Problem::whole(format!("at most {most} entries can be tried at a time")).into());
    }
    let placed = placed(DRAFT, (1..).zip(entries.iter().cloned())).map_err(Refusal::Invalid)?;
    let named = placed.into_iter().map(|placed| {
        let mut kept = placed.kept;
        kept.entry.id = format!("{DRAFT}-{}", placed.line);
        kept
    });
    Ok(named.collect())
}

/// The entries of a content as they are in the rule book; a draft's list as if it were in force.
fn published(content: &Content, draft: Option<&Draft>) -> Vec<v1::Entry> {
    let tried = match draft {
        Some(Draft::List(list)) => Some(list.as_str()),
        _ => None,
    };
    let entry = |kept: &Kept| {
        let mode = match content.mode_of(&kept.entry.list) {
            _ if tried == Some(&kept.entry.list) => Mode::Enforce,
            mode => mode,
        };
        (mode != Mode::Draft).then(|| v1::Entry { observe: mode == Mode::Observe, ..kept.entry.clone() })
    };
    content.entries().filter_map(entry).collect()
}

fn bad(error: judge::book::BadEdition) -> Refusal {
    Problem::whole(format!("the entries cannot be tried together: {error}")).into()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A history of what ann said.
    pub(crate) fn history(texts: &[&str]) -> History {
        let past = texts.iter().zip(0..).map(|(text, offset)| Past {
            id: MessageId { generation: 1, partition: 0, offset },
            at_ms: 1_000,
            input: v1::Input {
                room: "demo".to_owned(),
                user: Some(v1::User { id: "ann".to_owned(), ..v1::User::default() }),
                role: v1::Role::Sender as i32,
                body: Some(Body::Say(v1::Say { text: (*text).to_owned(), ..v1::Say::default() })),
                ..v1::Input::default()
            },
        });
        History { past: past.collect(), end: texts.len() as u64, whole: true }
    }

    fn offsets(trial: &Trial, texts: &[&str]) -> Vec<u64> {
        trial.found_in(&history(texts)).iter().map(|id| id.offset).collect()
    }

    #[test]
    fn entries_alone_find_what_the_judge_would_find() {
        let trial = Trial::of_entries(&[Entry::word("badword"), Entry::word("坏词语")], 2).unwrap();
        let texts = ["hello", "a ＢＡＤＷＯＲＤ!", "坏 词 语", "goodword", "see www.example.com"];
        assert_eq!(offsets(&trial, &texts), [1, 2]);
    }

    #[test]
    fn what_cannot_be_an_entry_names_its_place() {
        let refused = Trial::of_entries(&[Entry::word("blorp"), Entry::word(" ")], 2).err().unwrap();
        let Refusal::Invalid(problems) = refused else { panic!("{refused:?}") };
        assert_eq!(problems[0].line, Some(2));
        assert!(matches!(Trial::of_entries(&[Entry::word("a b"), Entry::word("c d")], 1), Err(Refusal::Invalid(_))));
    }
}
