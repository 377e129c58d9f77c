//! A folder of this run's own, gone when the run is over unless somebody wants to look into it.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// A folder in the system's temporary one.
pub struct Scratch {
    path: PathBuf,
    kept: bool,
}

impl Scratch {
    /// Makes a folder that only its owner may enter.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make() -> std::io::Result<Self> {
        let name = format!("danmaku-loadtest-{}-{:08x}", std::process::id(), rand::random::<u32>());
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path, kept: false })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it there, for somebody to look at.
    pub fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed is in the temporary folder, where it is somebody's to sweep.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
