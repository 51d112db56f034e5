//! Outcomes with texts from a hostile subject: sequences that a terminal, a log, Markdown or XML would interpret.

use nopol_basics::visible::{self, is_hidden};

use super::*;
use crate::report::format::FORMATS;

const BAD: &str =
    "\u{1b}[2K\u{1b}]0;t\u{7}\u{9b}1A\r::stop-commands::x\u{202e}\u{2066}\u{200f}\u{0}\u{ffff}";

/// An outcome with hidden characters in every text and name.
fn hostile() -> Outcome {
    let source = format!("// {BAD}\n```\nif score > needed {{ // {BAD}\n}}\n// {BAD}\n");
    let mut bad = patch(1, "score >= needed");
    bad.edits[0] = EditReport {
        file: format!("src/{BAD}\n.rs"),
        line: 3,
        column: 4,
        span: source.find("score >").map_or(0..0, |at| at..at + 14),
        original: source.clone().into(),
        after: format!("score >= needed /*{BAD}*/"),
        condition: format!("score >= needed /*{BAD}*/"),
        ..bad.edits[0].clone()
    };
    bad.diff = format!("@@ -1,3 +1,3 @@\n ```\n ::error::{BAD}\n-{BAD}\n+{BAD}\n");
    let name = format!("t{BAD}\n::warning::name");
    bad.fixes = vec![name.clone()];
    bad.why = BAD.to_owned();
    bad.doubts = vec![format!("{BAD}\n::error::doubt")];
    bad.clauses[0].text = BAD.to_owned();
    bad.clauses[0].failing_tests = vec![name.clone()];
    bad.clauses[0].example = vec![(BAD.to_owned(), BAD.to_owned())];
    Outcome {
        ending: Ending::PartlyPatched,
        message: Some(format!("error: {BAD}\n::error::message\n")),
        warnings: vec![format!("{BAD}\n::error::warning")],
        failing_tests: vec![name.clone(), BAD.to_owned()],
        flaky_tests: vec![format!("{BAD}flaky")],
        passing_tests: vec![format!("{BAD}\npassing")],
        complaints: vec![Complaint {
            test: name,
            why: format!("panics: {BAD}\n::error::complaint"),
        }],
        files: [(format!("src/{BAD}\n.rs"), source.into())].into(),
        patches: vec![bad],
        faults: vec![FaultReport {
            rank: 1,
            places: vec![FaultPlace {
                file: format!("src/{BAD}\n.rs"),
                line: 3,
                column: 4,
                text: format!("score | {BAD}\n::error::text"),
                values: vec![format!("{BAD}\n::error::value")],
            }],
            tests: vec![BAD.to_owned()],
            suspiciousness: 0.5,
        }],
        ..two_patches()
    }
}

/// The hidden characters of a text, apart from the tool's own styles.
fn hidden(text: &str) -> String {
    let text = plain(&text.replace("\u{1b}[0m", ""));
    text.chars()
        .filter(|letter| is_hidden(*letter) || *letter == '\r')
        .collect()
}

#[test]
fn no_format_for_people_or_logs_hides_anything() {
    for name in [
        "human",
        "markdown",
        "html",
        "junit",
        "github",
        "github-review",
        "gitlab",
    ] {
        let format = FORMATS.iter().find(|format| format.name() == name).unwrap();
        let rendered = format.render(&hostile()).unwrap();
        for text in [&rendered.report, &rendered.remark] {
            // No escape sequences are left except the tool's own styles.
            assert_eq!(&visible::styled(text), text, "{name}");
            assert_eq!(hidden(text), "", "{name}: {text:?}");
        }
        if name != "human" {
            assert!(!rendered.report.contains('\u{1b}'), "{name}");
        }
    }
    let explained = explain::render(&hostile().shown(), "1").unwrap();
    assert_eq!(hidden(&explained), "");
}

#[test]
fn only_our_own_lines_are_github_commands() {
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    for name in ["human", "markdown", "html", "junit"] {
        let format = FORMATS.iter().find(|format| format.name() == name).unwrap();
        assert!(format.is_for_people());
        let text = visible::uncommanding(&plain(&format.render(&hostile()).unwrap().report));
        assert!(!text.lines().any(is_command), "{name}: {text}");
    }
    let commands = super::super::format::annotations(&hostile().shown());
    let commands: Vec<&str> = commands.lines().collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    assert!(commands[0].starts_with("::warning file="), "{commands:?}");
    assert!(commands[1].starts_with("::notice file="), "{commands:?}");
}

