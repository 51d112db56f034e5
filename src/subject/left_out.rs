//! Files outside the subject that its build reads: working copies do not have them.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Subject, paths};

/// A file outside the subject that exists, but that a failed build of the working copy could not read.
pub fn of(subject: &Subject, output: &str) -> Option<Utf8PathBuf> {
    let top = subject.top();
    let wanted = output.lines().filter_map(wanted);
    let mut files = wanted.flat_map(|(includer, file)| {
        // The path is relative to the including file (C), or to where the compiler runs (Rust).
        let dir = includer
            .and_then(Utf8Path::parent)
            .unwrap_or(Utf8Path::new(""));
        [dir.join(file), file.to_owned()].map(|path| paths::normal(&subject.root.join(path)))
    });
    files.find(|path| !path.starts_with(&top) && path.exists())
}

/// The file that a line of a compiler's output says cannot be read, and the file that includes it, where that is known.
fn wanted(line: &str) -> Option<(Option<&Utf8Path>, &Utf8Path)> {
    let (before, _) = line.split_once(": No such file or directory")?;
    // gcc and clang: `a.c:1:10: fatal error: ../b.h: No such file or directory`.
    if let Some((place, file)) = before.split_once(": fatal error: ") {
        let includer = place.split(':').next().map(Utf8Path::new);
        return Some((includer, Utf8Path::new(file.trim_matches('\''))));
    }
    // rustc: "couldn't read `src/../../b.txt`: No such file or directory (os error 2)".
    let (_, file) = before.strip_suffix('`')?.rsplit_once('`')?;
    Some((None, Utf8Path::new(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_name_the_file_that_they_cannot_read() {
        let of = |line| wanted(line).map(|(by, file)| (by.map(Utf8Path::as_str), file.as_str()));
        assert_eq!(
            of("src/u.c:3:10: fatal error: ../inc/lim.h: No such file or directory"),
            Some((Some("src/u.c"), "../inc/lim.h"))
        );
        assert_eq!(
            of("error: couldn't read `src/../../n.txt`: No such file or directory (os error 2)"),
            Some((None, "src/../../n.txt"))
        );
        assert_eq!(of("u.c:3:1: error: unknown type name 'x'"), None);
        assert_eq!(of("No such file or directory"), None);
    }
}
