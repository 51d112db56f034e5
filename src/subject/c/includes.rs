//! A makefile may list no headers as prerequisites, and then a patch of a header leaves the object files as they are. So
//! before a build a file becomes as new as the files that it includes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use walkdir::{DirEntry, WalkDir};

/// How much older than an included file its includer stays, so that a file that is generated from the included one, and
/// includes it, is still generated again.
const STEP: Duration = Duration::from_micros(1);
/// The options of a compiler that include a file first.
const FORCING: [&str; 2] = ["-include", "-imacros"];
/// The extensions of files from which sources are generated. A source that is older than such a file of its name must
/// stay so.
const GENERATING: [&str; 7] = ["y", "l", "lex", "re", "rl", "gperf", "in"];

/// Renews the modification time of each file below the root that includes a newer one, directly or through other files.
/// Includes are read from the text, whatever `#if` says; where a name fits several files, all of them count.
///
/// # Errors
/// If a time cannot be set.
pub fn renew_includers(root: &Utf8Path, build: &str) -> Result<()> {
    let tree = Tree::read(root);
    let includers = tree.includers(build);
    let mut times = tree.times.clone();
    // A time in the future says nothing of a change.
    let now = SystemTime::now();
    let mut left: Vec<&Utf8PathBuf> = includers
        .keys()
        .copied()
        .filter(|file| times[*file] <= now)
        .collect();
    while let Some(file) = left.pop() {
        let renewed = times[file] - STEP;
        for includer in &includers[file] {
            if times[*includer] < renewed && !tree.is_outdated(includer) {
                times.insert((*includer).clone(), renewed);
                left.extend(includers.contains_key(*includer).then_some(*includer));
            }
        }
    }
    for (file, time) in times {
        if time != tree.times[&file] {
            let renewed = File::open(&file).and_then(|file| file.set_modified(time));
            renewed.with_context(|| format!("cannot set the time of {file}"))?;
        }
    }
    Ok(())
}

/// These files below the root, and all that they include. Includes are read as by [`renew_includers`].
pub fn with_included(
    root: &Utf8Path,
    build: &str,
    files: BTreeSet<Utf8PathBuf>,
) -> BTreeSet<Utf8PathBuf> {
    let tree = Tree::read(root);
    let mut included: BTreeMap<&Utf8PathBuf, Vec<&Utf8PathBuf>> = BTreeMap::new();
    for (file, includers) in tree.includers(build) {
        for includer in includers {
            included.entry(includer).or_default().push(file);
        }
    }
    let mut left: Vec<Utf8PathBuf> = files.into_iter().collect();
    let mut all = BTreeSet::new();
    while let Some(file) = left.pop() {
        let file = file.canonicalize_utf8().unwrap_or(file);
        let below = included.get(&file).into_iter().flatten();
        let below: Vec<Utf8PathBuf> = below.map(|file| (*file).clone()).collect();
        if all.insert(file) {
            left.extend(below);
        }
    }
    let below = all.iter().filter_map(|file| file.strip_prefix(root).ok());
    below.map(Utf8Path::to_owned).collect()
}

/// The files below a directory.
struct Tree {
    /// When each of them was modified.
    times: BTreeMap<Utf8PathBuf, SystemTime>,
    /// Under each name, with the directories above: the files, which links may lead to.
    named: BTreeMap<String, Vec<(Utf8PathBuf, Utf8PathBuf)>>,
}

