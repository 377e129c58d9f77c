//! Every line of `contact_cases.txt`: what must be covered is, and what is clean stays so.

use judge::{
    contact,
    fold::{Folded, fold},
};

const CASES: &str = include_str!("contact_cases.txt");

/// The texts of what is found.
fn found<'a>(text: &'a str, allow: &[String]) -> Vec<&'a str> {
    let (mut folded, mut found) = (Folded::default(), Vec::new());
    fold(text, &mut folded);
    contact::find(&folded, allow, &mut found);
    found.iter().map(|hit| &text[folded.bytes(hit.start, hit.end)]).collect()
}

#[test]
fn every_case() {
    let (mut hits, mut clean, mut wrong) = (0, 0, Vec::new());
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let (expected, text) = line.split_once(" | ").unwrap();
        let found = found(text, &[]);
        let right = match expected.strip_prefix("hit ") {
            Some(covered) => {
                hits += 1;
                found.contains(&covered)
            }
            None => {
                assert_eq!(expected, "clean");
                clean += 1;
                found.is_empty()
            }
        };
        if !right {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(hits >= 40 && clean >= 40, "{hits} and {clean}");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn allowed_domains_are_clean_and_their_look_alikes_are_not() {
    let allow = ["example.com".to_owned()];
    for text in ["example.com", "https://EXAMPLE.com/a", "sub.example.com", "blorp@example.com", "example点com"] {
        assert_eq!(found(text, &allow), [""; 0], "{text}");
    }
    for text in ["badexample.com", "example.com.xyz", "example.org"] {
        assert_eq!(found(text, &allow), [text]);
    }
}
