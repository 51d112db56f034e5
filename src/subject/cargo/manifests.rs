//! Where cargo finds its manifests, and the settings that a workspace brings along.

use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::build::cargo;
use super::options::CargoOptions;
use crate::config::{self, Config, ConfigError, File};

/// The manifest the user means, absolute: the one given, or the nearest above the current directory.
pub fn meant(options: &CargoOptions) -> Option<Utf8PathBuf> {
    let explicit = options.manifest_path.as_ref();
    explicit
        .and_then(|path| path.canonicalize_utf8().ok())
        .or_else(|| {
            let here = Utf8PathBuf::from_path_buf(std::env::current_dir().ok()?).ok()?;
            let mut places = here.ancestors().map(|dir| dir.join("Cargo.toml"));
            places.find(|path| path.is_file())
        })
}

/// Adds the settings of a workspace: those in its manifest, over them those in the package's, and over these
/// the ones in a `nopol.toml` in the workspace root. Where cargo finds no manifest there are none.
///
/// # Errors
/// If one of them has an unknown key or a bad value.
pub fn settings_files(options: &CargoOptions, config: &mut Config) -> Result<(), ConfigError> {
    let Some(package) = meant(options) else {
        return Ok(());
    };
    let Some(workspace) = workspace_manifest(&package) else {
        return Ok(());
    };
    for (manifest, kind) in [(&workspace, "workspace"), (&package, "package")] {
        // A broken one is cargo's to complain of.
        if let Ok(file) = File::read(manifest) {
            config.add_file(&file, &[kind, "metadata", "nopol"])?;
        }
    }
    let path = workspace.with_file_name(config::NAME);
    match path.is_file() {
        true => config.add_file(&File::read(&path)?, &[]),
        false => Ok(()),
    }
}

/// The manifest of a package's workspace.
fn workspace_manifest(package: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut command = Command::new(cargo());
    command.args(["locate-project", "--workspace", "--message-format=plain"]);
    let output = command.arg("--manifest-path").arg(package).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| said.trim().into())
}
