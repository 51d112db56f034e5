//! Which lines of a tree were changed: what git says of the working copy, or what a unified diff says. Git is asked in
//! the copy, whose repository has no settings that could run a program (`copy/git.rs`), never in the user's tree.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::process::Command;

use anyhow::{Context, Result, bail};
use camino::Utf8Path;

/// By file, the lines (from 1) that a change put in, and the two lines around what it took out.
pub type Changed = BTreeMap<String, Vec<RangeInclusive<usize>>>;

/// Files that can be patched.
const SOURCES: [&str; 3] = ["*.rs", "*.c", "*.h"];

/// Why a commit cannot be compared with, and what to give instead; `None` if it can, or git says why not.
pub fn unnamed(root: &Utf8Path, commit: &str) -> Option<String> {
    (!root.join(".git").exists()).then(|| {
        format!(
            "a commit can be named only if the workspace root (in C the directory of nopol.toml) is the top of a git repository; name a file with a diff instead: git diff --relative {commit} > FILE"
        )
    })
}

/// What differs from a commit in the sources, by paths relative to `root`.
///
/// # Errors
/// If `root` is not the top of a repository, git cannot be run, or it does not know the commit.
pub fn since(root: &Utf8Path, commit: &str) -> Result<Changed> {
    if let Some(why) = unnamed(root, commit) {
        bail!(why);
    }
    let mut changed = parse(&diff(root, commit, 0)?);
    // All of a file is new that git does not track yet.
    for file in untracked(root)? {
        changed.insert(file, vec![1..=usize::MAX]);
    }
    Ok(changed)
}

/// The sources that are neither tracked nor ignored.
fn untracked(root: &Utf8Path) -> Result<Vec<String>> {
    let mut command = git();
    command.args(["--no-optional-locks", "-c", "core.fsmonitor=false"]);
    command.args(["ls-files", "--others", "--exclude-standard", "-z", "--"]);
    command.args(SOURCES);
    let listed = output(command.current_dir(root))?;
    let files = listed.split_terminator('\0');
    Ok(files.map(str::to_owned).collect())
}

/// Whether a text says what differs between files. If nothing does, a diff is empty.
pub fn is_diff(text: &str) -> bool {
    let has_header = |(line, next): (&str, &str)| {
        let names_old = line.starts_with("--- ") && new_path(next).is_some();
        names_old || new_path(line).is_some() && hunk(next).is_some()
    };
    let mut pairs = text.lines().zip(text.lines().skip(1));
    // Git writes no more of a file of which only the name, the mode or the bytes differ.
    let mut lines = text.lines();
    text.trim().is_empty()
        || pairs.any(has_header)
        || lines.any(|line| line.starts_with("diff --git "))
}

/// The lines, those around changes included, that the hunks of a pull request show: of what differs between a commit and
/// `HEAD` since they parted.
///
/// # Errors
/// As those of [`since`].
pub fn shown_since(root: &Utf8Path, commit: &str) -> Result<Changed> {
    if let Some(why) = unnamed(root, &format!("{commit}...HEAD")) {
        bail!(why);
    }
    Ok(shown(&diff(root, &format!("{commit}...HEAD"), AROUND)?))
}

/// The lines of the new files that the hunks of a unified diff show.
pub fn shown(diff: &str) -> Changed {
    let mut shown = Changed::new();
    let mut file: Option<&str> = None;
    let mut left = (0_usize, 0_usize);
    for line in diff.lines() {
        if left == (0, 0) {
            if let Some(path) = new_path(line) {
                file = path;
            } else if let Some((old, new)) = hunk(line) {
                left = (old.1, new.1);
                if let (Some(file), 1..) = (file, new.1) {
                    let hunks = shown.entry(file.to_owned()).or_default();
                    hunks.push(new.0..=new.0 + new.1 - 1);
                }
            }
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') => left.1 = left.1.saturating_sub(1),
            Some(b'-') => left.0 = left.0.saturating_sub(1),
            Some(b'\\') => {}
            _ => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
        }
    }
    shown
}

/// Lines around a change that GitHub shows.
const AROUND: usize = 3;

fn diff(root: &Utf8Path, commit: &str, around: usize) -> Result<String> {
    if commit.starts_with('-') {
        bail!("`{commit}` is not a commit");
    }
    let mut command = git();
    command.args(["--no-optional-locks", "-c", "core.fsmonitor=false", "diff"]);
    command.args([
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        &format!("--unified={around}"),
        "--ignore-submodules=all",
    ]);
    command.args([
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--relative",
        commit,
        "--",
    ]);
    // Git looks into every file of the copy, whose times it does not know; only sources matter.
    command.args(SOURCES);
    output(command.current_dir(root))
}

/// What git prints.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot run git")?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        bail!("git: {}", why.lines().next().unwrap_or("no reason given"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The commit that is checked out where a directory is.
pub fn head(dir: &Utf8Path) -> Option<String> {
    commit(dir, "HEAD")
}

/// The commit of this name, which may depend on the configuration of the user's repository, such as `@{push}`. A working
/// copy has no such configuration. Unlike a diff, the question makes git run nothing.
pub fn commit(dir: &Utf8Path, name: &str) -> Option<String> {
    let mut command = git();
    command.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
    command.arg(format!("{name}^{{commit}}"));
    let output = command.current_dir(dir).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}

