//! How runs of the subject are confined: each gets its own home and temporary directory, resource limits and
//! a sandbox, and cannot make git or cargo find the user's repository.

use std::fs;
use std::io;
use std::num::NonZeroU32;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_instrument::layout::{self, serve};

use super::command::CASE;
use super::process::Limits;
use super::sandbox::{self, Sandbox, SandboxMode};
use crate::copy::{files, git};

/// Limit on a run's address space, and on its resident memory, in GiB, unless the user sets another.
pub const MEMORY: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);
/// Limit on the size of each file that a run writes, in bytes.
const FILE: u64 = 256 << 20;
/// Files of the user's home that are copied into the run's home, because tests call git.
const HOME_FILES: [&str; 4] = [
    ".gitconfig",
    ".config/git/config",
    ".config/git/ignore",
    ".config/git/attributes",
];

/// The ways in which a run resembles the user's own `cargo test` instead of being confined. It never gets
/// more directories to write to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The run's working directory is that of the subject itself, which is read-only.
    pub cwd: bool,
    /// The run uses the user's home, which is read-only.
    pub home: bool,
    /// The run has no limits on memory and file size, and a higher one on its output.
    pub limits: bool,
    /// The addresses of the run are random: they are others in each run.
    pub addresses: bool,
}

impl Circumstances {
    const NONE: Self = Self {
        cwd: false,
        home: false,
        limits: false,
        addresses: false,
    };

    /// Everything as in the user's own `cargo test`, but for the addresses.
    pub const AS_USER: Self = Self {
        cwd: true,
        home: true,
        limits: true,
        addresses: false,
    };

    /// Other addresses in each run.
    pub const OTHER_ADDRESSES: Self = Self {
        addresses: true,
        ..Self::NONE
    };

    /// Each relaxation by itself.
    pub const SINGLE: [Self; 3] = [
        Self {
            cwd: true,
            ..Self::NONE
        },
        Self {
            home: true,
            ..Self::NONE
        },
        Self {
            limits: true,
            ..Self::NONE
        },
    ];
}

/// How runs are confined.
#[derive(Clone, Debug)]
pub struct Confinement {
    /// How runs are sandboxed.
    pub mode: SandboxMode,
    /// The memory that a run may use, in bytes.
    memory: u64,
    /// A directory outside of every repository, for the files that runs write.
    pub scratch: Utf8PathBuf,
    /// `GIT_CEILING_DIRECTORIES`: git must not look for a repository above these directories.
    ceilings: String,
    /// The files in each run's home.
    home: Vec<(&'static str, Vec<u8>)>,
    /// Variables that tell where the toolchain is; without them it is looked up in the home.
    toolchain: Vec<(String, String)>,
}

impl Confinement {
    /// `ceilings` are directories above which git must not look for a repository.
    /// A run may use `memory` GiB.
    pub fn new(
        mode: SandboxMode,
        memory: NonZeroU32,
        scratch: Utf8PathBuf,
        ceilings: &[Utf8PathBuf],
    ) -> Self {
        let real = std::env::var("HOME").ok().map(Utf8PathBuf::from);
        let mut home = Vec::new();
        let mut toolchain = Vec::new();
        if let Some(real) = real {
            for name in HOME_FILES {
                home.extend(fs::read(real.join(name)).ok().map(|bytes| (name, bytes)));
            }
            for (variable, dir) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
                let dir = real.join(dir);
                if std::env::var_os(variable).is_none() && dir.is_dir() {
                    toolchain.push((variable.to_owned(), dir.to_string()));
                }
            }
        }
        let mut above: Vec<String> = ceilings.iter().map(ToString::to_string).collect();
        above.push(scratch.to_string());
        above.extend(std::env::var("GIT_CEILING_DIRECTORIES").ok());
        Self {
            mode,
            memory: u64::from(memory.get()) << 30,
            scratch,
            ceilings: above.join(":"),
            home,
            toolchain,
        }
    }

