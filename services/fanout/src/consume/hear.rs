//! One record: whether it counts, what it shows, and how late it is.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::kafka;
use proto::{
    reading::{Judged, Reading},
    record, v1,
};

use super::{
    decode::decode,
    partition::{Desk, Partition, Stage},
    states,
};
use crate::{house::Moment, inbox::Event, raw::Record};

impl Partition {
    /// Reads a record.
    pub(super) fn hear(&mut self, record: &kafka::Record<'_>, desk: &Desk) {
        // Late ones of a partition that was let go, or that a new consumer reads again.
        if self.stage != Stage::Reading || record.offset() < self.next() {
            return;
        }
        let now = Instant::now();
        let now_ms = now.saturating_duration_since(desk.house.epoch).as_millis() as i64;
        let offset = record.offset();
        self.last = Some((now_ms, record.time_ms(), offset));
        desk.metrics.records.increment(1);
        match record::decode::<v1::Output>(record.value()) {
            Ok(output) => self.judge(&output, record, (now, now_ms), desk),
            Err(error) => self.undecodable(offset, &error.to_string(), desk),
        }
        self.is_caught_up |= self.next() >= self.live_from;
    }

    fn undecodable(&mut self, offset: u64, error: &str, desk: &Desk) {
        self.reading.skip(offset);
        desk.metrics.undecodable.increment(1);
        desk.house.told.undecodable(self.number, offset);
        tracing::warn!(partition = self.number, offset, error, "output record passed over");
    }

    fn judge(&mut self, output: &v1::Output, record: &kafka::Record<'_>, now: (Instant, i64), desk: &Desk) {
        let (offset, append_ms) = (record.offset(), record.time_ms());
        if self.reading.is_new_generation(output) {
            self.new_generation(output.generation, offset, desk);
        }
        match self.reading.judge(offset, output) {
            Judged::Claim => {}
            Judged::PassedOver => desk.metrics.passed_over.increment(1),
            Judged::Repeated => desk.metrics.repeated.increment(1),
            Judged::Show(at) => match decode(output) {
                Err(error) => self.undecodable(offset, &error.to_string(), desk),
                Ok(decoded) => {
                    states::note_modes(output, decoded.room.as_ref(), self.number, &desk.house);
                    let private = decoded.items.iter().filter(|item| item.to_user.is_some()).count();
                    desk.metrics.private.increment(private as u64);
                    if !decoded.items.is_empty() {
                        let said = self.said(offset, append_ms, now, desk);
                        let late = Duration::from_millis(output.judge_lag_ms.into());
                        let fresh = desk.house.config.fresh.saturating_sub(late);
                        self.burst.push(Arc::new(Record {
                            at,
                            append_ms,
                            heard: now.0,
                            said,
                            fresh_until: said + fresh,
                            trace: desk.house.told.trace(record, output).map(Box::new),
                            room: decoded.room,
                            items: decoded.items.into(),
                        }));
                    }
                }
            },
        }
    }

    /// Topics were recreated or the cluster was moved: what was kept belongs to another history, and viewers are told that
    /// something may lie between.
    fn new_generation(&mut self, generation: u32, offset: u64, desk: &Desk) {
        // Who may hear it was told of the states already.
        self.tell(self.is_told_caught_up, desk);
        tracing::warn!(partition = self.number, offset, generation, "a new generation begins");
        desk.metrics.restarts.increment(1);
        desk.house.raw(self.number as usize).restart(offset);
        let at = Reading::new(generation, self.number, offset).at();
        self.tell_all(desk, || Event::Restarted(at));
        if self.is_told_caught_up {
            self.tell_all(desk, || Event::CaughtUp(self.number));
        }
    }

    /// When a record was appended, by our clock. A live one is late by what our reading lags, which compares no two clocks. What
    /// stands there since before the assignment is history, whose age only the broker's clock knows: if that is not ours,
    /// the worst is that who joins a quiet room is shown too little or too much of it. Nobody is shown it as live.
    fn said(&mut self, offset: u64, append_ms: i64, now: (Instant, i64), desk: &Desk) -> Instant {
        let lag_ms = if offset >= self.live_from {
            self.baseline.lag(now.1, append_ms)
        } else {
            (Moment::now().unix_ms - append_ms).max(0).unsigned_abs()
        };
        // Before the hall opened nobody watched.
        now.0.checked_sub(Duration::from_millis(lag_ms)).unwrap_or(desk.house.epoch)
    }

    /// Its end was reached: the last record was read as early as it could be.
    pub(super) fn ended(&mut self) {
        if self.stage != Stage::Reading {
            return;
        }
        if let Some((now_ms, append_ms, offset)) = self.last.take()
            && offset >= self.live_from
            && offset + 1 == self.next()
        {
            self.baseline.observe_end(now_ms, append_ms);
        }
        self.is_caught_up = true;
    }
}
