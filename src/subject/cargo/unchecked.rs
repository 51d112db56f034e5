//! Settings with which a crate is another program than formulas describe: these have the checks of the profile `test`.

use camino::Utf8Path;
use toml_edit::{DocumentMut, Item};

use super::options::CargoOptions;
use crate::subject::files;

/// The settings that turn off checks.
const CHECKS: [&str; 2] = ["overflow-checks", "debug-assertions"];
/// The profiles whose settings tests have.
const PROFILES: [&str; 2] = ["test", "dev"];
/// Files with profiles, relative to the workspace root.
const FILES: [&str; 3] = ["Cargo.toml", ".cargo/config.toml", ".cargo/config"];
/// Variables with options of rustc.
const FLAGS: [&str; 2] = ["RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"];

/// Where the user turns off these checks, or chooses another profile, and by what: the beginning of a sentence.
pub fn find(options: &CargoOptions, root: &Utf8Path) -> Option<String> {
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
    for name in FLAGS {
        let flags = std::env::var(name).unwrap_or_default();
        if let Some(check) = CHECKS.into_iter().find(|check| is_off(&flags, check)) {
            return Some(format!("the variable {name} turns off `{check}`"));
        }
    }
    FILES.iter().find_map(|name| {
        let text = files::text(&root.join(name))?;
        let (profile, check) = turned_off(&text.parse().ok()?)?;
        Some(format!(
            "{name} has `{check} = false` in `[profile.{profile}]`"
        ))
    })
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

/// The profile that turns off a check, and the check. What `test` says counts more than what `dev` says.
fn turned_off(document: &DocumentMut) -> Option<(&'static str, &'static str)> {
    CHECKS.into_iter().find_map(|check| {
        let mut settings = PROFILES.into_iter().filter_map(|profile| {
            let setting = document.get("profile")?.get(profile)?.get(check);
            Some((profile, setting.and_then(Item::as_bool)?))
        });
        let (profile, is_on) = settings.next()?;
        (!is_on).then_some((profile, check))
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
        assert_eq!(found.unwrap(), "`--release` chooses another profile");
    }
}
