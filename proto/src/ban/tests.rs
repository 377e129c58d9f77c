//! Bans as records, and who is let in after them.

use super::*;

const NOW: i64 = 1_800_000_000_000;

fn rule(subject: &str, until: i64, sequence: u64) -> Vec<u8> {
    let ban = v1::BanRule { subject: subject.into(), until, sequence, reason: String::new() };
    record::encode(&v1::Rules { record: Some(rules::Record::Ban(ban)) })
}

fn hear(book: &mut Book, subject: &str, until: i64, sequence: u64) -> Taken {
    book.hear(format!("ban/{subject}").as_bytes(), &rule(subject, until, sequence), NOW)
}

fn user(name: &str) -> Person<'_> {
    Person { user: Some(name), ..Person::default() }
}

#[test]
fn the_highest_sequence_holds_until_its_time() {
    let mut book = Book::default();
    let steps = [
        (NOW + 1_000, 5, Taken::Kept, Some(Until::Time(NOW + 1_000))),
        (0, 4, Taken::Older, Some(Until::Time(NOW + 1_000))),
        (0, 5, Taken::Kept, Some(Until::Ever)),
        (NOW, 6, Taken::Kept, None), // lifted: it ends now
        (0, 5, Taken::Older, None),
        (NOW + 1, 7, Taken::Kept, Some(Until::Time(NOW + 1))),
    ];
    for (until, sequence, taken, holds) in steps {
        assert_eq!(hear(&mut book, "user/ann", until, sequence), taken, "{until} {sequence}");
        assert_eq!(book.until(user("ann"), NOW), holds, "{until} {sequence}");
    }
    assert_eq!(book.until(user("ann"), NOW + 1), None);
    assert_eq!(book.until(user("bob"), NOW), None);
    assert_eq!(book.until(Person::default(), NOW), None);
}

#[test]
fn a_tombstone_lifts() {
    let mut book = Book::default();
    hear(&mut book, "user/a/b", 0, 5);
    assert_eq!(book.until(user("a/b"), NOW), Some(Until::Ever));
    assert_eq!(book.hear(b"ban/user/a/b", b"", NOW), Taken::Kept);
    assert!(book.is_empty());
}

#[test]
fn somebody_is_known_by_user_device_and_address() {
    let here: IpAddr = "203.0.113.9".parse().unwrap();
    let address = AddressHash::of(here);
    let mut book = Book::default();
    hear(&mut book, "device/d1", NOW + 7, 1);
    hear(&mut book, &format!("address/{address}"), 0, 1);
    let person = Person { user: Some("ann"), device: Some("d1"), address: None };
    assert_eq!(book.until(person, NOW), Some(Until::Time(NOW + 7)));
    let person = Person { address: Some(address), ..person };
    assert_eq!(book.until(person, NOW), Some(Until::Ever), "the longest is told");
    assert_eq!(book.until(user("d1"), NOW), None, "a device is no user");
}

#[test]
fn what_is_no_ban() {
    let mut book = Book::default();
    let mute = v1::MuteRule { subject: "user/ann".into(), ..v1::MuteRule::default() };
    let mute = record::encode(&v1::Rules { record: Some(rules::Record::Mute(mute)) });
    let table = [
        (&b"mute/demo/ann"[..], mute.clone(), Taken::Other),
        (b"", rule("user/ann", 0, 1), Taken::Other),
        (b"ban/user/ann", mute, Taken::Unreadable),
        (b"ban/user/ann", rule("user/bob", 0, 1), Taken::Unreadable),
        (b"ban/user/ann", vec![0xff; 9], Taken::Unreadable),
        (b"ban/user/", rule("user/", 0, 1), Taken::Unreadable),
        (b"ban/ann", rule("ann", 0, 1), Taken::Unreadable),
        (b"ban/address/203.0.113.9", rule("address/203.0.113.9", 0, 1), Taken::Unreadable),
        (b"ban/user/\xff", rule("user/ann", 0, 1), Taken::Unreadable),
    ];
    for (key, value, taken) in table {
        assert_eq!(book.hear(key, &value, NOW), taken, "{}", String::from_utf8_lossy(key));
    }
    assert!(book.is_empty());
}

#[test]
fn a_full_book_forgets_what_ended_and_nothing_else() {
    let mut book = Book::default();
    for number in 1..BANS_MAX {
        assert_eq!(hear(&mut book, &format!("user/{number}"), 0, 1), Taken::Kept);
    }
    assert_eq!(hear(&mut book, "user/ended", NOW - KEPT_AFTER_MS, 1), Taken::Kept);
    assert_eq!(hear(&mut book, "user/new", 0, 1), Taken::Kept);
    assert_eq!(hear(&mut book, "user/newer", 0, 1), Taken::NoRoom);
    assert_eq!(hear(&mut book, "user/7", NOW + 9, 2), Taken::Kept, "who is in it can be changed");
    assert_eq!((book.len(), book.until(user("new"), NOW)), (BANS_MAX, Some(Until::Ever)));
}

#[test]
fn what_was_known_holds_while_the_topic_is_read_again() {
    let mut books = Books::default();
    let hear = |books: &mut Books, subject: &str, until| {
        books.hear(format!("ban/{subject}").as_bytes(), &rule(subject, until, 1), NOW)
    };
    let is_banned = |books: &Books, name: &str| books.in_force().map(|book| book.until(user(name), NOW).is_some());
    hear(&mut books, "user/ann", 0);
    assert_eq!(is_banned(&books, "ann"), None, "not whole yet");
    books.caught_up();
    assert_eq!(is_banned(&books, "ann"), Some(true));
    hear(&mut books, "user/bob", 0);
    assert_eq!(is_banned(&books, "bob"), Some(true));
    books.anew();
    hear(&mut books, "user/cat", 0);
    assert_eq!((is_banned(&books, "bob"), is_banned(&books, "cat")), (Some(true), Some(false)));
    books.caught_up();
    assert_eq!((is_banned(&books, "bob"), is_banned(&books, "cat")), (Some(false), Some(true)));
    books.caught_up();
    assert_eq!(is_banned(&books, "cat"), Some(true), "an end without a beginning changes nothing");
}

#[test]
fn addresses_are_hashed_by_what_a_household_has() {
    let of = |text: &str| AddressHash::of(text.parse().unwrap()).to_string();
    // printf %s danmaku-address/203.0.113.9 | sha256sum | cut -c1-32
    assert_eq!(of("203.0.113.9"), "c4936f33fa31a71c3082af89d7fee539");
    assert_eq!(of("::ffff:203.0.113.9"), of("203.0.113.9"));
    assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::"));
    assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
    let subject = format!("address/{}", of("2001:db8::1"));
    assert_eq!(subject.parse::<Subject>().unwrap().to_string(), subject);
}

#[test]
fn how_long_is_said_as_a_date() {
    assert_eq!(Until::Time(784_111_777_000).to_string(), "banned until Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(Until::Time(i64::MAX).to_string(), "banned for good");
    assert_eq!(Until::Ever.to_string(), "banned for good");
    assert_eq!(Until::Time(-1).to_string(), "banned until Thu, 01 Jan 1970 00:00:00 GMT");
}
