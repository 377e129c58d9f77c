//! The list that a new installation begins with, so that there is something to see and to edit. Its words are the caller's.

use anyhow::bail;
use proto::rules::Scope;

use crate::{
    files::{self, Format},
    http::{new_id, now_ms},
    lists::{
        List,
        edit::{By, Edit, placed},
        entry::{Action, Entry},
    },
    refusal::Refusal,
    store::Store,
    versions::{self, Cache, Wish},
};

/// Its name.
const LIST: &str = "examples";

/// Makes the list, unless anything was ever kept here.
pub(super) async fn list(store: &Store, words: &str) -> anyhow::Result<()> {
    if !versions::in_force(store).await?.is_empty() {
        return Ok(());
    }
    let (now_ms, scope) = (now_ms(), Scope::Global);
    let wish = Wish {
        scope: &scope,
        author: "danmaku",
        act: "first_list",
        subject: LIST,
        reason: "the first start",
        base: None,
        back_to: None,
        now_ms,
    };
    let words = words.to_owned();
    let cache = Cache::default();
    let made = versions::publish(store, &cache, wish, move |content| {
        let like = Entry { action: Action::Block, ..Entry::default() };
        let add = placed(LIST, files::parse(&words, Format::Txt, &like)?).map_err(Refusal::Invalid)?;
        content.set_list(LIST, List { comment: "invented words, for a first look".to_owned(), ..List::default() })?;
        let by = By { author: "danmaku", sees_private: true, now_ms };
        let edit = Edit { add, ..Edit::default() };
        content.edit(&Scope::Global, LIST, &edit, by, new_id).map(Some).map_err(Refusal::Invalid)
    });
    match made.await {
        Ok(_) => Ok(()),
        Err(refusal) => bail!("{refusal:?}"),
    }
}
