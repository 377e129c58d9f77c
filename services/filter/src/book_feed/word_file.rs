//! A word file instead of the topic's lists, looked at each second: a changed one is a new book. What words do is kept out.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use judge::Book;

/// The largest file: a million words. A larger one is no word list.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// A word file, and what of it is in force. It is read whole at each look, half a megabyte for 65,000 words, because a
/// modification time says nothing about two edits within its resolution.
pub(crate) struct WordFile {
    path: PathBuf,
    content: Option<Vec<u8>>,
}

impl WordFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, content: None }
    }

    /// Its words as a book, if they are others than at the last good look.
    ///
    /// # Errors
    /// When it is no word list; the text names the file and the line.
    pub(crate) fn look(&mut self) -> Result<Option<Book>, String> {
        let named = |error: &dyn std::fmt::Display| format!("--words {}: {error}", self.path.display());
        let content = read(&self.path).map_err(|error| named(&error))?;
        if self.content.as_ref() == Some(&content) {
            return Ok(None);
        }
        let book = Book::of_words(&content).map_err(|error| named(&error))?;
        self.content = Some(content);
        Ok(Some(book))
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut content)?;
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other("it is larger than 16 MiB"));
    }
    Ok(content)
}
