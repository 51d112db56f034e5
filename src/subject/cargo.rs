//! Cargo as a process: builds of the working copy, and what they leave to run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};
use cargo_metadata::{Message, TargetKind};

use super::options::CargoOptions;
use super::{Subject, wrapper};
use crate::run::Binary;
use crate::run::id::TargetId;
use crate::run::process::{Job, Supervisor};

/// The working copy and how it is built.
#[derive(Debug)]
pub struct Workspace<'a> {
    pub subject: &'a Subject,
    pub options: &'a CargoOptions,
    /// The copy of the subject's root.
    pub root: Utf8PathBuf,
    pub target: Utf8PathBuf,
    /// Where cargo's own output goes while it runs.
    pub logs: Utf8PathBuf,
    pub supervisor: &'a Supervisor,
    /// Whether plain builds cap lints, too: the subject denies some that this compiler reports.
    pub caps_lints: bool,
    /// Targets whose harness does not take `--nocapture`.
    pub capturing: BTreeSet<TargetId>,
}

/// What is linked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked<'a> {
    /// As the subject is.
    Plain,
    /// With the runtime's rlib; lints are capped.
    Runtime(&'a Utf8Path),
}

/// The outcome of one build.
#[derive(Debug, Default)]
pub struct Build {
    pub succeeded: bool,
    pub binaries: BTreeMap<TargetId, Binary>,
    pub errors: Vec<Diagnostic>,
    /// What cargo and rustc said, for people.
    pub said: String,
}

impl Build {
    /// Whether some lint, being denied, is among the errors, and nothing that is always one.
    pub fn failed_by_lints(&self) -> bool {
        let codes = self.errors.iter().filter_map(|error| error.code.as_ref());
        // Errors proper have a number (`E0308`), lints a name.
        let (proper, lints): (Vec<_>, Vec<_>) = codes.partition(|code| code.code.starts_with('E'));
        !self.succeeded && proper.is_empty() && !lints.is_empty()
    }
}

