//! `--format github-review`: the body of a request that creates a review on a pull request
//! (`POST /repos/OWNER/REPO/pulls/NUMBER/reviews`). A comment must be on a line of the pull request's diff; otherwise
//! GitHub refuses the whole review (422). So patches elsewhere are described in the review's text, and as annotations on
//! standard error.

use anyhow::{Context, Result};
use nopol_basics::count;
use nopol_basics::visible::is_hidden;
use serde_json::{Value, json};

use super::{Render, Rendered, github};
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::markup::{fenced, prose};
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
            "body": body(outcome, comments.len(), &elsewhere),
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

fn body(outcome: &Outcome, comments: usize, elsewhere: &[&PatchReport]) -> String {
    let mut text = match (comments, elsewhere.len()) {
        (0, 0) => {
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
        (0, elsewhere) => {
            let best = match elsewhere {
                1 => "the best patch lies".to_owned(),
                _ => format!(
                    "the best patches for {} lie",
                    count(elsewhere, "probable cause")
                ),
            };
            match outcome.diff_lines {
                Some(_) => {
                    format!("`cargo nopol`: {best} outside the lines of this pull request.")
                }
                None => format!(
                    "`cargo nopol` found {} and does not know the lines of a pull request.",
                    match elsewhere {
                        1 => "a patch".to_owned(),
                        _ => format!("patches for {}", count(elsewhere, "probable cause")),
                    }
                ),
            }
        }
        (_, _) => format!(
            "`cargo nopol` found patches{}: {}. {}",
            match outcome.failing_tests.is_empty() {
                true => "",
                false => " for the failing tests",
            },
            claim(&outcome.patches),
            advice(&outcome.patches)
        ),
    };
    if let Some(unfixed) = outcome.unfixed() {
        text += &format!(" {}", prose(&unfixed));
    }
    for patch in elsewhere {
        text += &format!(
            "\n\n{}\n\n{}",
            prose(&message(patch)),
            fenced("diff", patch.diff.trim_end())
        );
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::patch;

    #[test]
    fn patches_outside_the_pull_request_are_counted() {
        let patches = [patch(1, "score >= needed"), patch(2, "score != needed")];
        for (count, words) in [
            (1, "`cargo nopol`: the best patch lies outside"),
            (
                2,
                "`cargo nopol`: the best patches for 2 probable causes lie outside",
            ),
        ] {
            let elsewhere: Vec<&PatchReport> = patches.iter().take(count).collect();
            let given = Outcome {
                diff_lines: Some(Default::default()),
                ..Outcome::default()
            };
            let text = body(&given, 0, &elsewhere);
            assert!(text.contains(words), "{text}");
            let text = body(&Outcome::default(), 0, &elsewhere);
            assert!(!text.contains("this pull request"), "{text}");
        }
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
            assert_eq!(body(&outcome, 0, &[]), words);
        }
    }
}
