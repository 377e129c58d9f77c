//! What is told, as people read it: tables whose columns stand below one another, times, and texts that do nothing to a
//! terminal. Pure, with time as an argument.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

/// A text without what a terminal would obey, or would write from right to left: viewers wrote it.
pub(crate) fn plain(text: &str) -> String {
    let obeyed = |c: char| {
        c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    text.chars().map(|c| if obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// How long ago it was.
pub(crate) fn ago(at_ms: i64, now_ms: i64) -> String {
    match now_ms.saturating_sub(at_ms) / 1000 {
        ..1 => "now".to_owned(),
        secs => format!("{} ago", span(secs)),
    }
}

/// How long it takes until then.
pub(crate) fn left(until_ms: i64, now_ms: i64) -> String {
    match until_ms.saturating_sub(now_ms) {
        ..1 => "over".to_owned(),
        ms => span((ms + 999) / 1000),
    }
}

/// A length of time as somebody would ask for it: in the largest unit that leaves no rest.
pub(crate) fn whole(secs: i64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "min")];
    let (unit_secs, unit) = units.into_iter().find(|(unit_secs, _)| secs % unit_secs == 0).unwrap_or((1, "s"));
    format!("{} {unit}", secs / unit_secs)
}

/// Seconds in the largest unit that is not too rough.
fn span(secs: i64) -> String {
    match secs {
        ..60 => format!("{secs} s"),
        60..3_600 => format!("{} min", secs / 60),
        3_600..172_800 => format!("{} h", secs / 3_600),
        _ => format!("{} d", secs / 86_400),
    }
}

/// Rows below a header, each column as wide as its widest cell on a terminal.
pub(crate) struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// One without rows.
    pub(crate) fn of(header: &[&'static str]) -> Self {
        Self { header: header.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.into_iter().map(plain).collect());
    }

    /// As it is printed; `nothing` if there is no row.
    pub(crate) fn told(&self, nothing: &str) -> String {
        if self.rows.is_empty() {
            return format!("{nothing}\n");
        }
        let header: Vec<String> = self.header.iter().map(|name| name.to_uppercase()).collect();
        let lines = || std::iter::once(&header).chain(&self.rows);
        let width =
            |at: usize| lines().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for row in lines() {
            let line: String = row.iter().zip(&widths).fold(String::new(), |mut line, (cell, width)| {
                let _ = write!(line, "{cell}{:1$}", "", width - cell.width() + 2);
                line
            });
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_one_another_in_wide_letters_too() {
        let mut table = Table::of(&["text", "n"]);
        table.row(["坏词语", "1"]);
        table.row(["blorp", "22"]);
        assert_eq!(table.told("none"), "TEXT    N\n坏词语  1\nblorp   22\n");
        assert_eq!(Table::of(&["a"]).told("there is nothing"), "there is nothing\n");
    }

    #[test]
    fn times_are_told_in_a_unit_that_fits() {
        for (ms, told) in [
            (0, "now"),
            (999, "now"),
            (59_000, "59 s ago"),
            (60_000, "1 min ago"),
            (7_200_000, "2 h ago"),
            (864_000_000, "10 d ago"),
        ] {
            assert_eq!(ago(0, ms), told);
        }
        assert_eq!(
            (ago(5_000, 0), left(1_500, 0), left(0, 0)),
            ("now".to_owned(), "2 s".to_owned(), "over".to_owned())
        );
    }

    #[test]
    fn what_was_asked_for_is_not_rounded() {
        for (secs, told) in
            [(1, "1 s"), (90, "90 s"), (600, "10 min"), (5_400, "90 min"), (129_600, "36 h"), (604_800, "7 d")]
        {
            assert_eq!(whole(secs), told);
        }
    }

    #[test]
    fn a_terminal_obeys_no_viewer() {
        assert_eq!(plain("a\u{1b}[2Jb\u{202e}c\n好"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}好");
    }
}
