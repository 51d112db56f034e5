//! Detects whether anything in a tree was written to, after every run. Uses inotify where it is available.

use camino::{Utf8Path, Utf8PathBuf};

/// Watches the directories of a tree.
#[derive(Debug, Default)]
pub struct Watch(Option<system::Watch>);

impl Watch {
    /// Watches these directories instead of the previous ones. If the system runs out of watches, changes are
    /// unknown from now on.
    pub fn start<'d>(&mut self, dirs: impl Iterator<Item = &'d Utf8Path>) {
        self.0 = system::Watch::new(dirs.map(Utf8Path::to_owned).collect::<Vec<Utf8PathBuf>>());
    }

    /// Whether something changed since the last [`Watch::reset`]; `None` if unknown.
    pub fn has_changed(&self) -> Option<bool> {
        self.0.as_ref().map(system::Watch::has_changed)
    }

    /// Discards the changes seen so far.
    pub fn reset(&self) {
        if let Some(watch) = &self.0 {
            watch.reset();
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::os::fd::AsFd;

    use camino::Utf8PathBuf;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

    #[derive(Debug)]
    pub struct Watch(Inotify);

    impl Watch {
        pub fn new(dirs: Vec<Utf8PathBuf>) -> Option<Self> {
            use AddWatchFlags as On;
            let flags = InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK;
            let inotify = Inotify::init(flags).ok()?;
            let changes =
                On::IN_MODIFY | On::IN_ATTRIB | On::IN_CREATE | On::IN_DELETE | On::IN_MOVE;
            for dir in dirs {
                inotify
                    .add_watch(dir.as_std_path(), changes | On::IN_ONLYDIR)
                    .ok()?;
            }
            Some(Self(inotify))
        }

        pub fn has_changed(&self) -> bool {
            let mut fds = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
        }

        pub fn reset(&self) {
            while self.0.read_events().is_ok() {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use camino::Utf8PathBuf;

    #[derive(Debug)]
    pub struct Watch;

    impl Watch {
        pub fn new(_: Vec<Utf8PathBuf>) -> Option<Self> {
            None
        }

        pub fn has_changed(&self) -> bool {
            true
        }

        pub fn reset(&self) {}
    }
}
