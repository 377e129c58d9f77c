//! A value that is kept in a file, because environments and command lines are seen by others.
//! Kept out: what the value means.

use std::path::Path;

/// What the file holds, without the newline that editors put at its end.
///
/// # Errors
/// When it cannot be read or holds nothing; the text says why, and not what was read.
pub fn secret(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("it cannot be read: {error}"))?;
    let text = text.trim();
    if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_its_text_or_a_reason() {
        let path = std::env::temp_dir().join(format!("danmaku-secret-{}", std::process::id()));
        for (held, expected) in [("a b\n", Ok("a b")), ("x", Ok("x")), ("\n", Err("empty"))] {
            std::fs::write(&path, held).unwrap();
            match (secret(&path), expected) {
                (Ok(text), Ok(expected)) => assert_eq!(text, expected),
                (Err(why), Err(word)) => assert!(why.contains(word), "{why}"),
                (read, _) => panic!("{held:?}: {read:?}"),
            }
        }
        std::fs::remove_file(&path).unwrap();
        assert!(secret(&path).unwrap_err().contains("cannot be read"));
    }
}
