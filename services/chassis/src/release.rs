//! Which release this is, and of which commit it was built. What changed in it is kept out (CHANGELOG.md).

/// The semantic version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit; `unknown` in a development build, and where there is no git.
pub const COMMIT: &str = env!("DANMAKU_COMMIT");

/// Both, as `--version` prints them behind the program's name.
pub const WHOLE: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("DANMAKU_COMMIT"), ")");
