//! Harnesses of other makes, and packages beside the one under repair.

use crate::common::{GRADES, MANIFEST, Run, Subject, strings};
use crate::shapes::{first_condition, patched, sites};

/// Follows the standard harness's command line as far as it has to, and no further.
const HARNESS: &str = r#"
use subject::passes;

fn main() {
    const TESTS: [(&str, fn() -> bool); 4] = [
        ("grades/more", || passes(51, 50)),
        ("grades/less", || !passes(49, 50)),
        ("grades/just enough", || passes(50, 50)),
        ("grades/ignored", || panic!("this one is run")),
    ];
    let (mut list, mut exact, mut filter) = (false, false, None);
    for arg in std::env::args().skip(1) {
        match &*arg {
            "--list" => list = true,
            "--exact" => exact = true,
            "--ignored" | "--test-threads=1" => {}
            arg if arg.starts_with('-') => {
                eprintln!("unexpected argument, found `{arg}`");
                std::process::exit(1);
            }
            _ => filter = Some(arg),
        }
    }
    let wanted = |name: &str| match &filter {
        Some(filter) if exact => name == filter,
        Some(filter) => name.contains(&**filter),
        None => true,
    };
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for (name, test) in TESTS.iter().filter(|(name, _)| wanted(name)) {
        match *name {
            _ if list => println!("{name}: test"),
            "grades/ignored" => ignored += 1,
            _ if test() => passed += 1,
            _ => failed += 1,
        }
    }
    if list {
        println!("\n{} tests\n", TESTS.len());
        return;
    }
    let said = if failed > 0 { "FAILED" } else { "ok" };
    let counts = format!("{passed} passed; {failed} failed; {ignored} ignored");
    println!("\ntest result: \u{1b}[1m{said}\u{1b}[0m. {counts}; finished in 0.00s\n");
    std::process::exit(if failed > 0 { 101 } else { 0 });
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn tests_of_a_harness_that_follows_the_standard_one_are_run_and_any_other_is_one_test() {
    let target = |name: &str| format!("\n[[test]]\nname = \"{name}\"\nharness = false\n");
    let manifest = [MANIFEST, &target("own"), &target("odd"), &target("sad")].concat();
    let library = GRADES.split("#[cfg(test)]").next().unwrap();
    let subject = Subject::new(&[
        ("Cargo.toml", &manifest),
        ("src/lib.rs", library),
        ("tests/own.rs", HARNESS),
        ("tests/odd.rs", "fn main() { println!(\"all is well\"); }"),
        (
            "tests/sad.rs",
            "fn main() { assert!(subject::passes(50, 50)); }",
        ),
    ]);
    let report = patched(&subject, &[]);
    assert_eq!(first_condition(&report), "score >= needed");
    let failing = ["subject::own::grades/just enough", "subject::sad::main"];
    assert_eq!(strings(&report["failing_tests"]), failing);
    let warnings = strings(&report["warnings"]);
    let is_named = |name: &str| warnings.iter().any(|text| text.contains(name));
    assert!(is_named("`odd`") && is_named("`sad`"), "{warnings:?}");
    assert_eq!(warnings.len(), 2, "{warnings:?}");

    let report = patched(
        &subject,
        &["--test", "own", "--failing", "grades/just enough"],
    );
    assert_eq!(first_condition(&report), "score >= needed");
    let run = subject.nopol(&["--test", "own", "--failing", "grades/ignored"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_path_dependency_outside_of_the_workspace_is_repaired() {
    let library = GRADES.split("#[cfg(test)]").next().unwrap();
    let tests = GRADES.split("mod tests {").nth(1).unwrap();
    let tests = tests.trim_end().trim_end_matches('}');
    let package = |name: &str, rest: &str| {
        let manifest = MANIFEST.replace("[workspace]", rest);
        manifest.replace("\"subject\"", &format!("\"{name}\""))
    };
    let subject = Subject::new(&[
        (
            "Cargo.toml",
            &package("subject", "[dependencies]\nlimits = { path = \"limits\" }")
                .replace("2021", "2015"),
        ),
        (
            "src/lib.rs",
            &format!("extern crate limits;\n{library}pub use limits::capped;\n"),
        ),
        ("limits/Cargo.toml", &package("limits", "")),
        (
            "limits/src/lib.rs",
            "pub fn capped(n: u32) -> u32 { if n > 99 { 99 } else { n } }",
        ),
        ("made/Cargo.toml", &package("made", "")),
        (
            "made/src/lib.rs",
            "pub fn make(n: u32) { if n > 1 { println!(); } }",
        ),
        (
            "suite/Cargo.toml",
            &package(
                "suite",
                "[workspace]\n[dev-dependencies]\nsubject = { path = \"..\" }\n[build-dependencies]\nmade = { path = \"../made\" }",
            ),
        ),
        ("suite/build.rs", "fn main() { made::make(2); }"),
        ("suite/src/lib.rs", ""),
        (
            "suite/tests/grades.rs",
            &format!("{tests}    #[test] fn a_cap() {{ assert_eq!(subject::capped(100), 99); }}\n")
                .replace("use super::", "use subject::"),
        ),
    ]);
    subject.commit();
    let before = subject.snapshot();
    let nopol = |args: &[&str]| -> Run {
        let mut command = subject.command(args);
        command.args(["--format", "json"]);
        command.current_dir(subject.root.join("suite"));
        command.env("CARGO_TARGET_DIR", subject.root.join("target"));
        command.output().unwrap().into()
    };
    let list = |args: &[&str]| -> Vec<String> {
        let report = nopol(&[&["list"], args].concat()).json();
        let sites = report["sites"].as_array().unwrap();
        let files = sites.iter().map(|site| site["file"].as_str().unwrap());
        let mut files: Vec<String> = files.map(String::from).collect();
        files.dedup();
        files
    };
    let (limits, grades) = ("../limits/src/lib.rs", "../src/lib.rs");
    assert_eq!(list(&[]), [limits, grades]);
    assert_eq!(list(&["--file", "../src/*.rs"]), [grades]);
    assert_eq!(list(&["--exclude-file", "../src/**"]), [limits]);

    let run = nopol(&[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(first_condition(&report), "score >= needed");
    assert_eq!(strings(&report["warnings"]), Vec::<String>::new());
    let patch = &report["patches"][0];
    assert_eq!(patch["edits"][0]["file"], grades);
    assert_eq!(subject.snapshot(), before);

    let diff = patch["diff"].as_str().unwrap();
    std::fs::write(subject.root.join("target/p.diff"), diff).unwrap();
    let applied = subject.git(&["apply", "target/p.diff"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    let patched = subject.read("src/lib.rs");
    assert!(patched.contains("score >= needed"), "{patched}");

    subject.git(&["checkout", "-q", "."]);
    assert_eq!(nopol(&["--apply"]).code, 0);
    assert_eq!(subject.read("src/lib.rs"), patched);
    assert!(!subject.has_working_copy());
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_path_dependency_that_inherits_from_its_own_workspace_is_built() {
    let subject = Subject::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"0.1.0\"\nedition = \"2021\"",
        ),
        (
            "crates/grades/Cargo.toml",
            "[package]\nname = \"grades\"\nversion.workspace = true\nedition.workspace = true",
        ),
        ("crates/grades/src/lib.rs", GRADES),
        (
            "suite/Cargo.toml",
            &format!("{MANIFEST}[dependencies]\ngrades = {{ path = \"../crates/grades\" }}"),
        ),
        (
            "suite/src/lib.rs",
            "#[test] fn just_enough() { assert!(grades::passes(5, 5)); }",
        ),
    ]);
    let report = patched(&subject, &["--manifest-path", "suite/Cargo.toml"]);
    let edit = &report["patches"][0]["edits"][0];
    assert_eq!(edit["file"], "../crates/grades/src/lib.rs");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_package_below_one_of_a_registry_by_a_patch_is_repaired() {
    let grades = GRADES.split("#[cfg(test)]").next().unwrap();
    let manifest = MANIFEST.replace("[workspace]", "[dependencies]\nregistered = \"0.1\"");
    let package = |name: &str| MANIFEST.replace("\"subject\"", &format!("\"{name}\""));
    let registered = package("registered").replace("[workspace]", "[dependencies]\ngrades = \"*\"");
    let subject = Subject::new(&[
        (
            "Cargo.toml",
            &format!(
                "{manifest}\n[workspace]\nmembers = [\"grades\"]\n[patch.crates-io]\ngrades = {{ path = \"grades\" }}"
            ),
        ),
        (
            "src/lib.rs",
            "#[test] fn just_enough() { assert!(registered::passes(5, 5)); }",
        ),
        (
            "grades/Cargo.toml",
            &package("grades").replace("[workspace]", ""),
        ),
        ("grades/src/lib.rs", grades),
        (
            ".cargo/config.toml",
            "source.crates-io.replace-with = \"here\"\nsource.here.directory = \"registry\"",
        ),
        ("registry/registered/.cargo-checksum.json", "{\"files\":{}}"),
        ("registry/registered/Cargo.toml", &registered),
        (
            "registry/registered/src/lib.rs",
            "pub fn passes(score: u32, needed: u32) -> bool { if score > 99 { true } else { grades::passes(score, needed) } }",
        ),
    ]);
    let list = subject.nopol(&["list", "--format", "json"]);
    assert!(!sites(&list).iter().any(|site| site.contains("99")));
    let report = patched(&subject, &[]);
    assert_eq!(
        report["patches"][0]["edits"][0]["file"],
        "grades/src/lib.rs"
    );
}
