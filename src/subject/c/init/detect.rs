//! Detects how a program is built: from its build files or, without any, with a compiler command for all its
//! files.

use std::collections::BTreeSet;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use super::build_info::{BuildInfo, CommandTest, invocation, line};
use super::database::compiled;
use super::listing::{Listing, is_test};
use super::tools::Tools;
use super::{autotools, cmake, make, meson};

/// Where a build comes from that no file describes.
pub const FILES: &str = "the files alone";

/// In the order in which make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Detects how a program is built, and its tests. Those that a target of make runs count only if `wants_tests`.
///
/// # Errors
/// As [`Tools::ask`].
pub fn detect(listing: &Listing, tools: &mut dyn Tools, wants_tests: bool) -> Result<BuildInfo> {
    let mut first: Option<BuildInfo> = None;
    for reads in SYSTEMS {
        let Some(found) = reads(listing, tools, wants_tests)? else {
            continue;
        };
        // Another build system may know the tests.
        if !found.is_guess && (!wants_tests || !found.tests.is_empty()) {
            return Ok(found);
        }
        if first
            .as_ref()
            .is_none_or(|first| first.is_guess && !found.is_guess)
        {
            first = Some(found);
        }
    }
    Ok(first.unwrap_or_else(|| without_build_file(listing)))
}

/// Reads what one build system builds and tests; `None` where it is not used.
type Reads = fn(&Listing, &mut dyn Tools, bool) -> Result<Option<BuildInfo>>;

/// The build systems, the best known first.
const SYSTEMS: [Reads; 4] = [of_cmake, of_make, of_autotools, of_meson];

fn of_cmake(listing: &Listing, tools: &mut dyn Tools, _: bool) -> Result<Option<BuildInfo>> {
    let is_used = listing.has("CMakeLists.txt");
    is_used.then(|| cmake::read(tools)).transpose()
}

fn of_autotools(
    listing: &Listing,
    tools: &mut dyn Tools,
    wants_tests: bool,
) -> Result<Option<BuildInfo>> {
    let is_used = autotools::is_used(listing);
    is_used
        .then(|| autotools::read(listing, tools, wants_tests))
        .transpose()
}

fn of_meson(listing: &Listing, tools: &mut dyn Tools, _: bool) -> Result<Option<BuildInfo>> {
    let is_used = listing.has(meson::FILE);
    is_used.then(|| meson::read(tools)).transpose()
}

fn of_make(
    listing: &Listing,
    tools: &mut dyn Tools,
    wants_tests: bool,
) -> Result<Option<BuildInfo>> {
    let Some(name) = listing.first(&MAKEFILES) else {
        return Ok(None);
    };
    let text = listing.text(Utf8Path::new(name));
    if autotools::is_used(listing) && autotools::is_made(&text) {
        // It names the directory in which it was made.
        return Ok(None);
    }
    let mut build_info = make::read(tools, name, wants_tests)?;
    if wants_tests && build_info.tests.is_empty() {
        let dirs = listing.files.iter().filter_map(|path| {
            let is_makefile = MAKEFILES.contains(&path.file_name().unwrap_or_default());
            let dir = path.parent().filter(|dir| !dir.as_str().is_empty())?;
            (is_makefile && is_test(path)).then(|| dir.to_owned())
        });
        for dir in dirs.collect::<BTreeSet<_>>() {
            make::add_dir(&mut build_info, tools, &dir)?;
        }
    }
    Ok(Some(build_info))
}