impl Workspace<'_> {
    /// Builds all test targets asked for, without running them.
    ///
    /// # Errors
    /// If cargo cannot be started or the run is stopped; that the subject does not compile is a
    /// result.
    pub fn build(&self, linked: Linked) -> Result<Build> {
        let mut args = vec!["test".to_string(), "--no-run".to_string()];
        args.push("--message-format=json".to_string());
        args.extend(self.options.build_args(&self.packages()));
        let (succeeded, stdout, stderr) = self.cargo(args, linked)?;

        let mut build = Build {
            succeeded,
            ..Build::default()
        };
        let mut scripts = BTreeMap::new();
        let mut executables = Vec::new();
        let mut programs: BTreeMap<String, Vec<(String, Utf8PathBuf)>> = BTreeMap::new();
        for message in Message::parse_stream(BufReader::new(File::open(stdout)?)) {
            match message? {
                Message::CompilerMessage(message) => {
                    if matches!(
                        message.message.level,
                        DiagnosticLevel::Error | DiagnosticLevel::Ice
                    ) {
                        build
                            .said
                            .push_str(message.message.rendered.as_deref().unwrap_or(""));
                        build.errors.push(message.message);
                    }
                }
                Message::BuildScriptExecuted(script) => {
                    scripts.insert(script.package_id.clone(), script);
                }
                Message::CompilerArtifact(artifact) => {
                    let Some(exe) = artifact.executable else {
                        continue;
                    };
                    if artifact.profile.test {
                        executables.push((artifact.package_id, artifact.target, exe));
                    } else if artifact.target.kind.contains(&TargetKind::Bin) {
                        programs
                            .entry(artifact.package_id.repr)
                            .or_default()
                            .push((artifact.target.name, exe));
                    }
                }
                _ => {}
            }
        }
        if !succeeded {
            let log = fs::read_to_string(stderr).unwrap_or_default();
            let cargo_errors = log
                .lines()
                .filter(|line| !line.trim_start().starts_with("Compiling"));
            build
                .said
                .push_str(&cargo_errors.collect::<Vec<_>>().join("\n"));
            build.said.push('\n');
        }
        for (package, target, exe) in executables {
            let script = scripts.get(&package);
            let programs = programs
                .get(&package.repr)
                .map_or(&[][..], |programs| programs);
            if let Some((id, binary)) = self.binary(&target, exe, script, programs) {
                build.binaries.insert(id, binary);
            }
        }
        Ok(build)
    }

    /// Runs every doctest of the chosen packages; `false` by name for those that fail.
    ///
    /// # Errors
    /// If cargo cannot be started or the run is stopped.
    pub fn doctests(&self) -> Result<BTreeMap<String, bool>> {
        let mut args = vec![
            "test".to_string(),
            "--doc".to_string(),
            "--no-fail-fast".to_string(),
        ];
        args.extend(self.options.doc_args(&self.packages()));
        let (_, stdout, _) = self.cargo(args, Linked::Plain)?;
        let text = fs::read_to_string(stdout).unwrap_or_default();
        let outcomes = text.lines().filter_map(|line| {
            let (name, outcome) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
            (outcome != "ignored").then(|| (name.to_string(), outcome == "ok"))
        });
        Ok(outcomes.collect())
    }

    /// Whether the chosen packages have a library that could have doctests. Where no text could be
    /// one, rustdoc need not be asked.
    pub fn may_have_doctests<'t>(&self, mut texts: impl Iterator<Item = &'t str>) -> bool {
        !self.options.names_targets()
            && texts.any(may_be_example)
            && self.subject.members.iter().any(|member| {
                member.metadata.targets.iter().any(|target| {
                    target.doctest && target.kind.iter().any(|kind| *kind != TargetKind::Bin)
                })
            })
    }

    /// The packages asked for, as cargo is told of them. A name alone would not do where a dependency
    /// has the same.
    fn packages(&self) -> Vec<String> {
        let members = &self.subject.members;
        let chosen = self.options.package.iter().filter_map(|name| {
            let member = members.iter().find(|member| member.name == *name)?;
            let dir = self.root.join(&member.dir);
            Some(specification(&dir, name, &member.metadata.version))
        });
        chosen.collect()
    }

    /// Runs cargo in the working copy; its success, and the files with what it printed.
    fn cargo(&self, args: Vec<String>, linked: Linked) -> Result<(bool, Utf8PathBuf, Utf8PathBuf)> {
        fs::create_dir_all(&self.logs).with_context(|| format!("cannot create {}", self.logs))?;
        let (stdout, stderr) = (
            self.logs.join("cargo-stdout"),
            self.logs.join("cargo-stderr"),
        );
        let mut args = args;
        args.push(format!(
            "--manifest-path={}",
            self.root.join(&self.subject.manifest)
        ));
        args.push(format!("--target-dir={}", self.target));
        args.push("--color=never".to_string());
        let mut env = vec![
            // Nobody debugs these binaries, and linking without is much faster.
            ("CARGO_PROFILE_DEV_DEBUG".to_string(), "0".to_string()),
            ("CARGO_PROFILE_TEST_DEBUG".to_string(), "0".to_string()),
            ("CARGO_TERM_PROGRESS_WHEN".to_string(), "never".to_string()),
        ];
        if let Some((wrapper, runtime)) = self.wrapper(linked)? {
            let wrapper = wrapper.to_string_lossy().into_owned();
            env.push((self.wrapper_variable().to_string(), wrapper));
            env.push((wrapper::RUNTIME.to_string(), runtime.to_string()));
            env.push((wrapper::PACKAGES.to_string(), self.wrapped()?));
        }
        let ended = self.supervisor.run(&Job {
            program: Utf8Path::new(&cargo()),
            args: &args,
            cwd: &self.root,
            env: &env,
            unset: &nopol_instrument::layout::env::ALL,
            stdout: File::create(&stdout)?,
            stderr: File::create(&stderr)?,
            timeout: None,
            memory: None,
            file_size: None,
        })?;
        Ok((ended.code == Some(0), stdout, stderr))
    }

    /// What cargo is to call in place of rustc, and the runtime it is to add.
    fn wrapper<'l>(&self, linked: Linked<'l>) -> Result<Option<(PathBuf, &'l str)>> {
        let tool = || std::env::current_exe().context("cannot find the tool's own path");
        match linked {
            Linked::Runtime(rlib) => Ok(Some((tool()?, rlib.as_str()))),
            Linked::Plain if self.caps_lints => {
                // Under another name, so that cargo keeps these builds apart from those with the runtime.
                let link = self.logs.join("capping-lints");
                let _ = fs::remove_file(&link);
                std::os::unix::fs::symlink(tool()?, &link)
                    .with_context(|| format!("cannot create {link}"))?;
                Ok(Some((link.into(), "")))
            }
            Linked::Plain => Ok(None),
        }
    }

    /// Where cargo looks for a wrapper. That of members is better where it will do, for cargo keeps
    /// what it builds apart from plain builds.
    fn wrapper_variable(&self) -> &'static str {
        match self.subject.neighbours.is_empty() && !self.subject.patches {
            true => "RUSTC_WORKSPACE_WRAPPER",
            false => "RUSTC_WRAPPER",
        }
    }

    /// The directories of the packages that are ours, one a line.
    fn wrapped(&self) -> Result<String> {
        let subject = self.subject;
        let packages = subject.members.iter().chain(&subject.neighbours);
        let dirs: Vec<String> = packages
            .map(|package| {
                let dir = self.root.join(&package.dir).canonicalize_utf8();
                dir.map(|dir| dir.to_string())
                    .with_context(|| format!("the working copy has no {}", package.dir))
            })
            .collect::<Result<_>>()?;
        Ok(dirs.join("\n"))
    }

    fn binary(
        &self,
        target: &cargo_metadata::Target,
        exe: Utf8PathBuf,
        script: Option<&cargo_metadata::BuildScript>,
        programs: &[(String, Utf8PathBuf)],
    ) -> Option<(TargetId, Binary)> {
        let member = self.subject.members.iter().find(|member| {
            target
                .src_path
                .starts_with(self.root.join(&member.dir).join("src"))
                || member.metadata.targets.iter().any(|known| {
                    known.name == target.name
                        && known.src_path.strip_prefix(&self.subject.root).ok()
                            == target.src_path.strip_prefix(&self.root).ok()
                })
        })?;
        let kind = match target.kind.first()? {
            TargetKind::Bin => "bin",
            TargetKind::Test => "test",
            _ => "lib",
        };
        let cwd = self.root.join(&member.dir);
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
        for (name, program) in programs {
            env.push((format!("CARGO_BIN_EXE_{name}"), program.to_string()));
        }
        let deps = exe.parent().map(Utf8Path::to_owned).unwrap_or_default();
        libraries.push(deps.to_string());
        libraries.extend(deps.parent().map(Utf8Path::to_string));
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
        let captures = self.capturing.contains(&id);
        let binary = Binary {
            exe,
            cwd,
            env,
            captures,
        };
        Some((id, binary))
    }
}

/// The package in a directory in cargo's words.
fn specification(dir: &Utf8Path, name: &str, version: &impl Display) -> String {
    let dir = dir.as_str();
    if dir.contains(['*', '?', '[', ']']) {
        // Cargo would take the path for a pattern.
        return format!("{name}@{version}");
    }
    // What else a URL cannot hold cargo escapes itself.
    let path = dir
        .trim_end_matches('/')
        .replace('%', "%25")
        .replace('#', "%23")
        .replace('\\', "%5C");
    format!("file://{path}#{name}@{version}")
}

/// Whether a source text may have an example in its documentation: a fence, an indented line, or
/// documentation from elsewhere.
fn may_be_example(text: &str) -> bool {
    text.contains("```")
        || text.contains("~~~")
        || text.contains("/**")
        || text.contains("/*!")
        || text.contains("doc =")
        || text.lines().any(|line| {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            comment.is_some_and(|text| text.starts_with("     ") || text.starts_with('\t'))
        })
}

/// The cargo that called us, or the one on the path.
fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string())
}
