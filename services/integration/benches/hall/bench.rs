//! What the parts share: a river without filters, a hall on the measured core, and the table of figures.

use std::{path::Path, sync::Arc};

use integration::{Kafka, Node, World, kafka::Plan};
use tokio::runtime::Runtime;

use crate::probe;

/// As many as two processes on one machine can have open files for: the crowd holds those of the hall and of the floor.
pub(crate) const VIEWERS: usize = 9_600;

const ROOMS: usize = 10;

/// A run.
pub(crate) struct Bench {
    pub(crate) runtime: Runtime,
    pub(crate) world: World,
    pub(crate) rooms: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) stall_minutes: u64,
    figures: Vec<Figure>,
}

/// A number, and what it has to be.
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) at_least: Option<f64>,
    pub(crate) at_most: Option<f64>,
}

impl Figure {
    fn is_met(&self) -> bool {
        self.at_least.is_none_or(|least| self.value >= least) && self.at_most.is_none_or(|most| self.value <= most)
    }
}

impl Bench {
    /// A river on a Kafka of its own, on the core that this program is on.
    pub(crate) fn new(rounds: usize, stall_minutes: u64) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // A broker that is late is not dead: without this it lost its partitions whenever its core was busy for 4 s.
        let plan = Plan { settings: vec!["broker.session.timeout.ms=60000".to_owned()], ..Plan::default() };
        let kafka = Arc::new(Kafka::start(&plan)?);
        let logs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
        let world = runtime.block_on(World::on(kafka, "hall", Path::new(env!("CARGO_BIN_EXE_node")), &logs));
        let rooms = (0..ROOMS).map(|number| format!("bench-{number}")).collect();
        Ok(Self { runtime, world, rooms, rounds, stall_minutes, figures: Vec::new() })
    }

    /// A hall with one shard and without limits, all of it on the measured core.
    pub(crate) fn hall(&self, flags: &[&str]) -> anyhow::Result<Node> {
        let node =
            self.runtime.block_on(self.world.fanout(&[&["--shards", "1", "--handshakes-rate", "0"], flags].concat()));
        probe::pin(node.pid())?;
        Ok(node)
    }

    /// Writes a number down, and says it.
    pub(crate) fn figure(&mut self, figure: Figure) {
        println!("{}", line(&figure));
        self.figures.push(figure);
    }

    /// All figures; whether each is as it has to be.
    pub(crate) fn report(&self) -> bool {
        println!("\n  figures, load {}", probe::load());
        self.figures.iter().for_each(|figure| println!("{}", line(figure)));
        self.figures.iter().all(Figure::is_met)
    }
}

fn line(figure: &Figure) -> String {
    let Figure { name, value, at_least, at_most } = figure;
    let wanted = match (at_least, at_most) {
        (Some(least), _) => format!("≥ {least}"),
        (None, Some(most)) => format!("≤ {most}"),
        (None, None) => String::new(),
    };
    let word = if figure.is_met() { "" } else { "MISSED" };
    format!("  {value:10.2}  {wanted:8} {word:6}  {name}")
}

/// The middle one, or the mean of the two.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = |at: usize| values.get(at).copied().unwrap_or(f64::NAN);
    (middle(values.len() / 2) + middle(values.len().saturating_sub(1) / 2)) / 2.0
}
