//! Paths by their text alone: what is asked for need not be there.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// An absolute path without `.` and `..`.
pub fn normal(path: &Utf8Path) -> Utf8PathBuf {
    let mut normal = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// How an absolute path is told in a directory, with `..` where it is not below.
pub fn relative(dir: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    let (dir, path) = (normal(dir), normal(path));
    let mut ups = Utf8PathBuf::new();
    for ancestor in dir.ancestors() {
        if let Ok(below) = path.strip_prefix(ancestor) {
            return ups.join(below);
        }
        ups.push("..");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_a_directory_it_is_below_and_from_others() {
        let told = |dir: &str, path: &str| relative(Utf8Path::new(dir), Utf8Path::new(path));
        assert_eq!(told("/a/b", "/a/b/src/c.rs"), "src/c.rs");
        assert_eq!(told("/a/b", "/a/src/c.rs"), "../src/c.rs");
        assert_eq!(told("/a/b", "/a/b/../bc/./c.rs"), "../bc/c.rs");
        assert_eq!(told("/a/b/c", "/d"), "../../../d");
        assert_eq!(told("/a", "/a"), "");
    }
}
