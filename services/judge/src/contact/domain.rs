//! Domains, addresses of pages and of mailboxes.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{LOOKS_MAX, pattern, stands_apart};

/// Endings that are no words: a name before one is a domain.
const PLAIN: &[&str] = &[
    "com", "net", "org", "cn", "cc", "xyz", "vip", "wang", "icu", "ltd", "biz", "gg", "io", "edu", "gov", "info", "hk",
    "tw", "jp", "kr", "uk", "de", "fr", "ru", "eu", "dev", "ai", "ly", "su", "ws", "tk", "ml", "cf", "gq",
];

/// Endings that are also words, or stand behind a full stop by accident: there must be a path as well.
const WORDS: &[&str] = &[
    "me", "co", "tv", "in", "to", "so", "be", "it", "is", "us", "live", "fun", "app", "pro", "top", "link", "site",
    "online", "shop", "club", "store", "win", "one", "page", "space", "world", "work", "chat", "im",
];

/// Names of things that look like domains.
const NAMES: &[&str] = &["asp.net", "vb.net", "ado.net"];

/// A name, its ending, a port, a path.
static DOMAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?: https? : /{1,2} )?
          (?P<host> (?: (?: [a-z0-9] [a-z0-9-]* | \p{Han}{1,8} ) \. )+ (?P<end> [a-z]{2,10} ) )
          (?: : \d{2,5} )? (?P<path> / [\x21-\x7e]* )?",
    )
});

/// What says itself that it is a page.
static PAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?: https? : /{1,2} | www \. ) (?P<host> [a-z0-9-]+ (?: \. [a-z0-9-]+ )+ ) [\x21-\x7e]*")
});

/// The full stop written as a word or kept apart, before the most used endings.
static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?P<name> [a-z0-9] [a-z0-9-]+ )
          (?: \x20? (?: 点 | 。 | · | , ) \x20? | \x20 dot \x20 | \x20? [\[(] (?: \. | dot | 点 ) [\])] \x20? | \x20 \. \x20? | \. \x20 )
          (?P<end> com | net | org | cn | cc | xyz | vip )",
    )
});

/// A mailbox, also with its sign as a word.
static MAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"[a-z0-9] [a-z0-9._%+-]* \x20?
          (?: @ | 艾特 | [\[(] (?: at | 艾特 ) [\])] | \x20 at \x20 ) \x20?
          (?P<host> (?: [a-z0-9] [a-z0-9-]* (?: \. | \x20? (?: 点 | 。 | \[\.\] ) \x20? | \x20 dot \x20 ) )+ (?P<end> [a-z]{2,10} ) )",
    )
});

pub(super) fn find(text: &str, allowed: &[String], add: &mut impl FnMut(Range<usize>)) {
    if text.contains('.') {
        each(&DOMAIN, text, |all, host, end, path| {
            let ends = PLAIN.contains(&end) || (WORDS.contains(&end) && path);
            if ends && !NAMES.contains(&host) && !is_allowed(host, allowed) {
                add(all);
            }
        });
        each(&PAGE, text, |all, host, _, _| {
            if !is_allowed(host, allowed) {
                add(all);
            }
        });
    }
    if ["点", "。", "·", ",", "dot", " .", ". ", "[.", "(."].iter().any(|dot| text.contains(dot)) {
        each(&HIDDEN, text, |all, name, end, _| {
            if !is_allowed(&format!("{name}.{end}"), allowed) {
                add(all);
            }
        });
    }
    if ["@", "艾特", "at"].iter().any(|at| text.contains(at)) {
        each(&MAIL, text, |all, host, end, _| {
            if (PLAIN.contains(&end) || WORDS.contains(&end)) && !is_allowed(host, allowed) {
                add(all);
            }
        });
    }
}

/// Calls `each` with every match that stands apart: its bytes, its host or name, its ending, whether there is a path.
fn each(pattern: &Option<Regex>, text: &str, mut each: impl FnMut(Range<usize>, &str, &str, bool)) {
    for found in pattern.iter().flat_map(|pattern| pattern.captures_iter(text)).take(LOOKS_MAX) {
        let Some(all) = found.get(0).map(|all| all.range()) else { continue };
        let named = |name: &str| found.name(name).map_or("", |found| found.as_str());
        if stands_apart(text, &all) {
            let host = if named("host").is_empty() { named("name") } else { named("host") };
            each(all, host, named("end"), !named("path").is_empty());
        }
    }
}

fn is_allowed(host: &str, allowed: &[String]) -> bool {
    allowed.iter().any(|allowed| {
        let (host, allowed) = (host.as_bytes(), allowed.as_bytes());
        host.len() >= allowed.len()
            && host[host.len() - allowed.len()..].eq_ignore_ascii_case(allowed)
            && (host.len() == allowed.len() || host[host.len() - allowed.len() - 1] == b'.')
    })
}
