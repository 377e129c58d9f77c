//! Takes the pages that Vite built, or one that says how to build them: `cargo build` needs no Node.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    // A path that is watched and not there makes everything be built anew each time. Where nothing may be written, so be it.
    let _ = fs::create_dir("dist");
    println!("cargo::rerun-if-changed=dist");
    println!("cargo::rerun-if-changed=missing.html");
    let pages = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("pages");
    if pages.exists() {
        fs::remove_dir_all(&pages)?;
    }
    fs::create_dir_all(&pages)?;
    if Path::new("dist/viewer/index.html").exists() {
        return copy(Path::new("dist"), &pages);
    }
    fs::copy("missing.html", pages.join("missing.html")).map(drop)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
