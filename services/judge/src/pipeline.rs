//! The order of judgement for one danmaku. Pure: no clock, no Kafka, no Redis; the caller brings them.

use std::ops::ControlFlow::{self, Break, Continue};

use proto::{
    ban::Until,
    v1::{self, Decision, Role, Say, input::Body},
};

use crate::{
    book::Book,
    crowd::Line,
    desk::Desk,
    heard::Heard,
    memory::Judge,
    rules::Action,
    verdict::{Finding, Judgement, LimitedBy, MutedBy, Verdict},
    who::Who,
};

/// How long somebody should wait whose message a rule limits.
const RULE_WAIT_MS: u32 = 10_000;

/// A message that only the rules and the room's budget can keep from being shown.
pub(crate) struct Heeded {
    who: Who,
    /// It has a place in the budget.
    is_kept: bool,
}

/// By whom and when a record is brought, and how late it is heard.
#[derive(Clone, Copy)]
struct Place {
    who: Who,
    now_ms: i64,
    lag_ms: u32,
}

impl Judge {
    /// Judges one record of a partition that is read `lag_ms` late. One version of the book judges one message whole.
    pub fn judge(&mut self, desk: &mut Desk, book: &Book, heard: Heard, lag_ms: u32) -> Judgement {
        let (verdict, found) = match self.before_the_rules(desk, book, &heard, lag_ms) {
            // What a moderator let through was the text: its author's name is what the rules make of it, as ever.
            Break(Verdict::Approved { .. }) => {
                (Verdict::Approved { name: desk.name_of_held(book, &heard) }, Finding::default())
            }
            Break(verdict) => (verdict, Finding::default()),
            Continue(None) => (Verdict::Passed, Finding::default()),
            Continue(Some(heeded)) => self.by_the_rules(desk, book, &heard, heeded),
        };
        Judgement::new(heard, verdict, found, book.version)
    }

    /// Everything that remembers: a verdict, or what the rules have to look at, if anything.
    pub(crate) fn before_the_rules(
        &mut self,
        desk: &mut Desk,
        book: &Book,
        heard: &Heard,
        lag_ms: u32,
    ) -> ControlFlow<Verdict, Option<Heeded>> {
        let now_ms = self.clock.advance(heard.append_ms());
        if !heard.is_allowed() {
            return Break(Verdict::Forbidden);
        }
        let place = Place { who: Who::brings(&self.keys, heard), now_ms, lag_ms };
        if let Some(of) = self.repeats.check(&self.keys, heard, place.who, now_ms) {
            return Break(Verdict::Repeated { of });
        }
        match &heard.input().body {
            Some(Body::Say(say)) => return self.said(desk, book, heard, say, place).map_continue(Some),
            Some(Body::Decision(decision)) => return Break(self.decided(book, heard, decision)),
            Some(Body::Mode(mode)) => self.modes.set(place.who.room, *mode),
            Some(Body::Sanction(sanction)) => {
                self.mutes.act(&self.keys, &heard.input().room, sanction, heard.append_ms());
            }
            // What else services and moderators bring is neither limited nor matched.
            _ => {}
        }
        Continue(None)
    }