/// Git with no settings but the repository's.
fn git() -> Command {
    let mut command = Command::new("git");
    for variable in nopol_process::copy::git::VARIABLES {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// The path in a line that begins what a diff says of a file; `None` in it for a file that was deleted.
fn new_path(line: &str) -> Option<Option<&str>> {
    let path = line.strip_prefix("+++ ")?;
    let path = path.split('\t').next().unwrap_or(path);
    let path = path.strip_prefix("b/").unwrap_or(path);
    Some((path != "/dev/null").then_some(path))
}

/// What a unified diff changes, by the paths of the new files without their prefix `b/`.
pub fn parse(diff: &str) -> Changed {
    let mut changed = Changed::new();
    let mut file: Option<String> = None;
    // The next line of the new file, and how many lines of the hunk are left.
    let mut at = 0;
    let mut left = (0_usize, 0_usize);
    for line in diff.lines() {
        if left == (0, 0) {
            if let Some(path) = new_path(line) {
                file = path.map(str::to_owned);
            } else if let Some((old, new)) = hunk(line) {
                // A hunk without new lines names the line before it.
                at = new.0 + usize::from(new.1 == 0);
                left = (old.1, new.1);
            }
            continue;
        }
        // A file that was deleted has hunks, too.
        let mut put = |lines: RangeInclusive<usize>| {
            if let Some(file) = &file {
                changed.entry(file.clone()).or_default().push(lines);
            }
        };
        match line.as_bytes().first() {
            Some(b'+') => {
                put(at..=at);
                at += 1;
                left.1 = left.1.saturating_sub(1);
            }
            Some(b'-') => {
                put(at.saturating_sub(1).max(1)..=at);
                left.0 = left.0.saturating_sub(1);
            }
            Some(b'\\') => {}
            _ => {
                at += 1;
                left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
            }
        }
    }
    changed
}

/// The starts and lengths of `@@ -3,2 +3,4 @@`.
fn hunk(line: &str) -> Option<((usize, usize), (usize, usize))> {
    let mut parts = line.strip_prefix("@@ ")?.split(' ');
    let mut range = |sign: char| {
        let text = parts.next()?.strip_prefix(sign)?;
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        // No file has more lines, and the numbers are added to.
        let number = |text: &str| Some(text.parse::<u32>().ok()? as usize);
        Some((number(start)?, number(length)?))
    };
    Some((range('-')?, range('+')?))
}

#[cfg(test)]
mod tests {
    use nopol_basics::damaged::{documents, few, many};
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseResult;

    use super::*;

    const DIFF: &str = "\
diff --git a/src/a.rs b/src/a.rs
--- a/src/a.rs
+++ b/src/a.rs
@@ -3,3 +3,4 @@ fn f() {
 kept
-gone
+one
+two
 kept
@@ -20 +20,0 @@
--- gone, too
--- a/old.rs
+++ /dev/null
@@ -1 +0,0 @@
-x
--- a/src/b.rs
+++ b/src/b.rs
@@ -0,0 +7 @@
+y
";

    #[test]
    fn a_diff_tells_which_lines_it_changes() {
        let changed = parse(DIFF);
        assert_eq!(changed.len(), 2);
        assert_eq!(changed["src/b.rs"], [7..=7]);
        assert_eq!(changed["src/a.rs"], [3..=4, 4..=4, 5..=5, 20..=21]);
        let shown = shown(DIFF);
        assert_eq!(shown.len(), 2);
        assert_eq!(shown["src/a.rs"], [3..=6]);
        assert_eq!(shown["src/b.rs"], [7..=7]);
    }

    fn is_read(bytes: &[u8]) -> TestCaseResult {
        let diff = String::from_utf8_lossy(bytes);
        for (path, lines) in parse(&diff).into_iter().chain(shown(&diff)) {
            prop_assert!(diff.contains(&path));
            prop_assert!(!lines.is_empty());
        }
        Ok(())
    }

    #[test]
    fn whatever_a_diff_says_is_read() {
        few(
            documents(&[DIFF.as_bytes()], &["@@", "+++", "---"]),
            is_read,
        );
    }

    #[test]
    #[ignore = "as above, with many diffs"]
    fn whatever_many_diffs_say_is_read() {
        many(
            documents(&[DIFF.as_bytes()], &["@@", "+++", "---"]),
            is_read,
        );
    }

    #[test]
    fn a_line_beyond_any_file_is_none() {
        let last = u64::MAX;
        let diff = format!("--- a/a.rs\n+++ b/a.rs\n@@ -1,0 +{last},2 @@\n+x\n+y\n");
        assert!(parse(&diff).is_empty());
    }

    #[test]
    fn what_is_no_diff_is_not_taken_for_one() {
        for diff in [
            DIFF,
            "",
            "\n",
            "diff --git a/x b/y\nsimilarity index 100%\n",
        ] {
            assert!(is_diff(diff), "{diff}");
        }
        for other in [
            "[package]\nname = \"a\"\n",
            "+++ b/a.rs\n",
            "@@ -1 +1 @@\n-a\n+b\n",
        ] {
            assert!(!is_diff(other), "{other}");
        }
    }

    #[test]
    fn all_of_a_source_that_git_does_not_track_is_changed() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let write = |file: &str, text: &str| std::fs::write(root.join(file), text).unwrap();
        let run = |args: &[&str]| {
            let user = ["-c", "user.name=a", "-c", "user.email=a@b"];
            output(git().args(user).args(args).current_dir(root)).unwrap()
        };
        run(&["init", "--quiet"]);
        write("old.rs", "fn f() {}\n");
        write(".gitignore", "made.rs\n");
        run(&["add", "."]);
        run(&["commit", "--quiet", "--message", "first"]);
        for file in ["new one.rs", "made.rs", "notes.txt"] {
            write(file, "fn g() {}\n");
        }
        let changed = since(root, "HEAD").unwrap();
        let files: Vec<&String> = changed.keys().collect();
        assert_eq!(files, ["new one.rs"]);
        assert!(changed["new one.rs"][0].contains(&1));
    }

    #[test]
    fn without_a_repository_nothing_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        assert!(since(root, "HEAD").is_err());
    }
}
