//! Ids as numbers: clients of this wire hold users, rooms and messages in 53 bits.

use sha2::{Digest as _, Sha256};

/// The largest whole number that every JSON reader holds exactly.
const MAX: u64 = (1 << 53) - 1;

/// The number that an id is known by. An id that is a number keeps it. Another gets 52 bits of its SHA-256 in the upper half,
/// where numbers that somebody counts up to do not reach; among a million ids two share one with probability 1e-4
/// (10^12 / 2 / 2^52). It is the same on every node and in every release.
pub(super) fn of(id: &str) -> u64 {
    let plain = id.parse().ok().filter(|number: &u64| *number <= MAX && number.to_string() == id);
    plain.unwrap_or_else(|| {
        let hash = Sha256::digest(id.as_bytes());
        let high = hash.iter().take(8).fold(0, |high, &byte| high << 8 | u64::from(byte));
        1 << 52 | high >> 12
    })
}

/// The checksum of an id in hexadecimal, by which some clients compare users.
pub(super) fn checksum(id: &str) -> String {
    let mut checksum = flate2::Crc::new();
    checksum.update(id.as_bytes());
    format!("{:08x}", checksum.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_others_get_one_that_stays() {
        for (id, number) in [("0", 0), ("7", 7), ("1001", 1001), ("9007199254740991", MAX)] {
            assert_eq!(of(id), number);
        }
        // The first 52 bits of `printf u7 | sha256sum`, and the bit above them.
        assert_eq!(of("u7"), 0x10_0000_0000_0000 | 0xe_8180_000f_a67e);
        for id in ["", "007", "00", "+7", "-7", "7 ", "９", "9007199254740992", "99999999999999999999", "demo"] {
            assert!((1 << 52..=MAX).contains(&of(id)), "{id}");
        }
    }

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(checksum("123456789"), "cbf43926");
    }
}
