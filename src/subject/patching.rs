//! Writes patches into the subject and takes them back: all files of a patch, or none.

use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_basics::diff;
use serde::{Deserialize, Serialize};

/// Whether a file is there before and after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Presence {
    /// Before and after it.
    #[default]
    Stays,
    /// Only after it; its directory may be new, too.
    Appears,
    /// Only before it.
    Goes,
}

/// A file with another text than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The file, absolute and without links.
    pub path: Utf8PathBuf,
    /// Its text before.
    pub before: String,
    /// Its text with the patch.
    pub after: String,
    /// A text of a file that is not there is empty.
    #[serde(default)]
    pub presence: Presence,
}

impl Change {
    /// What takes it back.
    pub fn reversed(self) -> Self {
        Self {
            path: self.path,
            before: self.after,
            after: self.before,
            presence: match self.presence {
                Presence::Stays => Presence::Stays,
                Presence::Appears => Presence::Goes,
                Presence::Goes => Presence::Appears,
            },
        }
    }

    /// Where a part of the old text is in the new one; `None` if it overlaps or touches what was changed.
    pub fn moved(&self, span: &Range<usize>) -> Option<Range<usize>> {
        self.moved_outside(span)
            .or_else(|| self.moved_between(span))
    }

    /// The same for a part before or after everything that was changed, if only on the same line.
    fn moved_outside(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let (before, after) = (self.before.as_bytes(), self.after.as_bytes());
        let first = alike(before.iter(), after.iter());
        let rest = alike(before[first..].iter().rev(), after[first..].iter().rev());
        let last = before.len() - rest;
        let shift = |at: usize| at + after.len() - before.len();
        match () {
            () if span.end < first => Some(span.clone()),
            () if span.start > last => Some(shift(span.start)..shift(span.end)),
            () => None,
        }
    }

    /// The same for a part inside lines that stayed, between others that were changed.
    fn moved_between(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let shared = diff::shared(&self.before, &self.after);
        let inside =
            |(old, _): &(Range<usize>, usize)| old.start < span.start && span.end < old.end;
        let (old, new) = shared.into_iter().find(inside)?;
        let shift = |at: usize| at - old.start + new;
        Some(shift(span.start)..shift(span.end))
    }
}

/// How many bytes two texts have in common at their start.
fn alike<'t>(a: impl Iterator<Item = &'t u8>, b: impl Iterator<Item = &'t u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// Makes the changes. Whoever reads a file meanwhile sees all of the old text or all of the new one.
///
/// # Errors
/// If a file no longer has the text before, or cannot be written; then none is changed.
pub fn make(changes: &[Change]) -> Result<()> {
    let mut prepared = Vec::new();
    for change in changes {
        let path = &change.path;
        if change.presence == Presence::Appears {
            if path.symlink_metadata().is_ok() {
                bail!("{path} exists already; nothing was written");
            }
        } else {
            let now = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
            if now != change.before {
                bail!("{path} has changed since; nothing was written");
            }
        }
        prepared.push(Prepared::of(change)?);
    }
    for (nth, file) in prepared.into_iter().enumerate() {
        let path = &changes[nth].path;
        if let Err(error) = file.make(path) {
            for done in &changes[..nth] {
                let back = Prepared::of(&done.clone().reversed());
                back.and_then(|back| Ok(back.make(&done.path)?))
                    .with_context(|| format!("cannot restore {}", done.path))?;
            }
            return Err(error).with_context(|| format!("cannot write {path}; nothing was changed"));
        }
    }
    Ok(())
}

/// A change that only the last step is missing of.
enum Prepared {
    Text(tempfile::NamedTempFile),
    Removal,
}

impl Prepared {
    fn of(change: &Change) -> Result<Self> {
        let path = &change.path;
        Ok(match change.presence {
            Presence::Stays => Self::Text(prepare(path, &change.after)?),
            Presence::Goes => Self::Removal,
            Presence::Appears => {
                let dir = path.parent().unwrap_or(path);
                let cannot = || format!("cannot write {path}; nothing was changed");
                fs::create_dir_all(dir).with_context(cannot)?;
                // As any new file of the user.
                let all = fs::Permissions::from_mode(0o666);
                let mut file = tempfile::Builder::new()
                    .prefix(".nopol-")
                    .permissions(all)
                    .tempfile_in(dir)
                    .with_context(cannot)?;
                file.write_all(change.after.as_bytes())
                    .with_context(cannot)?;
                Self::Text(file)
            }
        })
    }

