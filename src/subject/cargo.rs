//! A cargo workspace: its metadata, which of its code may be patched, its builds and its tests.

mod added;
mod binaries;
mod build;
mod diagnostics;
mod doctests;
mod ecosystem;
mod features;
mod fuzz;
pub mod linker;
mod listing;
mod manifests;
mod nextest;
pub mod options;
mod outside;
mod run;
pub mod runtime;
mod seed;
mod unchecked;
pub mod wrapper;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Metadata, MetadataCommand, TargetKind};
use nopol_basics::agree;
use nopol_source::rust::CrateRoot;

pub use self::added::AddedTest;
pub use self::fuzz::FuzzOptions;
pub use self::manifests::settings_files;
use self::options::CargoOptions;
use self::outside::Outside;
pub use self::run::RunOptions;
use super::{AddedFile, Subject, SubjectError, paths};

/// A package with code that may be patched.
#[derive(Clone, Debug)]
pub struct Member {
    /// The package's name.
    pub name: String,
    /// Its directory, relative to the workspace root.
    pub dir: Utf8PathBuf,
    /// What cargo says of it.
    pub metadata: cargo_metadata::Package,
}

/// The packages under repair.
#[derive(Clone, Debug)]
pub struct Packages {
    /// What the user asked for.
    pub options: CargoOptions,
    /// The manifest cargo is pointed at, relative to the root.
    pub manifest: Utf8PathBuf,
    /// Where the user's cargo puts what it compiles.
    pub build_dir: Utf8PathBuf,
    /// The packages of the workspace.
    pub members: Vec<Member>,
    /// Packages outside of the root whose libraries the tests are linked with.
    pub neighbours: Vec<Member>,
    /// Whether packages of others may use all these, by a `[patch]`.
    pub patches: bool,
    /// The test of `--run` or `--fuzz`, which only the working copies have.
    pub added: Option<AddedFile>,
}

/// Reads the workspace's metadata.
///
/// # Errors
/// [`SubjectError::Usage`] with what cargo says of the manifest.
pub fn load(options: &CargoOptions) -> Result<Subject, SubjectError> {
    let mut metadata = read_metadata(options)?;
    if let Some(dir) = &options.target_dir {
        let dir = camino::absolute_utf8(dir)
            .map_err(|error| SubjectError::Usage(format!("--target-dir {dir}: {error}")))?;
        metadata.target_directory = dir;
        metadata.build_directory = None;
    }
    let root = metadata.workspace_root.clone();
    let manifest = manifests::manifest_path(options).unwrap_or_else(|| root.join("Cargo.toml"));
    let manifest = manifest
        .strip_prefix(&root)
        .map(Utf8Path::to_owned)
        .map_err(|_| {
            SubjectError::Usage(format!("{manifest} is not below its workspace root {root}"))
        })?;
    let mut members: Vec<Member> = metadata
        .workspace_packages()
        .into_iter()
        .filter_map(|package| {
            let dir = package.manifest_path.parent()?.strip_prefix(&root).ok()?;
            Some(Member {
                name: package.name.to_string(),
                dir: dir.to_owned(),
                metadata: package.clone(),
            })
        })
        .collect();
    let outside = Outside::of(&metadata)?;
    let neighbour = |package: cargo_metadata::Package| {
        Some(Member {
            name: package.name.to_string(),
            dir: paths::relative(&root, package.manifest_path.parent()?),
            metadata: package,
        })
    };
    let mut options = options.clone();
    let added = added::add(&mut options, &root, &mut members)?;
    let packages = Packages {
        options,
        manifest,
        build_dir: metadata
            .build_directory
            .unwrap_or_else(|| metadata.target_directory.clone()),
        members,
        neighbours: outside.linked.into_iter().filter_map(neighbour).collect(),
        patches: outside.patches,
        added,
    };
    packages.check(&root)?;
    Ok(Subject {
        root,
        target_dir: metadata.target_directory,
        outside: outside.dirs,
        tool: None,
        ecosystem: Arc::new(packages),
    })
}

impl Packages {
    fn no_package(&self, wanted: &str, root: &Utf8Path) -> SubjectError {
        let names = self
            .members
            .iter()
            .map(|member| format!("`{}`", member.name));
        let names: Vec<String> = names.collect();
        let are = agree(names.len(), "its only package is", "its packages are");
        SubjectError::Usage(format!(
            "no package `{wanted}` in the workspace {root}; {are} {}",
            names.join(", ")
        ))
    }

