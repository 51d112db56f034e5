//! Cargo as a process: builds of the working copy, and what they leave to run.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};
use cargo_metadata::{Message, TargetKind};

use super::{Packages, wrapper};
use crate::copy::files;
use crate::run::confine::{Circumstances, Confinement};
use crate::run::id::TargetId;
use crate::run::process::{Job, Limits};
use crate::run::{Binary, Harness};
use crate::subject::workspace::{self, Build, Doctests, Linked, Span, Workspace};

/// The members as they are built in one working copy.
struct Cargo<'a> {
    at: &'a Workspace<'a>,
    packages: &'a Packages,
}

/// Builds all test targets asked for, without running them.
///
/// # Errors
/// If cargo cannot be started or the run is stopped; that the subject does not compile is a result.
pub fn build(at: &Workspace, packages: &Packages, linked: Linked) -> Result<Build> {
    Cargo { at, packages }.build(linked)
}

/// Runs every doctest of the chosen packages, until they say nothing for that long.
///
/// # Errors
/// If cargo cannot be started or the run is stopped.
pub fn doctests(at: &Workspace, packages: &Packages, silence: Duration) -> Result<Doctests> {
    Cargo { at, packages }.doctests(silence)
}

/// Whether the chosen packages have a library that could have doctests. Where no text could be
/// one, rustdoc need not be asked.
pub fn may_have_doctests<'t>(
    packages: &Packages,
    mut texts: impl Iterator<Item = &'t str>,
) -> bool {
    !packages.options.names_targets()
        && texts.any(may_be_example)
        && packages.members.iter().any(|member| {
            member.metadata.targets.iter().any(|target| {
                target.doctest && target.kind.iter().any(|kind| *kind != TargetKind::Bin)
            })
        })
}

