//! Edits of conditions in the histories of programs, one JSON object a line. They quote the programs of others, so
//! the file stays outside of this repository.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use nopol_source::Language;

use super::edits::{self, Edit, What};

#[derive(clap::Args)]
pub struct MineOptions {
    /// Repositories; nothing is checked out
    #[arg(required = true, value_name = "DIR")]
    repositories: Vec<PathBuf>,
    /// The newest commits of each that are looked at
    #[arg(long, default_value_t = 5000)]
    commits: usize,
    /// Only these commits, one in a line
    #[arg(long, value_name = "FILE")]
    only: Option<PathBuf>,
    /// The repositories are in C
    #[arg(long)]
    c: bool,
    /// Where the edits go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// An edit, and where it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mined {
    /// The directory that the repository was read from.
    pub repository: PathBuf,
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    pub path: String,
    /// The object that has the file's old text.
    pub blob: String,
    /// The line in the old file at which the function begins, from 1.
    pub line: usize,
    pub function: String,
    pub what: What,
}

/// A hunk with more lines does something else, too.
const MOST_LINES: usize = 16;
/// A commit with more edits renames something, or follows another version of the language.
const MOST_EDITS: usize = 3;
/// Larger files are generated, or take too long.
const MOST_BYTES: usize = 300_000;
/// Added lines without any of these change no condition.
const WORDS: [&str; 12] = [
    "if ", "while ", "&&", "||", "==", "!=", "<", ">", "matches!", "assert", "!", "is_",
];

pub fn run(options: &MineOptions) -> Result<()> {
    let mut out = BufWriter::new(File::create(&options.out)?);
    let only = options.only.as_ref().map(fs::read_to_string).transpose()?;
    let language = if options.c {
        Language::C
    } else {
        Language::Rust
    };
    for repository in &options.repositories {
        let mut number = 0;
        let mut objects = Objects::of(repository)?;
        let files = &format!("*.{}", extension(language));
        log(
            repository,
            options.commits,
            only.as_deref(),
            files,
            &mut |files| {
                let mut found = Vec::new();
                for changed in files {
                    found.extend(of_file(language, &mut objects, repository, changed)?);
                }
                if found.len() <= MOST_EDITS {
                    number += found.len();
                    for mined in found {
                        serde_json::to_writer(&mut out, &mined)?;
                        out.write_all(b"\n")?;
                    }
                }
                Ok(())
            },
        )?;
        println!("{}: {number} edits", repository.display());
    }
    out.flush()?;
    Ok(())
}

/// A file that a commit changes, and the lines of its hunks in the old and the new text, from 1.
#[derive(Clone, Debug, Default)]
struct Changed {
    commit: String,
    subject: String,
    path: String,
    blobs: [String; 2],
    hunks: Vec<Hunk>,
}

#[derive(Clone, Debug, Default)]
struct Hunk {
    starts: [usize; 2],
    lines: usize,
    has_condition: bool,
}

/// Of source files, without a dot.
pub fn extension(language: Language) -> &'static str {
    match language {
        Language::C => "c",
        Language::Rust => "rs",
    }
}

