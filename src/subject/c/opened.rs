//! Which files are opened while something runs. Uses inotify where it is available.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

/// Files that are watched.
#[derive(Debug)]
pub struct Opened(system::Opened);

impl Opened {
    /// Watches these files, which are relative to the root and may be missing; `None` if the system cannot.
    pub fn watch(root: &Utf8Path, files: &[Utf8PathBuf]) -> Option<Self> {
        system::Opened::watch(root, files).map(Self)
    }

    /// Those that were opened since.
    pub fn files(self) -> BTreeSet<Utf8PathBuf> {
        self.0.files()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;

    use camino::{Utf8Path, Utf8PathBuf};
    use nix::errno::Errno;
    use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

    #[derive(Debug)]
    pub struct Opened {
        inotify: Inotify,
        /// Two links to one file have one watch.
        watches: Vec<(WatchDescriptor, Utf8PathBuf)>,
    }

    impl Opened {
        pub fn watch(root: &Utf8Path, files: &[Utf8PathBuf]) -> Option<Self> {
            let flags = InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK;
            let inotify = Inotify::init(flags).ok()?;
            // A file that is replaced by another one was written anew from what it depends on.
            let opened = AddWatchFlags::IN_OPEN | AddWatchFlags::IN_DELETE_SELF;
            let mut watches = Vec::new();
            for file in files {
                match inotify.add_watch(root.join(file).as_std_path(), opened) {
                    Ok(watch) => watches.push((watch, file.clone())),
                    Err(Errno::ENOENT) => {}
                    Err(_) => return None,
                }
            }
            Some(Self { inotify, watches })
        }

        pub fn files(self) -> BTreeSet<Utf8PathBuf> {
            let mut seen = BTreeSet::new();
            let mut has_overflown = false;
            while let Ok(events) = self.inotify.read_events() {
                for event in events {
                    has_overflown |= event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW);
                    seen.insert(event.wd);
                }
            }
            let opened = self
                .watches
                .into_iter()
                .filter(|(watch, _)| has_overflown || seen.contains(watch));
            opened.map(|(_, file)| file).collect()
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::BTreeSet;

    use camino::{Utf8Path, Utf8PathBuf};

    #[derive(Debug)]
    pub struct Opened;

    impl Opened {
        pub fn watch(_: &Utf8Path, _: &[Utf8PathBuf]) -> Option<Self> {
            None
        }

        pub fn files(self) -> BTreeSet<Utf8PathBuf> {
            BTreeSet::new()
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_only_looked_at_is_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let files = ["a.c", "b.c", "link.c", "none.c"].map(Utf8PathBuf::from);
        std::fs::write(root.join("a.c"), "").unwrap();
        std::fs::write(root.join("b.c"), "").unwrap();
        std::os::unix::fs::symlink("b.c", root.join("link.c")).unwrap();
        let watched = || Opened::watch(root, &files).unwrap();
        let none = watched();
        std::fs::metadata(root.join("a.c")).unwrap();
        assert!(none.files().is_empty());
        let some = watched();
        std::fs::read(root.join("b.c")).unwrap();
        assert_eq!(
            some.files(),
            ["b.c", "link.c"].map(Utf8PathBuf::from).into()
        );
    }
}
