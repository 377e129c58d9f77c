//! The built-in examples, tried without a service: the same dry run as the moderators' service does, and answered as it answers.

use judge::rules::Scratch;
use moderation::{
    dryrun::{How, Part, Rules},
    lists::{
        Content, List,
        edit::{By, Edit, placed},
        entry::{Action, Entry},
        policy::Role,
    },
};
use proto::rules::Scope;
use serde_json::{Value, json};

use crate::{api::Failure, token::now_ms, up::EXAMPLE_WORDS};

/// The name of the list that a new installation begins with.
const LIST: &str = "examples";

/// What would become of the texts, as the service would tell it.
pub(super) fn try_on(text: Option<&str>, texts: &[String], role: &str, name: &str) -> Result<Value, Failure> {
    let content = content().map_err(|why| Failure::Usage(format!("the built-in examples are no list: {why}")))?;
    let rules = Rules::new(Part { content: &content, drafts: &[] }, None, |_| true)
        .map_err(|why| Failure::Usage(format!("the built-in examples are no rules: {why}")))?;
    let role = serde_json::from_value::<Role>(role.into()).unwrap_or(Role::Sender);
    let how = How { role, name, at_ms: now_ms(), trace: text.is_some() };
    let mut scratch = Scratch::default();
    let all: Vec<&str> = text.into_iter().chain(texts.iter().map(String::as_str)).collect();
    let tried = (1..).zip(&all).map(|(line, said)| rules.try_on(line, said, how, &mut scratch));
    let is_told = |value: &Value| text.is_some() || value["action"] != "pass" || value["hits"] != json!([]);
    let tried: Vec<Value> = tried.filter_map(|tried| serde_json::to_value(tried).ok()).filter(is_told).collect();
    let found = tried.iter().filter(|value| value["action"] != "pass").count();
    Ok(json!({ "texts": all.len(), "found": found, "tried": tried }))
}

fn content() -> Result<Content, String> {
    let like = |word: &str| Entry { action: Action::Block, ..Entry::word(word) };
    let words = EXAMPLE_WORDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut content = Content::empty();
    content.set_list(LIST, List::default()).map_err(|problem| problem.message)?;
    let add = placed(LIST, (1..).zip(words.map(like)));
    let first = |problems: Vec<moderation::refusal::Problem>| {
        problems.into_iter().next().map_or_else(String::new, |problem| problem.message)
    };
    let edit = Edit { add: add.map_err(first)?, ..Edit::default() };
    let by = By { author: "danmaku", sees_private: true, now_ms: 0 };
    let mut number = 0;
    let id = || {
        number += 1;
        format!("example-{number}")
    };
    content.edit(&Scope::Global, LIST, &edit, by, id).map_err(first)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_tried_without_a_service() {
        let tried = |text: &str| try_on(Some(text), &[], "sender", "").unwrap();
        let hit = tried("ｂ.a.d🙂w0rd");
        assert_eq!((&hit["found"], &hit["tried"][0]["action"]), (&json!(1), &json!("block")));
        assert_eq!(hit["tried"][0]["trace"]["candidates"][0]["word"], "badword");
        let clean = tried("good word");
        assert_eq!((&clean["found"], &clean["tried"][0]["action"]), (&json!(0), &json!("pass")));
        let texts = ["hello".to_owned(), "咕噜坏词".to_owned()];
        let many = try_on(None, &texts, "sender", "").unwrap();
        assert_eq!(
            (&many["texts"], &many["tried"][0]["line"], &many["tried"][1]),
            (&json!(2), &json!(2), &Value::Null)
        );
    }
}