/// Walks through the files that each commit changes, newest first.
fn log(
    repository: &Path,
    commits: usize,
    only: Option<&str>,
    files: &str,
    found: &mut dyn FnMut(&[Changed]) -> Result<()>,
) -> Result<()> {
    let mut git = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["log", "--no-merges", "--format=%x01%H %s", "-p", "-U0"])
        .args(["--full-index", "--no-renames", "--no-ext-diff"])
        .args(["--diff-filter=M", &format!("-n{commits}")])
        .args(only.iter().flat_map(|_| ["--no-walk", "--ignore-missing"]))
        .args(only.into_iter().flat_map(str::lines))
        .args(["--", files])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = git.stdout.take().context("no output")?;
    let mut reader = BufReader::new(output);
    let mut files: Vec<Changed> = Vec::new();
    let mut head = (String::new(), String::new());
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let is_over = reader.read_until(b'\n', &mut bytes)? == 0;
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches('\n');
        let next = line.strip_prefix('\u{1}');
        if is_over || next.is_some() {
            found(&files)?;
            files.clear();
        }
        if is_over {
            break;
        }
        if let Some((hash, subject)) = next.and_then(|next| next.split_once(' ')) {
            head = (hash.to_owned(), subject.to_owned());
        } else if line.starts_with("diff --git ") {
            files.push(Changed {
                commit: head.0.clone(),
                subject: head.1.clone(),
                ..Changed::default()
            });
        }
        let Some(changed) = files.last_mut() else {
            continue;
        };
        if let Some(rest) = line.strip_prefix("index ") {
            let pair = rest.split(' ').next().unwrap_or_default();
            if let Some((old, new)) = pair.split_once("..") {
                changed.blobs = [old.to_owned(), new.to_owned()];
            }
        } else if let Some(path) = line.strip_prefix("+++ b/") {
            changed.path = path.to_owned();
        } else if line.starts_with("@@ ") {
            changed.hunks.extend(hunk(line));
        } else if let Some(hunk) = changed.hunks.last_mut() {
            hunk.lines += 1;
            let added = line.strip_prefix('+');
            hunk.has_condition |=
                added.is_some_and(|added| WORDS.iter().any(|word| added.contains(word)));
        }
    }
    git.wait()?;
    Ok(())
}

fn hunk(header: &str) -> Option<Hunk> {
    let mut words = header.split(' ').skip(1);
    let mut start = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        word.split(',').next()?.parse().ok()
    };
    Some(Hunk {
        starts: [start('-')?, start('+')?],
        ..Hunk::default()
    })
}

/// The edits in one file.
fn of_file(
    language: Language,
    objects: &mut Objects,
    repository: &Path,
    changed: &Changed,
) -> Result<Vec<Mined>> {
    let path = &changed.path;
    let parts = [
        "tests/",
        "benches/",
        "examples/",
        "test_data/",
        "fixtures/",
        "test/",
    ];
    let is_test = |part: &&str| path.starts_with(*part) || path.contains(&format!("/{part}"));
    let is_small = |hunk: &&Hunk| hunk.has_condition && hunk.lines <= MOST_LINES;
    let small: Vec<&Hunk> = changed.hunks.iter().filter(is_small).collect();
    if parts.iter().any(is_test) || small.is_empty() {
        return Ok(Vec::new());
    }
    let texts = [
        objects.text(&changed.blobs[0])?,
        objects.text(&changed.blobs[1])?,
    ];
    let [Some(old), Some(new)] = texts else {
        return Ok(Vec::new());
    };
    if old.len().max(new.len()) > MOST_BYTES {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let mut seen = Vec::new();
    for hunk in small {
        let (Some((first, before)), Some((_, after))) = (
            enclosing(language, &old, hunk.starts[0]),
            enclosing(language, &new, hunk.starts[1]),
        ) else {
            continue;
        };
        if seen.contains(&first) || before == after {
            continue;
        }
        seen.push(first);
        let read = |text: &str| edits::read_with(language, text, &[]);
        for Edit { function, what } in edits::between(&read(&before)?, &read(&after)?) {
            found.push(Mined {
                repository: repository.to_owned(),
                commit: changed.commit.clone(),
                subject: changed.subject.clone(),
                path: path.clone(),
                blob: changed.blobs[0].clone(),
                line: first,
                function,
                what,
            });
        }
    }
    Ok(found)
}

/// The function around a line: its first line, and its text as a file of its own.
fn enclosing(language: Language, text: &str, line: usize) -> Option<(usize, String)> {
    match language {
        Language::C => enclosing_in_c(text, line),
        Language::Rust => enclosing_in_rust(text, line),
    }
}

/// As most people lay it out: its body ends with a brace at the start of a line, and its head begins at the start of a line.
fn enclosing_in_c(text: &str, line: usize) -> Option<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let from = line.min(lines.len());
    let starts = |line: &str| line.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut first = (0..from).rev().find(|nth| {
        let is_open = |line: &str| line.trim_end().ends_with('{');
        lines[*nth].starts_with('}') && *nth + 1 < from
            || lines[*nth].starts_with('{')
            || starts(lines[*nth]) && is_open(lines[*nth])
    })?;
    if lines[first].starts_with('}') {
        return None;
    }
    let end = first
        + lines[first..]
            .iter()
            .position(|line| line.starts_with('}'))?;
    (end + 1 >= line).then_some(())?;
    let is_head = |line: &str| {
        !line.trim().is_empty()
            && !line.starts_with(['#', '}', '{'])
            && !line.trim_end().ends_with([';', '}', '/'])
            && !line.trim_start().starts_with(['/', '*'])
    };
    while first > 0 && is_head(lines[first - 1]) {
        first -= 1;
    }
    Some((first + 1, lines[first..=end].join("\n") + "\n"))
}

