//! Keeps the rules in force at what `danmaku-rules` says, or at a word file: compiled on a thread of its own, swapped whole. A bad
//! version keeps the last good one. What rules say of a message is kept out (`judge`).
//!
//! In reading order: `letterbox` is what the topic told, `word_file` the other source, `builder` works in the background, `age` tells
//! how old the rules are.

mod letterbox;
mod word_file;
mod builder;
mod age;

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::Arc,
    thread::{self, Thread},
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use chassis::{
    admin::{Condition, Note},
    ground::Ground,
    kafka::Follower,
    lately::Lately,
};
use judge::{
    Book,
    book::{Mutes, Press, Renewal, press::ROOM_ENTRIES_COMPILED},
};
use proto::{Topic, ban, rules::Scope};

use crate::{guard::guarded, metrics::RulesMetrics};
pub(crate) use age::tell as tell_age;
use builder::Builder;
pub(crate) use letterbox::{Letterbox, Then};
use word_file::WordFile;

/// How often a word file is looked at, and rooms are put to rest. The topic's news is taken when it comes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Where the rules in force are read; swapped whole.
pub(crate) type Shelf = Arc<ArcSwapOption<Book>>;

/// Where lists come from. Mutes and bans come from the topic in any case.
pub(crate) enum Source {
    /// The topic alone.
    Topic,
    /// The topic, and these words as long as it has no list for all rooms.
    TopicOr(String),
    /// A word file instead.
    File(PathBuf),
}

/// Keeps a shelf at what its source says.
pub(crate) struct BookFeed {
    letterbox: Arc<Letterbox>,
    file: Option<WordFile>,
    /// The book of the word file; or of the built-in words, until the topic has a list.
    words: Option<Book>,
    press: Press,
    builder: Builder,
    people: (Arc<Mutes>, Arc<ban::Book>),
    shelf: Shelf,
    /// Books that were in force and may still be in somebody's hands. They are let go of here: to free 100,000 words takes some
    /// 10 ms, and a judging thread that had the last hold of them would stand still for it.
    retired: Vec<Arc<Book>>,
    condition: Condition,
    note: Note,
    metrics: RulesMetrics,
    /// Scopes of which a newer version was told than is in force.
    behind: BTreeSet<Scope>,
    /// What is wrong with the newest.
    wrong: Option<String>,
    /// When what is in force was last the newest known.
    confirmed: Arc<Lately>,
}

impl BookFeed {
    /// Feeds `shelf`. Nothing is looked at yet.
    pub(crate) fn new(
        source: Source,
        letterbox: Arc<Letterbox>,
        shelf: Shelf,
        condition: Condition,
        note: Note,
    ) -> Self {
        let (file, words) = match source {
            Source::Topic => (None, None),
            Source::TopicOr(words) => (None, built_in(&words)),
            Source::File(path) => (Some(WordFile::new(path)), None),
        };
        if file.is_some() {
            tracing::warn!("--words replaces the lists of danmaku-rules; its mutes and bans hold as ever");
        }
        Self {
            letterbox,
            file,
            words,
            press: Press::default(),
            builder: Builder::default(),
            people: Default::default(),
            shelf,
            retired: Vec::new(),
            condition,
            note,
            metrics: RulesMetrics::new(),
            behind: BTreeSet::new(),
            wrong: None,
            confirmed: Arc::default(),
        }
    }

    /// When what is in force was last the newest known.
    pub(crate) fn confirmed(&self) -> Arc<Lately> {
        Arc::clone(&self.confirmed)
    }

    /// Looks until `is_over`, at news when it wakes this thread. After a panic nobody looks any more: the last rules stay, grow
    /// old, and it is said.
    pub(crate) fn keep(mut self, is_over: impl Fn() -> bool) {
        let condition = self.condition.clone();
        let looking = move || {
            while !is_over() {
                self.look();
                thread::park_timeout(LOOK_EVERY);
            }
        };
        if guarded(looking).is_none() {
            condition.not_ready("the thread that reads the rules failed; restart this filter");
        }
    }

