//! The table `[c]` of a `nopol.toml`: how a C program is built and tested.

use std::collections::BTreeSet;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;
use nopol_basics::paths;
use nopol_basics::visible;
use nopol_process::run::command::{Case, Command, Comparison, Input};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use walkdir::WalkDir;

use super::options::COptions;
use super::{Program, test_functions};
pub use crate::config::NAME;
use crate::config::{Config, ConfigError, File, seconds};
use crate::subject::paths::normal;
use crate::subject::{AddedFile, SubjectError};

// The comments of the fields are shown to users by `--print-schema`.

/// How a C program is built and tested.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Section {
    /// Globs of the source files.
    #[serde(default)]
    sources: Vec<String>,
    /// The command that builds the program, run by a shell.
    build: Option<String>,
    /// Seconds that a single test may take, if that is less than --test-timeout.
    #[schemars(extend("exclusiveMinimum" = 0))]
    timeout: Option<f64>,
    /// Whether the program is built with the address and undefined-behavior sanitizers.
    #[serde(default)]
    sanitize: bool,
    /// Whether tests run one at a time.
    #[serde(default)]
    serial: bool,
    /// Tests, each a table of its own: `[[c.test]]`.
    #[serde(default)]
    test: Vec<Single>,
    /// A test for each input file.
    tests: Option<Pairs>,
    /// A test command that takes the name of a test.
    script: Option<Script>,
}

/// One test.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Single {
    /// The name of the test.
    name: String,
    /// The command that runs it.
    command: String,
    /// The expected output.
    stdout: Option<String>,
    /// The file with the expected output.
    #[schemars(with = "Option<String>")]
    stdout_file: Option<Utf8PathBuf>,
    /// The input.
    stdin: Option<String>,
    /// The file with the input.
    #[schemars(with = "Option<String>")]
    stdin_file: Option<Utf8PathBuf>,
    /// The directory in which the command runs.
    #[schemars(with = "Option<String>")]
    cwd: Option<Utf8PathBuf>,
    /// The expected exit code.
    #[serde(default)]
    exit: i32,
    /// How the output is compared with the expected one.
    #[serde(default)]
    r#match: Match,
    /// Globs of files: each test function in them is a test of its own.
    #[serde(default)]
    functions: Vec<String>,
}

/// A test for each input file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pairs {
    /// A glob with one `*`: the input files.
    input: String,
    /// The file with the expected output; `*` stands for the same text as in `input`.
    output: Option<String>,
    /// The command that runs a test.
    command: String,
    /// The directory in which the command runs.
    #[schemars(with = "Option<String>")]
    cwd: Option<Utf8PathBuf>,
    /// The expected exit code.
    #[serde(default)]
    exit: i32,
    /// How the output is compared with the expected one.
    #[serde(default)]
    r#match: Match,
}

/// A test command that takes the name of a test.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Script {
    /// The command; a test passes if its exit code is 0.
    command: String,
    /// The names of the tests.
    names: Vec<String>,
}

/// How an output is compared with the expected one.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Match {
    /// Byte by byte.
    #[default]
    Exact,
    /// Word by word.
    Space,
}

/// The JSON schema of the table.
pub fn schema() -> Schema {
    let settings = SchemaSettings::default().with(|it| it.inline_subschemas = true);
    settings.into_generator().subschema_for::<Section>()
}

impl From<Match> for Comparison {
    fn from(value: Match) -> Self {
        match value {
            Match::Exact => Self::Exact,
            Match::Space => Self::Space,
        }
    }
}

fn usage(text: String) -> SubjectError {
    SubjectError::Usage(text)
}

/// Reads the program's description from the file and the options. Returns it with the directory to which all
/// paths are relative.
///
/// # Errors
/// [`SubjectError::Usage`] if there is no file, or it is invalid.
pub fn load(options: &COptions) -> Result<(Utf8PathBuf, Program), SubjectError> {
    let are_options_sufficient = !options.source.is_empty() && options.build.is_some();
    let (root, mut section) = match path(options)? {
        Some(path) => {
            let file = File::read(&path)?;
            let section = match section(&file)? {
                Some(section) => section,
                None if are_options_sufficient => Section::default(),
                None => return Err(no_section(&file).into()),
            };
            (file.dir().to_owned(), section)
        }
        None if are_options_sufficient => (current_dir()?, Section::default()),
        None => {
            return Err(usage(format!(
                "there is no {NAME} here or above; write one with `cargo nopol c --init`, or give --source, --build and tests"
            )));
        }
    };
    if !options.source.is_empty() {
        section.sources.clone_from(&options.source);
    }
    section.build = options.build.clone().or(section.build);
    if let (Some(input), Some(command)) = (&options.input, &options.command) {
        section.tests = Some(Pairs {
            input: input.clone(),
            output: options.output.clone(),
            command: command.clone(),
            cwd: None,
            exit: 0,
            r#match: Match::Exact,
        });
    }
    if let Some(command) = &options.script {
        section.script = Some(Script {
            command: command.clone(),
            names: options.name.clone(),
        });
    }
    section.sanitize = options.sanitize.unwrap_or(section.sanitize);
    let file = path(options)?.filter(|path| path.parent() == Some(&*root));
    let file = file.as_deref().and_then(Utf8Path::file_name);
    let program = Program {
        file: file.map(Utf8PathBuf::from),
        ..program(&root, section)?
    };
    Ok((root, program))
}

