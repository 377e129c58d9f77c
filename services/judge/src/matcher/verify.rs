//! Whether a candidate is a hit: its runs, its gaps, its neighbors.
//!
//! - A run of the text is at least as long as the entry's; the whole of it belongs to the hit. Digits are as many as they are.
//! - Between two symbols lie at most as many signs as the entry allows, or has there itself. Between two digits none, unless the
//!   entry says how many: `6.9` is not 69.
//! - Where an entry of letters has signs (`kung fu`), the text has some too: `kungfu` is another word.
//! - Letters or digits with white space between them where the entry has none are only read together when each stands alone
//!   (`b a d`), which is a weak reading: else every `hot water` would be found in.
//! - Beside a letter of the border no letter, beside a digit no digit, unless the entry says otherwise. Digits with one sign
//!   between them are one number, as in 1.69.

use proto::v1::Reading;

use super::pattern::{Run, Use};
use crate::fold::{Class, Stream, Symbol, class};

const ONCE: &[Run] = &[Run { first: true, count: 1, joint: 0 }];

/// Why a candidate is no hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    Run,
    Gap,
    Number,
    Joint,
    Border,
    Spaced,
}

impl Use {
    /// Calls `each` with every candidate among the `groups` groups from `group` on: first symbol, symbol behind the last, and
    /// the reading if it is a hit.
    pub(super) fn verify(
        &self,
        stream: &Stream,
        group: usize,
        groups: usize,
        mut each: impl FnMut(usize, usize, Result<Reading, Rejected>),
    ) {
        if groups == 1 {
            return self.verify_one(stream, group, each);
        }
        match self.span(stream, group, groups) {
            Some((start, end)) => each(start, end, self.read(stream, group, start, end)),
            None => each(stream.group(group), stream.group(group + groups), Err(Rejected::Run)),
        }
    }

    /// An entry of one group, as 哈哈: each shortest stretch of the text's group that is long enough.
    fn verify_one(&self, stream: &Stream, group: usize, mut each: impl FnMut(usize, usize, Result<Reading, Rejected>)) {
        let (mut from, to) = (stream.group(group), stream.group(group + 1));
        let runs = self.runs_of(0);
        while let Some(end) = forwards(stream, from, to, runs) {
            let next = run_end(stream, from + 1, to);
            let shorter = next < end && forwards(stream, next, end, runs).is_some();
            if !shorter {
                each(from, end, self.read(stream, group, from, end));
            }
            from = if is_digit(stream, from) { from + 1 } else { next };
        }
    }

    /// The symbols of a hit in several groups, as far as runs tell: from the end of the first group to the begin of the last.
    fn span(&self, stream: &Stream, group: usize, groups: usize) -> Option<(usize, usize)> {
        let bounds = |place: usize| (stream.group(group + place), stream.group(group + place + 1));
        let (from, to) = bounds(0);
        let start = backwards(stream, from, to, self.runs_of(0))?;
        if self.runs.is_some() || self.digits {
            for place in 1..groups - 1 {
                let ((from, to), runs) = (bounds(place), self.runs_of(place));
                let end = forwards(stream, from, to, runs)?;
                // Letters that signs keep apart in the entry are as many runs in the text; and digits as many as they are.
                if (runs.len() > 1 || is_digit(stream, from)) && end != to {
                    return None;
                }
            }
        }
        let (from, to) = bounds(groups - 1);
        Some((start, forwards(stream, from, to, self.runs_of(groups - 1))?))
    }

    /// The runs of the entry's group at `place`.
    fn runs_of(&self, place: usize) -> &[Run] {
        let Some(runs) = self.runs.as_deref() else { return ONCE };
        let mut firsts = (0..runs.len()).filter(|&at| runs[at].first).skip(place);
        let (begin, end) = (firsts.next().unwrap_or(runs.len()), firsts.next().unwrap_or(runs.len()));
        &runs[begin..end]
    }

    /// How the symbols from `start` to before `end` read, if they may be read as one.
    fn read(&self, stream: &Stream, mut group: usize, start: usize, end: usize) -> Result<Reading, Rejected> {
        if !self.left.allows(before(stream, start)) || !self.right.allows(behind(stream, end)) {
            return Err(Rejected::Border);
        }
        let mut gaps = Gaps::default();
        let mut joints = self.runs.as_deref().unwrap_or_default().get(1..).unwrap_or_default();
        for (at, pair) in (start + 1..).zip(stream.symbols[start..end].windows(2)) {
            let [one, two] = pair else { break };
            let begins = at >= stream.group(group + 1);
            group += usize::from(begins);
            gaps.take(self, one, two, joint(&mut joints, begins, two.gap))?;
        }
        gaps.reading()
    }
}

