//! Each life of the program on an embedded broker is a generation of its own: offsets begin anew there, and an id or a cursor of
//! an earlier life must not be taken for one of this. Kept out: what a generation means to records (`proto`).

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write as _},
    path::Path,
};

use anyhow::Context as _;

/// In the folder for what outlives the program: the number of its latest life.
const FILE: &str = "generation";

/// The number of the life that begins now: one more than the latest, and at least `least`.
///
/// # Errors
/// When the folder cannot be written, or the file holds no number.
pub(crate) fn next(folder: &Path, least: u32) -> anyhow::Result<u32> {
    let file = folder.join(FILE);
    let latest = latest(&file).with_context(|| format!("{} holds no number; remove it", file.display()))?;
    let next = latest.saturating_add(1).max(least);
    write(folder, next).with_context(|| {
        format!("--data (DANMAKU_DATA): {} cannot be written; name a folder that can", folder.display())
    })?;
    Ok(next)
}

fn latest(file: &Path) -> anyhow::Result<u32> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text.trim().parse()?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Whole or not at all, whenever the machine fails: a number cut off or forgotten could be one that was before.
fn write(folder: &Path, number: u32) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!("{FILE}.new"));
    let mut file = File::create(&beside)?;
    writeln!(file, "{number}")?;
    // On the disk before its name is, and the name before anything is said under the number.
    file.sync_all()?;
    fs::rename(beside, folder.join(FILE))?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_life_has_a_number_of_its_own() {
        let folder = std::env::temp_dir().join(format!("danmaku-lives-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let inner = folder.join("made/when/missing");
        assert_eq!(next(&inner, 1).unwrap(), 1);
        assert_eq!(next(&inner, 1).unwrap(), 2);
        assert_eq!(next(&inner, 9).unwrap(), 9, "a given one counts if it is higher");
        assert_eq!(next(&inner, 1).unwrap(), 10);

        fs::write(inner.join(FILE), "many").unwrap();
        assert!(format!("{:#}", next(&inner, 1).unwrap_err()).contains("holds no number; remove it"));
        fs::remove_dir_all(&inner).unwrap();
        fs::write(&inner, "a file where the folder belongs").unwrap();
        assert!(next(&inner, 1).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