/// As rustfmt lays it out: from a line that has `fn` to the next line that closes a brace at
/// the same depth; as a function without a type.
fn enclosing_in_rust(text: &str, line: usize) -> Option<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_head = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub").map_or(line, |rest| {
            let rest = rest.trim_start();
            match rest.starts_with('(') {
                true => rest
                    .split_once(')')
                    .map_or(rest, |(_, rest)| rest.trim_start()),
                false => rest,
            }
        });
        let words = ["const ", "async ", "unsafe ", "default "];
        let rest = words
            .iter()
            .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
        rest.starts_with("fn ")
    };
    let from = line.min(lines.len());
    let mut bound = usize::MAX;
    for first in (0..from).rev() {
        let own = lines[first];
        if own.trim().is_empty() {
            continue;
        }
        if is_head(own) && depth(own) <= bound {
            let is_end = |line: &&str| depth(line) == depth(own) && line.trim() == "}";
            let end = first + lines[first..].iter().position(is_end)?;
            (end + 1 >= line).then_some(())?;
            return Some((first + 1, lines[first..=end].join("\n") + "\n"));
        }
        bound = bound.min(depth(own));
    }
    None
}

/// `git cat-file --batch` of a repository.
pub struct Objects {
    git: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Objects {
    /// # Errors
    /// If git cannot be started.
    pub fn of(repository: &Path) -> Result<Self> {
        let mut git = Command::new("git")
            .arg("-C")
            .arg(repository)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = git.stdin.take().context("no input")?;
        let output = BufReader::new(git.stdout.take().context("no output")?);
        Ok(Self { git, input, output })
    }

    /// The text of an object; `None` if it is not there or not UTF-8.
    ///
    /// # Errors
    /// If git ends.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        writeln!(self.input, "{name}")?;
        self.input.flush()?;
        let mut header = String::new();
        self.output.read_line(&mut header)?;
        let mut words = header.split_whitespace().skip(1);
        let (Some("blob"), Some(size)) = (words.next(), words.next()) else {
            return Ok(None);
        };
        let mut bytes = vec![0; size.parse::<usize>()? + 1];
        self.output.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(String::from_utf8(bytes).ok())
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        _ = self.git.kill();
        _ = self.git.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_a_line_in_it() {
        let text = "impl A {\n    pub(crate) fn f(\n        a: u8,\n    ) -> u8 {\n        a\n    }\n}\n\nfn g() {\n    h();\n}\n";
        let first = |line| enclosing(Language::Rust, text, line).map(|(first, _)| first);
        assert_eq!(first(5), Some(2));
        assert_eq!(first(10), Some(9));
        assert_eq!(first(1), None);
        let (_, own) = enclosing(Language::Rust, text, 10).unwrap();
        assert_eq!(own, "fn g() {\n    h();\n}\n");
    }

    #[test]
    fn a_function_in_c_is_found_by_a_line_in_it() {
        let text = "int a;\n\nstatic int\nf(int x,\n  int y)\n{\n    if (x)\n        return 1;\n    return y;\n}\n\nvoid g(void) {\n    h();\n}\nint b;\n";
        let first = |line| enclosing(Language::C, text, line).map(|(first, _)| first);
        assert_eq!([7, 13].map(first), [Some(3), Some(12)]);
        assert_eq!([1, 11, 15].map(first), [None; 3]);
        let (_, own) = enclosing(Language::C, text, 13).unwrap();
        assert_eq!(own, "void g(void) {\n    h();\n}\n");
    }
}
