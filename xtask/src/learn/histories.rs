//! What people changed in conditions, from the histories of programs: commits that leave a function as it was but for
//! one condition, or for one `if` around statements or before them. Counted by the kind of fault that the inverse
//! makes, so that faults of our own can be weighed as people make them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use cargo_nopol::rank::change::{Change, change};
use nopol_source::Language;

use super::edits::{self, What};
use super::faults::Kind;

#[derive(clap::Args)]
pub struct HistoriesOptions {
    /// Repositories; nothing is checked out
    #[arg(required = true, value_name = "DIR")]
    repositories: Vec<PathBuf>,
    /// The newest commits of each that are looked at
    #[arg(long, default_value_t = 1500)]
    commits: usize,
    /// Print each change that is counted
    #[arg(long)]
    list: bool,
}

/// Larger files are generated, or take too long.
const MOST_BYTES: usize = 200_000;
/// A commit that touches more files does something else, too.
const MOST_FILES: usize = 6;

pub fn run(options: &HistoriesOptions) -> Result<()> {
    let mut all: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut commits = 0;
    for repository in &options.repositories {
        let mut own: BTreeMap<Kind, usize> = BTreeMap::new();
        let log = git(
            repository,
            &[
                "log",
                "--no-merges",
                "--format=%H",
                &format!("-n{}", options.commits),
                "--",
                "*.rs",
            ],
        )?;
        for commit in log.lines() {
            commits += 1;
            for (kind, what) in changes(repository, commit).unwrap_or_default() {
                if options.list {
                    println!("{commit:.9} {kind:?} {what}");
                }
                *own.entry(kind).or_default() += 1;
            }
        }
        let sum: usize = own.values().sum();
        println!("{}: {sum} changes", repository.display());
        for (kind, number) in own {
            *all.entry(kind).or_default() += number;
        }
    }
    let sum: usize = all.values().sum();
    println!(
        "{sum} changes in {commits} commits of {} repositories",
        options.repositories.len()
    );
    for (kind, number) in all {
        println!(
            "{kind:?} {number} ({:.1} %)",
            100.0 * number as f64 / sum.max(1) as f64
        );
    }
    Ok(())
}

/// The changes of one commit that concern one condition each.
fn changes(repository: &Path, commit: &str) -> Result<Vec<(Kind, String)>> {
    let parent = format!("{commit}^");
    let names = git(
        repository,
        &[
            "diff",
            "--no-ext-diff",
            "--name-only",
            "--diff-filter=M",
            &parent,
            commit,
            "--",
            "*.rs",
        ],
    )?;
    let files: Vec<&str> = names.lines().collect();
    ensure!(files.len() <= MOST_FILES, "too many files");
    let mut found = Vec::new();
    for file in files {
        let of = |at: &str| git(repository, &["show", &format!("{at}:{file}")]);
        let (old, new) = (of(&parent)?, of(commit)?);
        if old.len().max(new.len()) <= MOST_BYTES {
            let edits = edits::between(&edits::read(&old)?, &edits::read(&new)?);
            found.extend(edits.iter().filter_map(|edit| mended(&edit.what)));
        }
    }
    Ok(found)
}

/// The kind of fault that an edit repairs, and the edit on one line.
fn mended(what: &What) -> Option<(Kind, String)> {
    Some(match what {
        What::Condition { old, new, .. } => {
            (undone(old, new)?, format!("{} → {}", line(old), line(new)))
        }
        What::Guard {
            condition, body, ..
        } => {
            let text = format!("if {} {{ {} }}", line(condition), line(body));
            (Kind::GuardDropped, text)
        }
        What::Wrap { condition, .. } => {
            (Kind::Unwrapped, format!("if {} {{ … }}", line(condition)))
        }
        What::Narrow { .. } | What::Branch { .. } => return None,
    })
}

/// The kind of fault that a change repairs.
fn undone(old: &str, new: &str) -> Option<Kind> {
    let (old, new) = (Language::Rust.parse(old)?, Language::Rust.parse(new)?);
    Some(match change(&old, &new) {
        Change::Nothing => return None,
        Change::Operator(..) => Kind::Operator,
        Change::Connective => Kind::Connective,
        Change::Added { .. } => Kind::ClauseDropped,
        Change::Dropped => Kind::ClauseAdded,
        Change::Negated => Kind::Negation,
        Change::NextConstant | Change::Constant => Kind::Constant,
        Change::OffByOne | Change::Arithmetic | Change::Operand { .. } => Kind::Operand,
        Change::Replaced => Kind::Other,
    })
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn git(repository: &Path, args: &[&str]) -> Result<String> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(repository)
        .args(args)
        .stderr(Stdio::null());
    let output = command.output()?;
    ensure!(output.status.success(), "git {} fails", args.join(" "));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(old: &str, new: &str) -> Vec<Kind> {
        let all = edits::between(&edits::read(old).unwrap(), &edits::read(new).unwrap());
        let kinds = all.iter().filter_map(|edit| mended(&edit.what));
        kinds.map(|(kind, _)| kind).collect()
    }

    #[test]
    fn a_change_of_one_condition_is_told_from_others() {
        let f = |condition: &str| {
            format!(
                "fn f(a: u8, b: u8) -> u8 {{\n    if {condition} {{\n        g();\n    }}\n    1\n}}\n"
            )
        };
        assert_eq!(kinds(&f("a < b"), &f("a <= b")), [Kind::Operator]);
        assert_eq!(
            kinds(&f("a < b"), &f("a < b && b > 0")),
            [Kind::ClauseDropped]
        );
        assert_eq!(kinds(&f("a < b"), &f("b > a")), []);
        let without = "fn f(a: u8, b: u8) -> u8 {\n    g();\n    1\n}\n";
        assert_eq!(kinds(without, &f("a < b")), [Kind::Unwrapped]);
        let bare = "fn f(a: u8, b: u8) -> u8 {\n    1\n}\n";
        assert_eq!(kinds(bare, &f("a < b")), [Kind::GuardDropped]);
        assert_eq!(kinds(&f("a < b"), &f("a <= b").replace("g()", "h()")), []);
    }
}
