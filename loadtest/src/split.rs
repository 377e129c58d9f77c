//! Which sender says a line: one user of the file becomes several when a faster replay would have the judge limit him.
//! Pure. What the judge allows is written here once more, as a crowd from outside cannot ask it.

use std::collections::HashMap;
use std::time::Duration;

/// The judge lets a user say one message a second in a room (burst 3); a gap of this never uses the burst up.
pub const GAP: Duration = Duration::from_secs(1);

/// The judge drops a user's own repeat of a text within this. A second more, as it counts the broker's time.
pub const REPEAT: Duration = Duration::from_secs(11);

/// Gives the lines of one room, in the order of their times, to senders.
#[derive(Debug, Default)]
pub struct Splitter<'a> {
    users: HashMap<&'a str, Vec<Part<'a>>>,
}

/// One sender that a user was split into.
#[derive(Debug, Default)]
struct Part<'a> {
    free_at: Duration,
    /// What it said in the last [`REPEAT`].
    said: Vec<(Duration, &'a str)>,
}

impl<'a> Splitter<'a> {
    /// The number of the part of `user` that says `text` at `at`: the lowest one that is free to.
    pub fn part(&mut self, user: &'a str, text: &'a str, at: Duration) -> usize {
        let parts = self.users.entry(user).or_default();
        let number = parts.iter_mut().position(|part| part.may_say(text, at)).unwrap_or_else(|| {
            parts.push(Part::default());
            parts.len() - 1
        });
        let part = &mut parts[number];
        part.free_at = at + GAP;
        part.said.push((at, text));
        number
    }

    /// How many senders the users became.
    pub fn senders(&self) -> usize {
        self.users.values().map(Vec::len).sum()
    }
}

impl Part<'_> {
    fn may_say(&mut self, text: &str, at: Duration) -> bool {
        self.said.retain(|&(when, _)| when + REPEAT > at);
        self.free_at <= at && self.said.iter().all(|&(_, said)| said.trim() != text.trim())
    }
}

/// A sender's name: `u17~0` is the first part of `u17`.
pub fn name(user: &str, part: usize) -> String {
    format!("{user}~{part}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(lines: &[(&'static str, u64, &'static str)]) -> Vec<usize> {
        let mut splitter = Splitter::default();
        lines.iter().map(|&(user, ms, text)| splitter.part(user, text, Duration::from_millis(ms))).collect()
    }

    #[test]
    fn gaps_below_a_second_split() {
        let table: [(&[_], &[usize]); 4] = [
            (&[("a", 0, "1"), ("a", 1000, "2"), ("a", 2000, "3")], &[0, 0, 0]),
            (&[("a", 0, "1"), ("a", 999, "2"), ("a", 1000, "3"), ("a", 1500, "4"), ("a", 1999, "5")], &[0, 1, 0, 2, 1]),
            (&[("a", 0, "1"), ("b", 10, "2"), ("a", 20, "3"), ("b", 30, "4")], &[0, 0, 1, 1]),
            (&[("", 0, "1"), ("", 0, "2")], &[0, 1]),
        ];
        for (lines, expected) in table {
            assert_eq!(parts(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_users_own_repeat_splits() {
        assert_eq!(
            parts(&[("a", 0, "云"), ("a", 2000, "茶"), ("a", 10_000, " 云 "), ("a", 11_000, "云")]),
            [0, 0, 1, 0]
        );
        assert_eq!(parts(&[("a", 0, "云"), ("b", 2000, "云")]), [0, 0], "another's is no repeat");
    }

    proptest! {
        #[test]
        fn no_sender_is_ever_limited(mut lines in proptest::collection::vec((0..4_u8, 0..60_000_u64, 0..6_u8), 0..300)) {
            lines.sort_by_key(|line| line.1);
            let names: Vec<_> = (0..6).map(|number| number.to_string()).collect();
            let mut splitter = Splitter::default();
            let mut said = HashMap::<_, Vec<(u64, u8)>>::new();
            for (user, ms, text) in lines {
                let part = splitter.part(&names[usize::from(user)], &names[usize::from(text)], Duration::from_millis(ms));
                let mine = said.entry((user, part)).or_default();
                prop_assert!(mine.last().is_none_or(|&(before, _)| before + 1000 <= ms));
                prop_assert!(mine.iter().all(|&(before, same)| same != text || before + 11_000 <= ms));
                mine.push((ms, text));
            }
            prop_assert_eq!(said.len(), splitter.senders());
        }
    }
}