    /// Looks at what has come and puts it in force. Before the topic was told to its end nothing is: nobody knows yet who is
    /// muted.
    pub(crate) fn look(&mut self) {
        self.retired.retain(|book| Arc::strong_count(book) > 1);
        let post = self.letterbox.take();
        if !post.is_caught_up {
            return;
        }
        let has_people = post.people.is_some();
        if let Some((mutes, bans)) = post.people {
            self.people = (Arc::new(mutes), Arc::new(bans));
        }
        let has_rules = if self.file.is_some() { self.look_at_the_file() } else { self.renew(post.renewals) };
        if has_rules || has_people || self.shelf.load().is_none() {
            self.put_in_force();
        }
        if let (true, Some(heard)) = (has_rules, post.heard) {
            self.metrics.in_force_seconds.record(heard.elapsed().as_secs_f64());
        }
        self.press.rest(ROOM_ENTRIES_COMPILED);
        self.say_how_it_is();
    }

    /// Whether the word file has other words.
    fn look_at_the_file(&mut self) -> bool {
        match self.file.as_mut().map_or(Ok(None), WordFile::look) {
            Ok(book) => {
                self.wrong = None;
                let is_new = book.is_some();
                self.words = book.or(self.words.take());
                is_new
            }
            Err(why) => {
                self.complain(why);
                false
            }
        }
    }

    /// Whether a version or a room came or went.
    fn renew(&mut self, renewals: Vec<Renewal>) -> bool {
        let before = self.press.content();
        for renewal in renewals {
            let (scope, newest) = (renewal.scope.clone(), renewal.newest);
            for (number, why) in self.press.renew(renewal) {
                self.complain(format!("version {number} of {scope} is unusable: {why}"));
            }
            if newest.is_some_and(|newest| newest > self.press.in_force(&scope)) {
                self.behind.insert(scope);
            } else {
                self.behind.remove(&scope);
            }
        }
        if self.behind.is_empty() {
            self.wrong = None;
        }
        match self.builder.built() {
            Some(built) => {
                if let Err(why) = built.and_then(|lists| Ok(self.press.rebase(lists)?)) {
                    self.metrics.bad.increment(1);
                    tracing::error!(%why, "the large automaton cannot be built anew, the old one stays");
                }
            }
            None => self.press.overdue().iter().for_each(|edition| self.builder.begin(edition, thread::current())),
        }
        self.press.content() != before
    }

    fn put_in_force(&mut self) {
        let book = if self.file.is_some() { None } else { self.press.book() };
        let Some(book) = book.or_else(|| self.words.clone()) else { return };
        let (mutes, bans) = self.people.clone();
        let book = book.with_people(mutes, bans);
        self.metrics.put_in_force(&book);
        tracing::debug!(version = book.version, entries = book.entries(), "rules in force");
        self.retired.extend(self.shelf.swap(Some(Arc::new(book))));
    }

    /// The last good rules stay; said once.
    fn complain(&mut self, why: String) {
        self.metrics.bad.increment(1);
        if self.wrong.as_ref() != Some(&why) {
            tracing::error!(why, "new rules are not usable, the last good ones stay in force");
            self.wrong = Some(why);
        }
    }

    fn say_how_it_is(&mut self) {
        if self.behind.is_empty() && self.wrong.is_none() {
            self.confirmed.is_so();
        }
        let wrong = self.wrong.as_deref();
        match &*self.shelf.load() {
            Some(book) => {
                self.condition.ready();
                let wrong = wrong.map(|wrong| format!("; newer ones are not usable: {wrong}")).unwrap_or_default();
                self.note.set(format!("version {} with {} entries is in force{wrong}", book.version, book.entries()));
            }
            None => self.condition.not_ready(wrong.unwrap_or(
                "no rules yet: publish a list for all rooms with the moderation service, or name a word file with --words \
                 (DANMAKU_WORDS); without rules nothing is shown",
            )),
        }
    }
}

fn built_in(words: &str) -> Option<Book> {
    let book = Book::of_words(words.as_bytes());
    book.inspect_err(|why| tracing::error!(%why, "the built-in words are unusable")).ok()
}

/// Follows the topic into `letterbox`, and wakes `reader` when there is something for him.
pub(crate) fn follow(ground: &Ground, letterbox: Arc<Letterbox>, reader: Thread) -> anyhow::Result<Follower> {
    let condition = ground.readiness.condition("filter rules");
    let refused = RulesMetrics::refused();
    Follower::start(&ground.cluster, &Topic::Rules.name(&ground.topic_prefix), condition, move |news| {
        match letterbox.hear(news, Instant::now()) {
            Then::Rest => {}
            Then::Look => reader.unpark(),
            Then::Tell(why) => {
                refused.increment(1);
                tracing::error!(%why, "a record of the rule book is not kept");
            }
        }
    })
}

#[cfg(test)]
mod tests;
