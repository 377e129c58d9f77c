//! What people say and what may not be said: real ones from the folder of `DANMAKU_SHARED` (or `../shared` beside the
//! repository), or invented ones. Nothing of it is printed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

/// As many as a large platform blocks.
const INVENTED_WORDS: u32 = 65_000;

/// A word list in a file.
pub(crate) struct Words {
    pub(crate) file: PathBuf,
    pub(crate) count: usize,
}

/// The longest entry that a rule book takes, in characters.
const LENGTH_MAX: usize = 64;

/// The words, written to a file in `folder`: those of the real list that a rule book takes, or invented ones.
pub(crate) fn words(folder: &Path) -> anyhow::Result<Words> {
    let words = match named("words", "deny", "txt") {
        Some(file) => fs::read_to_string(file).context("a word list")?,
        None => (0..INVENTED_WORDS).map(|number| invented(number, 2 + number % 7) + "\n").collect(),
    };
    let words: Vec<&str> = words.lines().filter(|word| word.chars().count() <= LENGTH_MAX).collect();
    let file = folder.join("words.txt");
    fs::write(&file, words.join("\n"))?;
    Ok(Words { file, count: words.len() })
}

/// Some thousand messages.
pub(crate) fn said() -> anyhow::Result<Vec<String>> {
    let file = named("data", "live_room", "ndjson");
    let file =
        file.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../loadtest/data/synthetic.ndjson"));
    let lines = fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
    let texts = lines.lines().filter_map(|line| {
        let said: serde_json::Value = serde_json::from_str(line).ok()?;
        said.get("text")?.as_str().map(str::to_owned).filter(|text| !text.is_empty())
    });
    Ok(texts.collect())
}

fn named(folder: &str, part: &str, extension: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("DANMAKU_SHARED").map_or_else(beside, PathBuf::from).join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).ok()?.flatten().map(|file| file.path()).collect();
    files.sort();
    files.into_iter().find(|file| {
        file.extension().is_some_and(|found| found == extension)
            && file.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(part))
    })
}

/// The `number`th of a list of words of `length` Han characters: a plain congruential walk, the same on every machine.
pub(crate) fn invented(number: u32, length: u32) -> String {
    let mut state = number.wrapping_mul(2_654_435_761) ^ 0x9e37_79b9;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from_u32(0x4e00 + (state >> 8) % 3_500).unwrap_or('弹')
    };
    (0..length).map(|_| next()).collect()
}
