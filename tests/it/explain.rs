//! `cargo nopol explain`, and what else tells how a patch came about: the evidence in JSON, `--dump`
//! and `--engine`.

use std::path::Path;

use crate::common::{Subject, strings};
use insta::assert_snapshot;
use serde_json::Value;

fn percentile() -> Subject {
    Subject::fixture("percentile", "percentile")
}

#[test]
fn a_patch_is_explained_by_its_tests_and_by_what_they_leave_open_and_an_unknown_id_is_refused() {
    let subject = percentile();
    let report = subject.nopol(&["--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    assert!(patches.len() > 1, "nothing to compare with: {report:#}");
    let first = &patches[0];
    let clause = &first["clauses"][0];
    assert_eq!(clause["text"], "pos >= n");
    assert_eq!(clause["failing_tests"], report["failing_tests"]);
    assert!(!strings(&clause["passing_tests"]).is_empty());
    // The failing test came there with equal numbers.
    assert_eq!(clause["example"]["pos"], clause["example"]["n"]);
    assert_eq!(clause["yields"], true);
    let differs = &first["differs"];
    // Nothing was observed of the second patch.
    let others = patches[1..].iter().map(|patch| &patch["id"]);
    assert!(others.into_iter().any(|id| *id == differs["other"]));
    // `fpos` is the floor of `pos`: what a solver makes up of the two cannot occur, and nobody is asked about it.
    assert!(differs["yields"].is_null(), "{differs}");
    assert!(differs["question"].is_null(), "{differs}");

    let explained = subject.nopol(&["explain", first["id"].as_str().unwrap()]);
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    assert_snapshot!(explained.stdout, @"
    Patch 1 (condition, src/rank.rs:31), id 1cce2c43-1b60df7e

    --- a/src/rank.rs
    +++ b/src/rank.rs
    @@ -28,7 +28,7 @@
         if pos < 1.0 {
             return sorted[0];
         }
    -    if pos > n {
    +    if pos >= n {
             return sorted[sorted.len() - 1];
         }
         let lower = sorted[int_pos - 1];

    Change: `>` changed to `>=`.

    Clause `pos >= n`
      decides the outcome in 11 contexts
      in 1 failing test: `rank::tests::third_quartile_of_three_values`
      in 9 passing tests: `rank::tests::at_the_first_value`, `rank::tests::at_the_middle_value`, `rank::tests::between_two_values`, `rank::tests::hundredth_percentile_is_the_maximum`, `rank::tests::just_before_the_last_value` and 4 more
      for example: true with pos = 3.0, n = 3.0

    Alternative, not built on its own (no test distinguishes it from this patch):
      1.1 `n <= fpos` on line 31
          The recorded values show no difference between it and the patch.
      Apply it with `cargo nopol apply 1.1`.

    Compared with patch 2: their conditions agree for all recorded values; no test distinguishes the patches.
      The search knows no values for which these patches differ; `cargo nopol apply 1 --with-test` looks for a test that distinguishes them.
    ");

    let alternative = subject.nopol(&["explain", "1.1"]);
    assert_eq!(alternative.stdout, subject.nopol(&["explain", "1"]).stdout);
    let missing = subject.nopol(&["explain", "1.9"]);
    assert_eq!((missing.code, &*missing.stdout), (2, ""));
    assert!(
        missing
            .stderr
            .contains("patch 1 has no alternative 9: it has only 1"),
        "{}",
        missing.stderr
    );
    let unknown = subject.nopol(&["explain", "deadbeef"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stdout.is_empty(), "{}", unknown.stdout);
    assert!(
        unknown.stderr.contains(
            "`deadbeef` is neither a patch nor a place of the last search: the patches of that search are "
        ),
        "{}",
        unknown.stderr
    );
}

#[test]
fn an_alternative_of_several_lines_is_described_in_one() {
    let subject = Subject::lib(
        "pub fn may_enter(age: u32, has_ticket: bool, inside: u32, room: u32) -> bool {
    if has_ticket
        && age >= 18
        && inside <= room
    {
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::may_enter;

    #[test]
    fn a_full_house() {
        assert!(!may_enter(20, true, 50, 50));
    }

    #[test]
    fn one_place_is_left() {
        assert!(may_enter(20, true, 49, 50));
        assert!(!may_enter(17, true, 3, 50));
        assert!(!may_enter(20, false, 3, 50));
    }
}
",
    );
    let run = subject.nopol(&["--top", "1"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let explained = subject.nopol(&["explain", "1"]).stdout;
    let described = "1.1 `has_ticket && age ";
    assert!(explained.contains(described), "{explained}");
}

#[test]
#[ignore = "make test-full: its parts are unit tests of src/report"]
fn a_patch_is_explained_by_its_rank_and_a_site_by_its_id() {
    let subject = percentile();
    let by_rank = subject.nopol(&["explain", "1"]).stdout;
    let (_, id) = by_rank.split_once(", id ").unwrap();
    let id = id.split_whitespace().next().unwrap();
    let by_id = subject.nopol(&["explain", id]);
    assert_eq!(by_rank, by_id.stdout);

    let site = id.split('-').next().unwrap();
    let of_site = subject.nopol(&["explain", site]);
    assert!(
        of_site.stdout.contains("forced true: `rank::"),
        "{}",
        of_site.stdout
    );
    assert!(of_site.stdout.contains("\nPatches 1"), "{}", of_site.stdout);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn dumped_problems_are_solved_from_the_file() {
    let subject = percentile();
    let run = subject
        .nopol(&["--format", "json", "--top", "1", "--dump", "problems"])
        .json();
    let site = run["patches"][0]["id"]
        .as_str()
        .unwrap()
        .split('-')
        .next()
        .unwrap()
        .to_owned();
    let name = format!("problems/{site}-1");
    for extension in ["json", "smt2", "sl"] {
        assert!(
            subject.root.join(format!("{name}.{extension}")).is_file(),
            "no {name}.{extension}"
        );
    }
    let solved = subject
        .nopol(&["synth", "--top", "20", &format!("{name}.json")])
        .json();
    let condition = &run["patches"][0]["edits"][0]["condition"];
    let mut candidates = solved["candidates"].as_array().unwrap().iter();
    assert!(
        candidates.any(|candidate| candidate["text"] == *condition),
        "{solved:#}"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_dump_replaces_nothing_that_it_did_not_write() {
    let subject = percentile();
    let before = subject.snapshot();
    let refused = subject.nopol(&["--quick", "--dump", "src"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--dump: src holds `")
            && refused
                .stderr
                .contains("`, which no earlier dump wrote; name a new or an empty directory"),
        "{}",
        refused.stderr
    );
    assert_eq!(subject.snapshot(), before);
    // Its own directory it fills again.
    for _ in 0..2 {
        let run = subject.nopol(&["--quick", "--dump", "problems"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

#[test]
fn a_directory_that_cannot_be_written_ends_the_run_with_a_sentence() {
    let subject = percentile();
    let run = subject.nopol(&["--dump", "Cargo.toml/problems"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("--dump: Cargo.toml/problems cannot be made: Cargo.toml is not a directory"),
        "{}",
        run.stderr
    );
}

/// The condition of the first patch that one engine finds by itself.
fn found_by(engine: &str) -> Value {
    let report = percentile()
        .nopol(&["--format", "json", "--engine", engine, "--top", "1"])
        .json();
    report["patches"][0]["edits"][0]["condition"].clone()
}

#[test]
#[ignore = "make test-full: the solver has its tests in nopol_synth"]
fn the_solver_repairs_by_itself() {
    assert!(found_by("smt").is_string());
}

#[test]
#[ignore = "make test-full: most patches of other tests are found by enumeration"]
fn enumeration_repairs_by_itself() {
    assert_eq!(found_by("enumerate"), "pos >= n");
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_condition_too_long_for_a_line_is_laid_out_as_rustfmt_does() {
    let name = "the_number_of_entries_that_were_read_from_the_file_so_far_by_any_of_the_readers";
    let text = format!(
        "pub fn is_full(\n    {name}: usize,\n    most: usize,\n    closed: bool,\n) -> bool {{\n    if {name} > most {{\n        return true;\n    }}\n    false\n}}\n\n\
         #[cfg(test)]\nmod tests {{\n    use super::*;\n\n    #[test]\n    fn closed_is_full() {{\n        assert!(is_full(1, 3, true));\n        assert!(is_full(2, 9, true));\n    }}\n\n    \
         #[test]\n    fn above() {{\n        assert!(is_full(4, 3, false));\n        assert!(!is_full(2, 3, false));\n        assert!(!is_full(3, 3, false));\n    }}\n}}\n"
    );
    let subject = Subject::lib(&text);
    let report = subject.nopol(&["--format", "json", "--top", "1"]).json();
    let edit = &report["patches"][0]["edits"][0];
    assert_eq!(edit["condition"], format!("{name} > most || closed"));
    let applied = subject.nopol(&["--apply", "--top", "1"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    let patched = subject.root.join("src/lib.rs");
    assert!(is_formatted(&patched), "{}", subject.read("src/lib.rs"));
}

fn is_formatted(file: &Path) -> bool {
    let mut rustfmt = std::process::Command::new("rustfmt");
    rustfmt.args(["--check", "--edition", "2021"]).arg(file);
    rustfmt.output().unwrap().status.success()
}

#[test]
#[ignore = "make test-full: it takes long"]
fn an_alternative_is_explained_with_its_patch_and_a_rank_is_that_of_the_last_search() {
    let subject = Subject::fixture("off-by-one-guard", "off-by-one-guard");
    let found = subject.nopol(&["--top", "2"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    let with_patch = subject.nopol(&["explain", "1.1"]);
    assert!(
        with_patch.stdout.starts_with("Patch 1 "),
        "{}",
        with_patch.stdout
    );
    let unknown = subject.nopol(&["explain", "9"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(
        unknown
            .stderr
            .contains("there is no patch 9 to explain: the last search found 2 patches"),
        "{}",
        unknown.stderr
    );
}

/// Two patches of one place, of which no test tells one from the other, and what they ask of the reader.
fn questions(text: &str) -> Vec<String> {
    let subject = Subject::lib(text);
    let report = subject.nopol(&["--format", "json"]).json();
    let mut said: Vec<String> = Vec::new();
    for patch in report["patches"].as_array().unwrap() {
        let differs = &patch["differs"];
        if differs["seen"] == false {
            said.extend(differs["question"].as_str().map(str::to_owned));
        }
        let others = patch["alternatives"].as_array();
        for other in others.into_iter().flatten() {
            let context = other["context"].as_object();
            said.extend(context.into_iter().map(|context| {
                let values = context.iter();
                let values =
                    values.map(|(name, value)| format!("`{name}` = {},", value.as_str().unwrap()));
                values.collect::<Vec<_>>().join(" ")
            }));
        }
    }
    said
}

#[test]
#[ignore = "make test-full: it takes long"]
fn nobody_is_asked_about_values_of_which_one_is_made_of_the_other() {
    let asked = questions(
        r#"
        /// The last of some rows that fits, in steps of ten.
        pub fn fits(rows: &[u32], room: u32) -> bool {
            let number = rows.len() as u32;
            let tens = number / 10 * 10;
            if number < room && tens < room {
                return true;
            }
            false
        }

        #[cfg(test)]
        mod tests {
            use super::fits;

            #[test]
            fn a_full_room_fits() {
                assert!(fits(&[0; 20], 20));
            }
            #[test]
            fn too_many_do_not() {
                assert!(!fits(&[0; 40], 20));
                assert!(!fits(&[0; 31], 10));
            }
            #[test]
            fn few_do() {
                assert!(fits(&[0; 10], 20));
                assert!(fits(&[0; 12], 30));
            }
        }
        "#,
    );
    let value = |asked: &str, name: &str| -> Option<u32> {
        let (_, after) = asked.split_once(&format!("`{name}` = "))?;
        let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    let both = asked
        .iter()
        .filter_map(|asked| Some((value(asked, "number")?, value(asked, "tens")?)));
    for (number, tens) in both {
        assert_eq!(tens, number / 10 * 10, "{asked:?}");
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_a_caller_may_choose_is_still_asked_about() {
    let asked = questions(
        r#"
        pub fn passes(score: u32, needed: u32) -> bool {
            if score > needed {
                return true;
            }
            false
        }

        #[cfg(test)]
        mod tests {
            use super::passes;

            #[test]
            fn just_enough_is_enough() {
                assert!(passes(50, 50));
            }
            #[test]
            fn less_is_not() {
                assert!(!passes(49, 50));
                assert!(!passes(7, 10));
            }
        }
        "#,
    );
    assert!(
        asked
            .iter()
            .any(|it| it.contains("score") && it.contains("needed")),
        "{asked:?}"
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_is_compared_with_one_that_was_found_from_values_too() {
    let subject = Subject::lib(
        r#"
        pub fn is_leap(year: i32) -> bool {
            year % 4 == 0 && year % 100 != 0
        }

        #[cfg(test)]
        mod tests {
            use super::is_leap;

            #[test]
            fn common() {
                assert!(!is_leap(2023));
                assert!(!is_leap(1900));
            }
            #[test]
            fn leap() {
                assert!(is_leap(2024));
                assert!(is_leap(2000));
            }
        }
        "#,
    );
    let report = subject.nopol(&["--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    let site = |patch: &Value| patch["id"].as_str().unwrap()[..8].to_owned();
    let is_explained =
        |patch: &&Value| patch["clauses"].as_array().is_some_and(|it| !it.is_empty());
    // The first one was found in the text: nothing is known of its values.
    let best = &patches[0];
    assert!(!is_explained(&best), "{best}");
    let said = subject.nopol(&["explain", "1"]).stdout;
    assert!(
        said.contains("it was judged by test results alone"),
        "{said}"
    );
    let beside = patches.iter().filter(|it| site(it) == site(best));
    let explained: Vec<&Value> = beside.filter(is_explained).collect();
    assert!(explained.len() > 1, "{report}");
    for patch in explained {
        assert!(patch["differs"]["other"].is_string(), "{patch}");
    }
}