fn current_dir() -> Result<Utf8PathBuf, SubjectError> {
    let dir = std::env::current_dir().ok();
    dir.and_then(|dir| Utf8PathBuf::from_path_buf(dir).ok())
        .ok_or_else(|| usage("the current directory cannot be read, or is not UTF-8".to_owned()))
}

/// The absolute path of the configuration file: the given one, or the nearest in the current directory and its
/// ancestors.
///
/// # Errors
/// [`SubjectError::Usage`] if the given file does not exist.
pub fn path(options: &COptions) -> Result<Option<Utf8PathBuf>, SubjectError> {
    if let Some(path) = &options.config {
        // A directory stands for the file in it.
        let path = if path.is_dir() {
            path.join(NAME)
        } else {
            path.clone()
        };
        return path.canonicalize_utf8().map(Some).map_err(|error| {
            usage(format!(
                "cannot read the file `{path}` given with --config: {error}"
            ))
        });
    }
    let current_dir = current_dir()?;
    let mut paths = current_dir.ancestors().map(|dir| dir.join(NAME));
    Ok(paths.find(|path| path.is_file()))
}

/// Adds the settings in the file, which are outside the program's description.
///
/// # Errors
/// If the given file does not exist, or it has an unknown key or an invalid value.
pub fn settings_file(options: &COptions, config: &mut Config) -> Result<(), SubjectError> {
    match path(options)? {
        Some(path) => Ok(config.add_file(&File::read(&path)?, &[])?),
        None => Ok(()),
    }
}

fn section(file: &File) -> Result<Option<Section>, ConfigError> {
    let section = file.get(&["c"])?;
    if section.is_none() && file.table(&[]).is_some_and(|table| table.contains_key("c")) {
        return Err(file.error(None, "`c` is not a table; it is written `[c]`"));
    }
    Ok(section)
}

/// The program that the text of a file at this path describes.
///
/// # Errors
/// [`SubjectError::Usage`] if the text is invalid.
pub fn parse(root: &Utf8Path, path: &Utf8Path, text: &str) -> Result<Program, SubjectError> {
    let file = File::parse(path, text.to_owned())?;
    program(root, section(&file)?.ok_or_else(|| no_section(&file))?)
}

fn no_section(file: &File) -> ConfigError {
    file.error(
        None,
        "missing field `c`: a table `[c]` describes how the program is built",
    )
}

fn program(root: &Utf8Path, section: Section) -> Result<Program, SubjectError> {
    let mut sources = Vec::new();
    for pattern in &section.sources {
        let found = files(root, pattern)?;
        if found.is_empty() {
            return Err(usage(format!(
                "no source file matches `{pattern}` in {root}"
            )));
        }
        for (path, _) in found {
            sources.push(below(root, &path)?);
        }
    }
    let mut seen = BTreeSet::new();
    sources.retain(|path| seen.insert(path.clone()));
    if sources.is_empty() {
        return Err(usage(
            "no source file is named: give `sources` in nopol.toml, or --source".to_owned(),
        ));
    }
    let build = section.build.ok_or_else(|| {
        usage("the program has no build command: give `build` in nopol.toml, or --build".to_owned())
    })?;
    let timeout = match section.timeout {
        None => None,
        Some(seconds) => Some(
            seconds::duration(seconds)
                .ok_or_else(|| usage(seconds::refusal(format!("`timeout = {seconds}`"))))?,
        ),
    };
    let (mut cases, mut guarded) = (Vec::new(), Vec::<AddedFile>::new());
    for mut single in section.test {
        let functions = std::mem::take(&mut single.functions);
        let whole = of_single(root, single)?;
        if !functions.is_empty() {
            let split = test_functions::split(root, &whole, &functions)?;
            if let Some(file) = split.files.iter().find(|it| sources.contains(&it.path)) {
                return Err(usage(format!(
                    "test `{}`: `functions` and `sources` both match {}; a file with test functions cannot be patched",
                    whole.name, file.path
                )));
            }
            let is_new = |file: &AddedFile| guarded.iter().all(|it| it.path != file.path);
            let new: Vec<AddedFile> = split.files.into_iter().filter(is_new).collect();
            guarded.extend(new);
            cases.extend(split.cases);
        }
        cases.push(whole);
    }
    if let Some(pairs) = section.tests {
        let single: BTreeSet<String> = cases.iter().map(|case| case.name.clone()).collect();
        cases.extend(of_pairs(root, &pairs, &single)?);
    }
    if let Some(Script { command, names }) = section.script {
        cases.extend(names.into_iter().map(|name| {
            let line = command.replace("{name}", &name);
            case(&name, Command::parse(&line))
        }));
    }
    for case in &mut cases {
        case.timeout = timeout;
    }
    let mut names = BTreeSet::new();
    if let Some(duplicate) = cases.iter().find(|case| !names.insert(&case.name)) {
        return Err(usage(format!(
            "two tests have the name `{}`",
            duplicate.name
        )));
    }
    Ok(Program {
        file: None,
        sources,
        build,
        sanitize: section.sanitize,
        serial: section.serial,
        cases,
        guarded,
    })
}

