//! What an OpenTelemetry collector hears of a danmaku: its way from the door to the room if chance chose it, and from where it
//! was late or failed if not. A stranger's word changes neither.

use std::time::{Duration, Instant};

use chassis::trace::{Context, LATE};
use integration::{Collector, until_so};
use proto::{MessageId, Topic};

use crate::{SOON, world};

/// Somebody else's span, which asks to be gone on with.
const STRANGER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn words(flags: &[String]) -> Vec<&str> {
    flags.iter().map(String::as_str).collect()
}

/// Time passes until what was said at `since` is late, and a little more.
async fn until_late(since: Instant) {
    until_so("time passes", SOON, || since.elapsed() > LATE + Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chosen_danmaku_is_told_of_from_the_door_to_its_room() {
    let (world, collector) = (world("traced_chosen").await, Collector::listen());
    let flags = collector.flags(1);
    let flags = words(&flags);
    // One shard, as each of them flushes its room.
    let hall = [&flags[..], &["--shards", "1"]].concat();
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&flags), world.filter(&flags), world.fanout(&hall));
    let room = "room-of-secrets";
    let viewers = [world.viewer(&fanout, room).await, world.viewer(&fanout, room).await];

    let id = world.sender(&ingest, "user-of-secrets").say_under(STRANGER, room, "text of secrets").await.accepted();
    for viewer in &viewers {
        viewer.until("the message", SOON, |seen| seen.position_of(id).is_some()).await;
    }
    let is_of_it = |told: &integration::collector::Told| told.said("messaging.message.id") == id.to_string();
    let mut told = collector.until("a span of each service", 3, is_of_it).await;
    told.sort_by_key(|told| told.span.start_time_unix_nano);

    let (input, output) = (Topic::Input.name(&world.prefix), Topic::Output.name(&world.prefix));
    let names = [format!("send {input}"), format!("process {input}"), format!("process {output}")];
    let what: Vec<_> = told.iter().map(|told| (&*told.service, &*told.span.name)).collect();
    assert_eq!(what, [("ingest", &*names[0]), ("filter", &*names[1]), ("fanout", &*names[2])]);
    let why: Vec<_> = told.iter().map(|told| told.said("danmaku.traced")).collect();
    assert_eq!(why, ["chance", "followed", "followed"]);

    // One trace, and the door's span is what caused the others. The stranger's is another: linked to, and no more.
    let [door, judge, hall] = &told[..] else { panic!("{told:?}") };
    let stranger = Context::parse(STRANGER.as_bytes()).unwrap();
    let links: Vec<_> = door.span.links.iter().map(|link| (&link.trace_id[..], &link.span_id[..])).collect();
    assert_eq!(links, [(&stranger.trace()[..], &stranger.span()[..])]);
    assert!(door.span.parent_span_id.is_empty() && door.span.trace_id != stranger.trace());
    for other in [judge, hall] {
        assert_eq!(other.span.trace_id, door.span.trace_id);
        assert_eq!(other.span.parent_span_id, door.span.span_id);
    }
    assert_eq!((&hall.span.links[0].span_id, hall.span.links.len()), (&door.span.span_id, 1));

    assert_eq!((door.said("messaging.kafka.offset"), judge.said("danmaku.verdict")), ("0".into(), "passed".into()));
    assert_eq!((hall.said("messaging.batch.message_count"), hall.said("danmaku.viewers")), ("1".into(), "2".into()));
    for one in &told {
        assert!(one.span.status.is_none() && one.span.end_time_unix_nano >= one.span.start_time_unix_nano);
        assert_eq!(one.said("messaging.destination.partition.id"), world.partition_of(room).to_string());
        // Whose message it is, and what it says, is for who may read the topics.
        assert!(!format!("{one:?}").contains("of-secrets") && !format!("{one:?}").contains("of secrets"), "{one:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_and_failed_ones_are_told_of_though_nobody_chose_them() {
    let (world, collector) = (world("traced_late").await, Collector::listen());
    let flags = collector.flags(0);
    let flags = words(&flags);
    let (ingest, mut filter, mut fanout) =
        tokio::join!(world.ingest(&flags), world.filter(&flags), world.fanout(&flags));
    let room = "late";
    let viewer = world.viewer(&fanout, room).await;
    let seen = async |id: MessageId| {
        viewer.until("the message", SOON, |seen| seen.position_of(id).is_some()).await;
    };
    let sender = |user: &str| world.sender(&ingest, user);
    let of =
        |id: MessageId| move |told: &integration::collector::Told| told.said("messaging.message.id") == id.to_string();

    let in_time = sender("a").say_under(STRANGER, room, "in time").await.accepted();
    seen(in_time).await;

    // The judge is late: it tells, and whoever comes behind it goes on.
    filter.pause();
    let said = Instant::now();
    let judged_late = sender("b").say(room, "judged late").await.accepted();
    until_late(said).await;
    filter.go_on();
    seen(judged_late).await;
    let told = collector.until("the judge and the hall", 2, of(judged_late)).await;
    let judge = told.iter().find(|told| told.service == "filter").expect("the judge");
    let hall = told.iter().find(|told| told.service == "fanout").expect("the hall");
    assert_eq!((judge.said("danmaku.traced"), hall.said("danmaku.traced")), ("late".into(), "followed".into()));
    assert!(judge.said("danmaku.lag_ms").parse::<u64>().unwrap() >= 1_000, "{judge:?}");
    assert_eq!((&hall.span.trace_id, &hall.span.parent_span_id), (&judge.span.trace_id, &judge.span.span_id));

    // The hall is late: it alone tells. Its trace is the one that the message's id and time name, as the judge's was.
    fanout.pause();
    let said = Instant::now();
    let shown_late = sender("c").say(room, "shown late").await.accepted();
    until_late(said).await;
    fanout.go_on();
    seen(shown_late).await;
    let in_hall = |told: &integration::collector::Told| told.service == "fanout" && of(shown_late)(told);
    let told_late = collector.until("the hall", 1, in_hall).await;
    // Unless the machine kept the judge as well, which then told first.
    if !collector.heard().iter().any(|told| told.service == "filter" && of(shown_late)(told)) {
        assert_eq!(told_late[0].said("danmaku.traced"), "late");
    }
    let trace_of = |id| {
        let at = viewer.seen().messages.iter().find(|message| message.id == id).map(|message| message.at);
        Context::derived(&format!("{id}@{}", at.expect("it was seen"))).trace()
    };
    for (id, told) in [(judged_late, judge), (shown_late, &told_late[0])] {
        assert_eq!(told.span.trace_id, trace_of(id), "{id}");
    }

    // What is none fails, in both.
    let partition = world.partition_of(room);
    for (topic, service) in [(Topic::Input, "filter"), (Topic::Output, "fanout")] {
        world.write_raw(topic, partition, room.as_bytes(), &[0xff; 9]).await;
        let failed = collector.until(service, 1, |told| told.service == service && told.span.status.is_some()).await;
        assert_eq!(
            (failed[0].said("danmaku.traced"), failed[0].said("error.type")),
            ("failed".into(), "undecodable".into())
        );
    }
    // On a busy machine this one may have been late as well; then it is told under its own trace.
    let theirs = |told: &integration::collector::Told| told.span.trace_id != trace_of(in_time);
    let asked: Vec<_> = collector.heard().into_iter().filter(of(in_time)).filter(theirs).collect();
    assert!(asked.is_empty(), "a stranger's flag: {asked:?}");
}
