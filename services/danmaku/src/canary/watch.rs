//! The canary that goes on: it speaks at its pace, keeps the book, and serves the numbers until it is told to leave.

use std::time::{Duration, Instant};

use chassis::{
    admin::{Admin, Condition, Pages, Readiness},
    listen,
    shutdown::{self, Shutdown},
    telemetry,
};
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};

use super::{
    Canary, Stage,
    book::{Book, Settled, Sight},
    numbers::Numbers,
    speaker::{self, Answer},
    watcher::Event,
};

/// How often it is looked whether something has had its time.
const SETTLE_EVERY: Duration = Duration::from_millis(250);

/// Answers on their way from the door: each is waited for 10 s at most, and one is asked for each second at most.
const ANSWERS_MAX: usize = 16;

/// Goes on until a signal.
pub(super) async fn run(canary: &Canary, mut stage: Stage) -> anyhow::Result<()> {
    let telemetry = telemetry::install(canary.log_format)?;
    let (readiness, shutdown) = (Readiness::new(), Shutdown::new());
    let _signals = shutdown::on_signals(&shutdown)?;
    let condition = readiness.condition("canary");
    let admin = Admin::new(readiness, telemetry, Pages::default()).serve(listen::bind(canary.admin, "--admin")?)?;
    listen::announce(None, admin.address());
    let (tell, mut answers) = mpsc::channel::<(String, Answer)>(ANSWERS_MAX);
    let mut keeper = Keeper::new(&stage, canary.within, condition);
    let (mut speaking, mut settling) = (interval(canary.every), interval(SETTLE_EVERY));
    speaking.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.requested() => return Ok(()),
            Some(event) = stage.events.recv() => keeper.hear(event),
            Some((text, answer)) = answers.recv() => keeper.answered(&text, answer),
            _ = settling.tick() => keeper.settle(Instant::now()),
            _ = speaking.tick() => {
                let (text, speaker, tell) = (speaker::text(), stage.speaker.clone(), tell.clone());
                keeper.book.say(text.clone(), Instant::now());
                tokio::spawn(async move {
                    let answer = speaker.say(&text).await;
                    // Nobody keeps the book any more: we are leaving.
                    let _ = tell.send((text, answer)).await;
                });
            }
        }
    }
}

/// Keeps the book and its numbers.
struct Keeper {
    book: Book,
    halls: Vec<String>,
    numbers: Numbers,
    condition: Condition,
    /// What the last thing said came to.
    last: Result<(), String>,
}

impl Keeper {
    fn new(stage: &Stage, within: Duration, condition: Condition) -> Self {
        Self {
            book: Book::new(stage.halls.len(), within),
            halls: stage.halls.clone(),
            numbers: Numbers::new(&stage.halls),
            condition,
            last: Err("nothing was said yet".to_owned()),
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Connected(watcher) => self.moved(watcher, true, ""),
            Event::Gone(watcher, why) => self.moved(watcher, false, &why),
            Event::Saw { watcher, text, at, is_replay } => match self.book.saw(watcher, &text, at) {
                Sight::First(after) => {
                    self.numbers.halls[watcher].saw(after);
                }
                // A history that is told again says so.
                Sight::Again if !is_replay => self.numbers.halls[watcher].repeated.increment(1),
                Sight::Again | Sight::Stray => {}
            },
            Event::Stopped { client_id, verdict } => {
                if self.book.stopped(&client_id) {
                    self.numbers.stopped.increment(1);
                    self.ended(Err(format!("the judge stopped what was said: {verdict}")));
                }
            }
        }
        self.tell();
    }

    fn moved(&mut self, watcher: usize, is_connected: bool, why: &str) {
        if self.book.is_connected(watcher) != is_connected {
            let hall = &self.halls[watcher];
            match is_connected {
                true => tracing::info!(hall, "watching"),
                false => tracing::warn!(hall, why, "the hall is lost"),
            }
        }
        self.book.set_connected(watcher, is_connected);
        self.numbers.halls[watcher].connected.set(f64::from(u8::from(is_connected)));
    }

    fn answered(&mut self, text: &str, answer: Answer) {
        let (number, why) = match answer {
            Answer::Accepted => {
                self.book.accepted(text);
                return self.numbers.accepted.increment(1);
            }
            Answer::Refused(code) => (&self.numbers.refused, format!("the door refused what was said: {code}")),
            Answer::Silent(why) => (&self.numbers.silent, format!("the door did not answer: {why}")),
        };
        number.increment(1);
        self.book.stopped(text);
        self.ended(Err(why));
    }

    fn settle(&mut self, now: Instant) {
        for Settled { due, lost } in self.book.settle(now) {
            for watcher in &due {
                let numbers = &self.numbers.halls[*watcher];
                numbers.due.increment(1);
                if lost.contains(watcher) { numbers.lost.increment(1) } else { numbers.received.increment(1) }
            }
            let where_lost: Vec<_> = lost.iter().map(|watcher| self.halls[*watcher].as_str()).collect();
            self.ended(if lost.is_empty() { Ok(()) } else { Err(format!("not seen at {}", where_lost.join(", "))) });
        }
        self.tell();
    }

    fn ended(&mut self, outcome: Result<(), String>) {
        if let (Err(why), true) = (&outcome, outcome != self.last) {
            tracing::warn!(why, "not delivered");
        }
        self.last = outcome;
    }

    fn tell(&self) {
        if let Some(ratio) = self.book.ratio() {
            self.numbers.ratio.set(ratio);
        }
        let all_there = if self.book.are_all_connected() { Ok(()) } else { Err("not at every hall".to_owned()) };
        let health = all_there.and(self.last.clone());
        self.numbers.healthy.set(f64::from(u8::from(health.is_ok())));
        match health {
            Ok(()) => self.condition.ready(),
            Err(why) => self.condition.not_ready(why),
        }
    }
}