impl Cargo<'_> {
    fn build(&self, linked: Linked) -> Result<Build> {
        let mut args = vec!["test".to_string(), "--no-run".to_string()];
        args.push("--message-format=json".to_string());
        args.extend(self.packages.options.build_args(&self.specifications()));
        let (succeeded, stdout, stderr) = self.cargo(args, linked, None)?;

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
                        build.errors.push(diagnostic(&message.message));
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

    fn doctests(&self, silence: Duration) -> Result<Doctests> {
        let mut args = vec![
            "test".to_string(),
            "--doc".to_string(),
            "--no-fail-fast".to_string(),
        ];
        args.extend(self.packages.options.doc_args(&self.specifications()));
        let (run, _) = self.at.tree.guard("doctests", || {
            self.cargo(args.clone(), Linked::Plain, Some(silence))
        })?;
        let (all_passed, stdout, _) = run;
        let text = fs::read_to_string(stdout).unwrap_or_default();
        let outcomes = text.lines().filter_map(|line| {
            let (name, outcome) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
            (outcome != "ignored").then(|| (name.to_string(), outcome == "ok"))
        });
        Ok(Doctests {
            all_passed,
            by_name: outcomes.collect(),
        })
    }

    /// The packages asked for, as cargo is told of them. A name alone would not do where a dependency
    /// has the same.
    fn specifications(&self) -> Vec<String> {
        let members = &self.packages.members;
        let chosen = self.packages.options.package.iter().filter_map(|name| {
            let member = members.iter().find(|member| member.name == *name)?;
            let dir = self.at.root.join(&member.dir);
            Some(specification(&dir, name, &member.metadata.version))
        });
        chosen.collect()
    }

    /// Runs cargo in the working copy; its success, and the files with what it printed. What it starts is
    /// confined if it `runs` code of the subject, and then it may say nothing for so long.
    fn cargo(
        &self,
        args: Vec<String>,
        linked: Linked,
        runs: Option<Duration>,
    ) -> Result<(bool, Utf8PathBuf, Utf8PathBuf)> {
        fs::create_dir_all(&self.at.logs)
            .with_context(|| format!("cannot create {}", self.at.logs))?;
        let (stdout, stderr) = (
            self.at.logs.join("cargo-stdout"),
            self.at.logs.join("cargo-stderr"),
        );
        let mut args = args;
        args.push(format!(
            "--manifest-path={}",
            self.at.root.join(&self.packages.manifest)
        ));
        args.push(format!("--target-dir={}", self.at.target));
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
        if linked == Linked::InPlace {
            let roots = [&self.at.root, &self.at.subject.root].map(|root| root.as_str());
            env.push((wrapper::IN_PLACE.to_string(), roots.join(wrapper::BETWEEN)));
        }
        let confinement = self.at.confinement;
        let program = cargo();
        let mut job = Job {
            program: Utf8Path::new(&program),
            args: &args,
            cwd: &self.at.root,
            env: &[],
            unset: &Confinement::unset(),
            stdin: None,
            stdout: File::create(&stdout)?,
            stderr: File::create(&stderr)?,
            timeout: None,
            silence: None,
            limits: Limits::default(),
            sandbox: None,
        };
        let dir = confinement.scratch.join("doctests");
        if let Some(silence) = runs {
            confinement.prepare(&dir)?;
            env.extend(confinement.env(&dir, Circumstances::default()));
            job.silence = Some(silence);
            // It is rustc that needs most of it.
            job.limits.memory = Confinement::limits(true).memory.map(|bytes| 2 * bytes);
            let places = [
                dir.clone(),
                self.at.tree.top().to_owned(),
                self.at.target.clone(),
            ];
            let mut writable = places.to_vec();
            writable.extend(super::outside::cargo_home());
            job.sandbox = confinement.sandbox(writable);
        } else {
            env.extend(confinement.build_env());
        }
        job.env = &env;
        let exit = self.at.supervisor.run(&job)?;
        if runs.is_some() {
            let _ = files::remove_tree(&dir);
        }
        Ok((exit.code == Some(0), stdout, stderr))
    }

    /// Where the compiler has its own libraries.
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

    /// What cargo is to call in place of rustc, and the runtime it is to add.
    fn wrapper<'l>(&self, linked: Linked<'l>) -> Result<Option<(PathBuf, &'l str)>> {
        let tool = || self.at.subject.tool();
        match linked {
            Linked::Runtime(rlib) => Ok(Some((tool()?.to_owned(), rlib.as_str()))),
            Linked::Plain if self.at.caps_lints => {
                Ok(Some((self.link_to(tool()?, "capping-lints")?, "")))
            }
            Linked::InPlace => Ok(Some((self.link_to(tool()?, "in-place")?, ""))),
            Linked::Plain => Ok(None),
        }
    }

    /// The tool under another name, so that cargo keeps builds with it apart from others.
    fn link_to(&self, tool: &Path, name: &str) -> Result<PathBuf> {
        let link = self.at.logs.join(name);
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(tool, &link).with_context(|| format!("cannot create {link}"))?;
        Ok(link.into())
    }

    /// Where cargo looks for a wrapper. That of members is better where it will do, for cargo keeps
    /// what it builds apart from plain builds.
    fn wrapper_variable(&self) -> &'static str {
        match self.packages.neighbours.is_empty() && !self.packages.patches {
            true => "RUSTC_WORKSPACE_WRAPPER",
            false => "RUSTC_WRAPPER",
        }
    }

    /// The directories of the packages that are ours.
    fn wrapped(&self) -> Result<String> {
        let Packages {
            members,
            neighbours,
            ..
        } = self.packages;
        let packages = members.iter().chain(neighbours);
        let dirs: Vec<String> = packages
            .map(|package| {
                let dir = self.at.root.join(&package.dir).canonicalize_utf8();
                dir.map(|dir| dir.to_string())
                    .with_context(|| format!("the working copy has no {}", package.dir))
            })
            .collect::<Result<_>>()?;
        Ok(dirs.join(wrapper::BETWEEN))
    }

    fn binary(
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
        for (name, program) in programs {
            env.push((format!("CARGO_BIN_EXE_{name}"), program.to_string()));
        }
        let deps = exe.parent().map(Utf8Path::to_owned).unwrap_or_default();
        libraries.push(deps.to_string());
        libraries.extend(deps.parent().map(Utf8Path::to_string));
        // What a proc macro's tests are linked with is the compiler's own. Others are spared the search.
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
        let binary = Binary {
            exe,
            original: self.at.subject.root.join(&member.dir),
            cwd,
            env,
            harness: Harness::Standard { captures },
            tree: Arc::clone(&self.at.tree),
            // `CARGO_TARGET_TMPDIR`.
            writable: vec![self.at.target.join("tmp")],
        };
        Some((id, binary))
    }
}

/// An error of rustc, with where it points and the macro calls that this comes from.
fn diagnostic(error: &Diagnostic) -> workspace::Diagnostic {
    let mut spans = Vec::new();
    collect(error, true, &mut spans);
    workspace::Diagnostic {
        code: error
            .code
            .as_ref()
            .map_or_else(String::new, |code| code.code.clone()),
        message: error.message.clone(),
        rendered: error.rendered.clone().unwrap_or_default(),
        spans,
    }
}

/// All spans of an error and its notes, `is_own` for the error itself.
fn collect(error: &Diagnostic, is_own: bool, spans: &mut Vec<Span>) {
    for span in &error.spans {
        let mut at = Some(span);
        while let Some(here) = at {
            spans.push(Span {
                file: here.file_name.clone().into(),
                bytes: here.byte_start as usize..here.byte_end as usize,
                is_primary: span.is_primary && is_own,
                label: here
                    .label
                    .clone()
                    .filter(|_| is_own && std::ptr::eq(here, span)),
            });
            at = here.expansion.as_ref().map(|expansion| &expansion.span);
        }
    }
    for child in &error.children {
        collect(child, false, spans);
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
pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string())
}
