//! The file beside the working copies that is kept from one run for the next.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use nix::fcntl::OFlag;

use super::Subject;

/// How the names of what is kept begin.
pub const PREFIX: &str = "last.";

/// Where a subject's file is, or would be, and what it depends on besides.
#[derive(Clone, Debug)]
pub struct Place(Utf8PathBuf);

impl Place {
    /// That of a subject: in `chosen`, or below its target directory.
    pub fn of(subject: &Subject, chosen: Option<&Utf8Path>) -> Self {
        Self(match chosen {
            Some(chosen) => chosen.to_owned(),
            None => subject.target_dir.join("nopol"),
        })
    }

    /// The directory that the tool works in.
    pub fn dir(&self) -> &Utf8Path {
        &self.0
    }

    /// The file's text, if there is one.
    pub fn read(&self) -> Option<String> {
        let path = self.0.join("last.json");
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        is_file.then(|| fs::read_to_string(path).ok()).flatten()
    }

    /// Writes the file, one writer at a time; who reads meanwhile has the one before.
    ///
    /// # Errors
    /// If it cannot be written: the run had no place beside the subject.
    pub fn write(&self, text: &str) -> io::Result<()> {
        // Never through a link that somebody put there.
        let lock = File::options()
            .append(true)
            .create(true)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(self.0.join("last.lock"))?;
        lock.lock()?;
        let mut aside = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempfile_in(&self.0)?;
        aside.write_all(text.as_bytes())?;
        aside
            .persist(self.0.join("last.json"))
            .map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place(Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap());
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
        // What a link leads to is somebody else's.
        let elsewhere = place.dir().join("elsewhere");
        fs::write(&elsewhere, "mine").unwrap();
        for name in ["last.lock", "last.json"] {
            fs::remove_file(place.dir().join(name)).unwrap();
            std::os::unix::fs::symlink(&elsewhere, place.dir().join(name)).unwrap();
            assert_eq!(place.read().is_some(), name == "last.lock");
            let _ = place.write("x");
        }
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
        // A run without a place beside the subject keeps nothing.
        let nowhere = Place(place.dir().join("nowhere"));
        assert!(nowhere.write("x").is_err());
    }
}
