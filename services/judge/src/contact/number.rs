//! Numbers to call, to add or to connect to.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{LOOKS_MAX, pattern, stands_apart};

/// Numbers that are told by their shape alone.
static SHAPED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?: \+? 86 [\W_]? )? 1 [\W_]? [3-9] (?: [\W_]? \d ){9}
        | 0 \d{2,3} [-\x20] \d{7,8}
        | [48] 00 - \d{3,4} -? \d{3,4}
        | \+ \d{1,3} [-\x20]? \d{2,4} (?: [-\x20]? \d{2,4} ){2,3}",
    )
});

/// A word that makes a number one to call, and the number.
static CALLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?: 电话 | 手机 | 热线 | 致电 | 拨打 | call | tel | phone | whatsapp )
          (?: [^\w] | 号 | 码 | 是 | 联系 | 我 | me | at | my | number ){0,8}
          \d (?: [\W_]{0,2} \d ){6,14}",
    )
});

/// A word that makes a number one of QQ, and the number; or the other way round.
static QQ: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?: q [\W_]{0,2} q | 扣 \W{0,2} 扣 | 企 \W{0,2} 鹅 | 球 \W{0,2} 球 | [加+➕] \W? q | q \W? [群裙]
            | [加进入来] \W{0,2} (?: 群 | 裙 | 君羊 ) | (?: 群 | 裙 | 君羊 ) \W? 号 )
          (?: [^\w] | _ | 号 | 码 | 是 | 群 | 裙 | 加 | 我 | 聊 | 找 ){0,6}
          \d (?: [\W_]{0,2} \d ){4,10}
        | \d{5,11} \W? (?: 加 | 是 | 我 | 的 )? \W? (?: q [\W_]{0,2} q | 扣扣 )",
    )
});

/// A word that makes a name one of WeChat, what connects them, and the name.
static WECHAT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?P<cue> [加+➕] \W? (?: v | 微 | 薇 ) \W? (?: 信 | x )? | (?: 微 | v | 薇 | 威 | 徽 ) \W{0,2} 信 | [加+➕] \W? 卫星 | 卫星 (?: 号 | : )
            | [vw] [\W_]{0,2} x | we [\W_]? chat | wei [\W_]? xin )
          (?P<link> (?: [^\w] | 号 | 码 | 是 | 加 | 我 | 搜 | 同号 | id ){0,6} )
          (?P<name> [a-z] [a-z0-9_-]{5,19} | \d (?: [\W_]{0,2} \d ){4,10} )",
    )
});

/// An address on the net, and what may stand before and behind it.
static IP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?P<cue> (?: ip | 服务器 | 地址 | server | connect ) (?: [^\w] | 是 | v4 ){0,4} )?
          (?P<name> \d{1,3} \. \d{1,3} \. \d{1,3} \. \d{1,3} ) (?P<link> : \d{2,5} )?",
    )
});

/// What counts things: a number before it is no contact.
const COUNTED: &[char] =
    &['人', '个', '元', '块', '年', '月', '日', '次', '票', '万', '亿', '楼', '点', '分', '秒', '级', '%', '币'];

/// Calls `add` with the bytes of each. `digits` tells whether there is a long number at all.
pub(super) fn find(text: &str, digits: bool, add: &mut impl FnMut(Range<usize>)) {
    if digits {
        for found in matches(&SHAPED, text) {
            if !is_fraction(text, &found) {
                add(found);
            }
        }
        for found in matches(&CALLED, text).chain(matches(&QQ, text)) {
            if !text[found.end..].starts_with(COUNTED) {
                add(found);
            }
        }
    }
    named(&WECHAT, text, add, |cue, link, name| {
        let told =
            cue.starts_with(['加', '+', '➕']) || cue.contains("卫星") || link.contains(['号', ':', '是', '加', '搜']);
        told || name.contains(|char: char| char.is_ascii_digit() || char == '_')
    });
    if text.contains('.') {
        named(&IP, text, add, |cue, link, name| {
            let octets = name.split('.').all(|octet| octet.parse::<u8>().is_ok());
            let long = name.split('.').next().is_some_and(|first| first.len() == 3);
            octets && (long || !cue.is_empty() || !link.is_empty())
        });
    }
}

fn matches<'a>(pattern: &'a Option<Regex>, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let found = pattern.iter().flat_map(move |pattern| pattern.find_iter(text)).take(LOOKS_MAX);
    let found = found.map(|found| found.range());
    found.filter(move |found| stands_apart(text, found))
}

/// Adds the matches that stand apart and of which `is_one` says yes, being told cue, link and name.
fn named(
    pattern: &Option<Regex>,
    text: &str,
    add: &mut impl FnMut(Range<usize>),
    is_one: impl Fn(&str, &str, &str) -> bool,
) {
    for found in pattern.iter().flat_map(|pattern| pattern.captures_iter(text)).take(LOOKS_MAX) {
        let part = |name: &str| found.name(name).map_or("", |found| found.as_str());
        if let Some(all) = found.get(0).map(|all| all.range())
            && stands_apart(text, &all)
            && is_one(part("cue"), part("link"), part("name"))
        {
            add(all);
        }
    }
}

/// Whether digits and a full stop stand before: 3.14159265358.
fn is_fraction(text: &str, bytes: &Range<usize>) -> bool {
    let mut before = text[..bytes.start].chars().rev();
    before.next() == Some('.') && before.next().is_some_and(|char| char.is_ascii_digit())
}
