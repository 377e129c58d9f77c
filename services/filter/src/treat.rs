//! What one record comes to in the judge's hands: judged, learned anew, written again as it stands, or closed. Which of it, and what
//! becomes of a record at which he fails, is kept out.

use judge::{Heard, Judgement};
use proto::v1::Word;

use crate::{hear::Bench, ownership::Treatment, partition::Judging, trace::Trace, write::Stamp};

impl Bench<'_> {
    /// What a record comes to, with what is to travel with its output if its trace begins here; `None` for one that is only
    /// learned.
    pub(crate) fn treat(
        &mut self,
        judging: &mut Judging,
        stamp: Stamp<'_>,
        heard: Heard,
        treatment: Treatment,
    ) -> Option<(Judgement, Option<String>)> {
        let (metrics, offset) = (&self.works.metrics, heard.id().offset);
        let judgement = match treatment {
            Treatment::Learn => {
                judging.judge.learn(self.desk, self.book, &heard);
                metrics.learned.increment(1);
                return None;
            }
            Treatment::Stood(stood) => {
                judging.judge.learn_stood(self.desk, self.book, &heard, &stood);
                metrics.stood.increment(1);
                Judgement::again(heard, stood)
            }
            Treatment::Superseded => {
                judging.judge.learn_superseded(self.desk, self.book, &heard);
                metrics.superseded.increment(1);
                metrics.judged(stamp.partition, offset, Word::Superseded, "");
                Judgement::superseded(heard)
            }
            Treatment::Judge => return Some(self.judge(judging, stamp, heard)),
        };
        Some((judgement, None))
    }

    /// Judges a record; and what is to travel with its output, if its trace begins here.
    fn judge(&mut self, judging: &mut Judging, stamp: Stamp<'_>, heard: Heard) -> (Judgement, Option<String>) {
        let (id, accepted_ms) = (heard.id(), heard.input().accepted_ms);
        let told = &self.works.told;
        let trace = told.begin(&judging.traces, (id, accepted_ms), stamp.traceparent, stamp.lag_ms);
        let judgement = judging.judge.judge(self.desk, self.book, heard, stamp.lag_ms);
        let code = judgement.verdict.as_ref().map_or("", |verdict| &verdict.code);
        self.works.metrics.judged(id.partition, id.offset, judgement.word, code);
        let header = trace.as_ref().and_then(Trace::header);
        judging.traces.judged(trace, judgement.word);
        (judgement, header)
    }
}
