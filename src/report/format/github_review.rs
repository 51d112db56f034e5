//! `--format github-review`: the body of a request that creates a review on a pull request
//! (`POST /repos/OWNER/REPO/pulls/NUMBER/reviews`). A comment must be on a line of the pull request's diff; otherwise
//! GitHub refuses the whole review (422). So patches elsewhere are described in the review's text, and as annotations on
//! standard error.

use anyhow::{Context, Result};
use nopol_basics::visible::is_hidden;
use nopol_basics::{agree, hash};
use serde_json::{Value, json};

use super::{Render, Rendered, github};
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::markup::{code, fenced, prose};
use crate::report::phrases::{message, sentence};
use crate::report::regions::{Lines, lines};
use crate::report::{advice, claim};

/// The best patch of each cause, as a suggestion.
pub struct Review;

impl Render for Review {
    fn name(&self) -> &'static str {
        "github-review"
    }

    fn help(&self) -> &'static str {
        "A review for GitHub's REST API, with suggestions on the lines of a pull request"
    }

    fn needs_base(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let mut comments: Vec<Value> = Vec::new();
        let mut elsewhere: Vec<&PatchReport> = Vec::new();
        let mut annotations = String::new();
        for patch in outcome.best_patches() {
            let pieces = lines(&patch.edits);
            // A suggestion is committed as it is, so the reader must be able to see all of it.
            let is_visible = |piece: &Lines| !piece.after.chars().any(is_hidden);
            let fits = |piece| is_inside(outcome, piece) && is_visible(piece);
            if pieces.is_empty() || !pieces.iter().all(fits) {
                annotations += &github::annotation(outcome, patch);
                elsewhere.push(patch);
                continue;
            }
            let number = pieces.len();
            for (nth, piece) in (1..).zip(&pieces) {
                comments.push(comment(outcome, patch, piece, (nth, number)));
            }
        }
        let mut review = json!({
            "event": "COMMENT",
            "body": body(outcome, &comments, &elsewhere),
            "comments": comments,
        });
        // Without a commit, GitHub counts the lines in the latest push.
        if let Some(commit) = &outcome.commit {
            review["commit_id"] = json!(commit);
        }
        Ok(Rendered {
            report: serde_json::to_string_pretty(&review).context("cannot write the review")?
                + "\n",
            remark: annotations,
        })
    }
}

/// Whether a comment may be attached to these lines.
fn is_inside(outcome: &Outcome, piece: &Lines) -> bool {
    let path = outcome.in_repository(&piece.file);
    let hunks = outcome.diff_lines.iter().flatten();
    let mut of_file = hunks.filter(|(file, _)| **file == piece.file || **file == path);
    of_file.any(|(_, hunks)| {
        // All lines of a comment must be in one hunk.
        let mut hunks = hunks.iter();
        hunks.any(|hunk| hunk.contains(piece.range.start()) && hunk.contains(piece.range.end()))
    })
}

fn comment(
    outcome: &Outcome,
    patch: &PatchReport,
    piece: &Lines,
    (nth, number): (usize, usize),
) -> Value {
    let part = match number {
        1 => String::new(),
        _ => format!("Part {nth} of {number}; apply all of them.\n\n"),
    };
    let mut comment = json!({
        "path": outcome.in_repository(&piece.file),
        "side": "RIGHT",
        "line": piece.range.end(),
        "body": format!(
            "{}\n\n{part}{}",
            prose(&message(patch)), fenced("suggestion", &piece.after)
        ),
    });
    // GitHub accepts no start for a single line.
    if piece.range.start() < piece.range.end() {
        comment["start_line"] = json!(piece.range.start());
        comment["start_side"] = json!("RIGHT");
    }
    comment
}

/// The text of the review: what was found, patches outside the pull request's lines, and a mark by which the same review is
/// known again.
fn body(outcome: &Outcome, comments: &[Value], elsewhere: &[&PatchReport]) -> String {
    let mut text = match (comments.len(), elsewhere.len()) {
        (0, 0) => nothing(outcome),
        _ => found(outcome, !comments.is_empty()),
    };
    if let Some(unfixed) = outcome.unfixed() {
        text += &format!(" {}", prose(&unfixed));
    }
    if !comments.is_empty() && !elsewhere.is_empty() {
        text += "\n\nOutside the lines of this pull request, where GitHub takes no suggestion:";
    }
    for patch in elsewhere {
        let places = outcome.places_in_repository(patch);
        let places: Vec<String> = places.iter().map(|place| code(place)).collect();
        text += &format!(
            "\n\n{}: {}\n\n{}",
            places.join(" and "),
            prose(&message(patch)),
            fenced("diff", outcome.diff_in_repository(patch).trim_end())
        );
    }
    let comments = serde_json::to_string(comments).unwrap_or_default();
    let hash = hash::short(&format!("{:?}{text}{comments}", outcome.commit));
    format!("{}\n\n<!-- cargo-nopol {hash} -->", text.trim_end())
}

