//! What is said: few short words over and over, echoes of what was just said, and the rest new.

use std::collections::HashSet;

use super::dice::{Dice, running};
use super::words;

/// How often, of 23,183 messages, each of the eight most frequent texts was said. Ours are other words, as long.
const POPULAR: [(&str, f64); 8] = [
    (words::POPULAR[0], 2426.0),
    (words::POPULAR[1], 994.0),
    (words::POPULAR[2], 647.0),
    (words::POPULAR[3], 350.0),
    (words::POPULAR[4], 300.0),
    (words::POPULAR[5], 135.0),
    (words::POPULAR[6], 129.0),
    (words::POPULAR[7], 100.0),
];

const ALL: f64 = 23_183.0;

/// The lengths of the other texts in characters, from 1 to 30: how many of the 18,102 had each.
const LENGTHS: [f64; 30] = [
    489.0, 2011.0, 1762.0, 2676.0, 1937.0, 1770.0, 1569.0, 1149.0, 949.0, 789.0, 655.0, 561.0, 386.0, 298.0, 258.0,
    222.0, 151.0, 139.0, 103.0, 147.0, 11.0, 12.0, 14.0, 7.0, 11.0, 7.0, 8.0, 4.0, 3.0, 4.0,
];

/// 43.1 % of all texts were said before; the popular ones are 21.9 %, so 21.2 % are others that come back. Of all, 22.8 %
/// were said within the last 5 s and 33.4 % within the last minute; these two shares come near that.
const ECHO_SHARE: f64 = 0.115;
const RECALLED_SHARE: f64 = 0.09;

/// What is said at once is echoed within this.
const ECHO_MS: u64 = 5000;

/// One text for each time.
pub(super) fn texts(times_ms: &[u64], dice: &mut Dice) -> Vec<String> {
    let popular = running(POPULAR.map(|(_, count)| count));
    let popular_share = popular[POPULAR.len() - 1] / ALL;
    let lengths = running(LENGTHS);
    let (mut texts, mut known) = (Vec::<String>::with_capacity(times_ms.len()), HashSet::new());
    for (now, &at) in times_ms.iter().enumerate() {
        let just_said = times_ms[..now].partition_point(|&before| before + ECHO_MS < at);
        let fate = dice.share();
        let text = if fate < popular_share {
            Some(POPULAR[dice.weighed(&popular)].0.to_owned())
        } else if fate < popular_share + ECHO_SHARE {
            unpopular(&texts[just_said..], dice)
        } else if fate < popular_share + ECHO_SHARE + RECALLED_SHARE {
            unpopular(&texts, dice)
        } else {
            None
        };
        let text = text.unwrap_or_else(|| new(dice.weighed(&lengths) + 1, &known, dice));
        known.insert(text.clone());
        texts.push(text);
    }
    texts
}

/// One of the texts that is not said over and over anyway; none if there is hardly one.
fn unpopular(texts: &[String], dice: &mut Dice) -> Option<String> {
    let is_popular = |text: &str| words::POPULAR.contains(&text);
    let draws = if texts.is_empty() { 0 } else { 8 };
    (0..draws).map(|_| &texts[dice.below(texts.len())]).find(|text| !is_popular(text)).cloned()
}

/// A text of that length that was not said before, if one can be found: there are few of one character.
fn new(length: usize, known: &HashSet<String>, dice: &mut Dice) -> String {
    let say = if words::of_signs(dice) { words::signs } else { words::say };
    let mut text = say(length, dice);
    for _ in 0..50 {
        if !known.contains(&text) {
            break;
        }
        text = say(length, dice);
    }
    text
}
