//! Settings with which a crate is another program than formulas describe: these have the checks of the profile `test`, and `usize` has
//! 64 bits.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use toml_edit::{DocumentMut, Item, Value};

use super::options::CargoOptions;
use super::outside::cargo_home;
use crate::subject::files;

/// The settings that turn off checks.
const CHECKS: [&str; 2] = ["overflow-checks", "debug-assertions"];
/// The profiles whose settings tests have.
const PROFILES: [&str; 2] = ["test", "dev"];
/// Files with cargo's configuration, relative to a directory. They may have profiles, and options of rustc.
const CONFIGURATION: [&str; 2] = [".cargo/config.toml", ".cargo/config"];
/// Variables that name a program that runs instead of rustc, or starts it.
const WRAPPERS: [&str; 4] = [
    "RUSTC",
    "CARGO_BUILD_RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
];
/// Variables with options of rustc.
const FLAGS: [&str; 3] = [
    "RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
];
/// What formulas assume of checks.
const CHECKED: &str =
    "formulas have overflow checks and debug assertions, as the profile `test` does";
/// What formulas assume of the target.
const WIDE: &str = "formulas assume that `usize` has 64 bits";

/// Where the user turns off these checks, chooses another profile, or a target with another `usize`; by what, and what formulas
/// assume instead: the beginning of a sentence.
pub fn find(options: &CargoOptions, root: &Utf8Path) -> Option<String> {
    let unchecked = unchecked(options, root).map(|found| format!("{found}: {CHECKED}"));
    unchecked.or_else(|| Some(format!("{}: {WIDE}", narrow(options, root)?)))
}

fn unchecked(options: &CargoOptions, root: &Utf8Path) -> Option<String> {
    if options.release || options.profile.is_some() {
        let option = match options.release {
            true => "--release",
            false => "--profile",
        };
        return Some(format!("`{option}` chooses another profile"));
    }
    let mut config = options.config.iter();
    let is_check = |text: &&String| CHECKS.iter().any(|check| text.contains(check));
    if let Some(value) = config.find(is_check) {
        return Some(format!("--config sets `{value}`"));
    }
    let variables = PROFILES.iter().flat_map(|profile| {
        CHECKS.iter().map(move |check| {
            let name = format!("CARGO_PROFILE_{profile}_{check}");
            name.replace('-', "_").to_ascii_uppercase()
        })
    });
    for name in variables {
        if std::env::var(&name).is_ok_and(|value| value == "false") {
            return Some(format!("the variable {name} is `false`"));
        }
    }
    let of_targets = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let of_targets =
        of_targets.filter(|name| name.starts_with("CARGO_TARGET_") && name.ends_with("_RUSTFLAGS"));
    for name in FLAGS.map(str::to_owned).into_iter().chain(of_targets) {
        let flags = std::env::var(&name).unwrap_or_default();
        if let Some(check) = off_in(&flags.replace('\u{1f}', " ")) {
            return Some(format!("the variable {name} turns off `{check}`"));
        }
    }
    for name in WRAPPERS {
        if std::env::var(name).is_ok_and(|value| !value.is_empty() && !is_rustc(&value)) {
            return Some(format!(
                "the variable {name} names a program that may call rustc with other options"
            ));
        }
    }
    documents(root).into_iter().find_map(|(name, document)| {
        if let Some(inherited) = inherits(&document) {
            return Some(format!(
                "{name} has `inherits = \"{inherited}\"` in `[profile.test]`"
            ));
        }
        if has_wrapper(&document) {
            return Some(format!(
                "{name} names a program that may call rustc with other options"
            ));
        }
        if let Some((profile, check)) = turned_off(&document) {
            return Some(format!(
                "{name} has `{check} = false` in `[profile.{profile}]`"
            ));
        }
        let mut flags = flags(&document).into_iter();
        let check = flags.find_map(|flags| off_in(&flags))?;
        Some(format!("`rustflags` in {name} turns off `{check}`"))
    })
}

