//! Runs cargo to build the working copy, and collects the test binaries.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::diagnostic::DiagnosticLevel;
use cargo_metadata::{Message, TargetKind};
use nopol_process::copy::files;
use nopol_process::run::confine::{Circumstances, Confinement};
use nopol_process::run::id::TargetId;
use nopol_process::run::process::{Job, Limits};
use nopol_process::run::stack;
use nopol_process::run::{Trials, tracing};

use super::{Packages, diagnostics, linker, wrapper};
use crate::subject::workspace::{Build, Linked, Targets, Workspace};

/// The list of the doctests' programs in the directory for traces.
pub(super) const PROGRAMS: &str = "programs";

/// How code of the subject runs that cargo starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs<'a> {
    /// How long it may be silent.
    pub(super) silence: Duration,
    /// The directory for traces, the number of sites and what to try, if it is traced.
    pub(super) traces: Option<(&'a Utf8Path, usize, Trials<'a>)>,
}

impl Runs<'_> {
    /// Runs that may be silent for this long and are not traced.
    pub(super) const fn within(silence: Duration) -> Self {
        Self {
            silence,
            traces: None,
        }
    }
}

/// The members of a workspace in one working copy.
pub(super) struct Cargo<'a> {
    pub(super) at: &'a Workspace<'a>,
    pub(super) packages: &'a Packages,
}

/// Builds all selected test targets without running them.
///
/// # Errors
/// If cargo cannot be started or the run is stopped. A compilation error is a result.
pub fn build(
    at: &Workspace,
    packages: &Packages,
    linked: Linked,
    targets: Targets,
) -> Result<Build> {
    Cargo { at, packages }.build(linked, targets)
}

