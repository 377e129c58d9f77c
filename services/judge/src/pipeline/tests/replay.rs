//! P16, P23: a judge who learned what came before answers as one who heard it, with control records between the messages; and
//! every record comes to exactly one thing.

use proto::v1::{Decision, Mode, Sanction, SanctionKind};

use super::*;

/// A record of any kind that acts on the judge.
#[derive(Debug, Clone)]
enum Step {
    Says { user: usize, text: usize, level: u32, device: bool },
    Mode(Mode),
    Sanction(SanctionKind, usize, i64, u64),
    Decides { held: u64, approved: bool, user: usize },
}

const USERS: [&str; 4] = ["ann", "bob", "cid", "dan"];

fn step() -> impl Strategy<Value = (i64, Step)> {
    let says = (0usize..4, 0usize..7, 0u32..4, any::<bool>()).prop_map(|(user, text, level, device)| Step::Says {
        user,
        text,
        level,
        device,
    });
    let mode = (0u32..3_000, 0u32..3, any::<bool>()).prop_map(|(slow_ms, level_min, emergency)| Mode {
        slow_ms,
        level_min,
        emergency: emergency && slow_ms < 300,
        ..Default::default()
    });
    let kind =
        prop::sample::select(vec![SanctionKind::Mute, SanctionKind::Unmute, SanctionKind::Ban, SanctionKind::Unban]);
    let sanction = (kind, 0usize..5, 1i64..90_000, 0u64..20)
        .prop_map(|(kind, whom, until, sequence)| Step::Sanction(kind, whom, until, sequence));
    let decides =
        (0u64..6, any::<bool>(), 0usize..4).prop_map(|(held, approved, user)| Step::Decides { held, approved, user });
    (0i64..900, prop_oneof![20 => says, 1 => mode.prop_map(Step::Mode), 2 => sanction, 2 => decides])
}

fn as_input(at_ms: i64, step: &Step) -> v1::Input {
    match step {
        Step::Says { user, text, level, device } => {
            let text = ["hi", "so", "blorp", "wow", "！", "see my room now 1", "see my room now 2"][*text];
            let user = Some(v1::User { id: USERS[*user].into(), level: *level, ..Default::default() });
            let device = if *device { "phone".to_owned() } else { String::new() };
            v1::Input { user, device, ..input(&said(at_ms, "", text)) }
        }
        Step::Mode(mode) => brought(Role::Moderator, Body::Mode(*mode)),
        Step::Sanction(kind, whom, until, sequence) => {
            let subject = USERS.get(*whom).map_or("device/phone".to_owned(), |user| format!("user/{user}"));
            let until = START_MS + until;
            let sanction = Sanction { kind: *kind as i32, subject, until, sequence: *sequence, ..Default::default() };
            brought(Role::Moderator, Body::Sanction(sanction))
        }
        Step::Decides { held, approved, user } => {
            let user = Some(v1::User { id: USERS[*user].into(), ..Default::default() });
            let held_id = format!("1-9-{held}");
            let say = Some(Say { text: "held".into(), ..Default::default() });
            brought(
                Role::Service,
                Body::Decision(Decision { held_id, approved: *approved, user, say, ..Default::default() }),
            )
        }
    }
}

proptest! {
    #[test]
    fn p16_learning_is_judging_without_an_answer(steps in prop::collection::vec(step(), 1..250), share in 0.0..=1.0f64) {
        let known = (steps.len() as f64 * share) as usize;
        let (mut judged, mut learned) = (Judge::new(Limits::default()), Judge::new(Limits::default()));
        let (book, other_book) = (book(), versioned(4, b"wow"));
        let mut at_ms = 0;
        for (offset, (wait, step)) in (0..).zip(&steps) {
            at_ms += wait;
            let heard = heard_at(offset, at_ms, as_input(at_ms, step));
            if (offset as usize) < known {
                learned.learn(&mut Desk::default(), &book, &heard);
                judged.judge(&mut Desk::default(), &other_book, heard, 0);
            } else {
                prop_assert_eq!(learned.judge(&mut Desk::default(), &book, heard.clone(), 0), judged.judge(&mut Desk::default(), &book, heard, 0));
            }
        }
    }

    /// Each input is shown, told, recorded or counted, and what is not shown is not in the output for the room.
    #[test]
    fn p23_every_record_comes_to_one_thing(steps in prop::collection::vec(step(), 1..250)) {
        let (mut judge, book, mut at_ms) = (Judge::new(Limits::default()), book(), 0);
        let mut shown = std::collections::BTreeMap::new();
        for (offset, (wait, step)) in (0..).zip(&steps) {
            at_ms += wait;
            let judgement = judge.judge(&mut Desk::default(), &book, heard_at(offset, at_ms, as_input(at_ms, step)), 0);
            let counted = judgement.counted_in.is_some();
            prop_assert_eq!(counted, matches!(judgement.word, Word::Thinned | Word::Shed));
            prop_assert_eq!(judgement.verdict.is_some(), judgement.word.is_recorded() && !counted);
            let items = judgement.output.iter().flat_map(|output| &output.items);
            for item in items.filter(|item| item.to_user.is_empty()) {
                prop_assert!(judgement.word.is_shown());
                if let Some(v1::item::Body::Message(message)) = &item.body {
                    // P22: whatever is decided and however often, nothing is shown twice within the window of repeats.
                    let before_ms = shown.insert(message.id.clone(), at_ms);
                    prop_assert!(before_ms.is_none_or(|before_ms| at_ms - before_ms >= 60_000), "{}", message.id);
                }
            }
        }
    }
}
