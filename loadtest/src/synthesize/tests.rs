//! The file in the tree against the figures of the room it imitates.

use std::collections::HashMap;

use super::*;
use crate::file::{Line, parse};

const IN_THE_TREE: &str = include_str!("../../data/synthetic.ndjson");

fn lines() -> Vec<Line> {
    let recording = parse(IN_THE_TREE).unwrap();
    assert_eq!(recording.faults, crate::file::Faults::default());
    recording.lines
}

fn near(what: &str, value: f64, room: f64, tolerance: f64) {
    println!("{what}: {value:.3}, in the room {room:.3}");
    assert!((value - room).abs() <= tolerance, "{what}: {value:.3}, in the room {room:.3} ± {tolerance}");
}

fn share(lines: &[Line], is: impl Fn(&Line) -> bool) -> f64 {
    lines.iter().filter(|line| is(line)).count() as f64 / lines.len() as f64
}

#[test]
fn the_file_in_the_tree_is_the_one_that_seed_1_invents() {
    assert!(IN_THE_TREE.len() < 1 << 20);
    let invented = file(Synthesize { seed: 1, count: 5000, span: None });
    assert!(invented == IN_THE_TREE, "loadtest synthesize > loadtest/data/synthetic.ndjson");
}

#[test]
fn lengths() {
    let lines = lines();
    let chars = |line: &Line| line.text.chars().count();
    for (from, room) in [(0, 12_019.0), (5, 7374.0), (10, 2689.0), (15, 873.0), (20, 191.0)] {
        let value = share(&lines, |line| (from..from + 5).contains(&chars(line)));
        near(&format!("share of {from} to {} characters", from + 4), value, room / 23_183.0, 0.02);
    }
    near("mean length", lines.iter().map(chars).sum::<usize>() as f64 / 5000.0, 5.5, 0.3);
    assert!(lines.iter().all(|line| (1..=30).contains(&chars(line))));
    let chinese = |character| ('\u{4e00}'..='\u{9fff}').contains(&character);
    near("share with Chinese", share(&lines, |line| line.text.chars().any(chinese)), 0.894, 0.02);
}

#[test]
fn repeats() {
    let lines = lines();
    let mut last = HashMap::new();
    let ages: Vec<Option<Duration>> =
        lines.iter().map(|line| last.insert(&line.text, line.at).map(|before| line.at - before)).collect();
    let within = |secs| {
        let most = Duration::from_secs(secs);
        ages.iter().flatten().filter(|&&age| age <= most).count() as f64 / 5000.0
    };
    near("share said before", within(1_000_000), 0.431, 0.03);
    near("share said within 5 s", within(5), 0.228, 0.03);
    near("share said within 60 s", within(60), 0.334, 0.03);
    let mut counts = HashMap::<_, u32>::new();
    lines.iter().for_each(|line| *counts.entry(&line.text).or_default() += 1);
    near("share of the most frequent text", f64::from(counts.into_values().max().unwrap()) / 5000.0, 0.105, 0.02);
}

#[test]
fn waves() {
    let lines = lines();
    for (secs, room, tolerance) in [(1, 0.92, 0.3), (10, 0.84, 0.3), (60, 0.43, 0.2), (300, 0.18, 0.12)] {
        let mut counts = vec![0.0; 3000 / secs];
        lines.iter().for_each(|line| counts[line.at.as_secs() as usize / secs] += 1.0);
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / counts.len() as f64;
        near(&format!("squared variation of the rate in {secs} s"), (variance / mean - 1.0) / mean, room, tolerance);
    }
}

#[test]
fn users() {
    let lines = lines();
    let mut counts = HashMap::<_, usize>::new();
    lines.iter().for_each(|line| *counts.entry(&line.user).or_default() += 1);
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let users = counts.len() as f64;
    near("messages a user", 5000.0 / users, 10.3, 2.0);
    near("messages of the median user", counts[counts.len() / 2] as f64, 3.0, 1.0);
    near("share of users with one", counts.iter().filter(|&&count| count == 1).count() as f64 / users, 0.316, 0.05);
    let top = counts.iter().take(counts.len() / 100).sum::<usize>() as f64 / 5000.0;
    near("share of the top 1 %", top, 0.187, 0.07);
    let mut last = HashMap::new();
    let gap = |line: &Line| last.insert(line.user.clone(), line.at).map(|before| line.at - before);
    let gaps: Vec<_> = lines.iter().filter_map(gap).collect();
    let below = |secs| gaps.iter().filter(|gap| gap.as_secs_f64() < secs).count() as f64 / gaps.len() as f64;
    near("share of gaps below 1 s", below(1.0), 0.0001, 0.001);
    near("share of gaps below 3 s", below(3.0), 0.0038, 0.005);
}

#[test]
fn looks() {
    let lines = lines();
    near("share at the bottom", share(&lines, |line| line.position == proto::v1::Position::Bottom), 0.0205, 0.005);
    near("share with a color", share(&lines, |line| line.color.is_some()), 0.299, 0.01);
}
