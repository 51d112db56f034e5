//! The files next to the working copies that keep for later calls what the last search found, and what was applied.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use nix::fcntl::OFlag;

use super::Subject;

/// The prefix of the names of this file, its lock and its temporary versions.
pub const PREFIX: &str = "last.";

/// A file of a subject, by its directory and name; it may not exist.
#[derive(Clone, Debug)]
pub struct LastFile {
    dir: Utf8PathBuf,
    name: &'static str,
    /// Whether the user chose the directory; then it is not made here.
    is_chosen: bool,
}

impl LastFile {
    /// The file for the last outcome: in the directory `chosen`, or below the subject's target directory.
    pub fn of(subject: &Subject, chosen: Option<&Utf8Path>) -> Self {
        Self {
            dir: match chosen {
                Some(chosen) => chosen.to_owned(),
                None => subject.target_dir.join("nopol"),
            },
            name: "last.json",
            is_chosen: chosen.is_some(),
        }
    }

    /// The file for what was applied, in the same directory.
    pub fn of_applied(subject: &Subject, chosen: Option<&Utf8Path>) -> Self {
        Self {
            name: "last.applied.json",
            ..Self::of(subject, chosen)
        }
    }

    /// The directory in which the tool works.
    pub fn dir(&self) -> &Utf8Path {
        &self.dir
    }

    /// The file's text, if there is one.
    pub fn read(&self) -> Option<String> {
        let path = self.dir.join(self.name);
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        is_file.then(|| fs::read_to_string(path).ok()).flatten()
    }

    /// Replaces the file atomically, one writer at a time; a concurrent reader gets the previous version.
    ///
    /// # Errors
    /// If it cannot be written, for example because the run could not use this directory.
    pub fn write(&self, text: &str) -> io::Result<()> {
        if !self.is_chosen {
            fs::create_dir_all(&self.dir)?;
        }
        // Never follows a link, which another user may have put there.
        let lock = File::options()
            .append(true)
            .create(true)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(self.dir.join("last.lock"))?;
        lock.lock()?;
        let mut temporary = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempfile_in(&self.dir)?;
        temporary.write_all(text.as_bytes())?;
        temporary
            .persist(self.dir.join(self.name))
            .map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_writes_leave_one_complete_file_and_follow_no_links() {
        let dir = tempfile::tempdir().unwrap();
        let place = LastFile {
            dir: Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap(),
            name: "last.json",
            is_chosen: false,
        };
        assert_eq!(place.read(), None);
        std::thread::scope(|scope| {
            for letter in ["a", "b", "c"] {
                let place = &place;
                scope.spawn(move || place.write(&letter.repeat(100_000)).unwrap());
            }
        });
        let text = place.read().unwrap();
        assert_eq!(text.len(), 100_000);
        assert!(text.chars().all(|letter| text.starts_with(letter)));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        // The target of a link is left alone.
        let elsewhere = place.dir().join("elsewhere");
        fs::write(&elsewhere, "mine").unwrap();
        for name in ["last.lock", "last.json"] {
            fs::remove_file(place.dir().join(name)).unwrap();
            std::os::unix::fs::symlink(&elsewhere, place.dir().join(name)).unwrap();
            assert_eq!(place.read().is_some(), name == "last.lock");
            let _ = place.write("x");
        }
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
        // What the user chose is not made here.
        let nowhere = LastFile {
            dir: place.dir().join("nowhere"),
            name: "last.json",
            is_chosen: true,
        };
        assert!(nowhere.write("x").is_err());
    }
}