/// A program without a build file: all files of the first directory that has a `main`.
fn without_build_file(listing: &Listing) -> BuildInfo {
    let database = compiled(listing);
    let all = database
        .as_ref()
        .map_or_else(|| listing.sources(), |found| found.sources.clone());
    let within = |dir: &str| {
        let files = all
            .iter()
            .filter(|path| path.parent().is_some_and(|parent| parent == dir));
        files.cloned().collect::<Vec<_>>()
    };
    let candidates = match &database {
        Some(_) => vec![all.clone()],
        None => vec![within(""), within("src"), all.clone()],
    };
    let has_main = |files: &Vec<Utf8PathBuf>| files.iter().any(|path| listing.has_main(path));
    let candidate = candidates.iter().find(|files| has_main(files));
    let candidate = candidate.or_else(|| candidates.iter().find(|files| !files.is_empty()));
    let mut files = candidate.cloned().unwrap_or_default();
    // A file that another one includes is compiled with that file.
    let texts: Vec<_> = files.iter().map(|path| listing.text(path)).collect();
    let is_included = |path: &Utf8Path| {
        let name = path.file_name().unwrap_or_default();
        texts
            .iter()
            .any(|text| text.contains(&format!("#include \"{name}\"")))
    };
    let compiled_files: Vec<_> = files
        .iter()
        .filter(|path| !is_included(path))
        .cloned()
        .collect();
    let mut build_info = BuildInfo {
        from: database
            .as_ref()
            .map_or(FILES, |found| found.name)
            .to_owned(),
        ..BuildInfo::default()
    };
    let options = database.map_or_else(Vec::new, |found| {
        if !found.is_uniform {
            build_info.todo.push(format!(
                "check `build`: {} compiles each file with its own options; `build` uses all of these options for every file",
                found.name
            ));
        }
        found.options
    });
    let (mains, others): (Vec<_>, Vec<_>) = compiled_files
        .into_iter()
        .partition(|path| listing.has_main(path));
    let (main, other_mains) = match mains
        .iter()
        .position(|path| path.file_stem() == Some("main"))
    {
        Some(at) => (
            mains.get(at),
            mains
                .iter()
                .filter(|path| path.file_stem() != Some("main"))
                .collect(),
        ),
        None => (mains.first(), mains.iter().skip(1).collect::<Vec<_>>()),
    };
    if let Some(main) = main {
        for other in other_mains {
            build_info
                .todo
                .push(format!("{other} also has a `main` and is left out"));
            files.retain(|path| path != other);
        }
        let name = program_name(listing, main);
        let files = others.iter().chain([main]);
        build_info.command = compile(listing, &name, &options, files);
        build_info.programs.push(invocation(&name));
    } else {
        library(listing, &others, &options, &mut build_info);
    }
    build_info.sources = Some(files);
    build_info
}

/// A library: each of its test programs is built, and is a test.
fn library(
    listing: &Listing,
    files: &[Utf8PathBuf],
    options: &[String],
    build_info: &mut BuildInfo,
) {
    let mut commands = Vec::new();
    for test in listing.tests().iter().filter(|path| listing.has_main(path)) {
        let name = program_name(listing, test);
        let files = files.iter().chain([test]);
        commands.push(compile(listing, &name, options, files));
        build_info.tests.push(CommandTest {
            command: invocation(&name),
            name,
            cwd: None,
            functions: Vec::new(),
        });
    }
    if commands.is_empty() {
        let words = ["cc", "-g", "-c"]
            .into_iter()
            .chain(options.iter().map(String::as_str))
            .chain(files.iter().map(|path| path.as_str()));
        commands.push(line(words));
        build_info.todo.push(
            "no `main` was found: `build` has to make a program that tests can run".to_owned(),
        );
    }
    build_info.command = commands.join(" && ");
}

/// A name for the program whose `main` is in this file.
fn program_name(listing: &Listing, main: &Utf8Path) -> String {
    let name = main.file_stem().unwrap_or("program");
    match listing.dir.join(name).is_dir() {
        true => format!("{name}.out"),
        false => name.to_owned(),
    }
}

fn compile<'a>(
    listing: &Listing,
    name: &str,
    options: &[String],
    files: impl Iterator<Item = &'a Utf8PathBuf>,
) -> String {
    let files: Vec<_> = files.collect();
    let includes = |header: &str| {
        files
            .iter()
            .any(|path| listing.text(path).contains(&format!("<{header}>")))
    };
    let mut words = vec!["cc", "-g"];
    if listing.files.iter().any(|path| path.starts_with("include")) {
        words.push("-Iinclude");
    }
    words.extend(options.iter().map(String::as_str));
    words.extend(["-o", name]);
    words.extend(files.iter().map(|path| path.as_str()));
    for (header, flag) in [
        ("math.h", "-lm"),
        ("pthread.h", "-pthread"),
        ("threads.h", "-pthread"),
    ] {
        if includes(header) && !words.contains(&flag) {
            words.push(flag);
        }
    }
    line(words)
}