impl Tree {
    fn read(root: &Utf8Path) -> Self {
        let mut tree = Self {
            times: BTreeMap::new(),
            named: BTreeMap::new(),
        };
        let is_repository = |entry: &DirEntry| entry.file_name() == ".git";
        let entries = WalkDir::new(root).sort_by_file_name().into_iter();
        let entries = entries.filter_entry(|entry| !is_repository(entry));
        for entry in entries.flatten() {
            let Ok(path) = Utf8PathBuf::from_path_buf(entry.into_path()) else {
                continue;
            };
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let file = match path.is_symlink() {
                true => path.canonicalize_utf8().unwrap_or_default(),
                false => path.clone(),
            };
            if let (true, true, Some(name), Ok(time)) = (
                metadata.is_file(),
                file.starts_with(root),
                path.file_name(),
                metadata.modified(),
            ) {
                let named = tree.named.entry(name.to_owned()).or_default();
                named.push((path.clone(), file.clone()));
                tree.times.insert(file, time);
            }
        }
        tree
    }

    /// The files that include a file, for each that is included; found from the sources on.
    fn includers(&self, build: &str) -> BTreeMap<&Utf8PathBuf, BTreeSet<&Utf8PathBuf>> {
        let is_source = |file: &&Utf8PathBuf| file.extension() == Some("c");
        let mut left: Vec<&Utf8PathBuf> = self.times.keys().filter(is_source).collect();
        let mut includers: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for name in self.forced(build) {
            for file in self.called(&name) {
                includers.entry(file).or_default().extend(&left);
            }
        }
        left.extend(includers.keys());
        let mut seen: BTreeSet<&Utf8PathBuf> = left.iter().copied().collect();
        while let Some(file) = left.pop() {
            let text = fs::read(file).unwrap_or_default();
            for name in String::from_utf8_lossy(&text).lines().filter_map(included) {
                let meant = match name {
                    Included::Called(name) => self.called(name),
                    Included::Computed => self.headers(),
                };
                for included in meant {
                    includers.entry(included).or_default().insert(file);
                    if seen.insert(included) {
                        left.push(included);
                    }
                }
            }
        }
        includers
    }

    /// The files that the name in an include may mean: those with the same directories above, or else those with the same
    /// file name.
    fn called(&self, name: &str) -> Vec<&Utf8PathBuf> {
        let parts = Utf8Path::new(name).components();
        let below: Utf8PathBuf = parts
            .filter(|part| matches!(part, Utf8Component::Normal(_)))
            .collect();
        let of_name = below.file_name().and_then(|name| self.named.get(name));
        let of_name = of_name.map_or(&[][..], Vec::as_slice);
        let alike = of_name.iter().filter(|(path, _)| path.ends_with(&below));
        let alike: Vec<_> = alike.map(|(_, file)| file).collect();
        match alike.is_empty() {
            true => of_name.iter().map(|(_, file)| file).collect(),
            false => alike,
        }
    }

    fn headers(&self) -> Vec<&Utf8PathBuf> {
        let is_header = |file: &&Utf8PathBuf| file.extension() == Some("h");
        self.times.keys().filter(is_header).collect()
    }

    /// The names that the build has compilers include first.
    fn forced(&self, build: &str) -> BTreeSet<String> {
        let is_of_build = |file: &&Utf8PathBuf| {
            let name = file.file_name().unwrap_or_default();
            matches!(
                name,
                "makefile" | "GNUmakefile" | "CMakeLists.txt" | "build.ninja" | "meson.build"
            ) || name.starts_with("Makefile")
                || matches!(file.extension(), Some("mk" | "mak" | "cmake" | "sh"))
        };
        let files = self.times.keys().filter(is_of_build);
        let texts = files.map(|file| fs::read(file).unwrap_or_default());
        let texts = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
        let mut names = BTreeSet::new();
        for text in texts.chain([build.to_owned()]) {
            let mut words =
                text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';'));
            while let Some(word) = words.next() {
                if FORCING.contains(&word) {
                    names.extend(words.find(|word| !word.is_empty()).map(str::to_owned));
                }
            }
        }
        names
    }

    /// Whether a source is about to be generated again.
    fn is_outdated(&self, source: &Utf8Path) -> bool {
        GENERATING.iter().any(|extension| {
            let beside = [
                source.with_extension(extension),
                format!("{source}.{extension}").into(),
            ];
            let mut times = beside.iter().filter_map(|file| self.times.get(file));
            times.any(|time| self.times.get(source).is_some_and(|own| own < time))
        })
    }
}

