//! Whether a text is only pictures, for rooms in which nothing else may be said. Which codes stand for a picture is the caller's.

use unicode_properties::{EmojiStatus, UnicodeEmoji as _};

use crate::fold::{Folded, SignClass};

/// Whether `original` is made of emotes: emoji clusters and `[code]`s for which `is_code` says yes, at least one. White space and
/// what is unseen may lie between. `folded` is `original` folded.
pub fn is_emotes_only(original: &str, folded: &Folded, is_code: impl Fn(&str) -> bool) -> bool {
    let mut any = false;
    let mut cluster = 0;
    while cluster < folded.clusters() {
        if let Some(length) = emote(&original[folded.bytes(cluster, folded.clusters())], folded, cluster, &is_code) {
            any = true;
            cluster += length;
        } else if folded.sign(cluster) == Some(SignClass::Space) || folded.is_unseen(cluster) {
            cluster += 1;
        } else {
            return false;
        }
    }
    any
}

/// How many clusters the emote takes that stands at `cluster`, where `rest` begins.
fn emote(rest: &str, folded: &Folded, cluster: u32, is_code: impl Fn(&str) -> bool) -> Option<u32> {
    if is_emoji(&rest[..folded.bytes(cluster, cluster + 1).len()]) {
        return Some(1);
    }
    let (code, _) = rest.strip_prefix('[')?.split_once(']')?;
    let bytes = code.len() + 2;
    // A mark behind the bracket would be a part of its cluster; then it is no code.
    let length =
        (1..=folded.clusters() - cluster).find(|length| folded.bytes(cluster, cluster + length).len() >= bytes)?;
    (is_code(code) && folded.bytes(cluster, cluster + length).len() == bytes).then_some(length)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures() {
        for (text, only) in [
            ("😀", true),
            ("😀 👨‍👩‍👧👍🏽🇵🇸", true),
            ("1️⃣❤️", true),
            ("🅰️", true),
            ("㊗️", true),
            ("[blorp]", true),
            ("[blorp][fnord] 😀\u{200b}", true),
            ("[坏]", true),
            ("", false),
            (" ", false),
            ("1", false),
            ("❤", false),
            ("[", false),
            ("[blorp", false),
            ("[blorp]\u{301}", false),
            ("[gruntle]", false),
            ("[[blorp]]", false),
            ("blorp", false),
            ("😀a", false),
            ("😀!", false),
            ("🇵", false),
        ] {
            let mut folded = Folded::default();
            crate::fold::fold(text, &mut folded);
            assert_eq!(
                is_emotes_only(text, &folded, |code| ["blorp", "fnord", "坏"].contains(&code)),
                only,
                "{text:?}"
            );
        }
    }
}
