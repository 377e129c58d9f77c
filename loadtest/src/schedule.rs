//! When and where each line is said: the file at a speed, in copies. Pure.

use std::time::Duration;

use crate::file::Line;
use crate::split::Splitter;

/// How a file is replayed.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// How much faster than the file's own time.
    pub speed: f64,
    /// How many rooms say it.
    pub rooms: usize,
    /// Where it ends, in the replay's time; none for the file's end.
    pub duration_max: Option<Duration>,
    /// Chooses where in the file each copy begins.
    pub seed: u64,
}

/// One line to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cue {
    /// When, from the replay's beginning.
    pub at: Duration,
    /// In which room.
    pub room: usize,
    /// Which line of the file.
    pub line: usize,
    /// By which part of the line's user.
    pub part: usize,
}

/// All that will be said.
#[derive(Debug, Default)]
pub struct Schedule {
    /// In the order of their times.
    pub cues: Vec<Cue>,
    /// How many senders say it, counted in each room.
    pub senders: usize,
    /// The time of the last cue.
    pub length: Duration,
}

/// Lays the copies of a file, whose lines are in the order of their times, into one schedule.
///
/// The first room begins at the file's beginning. Each other copy begins at a place of its own and goes round, so that
/// a loud minute of the file does not fall into the same second in every room: no platform's rooms cheer in step.
pub fn lay(lines: &[Line], manner: Manner) -> Schedule {
    let mut schedule = Schedule::default();
    for room in 0..manner.rooms {
        let mut splitter = Splitter::default();
        for (at, line) in turn(lines, manner, room) {
            let part = splitter.part(&lines[line].user, &lines[line].text, at);
            schedule.cues.push(Cue { at, room, line, part });
        }
        schedule.senders += splitter.senders();
    }
    schedule.cues.sort_by_key(|cue| cue.at);
    schedule.length = schedule.cues.last().map(|cue| cue.at).unwrap_or_default();
    schedule
}

/// One room's lines with their times, beginning at its own place in the file and going round once.
fn turn(lines: &[Line], manner: Manner, room: usize) -> impl Iterator<Item = (Duration, usize)> {
    let end = lines.last().map(|line| line.at).unwrap_or_default();
    // A round is longer than the file by one mean gap, so that its end and its beginning do not meet.
    let round = end + end / u32::try_from(lines.len()).unwrap_or(u32::MAX).max(1);
    let begin = round.mul_f64(place(room, manner));
    let first = lines.partition_point(|line| line.at < begin);
    let ahead = (first..lines.len()).map(move |line| (lines[line].at - begin, line));
    let round_again = (0..first).map(move |line| (lines[line].at + round - begin, line));
    ahead
        .chain(round_again)
        .map(move |(at, line)| (at.div_f64(manner.speed), line))
        .take_while(move |(at, _)| manner.duration_max.is_none_or(|most| *at <= most))
}

/// Where in the file a room begins, as a share of it: evenly spread, each moved within its own stretch by the seed.
fn place(room: usize, manner: Manner) -> f64 {
    if room == 0 {
        return 0.0;
    }
    // Multiplying by a large odd number and keeping the top bits spreads neighbors (Knuth's multiplicative hash).
    let mixed = manner.seed.wrapping_add(room as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let within = (mixed >> 11) as f64 / (1_u64 << 53) as f64;
    (room as f64 + within) / manner.rooms as f64
}

#[cfg(test)]
mod tests {
    use proto::v1::Position;

    use super::*;

    fn lines(at_ms: &[u64]) -> Vec<Line> {
        let line = |(index, &ms): (usize, &u64)| Line {
            at: Duration::from_millis(ms),
            user: format!("u{index}"),
            text: String::new(),
            position: Position::Scroll,
            color: None,
        };
        at_ms.iter().enumerate().map(line).collect()
    }

    fn manner(speed: f64, rooms: usize) -> Manner {
        Manner { speed, rooms, duration_max: None, seed: 1 }
    }

    #[test]
    fn one_room_is_the_file_at_its_speed() {
        let lines = lines(&[0, 500, 500, 3000]);
        for (speed, expected) in [(1.0, [0, 500, 500, 3000]), (2.0, [0, 250, 250, 1500]), (0.5, [0, 1000, 1000, 6000])]
        {
            let schedule = lay(&lines, manner(speed, 1));
            let at: Vec<_> = schedule.cues.iter().map(|cue| cue.at.as_millis()).collect();
            assert_eq!(at, expected, "{speed}");
            assert_eq!(schedule.cues.iter().map(|cue| cue.line).collect::<Vec<_>>(), [0, 1, 2, 3]);
            assert_eq!((schedule.senders, schedule.length), (4, schedule.cues[3].at));
        }
    }

    #[test]
    fn every_room_says_every_line_once_and_within_one_round() {
        let lines = lines(&[100, 200, 300, 1000, 5000, 9000]);
        let schedule = lay(&lines, manner(10.0, 7));
        assert!(schedule.cues.is_sorted_by_key(|cue| cue.at));
        assert!(schedule.length <= Duration::from_millis(9000 + 1500) / 10);
        for room in 0..7 {
            let mut said: Vec<_> = schedule.cues.iter().filter(|cue| cue.room == room).map(|cue| cue.line).collect();
            said.sort_unstable();
            assert_eq!(said, [0, 1, 2, 3, 4, 5], "room {room}");
        }
        let first = |room| schedule.cues.iter().find(|cue| cue.room == room).unwrap().line;
        assert!((1..7).any(|room| first(room) != first(0)), "copies begin elsewhere");
    }

    #[test]
    fn it_ends_where_it_was_told_to() {
        let lines = lines(&[0, 1000, 2000, 3000]);
        let short = Manner { duration_max: Some(Duration::from_secs(2)), ..manner(1.0, 1) };
        assert_eq!(lay(&lines, short).cues.len(), 3);
        assert!(lay(&[], manner(1.0, 3)).cues.is_empty());
    }

    #[test]
    fn the_same_seed_lays_the_same() {
        let lines = lines(&[0, 1000, 2500, 3000, 7000]);
        assert_eq!(lay(&lines, manner(3.0, 5)).cues, lay(&lines, manner(3.0, 5)).cues);
    }
}
