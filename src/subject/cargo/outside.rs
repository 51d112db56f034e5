//! Path dependencies that are no members of the workspace. Those outside of its root are copied along with it, and libraries that
//! are linked into its tests may contain sites.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;

use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package};

use crate::subject::SubjectError;

/// Packages outside of the workspace that belong to the subject.
#[derive(Debug, Default)]
pub struct Outside {
    /// Directories outside of the workspace's root: of all path dependencies, including indirect ones and patches, and of the
    /// workspaces that their manifests inherit from.
    pub dirs: Vec<Utf8PathBuf>,
    /// The packages that are linked into tests.
    pub linked: Vec<Package>,
    /// Whether a `[patch]` makes third-party packages depend on packages of the subject.
    pub patches: bool,
}

impl Outside {
    /// Reads the manifests, because resolving the dependencies would write a lock file.
    pub fn of(metadata: &Metadata) -> Result<Self, SubjectError> {
        use DependencyKind::{Development, Normal};
        let root = &metadata.workspace_root;
        let manifests = metadata.packages.iter();
        let of_members: BTreeSet<&Utf8Path> = manifests
            .filter_map(|member| member.manifest_path.parent())
            .collect();
        let members = metadata.packages.iter();
        let mut left: Vec<Wanted> = members
            .flat_map(|member| Wanted::dependencies_of(member, &[Normal, Development]))
            .collect();
        let patched_by_root = patched(root, true).unwrap_or_default();
        let patches = !patched_by_root.is_empty();
        left.extend(patched_by_root);
        let mut known: BTreeSet<Wanted> = BTreeSet::new();
        let (mut linked, mut workspaces) = (BTreeMap::new(), BTreeSet::new());
        let cargo_home = cargo_home();
        while let Some(mut wanted) = left.pop() {
            let Ok(dir) = wanted.dir.canonicalize_utf8() else {
                // Cargo reports this with a better message when it builds.
                continue;
            };
            wanted.dir.clone_from(&dir);
            if of_members.contains(&*dir) || !known.insert(wanted.clone()) {
                continue;
            }
            let inner = metadata_of(&dir.join("Cargo.toml"))
                .or_else(|error| alone(&dir).ok_or(error))
                .map_err(|error| {
                    SubjectError::Usage(format!("cannot read the path dependency {dir}: {error}"))
                })?;
            if inherits(&dir) && !inner.workspace_root.starts_with(root) {
                workspaces.insert(inner.workspace_root.clone());
            }
            left.extend(patched(&inner.workspace_root, false).unwrap_or_default());
            for package in inner.packages {
                // The other packages are members of the same workspace.
                let is_linked = wanted.is_linked && package.manifest_path.parent() == Some(&*dir);
                let kinds: &[DependencyKind] = if is_linked { &[Normal] } else { &[] };
                left.extend(Wanted::dependencies_of(&package, kinds));
                if is_linked
                    && !cargo_home
                        .as_ref()
                        .is_some_and(|home| dir.starts_with(home))
                {
                    linked.insert(dir.clone(), package);
                }
            }
        }
        let mut dirs = workspaces;
        dirs.extend(known.into_iter().map(|known| known.dir));
        dirs.retain(|dir| !dir.starts_with(root));
        let mut outermost: Vec<Utf8PathBuf> = Vec::new();
        for dir in dirs {
            // A directory is sorted before those below it.
            if !outermost.iter().any(|known| dir.starts_with(known)) {
                outermost.push(dir);
            }
        }
        Ok(Self {
            dirs: outermost,
            linked: linked.into_values().collect(),
            patches,
        })
    }
}

fn metadata_of(manifest: &Utf8Path) -> Result<Metadata, cargo_metadata::Error> {
    let mut command = MetadataCommand::new();
    command.manifest_path(manifest).no_deps().exec()
}

/// The metadata of a package below a workspace that does not know it: cargo builds such a one as a patch, but refuses to
/// describe it. It is described as if it were a workspace of its own, elsewhere.
fn alone(dir: &Utf8Path) -> Option<Metadata> {
    let elsewhere = tempfile::tempdir().ok()?;
    let elsewhere = Utf8Path::from_path(elsewhere.path())?;
    // With the same path below, a path that leads up stays the same, too.
    let copy = elsewhere.join(dir.strip_prefix("/").ok()?);
    fs::create_dir_all(&copy).ok()?;
    for entry in dir.read_dir_utf8().ok()?.flatten() {
        if entry.file_name() != "Cargo.toml" {
            symlink(entry.path(), copy.join(entry.file_name())).ok()?;
        }
    }
    let manifest = fs::read_to_string(dir.join("Cargo.toml")).ok()?;
    let path = copy.join("Cargo.toml");
    fs::write(&path, manifest + "\n[workspace]\n").ok()?;
    let mut command = MetadataCommand::new();
    command.manifest_path(&path).no_deps();
    let output = command.cargo_command().output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    MetadataCommand::parse(text.replace(elsewhere.as_str(), "")).ok()
}

/// A directory to examine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    dir: Utf8PathBuf,
    /// According to the manifests its library is linked into tests.
    is_linked: bool,
}

impl Wanted {
    /// The path dependencies of a package; those of the given kinds are linked.
    fn dependencies_of(package: &Package, linked: &[DependencyKind]) -> Vec<Self> {
        let wanted = |dependency: &Dependency| {
            Some(Self {
                dir: dependency.path.clone()?,
                is_linked: linked.contains(&dependency.kind),
            })
        };
        package.dependencies.iter().filter_map(wanted).collect()
    }
}

/// Whether a manifest may inherit from that of its workspace.
fn inherits(dir: &Utf8Path) -> bool {
    fs::read_to_string(dir.join("Cargo.toml")).is_ok_and(|text| text.contains("workspace"))
}

/// The paths in `[patch]` sections, which `cargo metadata` does not report.
fn patched(root: &Utf8Path, is_linked: bool) -> Option<Vec<Wanted>> {
    let text = fs::read_to_string(root.join("Cargo.toml")).ok()?;
    let manifest: toml_edit::DocumentMut = text.parse().ok()?;
    let sources = manifest.get("patch")?.as_table_like()?;
    let paths = sources
        .iter()
        .filter_map(|(_, crates)| crates.as_table_like())
        .flat_map(|crates| crates.iter())
        .filter_map(|(_, patch)| patch.as_table_like()?.get("path")?.as_str());
    let wanted = paths.map(|path| Wanted {
        dir: root.join(path),
        is_linked,
    });
    Some(wanted.collect())
}

/// The directory in which cargo keeps downloaded packages; they are not the user's own code.
pub(super) fn cargo_home() -> Option<Utf8PathBuf> {
    let home = match std::env::var("CARGO_HOME") {
        Ok(dir) if !dir.is_empty() => Utf8PathBuf::from(dir),
        _ => Utf8PathBuf::from(std::env::var("HOME").ok()?).join(".cargo"),
    };
    home.canonicalize_utf8().ok()
}