/// The signs that the entry has before the text's next symbol, which begins a group or not. Passes over the runs up to there.
fn joint(runs: &mut &[Run], begins: bool, gap: u8) -> u8 {
    let next = match runs.iter().position(|run| run.first) {
        Some(first) if begins => first,
        _ if !begins && gap > 0 && runs.first().is_some_and(|run| !run.first) => 0,
        _ => return 0,
    };
    let joint = runs[next].joint;
    *runs = &runs[next + 1..];
    joint
}

/// What lay between the symbols of a candidate.
#[derive(Default)]
struct Gaps {
    any: bool,
    /// White space between two letters or digits where the entry has none.
    spaced: bool,
    /// Different letters or digits side by side.
    tight: bool,
}

impl Gaps {
    /// Takes what lies between `one` and `two`.
    fn take(&mut self, used: &Use, one: &Symbol, two: &Symbol, joint: u8) -> Result<(), Rejected> {
        let classes = (class(one.char), class(two.char));
        let word = !matches!(classes, (Class::Other, _) | (_, Class::Other));
        if two.gap == 0 {
            self.tight |= word && one.char != two.char;
            let apart = joint > 0 && classes == (Class::Letter, Class::Letter);
            return if apart { Err(Rejected::Joint) } else { Ok(()) };
        }
        if two.gap > used.gaps.max(joint) {
            return Err(Rejected::Gap);
        }
        if joint == 0 && classes == (Class::Digit, Class::Digit) && !used.explicit {
            return Err(Rejected::Number);
        }
        let spaced = word && two.spaced && joint == 0;
        self.spaced |= spaced;
        self.any |= !spaced && two.gap > joint;
        Ok(())
    }

    fn reading(&self) -> Result<Reading, Rejected> {
        match (self.spaced, self.any) {
            (true, _) if self.tight => Err(Rejected::Spaced),
            (true, _) => Ok(Reading::Spaced),
            (false, true) => Ok(Reading::Gaps),
            (false, false) => Ok(Reading::Exact),
        }
    }
}

/// The symbol that stands beside the first one of a hit.
fn before(stream: &Stream, start: usize) -> Option<char> {
    beside(stream, start, |one, _| one)
}

/// The symbol that stands beside the last one of a hit that ends before `end`.
fn behind(stream: &Stream, end: usize) -> Option<char> {
    beside(stream, end, |_, two| two)
}

/// One of the symbols around the place before `at`, if they stand side by side or are one number.
fn beside(stream: &Stream, at: usize, which: impl Fn(char, char) -> char) -> Option<char> {
    let (one, two) = (stream.symbols.get(at.checked_sub(1)?)?, stream.symbols.get(at)?);
    let number = two.gap == 1 && !two.spaced && one.char.is_ascii_digit() && two.char.is_ascii_digit();
    (two.gap == 0 || number).then(|| which(one.char, two.char))
}

fn is_digit(stream: &Stream, at: usize) -> bool {
    stream.symbols.get(at).is_some_and(|symbol| symbol.char.is_ascii_digit())
}

/// Where `runs` begin that end at `to`, at `from` at the earliest: each at least as long as it is, and whole in the text.
fn backwards(stream: &Stream, from: usize, to: usize, runs: &[Run]) -> Option<usize> {
    let mut start = to;
    for (place, run) in runs.iter().enumerate().rev() {
        start = start.checked_sub(usize::from(run.count)).filter(|&start| start >= from)?;
        while start > from && !is_digit(stream, start) && stream.symbols[start].gap == 0 {
            start -= 1;
        }
        if place > 0 && start == from {
            return None;
        }
    }
    Some(start)
}

/// Where `runs` end that begin at `from`, at `to` at the latest.
fn forwards(stream: &Stream, from: usize, to: usize, runs: &[Run]) -> Option<usize> {
    let mut end = from;
    for (place, run) in runs.iter().enumerate() {
        if (place > 0 && end == to) || end + usize::from(run.count) > to {
            return None;
        }
        end += usize::from(run.count);
        if !is_digit(stream, from) {
            end = run_end(stream, end, to);
        }
    }
    Some(end)
}

/// The first symbol from `at` on with something before it, or `to`.
fn run_end(stream: &Stream, mut at: usize, to: usize) -> usize {
    while at < to && stream.symbols[at].gap == 0 {
        at += 1;
    }
    at
}
