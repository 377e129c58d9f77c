//! One judging thread: a member of the group with a reader and a producer of its own, and nothing between them (F1). Its round:
//! what the group says, what was asked, up to 256 records, what was acknowledged, and each second what is finished.
//! What happens to one record stands in `hear`, what is done each second in `upkeep`; how partitions come and go in
//! `assignment` and `leave`.

use std::{
    collections::BTreeMap,
    ops::ControlFlow::{self, Break, Continue},
    sync::mpsc::{self, Receiver, SyncSender},
    time::{Duration, Instant},
};

use chassis::{
    admin::Condition,
    kafka::{Heard, Membership, Reader},
};
use judge::Desk;

use crate::{
    hear::Bench,
    leave::{Leaving, REWIND_WAIT},
    metrics::Share,
    partition::Partition,
    survey::{About, Answer, Question},
    works::{TIMING, Works},
    write::Writer,
};

/// Records a round takes before it looks at the group and at acknowledgements again (F1): about a millisecond's work.
const ROUND_RECORDS_MAX: usize = 256;

/// How long a round waits for a first record. Group, acknowledgements and answers wait as long at most.
const ROUND_WAIT: Duration = Duration::from_millis(10);

/// How often what is finished is committed (F5).
const COMMIT_EVERY: Duration = Duration::from_secs(1);

/// How long a new member looks for the input's leaders before it joins.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(5);

/// What ends the usual course of rounds.
pub(crate) enum Interruption {
    /// The producer failed: it is thrown away, and all partitions are taken anew (F2, F11).
    Rewind(String),
    /// The group does not know this member any more, or a client cannot go on: all is thrown away and the group joined anew.
    Rejoin(String),
    /// We were asked to leave and have left.
    Left,
}

/// A member of the group at work.
pub(crate) struct Member<'a> {
    pub(crate) works: &'a Works,
    pub(crate) membership: Membership,
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
    pub(crate) partitions: BTreeMap<i32, Partition>,
    /// How often a producer was thrown away: the last part of owner numbers (F6).
    pub(crate) rewinds: u64,
    pub(crate) leaving: Option<Leaving>,
    desk: Desk,
    pub(crate) rewind_wait: Duration,
    pub(crate) rewound: Option<Instant>,
    answers: Receiver<Answer>,
    answer_to: SyncSender<Answer>,
    tickets: u64,
    /// Failed commits that are counted already.
    pub(crate) commit_failures: u64,
    next_second: Instant,
    /// Since when it is a member without partitions.
    pub(crate) joined: Option<Instant>,
    pub(crate) was_ready: bool,
    pub(crate) condition: &'a Condition,
    share_of_partitions: Share,
    share_of_in_flight: Share,
}

impl<'a> Member<'a> {
    /// Joins the group.
    pub(crate) fn join(
        works: &'a Works,
        instance_id: Option<&str>,
        rewinds: u64,
        condition: &'a Condition,
    ) -> anyhow::Result<Self> {
        let (cluster, names) = (&works.cluster, &works.names);
        // As many as questions: a helper that answers never waits for us, because each round takes all.
        let (answer_to, answers) = mpsc::sync_channel(usize::try_from(works.partitions)? * 2);
        let reader = Reader::new(cluster, &names.input)?;
        reader.prepare(PREPARE_TIMEOUT)?;
        Ok(Self {
            works,
            membership: Membership::join(cluster, &works.group, &names.input, TIMING, instance_id)?,
            reader,
            writer: works.writer()?,
            partitions: BTreeMap::new(),
            rewinds,
            leaving: None,
            desk: Desk::default(),
            rewind_wait: REWIND_WAIT,
            rewound: None,
            answers,
            answer_to,
            tickets: 0,
            commit_failures: 0,
            next_second: Instant::now(),
            joined: None,
            was_ready: false,
            condition,
            share_of_partitions: Share::of_partitions(),
            share_of_in_flight: Share::of_in_flight(),
        })
    }

    /// Judges until asked to leave (`None`), or until the group must be joined anew, for this reason.
    pub(crate) fn live(&mut self) -> Option<String> {
        loop {
            match self.round(Instant::now()) {
                Continue(()) => {}
                Break(Interruption::Left) => return None,
                Break(Interruption::Rejoin(why)) => return Some(why),
                Break(Interruption::Rewind(why)) => {
                    if let Err(error) = self.rewind(&why) {
                        return Some(format!("no new producer: {error}"));
                    }
                }
            }
        }
    }

