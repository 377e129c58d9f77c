//! Mutes and bans as the service tells them, and as a person reads them.

use serde::Deserialize;

use crate::show::{Table, left, whole};

/// Sanctions, as the service tells them.
#[derive(Deserialize)]
pub(super) struct Sanctions {
    pub(super) sanctions: Vec<Sanction>,
    #[serde(default)]
    pub(super) unknown: Vec<String>,
    next: Option<String>,
}

/// A mute or ban.
#[derive(Deserialize)]
pub(super) struct Sanction {
    pub(super) subject: String,
    until_ms: Option<i64>,
    broadcast: bool,
    by: String,
    at_ms: i64,
    reason: String,
}

/// A line for each; `nobody` if there is none.
pub(super) fn table(Sanctions { sanctions, next, .. }: &Sanctions, nobody: &str, now_ms: i64) -> String {
    let mut table = Table::of(&["who", "for", "by", "reason"]);
    for sanction in sanctions {
        table.row([&sanction.subject, &sanction.left(now_ms), &sanction.by, &sanction.reason]);
    }
    let more = if next.is_some() { "and more; the API tells all\n" } else { "" };
    table.told(nobody) + more
}

impl Sanction {
    /// How long it lasts from now on.
    pub(super) fn left(&self, now_ms: i64) -> String {
        self.ends(|until_ms| left(until_ms, now_ms))
    }

    /// How long it lasts from when it was imposed; both are the service's own clock, whatever this machine's says.
    pub(super) fn imposed_for(&self) -> String {
        self.ends(|until_ms| whole((until_ms - self.at_ms) / 1000))
    }

    fn ends(&self, at: impl FnOnce(i64) -> String) -> String {
        match (self.until_ms, self.broadcast) {
            (_, true) => "this broadcast".to_owned(),
            (None, false) => "good".to_owned(),
            (Some(until_ms), false) => at(until_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sanctions_are_told_with_what_is_left_of_them() {
        let text = r#"{"sanctions":[{"subject":"user/a","of":"user/a","until_ms":61000,"broadcast":false,"by":"mo","at_ms":0,"reason":"x"},
            {"subject":"user/b","of":"user/b","broadcast":true,"by":"mo","at_ms":0,"reason":""}]}"#;
        let told = table(&serde_json::from_str(text).unwrap(), "nobody", 0);
        assert_eq!(
            told,
            "WHO     FOR             BY  REASON\nuser/a  1 min           mo  x\nuser/b  this broadcast  mo\n"
        );
    }

    #[test]
    fn what_was_imposed_is_told_as_it_was_asked_for() {
        for (until_ms, told) in [(Some(15_999), "5 s"), (Some(5_410_999), "90 min"), (None, "good")] {
            let sanction = Sanction {
                subject: "user/a".to_owned(),
                until_ms,
                broadcast: false,
                by: "mo".to_owned(),
                at_ms: 10_999,
                reason: String::new(),
            };
            assert_eq!(sanction.imposed_for(), told);
        }
    }
}
