//! A run of the user's program as a test: `--run`.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Target, TargetKind};

use super::Member;
use super::options::CargoOptions;
use crate::subject::{SubjectError, paths};

/// A run that must succeed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// The program's arguments.
    pub args: Vec<String>,
    /// The file with what it must print.
    pub expect: Option<Utf8PathBuf>,
    /// The file that it reads as standard input.
    pub stdin: Option<Utf8PathBuf>,
}

/// A binary or an example.
pub struct Program {
    target: Target,
    is_example: bool,
}

/// The program that runs, and its package: the one that `--bin` or `--example` names, or else the one that `cargo run` would
/// choose.
///
/// # Errors
/// [`SubjectError::Usage`] if the options do not name one program.
pub fn program(
    options: &CargoOptions,
    members: &[Member],
) -> Result<(usize, Program), SubjectError> {
    let usage = |text: String| Err(SubjectError::Usage(text));
    let (kind, names) = match (&*options.bin, &*options.example) {
        (bins, []) => (TargetKind::Bin, bins),
        ([], examples) => (TargetKind::Example, examples),
        _ => return usage("--run takes one program: --bin or --example, not both".to_owned()),
    };
    let mut found = Vec::new();
    for (at, member) in members.iter().enumerate() {
        let is_chosen = options.package.is_empty() || options.package.contains(&member.name);
        let targets = member.metadata.targets.iter();
        let targets = targets.filter(|target| is_chosen && target.kind.contains(&kind));
        found.extend(targets.map(|target| (at, target)));
    }
    let all: Vec<&str> = found.iter().map(|(_, target)| &*target.name).collect();
    let all = all.join(", ");
    match names {
        [name] => found.retain(|(_, target)| target.name == *name),
        [] => {
            let is_default = |(at, target): &(usize, &Target)| {
                members[*at].metadata.default_run.as_ref() == Some(&target.name)
            };
            if found.iter().any(is_default) {
                found.retain(is_default);
            }
        }
        _ => return usage("--run takes one program".to_owned()),
    }
    match found[..] {
        [(at, target)] => Ok((
            at,
            Program {
                target: target.clone(),
                is_example: kind == TargetKind::Example,
            },
        )),
        [] => usage(match (names, &*all) {
            ([name], "") => format!(
                "--run: there is no {kind} target `{name}`: the workspace has no {kind} targets"
            ),
            ([name], all) => {
                format!("--run: there is no {kind} target `{name}`: the workspace has {all}")
            }
            _ => "--run: there is no binary; name an example with --example".to_owned(),
        }),
        _ => usage(format!(
            "--run: there are several programs: {all}; choose one with --bin, and --package if two have this name"
        )),
    }
}

/// The text of the test.
///
/// # Errors
/// [`SubjectError::Usage`] if a file cannot be read.
pub fn text(
    run: &RunOptions,
    program: &Program,
    test: &str,
    root: &Utf8Path,
    dir: &Utf8Path,
) -> Result<String, SubjectError> {
    let name = &program.target.name;
    let line = shlex::try_join(
        [name.as_str()]
            .into_iter()
            .chain(run.args.iter().map(String::as_str)),
    )
    .map_err(|error| SubjectError::Usage(format!("--run: {error}")))?;
    let started = match program.is_example {
        false => format!("env!(\"CARGO_BIN_EXE_{name}\")"),
        true => format!(
            "std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join(\"examples/{name}\")"
        ),
    };
    let args = match &*run.args {
        [] => String::new(),
        args => format!("\n        .args({args:?})"),
    };
    let cwd = std::env::current_dir()
        .ok()
        .and_then(|cwd| Utf8PathBuf::from_path_buf(cwd).ok())
        .unwrap_or_else(|| dir.to_owned());
    let cwd = place(&cwd, root, dir);
    let mut before = String::new();
    let stdin = match &run.stdin {
        None => String::new(),
        Some(file) => {
            let file = real("--stdin", file)?;
            let opened = if file.starts_with(root) {
                place(&file, root, dir)
            } else {
                // The test must not depend on files elsewhere.
                let bytes = fs::read(&file)
                    .map_err(|error| SubjectError::Usage(format!("--stdin {file}: {error}")))?;
                let text = bytes.escape_ascii();
                before = format!(
                    "    let stdin = format!(\"{{}}/stdin-{{}}\", env!(\"CARGO_TARGET_TMPDIR\"), std::process::id());\n    std::fs::write(&stdin, b\"{text}\").unwrap();\n"
                );
                "&stdin".to_owned()
            };
            format!("\n        .stdin(std::fs::File::open({opened}).unwrap())")
        }
    };
    let expected = match &run.expect {
        None => String::new(),
        Some(file) => {
            let file = real("--expect", file)?;
            let text = fs::read_to_string(&file)
                .map_err(|error| SubjectError::Usage(format!("--expect {file}: {error}")))?;
            let expected = match file.strip_prefix(root) {
                Ok(_) => format!("include_str!({})", place(&file, root, dir)),
                Err(_) => format!("{text:?}"),
            };
            format!(
                "    let stdout = String::from_utf8_lossy(&output.stdout);\n    assert_eq!(stdout, {expected});\n"
            )
        }
    };
    Ok(format!(
        "//! Runs `{line}`.

use std::process::Command;

#[test]
fn {test}() {{
{before}    let output = Command::new({started}){args}
        .current_dir({cwd}){stdin}
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), \"{{}}\\n{{stderr}}\", output.status);
{expected}}}
"
    ))
}

fn real(option: &str, file: &Utf8Path) -> Result<Utf8PathBuf, SubjectError> {
    file.canonicalize_utf8()
        .map_err(|error| SubjectError::Usage(format!("{option} {file}: {error}")))
}

/// An expression for a path: relative to the package if it is in the workspace, so that it means the working copy there.
fn place(path: &Utf8Path, root: &Utf8Path, dir: &Utf8Path) -> String {
    if path == dir {
        return "env!(\"CARGO_MANIFEST_DIR\")".to_owned();
    }
    match path.strip_prefix(root) {
        Ok(_) => format!(
            "concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})",
            format!("/{}", paths::relative(dir, path))
        ),
        Err(_) => format!("{:?}", path.as_str()),
    }
}
