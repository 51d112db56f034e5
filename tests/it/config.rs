//! Settings in `nopol.toml`, manifests, the environment and the command line: which one holds, and what is
//! said of a bad one.

use std::fs;

use crate::common::{GRADES, MANIFEST, Run, Subject};

fn holds(run: &Run, lines: &[&str]) {
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    for line in lines {
        assert!(
            run.stdout.lines().any(|printed| printed == *line),
            "`{line}` is not in:\n{}",
            run.stdout
        );
    }
}

fn refuses(run: &Run, words: &[&str]) {
    assert_eq!(run.code, 2, "{}\n{}", run.stdout, run.stderr);
    for word in words {
        assert!(
            run.stderr.contains(word),
            "`{word}` is not in:\n{}",
            run.stderr
        );
    }
}

#[test]
fn settings_may_stand_among_those_of_other_tools() {
    let settings = "top = 2\nwork-dir = \"w\"\n";
    let files = [
        ("Cargo.toml", MANIFEST),
        (".config/nopol.toml", settings),
        ("src/lib.rs", GRADES),
    ];
    let subject = Subject::new(&files);
    let root = subject.root.canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let lines = [
        format!("top = 2 # {root}/.config/nopol.toml:1"),
        format!("work-dir = \"{root}/w\" # {root}/.config/nopol.toml:2"),
    ];
    holds(
        &subject.nopol(&["--print-config"]),
        &lines.each_ref().map(String::as_str),
    );
    fs::write(subject.root.join("nopol.toml"), "top = 3\n").unwrap();
    refuses(&subject.nopol(&["list"]), &["two files with settings"]);
}

/// A crate with settings in all places.
fn everywhere() -> Subject {
    let manifest = format!(
        "{MANIFEST}\n[workspace.metadata.nopol]\nflips = 1\nfuel = 1\ntop = 1\njobs = 1\ntest-timeout = 1\n\n\
         [package.metadata.nopol]\nfuel = 2\ntop = 2\njobs = 2\ntest-timeout = 2\n"
    );
    let settings = "top = 3\njobs = 3\ntest-timeout = 3\nmulti = true\nwork-dir = \"w\"\n";
    Subject::new(&[
        ("Cargo.toml", &manifest),
        ("nopol.toml", settings),
        ("src/lib.rs", GRADES),
    ])
}

#[test]
fn print_config_shows_what_holds_and_where_it_comes_from() {
    let subject = everywhere();
    let root = subject.root.canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let mut command = subject.command(&["--print-config", "--test-timeout", "5", "--multi=false"]);
    command.env("CARGO_NOPOL_JOBS", "4");
    command.env("CARGO_NOPOL_TEST_TIMEOUT", "4");
    let run = command.output().unwrap().into();
    holds(
        &run,
        &[
            &format!("flips = 1 # {root}/Cargo.toml:9"),
            &format!("fuel = 2 # {root}/Cargo.toml:16"),
            &format!("top = 3 # {root}/nopol.toml:1"),
            "jobs = 4 # CARGO_NOPOL_JOBS",
            "test-timeout = 5 # --test-timeout",
            "multi = false # --multi",
            &format!("work-dir = \"{root}/w\" # {root}/nopol.toml:5"),
            "engine = \"portfolio\" # default",
            "features = [] # default",
            "format = \"human\" # default",
            "# time-limit is not set",
        ],
    );
    assert!(!subject.root.join("target").exists() && !subject.root.join("w").exists());
    // It is a nopol.toml itself.
    fs::write(subject.root.join("nopol.toml"), run.stdout).unwrap();
    let again = subject.nopol(&["list", "--print-config"]);
    holds(
        &again,
        &[&format!(
            "flips = 1 # {root}/nopol.toml:{}",
            line_of(&subject, "flips")
        )],
    );
}

fn line_of(subject: &Subject, key: &str) -> usize {
    let text = subject.read("nopol.toml");
    let at = text.lines().position(|line| line.starts_with(key));
    at.unwrap() + 1
}

#[test]
fn a_file_chooses_the_format_and_the_search_obeys_it() {
    let subject = Subject::lib("#[test] fn t() {}");
    let settings = "format = \"json\"\nfailing = [\"no_such_test\"]\n";
    fs::write(subject.root.join("nopol.toml"), settings).unwrap();
    let run = subject.nopol(&[]);
    refuses(&run, &["no test is named `no_such_test`"]);
    assert_eq!(run.json()["outcome"], "usage-error");
}

