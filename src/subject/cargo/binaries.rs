//! Test binaries: the environment in which cargo would run them.

use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::TargetKind;
use nopol_process::run::id::TargetId;
use nopol_process::run::{Binary, Harness};

use super::Member;
use super::build::{Cargo, cargo};

/// The variable in which the crate `insta` looks for the workspace's root first.
const INSTA_ROOT: &str = "INSTA_WORKSPACE_ROOT";

impl Cargo<'_> {
    /// The binary of a test target; `None` if the target is in no member.
    pub(super) fn binary(
        &self,
        target: &cargo_metadata::Target,
        exe: Utf8PathBuf,
        script: Option<&cargo_metadata::BuildScript>,
        programs: &[(String, Utf8PathBuf)],
    ) -> Option<(TargetId, Binary)> {
        let member = self.packages.members.iter().find(|member| {
            target
                .src_path
                .starts_with(self.at.root.join(&member.dir).join("src"))
                || member.metadata.targets.iter().any(|known| {
                    known.name == target.name
                        && known.src_path.strip_prefix(&self.at.subject.root).ok()
                            == target.src_path.strip_prefix(&self.at.root).ok()
                })
        })?;
        let kind = match target.kind.first()? {
            TargetKind::Bin => "bin",
            TargetKind::Test => "test",
            TargetKind::Example => "example",
            TargetKind::Bench => "bench",
            _ => "lib",
        };
        let cwd = self.at.root.join(&member.dir);
        let package = &member.metadata;
        let mut env: Vec<(String, String)> = [
            ("CARGO", cargo()),
            ("CARGO_MANIFEST_DIR", cwd.to_string()),
            ("CARGO_MANIFEST_PATH", cwd.join("Cargo.toml").to_string()),
            ("CARGO_PKG_NAME", package.name.to_string()),
            ("CARGO_PKG_VERSION", package.version.to_string()),
            ("CARGO_PKG_VERSION_MAJOR", package.version.major.to_string()),
            ("CARGO_PKG_VERSION_MINOR", package.version.minor.to_string()),
            ("CARGO_PKG_VERSION_PATCH", package.version.patch.to_string()),
            ("CARGO_PKG_VERSION_PRE", package.version.pre.to_string()),
            ("CARGO_PKG_AUTHORS", package.authors.join(":")),
            (
                "CARGO_PKG_DESCRIPTION",
                package.description.clone().unwrap_or_default(),
            ),
            (
                "CARGO_PKG_HOMEPAGE",
                package.homepage.clone().unwrap_or_default(),
            ),
            (
                "CARGO_PKG_REPOSITORY",
                package.repository.clone().unwrap_or_default(),
            ),
            (
                "CARGO_PKG_LICENSE",
                package.license.clone().unwrap_or_default(),
            ),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec();
        let mut libraries = Vec::new();
        if let Some(script) = script {
            env.push(("OUT_DIR".to_string(), script.out_dir.to_string()));
            env.extend(script.env.iter().cloned());
            libraries.extend(script.linked_paths.iter().map(|path| {
                path.as_str()
                    .split_once('=')
                    .map_or(path.as_str(), |(_, path)| path)
                    .to_string()
            }));
        }
        // Otherwise each test that compares a snapshot would ask cargo for it, which takes longer than most tests.
        let uses_insta = |member: &Member| {
            let mut names = member.metadata.dependencies.iter().map(|it| &it.name);
            names.any(|name| name == "insta")
        };
        if std::env::var_os(INSTA_ROOT).is_none() && self.packages.members.iter().any(uses_insta) {
            env.push((INSTA_ROOT.to_owned(), self.at.root.to_string()));
        }
        for (name, program) in programs {
            env.push((format!("CARGO_BIN_EXE_{name}"), program.to_string()));
        }
        let deps = exe.parent().map(Utf8Path::to_owned).unwrap_or_default();
        libraries.push(deps.to_string());
        libraries.extend(deps.parent().map(Utf8Path::to_string));
        // Tests of a proc macro are linked with the compiler's own libraries. For other targets the query is
        // skipped.
        if target.kind.contains(&TargetKind::ProcMacro) {
            libraries.extend(self.sysroot_libraries());
        }
        let variable = if cfg!(target_os = "macos") {
            "DYLD_FALLBACK_LIBRARY_PATH"
        } else {
            "LD_LIBRARY_PATH"
        };
        libraries.extend(std::env::var(variable));
        env.push((variable.to_string(), libraries.join(":")));
        let id = TargetId {
            package: member.name.clone(),
            target: target.name.clone(),
            kind: kind.to_string(),
        };
        let captures = self.at.capturing.contains(&id);
        let mut binary = Binary {
            exe,
            original: self.at.subject.root.join(&member.dir),
            cwd,
            env,
            harness: Harness::Standard { captures },
            tree: Arc::clone(&self.at.tree),
            // `CARGO_TARGET_TMPDIR`.
            writable: vec![self.at.target.join("tmp")],
            rules: None,
        };
        if let Some(rules) = self.at.rules.get(&id) {
            binary.follow(rules);
        }
        if self.at.whole.contains(&id) {
            binary.be_one_test();
        }
        Some((id, binary))
    }

    /// The directory with the compiler's own libraries.
    fn sysroot_libraries(&self) -> Option<String> {
        static KNOWN: OnceLock<Option<String>> = OnceLock::new();
        let ask = || {
            let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
            let mut command = std::process::Command::new(rustc);
            let asked = command
                .args(["--print", "target-libdir"])
                .current_dir(&self.at.root);
            let output = asked
                .output()
                .ok()
                .filter(|output| output.status.success())?;
            let libraries = String::from_utf8(output.stdout).ok()?;
            Some(libraries.trim().to_owned())
        };
        KNOWN.get_or_init(ask).clone()
    }
}
