//! An input of a fuzz target of `cargo fuzz` as a test: `--fuzz`. It needs neither `cargo fuzz` nor a nightly compiler: the test
//! has the target's code.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use nopol_source::rust::fuzz_target::fuzz_test;
use toml_edit::{DocumentMut, Item};

use super::Member;
use super::options::CargoOptions;
use crate::subject::SubjectError;

/// An input with which a fuzz target must not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzOptions {
    /// The name of the fuzz target.
    pub target: String,
    /// The file with the input.
    pub input: Utf8PathBuf,
}

/// The file of the fuzz target, and the position of the package that it tests: the package above the directory `fuzz`, or else
/// the only one that the fuzz package uses by its path.
///
/// # Errors
/// [`SubjectError::Usage`] if there is no such target, or several packages have one.
pub fn target(
    fuzz: &FuzzOptions,
    options: &CargoOptions,
    root: &Utf8Path,
    members: &[Member],
) -> Result<(usize, Utf8PathBuf), SubjectError> {
    let name = &fuzz.target;
    let usage = |text: String| Err(SubjectError::Usage(format!("--fuzz {name}: {text}")));
    let mut dirs: Vec<Utf8PathBuf> = vec![root.join("fuzz")];
    dirs.extend(
        members
            .iter()
            .map(|member| root.join(&member.dir).join("fuzz")),
    );
    dirs.sort();
    dirs.dedup();
    let mut all = Vec::new();
    let mut found = Vec::new();
    for dir in dirs {
        let Ok(text) = fs::read_to_string(dir.join("Cargo.toml")) else {
            continue;
        };
        let manifest = text.parse::<DocumentMut>().map_err(|error| {
            SubjectError::Usage(format!("--fuzz {name}: {dir}/Cargo.toml: {error}"))
        })?;
        let targets = targets(&manifest, &dir);
        if let Some((_, file)) = targets.iter().find(|(other, _)| other == name) {
            for at in tested(&manifest, &dir, root, members) {
                let is_chosen =
                    options.package.is_empty() || options.package.contains(&members[at].name);
                if is_chosen {
                    found.push((at, file.clone()));
                }
            }
        }
        all.extend(targets.into_iter().map(|(name, _)| name));
    }
    match &found[..] {
        [one] => Ok(one.clone()),
        [] if all.is_empty() => usage(
            "there are no fuzz targets: no package has a directory `fuzz` with a Cargo.toml"
                .to_owned(),
        ),
        [] if all.contains(name) => {
            usage("the fuzz package uses no package of the workspace that is chosen".to_owned())
        }
        [] => usage(format!(
            "there is no such fuzz target; there are: {}",
            all.join(", ")
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|(at, _)| &*members[*at].name).collect();
            usage(format!(
                "the fuzz target tests several packages: {}; choose one with --package",
                names.join(", ")
            ))
        }
    }
}

/// The names and files of the binaries of a fuzz package.
fn targets(manifest: &DocumentMut, dir: &Utf8Path) -> Vec<(String, Utf8PathBuf)> {
    let binaries = manifest.get("bin").and_then(Item::as_array_of_tables);
    let binaries = binaries.into_iter().flat_map(|tables| tables.iter());
    let named = binaries.filter_map(|binary| {
        let name = binary.get("name")?.as_str()?;
        let path = binary.get("path").and_then(Item::as_str);
        let path = path.map_or_else(|| format!("src/bin/{name}.rs"), str::to_owned);
        Some((name.to_owned(), dir.join(path)))
    });
    named.collect()
}

/// Positions of the packages that a fuzz package tests.
fn tested(
    manifest: &DocumentMut,
    dir: &Utf8Path,
    root: &Utf8Path,
    members: &[Member],
) -> Vec<usize> {
    let dependencies = manifest.get("dependencies").and_then(Item::as_table_like);
    let used: Vec<Utf8PathBuf> = dependencies
        .into_iter()
        .flat_map(|table| table.iter())
        .filter_map(|(_, dependency)| dependency.get("path")?.as_str())
        .filter_map(|path| dir.join(path).canonicalize_utf8().ok())
        .collect();
    let place = |member: &Member| root.join(&member.dir).canonicalize_utf8().ok();
    let is_used = |at: &usize| place(&members[*at]).is_some_and(|place| used.contains(&place));
    let all: Vec<usize> = (0..members.len()).filter(is_used).collect();
    let above = dir
        .parent()
        .and_then(|above| above.canonicalize_utf8().ok());
    let direct = all.iter().find(|at| place(&members[**at]) == above);
    direct.map_or(all.clone(), |at| vec![*at])
}

/// The text of the test.
///
/// # Errors
/// [`SubjectError::Usage`] if a file cannot be read, or the target needs what the package does not have.
pub fn text(
    fuzz: &FuzzOptions,
    file: &Utf8Path,
    test: &str,
    member: &Member,
) -> Result<String, SubjectError> {
    let name = &fuzz.target;
    let input = &fuzz.input;
    let bytes = fs::read(input)
        .map_err(|error| SubjectError::Usage(format!("--fuzz {name} {input}: {error}")))?;
    let text = fs::read_to_string(file)
        .map_err(|error| SubjectError::Usage(format!("--fuzz {name}: {file}: {error}")))?;
    let shown = input.file_name().unwrap_or(input.as_str());
    let about = format!("Runs the fuzz target `{name}` with the input {shown}.");
    let made = fuzz_test(&text, test, &about, &bytes).map_err(|error| {
        SubjectError::Usage(format!(
            "--fuzz {name}: {file} cannot become a test, because {error}; write a test that calls the target's code with this input"
        ))
    })?;
    let depends = |on: &str| {
        let mut dependencies = member.metadata.dependencies.iter();
        dependencies.any(|it| it.rename.as_deref().unwrap_or(&it.name) == on)
    };
    match made.needs_arbitrary {
        Some(ty) if !depends("arbitrary") => Err(SubjectError::Usage(format!(
            "--fuzz {name}: the crate `arbitrary` makes the input, of type `{ty}`, and the package {} does not depend on it; \
             add it to its [dev-dependencies]",
            member.name
        ))),
        _ => Ok(made.text),
    }
}
