//! A patch that is applied with a new test: the test passes with it and fails with the patch that is named.

use crate::common::{GRADES, Subject};

/// The rank of the patch that the new test fails with.
fn named(said: &str) -> String {
    let (_, rest) = said.split_once("; patch ").expect(said);
    rest.split_once(" fails it.").expect(said).0.to_owned()
}

#[test]
#[ignore = "make test-full: it takes long"]
fn the_new_test_of_a_crate_fails_with_the_other_patch() {
    let subject = Subject::lib(GRADES);
    assert_eq!(subject.nopol(&[]).code, 0);
    let before = subject.read("src/lib.rs");
    let applied = subject.nopol(&["apply", "1", "--with-test"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    let with_test = subject.read("src/lib.rs");
    assert!(with_test.contains("_nearby()"), "{with_test}");
    // What was written is shown, for its expectation is the patch's.
    assert!(
        applied.stdout.contains("_nearby()")
            && applied
                .stdout
                .contains("The test expects the behaviour of patch 1: check"),
        "{}",
        applied.stdout
    );
    assert_eq!(subject.cargo_test(&[]).code, 0, "{with_test}");

    let undone = subject.nopol(&["undo"]);
    assert!(
        undone.stdout.contains("patch 1 and the test `"),
        "{}",
        undone.stdout
    );
    assert_eq!(subject.read("src/lib.rs"), before);

    let rival = named(&applied.stdout);
    let other = subject.nopol(&["apply", &rival]);
    assert_eq!(other.code, 0, "{}", other.stderr);
    let (_, new) = with_test.split_once("    /// Passes with").unwrap();
    let (new, _) = new.split_once("\n    }\n").unwrap();
    let patched = subject.read("src/lib.rs");
    let end = patched.rfind("}\n").unwrap();
    let both = format!(
        "{}\n    /// Passes with{new}\n    }}\n}}\n",
        &patched[..end]
    );
    std::fs::write(subject.root.join("src/lib.rs"), &both).unwrap();
    let run = subject.cargo_test(&[]);
    assert_ne!(run.code, 0);
    assert!(run.stdout.contains("1 failed"), "{}", run.stdout);
}

/// `>` should be `>=`.
const GRADES_C: &str = "#include <stdio.h>\n#include <stdlib.h>\n\nint main(int argc, char **argv) {\n    int score = atoi(argv[1]);\n    \
                  int needed = atoi(argv[2]);\n    if (score > needed) {\n        puts(\"pass\");\n        return 0;\n    }\n    \
                  puts(\"fail\");\n    return 3;\n}\n";

#[test]
#[ignore = "make test-full: it takes long"]
fn the_new_test_of_a_c_program_is_in_its_description() {
    let test = |name: &str, line: &str, exit: i32, out: &str| {
        format!(
            "\n[[c.test]]\nname = \"{name}\"\ncommand = \"./grades {line}\"\nexit = {exit}\nstdout = \"{out}\\n\"\n"
        )
    };
    let config = [
        "[c]\nsources = [\"grades.c\"]\nbuild = \"cc -o grades grades.c\"\n".to_owned(),
        test("more", "51 50", 0, "pass"),
        test("less", "48 50", 3, "fail"),
        test("equal", "50 50", 0, "pass"),
    ];
    let config = config.concat();
    let subject = Subject::new(&[("grades.c", GRADES_C), ("nopol.toml", &config)]);
    assert_eq!(subject.nopol_c(&[]).code, 0);
    let before = subject.snapshot();
    let applied = subject.nopol_c(&["apply", "1", "--with-test"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    let described = subject.read("nopol.toml");
    assert!(described.starts_with(&config) && described.contains("-nearby\""));
    let all_pass = subject.nopol_c(&[]);
    assert_eq!(all_pass.code, 0);
    assert!(all_pass.stderr.contains("4 pass"), "{}", all_pass.stderr);
    assert!(!all_pass.stderr.contains("doctests"), "{}", all_pass.stderr);

    assert_eq!(subject.nopol_c(&["undo"]).code, 0);
    assert_eq!(subject.snapshot(), before);
    let rival = named(&applied.stdout);
    assert_eq!(subject.nopol_c(&["apply", &rival]).code, 0);
    std::fs::write(subject.root.join("nopol.toml"), &described).unwrap();
    let told = subject.nopol_c(&["--format", "json"]);
    let failing = told.json()["failing_tests"].to_string();
    assert!(failing.contains("-nearby"), "{failing}");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn the_new_test_of_a_c_program_is_in_the_array_of_its_tests() {
    let tests = [
        ("more", "51 50", 0, "pass"),
        ("less", "48 50", 3, "fail"),
        ("equal", "50 50", 0, "pass"),
    ];
    let tests = tests.map(|(name, line, exit, out)| {
        format!(
            "{{ name = \"{name}\", command = \"./grades {line}\", exit = {exit}, stdout = \"{out}\\n\" }}"
        )
    });
    let build = "sources = [\"grades.c\"], build = \"cc -o grades grades.c\"";
    for config in [
        format!("c = {{ {build}, test = [{}] }}\n", tests.join(", ")),
        format!(
            "[c]\n{}\ntest = [\n  {}, # the bug\n]\ntimeout = 3\n",
            build.replace("], ", "]\n"),
            tests.join(",\n  ")
        ),
    ] {
        let config = config.replace('\n', "\r\n");
        let subject = Subject::new(&[("grades.c", GRADES_C), ("nopol.toml", &config)]);
        assert_eq!(subject.nopol_c(&[]).code, 0);
        let applied = subject.nopol_c(&["apply", "1", "--with-test"]);
        assert_eq!(applied.code, 0, "{}", applied.stderr);
        let described = subject.read("nopol.toml");
        assert!(described.contains("-nearby\""), "{described}");
        let lines = described.matches('\n').count();
        assert_eq!(described.matches("\r\n").count(), lines, "{described:?}");
        let all_pass = subject.nopol_c(&[]);
        assert_eq!(all_pass.code, 0, "{described}{}", all_pass.stderr);
        assert!(all_pass.stderr.contains("4 pass"), "{}", all_pass.stderr);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn without_another_patch_nothing_is_written() {
    let subject = Subject::fixture("enum-state", "subject");
    assert_eq!(subject.nopol(&[]).code, 0);
    let before = subject.snapshot();
    let run = subject.nopol(&["apply", "1", "--with-test"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no other patch"), "{}", run.stderr);
    assert_eq!(subject.snapshot(), before);
}

/// Two causes; `hundred` decides what tells the patches of the first from those of the second.
const APART: &str = "pub fn heavy(w: u64) -> bool {
    w > 100
}
pub fn full(n: usize, cap: usize) -> bool {
    n > cap
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn at_cap() { assert!(full(3, 3)); }
    #[test] fn free() { assert!(!full(2, 3)); }
    #[test] fn light() { assert!(!heavy(98)); }
    #[test] fn lighter() { assert!(!heavy(99)); }
    #[test] fn hundred() { assert!(heavy(100)); }
    #[test] fn none() { assert!(!heavy(0)); }
    #[test] fn more() { assert!(heavy(101)); }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn patches_of_another_cause_are_not_what_a_new_test_fails_with() {
    let subject = Subject::lib(APART);
    let run = subject.nopol(&["--format", "json"]);
    let report = run.json();
    let of_hundred = |patch: &&serde_json::Value| patch["fixes"].to_string().contains("hundred");
    let patches = report["patches"].as_array().unwrap();
    let rank = patches.iter().find(of_hundred).unwrap()["rank"].to_string();
    let before = subject.snapshot();
    let run = subject.nopol(&["apply", &rank, "--with-test"]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("no other patch of the same cause")
            || run.stderr.contains("no test like yours"),
        "{}",
        run.stderr
    );
    assert_eq!(subject.snapshot(), before);
}

/// Two causes; `hundred_nearby` (`twice(99)`) distinguishes the patches of the second.
const TWO: &str = "pub fn first(n: u32) -> bool {
    n >= 10
}

pub fn twice(n: u32) -> u32 {
    if n < 100 { n * 2 } else { n }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn ten() {
        assert!(!first(10));
        assert!(first(11));
    }
    #[test]
    fn hundred() {
        assert_eq!(twice(100), 200);
    }
    #[test]
    fn more() {
        assert_eq!(twice(101), 101);
    }
}
";

#[test]
#[ignore = "make test-full: it takes long"]
fn a_new_test_is_found_beside_an_applied_patch_of_another_cause() {
    let subject = Subject::lib(TWO);
    let report = subject.nopol(&["--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    let rank = |line: u64| {
        let of_line = |patch: &&serde_json::Value| patch["edits"][0]["line"] == line;
        patches.iter().find(of_line).unwrap()["rank"].to_string()
    };
    let before = subject.read("src/lib.rs");
    for order in [[2, 6], [6, 2]] {
        for line in order {
            let run = subject.nopol(&["apply", &rank(line), "--with-test"]);
            assert_eq!(run.code, 0, "{order:?} {line}: {}", run.stderr);
        }
        let both = subject.read("src/lib.rs");
        assert_eq!(both.matches("_nearby()").count(), 2, "{both}");
        assert_eq!(subject.cargo_test(&[]).code, 0, "{both}");
        // The same patch again would change the same code.
        let run = subject.nopol(&["apply", &rank(6), "--with-test"]);
        assert_eq!(run.code, 2);
        assert!(
            run.stderr
                .contains("is already applied and fixes `tests::hundred`"),
            "{}",
            run.stderr
        );
        for _ in order {
            assert_eq!(subject.nopol(&["undo"]).code, 0);
        }
        assert_eq!(subject.read("src/lib.rs"), before);
    }
}