    /// Creates the directories and files that a run in `dir` starts with, or restores them.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn prepare(&self, dir: &Utf8Path) -> Result<()> {
        for place in ["home", "tmp"] {
            let place = dir.join(place);
            fs::create_dir_all(&place).with_context(|| format!("cannot create {place}"))?;
        }
        for (name, bytes) in &self.home {
            let path = dir.join("home").join(name);
            let made = fs::create_dir_all(path.parent().unwrap_or(dir));
            made.and_then(|()| fs::write(&path, bytes))
                .with_context(|| format!("cannot write {path}"))?;
        }
        Ok(())
    }

    /// Removes what a run left in `dir`, except for the files that the next run overwrites.
    ///
    /// # Errors
    /// If something cannot be removed; the directory must then not be reused.
    pub fn clear(&self, dir: &Utf8Path) -> Result<()> {
        let mut was_home_used = false;
        let mut places = 0;
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            if (name == "home" || name == "tmp") && entry.file_type()?.is_dir() {
                places += 1;
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755))?;
                for inside in fs::read_dir(entry.path())? {
                    files::remove(&inside?.path())?;
                    was_home_used = true;
                }
            } else if name != "stdout" && name != "stderr" || !entry.file_type()?.is_file() {
                // A run may have put a link there, which the tool would follow.
                files::remove(&entry.path())?;
            }
        }
        // A run may have removed one of the two.
        match was_home_used || places < 2 {
            true => self.prepare(dir),
            false => Ok(()),
        }
    }

    /// Variables for build processes, which must not find the user's repository. Compilers and linkers leave their
    /// temporary files where they are if they are killed.
    ///
    /// # Errors
    /// If the directory for temporary files cannot be made.
    pub fn build_env(&self) -> io::Result<Vec<(String, String)>> {
        let tmp = self.scratch.join("builds");
        fs::create_dir_all(&tmp)?;
        Ok(vec![
            self.ceiling(),
            ("TMPDIR".to_owned(), tmp.into_string()),
        ])
    }

    fn ceiling(&self) -> (String, String) {
        ("GIT_CEILING_DIRECTORIES".to_owned(), self.ceilings.clone())
    }

    /// Variables for a run in `dir`.
    pub fn env(&self, dir: &Utf8Path, circumstances: Circumstances) -> Vec<(String, String)> {
        let mut vars = vec![self.ceiling()];
        if circumstances.home {
            vars.push(("TMPDIR".to_owned(), dir.join("tmp").to_string()));
            return vars;
        }
        vars.extend(self.toolchain.iter().cloned());
        let (home, tmp) = (dir.join("home"), dir.join("tmp"));
        let mut set =
            |name: &str, place: &Utf8Path| vars.push((name.to_owned(), place.to_string()));
        set("HOME", &home);
        set("TMPDIR", &tmp);
        // If one of these is set, it points outside of the run's home.
        let others = [
            ("TMP", &*tmp),
            ("TEMP", &tmp),
            ("XDG_RUNTIME_DIR", &tmp),
            ("XDG_CONFIG_HOME", &home.join(".config")),
            ("XDG_DATA_HOME", &home.join(".local/share")),
            ("XDG_STATE_HOME", &home.join(".local/state")),
            ("XDG_CACHE_HOME", &home.join(".cache")),
        ];
        for (name, place) in others {
            if std::env::var_os(name).is_some() {
                set(name, place);
            }
        }
        vars
    }

    /// Variables that no process of the subject inherits.
    pub fn unset() -> Vec<&'static str> {
        [&layout::env::ALL[..], &git::VARIABLES, &[CASE]].concat()
    }

    /// The limits of a run. Where a sanitizer needs more address space than a limit would allow, only
    /// resident memory is limited.
    pub fn limits(&self, needs_addresses: bool) -> Limits {
        Limits {
            addresses: (!needs_addresses).then_some(self.memory),
            memory: Some(self.memory),
            file_size: Some(FILE),
            output: Some(serve::MOST_OUTPUT),
        }
    }

    /// The limits of a run that the user has not limited: it could fill the disk, or take all memory from the machine.
    pub fn without_limits() -> Limits {
        Limits {
            memory: spare_memory(),
            output: Some(FILE),
            ..Limits::default()
        }
    }

    /// Whether the sandbox reliably prevents writes outside of the permitted directories, so that tests may
    /// run in the user's tree.
    pub fn is_enforced(&self) -> bool {
        self.mode != SandboxMode::Off && sandbox::shortfall(SandboxMode::Writes).is_none()
    }

    /// The sandbox of a run that may write to these paths.
    pub fn sandbox(&self, writable: impl IntoIterator<Item = Utf8PathBuf>) -> Option<Sandbox> {
        (self.mode != SandboxMode::Off).then(|| Sandbox {
            mode: self.mode,
            writable: writable.into_iter().collect(),
        })
    }
}

