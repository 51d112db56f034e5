//! `--help` of every command: what each option does, its default, and its place in the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::common::{GRADES, Subject};

/// The width of the terminal.
const COLUMNS: usize = 100;

/// The help of a command, and the words that call it.
struct Help {
    words: Vec<String>,
    text: String,
}

/// An option or an argument: its spelling and its help text.
struct Entry {
    written: String,
    about: String,
}

impl Help {
    fn of(words: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-nopol"));
        command.arg("nopol").args(words).arg("--help");
        let output = command
            .env("COLUMNS", COLUMNS.to_string())
            .output()
            .unwrap();
        assert!(output.status.success(), "{words:?}");
        Self {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            text: String::from_utf8(output.stdout).unwrap(),
        }
    }

    /// The lines below this heading.
    fn section(&self, heading: &str) -> impl Iterator<Item = &str> {
        let lines = self.text.lines().skip_while(move |line| *line != heading);
        lines
            .skip(1)
            .take_while(|line| line.is_empty() || line.starts_with(' '))
    }

    /// The subcommands.
    fn commands(&self) -> Vec<&str> {
        let names = self
            .section("Commands:")
            .filter_map(|line| line.strip_prefix("  "));
        let names = names.filter(|line| !line.starts_with(' '));
        names
            .filter_map(|line| line.split(' ').next())
            .filter(|name| *name != "help")
            .collect()
    }

    /// The options and arguments under all headings.
    fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        let headings = self
            .text
            .lines()
            .filter(|line| line.ends_with(':') && !line.starts_with(' '));
        for heading in
            headings.filter(|heading| !["Commands:", "Exit codes:", "Keys:"].contains(heading))
        {
            for line in self.section(heading) {
                let written = line.trim_start();
                let indentation = line.len() - written.len();
                if indentation < 8 && written.starts_with(['-', '<', '[']) {
                    let (written, about) = written.split_once("  ").unwrap_or((written, ""));
                    entries.push(Entry {
                        written: written.to_owned(),
                        about: about.trim().to_owned(),
                    });
                } else if let Some(entry) = entries.last_mut() {
                    entry.about.push(' ');
                    entry.about.push_str(written);
                }
            }
        }
        for entry in &mut entries {
            entry.about = entry.about.trim().to_owned();
        }
        entries
    }
}

impl Entry {
    /// The name of an option, as `top` of `--top <K>`.
    fn name(&self) -> Option<&str> {
        let at = self.written.find("--")? + 2;
        self.written[at..].split([' ', '[', '=']).next()
    }

    /// The default that the help gives.
    fn default(&self) -> Option<&str> {
        let at = self.about.find("[default: ")? + "[default: ".len();
        self.about[at..].split(']').next()
    }
}

/// The help of `cargo nopol` and of all commands below.
fn all() -> Vec<Help> {
    let mut all = vec![Help::of(&[])];
    let mut at = 0;
    while at < all.len() {
        let words = all[at].words.clone();
        let below: Vec<Help> = all[at]
            .commands()
            .into_iter()
            .map(|name| {
                let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
                words.push(name);
                Help::of(&words)
            })
            .collect();
        all.extend(below);
        at += 1;
    }
    all
}

/// The documentation of options.
fn pages() -> String {
    let pages = ["reference", "faults", "mutate", "heap"];
    let root = env!("CARGO_MANIFEST_DIR");
    let pages =
        pages.map(|page| std::fs::read_to_string(format!("{root}/docs/{page}.md")).unwrap());
    pages.concat()
}

#[test]
fn every_command_has_its_help() {
    let all = all();
    let words: BTreeSet<String> = all.iter().map(|help| help.words.join(" ")).collect();
    for command in [
        "", "repair", "localize", "faults", "mutate", "heap", "explain", "review", "apply", "undo",
        "merge", "list",
    ] {
        assert!(words.contains(command), "{command}");
        assert!(
            words.contains(format!("c {command}").trim_end()),
            "c {command}"
        );
    }
    for command in ["c debug", "synth", "completions", "man"] {
        assert!(words.contains(command), "{command}");
    }
    for help in &all {
        let usage = format!("Usage: cargo nopol {}", help.words.join(" "));
        assert!(
            help.text.contains(usage.trim_end()),
            "{usage}\n{}",
            help.text
        );
        let about = help.text.lines().next().unwrap();
        assert!(
            about.starts_with(char::is_uppercase) && !about.ends_with('.'),
            "{about}"
        );
        for line in help.text.lines() {
            // Clap fills the empty lines of lists with spaces.
            let is_clean = line.trim_end() == line || line.trim_end().is_empty();
            assert!(is_clean, "{:?}: {line:?}", help.words);
            assert!(line.chars().count() <= COLUMNS, "{:?}: {line}", help.words);
        }
    }
}

