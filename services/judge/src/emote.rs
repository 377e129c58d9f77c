//! Whether a text is only pictures, for rooms in which nothing else may be said. Which codes stand for a picture is the caller's.

use unicode_properties::{EmojiStatus, UnicodeEmoji as _};

use crate::fold::Folded;

/// Whether `original` is made of emotes: emoji clusters and `[code]`s for which `is_code` says yes, at least one, with white space
/// between them.
pub fn is_emotes_only(original: &str, folded: &Folded, is_code: impl Fn(&str) -> bool) -> bool {
    let mut any = false;
    let mut cluster = 0;
    while cluster < folded.clusters() {
        let rest = &original[folded.bytes(cluster, folded.clusters())];
        let here = &original[folded.bytes(cluster, cluster + 1)];
        if let Some(code) = code(rest).filter(|code| is_code(code)) {
            // A code is found by bytes, and ends on the border of a cluster or is none.
            let end = folded.bytes(cluster, cluster).start + code.len() + 2;
            let Some(after) = (cluster..=folded.clusters()).find(|&at| folded.bytes(at, at).start >= end) else {
                return false;
            };
            if folded.bytes(after, after).start != end {
                return false;
            }
            cluster = after;
            any = true;
            continue;
        }
        let emoji = is_emoji(here);
        if !emoji && !here.chars().all(char::is_whitespace) {
            return false;
        }
        any |= emoji;
        cluster += 1;
    }
    any
}

/// What stands in the brackets at the begin of `text`.
fn code(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.split_once(']').map(|(code, _)| code)
}

/// Whether a cluster is shown as a picture: by itself, because it says so (U+FE0F), as a keycap or as a flag.
fn is_emoji(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let Some(first) = chars.next() else { return false };
    let says_so = chars.clone().any(|char| matches!(char, '\u{fe0f}' | '\u{20e3}'));
    let flag = |char: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&char);
    match first.emoji_status() {
        _ if flag(first) => chars.next().is_some_and(flag),
        EmojiStatus::NonEmoji | EmojiStatus::NonEmojiButEmojiComponent => false,
        EmojiStatus::EmojiOther | EmojiStatus::EmojiOtherAndEmojiComponent | EmojiStatus::EmojiModifierBase => says_so,
        _ => true,
    }
}