/// The path of a source file relative to the root, with links resolved. A file behind a link that leads out of
/// the root is at the link's own path in the working copy.
pub(super) fn below(root: &Utf8Path, path: &Utf8Path) -> Result<Utf8PathBuf, SubjectError> {
    let real = |path: &Utf8Path| {
        let real = path.canonicalize_utf8();
        real.map_err(|error| usage(format!("cannot read {path}: {error}")))
    };
    let (real_root, unresolved) = (real(root)?, normal(&root.join(path)));
    if let Ok(below) = real(&root.join(path))?.strip_prefix(&real_root) {
        return Ok(below.to_owned());
    }
    // A link to an ancestor of the root is not copied.
    let links_to_ancestor =
        |dir: &Utf8Path| dir != root && real(dir).is_ok_and(|dir| real_root.starts_with(dir));
    match unresolved.strip_prefix(root) {
        Ok(below)
            if !unresolved
                .ancestors()
                .take_while(|dir| *dir != root)
                .any(links_to_ancestor) =>
        {
            Ok(below.to_owned())
        }
        _ => Err(usage(format!(
            "the source file {path} is not in {root}, which is all that is copied and patched; put {NAME} into a directory that contains the whole program"
        ))),
    }
}

/// A test of this name, which may be that of a file and is shown in one line.
fn case(name: &str, command: Command) -> Case {
    Case {
        name: visible::line(name),
        command,
        cwd: Utf8PathBuf::new(),
        stdin: Input::Nothing,
        exit: 0,
        stdout: None,
        comparison: Comparison::Exact,
        timeout: None,
        part: None,
    }
}

fn of_single(root: &Utf8Path, single: Single) -> Result<Case, SubjectError> {
    let name = &single.name;
    let stdout = match (single.stdout, &single.stdout_file) {
        (Some(_), Some(_)) => {
            return Err(usage(format!(
                "test `{name}` has both `stdout` and `stdout-file`; give one"
            )));
        }
        (text, None) => text,
        (None, Some(path)) => Some(expected(root, path)?),
    };
    let stdin = match (single.stdin, single.stdin_file) {
        (Some(_), Some(_)) => {
            return Err(usage(format!(
                "test `{name}` has both `stdin` and `stdin-file`; give one"
            )));
        }
        (Some(text), None) => Input::Text(text),
        // A file outside the root is not copied, so it is read at its original path.
        (None, Some(path)) if root.join(&path).is_file() => Input::File(match below(root, &path) {
            Ok(_) => path,
            Err(_) => normal(&root.join(path)),
        }),
        (None, Some(path)) => return Err(usage(format!("test `{name}`: there is no file {path}"))),
        (None, None) => Input::Nothing,
    };
    Ok(Case {
        cwd: single.cwd.unwrap_or_default(),
        stdin,
        exit: single.exit,
        stdout,
        comparison: single.r#match.into(),
        ..case(&single.name, Command::parse(&single.command))
    })
}