/// The manifest of the workspace and the files of cargo's configuration that can be parsed, as messages name them: those that
/// cargo finds from the root and from the current directory, with what they include.
fn documents(root: &Utf8Path) -> Vec<(String, DocumentMut)> {
    let current = std::env::current_dir().ok();
    let current = current.and_then(|dir| Utf8PathBuf::from_path_buf(dir).ok());
    documents_of(root, current.as_deref(), cargo_home().as_deref())
}

fn documents_of(
    root: &Utf8Path,
    current: Option<&Utf8Path>,
    home: Option<&Utf8Path>,
) -> Vec<(String, DocumentMut)> {
    let dirs = root.ancestors();
    let dirs = dirs.chain(current.into_iter().flat_map(Utf8Path::ancestors));
    let configuration = dirs.flat_map(|dir| CONFIGURATION.map(|name| dir.join(name)));
    let of_home = home.into_iter();
    let of_home = of_home.flat_map(|dir| ["config.toml", "config"].map(|name| dir.join(name)));
    let mut waiting: Vec<Utf8PathBuf> = [root.join("Cargo.toml")]
        .into_iter()
        .chain(configuration)
        .chain(of_home)
        .collect();
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(path) = waiting.get(next).cloned() {
        next += 1;
        if !known.insert(path.clone()) {
            continue;
        }
        let document = files::text(&path).and_then(|text| text.parse::<DocumentMut>().ok());
        let Some(document) = document else {
            continue;
        };
        let dir = path.parent().unwrap_or(root).to_owned();
        waiting.extend(included(&document).into_iter().map(|name| dir.join(name)));
        let name = path.strip_prefix(root).unwrap_or(&path).to_string();
        found.push((name, document));
    }
    found
}

