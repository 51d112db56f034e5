//! Paths that a file sets: they may not lead out of the directory of the file, for it may have come with a subject of others.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use camino::Utf8Path;

/// Whether a path leads to a place below a directory, through whatever links there are now. What does not exist yet counts as
/// below the directory that will have it.
pub fn is_inside(dir: &Utf8Path, path: &Utf8Path) -> bool {
    let place = |path: &Utf8Path| real(path.as_std_path());
    match (place(dir), place(path)) {
        (Ok(dir), Ok(path)) => path.starts_with(dir),
        _ => false,
    }
}

/// The path without links, as far as it exists, and without `..`.
fn real(path: &Path) -> io::Result<PathBuf> {
    // Of an empty path there is no absolute one.
    let absolute = std::path::absolute(Path::new(".").join(path))?;
    let mut real = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::CurDir => {}
            // Behind a link it is what the link leads to that has the parent.
            Component::ParentDir => drop(real.pop()),
            other => {
                real.push(other);
                // A link that leads nowhere may lead somewhere later.
                if fs::symlink_metadata(&real).is_ok() {
                    real = fs::canonicalize(&real)?;
                }
            }
        }
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn neither_dots_nor_links_lead_out() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = Utf8Path::from_path(dir.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        symlink(other.path(), root.join("out")).unwrap();
        symlink(other.path().join("none"), root.join("nowhere")).unwrap();
        symlink("a/b", root.join("deep")).unwrap();
        symlink("/", root.join("a/root")).unwrap();
        for inside in [
            "",
            ".",
            "a",
            "new",
            "new/newer",
            "a/../new",
            "deep/x",
            "deep/../../a",
            "..a",
        ] {
            assert!(is_inside(root, &root.join(inside)), "{inside}");
        }
        for outside in [
            "..",
            "../x",
            "a/../../x",
            "out",
            "out/x",
            "nowhere",
            "nowhere/x",
            "deep/../../..",
            "a/root",
            "/tmp",
            "new/../../x",
        ] {
            assert!(!is_inside(root, &root.join(outside)), "{outside}");
        }
        // A directory that is a link itself.
        symlink(root, other.path().join("subject")).unwrap();
        let linked = Utf8Path::from_path(other.path()).unwrap().join("subject");
        assert!(is_inside(&linked, &linked.join("work")));
        assert!(!is_inside(&linked, &linked.join("../work")));
    }
}
