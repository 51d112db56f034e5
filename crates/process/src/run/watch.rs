//! `--watch`: runs the tool again whenever a file of the subject changes.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{Event, EventKind, RecursiveMode, Watcher};

/// Changes that follow one another this closely are one.
const PAUSE: Duration = Duration::from_millis(300);

/// What is watched, and what is run.
#[derive(Debug)]
pub struct Watch {
    /// The subject's root.
    pub root: PathBuf,
    /// Directories below it in which builds write.
    pub ignored: Vec<PathBuf>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

impl Watch {
    /// Runs the command now and after every change, until the process is ended. `said` gets a line for the user.
    ///
    /// # Errors
    /// If the files cannot be watched or the command cannot be started.
    pub fn run(&self, said: &dyn Fn(&str)) -> io::Result<()> {
        let (sender, events) = channel();
        let send = move |event: notify::Result<Event>| {
            // The receiver lives as long as the process.
            let _ = sender.send(event);
        };
        let mut watcher = notify::recommended_watcher(send).map_err(io::Error::other)?;
        watcher
            .watch(&self.root, RecursiveMode::Recursive)
            .map_err(io::Error::other)?;
        loop {
            let (program, args) = self.command.split_first().ok_or(io::ErrorKind::NotFound)?;
            Command::new(program).args(args).status()?;
            said(&format!("watching {}; Ctrl-C ends it", self.root.display()));
            let changed = self.change(&events)?;
            said(&format!("\n{} changed", changed.display()));
        }
    }

    /// Waits for a change that matters, and until nothing changes for a moment; the first file.
    fn change(&self, events: &Receiver<notify::Result<Event>>) -> io::Result<PathBuf> {
        let gone = || {
            io::Error::other("the system no longer reports changed files; start the command again")
        };
        let first = loop {
            let event = events.recv().map_err(|_| gone())?;
            if let Some(path) = self.path_of(event.map_err(io::Error::other)?) {
                break path;
            }
        };
        loop {
            match events.recv_timeout(PAUSE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(first),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            }
        }
    }

    /// The file that an event is about, if it is one of the subject's own.
    fn path_of(&self, event: Event) -> Option<PathBuf> {
        let is_change = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_)
        );
        let mut paths = event.paths.into_iter().filter(|_| is_change);
        paths.find(|path| self.is_own(path))
    }

    fn is_own(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else {
            return false;
        };
        // What editors and git write beside the sources is hidden, or ends so.
        let is_hidden = |part: &std::ffi::OsStr| part.to_string_lossy().starts_with('.');
        let is_backup = path.to_string_lossy().ends_with('~');
        !is_backup
            && !below.iter().any(is_hidden)
            && !self.ignored.iter().any(|dir| path.starts_with(dir))
            && !path.is_dir()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_matter_and_what_builds_and_editors_write_does_not() {
        let watch = Watch {
            root: "/s".into(),
            ignored: vec!["/s/target".into()],
            command: Vec::new(),
        };
        let is_own = |path: &str| watch.is_own(Path::new(path));
        assert!(is_own("/s/src/lib.rs") && is_own("/s/Cargo.toml"));
        assert!(!is_own("/s/target/debug/x") && !is_own("/s/.git/index"));
        assert!(!is_own("/s/src/.lib.rs.swp") && !is_own("/s/src/lib.rs~"));
        assert!(!is_own("/t/lib.rs"));
    }
}
