//! The river around the service: what is said and judged in it, and what the service put into it.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use chassis::kafka::{Cluster, Heard, LookUp, Outcome, Outgoing, Producer, ProducerSettings, Reader};
use proto::{
    MessageId, Topic, partition,
    record::{decode, encode},
    v1::{self, Hit, Input, Role, Verdict, Word, input::Body, item},
};

use crate::rig::{PARTITIONS, PATIENCE, PREFIX};

pub(crate) const GENERATION: u32 = 3;

/// Doors, filters, and a reader of `danmaku-input`.
pub(crate) struct River {
    cluster: Cluster,
    prefix: String,
    producer: Producer,
    /// The owner whose verdicts these are.
    owner: Mutex<u64>,
}

impl River {
    pub(crate) fn of(cluster: &Cluster) -> Self {
        Self::behind(cluster, PREFIX)
    }

    /// The one whose topics have this prefix.
    pub(crate) fn behind(cluster: &Cluster, prefix: &str) -> Self {
        let settings = ProducerSettings { message_timeout: None, linger: Duration::ZERO, queue_bytes: 16 << 20 };
        Self {
            cluster: cluster.clone(),
            prefix: prefix.to_owned(),
            producer: Producer::new(cluster, settings).unwrap(),
            owner: Mutex::new(1),
        }
    }

    fn write(&self, topic: Topic, room: &str, value: &[u8]) -> MessageId {
        let (name, partition) = (topic.name(&self.prefix), partition::of(room.as_bytes(), PARTITIONS));
        let record = Outgoing { topic: &name, partition, key: Some(room.as_bytes()), value: Some(value), headers: &[] };
        match tokio::task::block_in_place(|| self.producer.send(record).unwrap().wait()) {
            Outcome::Acked(offset) => MessageId { generation: GENERATION, partition, offset },
            failed @ Outcome::Failed(_) => panic!("{failed:?}"),
        }
    }

    /// A record comes into `danmaku-input`.
    pub(crate) fn put(&self, input: &Input) -> MessageId {
        self.write(Topic::Input, &input.room, &encode(input))
    }

    /// Somebody says something, from a device of his.
    pub(crate) fn say(&self, room: &str, user: &str, text: &str) -> (MessageId, Input) {
        let input = said(room, user, text);
        (self.put(&input), input)
    }

    /// The filter gives a verdict.
    pub(crate) fn verdict(&self, id: MessageId, input: &Input, word: Word, hits: Vec<Hit>) {
        let rule = hits.first().map(|hit| hit.entry.clone()).unwrap_or_default();
        let owner = v1::Owner { bump: *self.owner.lock().unwrap(), ..v1::Owner::default() };
        let verdict = Verdict {
            id: id.to_string(),
            owner: Some(owner),
            word: word as i32,
            rule,
            rules_version: 7,
            input: Some(input.clone()),
            hits,
            ..Verdict::default()
        };
        self.write(Topic::Verdicts, &input.room, &encode(&verdict));
    }

    /// The filter shows something to the room of the message `id`, or takes something back.
    pub(crate) fn output(&self, id: MessageId, room: &str, body: item::Body) {
        let owner = v1::Owner { bump: *self.owner.lock().unwrap(), ..v1::Owner::default() };
        let output = v1::Output {
            generation: GENERATION,
            src: Some(id.offset),
            owner: Some(owner),
            room: room.to_owned(),
            rules_version: 7,
            items: vec![v1::Item { body: Some(body), ..v1::Item::default() }],
            ..v1::Output::default()
        };
        self.write(Topic::Output, room, &encode(&output));
    }

    /// Somebody says something, and the room sees it.
    pub(crate) fn show(&self, room: &str, user: &str, text: &str) -> MessageId {
        self.show_as(room, user, text, v1::Message::default())
    }

    /// The same, of this look and kind.
    pub(crate) fn show_as(&self, room: &str, user: &str, text: &str, look: v1::Message) -> MessageId {
        let (id, input) = self.say(room, user, text);
        let message =
            v1::Message { id: id.to_string(), at: input.accepted_ms, user: input.user, text: text.to_owned(), ..look };
        self.output(id, room, item::Body::Message(message));
        id
    }