    fn make(self, path: &Utf8Path) -> io::Result<()> {
        match self {
            Self::Text(file) => file.persist(path).map(drop).map_err(|error| error.error),
            Self::Removal => {
                fs::remove_file(path)?;
                // It was made for this file if nothing else is in it.
                let _ = path.parent().map(fs::remove_dir);
                Ok(())
            }
        }
    }
}

/// A file beside this one, with its permissions and another text.
fn prepare(path: &Utf8Path, text: &str) -> Result<tempfile::NamedTempFile> {
    let cannot = || format!("cannot write {path}; nothing was changed");
    // Who may not write the file itself shall not replace it, either.
    fs::File::options()
        .append(true)
        .open(path)
        .with_context(cannot)?;
    let dir = path.parent().unwrap_or(path);
    let mut file = tempfile::Builder::new()
        .prefix(".nopol-")
        .tempfile_in(dir)
        .with_context(cannot)?;
    file.write_all(text.as_bytes()).with_context(cannot)?;
    let permissions = fs::metadata(path).with_context(cannot)?.permissions();
    file.as_file()
        .set_permissions(permissions)
        .with_context(cannot)?;
    file.as_file().sync_all().with_context(cannot)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(dir: &Utf8Path) -> Vec<Change> {
        let change = |name: &str| {
            fs::write(dir.join(name), "old").unwrap();
            Change {
                path: dir.join(name),
                before: "old".to_owned(),
                after: format!("new {name}"),
                presence: Presence::Stays,
            }
        };
        vec![change("a.rs"), change("b.rs")]
    }

    #[test]
    fn what_was_not_changed_is_found_again() {
        let change = Change {
            path: "a.rs".into(),
            before: "if a > b {} if ü {}".to_owned(),
            after: "if a >= b {} if ü {}".to_owned(),
            presence: Presence::Stays,
        };
        let moved = |part: &str| {
            let at = change.before.find(part).unwrap();
            Some(&change.after[change.moved(&(at..at + part.len()))?])
        };
        assert_eq!(moved("a"), Some("a"));
        assert_eq!(moved("ü"), Some("ü"));
        assert_eq!(moved("b {}"), Some("b {}"));
        for part in ["a > b", "a >", "> b", " b"] {
            assert_eq!(moved(part), None, "{part}");
        }
        let back = change.clone().reversed();
        assert_eq!(back.moved(&(17..19)), Some(16..18));
    }

    #[test]
    fn a_line_between_changed_lines_is_found_again() {
        let change = Change {
            path: "a.rs".into(),
            before: "if a > b {}\nif c > d {}\nif e {}\n".to_owned(),
            after: "if a >= b {}\nif c > d {}\nif e {}\nif f {}\n".to_owned(),
            presence: Presence::Stays,
        };
        let at = change.before.find("c > d").unwrap();
        let moved = change.moved(&(at..at + 5)).unwrap();
        assert_eq!(&change.after[moved], "c > d");
        let at = change.before.find("a > b").unwrap();
        assert_eq!(change.moved(&(at..at + 5)), None);
    }

    #[test]
    fn all_files_are_changed_and_changed_back() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let changes = changes(dir);
        fs::set_permissions(dir.join("a.rs"), fs::Permissions::from_mode(0o640)).unwrap();
        make(&changes).unwrap();
        assert_eq!(fs::read_to_string(dir.join("b.rs")).unwrap(), "new b.rs");
        let mode = fs::metadata(dir.join("a.rs")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        let back: Vec<Change> = changes.into_iter().map(Change::reversed).collect();
        make(&back).unwrap();
        assert_eq!(fs::read_to_string(dir.join("a.rs")).unwrap(), "old");
        assert_eq!(fs::read_dir(dir).unwrap().count(), 2);
    }

    #[test]
    fn if_one_file_has_changed_none_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let changes = changes(dir);
        fs::write(dir.join("b.rs"), "edited").unwrap();
        assert!(make(&changes).is_err());
        assert_eq!(fs::read_to_string(dir.join("a.rs")).unwrap(), "old");
        assert_eq!(fs::read_to_string(dir.join("b.rs")).unwrap(), "edited");
        assert_eq!(fs::read_dir(dir).unwrap().count(), 2);
    }
}