    fn round(&mut self, now: Instant) -> ControlFlow<Interruption> {
        self.follow_the_group(now)?;
        while let Ok(answer) = self.answers.try_recv() {
            self.take_answer(answer, now)?;
        }
        self.advance(now)?;
        self.turn()?;
        self.settle()?;
        if now >= self.next_second {
            self.next_second = now + COMMIT_EVERY;
            self.write_tallies()?;
            self.commit();
            self.watch(now);
        }
        self.tell_whether_ready(now);
        Continue(())
    }

    /// Hears what is there, up to a round's worth.
    fn turn(&mut self) -> ControlFlow<Interruption> {
        let (reader, writer, desk) = (&self.reader, &self.writer, &mut self.desk);
        let (mut began, mut records, mut lag_ms) = (None, 0, 0);
        while records < ROUND_RECORDS_MAX {
            let wait = if records == 0 { ROUND_WAIT } else { Duration::ZERO };
            match self.reader.poll(wait) {
                Ok(None) => break,
                Ok(Some(Heard::Record(record))) => {
                    began.get_or_insert_with(Instant::now);
                    records += 1;
                    // Taken for each record and not for the round: what is said after an edit is in force is judged by it,
                    // though the round began to wait before.
                    let shelf = self.works.shelf.load();
                    let Some(book) = shelf.as_deref() else { break };
                    let mut bench = Bench { works: self.works, reader, writer, book, desk: &mut *desk };
                    if let Some(partition) = self.partitions.get_mut(&record.partition()) {
                        lag_ms = lag_ms.max(bench.hear(partition, &record)?);
                    }
                }
                Ok(Some(Heard::End(number))) => {
                    if let Some(judging) = self.partitions.get_mut(&number).and_then(Partition::judging) {
                        judging.met_end();
                    }
                }
                Err(error) => {
                    // It heals by itself; if not, the watch sees a partition stand still.
                    tracing::debug!(%error, "while reading");
                    break;
                }
            }
        }
        if let Some(began) = began {
            self.works.metrics.turn.record(began.elapsed().as_secs_f64());
            self.works.metrics.lag.record(lag_ms as f64 / 1_000.0);
        }
        Continue(())
    }

    /// Finishes what is acknowledged, and reads on where that made room (F3, F5).
    fn settle(&mut self) -> ControlFlow<Interruption> {
        if let Some(why) = self.writer.fatal() {
            return Break(Interruption::Rewind(format!("fatal producer error: {why}")));
        }
        let Some(book) = self.works.shelf.load_full() else { return Continue(()) };
        let (reader, writer, desk) = (&self.reader, &self.writer, &mut self.desk);
        let bench = Bench { works: self.works, reader, writer, book: &book, desk };
        let mut in_flight = 0;
        for partition in self.partitions.values_mut() {
            let number = partition.number;
            let Some(judging) = partition.judging() else { continue };
            bench.settle(number, judging)?;
            let rests = !judging.reading && !judging.leaving;
            if rests && judging.is_spoilt() && judging.is_done() {
                return Break(Interruption::Rewind("the judge failed on many records in a row".to_owned()));
            }
            if rests && !judging.is_spoilt() && judging.in_flight.has_drained() {
                judging.read_on(&self.reader, number);
            }
            in_flight += judging.in_flight.len();
        }
        self.share_of_in_flight.set(in_flight);
        self.share_of_partitions.set(self.partitions.len());
        Continue(())
    }

    /// Asks the survey; `None` if its desk is full, which passes.
    pub(crate) fn ask(&mut self, partition: i32, about: About) -> Option<u64> {
        self.tickets += 1;
        let question = Question { ticket: self.tickets, partition, about, answer: self.answer_to.clone() };
        self.works.desk.try_send(question).ok().map(|()| self.tickets)
    }

    /// Does something to a partition with the member in its hands too.
    pub(crate) fn with(
        &mut self,
        number: i32,
        act: impl FnOnce(&mut Self, &mut Partition) -> ControlFlow<Interruption>,
    ) -> ControlFlow<Interruption> {
        let Some(mut partition) = self.partitions.remove(&number) else { return Continue(()) };
        let outcome = act(self, &mut partition);
        self.partitions.insert(number, partition);
        outcome
    }
}
