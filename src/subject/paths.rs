//! [`nopol_basics::paths`] for paths that are text.

use camino::{Utf8Path, Utf8PathBuf};

use nopol_basics::paths;

/// See [`paths::normal`].
pub fn normal(path: &Utf8Path) -> Utf8PathBuf {
    utf8(paths::normal(path.as_std_path()))
}

/// See [`paths::relative`].
pub fn relative(dir: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    utf8(paths::relative(dir.as_std_path(), path.as_std_path()))
}

/// A path made of parts that are text.
fn utf8(path: std::path::PathBuf) -> Utf8PathBuf {
    Utf8PathBuf::from(path.to_string_lossy().into_owned())
}