#[test]
fn every_command_has_its_short_help() {
    for help in all() {
        let words: Vec<&str> = help
            .words
            .iter()
            .map(|word| &**word)
            .chain(["-h"])
            .collect();
        let run = Subject::lib("").nopol(&words);
        assert_eq!(run.code, 0, "{words:?}: {}", run.stderr);
        let usage = format!("Usage: cargo nopol {}", help.words.join(" "));
        assert!(run.stdout.contains(usage.trim_end()), "{}", run.stdout);
    }
}

#[test]
fn every_option_says_what_it_does_and_is_documented() {
    let pages = pages();
    let mut count = 0;
    for help in all() {
        for entry in help.entries() {
            let Entry { written, about } = &entry;
            count += 1;
            let is_well_formed = about.starts_with(|first: char| {
                first.is_uppercase() || first.is_ascii_digit() || first == '`'
            }) && !about.ends_with('.');
            assert!(is_well_formed, "{:?} {written}: {about:?}", help.words);
            let Some(name) = entry.name() else { continue };
            let option = format!("--{name}");
            let is_documented = ["help", "version"].contains(&name)
                || pages.split(&option).skip(1).any(|rest| {
                    !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-')
                });
            assert!(
                is_documented,
                "--{name} of {:?} is in none of the pages",
                help.words
            );
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn the_defaults_in_the_help_are_those_of_the_settings() {
    let subject = Subject::lib(GRADES);
    let run = subject.nopol(&["--print-config"]);
    let settings: BTreeMap<&str, &str> = run
        .stdout
        .lines()
        .filter_map(|line| line.strip_suffix("# default")?.trim().split_once(" = "))
        .collect();
    let mut compared = BTreeSet::new();
    assert_eq!(run.code, 0, "{}", run.stderr);
    for help in [Help::of(&[]), Help::of(&["c"])] {
        for entry in help.entries() {
            let (Some(name), Some(default)) = (entry.name(), entry.default()) else {
                continue;
            };
            let Some(set) = settings.get(name) else {
                continue;
            };
            // A list without anything stands for what the help says in words.
            if *set == "[]" {
                continue;
            }
            assert_eq!(set.trim_matches('"'), default, "--{name}");
            compared.insert(name.to_owned());
        }
    }
    assert!(compared.len() >= 8, "{compared:?}");
}

#[test]
fn exit_codes_are_those_of_the_command() {
    for (words, foreign) in [
        (["undo"], "FILE.json"),
        (["heap"], "doctests"),
        (["synth"], "doctests"),
    ] {
        let help = Help::of(&words);
        let codes: Vec<&str> = help.section("Exit codes:").collect();
        assert!(codes.len() >= 2, "{words:?}: {codes:?}");
        let mut codes = codes.into_iter();
        assert!(codes.all(|line| !line.contains(foreign)), "{words:?}");
    }
}

#[test]
fn the_help_for_c_has_no_words_of_cargo() {
    for help in all()
        .iter()
        .filter(|help| help.words.first().is_some_and(|word| word == "c"))
    {
        let text = help
            .text
            .replace("cargo's JSON messages", "")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let words = [
            "C only",
            "for C",
            "(C)",
            "PKG",
            "TARGET_DIR",
            "workspace",
            "manifest",
            "package",
            "doctest",
            "the tests reject",
        ];
        let found = words.into_iter().find(|word| text.contains(word));
        assert_eq!(found, None, "{:?}: {text}", help.words);
        let foreign = text
            .match_indices("`cargo nopol ")
            .find(|(at, _)| !text[*at..].starts_with("`cargo nopol c "));
        assert_eq!(foreign, None, "{:?}: {text}", help.words);
    }
}

#[test]
fn exit_code_2_names_only_what_the_command_takes() {
    let mut named = 0;
    for help in all() {
        let section: Vec<&str> = help.section("Exit codes:").map(str::trim).collect();
        let section = section.join(" ");
        let Some((_, missing)) = section.split_once("no such ") else {
            continue;
        };
        let (missing, _) = missing.split_once([',', ')']).unwrap_or((missing, ""));
        let last = help.words.last().map_or("", String::as_str);
        let entries = help.entries();
        let takes_patch = entries
            .iter()
            .any(|it| it.name() == Some("apply") || it.about.contains("patch, by its"));
        named += usize::from(missing.contains("test"));
        assert!(
            !missing.contains("place") || last == "explain",
            "{last}: {missing}"
        );
        assert!(
            !missing.contains("patch") || takes_patch || ["apply", "explain"].contains(&last),
            "{last}: {missing}"
        );
        // A full disk is no wrong usage.
        assert!(!section.contains(", a full disk"), "{last}: {section}");
    }
    assert!(named > 3, "{named}");
}

#[test]
fn the_help_speaks_only_of_options_that_the_command_has() {
    let mut named = 0;
    for help in all() {
        let entries = help.entries();
        let own: BTreeSet<&str> = entries.iter().filter_map(Entry::name).collect();
        for line in help.section("Exit codes:") {
            let words = line.split(|c: char| !c.is_ascii_lowercase() && c != '-');
            let options = words.filter_map(|word| word.strip_prefix("--"));
            // `--` alone separates the arguments for test binaries.
            for option in options.filter(|option| !option.is_empty()) {
                named += 1;
                assert!(own.contains(option), "--{option} of {:?}", help.words);
            }
        }
    }
    assert!(named > 4, "{named}");
}

#[test]
fn the_help_has_no_option_that_the_command_refuses_or_ignores() {
    for command in ["faults", "mutate", "heap"] {
        let entries = Help::of(&[command]).entries();
        let own: BTreeSet<&str> = entries.iter().filter_map(Entry::name).collect();
        for option in [
            "run", "expect", "stdin", "fuzz", "lib", "bins", "bin", "example", "test",
        ] {
            assert!(!own.contains(option), "--{option} of {command}");
        }
        assert!(own.contains("package") && own.contains("tests"), "{own:?}");
    }
    for command in [
        &["explain"][..],
        &["review"],
        &["c", "explain"],
        &["c", "review"],
    ] {
        let entries = Help::of(command).entries();
        let own: BTreeSet<&str> = entries.iter().filter_map(Entry::name).collect();
        for option in ["html", "summary", "fail-on", "allow-partial"] {
            assert!(!own.contains(option), "--{option} of {command:?}");
        }
        assert_eq!(own.contains("format"), command.contains(&"explain"));
    }
    for (command, builds) in [
        ("faults", false),
        ("mutate", false),
        ("undo", false),
        ("repair", true),
    ] {
        let entries = Help::of(&["c", command]).entries();
        let has_it = entries.iter().any(|it| it.name() == Some("sanitize"));
        assert_eq!(has_it, builds, "{command}");
    }
}

#[test]
fn the_short_help_fits_on_a_page() {
    for words in [&[][..], &["c"], &["explain"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-nopol"));
        command.arg("nopol").args(words).arg("-h");
        let output = command.env("COLUMNS", COLUMNS.to_string()).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        assert!(text.lines().count() <= 75, "{text}");
        assert!(
            text.contains("--failing") && !text.contains("--no-formula"),
            "{text}"
        );
        assert!(!text.contains("\n  synth"), "{text}");
        assert!(text.contains("--help shows all"), "{text}");
    }
}

#[test]
fn a_misspelled_command_is_answered_with_the_right_one() {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-nopol"))
        .args(["nopol", "repiar"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let first: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(
        first,
        [
            "error: unexpected argument `repiar`",
            "",
            "  tip: did you mean `repair`?"
        ]
    );
    assert_eq!(output.status.code(), Some(2));
}
