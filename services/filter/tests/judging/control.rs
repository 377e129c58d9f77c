//! Goal: what moderators decide acts at its offset, once, and goes on after a restart. Method: control records between messages.

use filter::Config;
use proto::{
    MessageId,
    v1::{self, Action, Decision, Entry, Mode, Output, Role, Sanction, SanctionKind, Word, input, item::Body},
};

use crate::world::{World, brought, config, said};

fn decides(held: MessageId, approved: bool, text: &str) -> v1::Input {
    let decision = Decision {
        held_id: held.to_string(),
        approved,
        at: 7,
        user: Some(v1::User { id: "ann".into(), name: "ann".into(), ..Default::default() }),
        client_id: "c-1".into(),
        say: Some(v1::Say { text: text.into(), ..Default::default() }),
        edited: true,
        ..Default::default()
    };
    brought("demo", "mod", Role::Service, input::Body::Decision(decision))
}

fn mutes(kind: SanctionKind, subject: &str, sequence: u64) -> v1::Input {
    let sanction = Sanction { kind: kind as i32, subject: subject.into(), sequence, ..Default::default() };
    brought("demo", "mod", Role::Moderator, input::Body::Sanction(sanction))
}

/// The messages that the room sees in an answer.
fn shown(output: &Output) -> Vec<&v1::Message> {
    let public = output.items.iter().filter(|item| item.to_user.is_empty());
    public
        .filter_map(|item| match &item.body {
            Some(Body::Message(message)) => Some(message),
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_shown_once_under_the_held_id_also_across_a_restart() {
    let mut world = World::new();
    let hold = Entry { id: "e1".into(), text: "blorp".into(), action: Action::Hold as i32, ..Entry::default() };
    world.publish_entries(1, "global", &[hold]);
    let judge = world.filter(Config::default()).await;
    let held = world.put(&said("demo", "ann", "c-1", "such a blorp"));
    let output = world.answer(held);
    assert_eq!((output.verdict(), shown(&output)), (Word::Held, vec![]));
    let first = world.put(&decides(held, true, "such a b****"));
    let output = world.answer(first);
    assert_eq!(output.verdict(), Word::Approved);
    let [message] = shown(&output)[..] else { panic!("{output:?}") };
    assert_eq!(
        (message.id.as_str(), message.text.as_str(), message.edited),
        (&*held.to_string(), "such a b****", true)
    );
    judge.leave().await;

    let judge = world.filter(Config::default()).await;
    let late = [world.put(&decides(held, true, "again")), world.put(&decides(held, false, ""))];
    for id in late {
        let output = world.answer(id);
        assert_eq!((output.verdict(), shown(&output)), (Word::Repeated, vec![]));
    }
    let of_held = |verdict: &&v1::Verdict| verdict.of == held.to_string();
    world.until("its record", |heard| {
        heard.verdicts.iter().find(of_held).map(|verdict| assert_eq!(verdict.word(), Word::Approved))
    });
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_acts_at_its_offset_and_after_a_restart() {
    let mut world = World::new();
    // All of it stands in the log before anybody judges, so nothing but the offset can tell before from after.
    let before = world.put(&said("demo", "ann", "", "before"));
    let mute = world.put(&mutes(SanctionKind::Mute, "user/ann", 5));
    let after = world.put(&said("demo", "ann", "", "after"));
    let stale = world.put(&mutes(SanctionKind::Unmute, "user/ann", 4));
    let still = world.put(&said("demo", "ann", "", "still"));
    let judge = world.filter(config()).await;
    for (id, word) in [
        (before, Word::Passed),
        (mute, Word::Passed),
        (after, Word::Muted),
        (stale, Word::Passed),
        (still, Word::Muted),
    ] {
        assert_eq!(world.answer(id).verdict(), word, "{id}");
    }
    judge.leave().await;

    let judge = world.filter(config()).await;
    let later = world.put(&said("demo", "ann", "", "later"));
    let output = world.answer(later);
    assert_eq!((output.verdict(), output.code.as_str()), (Word::Muted, "muted"));
    world.put(&mutes(SanctionKind::Unmute, "user/ann", 6));
    let free = world.put(&said("demo", "ann", "", "free"));
    assert_eq!(world.answer(free).verdict(), Word::Passed);
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_acts_at_its_offset() {
    let mut world = World::new();
    let mode = |emergency| {
        let mode = Mode { emergency, ..Default::default() };
        brought("demo", "mod", Role::Moderator, input::Body::Mode(mode))
    };
    let lines = [
        (said("demo", "ann", "", "before"), Word::Passed),
        (mode(true), Word::Passed),
        (said("demo", "ann", "", "after"), Word::Limited),
        (said("lobby", "ann", "", "elsewhere"), Word::Passed),
        (mode(false), Word::Passed),
        (said("demo", "ann", "", "over"), Word::Passed),
    ];
    let put: Vec<_> = lines.iter().map(|(input, word)| (world.put(input), *word)).collect();
    let judge = world.filter(config()).await;
    for (id, word) in put {
        assert_eq!(world.answer(id).verdict(), word, "{id}");
    }
    judge.leave().await;
}