    /// Messages leave every screen.
    pub(crate) fn take_back(&self, room: &str, recall: v1::Recall) {
        let (id, _) = self.say(room, "mo", "");
        self.output(id, room, item::Body::Recall(recall));
    }

    /// The next owner's verdicts follow.
    pub(crate) fn next_owner(&self) {
        *self.owner.lock().unwrap() += 1;
    }

    /// Somebody says something, and the entry `e1` holds it.
    pub(crate) fn hold(&self, room: &str, user: &str, text: &str) -> MessageId {
        let (id, input) = self.say(room, user, text);
        self.verdict(id, &input, Word::Held, vec![hit("e1")]);
        id
    }

    /// Everything that stands in `danmaku-input` of a room, with its ids.
    pub(crate) fn input(&self, room: &str) -> Vec<(MessageId, Input)> {
        let (name, partition) = (Topic::Input.name(&self.prefix), partition::of(room.as_bytes(), PARTITIONS));
        let marks = LookUp::new(&self.cluster, "t-test", PATIENCE).unwrap().watermarks(&name, partition).unwrap();
        let reader = Reader::new(&self.cluster, &name).unwrap();
        reader.assign(partition, marks.low).unwrap();
        let (deadline, mut all) = (Instant::now() + PATIENCE, Vec::new());
        loop {
            assert!(Instant::now() < deadline, "the input is not read");
            match reader.poll(Duration::from_millis(100)) {
                Ok(Some(Heard::Record(record))) => {
                    let input: Input = decode(record.value()).unwrap();
                    if input.room == room {
                        all.push((input.id_at(partition, record.offset()), input));
                    }
                }
                Ok(Some(Heard::End(_))) => return all,
                _ => {}
            }
        }
    }

    /// The control records of a room that `pick` makes something of, once there are at least `least`.
    pub(crate) fn controls<T>(
        &self,
        room: &str,
        least: usize,
        pick: impl Fn(&Body) -> Option<T>,
    ) -> Vec<(MessageId, T)> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let all = tokio::task::block_in_place(|| self.input(room));
            let picked: Vec<_> = all
                .iter()
                .filter_map(|(id, input)| {
                    let picked = pick(input.body.as_ref()?)?;
                    assert_eq!((input.role(), input.generation), (Role::Service, GENERATION), "{input:?}");
                    Some((*id, picked))
                })
                .collect();
            if picked.len() >= least {
                return picked;
            }
            assert!(Instant::now() < deadline, "{} of {least} control records", picked.len());
        }
    }

    /// The decisions on what was held in a room, once there are at least `least`.
    pub(crate) fn decisions(&self, room: &str, least: usize) -> Vec<v1::Decision> {
        let pick = |body: &Body| match body {
            Body::Decision(decision) => Some(decision.clone()),
            _ => None,
        };
        self.controls(room, least, pick).into_iter().map(|(_, decision)| decision).collect()
    }
}

/// What a door writes.
pub(crate) fn said(room: &str, user: &str, text: &str) -> Input {
    Input {
        generation: GENERATION,
        room: room.to_owned(),
        user: Some(v1::User { id: user.to_owned(), name: format!("{user}'s name"), ..v1::User::default() }),
        role: Role::Sender as i32,
        accepted_ms: 7,
        client_id: format!("c-{user}"),
        device: format!("{user}-phone"),
        address: "0123456789abcdef0123456789abcdef".to_owned(),
        body: Some(Body::Say(v1::Say { text: text.to_owned(), color: Some(5), ..v1::Say::default() })),
        ..Input::default()
    }
}

/// Where an entry was found.
pub(crate) fn hit(entry: &str) -> Hit {
    Hit {
        entry: entry.to_owned(),
        list: "house".to_owned(),
        category: "spam".to_owned(),
        severity: 2,
        end: 5,
        ..Hit::default()
    }
}
