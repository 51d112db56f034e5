//! What every run of the subject gets, whatever it is asked to do: a home and a place for temporary
//! files of its own, limits, a sandbox, and nothing by which git or cargo would find the user's work.

use std::fs;
use std::io;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use nopol_instrument::layout;

use super::process::Limits;
use super::sandbox::{self, Sandbox, SandboxMode};
use crate::copy::{files, git};

/// Memory a run may map, and have.
const MEMORY: u64 = 4 << 30;
/// Bytes a run may write to one file.
const FILE: u64 = 256 << 20;
/// Files of the user's home that tests cannot do without: who commits, and how.
const HOME_FILES: [&str; 4] = [
    ".gitconfig",
    ".config/git/config",
    ".config/git/ignore",
    ".config/git/attributes",
];

/// In what a run is as the user's own `cargo test` would be, instead of confined. Where it may write is never
/// among it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// It runs in the subject's own directory, which is read-only.
    pub place: bool,
    /// It has the user's home, which is read-only.
    pub home: bool,
    /// It has no limits on memory and file size.
    pub limits: bool,
}

impl Circumstances {
    const NONE: Self = Self {
        place: false,
        home: false,
        limits: false,
    };

    /// As the user's own.
    pub const OWN: Self = Self {
        place: true,
        home: true,
        limits: true,
    };

    /// What is the user's own, each by itself.
    pub const SINGLE: [Self; 3] = [
        Self {
            place: true,
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
    pub mode: SandboxMode,
    /// A directory outside of every repository, for what runs write.
    pub scratch: Utf8PathBuf,
    /// Above these nobody is to look for a repository.
    ceilings: String,
    /// What a home has in it.
    home: Vec<(&'static str, Vec<u8>)>,
    /// Variables that tell where the toolchain is, which without them is found in the home.
    toolchain: Vec<(String, String)>,
}

impl Confinement {
    /// `ceilings` are directories above which nobody is to look for a repository.
    pub fn new(mode: SandboxMode, scratch: Utf8PathBuf, ceilings: &[Utf8PathBuf]) -> Self {
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
            scratch,
            ceilings: above.join(":"),
            home,
            toolchain,
        }
    }

    /// Makes the places that a run in `dir` has, or makes them again as they are at first.
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

    /// Removes what a run left in `dir`, but for the files that the next one writes anew.
    ///
    /// # Errors
    /// If something cannot be removed; then the directory is of no more use.
    pub fn clear(&self, dir: &Utf8Path) -> Result<()> {
        let mut was_home_used = false;
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == "home" || name == "tmp" {
                for inside in fs::read_dir(entry.path())? {
                    files::remove(&inside?.path())?;
                    was_home_used = true;
                }
            } else if name != "stdout" && name != "stderr" {
                files::remove(&entry.path())?;
            }
        }
        match was_home_used {
            true => self.prepare(dir),
            false => Ok(()),
        }
    }

    /// Variables for a process of the subject that builds, and may not find the user's repository.
    pub fn build_env(&self) -> Vec<(String, String)> {
        vec![("GIT_CEILING_DIRECTORIES".to_owned(), self.ceilings.clone())]
    }

    /// Variables for a run in `dir`.
    pub fn env(&self, dir: &Utf8Path, as_users: Circumstances) -> Vec<(String, String)> {
        let mut vars = self.build_env();
        if as_users.home {
            vars.push(("TMPDIR".to_owned(), dir.join("tmp").to_string()));
            return vars;
        }
        vars.extend(self.toolchain.iter().cloned());
        let (home, tmp) = (dir.join("home"), dir.join("tmp"));
        let mut set =
            |name: &str, place: &Utf8Path| vars.push((name.to_owned(), place.to_string()));
        set("HOME", &home);
        set("TMPDIR", &tmp);
        // Those that are set lead somewhere else than the home.
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
        [&layout::env::ALL[..], &git::VARIABLES].concat()
    }

    /// What a run may use. Where a sanitizer needs more addresses than any limit would leave
    /// it, only what is really used counts.
    pub fn limits(needs_addresses: bool) -> Limits {
        Limits {
            addresses: (!needs_addresses).then_some(MEMORY),
            memory: Some(MEMORY),
            file_size: Some(FILE),
        }
    }

    /// Whether runs are kept from writing elsewhere, so that they may run in the user's tree.
    pub fn is_tight(&self) -> bool {
        self.mode != SandboxMode::Off && sandbox::shortfall(SandboxMode::Writes).is_none()
    }

    /// The sandbox of a run that may write to some places.
    pub fn sandbox(&self, writable: impl IntoIterator<Item = Utf8PathBuf>) -> Option<Sandbox> {
        (self.mode != SandboxMode::Off).then(|| Sandbox {
            mode: self.mode,
            writable: writable.into_iter().collect(),
        })
    }
}

/// A new directory for what runs write, outside of every repository if there is such a place; `fallback`
/// is where to make it otherwise.
///
/// # Errors
/// If none can be made.
pub fn scratch(fallback: &Utf8Path) -> io::Result<tempfile::TempDir> {
    let usual = Utf8PathBuf::from_path_buf(std::env::temp_dir()).ok();
    let places = usual
        .into_iter()
        .chain(["/tmp", "/var/tmp"].map(Utf8PathBuf::from));
    let places = places.filter_map(|place| place.canonicalize_utf8().ok());
    let make = |place: &Utf8Path| tempfile::Builder::new().prefix(SCRATCH).tempdir_in(place);
    let mut made = places
        .filter(|place| !is_in_a_project(place))
        .filter_map(|place| make(&place).ok());
    match made.next() {
        Some(made) => Ok(made),
        None => {
            fs::create_dir_all(fallback)?;
            make(fallback)
        }
    }
}

/// How the names of such directories begin.
pub const SCRATCH: &str = "cargo-nopol-";

/// Whether somebody who looks upwards from a place would find a repository or a manifest.
fn is_in_a_project(place: &Utf8Path) -> bool {
    const SIGNS: [&str; 5] = [".git", ".hg", ".jj", "Cargo.toml", ".cargo"];
    let mut above = place.ancestors();
    above.any(|dir| SIGNS.iter().any(|sign| dir.join(sign).exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_leaves_in_its_home_is_gone_and_what_it_needs_is_there_again() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        let confinement = Confinement {
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
    fn a_place_in_a_repository_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(dir.path()).unwrap();
        fs::create_dir_all(dir.join("repository/below")).unwrap();
        fs::write(dir.join("repository/.git"), "").unwrap();
        assert!(is_in_a_project(&dir.join("repository/below")));
    }
}
