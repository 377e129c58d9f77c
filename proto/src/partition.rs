//! The partition of a room: Kafka's own murmur2, computed here too, so that a client or a balancer can know it.
//!
//! Source: `org.apache.kafka.common.utils.Utils.murmur2` and `toPositive`, as the Java producer's default partitioner
//! uses them for a keyed record. `golden/murmur2.txt` holds values computed with Kafka's own jar.

/// The partition of `key` among `partitions`, equal to the Java client's.
///
/// # Panics
/// If `partitions` is not positive.
pub fn of(key: &[u8], partitions: i32) -> i32 {
    assert!(partitions > 0, "a topic has at least one partition");
    let positive = murmur2(key) & 0x7fff_ffff;
    // Both are below 2^31, so the remainder is as well.
    (positive % partitions.unsigned_abs()).cast_signed()
}

fn murmur2(data: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    const R: u32 = 24;
    let mut chunks = data.chunks_exact(4);
    // Java's int length wraps the same way.
    let mut hash = SEED ^ (data.len() as u32);
    for chunk in &mut chunks {
        let mut k = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]).wrapping_mul(M);
        k = (k ^ (k >> R)).wrapping_mul(M);
        hash = hash.wrapping_mul(M) ^ k;
    }
    let tail = chunks.remainder();
    if !tail.is_empty() {
        let last = tail.iter().rev().fold(0u32, |word, &byte| (word << 8) | u32::from(byte));
        hash = (hash ^ last).wrapping_mul(M);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(M);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unhex(text: &str) -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn equal_to_kafkas_own_jar() {
        let golden = include_str!("../golden/murmur2.txt");
        let mut rows = 0;
        for line in golden.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let mut columns = line.split('\t');
            let key = unhex(columns.next().unwrap());
            let partitions = columns.next().unwrap().parse().unwrap();
            let expected: i32 = columns.next().unwrap().parse().unwrap();
            assert_eq!(of(&key, partitions), expected, "{line}");
            rows += 1;
        }
        assert!(rows >= 50, "only {rows} rows in golden/murmur2.txt");
    }
}
