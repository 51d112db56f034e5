//! Whether anything in a tree has been written to, asked after every run: by inotify, where there is
//! that.

use camino::{Utf8Path, Utf8PathBuf};

/// Watches the directories of a tree.
#[derive(Debug, Default)]
pub struct Watch(Option<system::Watch>);

impl Watch {
    /// Watches these directories, in place of those before. If the system gives no more watches, nothing
    /// is known from now on.
    pub fn start<'d>(&mut self, dirs: impl Iterator<Item = &'d Utf8Path>) {
        self.0 = system::Watch::new(dirs.map(Utf8Path::to_owned).collect::<Vec<Utf8PathBuf>>());
    }

    /// Whether something happened since the last [`Watch::forget`]; `None` if that is not known.
    pub fn has_seen(&self) -> Option<bool> {
        self.0.as_ref().map(system::Watch::has_seen)
    }

    /// Forgets what happened so far.
    pub fn forget(&self) {
        if let Some(watch) = &self.0 {
            watch.forget();
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

        pub fn has_seen(&self) -> bool {
            let mut fds = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
        }

        pub fn forget(&self) {
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

        pub fn has_seen(&self) -> bool {
            true
        }

        pub fn forget(&self) {}
    }
}
