//! How findings are told: a table to people, one JSON object to machines.

use std::io::Write as _;

use serde_json::json;

use super::checks::{Row, State, is_ill};
use crate::show::Table;

/// Prints them. A reader that went away wants to hear nothing more.
pub(super) fn print(rows: &[Row], as_json: bool) {
    let text = if as_json { machine(rows) } else { person(rows) };
    let _ = write!(std::io::stdout(), "{text}");
}

fn machine(rows: &[Row]) -> String {
    format!("{}\n", json!({ "healthy": !is_ill(rows), "findings": rows }))
}

fn person(rows: &[Row]) -> String {
    let mut table = Table::of(&["", "check", "of", "found"]);
    for row in rows {
        table.row([mark(row.state), row.check, &row.of, &row.found]);
    }
    let mut text = table.told("nothing was looked at");
    for (title, state) in [("To do", State::Bad), ("To watch", State::Watch), ("Not known", State::Unknown)] {
        let mut told: Vec<(&Row, Vec<&str>)> = Vec::new();
        for row in rows.iter().filter(|row| row.state == state) {
            match told.iter_mut().find(|(first, _)| first.remedy == row.remedy && first.check == row.check) {
                Some((_, places)) => places.push(&row.of),
                None => told.push((row, vec![&row.of])),
            }
        }
        if !told.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
        }
        for (row, places) in told {
            text.push_str(&format!("  {} of {}: {}\n", row.check, places.join(", "), row.remedy));
        }
    }
    text.push_str(if is_ill(rows) { "\nNot well.\n" } else { "\nWell.\n" });
    text
}

fn mark(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Unknown => "?",
        State::Watch => "watch",
        State::Bad => "BAD",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(of: &str, state: State, remedy: &str) -> Row {
        Row { check: "clock", of: of.into(), state, found: "5 s ahead".into(), remedy: remedy.into() }
    }

    #[test]
    fn what_is_to_be_done_is_told_once() {
        let rows = [row("a", State::Bad, "set it"), row("b", State::Ok, ""), row("c", State::Bad, "set it")];
        let text = person(&rows);
        assert!(text.starts_with("     CHECK  OF  FOUND\nBAD  clock  a   5 s ahead\nok "), "{text}");
        assert!(text.ends_with("\nTo do:\n  clock of a, c: set it\n\nNot well.\n"), "{text}");
        let told: serde_json::Value = serde_json::from_str(&machine(&rows)).unwrap();
        assert_eq!((&told["healthy"], &told["findings"][0]["do"]), (&false.into(), &"set it".into()));
        assert!(machine(&rows[1..2]).contains("\"healthy\":true"));
    }
}
