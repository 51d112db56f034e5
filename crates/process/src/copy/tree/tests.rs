//! Trees are written to, damaged by runs, and restored.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;
use crate::copy::OriginChanged;

struct Fixture {
    dir: tempfile::TempDir,
    tree: Tree,
}

/// A tree with a file `a` of the subject, a link to it, and an empty directory.
fn fixture() -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let home = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
    let (subject, top) = (home.join("subject"), home.join("top"));
    fs::create_dir_all(top.join("empty")).unwrap();
    fs::create_dir_all(&subject).unwrap();
    fs::write(subject.join("a"), "a").unwrap();
    fs::write(top.join("a"), "a").unwrap();
    symlink("a", top.join("link")).unwrap();
    let origin = |name: &str| {
        let (copy, original) = (top.join(name), subject.join(name));
        (copy.into_std_path_buf(), original.into_std_path_buf())
    };
    let origins = BTreeMap::from([origin("a")]);
    let tree = Tree::new(&top, &origins, Vec::new(), &home.join("backups")).unwrap();
    Fixture { dir, tree }
}

fn names(changes: Vec<Change>) -> Vec<String> {
    let name = |change: &Change| {
        let sign = if change.is_damage { "" } else { "+" };
        format!("{sign}{}", change.path.display())
    };
    changes.iter().map(name).collect()
}

#[test]
fn every_change_of_a_run_is_undone() {
    let Fixture { tree, dir: _dir } = fixture();
    let top = tree.top().to_owned();
    fs::write(top.join("made"), "by a build").unwrap();
    tree.snapshot().unwrap();
    tree.write(&top.join("a"), "instrumented").unwrap();
    let (_, changed) = tree
        .guard("run", || {
            fs::write(top.join("a"), "damaged")?;
            fs::remove_file(top.join("made"))?;
            fs::create_dir(top.join("made"))?;
            fs::write(top.join("made/new"), "")?;
            fs::remove_dir(top.join("empty"))?;
            fs::remove_file(top.join("link"))?;
            fs::write(top.join("link"), "no link")?;
            fs::set_permissions(&top, fs::Permissions::from_mode(0o500))?;
            Ok(())
        })
        .unwrap();
    assert_eq!(names(changed), ["a", "empty", "link", "made", "+made/new"]);
    let read = |name: &str| fs::read_to_string(top.join(name)).unwrap();
    assert_eq!(read("a"), "instrumented");
    assert_eq!(read("made"), "by a build");
    assert_eq!(fs::read_link(top.join("link")).unwrap(), Path::new("a"));
    assert!(top.join("empty").is_dir());
    assert_eq!(names(tree.restore().unwrap()), Vec::<String>::new());
    fs::remove_file(top.join("a")).unwrap();
    assert_eq!(names(tree.restore().unwrap()), ["a"]);
    assert_eq!(read("a"), "instrumented");
}

#[test]
fn a_run_that_only_reads_runs_once_and_one_that_saw_damage_is_repeated() {
    let Fixture { tree, dir: _dir } = fixture();
    let top = tree.top().to_owned();
    let looked = AtomicUsize::new(0);
    tree.guard("look", || {
        looked.fetch_add(1, Ordering::Relaxed);
        Ok(fs::read_to_string(top.join("a"))?)
    })
    .unwrap();
    assert_eq!(looked.load(Ordering::Relaxed), 1);

    let text = beside(
        &tree,
        || Ok(fs::write(top.join("a"), "damaged")?),
        || Ok(()),
        || Ok(fs::read_to_string(top.join("a"))?),
    );
    assert_eq!(text, "a");
}

#[test]
fn a_run_that_saw_a_file_that_was_removed_again_is_repeated() {
    let Fixture { tree, dir: _dir } = fixture();
    let new = tree.top().join("new");
    let is_there = beside(
        &tree,
        || Ok(fs::write(&new, "")?),
        || Ok(fs::remove_file(&new)?),
        || Ok(new.exists()),
    );
    assert!(!is_there);
    assert_eq!(tree.writers(), BTreeSet::from(["write".to_owned()]));
}

/// What a run sees that first runs while another one, which `first` begins and `last` ends, is under way.
fn beside<T>(
    tree: &Tree,
    first: impl Fn() -> Result<()> + Sync,
    last: impl Fn() -> Result<()> + Sync,
    look: impl Fn() -> Result<T>,
) -> T {
    let (is_written, is_seen) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            tree.guard("write", || {
                first()?;
                is_written.store(true, Ordering::Relaxed);
                while !is_seen.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                last()
            })
            .unwrap();
        });
        while !is_written.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        let look = || {
            let seen = look()?;
            is_seen.store(true, Ordering::Relaxed);
            Ok(seen)
        };
        tree.guard("look", look).unwrap().0
    })
}

#[test]
fn nothing_is_written_outside_of_the_tree() {
    let Fixture { dir, tree } = fixture();
    let out = Utf8Path::from_path(dir.path())
        .unwrap()
        .canonicalize_utf8()
        .unwrap();
    fs::create_dir(out.join("theirs")).unwrap();
    symlink(out.join("theirs"), tree.top().join("out")).unwrap();
    for path in ["theirs/a", "top/out/a", "top/../subject/a"] {
        let error = tree.write(&out.join(path), "x").unwrap_err().to_string();
        assert!(error.contains("not in the working copy"), "{error}");
    }
    assert!(!out.join("theirs/a").exists());
    // A link is replaced, not followed.
    let secret = out.join("theirs/secret");
    fs::write(&secret, "theirs").unwrap();
    symlink(&secret, tree.top().join("src.rs")).unwrap();
    tree.write(&tree.top().join("src.rs"), "ours").unwrap();
    assert_eq!(fs::read_to_string(&secret).unwrap(), "theirs");
}

#[test]
fn a_file_that_changed_in_the_subject_is_not_used_to_restore_its_copy() {
    let Fixture { dir, tree } = fixture();
    fs::write(dir.path().join("subject/a"), "edited").unwrap();
    fs::write(tree.top().join("a"), "damaged").unwrap();
    let error = tree.restore().unwrap_err();
    assert!(error.downcast_ref::<OriginChanged>().is_some(), "{error:#}");
}
