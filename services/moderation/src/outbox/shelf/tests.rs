//! The topic as a reader finds it after each step.

use proptest::prelude::*;

use super::*;

fn version(number: u64, chunks: &[u8]) -> v1::RuleVersion {
    v1::RuleVersion {
        scope: Scope::Global.to_string(),
        number,
        chunks: chunks.iter().map(|byte| vec![*byte; 32]).collect(),
        ..v1::RuleVersion::default()
    }
}

#[test]
fn a_version_brings_only_the_chunks_that_are_missing() {
    let mut shelf = Shelf::default();
    assert_eq!(shelf.step(&Scope::Global, &version(1, &[1, 2]), false).chunks, [[1; 32], [2; 32]]);
    assert_eq!(shelf.step(&Scope::Global, &version(2, &[1, 3]), false).chunks, [[3; 32]]);
    assert_eq!(shelf.step(&Scope::Global, &version(3, &[1, 3]), true).chunks, [[1; 32], [3; 32]]);
    assert!(shelf.has_whole(&Scope::Global, 3) && shelf.highest() == 3);
}

#[test]
fn a_chunk_that_comes_back_after_its_tombstone_is_written_again() {
    let mut shelf = Shelf::default();
    shelf.step(&Scope::Global, &version(1, &[1]), false);
    let mut gone = Vec::new();
    for number in 2..=21 {
        gone.extend(shelf.step(&Scope::Global, &version(number, &[2]), false).gone);
    }
    assert_eq!(gone, [Key::Version(Scope::Global, 1), Key::Chunk([1; 32])]);
    assert_eq!(shelf.step(&Scope::Global, &version(22, &[1]), false).chunks, [[1; 32]]);
}

proptest! {
    /// Whatever is published, a reader of the topic who applies the records in order holds the last versions whole, and
    /// nothing besides; and it comes to the same shelf.
    #[test]
    fn the_topic_holds_the_last_versions_whole(script in prop::collection::vec((0..3u8, prop::collection::vec(0..12u8, 0..6)), 1..80)) {
        let scope = |of: u8| match of {
            0 => Scope::Global,
            of => Scope::Room(proto::RoomId::new(&format!("r{of}")).unwrap()),
        };
        let (mut shelf, mut reader) = (Shelf::default(), Shelf::default());
        for (number, (of, chunks)) in (1..).zip(script) {
            let version = v1::RuleVersion { scope: scope(of).to_string(), ..version(number, &chunks) };
            let step = shelf.step(&scope(of), &version, false);
            let chunk = record::encode(&v1::Rules { record: Some(Record::Chunk(v1::RuleChunk::default())) });
            for hash in &step.chunks {
                reader.hear(Key::Chunk(*hash).to_string().as_bytes(), &[&chunk[..], b"\x0a\x00"].concat());
            }
            let record = record::encode(&v1::Rules { record: Some(Record::Version(version)) });
            reader.hear(Key::Version(scope(of), number).to_string().as_bytes(), &record);
            step.gone.iter().for_each(|key| reader.hear(key.to_string().as_bytes(), b""));
            prop_assert!(reader.has_whole(&scope(of), number));
        }
        prop_assert_eq!(&reader, &shelf);
        for (scope, versions) in &reader.versions {
            prop_assert!(versions.len() <= VERSIONS_KEPT);
            prop_assert!(versions.keys().all(|number| reader.has_whole(scope, *number)));
        }
        prop_assert!(reader.chunks.iter().all(|hash| reader.named.contains_key(hash)));
    }
}