/// The files that a file of cargo's configuration includes, relative to its directory.
fn included(document: &DocumentMut) -> Vec<String> {
    let path = |item: &Value| match item.as_inline_table() {
        Some(table) => table.get("path")?.as_str().map(str::to_owned),
        None => item.as_str().map(str::to_owned),
    };
    match document.get("include") {
        Some(Item::Value(Value::Array(all))) => all.iter().filter_map(path).collect(),
        Some(Item::Value(one)) => path(one).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The profile without checks from which that of tests inherits.
fn inherits(document: &DocumentMut) -> Option<String> {
    let test = document.get("profile")?.get("test")?;
    let inherited = test.get("inherits")?.as_str()?;
    let is_on = |check: &&str| test.get(check).and_then(Item::as_bool) == Some(true);
    let is_checked = inherited == "dev" || CHECKS.iter().all(is_on);
    (!is_checked).then(|| inherited.to_owned())
}

/// Whether cargo's configuration names a program that runs instead of rustc, or starts it.
fn has_wrapper(document: &DocumentMut) -> bool {
    let build = document.get("build");
    build.is_some_and(|build| {
        let keys = ["rustc", "rustc-workspace-wrapper"].iter();
        let mut programs = keys.filter_map(|key| build.get(key)?.as_str());
        programs.any(|program| !is_rustc(program))
    })
}

/// Whether a path names rustc itself, as far as its name shows.
fn is_rustc(program: &str) -> bool {
    Utf8Path::new(program).file_stem() == Some("rustc")
}

/// Where a target is chosen that has no `usize` of 64 bits.
fn narrow(options: &CargoOptions, root: &Utf8Path) -> Option<String> {
    const WIDE: [&str; 10] = [
        "x86_64",
        "aarch64",
        "arm64",
        "riscv64",
        "powerpc64",
        "s390x",
        "mips64",
        "loongarch64",
        "sparc64",
        "wasm64",
    ];
    let is_narrow = |target: &str| {
        let is_wide = WIDE.iter().any(|start| target.starts_with(start));
        !is_wide || target.ends_with("x32") || target.ends_with("ilp32")
    };
    let of_option = || {
        Some((
            format!("`--target {}`", options.target.as_ref()?),
            options.target.clone()?,
        ))
    };
    let of_variable = || {
        let target = std::env::var("CARGO_BUILD_TARGET").ok()?;
        Some((
            format!("the variable CARGO_BUILD_TARGET is `{target}`"),
            target,
        ))
    };
    let of_files = || {
        documents(root).into_iter().find_map(|(name, document)| {
            let target = document.get("build")?.get("target")?.as_str()?.to_owned();
            Some((format!("{name} has `target = \"{target}\"`"), target))
        })
    };
    let chosen = of_option().or_else(of_variable).or_else(of_files);
    chosen
        .filter(|(_, target)| is_narrow(target))
        .map(|(place, _)| place)
}

/// The options of rustc in cargo's configuration.
fn flags(document: &DocumentMut) -> Vec<String> {
    let text = |item: &Item| match item.as_array() {
        Some(words) => {
            let words: Vec<&str> = words.iter().filter_map(|word| word.as_str()).collect();
            Some(words.join(" "))
        }
        None => item.as_str().map(str::to_owned),
    };
    let of_build = document
        .get("build")
        .and_then(|build| build.get("rustflags"));
    let targets = document.get("target").and_then(Item::as_table_like);
    let targets = targets.into_iter().flat_map(|targets| targets.iter());
    let of_targets = targets.filter_map(|(_, target)| target.get("rustflags"));
    of_build
        .into_iter()
        .chain(of_targets)
        .filter_map(text)
        .collect()
}

/// The check that options of rustc turn off.
fn off_in(flags: &str) -> Option<&'static str> {
    let off = CHECKS.into_iter().find(|check| is_off(flags, check));
    // An optimized program has neither, unless another option asks for them.
    let mut words = flags.split_whitespace();
    let is_optimized = words.any(|word| {
        let level = word.trim_start_matches("-C").strip_prefix("opt-level=");
        word == "-O" || level.is_some_and(|level| level != "0")
    });
    off.or_else(|| is_optimized.then_some(CHECKS[0]))
}

/// Whether options of rustc turn off a check.
fn is_off(flags: &str, check: &str) -> bool {
    let mut values = flags.split(check).skip(1);
    values.any(|value| {
        let value = value.trim_start_matches('=');
        ["n", "off", "false"]
            .iter()
            .any(|off| value.starts_with(off))
    })
}

/// The profile that turns off a check, for all packages or for some, and the check. What `test` says counts more than what `dev` says.
fn turned_off(document: &DocumentMut) -> Option<(&'static str, &'static str)> {
    let of = |profile: &str| document.get("profile")?.get(profile);
    let setting = |table: &Item, check: &str| table.get(check).and_then(Item::as_bool);
    CHECKS.into_iter().find_map(|check| {
        let mut settings = PROFILES
            .into_iter()
            .filter_map(|profile| Some((profile, setting(of(profile)?, check)?)));
        let in_all = settings.next().filter(|(_, is_on)| !is_on);
        let in_package = || {
            PROFILES.into_iter().find_map(|profile| {
                let packages = of(profile)?.get("package")?.as_table_like()?;
                // `*` stands for the dependencies.
                let mut packages = packages.iter().filter(|(name, _)| *name != "*");
                let is_off = packages.any(|(_, table)| setting(table, check) == Some(false));
                is_off.then_some((profile, false))
            })
        };
        let (profile, _) = in_all.or_else(in_package)?;
        Some((profile, check))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_off_if_the_profile_of_tests_or_the_one_it_inherits_from_says_so() {
        let off = |text: &str| turned_off(&text.parse().unwrap());
        let dev = "[profile.dev]\noverflow-checks = false\n";
        assert_eq!(off(dev), Some(("dev", "overflow-checks")));
        let test = "[profile.test]\ndebug-assertions = false\n";
        assert_eq!(off(test), Some(("test", "debug-assertions")));
        assert_eq!(
            off(&format!("{dev}[profile.test]\noverflow-checks = true\n")),
            None
        );
        assert_eq!(off("[profile.release]\noverflow-checks = false\n"), None);
        assert_eq!(off("[profile.dev]\nopt-level = 3\n"), None);
        let of_package = "[profile.dev.package.q]\noverflow-checks = false\n";
        assert_eq!(off(of_package), Some(("dev", "overflow-checks")));
        assert_eq!(off(&of_package.replace(".q]", ".\"*\"]")), None);
    }

    #[test]
    fn cargos_configuration_is_also_in_directories_above() {
        let dir = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(dir.path()).unwrap();
        let root = top.join("a/b");
        let rustflags = "[build]\nrustflags = [\"-C\", \"overflow-checks=off\"]\n";
        for (path, text) in [
            ("a/b/Cargo.toml", "[workspace]\n"),
            ("a/.cargo/config.toml", "include = [\"more.toml\"]\n"),
            ("a/.cargo/more.toml", rustflags),
            ("here/.cargo/config.toml", rustflags),
            ("home/config.toml", rustflags),
        ] {
            let path = top.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let (here, home) = (top.join("here"), top.join("home"));
        let found = documents_of(&root, Some(&here), Some(&home));
        let found = found.iter();
        let found = found.filter(|(_, document)| !flags(document).is_empty());
        let names: Vec<&str> = found.map(|(name, _)| name.as_str()).collect();
        let expected = [
            top.join("here/.cargo/config.toml"),
            top.join("home/config.toml"),
            top.join("a/.cargo/more.toml"),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_profile_of_tests_inherits_from_one_without_checks() {
        let of = |text: &str| inherits(&text.parse().unwrap());
        let release = "[profile.test]\ninherits = \"release\"\n";
        assert_eq!(of(release).as_deref(), Some("release"));
        let checks = "overflow-checks = true\ndebug-assertions = true\n";
        assert_eq!(of(&format!("{release}{checks}")), None);
        assert_eq!(of("[profile.test]\ninherits = \"dev\"\n"), None);
    }

    #[test]
    fn another_program_than_rustc_is_noticed() {
        let of = |text: &str| has_wrapper(&text.parse().unwrap());
        assert!(of("[build]\nrustc = \"./fast.sh\"\n"));
        assert!(!of(
            "[build]\nrustc = \"/opt/bin/rustc\"\nrustc-wrapper = \"sccache\"\n"
        ));
    }

    #[test]
    fn options_of_rustc_are_also_in_the_configuration() {
        let of = |text: &str| flags(&text.parse().unwrap());
        assert_eq!(of("[build]\nrustflags = [\"-C\", \"x\"]\n"), ["-C x"]);
        assert_eq!(of("[target.'cfg(unix)']\nrustflags = \"-O\"\n"), ["-O"]);
        assert_eq!(off_in("-C opt-level=3"), Some("overflow-checks"));
        assert_eq!(off_in("-C opt-level=0 --cfg x"), None);
    }

    #[test]
    fn a_target_with_another_usize_is_named() {
        let of = |target: &str| {
            let options = CargoOptions {
                target: Some(target.to_owned()),
                ..CargoOptions::default()
            };
            find(&options, Utf8Path::new("/nowhere"))
        };
        assert_eq!(
            of("i686-unknown-linux-gnu").unwrap(),
            "`--target i686-unknown-linux-gnu`: formulas assume that `usize` has 64 bits"
        );
        assert!(of("x86_64-unknown-linux-gnux32").is_some());
        assert_eq!(of("aarch64-apple-darwin"), None);
    }

    #[test]
    fn an_option_of_rustc_turns_off_a_check() {
        assert!(is_off(
            "-C opt-level=1 -Coverflow-checks=off",
            "overflow-checks"
        ));
        assert!(is_off("-Cdebug-assertions=no", "debug-assertions"));
        assert!(!is_off(
            "-C overflow-checks=on -Cdebug-assertions",
            "overflow-checks"
        ));
    }

    #[test]
    fn another_profile_is_named() {
        let options = CargoOptions {
            release: true,
            ..CargoOptions::default()
        };
        let found = find(&options, Utf8Path::new("/nowhere"));
        let found = found.unwrap();
        assert!(
            found.starts_with("`--release` chooses another profile: "),
            "{found}"
        );
    }
}
