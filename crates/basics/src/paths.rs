//! Paths by their text alone: what is asked for need not be there.

use std::path::{Component, Path, PathBuf};

use globset::Glob;

/// An absolute path without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// An absolute path relative to a directory, with `..` where it is not below it; empty if it is the directory itself.
pub fn relative(dir: &Path, path: &Path) -> PathBuf {
    let (dir, path) = (normal(dir), normal(path));
    let mut ups = PathBuf::new();
    for ancestor in dir.ancestors() {
        if let Ok(below) = path.strip_prefix(ancestor) {
            return ups.join(below);
        }
        ups.push("..");
    }
    path
}

/// A glob.
///
/// # Errors
/// If it is malformed, with a message for the user.
pub fn glob(pattern: &str) -> Result<Glob, String> {
    /// Alternatives nest, and reading them is recursive.
    const MOST_BRACES: usize = 100;
    let braces = pattern.matches('{').count();
    if braces > MOST_BRACES {
        return Err(format!("it has {braces} `{{`; write {MOST_BRACES} at most"));
    }
    Glob::new(pattern).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_that_nests_too_deeply_is_refused() {
        let nested = |depth: usize| "{a,".repeat(depth) + &"}".repeat(depth);
        assert!(glob(&nested(100)).is_ok());
        assert!(glob(&nested(60_000)).unwrap_err().contains("60000 `{`"));
    }

    #[test]
    fn a_path_is_told_from_a_directory_it_is_below_and_from_others() {
        let told = |dir: &str, path: &str| relative(Path::new(dir), Path::new(path));
        assert_eq!(told("/a/b", "/a/b/src/c.rs"), Path::new("src/c.rs"));
        assert_eq!(told("/a/b", "/a/src/c.rs"), Path::new("../src/c.rs"));
        assert_eq!(told("/a/b", "/a/b/../bc/./c.rs"), Path::new("../bc/c.rs"));
        assert_eq!(told("/a/b/c", "/d"), Path::new("../../../d"));
        assert_eq!(told("/a", "/a"), Path::new(""));
    }
}
