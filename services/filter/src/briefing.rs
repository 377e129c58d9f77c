//! What a judge is told before he hears his first record: what was decided so long ago that no replay tells it (F8).

use judge::{Coming, Judge};
use proto::{Source, partition, v1::MuteRule};

use crate::{consume::Member, survey::Past};

/// Mutes that ended and are taken from `danmaku-state` at one assignment; the others at the next.
const FORGOTTEN_AT_ONCE: usize = 1_000;

impl Member<'_> {
    /// A judge who knows the rooms' modes, and who is muted.
    pub(crate) fn judge_who_knows(&self, number: i32, past: &Past, start: u64) -> Judge {
        let mut judge = Judge::new(self.works.limits);
        let at = |offset| Source { generation: self.works.generation, offset };
        let coming = Coming { first: at(past.read_from), start: at(start), since_ms: past.since_ms };
        past.states.iter().for_each(|state| judge.tell_state(state, coming));
        if let Some(book) = &*self.works.shelf.load() {
            let here = |rule: &&MuteRule| partition::of(rule.room.as_bytes(), self.works.partitions) == number;
            book.mutes().iter().filter(here).for_each(|rule| judge.tell_mute(rule, coming));
        }
        for key in past.states.ended(past.since_ms).take(FORGOTTEN_AT_ONCE) {
            // Should a mute under this key come at this moment from who judged before, it is forgotten by the next judge.
            if let Err(failure) = self.writer.forget_state(number, &key) {
                tracing::debug!(partition = number, ?failure, "a mute that ended is not forgotten");
            }
        }
        judge
    }
}
