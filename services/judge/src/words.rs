//! A plain word file, read into entries of a rule book: UTF-8, one word a line, `#` comments. Looking at the file is the
//! caller's.

use proto::v1::{Action, Entry};

/// The longest line in bytes. A longer one is a file in another format, not a word.
pub const LINE_BYTES_MAX: usize = 256;

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
}

/// The words of a file as entries that block, each with the line it stands on as its id.
///
/// # Errors
/// When it is no word list.
pub fn entries(file: &[u8]) -> Result<Vec<Entry>, BadWords> {
    let mut entries = Vec::new();
    for (line, bytes) in (1..).zip(without_mark(file).split(|&byte| byte == b'\n')) {
        if bytes.len() > LINE_BYTES_MAX {
            return Err(BadWords::LineTooLong { line });
        }
        let word = std::str::from_utf8(bytes).map_err(|_| BadWords::NotUtf8 { line })?.trim();
        if !word.is_empty() && !word.starts_with('#') {
            entries.push(blocking(line, word));
        }
    }
    if entries.is_empty() { Err(BadWords::Empty) } else { Ok(entries) }
}

fn blocking(line: u32, word: &str) -> Entry {
    Entry {
        id: format!("word:{line}"),
        list: "words".to_owned(),
        text: word.to_owned(),
        severity: 3,
        action: Action::Block as i32,
        ..Entry::default()
    }
}

/// The file without the mark that some editors put before UTF-8.
fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_names_its_line() {
        let file = "\u{feff}# invented words\r\nblorp\r\n\r\n  Ｇｒｕｎｋ  \n坏词语\nblorpish fnord\nblorp\n# end";
        let entries = entries(file.as_bytes()).unwrap();
        let read: Vec<_> = entries.iter().map(|entry| (&*entry.id, &*entry.text)).collect();
        let expected = [("2", "blorp"), ("4", "Ｇｒｕｎｋ"), ("5", "坏词语"), ("6", "blorpish fnord"), ("7", "blorp")];
        let expected = expected.map(|(line, text)| (format!("word:{line}"), text));
        assert_eq!(read, expected.each_ref().map(|(id, text)| (&**id, *text)));
    }

    #[test]
    fn a_bad_file_names_its_line() {
        let long = format!("fine\n{}\n", "x".repeat(257));
        let longest = format!("fine\n{}\n", "x".repeat(256));
        assert!(entries(longest.as_bytes()).is_ok());
        for (file, why) in [
            (&b""[..], BadWords::Empty),
            (b"\xef\xbb\xbf", BadWords::Empty),
            (b"# only\n\n  \n#comments", BadWords::Empty),
            (b"fine\nb\xffd\n", BadWords::NotUtf8 { line: 2 }),
            (long.as_bytes(), BadWords::LineTooLong { line: 2 }),
        ] {
            assert_eq!(entries(file).err(), Some(why));
        }
    }
}
