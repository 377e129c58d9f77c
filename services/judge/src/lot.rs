//! Drawing lots that fall the same on every machine and at every replay, and that nobody can know who does not know the
//! offset his message will get.

/// A lot in [0, 2^32).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lot(u32);

impl Lot {
    /// The lot of `number` in a draw.
    pub(crate) fn of(draw: u64, number: u64) -> Self {
        Self((mix(mix(draw) ^ number) >> 32) as u32)
    }

    /// Whether it is among the first `places`, if `all` draw: each with a chance of `places` in `all`.
    pub(crate) fn is_among(self, places: u64, all: u64) -> bool {
        u64::from(self.0).saturating_mul(all) < places << 32
    }
}

/// FNV-1a in 64 bits, as the name of a text in a draw.
pub(crate) fn name(text: &str) -> u64 {
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, fold)
}

/// Steele, Lea and Flood's SplitMix64: a step and its finalizer, in which every bit of the input changes half of the output.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_are_those_of_every_release() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(name("demo"), name("demo"));
        assert_ne!(name("demo"), name("dema"));
        assert_eq!(name(""), 0xcbf2_9ce4_8422_2325);
    }

    #[test]
    fn a_share_of_them_is_among_the_first() {
        for (places, all) in [(1, 1), (1, 2), (20, 100), (3, 1_000), (5, 0)] {
            let among = (0..100_000).filter(|&number| Lot::of(7, number).is_among(places, all)).count() as f64;
            let expected = 100_000.0 * (places as f64 / all as f64).min(1.0);
            assert!((among - expected).abs() < 600.0, "{among} of 100,000 for {places} in {all}");
        }
    }
}
