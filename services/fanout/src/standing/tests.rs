//! Modes and sticky events in any order, and what is left of them.

use proptest::prelude::*;

use super::*;

fn room(name: &str) -> RoomId {
    RoomId::new(name).unwrap()
}

fn source(offset: u64) -> Source {
    Source { generation: 1, offset }
}

fn slow(slow_ms: u32) -> Mode {
    Mode { slow_ms, ..Mode::default() }
}

fn sticky(room: &str, key: &str, generation: u32, src: u64, text: &str) -> State {
    let message = Message { text: text.into(), ..Message::default() };
    State { room: room.into(), key: format!("sticky/{key}"), src, generation, value: Some(Value::Message(message)) }
}

fn mode(room: &str, src: u64, mode: Mode) -> State {
    State { room: room.into(), key: "mode".into(), src, generation: 1, value: Some(Value::Mode(mode)) }
}

fn mode_of(standing: &Standing, name: &str) -> Mode {
    standing.mode(&room(name)).unwrap_or_default()
}

fn texts(standing: &Standing, name: &str) -> Vec<String> {
    standing.sticky(&room(name)).into_iter().map(|message| message.text).collect()
}

#[test]
fn the_higher_source_holds_whichever_comes_first() {
    let mut standing = Standing::default();
    assert_eq!(standing.mode(&room("a")), None);
    standing.hear(mode("a", 5, slow(500))).unwrap();
    standing.set_mode(&room("a"), source(9), Mode::default());
    assert_eq!(mode_of(&standing, "a"), Mode::default());
    standing.hear(mode("a", 7, slow(700))).unwrap();
    assert_eq!(mode_of(&standing, "a"), Mode::default(), "the topic is read later than the output");
    standing.hear(mode("a", 10, slow(1000))).unwrap();
    assert_eq!(mode_of(&standing, "a").slow_ms, 1000);
    assert_eq!(mode_of(&standing, "b"), Mode::default());
}

#[test]
fn sticky_events_stand_in_their_order_and_a_new_generation_beats_the_old() {
    let mut standing = Standing::default();
    for state in [
        sticky("a", "score", 1, 30, "2:1"),
        sticky("a", "pin/top", 1, 20, "pinned"),
        sticky("a", "score", 1, 10, "1:1"),
        sticky("b", "score", 1, 40, "elsewhere"),
        sticky("a", "guest", 2, 1, "later"),
    ] {
        standing.hear(state).unwrap();
    }
    assert_eq!(texts(&standing, "a"), ["pinned", "2:1", "later"]);
    standing.remove(b"a/sticky/pin/top").unwrap();
    standing.remove(b"a/mode").unwrap();
    standing.remove(b"nowhere/mode").unwrap();
    assert_eq!(texts(&standing, "a"), ["2:1", "later"]);
    standing.remove(b"b/sticky/score").unwrap();
    assert_eq!(standing.rooms.len(), 1, "a room in which nothing stands is none");
}

#[test]
fn who_is_muted_is_the_judges_affair() {
    let mut standing = Standing::default();
    standing.hear(mode("a", 1, slow(1))).unwrap();
    let muted = Some(Value::Muted(proto::v1::Muted { until: 7 }));
    standing.hear(State { key: "mute/user/ann".into(), value: muted, ..mode("a", 2, slow(1)) }).unwrap();
    standing.remove(b"a/mute/user/ann").unwrap();
    assert_eq!(standing.mode(&room("a")), Some(slow(1)));
}

#[test]
fn what_is_no_state() {
    let mut standing = Standing::default();
    let unknown = State { value: None, ..mode("a", 1, slow(1)) };
    let misplaced = State { key: "sticky/x".into(), ..mode("a", 1, slow(1)) };
    for state in [unknown, misplaced, mode("a/b", 1, slow(1)), State { key: "mood".into(), ..mode("a", 1, slow(1)) }] {
        assert_eq!(standing.hear(state), Err(NoState));
    }
    for key in [&b"mode"[..], b"", b"/mode", b"\xff/mode"] {
        assert_eq!(standing.remove(key), Err(NoState));
    }
    assert!(standing.rooms.is_empty());
}

#[test]
fn of_too_many_the_oldest_are_forgotten() {
    let mut standing = Standing::default();
    for number in 0..20 {
        standing.hear(sticky("a", &number.to_string(), 1, number, &number.to_string())).unwrap();
    }
    let last: Vec<_> = (4..20).map(|number| number.to_string()).collect();
    assert_eq!(texts(&standing, "a"), last);

    standing.set_mode(&room("old"), source(21), slow(1));
    let large = "x".repeat(3 * 1024);
    let mut src = 100;
    while standing.forgotten == 0 {
        standing.hear(sticky(&format!("r{}", src / 16), &src.to_string(), 1, src, &large)).unwrap();
        assert!(standing.bytes() <= BYTES_MAX);
        src += 1;
    }
    assert!(texts(&standing, "a").is_empty() && mode_of(&standing, "old") == slow(1));
    assert_eq!((standing.take_forgotten(), standing.take_forgotten()), (1, 0));
    assert!((150..160).contains(&standing.rooms.len()), "{}", standing.rooms.len());
}

proptest! {
    #[test]
    fn the_order_of_reading_does_not_matter(order in Just((0..24u64).collect::<Vec<_>>()).prop_shuffle()) {
        let mut standing = Standing::default();
        for src in order {
            let name = ["a", "b"][src as usize % 2];
            if src % 3 == 0 {
                standing.hear(mode(name, src, slow(src as u32))).unwrap();
            } else {
                standing.hear(sticky(name, &(src % 5).to_string(), 1, src, &src.to_string())).unwrap();
            }
            let bytes: usize = standing.rooms.values().map(|room| room.bytes).sum();
            prop_assert_eq!((standing.bytes(), standing.order.len()), (bytes, standing.rooms.len()));
        }
        prop_assert_eq!((mode_of(&standing, "a").slow_ms, mode_of(&standing, "b").slow_ms), (18, 21));
        // The last of each key, by source: even ones in a, odd ones in b, without every third.
        prop_assert_eq!(texts(&standing, "a"), ["8", "14", "16", "20", "22"]);
        prop_assert_eq!(texts(&standing, "b"), ["5", "11", "17", "19", "23"]);
    }
}
