//! Finds the manifests of a workspace, and the settings in them.

use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::build::cargo;
use super::options::CargoOptions;
use crate::config::{Config, ConfigError, File};

/// The absolute path of the manifest: the given one, or the nearest in the current directory and its ancestors.
pub fn manifest_path(options: &CargoOptions) -> Option<Utf8PathBuf> {
    let explicit = options.manifest_path.as_ref();
    explicit
        .and_then(|path| path.canonicalize_utf8().ok())
        .or_else(|| {
            let current_dir = Utf8PathBuf::from_path_buf(std::env::current_dir().ok()?).ok()?;
            let mut paths = current_dir.ancestors().map(|dir| dir.join("Cargo.toml"));
            paths.find(|path| path.is_file())
        })
}

/// Adds the settings of a workspace, in order of increasing precedence: from the workspace's manifest, from the
/// package's manifest, and from `nopol.toml` or `.config/nopol.toml` in the workspace root. Adds nothing if there is no manifest.
///
/// # Errors
/// If one of them has an unknown key or an invalid value.
pub fn settings_files(options: &CargoOptions, config: &mut Config) -> Result<(), ConfigError> {
    let Some(package) = manifest_path(options) else {
        return Ok(());
    };
    let Some(workspace) = workspace_manifest(&package) else {
        return Ok(());
    };
    for (manifest, kind) in [(&workspace, "workspace"), (&package, "package")] {
        // Cargo reports a broken manifest later.
        if let Ok(file) = File::read(manifest) {
            config.add_file(&file, &[kind, "metadata", "nopol"])?;
        }
    }
    let dir = workspace.parent().unwrap_or(&workspace);
    match File::of_dir(dir)? {
        Some(path) => config.add_file(&File::read(&path)?, &[]),
        None => Ok(()),
    }
}

/// The manifest of a package's workspace.
fn workspace_manifest(package: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut command = Command::new(cargo());
    command.args(["locate-project", "--workspace", "--message-format=plain"]);
    let output = command.arg("--manifest-path").arg(package).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| path.trim().into())
}
