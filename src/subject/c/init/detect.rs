//! How a program is built: what its build files say, or a compiler's command line for all its files.

use camino::{Utf8Path, Utf8PathBuf};

use super::building::{Building, Single, line, started};
use super::database::compiled;
use super::listing::Listing;
use super::{cmake, make};

/// In the order in which make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Finds out how a program is built.
pub fn find(listing: &Listing) -> Building {
    if listing.has("CMakeLists.txt") {
        return cmake::read(listing);
    }
    if let Some(name) = listing.first(&MAKEFILES) {
        return make::read(listing, name);
    }
    if listing.has("configure") {
        return Building {
            command: "./configure && make".to_owned(),
            from: "configure".to_owned(),
            ..Building::default()
        };
    }
    alone(listing)
}

/// A program without a build file: all files of the first place that has a `main`.
fn alone(listing: &Listing) -> Building {
    let told = compiled(listing);
    let all = told
        .as_ref()
        .map_or_else(|| listing.sources(), |(sources, _)| sources.clone());
    let within = |dir: &str| {
        let files = all
            .iter()
            .filter(|path| path.parent().is_some_and(|parent| parent == dir));
        files.cloned().collect::<Vec<_>>()
    };
    let places = match told {
        Some(_) => vec![all.clone()],
        None => vec![within(""), within("src"), all.clone()],
    };
    let has_main = |files: &Vec<Utf8PathBuf>| files.iter().any(|path| listing.has_main(path));
    let place = places.iter().find(|files| has_main(files));
    let place = place.or_else(|| places.iter().find(|files| !files.is_empty()));
    let mut files = place.cloned().unwrap_or_default();
    // What another file includes is compiled with it.
    let texts: Vec<_> = files.iter().map(|path| listing.text(path)).collect();
    let is_included = |path: &Utf8Path| {
        let name = path.file_name().unwrap_or_default();
        texts
            .iter()
            .any(|text| text.contains(&format!("#include \"{name}\"")))
    };
    let parts: Vec<_> = files
        .iter()
        .filter(|path| !is_included(path))
        .cloned()
        .collect();
    let mut building = Building {
        from: told.map_or("the files alone", |(_, name)| name).to_owned(),
        ..Building::default()
    };
    let (mains, others): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|path| listing.has_main(path));
    let (main, more) = match mains
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
        for other in more {
            building
                .open
                .push(format!("{other} has a `main`, too, and is left out"));
            files.retain(|path| path != other);
        }
        let name = program(listing, main);
        building.command = compile(listing, &name, others.iter().chain([main]));
        building.programs.push(started(&name));
    } else {
        with_tests(listing, &others, &mut building);
    }
    building.sources = Some(files);
    building
}

/// A library: each of its test programs is built, and is a test.
fn with_tests(listing: &Listing, files: &[Utf8PathBuf], building: &mut Building) {
    let mut commands = Vec::new();
    for test in listing.tests().iter().filter(|path| listing.has_main(path)) {
        let name = program(listing, test);
        commands.push(compile(listing, &name, files.iter().chain([test])));
        building.tests.push(Single {
            command: started(&name),
            name,
            cwd: None,
        });
    }
    if commands.is_empty() {
        let words = ["cc", "-g", "-c"]
            .into_iter()
            .chain(files.iter().map(|path| path.as_str()));
        commands.push(line(words));
        building.open.push(
            "no file has a `main`: `build` has to make a program that tests can run".to_owned(),
        );
    }
    building.command = commands.join(" && ");
}

/// What a program is called whose `main` is in this file.
fn program(listing: &Listing, main: &Utf8Path) -> String {
    let name = main.file_stem().unwrap_or("program");
    match listing.dir.join(name).is_dir() {
        true => format!("{name}.out"),
        false => name.to_owned(),
    }
}

fn compile<'a>(
    listing: &Listing,
    name: &str,
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
