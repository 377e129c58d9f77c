//! The chain of hashes: what breaks it, and what does not.

use super::*;

fn row() -> Row {
    let text = || "x".to_owned();
    Row {
        sequence: 7,
        at_ms: 8,
        actor: text(),
        act: text(),
        scope: text(),
        subject: text(),
        reason: text(),
        before: text(),
        after: text(),
        salt: text(),
        digest: String::new(),
        hash: String::new(),
    }
}

#[test]
fn every_field_counts() {
    let written = || {
        let mut row = row();
        row.digest = row.digested();
        row.hash = row.hashed("p");
        row
    };
    assert!(written().is_whole("p") && !written().is_whole("q"));
    let edits: [fn(&mut Row); 12] = [
        |row| row.sequence = 8,
        |row| row.at_ms = 7,
        |row| row.act.push('y'),
        |row| row.scope.push('y'),
        |row| row.actor.push('y'),
        |row| row.subject.push('y'),
        |row| row.reason.push('y'),
        |row| row.before.push('y'),
        |row| row.after.push('y'),
        |row| row.salt.clear(),
        |row| row.digest.push('y'),
        // A text that moves from one field to the next.
        |row| (row.actor, row.subject) = ("xx".into(), String::new()),
    ];
    for (place, edit) in edits.into_iter().enumerate() {
        let mut row = written();
        edit(&mut row);
        assert!(!row.is_whole("p"), "edit {place}");
    }
}

#[test]
fn what_a_row_says_can_be_erased_whole_and_the_chain_goes_on() {
    let mut row = row();
    row.digest = row.digested();
    row.hash = row.hashed("p");
    let nothing = String::new;
    let erased = Row {
        actor: nothing(),
        subject: nothing(),
        reason: nothing(),
        before: nothing(),
        after: nothing(),
        salt: nothing(),
        ..row
    };
    assert!(erased.is_whole("p"));
}

#[test]
fn hexadecimal() {
    assert_eq!(hex(&[0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
}
