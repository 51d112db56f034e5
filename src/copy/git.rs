//! The subject's repository in its working copy: history and index as they are, in a repository of its
//! own, so that a test that asks git is answered and one that commits does it here.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use walkdir::WalkDir;

use super::files;

/// Variables by which git finds a repository without looking for it.
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

/// Bytes of objects that are copied; more are read where they are, and then git may give those a new time.
const MOST_BYTES: u64 = 64 << 20;

/// Makes a repository in `to` like the one of the tree `from`, if that is the top of one. New objects are
/// written to the copy, whether or not the old ones are in it.
///
/// # Errors
/// If something cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let Some((own, common)) = directories(from) else {
        return Ok(());
    };
    let git = to.join(".git");
    let made = make(&own, &common, &git);
    if made.is_err() {
        let _ = files::remove(&git);
    }
    made.with_context(|| format!("cannot copy the repository {}", own.display()))
}

/// The directory of a worktree, and the one that all worktrees of its repository share.
fn directories(tree: &Path) -> Option<(PathBuf, PathBuf)> {
    let git = tree.join(".git");
    let own = match git.is_dir() {
        true => git,
        false => {
            let text = fs::read_to_string(&git).ok()?;
            tree.join(text.strip_prefix("gitdir:")?.trim())
        }
    };
    let own = own.canonicalize().ok()?;
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(text) => own.join(text.trim()).canonicalize().ok()?,
        Err(_) => own.clone(),
    };
    // Whatever keeps references in another way is not copied.
    let is_usual = common.join("objects").is_dir() && !common.join("reftable").exists();
    is_usual.then_some((own, common))
}

fn make(own: &Path, common: &Path, git: &Path) -> Result<()> {
    fs::create_dir_all(git.join("objects/info"))?;
    let objects = common.join("objects");
    if size(&objects) <= MOST_BYTES {
        copy_dir(&objects, &git.join("objects"))?;
    } else {
        let alternates = objects.display().to_string() + "\n";
        fs::write(git.join("objects/info/alternates"), alternates)?;
    }
    for name in ["HEAD", "index"] {
        copy_file(&own.join(name), &git.join(name))?;
    }
    for name in ["packed-refs", "shallow", "info/exclude"] {
        copy_file(&common.join(name), &git.join(name))?;
    }
    fs::create_dir_all(git.join("refs"))?;
    copy_dir(&common.join("refs"), &git.join("refs"))?;
    fs::write(git.join("config"), config(&common.join("config")))?;
    Ok(())
}

/// Bytes of all files in a directory.
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

/// Of a configuration what says how the repository is kept and who commits: no remote that could be
/// pushed to, no hook, no other work tree.
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