#[test]
fn messages_of_formats_with_suggestions_hide_nothing_and_the_suggestion_is_exact() {
    for name in ["rustc", "sarif", "rdjson", "rdjsonl"] {
        let format = FORMATS.iter().find(|format| format.name() == name).unwrap();
        let report = format.render(&hostile()).unwrap().report;
        let (mut messages, mut exact) = (0, 0);
        let values = serde_json::Deserializer::from_str(&report).into_iter::<serde_json::Value>();
        for value in values {
            let mut left = vec![("".to_owned(), value.unwrap())];
            while let Some((key, value)) = left.pop() {
                match value {
                    serde_json::Value::String(text)
                        if text == hostile().patches[0].edits[0].after =>
                    {
                        assert!(
                            ["suggested_replacement", "text"].contains(&&*key),
                            "{name}: {key}"
                        );
                        exact += 1;
                    }
                    serde_json::Value::String(text) => {
                        assert_eq!(hidden(&text), "", "{name}: {key}: {text:?}");
                        messages += 1;
                    }
                    serde_json::Value::Array(values) => {
                        left.extend(values.into_iter().map(|value| (key.clone(), value)));
                    }
                    serde_json::Value::Object(fields) => left.extend(fields),
                    _ => {}
                }
            }
        }
        assert!(messages > 3 && exact > 0, "{name}: {report}");
    }
}

#[test]
fn formats_for_programs_keep_every_byte() {
    for name in ["json", "outcome"] {
        let format = FORMATS.iter().find(|format| format.name() == name).unwrap();
        let report = format.render(&hostile()).unwrap().report;
        let value: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert!(value.to_string().contains("202e") || value.to_string().contains('\u{202e}'));
    }
    let diff = FORMATS
        .iter()
        .find(|format| format.name() == "diff")
        .unwrap();
    assert_eq!(
        diff.render(&hostile()).unwrap().report,
        hostile().patches[0].diff
    );
}

#[test]
fn backticks_of_a_source_do_not_end_its_block() {
    let outcome = Outcome {
        message: Some("error:\n```\n# Not a title\n````\n".to_owned()),
        ..hostile()
    };
    for name in ["markdown", "github-review"] {
        let format = FORMATS.iter().find(|format| format.name() == name).unwrap();
        let mut text = format.render(&outcome).unwrap().report;
        if name == "github-review" {
            let review: serde_json::Value = serde_json::from_str(&text).unwrap();
            review["body"].as_str().unwrap().clone_into(&mut text);
        }
        let mut fence: Option<usize> = None;
        let (mut blocks, mut outside) = (0, String::new());
        for line in text.lines() {
            // The fence may be inside a list or a quotation.
            let line = line.trim_start_matches("> ").trim_start_matches("- ");
            let row = line
                .trim_start()
                .bytes()
                .take_while(|byte| *byte == b'`')
                .count();
            let is_bare = line.trim_start().len() == row;
            fence = match fence {
                None if row >= 3 => Some(row),
                Some(open) if row >= open && is_bare => {
                    blocks += 1;
                    None
                }
                fence => fence,
            };
            if fence.is_none() {
                outside += line;
                outside.push('\n');
            }
        }
        assert_eq!(fence, None, "{name}: {text}");
        assert!(blocks > 0, "{name}: {text}");
        assert!(
            !outside.contains("\n ::error") && !outside.contains("# Not a title"),
            "{name}: {outside}"
        );
    }
}

#[test]
fn a_suggestion_with_hidden_characters_is_not_made() {
    let mut outcome = hostile();
    outcome.diff_lines = Some([(outcome.patches[0].edits[0].file.clone(), vec![1..=9])].into());
    let review = FORMATS
        .iter()
        .find(|format| format.name() == "github-review")
        .unwrap();
    let report: serde_json::Value =
        serde_json::from_str(&review.render(&outcome).unwrap().report).unwrap();
    assert_eq!(report["comments"], serde_json::json!([]));
    // A visible suggestion is made, on the commit that its lines refer to.
    let mut outcome = two_patches();
    outcome.diff_lines = Some([("src/lib.rs".to_owned(), vec![1..=9])].into());
    outcome.commit = Some("c0ffee".to_owned());
    let report: serde_json::Value =
        serde_json::from_str(&review.render(&outcome).unwrap().report).unwrap();
    assert_eq!(report["comments"][0]["line"], 4);
    assert_eq!(report["commit_id"], "c0ffee");
}