    /// Mute and ban → the room's mode → rate → coarse cap → fold → duplicate, similar → budget. What is refused costs nothing.
    fn said(
        &mut self,
        desk: &mut Desk,
        book: &Book,
        heard: &Heard,
        say: &Say,
        place: Place,
    ) -> ControlFlow<Verdict, Heeded> {
        let (input, room, at_ms) = (heard.input(), &*heard.input().room, heard.append_ms());
        let Place { who, now_ms, lag_ms } = place;
        if let Some((by, until)) = self.mutes.check(&self.keys, book.bans(), input, who, at_ms) {
            return Break(Verdict::Muted { by, until });
        }
        if heard.is_privileged() {
            desk.lay(&say.text);
            return Continue(Heeded { who, is_kept: true });
        }
        let is_emotes = || {
            desk.lay(&say.text);
            desk.is_emotes(book, room, &say.text)
        };
        if let Some(refusal) = self.modes.check(who, input, at_ms, now_ms, is_emotes) {
            return Break(self.refused(heard, place, refusal));
        }
        if let Some(retry_ms) = self.rates.check(who, now_ms) {
            return Break(self.refused(heard, place, (LimitedBy::Rate, retry_ms)));
        }
        let budget_per_s = book.budget_per_s(room).unwrap_or(self.budget_per_s);
        if self.crowds.sheds(Line { who, user: input.user_id(), now_ms, lag_ms }, budget_per_s) {
            return Break(Verdict::Shed);
        }
        desk.lay(&say.text);
        let key = desk.key();
        let (said, sketch) = (who.and(&self.keys, key), self.similars.sketch(key));
        let again_ms = self.duplicates.check(said, now_ms);
        if let Some(retry_ms) = again_ms.or_else(|| self.similars.check(who, sketch?, now_ms)) {
            return Break(self.refused(heard, place, (LimitedBy::Duplicate, retry_ms)));
        }
        self.modes.count(who, now_ms);
        self.rates.count(who, now_ms);
        self.duplicates.remember(said, now_ms);
        if let Some(sketch) = sketch {
            self.similars.remember(who, sketch, now_ms);
        }
        let is_kept = self.budget.keeps(room, who, heard.id().offset, now_ms, budget_per_s);
        Continue(Heeded { who, is_kept })
    }

    /// What the rules say, and then the room's budget.
    fn by_the_rules(&mut self, desk: &mut Desk, book: &Book, heard: &Heard, heeded: Heeded) -> (Verdict, Finding) {
        let text = heard.say().map_or("", |say| &say.text);
        let mut ruling = desk.ruling(book, heard);
        let verdict = match ruling.action {
            // Nobody mutes those who run the room.
            Action::Block => Verdict::Blocked,
            Action::Mute if heard.is_privileged() => Verdict::Blocked,
            Action::Mute => self.mute(heard, heeded.who, i64::from(ruling.mute_s) * 1_000),
            Action::Limit => Verdict::Limited { by: LimitedBy::Rate, retry_after_ms: RULE_WAIT_MS },
            Action::Hold => Verdict::Held,
            Action::Shadow => Verdict::Shadowed,
            Action::Mask | Action::Flag | Action::Pass if !heeded.is_kept => Verdict::Thinned,
            Action::Mask => Verdict::Masked { text: desk.masked(text, &ruling), name: ruling.name.take() },
            Action::Flag => Verdict::Flagged,
            Action::Pass => Verdict::Passed,
        };
        (verdict, Finding { code: ruling.code.into(), rule: ruling.rule, hits: ruling.hits })
    }

    /// A moderator's answer to a held message: it skips words and rate, not mute and ban.
    fn decided(&self, book: &Book, heard: &Heard, decision: &Decision) -> Verdict {
        if !decision.approved {
            return Verdict::Rejected { late: decision.reason == "timeout" };
        }
        // The record of a decision says whence the held message came, so that a new name is not a new person here either.
        let v1::Input { room, device, address, .. } = heard.input().clone();
        let user = decision.user.clone();
        let author = v1::Input { room, user, device, address, role: Role::Sender as i32, ..v1::Input::default() };
        let who = Who::named(&self.keys, &author.room, author.user_id());
        match self.mutes.check(&self.keys, book.bans(), &author, who, heard.append_ms()) {
            Some((by, until)) => Verdict::Muted { by, until },
            None => Verdict::Approved { name: None },
        }
    }

    fn refused(&mut self, heard: &Heard, place: Place, (by, retry_after_ms): (LimitedBy, u32)) -> Verdict {
        match self.pressure.refused(place.who, place.now_ms) {
            Some(for_ms) => self.mute(heard, place.who, for_ms),
            None => Verdict::Limited { by, retry_after_ms },
        }
    }

    fn mute(&mut self, heard: &Heard, who: Who, for_ms: i64) -> Verdict {
        let until_ms = heard.append_ms().saturating_add(for_ms);
        self.mutes.mute(who, until_ms, heard.append_ms());
        Verdict::Muted { by: MutedBy::Mute, until: Until::Time(until_ms) }
    }
}

#[cfg(test)]
mod tests;