#[test]
fn a_bad_key_or_value_is_a_usage_error_with_its_line() {
    let subject = Subject::lib("#[test] fn t() {}");
    let refused = |text: &str, words: &[&str]| {
        fs::write(subject.root.join("nopol.toml"), text).unwrap();
        for args in [&["list"][..], &["--print-config"]] {
            refuses(&subject.nopol(args), words);
        }
    };
    refused(
        "top = 1\ntest-timeot = 3\n",
        &[
            "nopol.toml, line 2: unknown key `test-timeot`",
            "did you mean `test-timeout`?",
        ],
    );
    refused(
        "kind = [\"gard\"]\n",
        &["line 1", "`gard`", "did you mean `guard`?"],
    );
    refused("top = 0\n", &["line 1: `top`: 0 is not a positive number"]);
    refused("top = \n", &["nopol.toml, line 1"]);
    // Actions are not settings.
    refused("apply = 1\n", &["unknown key `apply`"]);
    fs::remove_file(subject.root.join("nopol.toml")).unwrap();

    let manifest = format!("{MANIFEST}\n[package.metadata.nopol]\nfule = 3\n");
    fs::write(subject.root.join("Cargo.toml"), manifest).unwrap();
    refuses(
        &subject.nopol(&["--print-config"]),
        &["Cargo.toml, line 9: unknown key `fule`; did you mean `fuel`?"],
    );
    fs::write(subject.root.join("Cargo.toml"), MANIFEST).unwrap();

    let mut command = subject.command(&["--print-config"]);
    let run = command
        .env("CARGO_NOPOL_TOPP", "3")
        .output()
        .unwrap()
        .into();
    refuses(
        &run,
        &["`CARGO_NOPOL_TOPP`", "did you mean `CARGO_NOPOL_TOP`?"],
    );
    let mut command = subject.command(&["--print-config", "--format", "json"]);
    let run: Run = command.env("CARGO_NOPOL_TOP", "0").output().unwrap().into();
    refuses(&run, &["`CARGO_NOPOL_TOP`: 0 is not a positive number"]);
    assert_eq!(run.json()["outcome"], "usage-error");
}

#[test]
fn a_member_has_the_settings_of_its_workspace() {
    let member = MANIFEST.replace("\n[workspace]\n", "");
    let subject = Subject::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\"]\nresolver = \"2\"\n",
        ),
        ("nopol.toml", "top = 3\npackage = [\"subject\"]\n"),
        ("a/Cargo.toml", &member),
        ("a/src/lib.rs", "#[test] fn t() {}"),
    ]);
    let root = subject.root.canonicalize().unwrap();
    let mut command = subject.command(&["--print-config"]);
    let run = command
        .current_dir(subject.root.join("a"))
        .output()
        .unwrap()
        .into();
    holds(
        &run,
        &[
            &format!("top = 3 # {}/nopol.toml:1", root.display()),
            &format!("package = [\"subject\"] # {}/nopol.toml:2", root.display()),
        ],
    );
}

/// A C program, and settings beside what is said of it.
fn program(settings: &str) -> Subject {
    let source = "int main(int argc, char **argv) { return argc > 1; }\n";
    let config = format!(
        "{settings}[c]\nsources = [\"a.c\"]\nbuild = \"cc -o a a.c\"\n\n[[c.test]]\nname = \"none\"\ncommand = \"./a\"\n"
    );
    Subject::new(&[("a.c", source), ("nopol.toml", &config)])
}

#[test]
fn a_c_program_has_settings_beside_what_is_said_of_it() {
    let subject = program("top = 2\ntest-timeout = 3\n\n");
    let root = subject.root.canonicalize().unwrap();
    let run = subject.nopol_c(&["--print-config", "--top=4"]);
    holds(
        &run,
        &[
            "top = 4 # --top",
            &format!("test-timeout = 3 # {}/nopol.toml:2", root.display()),
            "[c]",
            &format!("sources = [\"a.c\"] # {}/nopol.toml:5", root.display()),
            &format!("build = \"cc -o a a.c\" # {}/nopol.toml:6", root.display()),
            "sanitize = false # default",
            "serial = false # default",
            "# timeout is not set",
            &format!("# c.test: {}/nopol.toml:8", root.display()),
        ],
    );
    let given = subject.nopol_c(&["--print-config", "--build", "make", "--sanitize"]);
    holds(
        &given,
        &["build = \"make\" # --build", "sanitize = true # --sanitize"],
    );
    assert!(!run.stdout.contains("features"), "{}", run.stdout);
    // They are obeyed, and the program is still known.
    let listed = subject.nopol_c(&["list", "--format", "json"]).json();
    assert_eq!(listed["outcome"], "listed");

    let subject = program("tops = 2\n");
    refuses(
        &subject.nopol_c(&["list"]),
        &["nopol.toml, line 1: unknown key `tops`; did you mean `top`?"],
    );
    let subject = Subject::new(&[("nopol.toml", "[c]\nbild = \"make\"\n")]);
    refuses(
        &subject.nopol_c(&["list"]),
        &[
            "nopol.toml, line 2: unknown key `bild`",
            "did you mean `build`?",
        ],
    );
}

/// The schema of settings describes each with the type and the values that a file may give it.
#[test]
fn print_schema_describes_every_setting() {
    let subject = everywhere();
    let schema = subject.nopol(&["--print-schema"]).json();
    let listed = subject.nopol(&["--print-config"]).stdout;
    for line in listed.lines() {
        let key = line.trim_start_matches("# ").split(' ').next().unwrap();
        let help = schema["properties"][key]["description"].as_str();
        assert!(help.is_some_and(|help| !help.is_empty()), "{key}");
    }
    let of = |key: &str, what: &str| schema["properties"][key][what].to_string();
    assert_eq!(of("multi", "type"), "\"boolean\"");
    assert_eq!(of("file", "type"), "\"array\"");
    assert_eq!(
        (of("top", "type"), of("top", "minimum")),
        ("\"integer\"".into(), "1".into())
    );
    assert_eq!(of("flips", "minimum"), "0");
    assert_eq!(of("time-limit", "type"), "\"number\"");
    assert_eq!(of("min-confidence", "maximum"), "1");
    assert_eq!(
        of("fail-on", "enum"),
        "[\"patched\",\"no-patch\",\"never\"]"
    );
    // A file may not switch the sandbox off.
    assert!(!of("sandbox", "enum").contains("off"));
    assert_eq!(
        schema["properties"]["c"]["properties"]["test"]["type"],
        "array"
    );
}