/// Three quarters of the memory that is available now, in bytes; `None` if the system does not say.
fn spare_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024 / 4 * 3)
}

/// Creates a directory for the files that runs write, outside of every repository if possible and otherwise
/// in `fallback`.
///
/// # Errors
/// If no directory can be created.
pub fn scratch(fallback: &Utf8Path) -> io::Result<tempfile::TempDir> {
    let usual = Utf8PathBuf::from_path_buf(std::env::temp_dir()).ok();
    let places = usual
        .into_iter()
        .chain(["/tmp", "/var/tmp"].map(Utf8PathBuf::from));
    let places = places.filter_map(|place| place.canonicalize_utf8().ok());
    let make = |place: &Utf8Path| tempfile::Builder::new().prefix(SCRATCH).tempdir_in(place);
    let mut made = places
        .filter(|dir| !is_in_a_project(dir))
        .filter_map(|place| make(&place).ok());
    match made.next() {
        Some(made) => Ok(made),
        None => {
            fs::create_dir_all(fallback)?;
            make(fallback)
        }
    }
}

/// The prefix of the names of such directories.
pub const SCRATCH: &str = "cargo-nopol-";

/// Whether a tool that searches the parent directories would find a repository or a manifest.
fn is_in_a_project(dir: &Utf8Path) -> bool {
    const SIGNS: [&str; 5] = [".git", ".hg", ".jj", "Cargo.toml", ".cargo"];
    let mut above = dir.ancestors();
    above.any(|dir| SIGNS.iter().any(|sign| dir.join(sign).exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_removes_what_a_run_left_and_restores_its_home() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let confinement = Confinement {
            memory: 4 << 30,
            mode: SandboxMode::Off,
            scratch: dir.to_owned(),
            ceilings: String::new(),
            home: vec![(".config/git/config", b"[user]".to_vec())],
            toolchain: Vec::new(),
        };
        let run = dir.join("run");
        confinement.prepare(&run).unwrap();
        fs::write(run.join("home/junk"), "").unwrap();
        fs::write(run.join("home/.config/git/config"), "spoilt").unwrap();
        fs::write(run.join("tmp/junk"), "").unwrap();
        fs::write(run.join("trace-1"), "").unwrap();
        fs::write(run.join("stdout"), "").unwrap();
        confinement.clear(&run).unwrap();
        fs::remove_dir(run.join("tmp")).unwrap();
        confinement.clear(&run).unwrap();
        let names = |dir: &str| {
            let entries = fs::read_dir(run.join(dir)).unwrap();
            let mut names: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names("."), ["home", "stdout", "tmp"]);
        assert_eq!(names("home"), [".config"]);
        assert_eq!(names("tmp"), Vec::<String>::new());
        let config = fs::read_to_string(run.join("home/.config/git/config")).unwrap();
        assert_eq!(config, "[user]");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_run_without_limits_leaves_memory_to_others() {
        let info = fs::read_to_string("/proc/meminfo").unwrap();
        let total = info.lines().find(|line| line.starts_with("MemTotal:"));
        let total: u64 = total
            .and_then(|line| line.split_whitespace().nth(1))
            .unwrap()
            .parse()
            .unwrap();
        let memory = Confinement::without_limits().memory.unwrap();
        assert!((1..=total * 1024 / 4 * 3).contains(&memory), "{memory}");
    }

    #[test]
    fn a_directory_below_a_repository_is_recognized() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        fs::create_dir_all(dir.join("repository/below")).unwrap();
        fs::write(dir.join("repository/.git"), "").unwrap();
        assert!(is_in_a_project(&dir.join("repository/below")));
    }
}
