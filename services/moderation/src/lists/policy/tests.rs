//! Policies there and back, and those that are none.

use super::*;

#[test]
fn a_policy_is_told_as_it_was_said() {
    let said = Policy {
        rows: vec![Row {
            category: "spam".into(),
            severity_min: 3,
            role: Some(Role::Sender),
            action: Action::Mute,
            mute_s: 30,
        }],
        weak: Action::Hold,
        budget_per_s: 50,
        allow_domains: vec!["example.com".into()],
        emotes: vec!["smile".into()],
    };
    assert_eq!(Policy::from(&said.clone().record().unwrap()), said);
}

#[test]
fn what_is_wrong_names_its_row() {
    let row = Row { action: Action::Block, ..Row::default() };
    let bad = Row { severity_min: 5, ..row.clone() };
    let policy = Policy { rows: vec![row, bad, Row::default()], weak: Action::Block, ..Policy::default() };
    let lines: Vec<_> = policy.record().unwrap_err().into_iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [None, Some(2), Some(3)]);
}
