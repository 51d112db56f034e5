//! The set-up, with the library pretended missing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use predicates::str::contains;

/// A directory of programs that is all there is on the path.
struct Programs(tempfile::TempDir);

impl Programs {
    /// The shell's helpers, and a toolchain.
    fn new() -> Self {
        let programs = Self(tempfile::tempdir().unwrap());
        for name in ["sh", "id", "cat", "touch", "echo"] {
            let real = ["/bin", "/usr/bin"]
                .iter()
                .map(|dir| Path::new(dir).join(name));
            symlink(
                real.into_iter().find(|path| path.exists()).unwrap(),
                programs.path(name),
            )
            .unwrap();
        }
        programs.script("cargo", "exit 0");
        programs.script("cc", "exit 0");
        programs.script("gdb", "exit 0");
        // Found once something was installed.
        programs.script(
            "pkg-config",
            &format!("test -e {}", programs.path("installed").display()),
        );
        programs
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, name: &str, body: &str) {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A package manager that writes down what it is asked, and `installs` or not.
    fn package_manager(&self, name: &str, installs: bool) {
        let asked = self.path("asked");
        let then = match installs {
            true => format!("touch {}", self.path("installed").display()),
            false => "exit 0".to_string(),
        };
        self.script(
            name,
            &format!("echo {name} \"$@\" >> {}\n{then}", asked.display()),
        );
        self.script("sudo", "\"$@\"");
    }

    fn set_up(&self) -> Assert {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("xtask/setup.sh");
        let mut command = Command::new("/bin/sh");
        command.arg(script).env_clear().env("PATH", self.0.path());
        command.assert()
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.path("asked")).unwrap_or_default()
    }
}

#[test]
fn set_up_does_nothing_where_libz3_is_there() {
    let programs = Programs::new();
    programs.package_manager("apt-get", true);
    fs::write(programs.path("installed"), "").unwrap();
    programs.set_up().success();
    assert_eq!(programs.asked(), "");
}

#[test]
fn set_up_installs_libz3_by_the_systems_package_manager() {
    for (manager, package) in [
        ("apt-get", "libz3-dev"),
        ("dnf", "z3-devel"),
        ("brew", "z3"),
    ] {
        let programs = Programs::new();
        programs.package_manager(manager, true);
        programs.set_up().success();
        assert!(programs.asked().contains(package), "{}", programs.asked());
    }
}

#[test]
fn set_up_installs_gdb_where_only_that_is_missing() {
    let programs = Programs::new();
    programs.package_manager("apt-get", true);
    fs::write(programs.path("installed"), "").unwrap();
    fs::remove_file(programs.path("gdb")).unwrap();
    programs.set_up().success();
    assert!(programs.asked().contains("gdb"), "{}", programs.asked());
}

#[test]
fn set_up_says_what_to_do_where_libz3_cannot_be_had() {
    let programs = Programs::new();
    let says = |programs: &Programs, words: &[&str]| {
        let ended = programs.set_up().code(1);
        words
            .iter()
            .fold(ended, |ended, word| ended.stderr(contains(*word)));
    };
    says(&programs, &["libz3 is missing", "--no-default-features"]);
    programs.package_manager("apt-get", false);
    says(&programs, &["still does not find it", "PKG_CONFIG_PATH"]);
    fs::remove_file(programs.path("cargo")).unwrap();
    says(&programs, &["no Rust toolchain", "rustup.rs"]);
}
