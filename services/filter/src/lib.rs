//! The judge on the river: reads what was said, writes what may be shown, at least once in and effectively once to the eye
//! (F1–F11 of docs/rules.md; each is cited where it is carried out). How one message is judged is kept out (`judge`).
//!
//! # Layout, in reading order
//! A judging thread is `consume`: its round; `hear` is what happens to one record, `treat` what the judge makes of it, `write` and
//! `deliver` what is written for it and what of that is finished, `tally` what is only counted, `dead_letter` what cannot be judged,
//! `trace` of which it is told how. `partition` is the life of one partition: it comes through `assignment`, with `ownership` and
//! `warmup` deciding on what `survey` saw of its past, and `briefing` telling of it; it goes through `leave`. `upkeep` is what is done
//! each second, `watch` sees a partition stand still. `guard` is what becomes of a panic. `book_feed` brings the rules, `works` is
//! what threads share, `clock` their time.

#![forbid(unsafe_code)]

mod config;
mod metrics;
mod consume;
mod hear;
mod treat;
mod write;
mod deliver;
mod tally;
mod dead_letter;
mod trace;
mod partition;
mod assignment;
mod ownership;
mod warmup;
mod briefing;
mod survey;
mod leave;
mod upkeep;
mod watch;
mod guard;
mod book_feed;
mod works;
mod clock;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::Context as _;
use chassis::{
    admin::Condition,
    ground::Ground,
    kafka::{Follower, TopicSpec, keep_verifying},
    program::{self, Program, Public},
};
use proto::{
    Topic,
    topics::{OUTPUT_RETENTION_MS, filter_group},
};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    book_feed::{BookFeed, Letterbox, Shelf},
    clock::Clock,
    consume::Member,
    guard::guarded,
    metrics::Metrics,
    survey::Site,
    trace::Told,
    works::Works,
    write::Names,
};

pub use config::{Config, Settings};

/// The topics that the filter reads or writes.
const TOPICS: [Topic; 6] =
    [Topic::Input, Topic::Output, Topic::Verdicts, Topic::State, Topic::Rules, Topic::DeadLetter];

/// Before a member that failed joins anew.
const REJOIN_WAIT: Duration = Duration::from_secs(1);

/// The filter at work: its judging threads, and what feeds them. Dropping it ends them, impolitely; see [`Judge::leave`].
pub struct Judge {
    works: Arc<Works>,
    threads: Vec<JoinHandle<()>>,
    _tasks: [AbortOnDropHandle<()>; 2],
    _rules: Follower,
}

impl Judge {
    /// Starts judging on `ground`. It is ready when the topics are what they should be, there are rules, and the group's
    /// partitions are taken over. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start(ground: &Ground, config: Config) -> anyhow::Result<Self> {
        let works = Arc::new(works(ground, &config)?);
        let topics = ground.readiness.condition("filter topics");
        let condition = ground.readiness.condition("filter rules");
        let verifying =
            tokio::spawn(keep_verifying(ground.cluster.clone(), specs(ground), topics, Arc::clone(&works.verified)));
        let (feeding, letterbox) = (Arc::clone(&works), Arc::<Letterbox>::default());
        let note = ground.readiness.note("filter rules", "being read");
        let feed = BookFeed::new(config.rules(), Arc::clone(&letterbox), Arc::clone(&works.shelf), condition, note);
        let confirmed = feed.confirmed();
        let rules = spawn("rules".to_owned(), move || feed.keep(|| feeding.is_stopping()))?;
        let following = book_feed::follow(ground, letterbox, rules.thread().clone())?;
        let telling = tokio::spawn(book_feed::tell_age(confirmed, following.asked()));
        let mut threads = vec![rules];
        let judges = config.threads(ground.cluster.embedded);
        for number in 0..judges {
            let (works, condition) = (Arc::clone(&works), ground.readiness.condition("filter group"));
            let instance_id = config.instance_id.as_ref().map(|id| format!("{id}-{number}"));
            threads.push(spawn(format!("judge-{number}"), move || work(&works, instance_id.as_deref(), &condition))?);
        }
        Ok(Self { works, threads, _tasks: [verifying, telling].map(AbortOnDropHandle::new), _rules: following })
    }

    /// Leaves the group politely (F11): stops judging, waits a second for acknowledgements, commits, lets go.
    pub async fn leave(mut self) {
        self.stop();
        let threads = std::mem::take(&mut self.threads);
        let joined = tokio::task::spawn_blocking(move || threads.into_iter().for_each(|thread| drop(thread.join())));
        let _ = joined.await;
    }

    fn stop(&self) {
        self.works.stop.store(true, Ordering::Release);
        self.threads.iter().for_each(|thread| thread.thread().unpark());
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn(name: String, life: impl FnOnce() + Send + 'static) -> anyhow::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.clone()).spawn(life).with_context(|| format!("start thread {name}"))
}

fn works(ground: &Ground, config: &Config) -> anyhow::Result<Works> {
    let (names, clock) = (Names::new(&ground.topic_prefix), Clock::start());
    let site = Site {
        cluster: ground.cluster.clone(),
        group: filter_group(&ground.topic_prefix, ground.generation),
        names: names.clone(),
        generation: ground.generation,
        clock,
    };
    Ok(Works {
        desk: survey::open(&site, ground.partitions)?,
        told: Told::new(ground.tracer.of("filter"), &site.names.input, &site.group),
        cluster: site.cluster,
        group: site.group,
        names,
        generation: ground.generation,
        partitions: ground.partitions,
        limits: config.limits(),
        shelf: Shelf::default(),
        clock,
        metrics: Metrics::new(ground.partitions),
        verified: Arc::default(),
        stop: AtomicBool::new(false),
    })
}

fn specs(ground: &Ground) -> Vec<TopicSpec> {
    let described = |topic: Topic| topic.described(&ground.topic_prefix, ground.partitions, OUTPUT_RETENTION_MS).into();
    TOPICS.into_iter().map(described).collect()
}

/// The life of a judging thread: a member, and another one whenever it cannot go on.
fn work(works: &Works, instance_id: Option<&str>, condition: &Condition) {
    let mut rewinds = 0;
    while works.wait_for_topics_and_rules() {
        // It costs this thread's partitions a second and not the whole filter. Nothing of what it had is gone on with.
        let lived = guarded(|| {
            let mut member = Member::join(works, instance_id, rewinds, condition)?;
            let why = member.live();
            rewinds = member.rewinds + 1;
            anyhow::Ok(why)
        });
        let why = match lived {
            Some(Ok(None)) => return,
            Some(Ok(Some(why))) => why,
            Some(Err(error)) => format!("{error:#}"),
            None => "a panic".to_owned(),
        };
        works.metrics.rejoins.increment(1);
        tracing::error!(why, "the group is left and joined anew");
        condition.not_ready(format!("joining the group {} anew: {why}", works.group));
        thread::sleep(REJOIN_WAIT);
    }
}

/// The whole life of the filter alone.
///
/// # Errors
/// When a setting cannot be used (keys, ports); the text names it.
pub async fn run(settings: Settings) -> anyhow::Result<()> {
    let Settings { common, own } = settings;
    let verifier = program::verifier(common.keys.as_deref())?;
    let program = Program::begin::<Settings>(&common, program::cluster(&common)?, verifier, Public::Closed).await?;
    let program = program.asking_about(Topic::Input.name(&common.topic_prefix));
    let judge = Judge::start(&program.ground, own)?;
    // No clients are served here, so nothing is ever handled.
    program.run(|_, _| std::future::pending(), judge.leave()).await
}