impl Cargo<'_> {
    fn build(&self, linked: Linked, targets: Targets) -> Result<Build> {
        let mut args = vec!["test".to_string(), "--no-run".to_string()];
        args.push("--message-format=json".to_string());
        let (options, packages) = (&self.packages.options, self.specifications());
        args.extend(match targets {
            Targets::Only(targets) if self.can_leave_out_others(targets) => {
                options.build_args_of(&packages, targets)
            }
            _ => options.build_args(&packages),
        });
        let (succeeded, stdout, stderr) = self.cargo(args, linked, None)?;

        let mut build = Build {
            succeeded,
            ..Build::default()
        };
        let mut scripts = BTreeMap::new();
        let mut executables = Vec::new();
        let mut programs: BTreeMap<String, Vec<(String, Utf8PathBuf)>> = BTreeMap::new();
        for message in diagnostics::messages(BufReader::new(File::open(stdout)?)) {
            match message? {
                Message::CompilerMessage(message) => {
                    if matches!(
                        message.message.level,
                        DiagnosticLevel::Error | DiagnosticLevel::Ice
                    ) {
                        build
                            .output
                            .push_str(message.message.rendered.as_deref().unwrap_or(""));
                        build.errors.push(diagnostics::diagnostic(&message.message));
                    } else if message.message.level == DiagnosticLevel::Warning
                        && message.message.code.is_some()
                    {
                        // Without a code it is the number of the others.
                        build.warnings.insert(message.message.message);
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
                .output
                .push_str(&cargo_errors.collect::<Vec<_>>().join("\n"));
            build.output.push('\n');
        }
        for (package, target, exe) in executables {
            let script = scripts.get(&package);
            let programs = programs
                .get(&package.repr)
                .map_or(&[][..], |programs| programs);
            if let Some((id, mut binary)) = self.binary(&target, exe, script, programs) {
                if matches!(linked, Linked::Runtime(_)) {
                    stack::enlarge(&mut binary.env);
                }
                build.binaries.insert(id, binary);
            }
        }
        Ok(build)
    }

    /// Whether the tests of these targets run as before if the other targets are not built. A test may start a program of the
    /// package, which cargo builds for an integration test.
    fn can_leave_out_others(&self, targets: &BTreeSet<TargetId>) -> bool {
        let members = &self.packages.members;
        let mut all = members.iter().flat_map(|member| &member.metadata.targets);
        self.packages.added.is_none()
            && !targets.is_empty()
            && (targets.iter().any(|target| target.kind == "test")
                || !all.any(|target| target.kind.contains(&TargetKind::Bin)))
    }

    /// The selected packages as package ID specifications. A name alone would be ambiguous if a dependency
    /// has the same name.
    pub(super) fn specifications(&self) -> Vec<String> {
        let members = &self.packages.members;
        let chosen = self.packages.options.package.iter().filter_map(|name| {
            let member = members.iter().find(|member| member.name == *name)?;
            let dir = self.at.root.join(&member.dir);
            Some(specification(&dir, name, &member.metadata.version))
        });
        chosen.collect()
    }

    /// Runs cargo in the working copy. Returns whether it succeeded, and the files with its standard output
    /// and error. `runs` is set if cargo also runs code of the subject: the processes are then confined.
    pub(super) fn cargo(
        &self,
        args: Vec<String>,
        linked: Linked,
        runs: Option<Runs>,
    ) -> Result<(bool, Utf8PathBuf, Utf8PathBuf)> {
        fs::create_dir_all(&self.at.logs)
            .with_context(|| format!("cannot create {}", self.at.logs))?;
        let (stdout, stderr) = (
            self.at.logs.join("cargo-stdout"),
            self.at.logs.join("cargo-stderr"),
        );
        let mut args = args;
        // What follows `--` is for the programs that cargo runs.
        let end = args.iter().position(|arg| arg == "--");
        let for_programs = args.split_off(end.unwrap_or(args.len()));
        args.push(format!(
            "--manifest-path={}",
            self.at.root.join(&self.packages.manifest)
        ));
        args.push(format!("--target-dir={}", self.at.target));
        args.push("--color=never".to_string());
        args.extend(for_programs);
        let mut env = Vec::new();
        let mut set = |name: &str, value: &str| env.push((name.to_string(), value.to_string()));
        set("CARGO_TERM_PROGRESS_WHEN", "never");
        // `build.build-dir` of the user's configuration would mix these builds with the user's.
        set("CARGO_BUILD_BUILD_DIR", self.at.target.as_str());
        // Debug information is not needed, and linking is much faster without it. But a profile that differs from
        // the user's would have all dependencies compiled again.
        if !self.at.is_seeded {
            set("CARGO_PROFILE_DEV_DEBUG", "0");
            set("CARGO_PROFILE_TEST_DEBUG", "0");
        }
        if let Some((wrapper, runtime)) = self.wrapper(linked)? {
            set(self.wrapper_variable(), &wrapper.to_string_lossy());
            set(wrapper::RUNTIME, runtime);
            set(wrapper::PACKAGES, &self.package_dirs()?);
            // Doctests are linked with what they test.
            if !runtime.is_empty() {
                let rustdoc = std::env::var("RUSTDOC").unwrap_or_else(|_| "rustdoc".to_owned());
                set(wrapper::RUSTDOC, &rustdoc);
                set("RUSTDOC", &wrapper.to_string_lossy());
            }
            if self.at.caps_lints || linked != Linked::Plain {
                set(wrapper::CAP_LINTS, "1");
            }
            if self.at.is_seeded {
                set(wrapper::LEAN, "1");
            }
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
            random_addresses: false,
            sandbox: None,
        };
        let dir = confinement.scratch.join("doctests");
        if let Some(runs) = runs {
            confinement.prepare(&dir)?;
            env.extend(confinement.env(&dir, Circumstances::default()));
            job.silence = Some(runs.silence);
            // Most of it is needed by rustc.
            job.limits.memory = confinement.limits(true).memory.map(|bytes| 2 * bytes);
            let places = [
                dir.clone(),
                self.at.tree.top().to_owned(),
                self.at.target.clone(),
            ];
            let mut writable = places.to_vec();
            if let Some((traces, sites, trials)) = runs.traces {
                env.extend(tracing(&traces.join("trace"), sites, trials));
                let linker = self.link_to(self.at.subject.tool()?, linker::NAME)?;
                let linker = linker.to_string_lossy().into_owned();
                env.push((wrapper::DOCTEST_LINKER.to_owned(), linker));
                let list = traces.join(PROGRAMS).into_string();
                env.push((linker::PROGRAMS.to_owned(), list));
                writable.push(traces.to_owned());
            }
            writable.extend(super::outside::cargo_home());
            job.sandbox = confinement.sandbox(writable);
        } else {
            env.extend(confinement.build_env()?);
        }
        job.env = &env;
        let exit = self.at.supervisor.run(&job)?;
        if runs.is_some() {
            let _ = files::remove_tree(&dir);
        }
        Ok((exit.code == Some(0), stdout, stderr))
    }

    /// The program that cargo has to call in place of rustc, and the runtime that it has to link.
    fn wrapper<'l>(&self, linked: Linked<'l>) -> Result<Option<(PathBuf, &'l str)>> {
        let tool = || self.at.subject.tool();
        match linked {
            Linked::Runtime(rlib) => Ok(Some((tool()?.to_owned(), rlib.as_str()))),
            Linked::Plain if self.at.caps_lints => {
                Ok(Some((self.link_to(tool()?, "capping-lints")?, "")))
            }
            Linked::InPlace => Ok(Some((self.link_to(tool()?, "in-place")?, ""))),
            Linked::Plain if self.at.is_seeded => Ok(Some((tool()?.to_owned(), ""))),
            Linked::Plain => Ok(None),
        }
    }

    /// A link to the tool under another name, because cargo keeps builds with different wrappers apart.
    fn link_to(&self, tool: &Path, name: &str) -> Result<PathBuf> {
        let link = self.at.logs.join(name);
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(tool, &link).with_context(|| format!("cannot create {link}"))?;
        Ok(link.into())
    }

    /// The variable that gives cargo the wrapper. The wrapper for workspace members is preferred where it suffices,
    /// because cargo keeps its builds apart from plain ones.
    fn wrapper_variable(&self) -> &'static str {
        match self.packages.neighbours.is_empty() && !self.packages.patches {
            true => "RUSTC_WORKSPACE_WRAPPER",
            false => "RUSTC_WRAPPER",
        }
    }

    /// The directories of the subject's own packages.
    fn package_dirs(&self) -> Result<String> {
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
}

/// The package ID specification of the package in a directory.
fn specification(dir: &Utf8Path, name: &str, version: &impl Display) -> String {
    let dir = dir.as_str();
    if dir.contains(['*', '?', '[', ']']) {
        // Cargo would interpret the path as a pattern.
        return format!("{name}@{version}");
    }
    // Cargo itself escapes other characters that are not allowed in a URL.
    let path = dir
        .trim_end_matches('/')
        .replace('%', "%25")
        .replace('#', "%23")
        .replace('\\', "%5C");
    format!("file://{path}#{name}@{version}")
}

/// The cargo that called this tool, or the one on the search path.
pub fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string())
}