    fn check(&self, root: &Utf8Path) -> Result<(), SubjectError> {
        let options = &self.options;
        if !options.workspace && !options.exclude.is_empty() {
            return Err(SubjectError::Usage(
                "`--exclude` (or the setting `exclude`) needs `--workspace`; to leave out files, use `--exclude-file`".to_owned(),
            ));
        }
        for pattern in &options.exclude {
            // Cargo takes a glob here.
            let glob = nopol_basics::paths::glob(pattern)
                .map_err(|error| SubjectError::Usage(format!("--exclude {pattern}: {error}")))?
                .compile_matcher();
            if !self
                .members
                .iter()
                .any(|member| glob.is_match(&member.name))
            {
                return Err(self.no_package(pattern, root));
            }
        }
        for wanted in &options.package {
            if !self.members.iter().any(|member| member.name == *wanted) {
                return Err(self.no_package(wanted, root));
            }
        }
        let named = |kind: TargetKind, names: &[String]| {
            let targets = self
                .members
                .iter()
                .flat_map(|member| &member.metadata.targets);
            let known: Vec<_> = targets
                .filter(|target| target.kind.contains(&kind))
                .map(|target| target.name.clone())
                .collect();
            // Cargo takes glob patterns here.
            let is_known = |name: &&String| name.contains(['*', '?', '[']) || known.contains(name);
            match names.iter().find(|name| !is_known(name)) {
                None => Ok(()),
                Some(name) => Err(SubjectError::Usage(format!(
                    "there is no {kind} target `{name}`: the workspace has {}",
                    match &*known {
                        [] => format!("no {kind} targets"),
                        some => some.join(", "),
                    }
                ))),
            }
        };
        named(TargetKind::Test, &options.test)?;
        named(TargetKind::Example, &options.example)?;
        named(TargetKind::Bin, &options.bin)
    }

    /// Crates whose code may be patched: every library and binary of every member and every library
    /// of a neighbour, but no proc macro, build script, bench or example. Of a member's test only
    /// what it includes from elsewhere.
    pub fn crate_roots(&self, root: &Utf8Path) -> Vec<CrateRoot> {
        let mut roots = Vec::new();
        let members = self.members.iter().map(|member| (member, true));
        let neighbours = self.neighbours.iter().map(|neighbour| (neighbour, false));
        for (package, is_member) in members.chain(neighbours) {
            for target in &package.metadata.targets {
                let code = target.kind.iter().any(|kind| match kind {
                    TargetKind::Lib
                    | TargetKind::RLib
                    | TargetKind::DyLib
                    | TargetKind::CDyLib
                    | TargetKind::StaticLib => true,
                    TargetKind::Bin => is_member,
                    _ => false,
                });
                let is_test = is_member && target.kind.contains(&TargetKind::Test);
                if code || is_test {
                    roots.push(CrateRoot {
                        path: paths::relative(root, &target.src_path),
                        is_test,
                        edition_2015: target.edition == cargo_metadata::Edition::E2015,
                        has_chains: target.edition >= cargo_metadata::Edition::E2024,
                    });
                }
            }
        }
        // Libraries before the binaries that use them, and the same order every time.
        roots.sort_by(|a, b| (a.is_test, &a.path).cmp(&(b.is_test, &b.path)));
        roots
    }

    /// Whether its tests depend on no package that is found elsewhere.
    pub fn stand_alone(&self) -> bool {
        let mut dependencies = self
            .members
            .iter()
            .flat_map(|member| &member.metadata.dependencies);
        dependencies.all(|dependency| dependency.path.is_some())
    }
}

fn read_metadata(options: &CargoOptions) -> Result<Metadata, SubjectError> {
    if let Some(path) = &options.manifest_path
        && !path.is_file()
    {
        return Err(SubjectError::Usage(format!(
            "the manifest path `{path}` is not a file; give the path of a Cargo.toml"
        )));
    }
    let mut command = MetadataCommand::new();
    if let Some(path) = &options.manifest_path {
        command.manifest_path(path);
    }
    let mut other = options.common_args();
    other.extend(options.feature_args());
    command.other_options(other);
    // Resolving dependencies would write a `Cargo.lock` into the subject.
    command.no_deps();
    command.exec().map_err(|error| {
        let text = match &error {
            cargo_metadata::Error::CargoMetadata { stderr } => {
                let said = stderr.trim();
                said.strip_prefix("error: ").unwrap_or(said).to_string()
            }
            other => other.to_string(),
        };
        let is_missing = text.contains("could not find `Cargo.toml`");
        let hint = match () {
            () if !is_missing => "",
            () if Utf8Path::new("nopol.toml").is_file() => {
                "; there is a nopol.toml here: `cargo nopol c` repairs C programs"
            }
            () if has_c_files() => {
                "; there are C files here: `cargo nopol c --init` describes a C program, `cargo nopol c` repairs it"
            }
            () => "",
        };
        SubjectError::Usage(format!("cargo cannot read the manifest: {text}{hint}"))
    })
}

/// Whether the current directory has files in C.
fn has_c_files() -> bool {
    let entries = Utf8Path::new(".").read_dir_utf8().into_iter().flatten();
    let mut files = entries.filter_map(Result::ok);
    files.any(|file| file.path().extension() == Some("c"))
}