/// What was found.
fn found(outcome: &Outcome, has_comments: bool) -> String {
    let best: Vec<PatchReport> = outcome.best_patches().into_iter().cloned().collect();
    let what = agree(best.len(), "a patch", "patches");
    let what = match outcome.failing_tests.is_empty() {
        true => what.to_owned(),
        false => format!("{what} for the failing tests"),
    };
    let place = match outcome.diff_lines {
        _ if has_comments => "",
        Some(_) => " outside the lines of this pull request",
        None => ", and does not know the lines of a pull request",
    };
    let mut text = format!(
        "`cargo nopol`, which searches for small patches automatically, found {what}{place}: {}. {}",
        claim(&best),
        advice(&best)
    );
    if best.iter().any(|patch| patch.evidence.is_ranked()) {
        text += " Percentages estimate how likely it is that a maintainer would write the patch.";
    }
    match outcome.patches.len().saturating_sub(best.len()) {
        0 => {}
        others => {
            text += &format!(
                " The full report (in GitHub Actions, the summary of the job) has {others} more."
            );
        }
    }
    text
}

/// Why there is no patch.
fn nothing(outcome: &Outcome) -> String {
    let why = outcome.why_not().unwrap_or_default();
    let is_output = why.contains('\n');
    let found = match outcome.ending {
        Ending::NoPatch => " found no patch.".to_owned(),
        Ending::NothingToRepair => ": nothing to repair.".to_owned(),
        Ending::CannotBuild | Ending::UnusableBaseline | Ending::Usage => {
            " did not search:".to_owned()
        }
        other => format!(" found no patch ({}).", other.name().replace('-', " ")),
    };
    let why = match is_output {
        true => format!("\n\n{}", fenced("text", &why)),
        false if found.ends_with(':') => format!(" {}", prose(&why)),
        false => format!(" {}", prose(&sentence(&why))),
    };
    format!("`cargo nopol`{found}{why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::patch;

    #[test]
    fn patches_outside_the_pull_request_have_their_place_in_the_repository() {
        let patches = [patch(1, "score >= needed"), patch(2, "score != needed")];
        let patches = patches.map(|patch| PatchReport {
            diff: format!("--- a/src/lib.rs\n+++ b/src/lib.rs\n{}", patch.diff),
            ..patch
        });
        let given = Outcome {
            diff_lines: Some(Default::default()),
            prefix: "rust/".to_owned(),
            patches: patches.into(),
            ..Outcome::default()
        };
        let elsewhere: Vec<&PatchReport> = given.patches.iter().take(1).collect();
        let text = body(&given, &[], &elsewhere);
        for words in [
            " found a patch outside the lines of this pull request: it fixes ",
            "`rust/src/lib.rs:",
            "--- a/rust/src/lib.rs\n+++ b/rust/src/lib.rs\n@@",
            "has 1 more.",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let unknown = Outcome {
            diff_lines: None,
            ..given.clone()
        };
        let text = body(&unknown, &[], &elsewhere);
        assert!(!text.contains("this pull request"), "{text}");
        let text = body(&given, &[json!({})], &elsewhere);
        assert!(text.contains("GitHub takes no suggestion:"), "{text}");
    }

    #[test]
    fn another_review_has_another_mark() {
        let given = Outcome {
            patches: vec![patch(1, "score >= needed")],
            ..Outcome::default()
        };
        let mark = |outcome: &Outcome, line: u32| {
            let text = body(outcome, &[json!({ "line": line })], &[]);
            text.lines().last().unwrap().to_owned()
        };
        assert_eq!(mark(&given, 1), mark(&given, 1));
        assert_ne!(mark(&given, 1), mark(&given, 2));
        let later = Outcome {
            commit: Some("0123".to_owned()),
            ..given.clone()
        };
        assert_ne!(mark(&given, 1), mark(&later, 1));
    }

    #[test]
    fn a_search_that_was_not_made_has_not_found_no_patch() {
        for (ending, why, words) in [
            (
                Ending::Usage,
                "there is no bin target `zz`",
                "`cargo nopol` did not search: there is no bin target `zz`",
            ),
            (
                Ending::NothingToRepair,
                "both tests pass",
                "`cargo nopol`: nothing to repair. Both tests pass.",
            ),
        ] {
            let outcome = Outcome {
                ending,
                message: Some(why.to_owned()),
                ..Outcome::default()
            };
            assert_eq!(nothing(&outcome), words);
        }
    }
}
