//! Copies the subject's git repository into the working copy, with the same history and index, so that tests
//! that call git work, and tests that commit do so in the copy.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use walkdir::WalkDir;

use super::files;

/// Variables that point git to a repository.
pub const VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// The most bytes of objects that are copied. Larger object stores are used through `alternates`; git may
/// then update the times of the original objects.
const MOST_BYTES: u64 = 64 << 20;

/// Creates a repository in `to` like that of the tree `from`, if `from` is the top of one. New objects are
/// always written to the new repository.
///
/// # Errors
/// If something cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let Some((git_dir, common_dir)) = directories(from) else {
        return Ok(());
    };
    let git = to.join(".git");
    let made = make(&git_dir, &common_dir, &git);
    if made.is_err() {
        let _ = files::remove(&git);
    }
    made.with_context(|| format!("cannot copy the repository {}", git_dir.display()))
}

/// The git directory of a worktree, and the one that all worktrees of its repository share.
fn directories(tree: &Path) -> Option<(PathBuf, PathBuf)> {
    let git = tree.join(".git");
    let git_dir = match git.is_dir() {
        true => git,
        false => {
            let text = fs::read_to_string(&git).ok()?;
            tree.join(text.strip_prefix("gitdir:")?.trim())
        }
    };
    let git_dir = git_dir.canonicalize().ok()?;
    let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => git_dir.join(text.trim()).canonicalize().ok()?,
        Err(_) => git_dir.clone(),
    };
    // Repositories that store references in another format are not copied.
    let is_supported = common_dir.join("objects").is_dir() && !common_dir.join("reftable").exists();
    is_supported.then_some((git_dir, common_dir))
}

fn make(git_dir: &Path, common_dir: &Path, git: &Path) -> Result<()> {
    fs::create_dir_all(git.join("objects/info"))?;
    let objects = common_dir.join("objects");
    if size(&objects) <= MOST_BYTES {
        copy_dir(&objects, &git.join("objects"))?;
    } else {
        let alternates = objects.display().to_string() + "\n";
        fs::write(git.join("objects/info/alternates"), alternates)?;
    }
    for name in ["HEAD", "index"] {
        copy_file(&git_dir.join(name), &git.join(name))?;
    }
    for name in ["packed-refs", "shallow", "info/exclude"] {
        copy_file(&common_dir.join(name), &git.join(name))?;
    }
    fs::create_dir_all(git.join("refs"))?;
    copy_dir(&common_dir.join("refs"), &git.join("refs"))?;
    fs::write(git.join("config"), config(&common_dir.join("config")))?;
    Ok(())
}

/// The total size of all files in a directory.
fn size(dir: &Path) -> u64 {
    let entries = WalkDir::new(dir).into_iter().flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    files
        .map(|file| file.metadata().map_or(0, |metadata| metadata.len()))
        .sum()
}

fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from).into_iter().flatten() {
        let to = to.join(entry.path().strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(to)?;
        } else {
            copy_file(entry.path(), &to)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    if from.is_file() {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        files::copy(from, to)?;
    }
    Ok(())
}

/// The settings that describe the repository's format and the user. Remotes that could be pushed to, hooks
/// and the worktree's path are dropped.
fn config(from: &Path) -> String {
    let text = fs::read_to_string(from).unwrap_or_default();
    let mut kept = String::new();
    let mut section = String::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_lowercase();
            continue;
        }
        let key = line
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .to_lowercase();
        let is_kept = match &*section {
            "core" => [
                "repositoryformatversion",
                "filemode",
                "bare",
                "ignorecase",
                "symlinks",
                "autocrlf",
            ]
            .contains(&&*key),
            "extensions" => key == "objectformat",
            "user" => true,
            _ => false,
        };
        if is_kept {
            kept += &format!("[{section}]\n\t{line}\n");
        }
    }
    kept
}
