//! The sandbox: which files a run of the subject may write to, and which processes and hosts it may reach.
//! Uses Landlock, on Linux. Reading is not restricted.

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

/// How strictly runs of the subject are sandboxed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// Runs are not restricted.
    Off,
    /// Runs write only to the working copy and their own temporary directory.
    #[default]
    Writes,
    /// In addition, runs may not use the network or signal other processes.
    Strict,
}

impl SandboxMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Off, Self::Writes, Self::Strict];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Writes => "writes",
            Self::Strict => "strict",
        }
    }
}

/// The sandbox of one process and all its descendants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// How much is forbidden.
    pub mode: SandboxMode,
    /// Directories, with all their contents, and files that may be written to; missing ones are ignored.
    pub writable: Vec<Utf8PathBuf>,
}

/// What a mode promises and this system cannot enforce, as a sentence; `None` if it enforces everything.
pub fn shortfall(mode: SandboxMode) -> Option<&'static str> {
    if mode == SandboxMode::Off {
        return None;
    }
    system::shortfall(mode)
}

impl Sandbox {
    /// Confines this process irrevocably. It must have a single thread.
    ///
    /// # Errors
    /// If the kernel rejects rules that it claims to support.
    pub fn enter(&self) -> std::io::Result<()> {
        match self.mode {
            SandboxMode::Off => Ok(()),
            _ => system::enter(self).map_err(std::io::Error::other),
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, Scope, make_bitflags, path_beneath_rules,
    };
    use nix::sched::{CloneFlags, unshare};
    use nix::unistd::{getgid, getuid};

    use super::{Sandbox, SandboxMode};

    /// The newest Landlock ABI used; an older kernel enforces the rules that it knows.
    const NEWEST: ABI = ABI::V6;
    /// Devices that are harmless and often written to.
    const DEVICES: [&str; 6] = [
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/tty",
        "/dev/ptmx",
        "/dev/pts",
    ];

    /// Whether the kernel enforces all of these rules.
    fn can(rules: impl Fn(Ruleset) -> Result<Ruleset, RulesetError>) -> bool {
        let all = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules(all).and_then(Ruleset::create).is_ok()
    }

    pub fn shortfall(mode: SandboxMode) -> Option<&'static str> {
        if !can(|rules| rules.handle_access(AccessFs::MakeReg)) {
            return Some(
                "this kernel has no Landlock, so nothing keeps a forced run from writing outside the working copy; run it where that does no harm, or in a container",
            );
        }
        if !can(|rules| rules.handle_access(AccessFs::Truncate)) {
            return Some(
                "the Landlock of this kernel (before 6.2) does not keep a forced run from truncating files outside the working copy",
            );
        }
        let is_complete = mode != SandboxMode::Strict || can(|rules| rules.scope(Scope::Signal));
        (!is_complete).then_some(
            "the Landlock of this kernel (before 6.12) does not keep a forced run from signalling other processes, nor from all use of the network",
        )
    }

    /// Access rights that change files or directories; the control of devices is not among them.
    fn writes() -> BitFlags<AccessFs> {
        AccessFs::from_write(NEWEST) & !make_bitflags!(AccessFs::{IoctlDev})
    }

    /// Landlock restricts only TCP, whereas a new network namespace has no network at all. If no namespace
    /// can be created, Landlock alone must do.
    fn leave_network() {
        let (user, group) = (getuid(), getgid());
        if unshare(CloneFlags::CLONE_NEWNET).is_err()
            && unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).is_ok()
        {
            let maps = [
                ("setgroups", "deny".to_owned()),
                ("uid_map", format!("{user} {user} 1")),
                ("gid_map", format!("{group} {group} 1")),
            ];
            for (name, map) in maps {
                let _ = std::fs::write(format!("/proc/self/{name}"), map);
            }
        }
    }

    pub fn enter(sandbox: &Sandbox) -> Result<(), RulesetError> {
        let mut rules = Ruleset::default().handle_access(writes())?;
        if sandbox.mode == SandboxMode::Strict {
            leave_network();
            rules = rules
                .handle_access(AccessNet::from_all(NEWEST))?
                .scope(Scope::from_all(NEWEST))?;
        }
        rules
            .create()?
            .add_rules(path_beneath_rules(&sandbox.writable, writes()))?
            .add_rules(path_beneath_rules(DEVICES, writes()))?
            .restrict_self()?;
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Sandbox, SandboxMode};

    pub fn shortfall(_: SandboxMode) -> Option<&'static str> {
        Some("on this system nothing keeps a forced run from writing outside the working copy")
    }

    pub fn enter(_: &Sandbox) -> Result<(), std::convert::Infallible> {
        Ok(())
    }
}