fn expected(root: &Utf8Path, path: &Utf8Path) -> Result<String, SubjectError> {
    let full = root.join(path);
    if full.exists() && !full.is_file() {
        // A device or a pipe would not end.
        return Err(usage(format!(
            "cannot read {path}: it is not a file; name a text file"
        )));
    }
    let bytes =
        std::fs::read(full).map_err(|error| usage(format!("cannot read {path}: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// One test for each input file, with the output file whose name has the same text for `*`. A test that is described on its own
/// replaces the one of its name.
fn of_pairs(
    root: &Utf8Path,
    pairs: &Pairs,
    single: &BTreeSet<String>,
) -> Result<Vec<Case>, SubjectError> {
    const WORDS: &str = "{args-file}";
    let mut inputs = files(root, &pairs.input)?;
    if inputs.is_empty() {
        return Err(usage(format!(
            "no file matches `{}`, the value of `input`, in {root}",
            pairs.input
        )));
    }
    inputs.retain(|(_, part)| !single.contains(&*visible::line(part)));
    let outputs = match &pairs.output {
        Some(pattern) => files(root, pattern)?,
        None => Vec::new(),
    };
    let one = |(input, part): (Utf8PathBuf, String)| {
        let stdout = match &pairs.output {
            None => None,
            Some(pattern) => {
                let output = outputs.iter().find(|(_, other)| *other == part);
                let (path, _) = output.ok_or_else(|| {
                    usage(format!(
                        "{input} has no output: nothing matches `{pattern}` with `{part}`"
                    ))
                })?;
                Some(expected(root, path)?)
            }
        };
        let takes_words = pairs.command.contains(WORDS);
        let line = match takes_words {
            true => pairs
                .command
                .replace(WORDS, &arguments(&expected(root, &input)?)),
            false => pairs.command.clone(),
        };
        Ok(Case {
            cwd: pairs.cwd.clone().unwrap_or_default(),
            stdin: if takes_words {
                Input::Nothing
            } else {
                Input::File(input)
            },
            exit: pairs.exit,
            stdout,
            comparison: pairs.r#match.into(),
            ..case(&part, Command::parse(&line))
        })
    };
    inputs.into_iter().map(one).collect()
}

/// The words of a text, as they are written in a command. Quotes keep a word with spaces together, unless the text has a
/// `#`, with which a comment of the shell would begin. Nothing else means anything.
fn arguments(text: &str) -> String {
    let quoted = text
        .contains(['"', '\'', '\\'])
        .then(|| shlex::split(text).filter(|_| !text.contains('#')))
        .flatten();
    let words = || text.split_whitespace().map(str::to_owned).collect();
    let words: Vec<String> = quoted.unwrap_or_else(words);
    // No file of arguments has a null byte in a word that a program can get.
    let words = words.iter().map(|word| shlex::try_quote(word));
    let words: Vec<_> = words.flatten().collect();
    words.join(" ")
}

/// The files below the root that match a glob, sorted by the numbers in their names, each with the text that
/// matches `*`, or its name.
pub(super) fn files(
    root: &Utf8Path,
    pattern: &str,
) -> Result<Vec<(Utf8PathBuf, String)>, SubjectError> {
    let plain = pattern.trim_start_matches("./");
    if root.join(plain).is_file() {
        let name = Utf8Path::new(plain).file_name().unwrap_or(plain).to_owned();
        return Ok(vec![(plain.into(), name)]);
    }
    // A set reports a glob that is too large, where a single one panics.
    let matcher = paths::glob(plain)
        .and_then(|glob| GlobSet::new([glob]).map_err(|error| error.to_string()))
        .map_err(|error| usage(format!("`{pattern}` is not a glob: {error}")))?;
    let (before, after) = plain.split_once('*').unwrap_or((plain, ""));
    let after = after.rsplit('*').next().unwrap_or_default();
    let mut found = Vec::new();
    for entry in WalkDir::new(root).sort_by_file_name().into_iter().flatten() {
        let below = entry
            .path()
            .strip_prefix(root)
            .ok()
            .and_then(|path| path.to_str());
        let is_file = entry.file_type().is_file() || is_link_within(root, entry.path());
        let Some(path) = below.filter(|path| is_file && matcher.is_match(path)) else {
            continue;
        };
        let part = path
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after));
        found.push((Utf8PathBuf::from(path), part.unwrap_or(path).to_owned()));
    }
    // `input-2` sorts before `input-10`.
    found
        .sort_by_cached_key(|(path, part)| (part.parse::<u64>().unwrap_or(u64::MAX), path.clone()));
    Ok(found)
}

/// Whether a path is a symbolic link to a file below the root.
fn is_link_within(root: &Utf8Path, path: &Path) -> bool {
    let target = || path.canonicalize().ok().filter(|target| target.is_file());
    let root = || root.canonicalize().ok();
    path.is_symlink()
        && target()
            .zip(root())
            .is_some_and(|(it, root)| it.starts_with(root))
}

#[cfg(test)]
mod tests;
