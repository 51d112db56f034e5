//! Units as cargo leaves them, without cargo.

use std::time::{Duration, SystemTime};

use super::*;

struct Target {
    _home: tempfile::TempDir,
    dir: Utf8PathBuf,
}

impl Target {
    fn new(files: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let dir = Utf8PathBuf::from_path_buf(home.path().to_owned()).unwrap();
        for name in files {
            let path = dir.join("target").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "old").unwrap();
            let file = File::options().append(true).open(&path).unwrap();
            file.set_modified(written()).unwrap();
        }
        Self { _home: home, dir }
    }

    fn sow(&self) -> Seeded {
        let seed = Seed {
            from: &self.dir.join("target"),
            store: &self.dir.join("store"),
            profile: "debug",
            own: &["subject"],
        };
        seed.sow(&self.dir.join("new")).unwrap()
    }

    fn new_files(&self) -> Vec<String> {
        let new = self.dir.join("new");
        let files = WalkDir::new(&new).sort_by_file_name().into_iter();
        let files = files.filter_map(Result::ok);
        let files = files.filter(|it| !it.file_type().is_dir());
        files
            .map(|it| it.path().strip_prefix(&new).unwrap().display().to_string())
            .collect()
    }
}

fn written() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)
}

const TARGET: [&str; 14] = [
    "debug/.cargo-lock",
    "debug/.fingerprint/dep-1/lib-dep",
    "debug/.fingerprint/dep-3/build-script",
    "debug/.fingerprint/checked-5/lib-checked",
    "debug/.fingerprint/subject-2/lib-subject",
    "debug/build/dep-3/build-script-build",
    "debug/build/dep-3/out/table.rs",
    "debug/deps/libdep-1.rlib",
    "debug/deps/dep-1.d",
    "debug/deps/libchecked-5.rmeta",
    "debug/deps/libsubject-2.rlib",
    "debug/deps/subject-2",
    "debug/incremental/subject-2/x.o",
    "wasm32-unknown/debug/.fingerprint/dep-4/lib-dep",
];

#[test]
fn compiled_dependencies_are_taken_over_and_nothing_of_the_subject() {
    let target = Target::new(&TARGET);
    assert_eq!(target.sow(), Seeded::Units(2));
    let files = target.new_files();
    assert_eq!(
        files,
        [
            "debug/.fingerprint/dep-1/lib-dep",
            "debug/.fingerprint/dep-3/build-script",
            "debug/build/dep-3/build-script-build",
            "debug/build/dep-3/out/table.rs",
            "debug/deps/dep-1.d",
            "debug/deps/libdep-1.rlib",
        ]
    );
    for file in files {
        let metadata = fs::metadata(target.dir.join("new").join(file)).unwrap();
        assert_eq!(metadata.modified().unwrap(), written());
    }
}

#[test]
fn units_of_other_targets_than_the_host_are_taken_over() {
    let mut files = TARGET.to_vec();
    files.push("wasm32-unknown/debug/deps/libdep-4.rlib");
    let target = Target::new(&files);
    assert_eq!(target.sow(), Seeded::Units(3));
    let library = target
        .dir
        .join("new/wasm32-unknown/debug/deps/libdep-4.rlib");
    assert_eq!(fs::read_to_string(library).unwrap(), "old");
}

#[test]
fn what_is_written_to_the_new_directory_does_not_reach_the_old_one() {
    let target = Target::new(&TARGET);
    target.sow();
    let new = target.dir.join("new");
    for name in [
        "debug/.fingerprint/dep-1/lib-dep",
        "debug/build/dep-3/out/table.rs",
    ] {
        fs::write(new.join(name), "new").unwrap();
        let kept = fs::read_to_string(target.dir.join("target").join(name));
        assert_eq!(kept.unwrap(), "old");
    }
    // A library is a link to a place that may be made read-only.
    let library = new.join("debug/deps/libdep-1.rlib");
    let real = library.canonicalize_utf8().unwrap();
    let store = target.dir.join("store").canonicalize_utf8().unwrap();
    assert!(real.starts_with(store), "{real}");
}

#[test]
fn later_units_are_added_and_known_ones_kept() {
    let target = Target::new(&TARGET);
    target.sow();
    let print = target.dir.join("new/debug/.fingerprint/dep-1/lib-dep");
    fs::write(&print, "compiled here").unwrap();
    for name in [
        "debug/deps/liblater-6.rlib",
        "debug/.fingerprint/later-6/lib-later",
    ] {
        let path = target.dir.join("target").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "old").unwrap();
    }
    assert_eq!(target.sow(), Seeded::Units(3));
    assert_eq!(fs::read_to_string(print).unwrap(), "compiled here");
    let later = target.dir.join("new/debug/deps/liblater-6.rlib");
    assert_eq!(fs::read_to_string(later).unwrap(), "old");
}

#[test]
fn a_directory_in_which_cargo_works_is_left_alone() {
    let target = Target::new(&TARGET);
    let lock = File::open(target.dir.join("target/debug/.cargo-lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(target.sow(), Seeded::Locked);
    assert_eq!(target.new_files(), Vec::<String>::new());
}

#[test]
fn without_a_target_directory_there_is_nothing_to_take_over() {
    let target = Target::new(&[]);
    assert_eq!(target.sow(), Seeded::Units(0));
}
