//! Many short texts searched for at once: the one place that knows which library does it.

use daachorse::{CharwiseDoubleArrayAhoCorasick, CharwiseDoubleArrayAhoCorasickBuilder};

/// An automaton over characters. All matches are told, also those that overlap.
pub(super) struct Automaton(Option<CharwiseDoubleArrayAhoCorasick<u32>>);

impl Automaton {
    /// Of texts that differ from one another; the number of each is its place.
    pub(super) fn new(texts: &[String]) -> Self {
        // None of the library's errors can occur: the texts differ, none is empty, and they are fewer than 2^31 characters.
        Self(CharwiseDoubleArrayAhoCorasickBuilder::new().build(texts.iter()).ok().filter(|_| !texts.is_empty()))
    }

    /// Calls `each` with the place of a text and the number of characters up to and with its last.
    pub(super) fn search(&self, text: &str, mut each: impl FnMut(u32, usize)) {
        let Some(automaton) = &self.0 else { return };
        let mut stepper = automaton.find_overlapping_stepper();
        for (place, char) in text.chars().enumerate() {
            stepper.consume(char);
            for found in stepper.matches() {
                each(found.value(), place + 1);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, CharwiseDoubleArrayAhoCorasick::heap_bytes)
    }
}
