//! `--format markdown`: a summary for job pages and comments, in GitHub's Markdown.

use std::fmt::Write;

use anyhow::Result;
use nopol_basics::count;

use super::{Render, Rendered};
use crate::report::Assurance;
use crate::report::Ending;
use crate::report::FaultReport;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::markup::{code, escaped, fenced, prose};
use crate::report::phrases::{capitalized, heading, sentence, sureness, unbuilt};
use crate::report::{advice, claim, number};

/// A table of patches, with a collapsible section for each.
pub struct Markdown;

impl Render for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn help(&self) -> &'static str {
        "A summary in Markdown"
    }

    fn shows_faults(&self) -> bool {
        true
    }

    fn is_for_people(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let mut out = String::new();
        write(outcome, &mut out)?;
        Ok(out.into())
    }
}

fn write(outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    writeln!(out, "## {}\n", title(outcome))?;
    if let Some(why) = outcome.why_not() {
        writeln!(out, "{}\n", text(&sentence(&why)))?;
    }
    if !outcome.patches.is_empty() {
        writeln!(
            out,
            "| | confidence | place | fixes |\n| ---: | --- | --- | --- |"
        )?;
        for patch in &outcome.patches {
            writeln!(
                out,
                "| {} | {} | {} | {} |",
                patch.rank,
                sureness(patch),
                cell(&outcome.places_in_repository(patch).join(" and ")),
                fixed(patch)
            )?;
        }
        writeln!(
            out,
            "\n{}. {}\n",
            capitalized(&claim(&outcome.patches)),
            advice(&outcome.patches)
        )?;
    }
    for patch in &outcome.patches {
        details(outcome, patch, out)?;
    }
    faults(&outcome.faults, out)?;
    list(out, "Failing tests", &outcome.failing_tests)?;
    list(out, "Flaky tests", &outcome.flaky_tests)?;
    for warning in &outcome.warnings {
        writeln!(out, "> {}\n", text(warning).replace('\n', "\n> "))?;
    }
    Ok(())
}

fn title(outcome: &Outcome) -> String {
    let number = number(&outcome.patches);
    if !outcome.faults.is_empty() {
        let number = format!("{} of places", count(outcome.faults.len(), "set"));
        let stopped = match outcome.ending {
            Ending::TimeLimit => " (time limit reached)",
            _ => "",
        };
        return format!(
            "cargo nopol: {number} where different values make the failing tests pass{stopped}"
        );
    }
    match outcome.ending {
        Ending::Patched | Ending::PartlyPatched => format!("cargo nopol: {number}"),
        Ending::NoPatch => format!("cargo nopol: {}", outcome.none_found()),
        Ending::NothingToRepair => "cargo nopol: nothing to repair".to_owned(),
        Ending::TimeLimit => format!("cargo nopol: time limit reached, {number}"),
        // Of `faults` and `mutate`, too, where it is no fault of the tests.
        Ending::UnusableBaseline => "cargo nopol: no search was possible".to_owned(),
        other => format!("cargo nopol: {}", other.name().replace('-', " ")),
    }
}

fn details(outcome: &Outcome, patch: &PatchReport, out: &mut String) -> std::fmt::Result {
    let is_first = if patch.rank == 1 { " open" } else { "" };
    writeln!(
        out,
        "<details{is_first}><summary>Patch {}: {}</summary>\n\n{}\n",
        patch.rank,
        escaped(&heading(patch)),
        fenced("diff", outcome.diff_in_repository(patch).trim_end())
    )?;
    for test in &patch.fixes {
        writeln!(out, "- fixes {}", code(test))?;
    }
    if patch.alike > 0 {
        let alike = outcome.family_is_alike(patch);
        let number = count(patch.alike, "alternative");
        writeln!(out, "- {number}, {}; {alike}", unbuilt(patch.alike))?;
    }
    if let Some(caveat) = patch.evidence.caveat() {
        writeln!(out, "- unchecked: {caveat}")?;
    }
    if let Some(doubt) = patch.doubt() {
        writeln!(out, "- {}", text(&doubt).replace('\n', "\n  "))?;
    }
    if let Some(question) = outcome.open_question(patch) {
        writeln!(out, "- {}", text(&question))?;
    }
    writeln!(out, "\n</details>\n")
}

/// How many tests the patch fixes, if any was run with it.
fn fixed(patch: &PatchReport) -> String {
    match patch.evidence {
        Assurance::Asserted => "not tested".to_owned(),
        _ => count(patch.fixes.len(), "test"),
    }
}

/// A table row for each place.
fn faults(faults: &[FaultReport], out: &mut String) -> std::fmt::Result {
    if faults.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "| | place | text | would have to be |\n| ---: | --- | --- | --- |"
    )?;
    for fault in faults {
        for (nth, place) in fault.places.iter().enumerate() {
            writeln!(
                out,
                "| {} | {} | {} | {} |",
                match nth {
                    0 => fault.rank.to_string(),
                    _ => "and".to_owned(),
                },
                cell(&place.position()),
                cell(&place.text),
                cell(&place.wanted())
            )?;
        }
    }
    writeln!(out, "\nUnchecked: {}.\n", FaultReport::CAVEAT)
}

fn list(out: &mut String, title: &str, names: &[String]) -> std::fmt::Result {
    if names.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<details><summary>{title}: {}</summary>\n",
        names.len()
    )?;
    for name in names {
        writeln!(out, "- {}", code(name))?;
    }
    writeln!(out, "\n</details>\n")
}

/// As code, safe inside a table row.
fn cell(text: &str) -> String {
    code(&text.replace('|', "\\|"))
}

/// A sentence, or the compiler's output as a code block.
fn text(message: &str) -> String {
    match message.contains('\n') {
        true => fenced("text", message.trim_end()),
        false => prose(message),
    }
}
