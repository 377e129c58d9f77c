//! A plain word file, read and matched: UTF-8, one word a line, `#` comments. Looking at the file is the caller's.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::normalize::normalize;

/// The longest line in bytes. A longer one is a file in another format, not a word.
pub const LINE_BYTES_MAX: usize = 256;

/// Words to look for, each with the line it stands on.
pub struct Words {
    automaton: AhoCorasick,
    /// The line of each word.
    lines: Vec<u32>,
}

/// Why a word file cannot be used. Never a reason to allow everything: the last good one stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWords {
    /// Not text.
    #[error("line {line} is not UTF-8")]
    NotUtf8 {
        /// The first line that is not.
        line: u32,
    },
    /// Not a word.
    #[error("line {line} is longer than 256 bytes; a word stands alone on its line")]
    LineTooLong {
        /// The first line that is.
        line: u32,
    },
    /// Empty, or only comments.
    #[error("it holds no word")]
    Empty,
    /// More words than can be searched for at once.
    #[error("it cannot be searched for: {0}")]
    TooMany(String),
}

impl Words {
    /// Reads a word file.
    pub fn parse(file: &[u8]) -> Result<Self, BadWords> {
        let mut words = Vec::new();
        let mut lines = Vec::new();
        for (line, bytes) in (1..).zip(without_mark(file).split(|&byte| byte == b'\n')) {
            if bytes.len() > LINE_BYTES_MAX {
                return Err(BadWords::LineTooLong { line });
            }
            let word = std::str::from_utf8(bytes).map_err(|_| BadWords::NotUtf8 { line })?.trim();
            if !word.is_empty() && !word.starts_with('#') {
                words.push(normalize(word));
                lines.push(line);
            }
        }
        if words.is_empty() {
            return Err(BadWords::Empty);
        }
        // The contiguous kind: 65,000 words are built in about a second, take 8 MB and cost below 1 µs a message. A DFA would
        // take 500 MB.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(&words)
            .map_err(|error| BadWords::TooMany(error.to_string()))?;
        Ok(Self { automaton, lines })
    }

    /// The line of the first word in a normalized text; of two that start together, the longer one's.
    pub fn hit(&self, normalized: &str) -> Option<u32> {
        let found = self.automaton.find(normalized)?;
        self.lines.get(found.pattern().as_usize()).copied()
    }

    /// How many words there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }
}

/// The file without the mark that some editors put before UTF-8.
fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\u{feff}# invented words\r\nblorp\r\n\r\n  Ｇｒｕｎｋ  \n坏词语\nblorpish fnord\nblorp\n# end";

    #[test]
    fn a_hit_names_its_line() {
        let words = Words::parse(FILE.as_bytes()).unwrap();
        assert_eq!(words.count(), 5);
        for (text, line) in [
            ("hello", None),
            ("blorp", Some(2)),
            ("such a BLORP!", Some(2)),
            ("ｂｌｏｒｐ", Some(2)),
            ("gruNK", Some(4)),
            ("这是坏词语吧", Some(5)),
            ("坏词", None),
            // The longer one of two that start together.
            ("a blorpish fnord", Some(6)),
            ("# end", None),
            ("invented words", None),
            ("", None),
        ] {
            assert_eq!(words.hit(&normalize(text)), line, "{text}");
        }
    }

    #[test]
    fn a_bad_file_names_its_line() {
        let long = format!("fine\n{}\n", "x".repeat(257));
        let longest = format!("fine\n{}\n", "x".repeat(256));
        assert!(Words::parse(longest.as_bytes()).is_ok());
        for (file, why) in [
            (&b""[..], BadWords::Empty),
            (b"\xef\xbb\xbf", BadWords::Empty),
            (b"# only\n\n  \n#comments", BadWords::Empty),
            (b"fine\nb\xffd\n", BadWords::NotUtf8 { line: 2 }),
            (long.as_bytes(), BadWords::LineTooLong { line: 2 }),
        ] {
            assert_eq!(Words::parse(file).err(), Some(why));
        }
    }
}