/// What a line includes.
#[derive(Debug, PartialEq, Eq)]
enum Included<'t> {
    /// A file of this name.
    Called(&'t str),
    /// What a macro says.
    Computed,
}

fn included(line: &str) -> Option<Included<'_>> {
    let strip = |text: &str, starts: &[&str]| {
        let rest = starts.iter().find_map(|start| text.strip_prefix(start));
        rest.map(|rest| text.len() - rest.trim_start().len())
    };
    let line = line.trim_start();
    let line = &line[strip(line, &["#", "%:"])?..];
    let rest = &line[strip(line, &["include_next", "include", "import"])?..];
    let end = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return Some(Included::Computed),
    };
    let (name, _) = rest[1..].split_once(end)?;
    Some(Included::Called(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of files, each a minute younger than the one before.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
        for ((path, text), minute) in files.iter().zip(1..) {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(60 * minute);
            File::open(&path).unwrap().set_modified(time).unwrap();
        }
        (dir, root)
    }

    fn time(root: &Utf8Path, path: &str) -> SystemTime {
        fs::metadata(root.join(path)).unwrap().modified().unwrap()
    }

    #[test]
    fn what_includes_a_newer_file_becomes_newer_than_its_objects() {
        let (_dir, root) = tree(&[
            ("src/a.c", "#include \"mid.h\"\n"),
            ("src/b.c", "  # include <lib/low.h> // why\n"),
            ("src/c.c", "#include NAME\n"),
            ("src/d.c", "#include <stdio.h>\n/* low.h */\n"),
            ("src/e.c", "#include \"table.def\"\n"),
            ("grammar.c", "#include \"low.h\"\n"),
            ("grammar.y", "%%\n"),
            ("include/mid.h", "#include \"../x/lib/low.h\"\n"),
            ("table.def", "#include \"low.h\"\n"),
            ("objects/all.o", ""),
            ("lib/low.h", "#include \"mid.h\"\n"),
            ("other/low.h", ""),
        ]);
        renew_includers(&root, "make").unwrap();
        let objects = time(&root, "objects/all.o");
        let changed = time(&root, "lib/low.h");
        for includer in [
            "src/a.c",
            "src/b.c",
            "src/c.c",
            "src/e.c",
            "include/mid.h",
            "table.def",
        ] {
            let renewed = time(&root, includer);
            assert!(
                objects < renewed && renewed < time(&root, "other/low.h"),
                "{includer}"
            );
        }
        assert!(time(&root, "src/b.c") < changed);
        assert!(time(&root, "src/d.c") < objects);
        // It is generated again from the grammar.
        assert!(time(&root, "grammar.c") < time(&root, "grammar.y"));
    }

    #[test]
    fn what_the_build_includes_first_is_included_by_all() {
        let (_dir, root) = tree(&[
            ("a.c", ""),
            ("b.c", ""),
            ("a.o", ""),
            ("first.h", ""),
            ("other.h", ""),
        ]);
        renew_includers(&root, "cc -include ./first.h -c a.c b.c").unwrap();
        assert!(time(&root, "a.c") > time(&root, "a.o"));
        assert!(time(&root, "b.c") > time(&root, "a.o"));
    }

    #[test]
    fn a_time_in_the_future_renews_nothing() {
        let (_dir, root) = tree(&[("a.c", "#include \"a.h\"\n"), ("a.o", ""), ("a.h", "")]);
        let future = SystemTime::now() + Duration::from_secs(3600);
        File::open(root.join("a.h"))
            .unwrap()
            .set_modified(future)
            .unwrap();
        renew_includers(&root, "make").unwrap();
        assert!(time(&root, "a.c") < time(&root, "a.o"));
    }
}
