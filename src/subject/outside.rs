//! Path dependencies outside of the workspace: they have no sites, but must come along.

use std::collections::BTreeSet;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Metadata, MetadataCommand};

use super::SubjectError;

/// The directories of all path dependencies that are not below the workspace root, those of
/// dependencies and patches too. Read from the manifests, for resolving would write a lock file.
pub fn path_dependencies(metadata: &Metadata) -> Result<Vec<Utf8PathBuf>, SubjectError> {
    let root = &metadata.workspace_root;
    let mut known = BTreeSet::new();
    let mut left = direct(metadata);
    while let Some(dir) = left.pop() {
        let Ok(dir) = dir.canonicalize_utf8() else {
            // Cargo says it better when it builds.
            continue;
        };
        if dir.starts_with(root) || !known.insert(dir.clone()) {
            continue;
        }
        let inner = MetadataCommand::new()
            .manifest_path(dir.join("Cargo.toml"))
            .no_deps()
            .exec()
            .map_err(|error| {
                SubjectError::Usage(format!("cannot read the path dependency {dir}: {error}"))
            })?;
        left.extend(direct(&inner));
    }
    Ok(known.into_iter().collect())
}

fn direct(metadata: &Metadata) -> Vec<Utf8PathBuf> {
    let dependencies = metadata
        .packages
        .iter()
        .flat_map(|package| &package.dependencies);
    let mut dirs: Vec<Utf8PathBuf> = dependencies
        .filter_map(|dependency| dependency.path.clone())
        .collect();
    dirs.extend(patched(&metadata.workspace_root).unwrap_or_default());
    dirs
}

/// The paths of `[patch]` sections, which metadata does not tell.
fn patched(root: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    let text = fs::read_to_string(root.join("Cargo.toml")).ok()?;
    let manifest: toml_edit::DocumentMut = text.parse().ok()?;
    let sources = manifest.get("patch")?.as_table_like()?;
    let paths = sources
        .iter()
        .filter_map(|(_, crates)| crates.as_table_like())
        .flat_map(|crates| crates.iter())
        .filter_map(|(_, patch)| Some(root.join(patch.as_table_like()?.get("path")?.as_str()?)));
    Some(paths.collect())
}
