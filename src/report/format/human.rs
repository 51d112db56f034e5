//! The report for people: patches as diffs, or the reason why there is none.

use std::collections::BTreeSet;
use std::fmt::Write;

use anstyle::Style;
use anyhow::Result;
use nopol_basics::{agree, count};

use super::{Render, Rendered};
use crate::report::AngelicHow;
use crate::report::AngelicReport;
use crate::report::Choice;
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::Reach;
use crate::report::SiteReport;
use crate::report::markup::code;
use crate::report::phrases::{any_name, names};
use crate::report::{advice, claim, number};
use crate::report::{assurance, brief, phrases, snippet};

const BOLD: Style = Style::new().bold();

/// Most failing tests whose failure is described.
const MOST_COMPLAINTS: usize = 5;

/// Most angelic sites without a patch whose reason is printed.
const MOST_REASONS: usize = 10;

/// Text for people.
pub struct Human;

impl Render for Human {
    fn name(&self) -> &'static str {
        "human"
    }

    fn help(&self) -> &'static str {
        "Text for people"
    }

    fn shows_places(&self) -> bool {
        true
    }

    fn is_for_people(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        Ok(render(outcome).into())
    }
}

/// The report as styled text. The caller strips the styles if they are not wanted.
pub fn render(outcome: &Outcome) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(outcome, &mut out);
    out
}

fn write(outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    let (command, options, place) = (outcome.command, &outcome.options, &outcome.place);
    if outcome.ending == Ending::NoPatch {
        let none = phrases::capitalized(outcome.none_found());
        writeln!(out, "{BOLD}{none}.{BOLD:#}")?;
    }
    if outcome.shows_complaints() {
        complaints(outcome, out)?;
    }
    patches(outcome, out)?;
    match outcome.ending {
        Ending::Patched | Ending::PartlyPatched => {
            let number = number(&outcome.patches);
            let claim = claim(&outcome.patches);
            let mut groups = outcome.patches_by_group().into_iter();
            writeln!(
                out,
                "{BOLD}{number}{BOLD:#}: {}. {}",
                match groups.any(|group| has_brief(outcome, group)) {
                    true => claim.replace(assurance::LISTED, "its tests (see `--full`)"),
                    false => claim,
                },
                advice(&outcome.patches)
            )?;
            let still = outcome.still_failing();
            if !still.is_empty() {
                writeln!(
                    out,
                    "{BOLD}{}{BOLD:#} {}.",
                    match outcome.patches.len() {
                        1 => "It does not fix",
                        _ => "None of them fixes",
                    },
                    any_name(&still)
                )?;
                if let Some(pairs) = outcome.pairs_in_vain() {
                    writeln!(out, "{pairs}")?;
                }
            }
            match outcome.applied {
                Some(choice) => applied(outcome, choice, out)?,
                None if outcome.is_refused || outcome.reach == Reach::Nothing => {}
                None if outcome.patches.len() == 1 => {
                    writeln!(out, "Apply it with `{command} apply{place}`.")?;
                }
                None => {
                    let one = match outcome.groups.len() {
                        0 | 1 => "one",
                        _ => "one for each cause",
                    };
                    let review = match outcome.reach {
                        Reach::All => {
                            format!(", or go through them with `{command} review{options}`")
                        }
                        Reach::Apply | Reach::Nothing => String::new(),
                    };
                    writeln!(
                        out,
                        "Apply {one} by its number, as in `{command} apply 1{place}`{review}."
                    )?;
                }
            }
        }
        Ending::Localized => sites(outcome, out)?,
        Ending::Listed => list(outcome, out)?,
        Ending::NoPatch => why_not(outcome, out)?,
        Ending::TimeLimit if outcome.patches.is_empty() => {
            writeln!(
                out,
                "{BOLD}The time limit was reached before anything was found.{BOLD:#}"
            )?;
            let message = outcome.message.as_ref();
            let phase = message.and_then(|it| it.split_once(" in the phase "));
            if let Some((_, phase)) = phase {
                writeln!(
                    out,
                    "It was reached in the phase {phase}. Restrict the tests (--failing) or the places (--file, --lines) to save time."
                )?;
            }
        }
        Ending::TimeLimit => {
            writeln!(
                out,
                "{BOLD}The time limit was reached;{BOLD:#} there may be more and better patches."
            )?;
            if let Some(unfixed) = outcome.unfixed() {
                writeln!(out, "{BOLD}{unfixed}{BOLD:#}")?;
            }
        }
        Ending::NothingToRepair => writeln!(out, "{BOLD}Nothing to repair.{BOLD:#}")?,
        Ending::CannotBuild
        | Ending::UnusableBaseline
        | Ending::Interrupted
        | Ending::Usage
        | Ending::Internal => {}
    }
    if let Some(message) = outcome
        .message
        .as_ref()
        .filter(|_| !is_error(outcome.ending) && outcome.ending != Ending::TimeLimit)
    {
        writeln!(out, "{message}")?;
    }
    Ok(())
}

/// The first patch for each group of tests in full, and the others in a line each, unless all are to be shown in full.
fn patches(outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    for group in outcome.patches_by_group() {
        let in_full = match has_brief(outcome, group) {
            true => &group[..1],
            false => group,
        };
        for patch in in_full {
            heading(outcome, patch, out)?;
            writeln!(out, "{}", snippet::styled(patch, &notes(outcome, patch)))?;
        }
        if in_full.len() < group.len() {
            brief::write(outcome, group, out)?;
        }
    }
    Ok(())
}

/// Whether the patches of a group after the first are shown in a line each.
fn has_brief(outcome: &Outcome, group: &[PatchReport]) -> bool {
    // All repairs that `mutate` and `heap` find are alike, so that none comes before the others.
    group.len() > 1 && !outcome.is_full && group[0].evidence.is_ranked()
}

/// Describes how failing tests fail.
fn complaints(outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    for complaint in outcome.complaints.iter().take(MOST_COMPLAINTS) {
        writeln!(out, "  {}", complaint.sentence())?;
    }
    let more = outcome.complaints.len().saturating_sub(MOST_COMPLAINTS);
    if more > 0 {
        writeln!(
            out,
            "  {} also {}",
            count(more, "other test"),
            agree(more, "fails", "fail")
        )?;
    }
    match outcome.complaints.is_empty() {
        true => Ok(()),
        false => writeln!(out),
    }
}

/// A heading with the tests that the following patches are for, if there are patches for several groups of tests.
fn heading(outcome: &Outcome, patch: &PatchReport, out: &mut String) -> std::fmt::Result {
    let mut groups = outcome.groups.iter().zip(1..);
    let of = groups.find(|(group, _)| group.patches.first() == Some(&patch.id));
    let Some((group, number)) = of.filter(|_| outcome.groups.len() > 1) else {
        return Ok(());
    };
    let all = outcome.groups.len();
    let failing = agree(group.tests.len(), "failing test", "failing tests");
    let tests = names(&group.tests);
    writeln!(
        out,
        "{BOLD}Probable cause {number} of {all}{BOLD:#}, {failing} {tests}:\n"
    )
}

/// Notes on a patch.
pub fn notes(outcome: &Outcome, patch: &PatchReport) -> Vec<String> {
    let mut notes = Vec::new();
    if patch.fixes.len() > 1 {
        notes.push(format!("it fixes {}", names(&patch.fixes)));
    }
    if patch.alike > 0 {
        let see = match outcome.reach {
            Reach::Nothing => "",
            Reach::All | Reach::Apply => ": see `explain`",
        };
        notes.push(format!(
            "{}, {}; {}{see}",
            count(patch.alike, "alternative"),
            phrases::unbuilt(patch.alike),
            outcome.family_is_alike(patch)
        ));
    }
    let caveat = patch.evidence.caveat();
    notes.extend(caveat.map(|caveat| format!("unchecked: {caveat}")));
    notes.extend(patch.doubt());
    notes.extend(patch.still_failing_examples());
    notes.extend(outcome.open_question(patch));
    let (command, options) = (outcome.command, &outcome.options);
    if outcome.reach != Reach::Nothing {
        notes.push(format!("more: {command} explain {}{options}", patch.id));
    }
    notes
}

/// Whether the ending is an error, which goes to standard error.
pub fn is_error(ending: Ending) -> bool {
    match ending {
        Ending::CannotBuild
        | Ending::UnusableBaseline
        | Ending::Interrupted
        | Ending::Usage
        | Ending::Internal => true,
        Ending::Patched
        | Ending::PartlyPatched
        | Ending::NoPatch
        | Ending::NothingToRepair
        | Ending::Localized
        | Ending::Listed
        | Ending::TimeLimit => false,
    }
}

/// The changed files, after `--apply` or `apply`.
pub fn files(outcome: &Outcome, choice: Choice) -> String {
    let mut patches = outcome.patches.iter();
    let patch = patches.find(|patch| patch.rank == choice.rank as usize);
    let edits = patch.iter().flat_map(|patch| &patch.edits);
    let files: BTreeSet<&str> = edits.map(|edit| edit.file.as_str()).collect();
    let files: Vec<&str> = files.into_iter().collect();
    files.join(" and ")
}

/// The changed files, and the tests that still fail.
fn applied(outcome: &Outcome, choice: Choice, out: &mut String) -> std::fmt::Result {
    let mut patches = outcome.patches.iter();
    let Some(patch) = patches.find(|patch| patch.rank == choice.rank as usize) else {
        return Ok(());
    };
    writeln!(
        out,
        "{BOLD}Applied {}{BOLD:#} to {}. `{} undo{}` reverts it.",
        choice.named(),
        files(outcome, choice),
        outcome.command,
        outcome.place
    )?;
    let left = outcome.failing_tests.iter();
    let left: Vec<&str> = left
        .filter(|test| !patch.fixes.contains(test))
        .map(String::as_str)
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    let fails = agree(
        left.len(),
        "This test still fails",
        "These tests still fail",
    );
    write!(out, "{fails}: {}.", names(&left))?;
    let others = outcome.groups.iter().filter(|group| {
        let mut tests = group.tests.iter();
        !tests.any(|test| patch.fixes.contains(test))
    });
    let firsts = others.filter_map(|group| {
        let id = group.patches.first()?;
        outcome.patches.iter().find(|patch| patch.id == *id)
    });
    let applies: Vec<String> = firsts
        .map(|patch| {
            format!(
                "`{} apply {}{}`",
                outcome.command, patch.rank, outcome.place
            )
        })
        .collect();
    match applies.is_empty() {
        true => writeln!(
            out,
            " No patch for {} was found.",
            agree(left.len(), "it", "them")
        ),
        false => writeln!(out, " Next: {}.", applies.join(" and ")),
    }
}

fn sites(outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "{BOLD}Places where a forced outcome makes a failing test pass{BOLD:#}, most suspicious first:"
    )?;
    let mut angelic: Vec<&SiteReport> = outcome.sites.iter().collect();
    angelic.retain(|site| !site.angelic.is_empty());
    angelic.sort_by(|a, b| b.suspiciousness.total_cmp(&a.suspiciousness));
    let rows = angelic.len();
    for site in angelic {
        writeln!(
            out,
            "  {:.3}  {}  {}  {}  {}",
            site.suspiciousness,
            site.id,
            place(site),
            site.kind,
            what(site)
        )?;
        for angelic in &site.angelic {
            let how = how(site, angelic);
            writeln!(out, "         {how}: {} passes", code(&angelic.test))?;
        }
    }
    let (angelic, others): (Vec<&SiteReport>, Vec<&SiteReport>) = outcome
        .sites
        .iter()
        .partition(|site| !site.angelic.is_empty());
    let (angelic, others) = (positions(angelic), positions(others));
    if rows > angelic.len() {
        writeln!(
            out,
            "Some rows share a position: {}, {}.",
            count(rows, "row"),
            count(angelic.len(), "position")
        )?;
    }
    match others.difference(&angelic).count() {
        0 => writeln!(out, "Failing tests reach no other place."),
        others => writeln!(
            out,
            "At {} that failing tests reach, no forced outcome makes a test pass.",
            count(others, "other place")
        ),
    }
}

/// The places of these sites. Several exits can be inserted at one place.
pub fn positions<'s>(
    sites: impl IntoIterator<Item = &'s SiteReport>,
) -> BTreeSet<(&'s str, usize, usize)> {
    let sites = sites.into_iter();
    sites
        .map(|site| (&*site.file, site.line, site.column))
        .collect()
}

/// The code at a place, or what a patch would insert there.
pub fn what(site: &SiteReport) -> String {
    let line = first_line(&site.text);
    match site.kind {
        "guard" => format!("insert `{line}`"),
        "condition" if !site.has_condition => format!("insert a condition before `{line}`"),
        _ => line.to_owned(),
    }
}

/// Whether a patch inserts code at a place.
fn is_inserted(site: &SiteReport) -> bool {
    site.kind == "guard" || (site.kind == "condition" && !site.has_condition)
}

/// The forced outcome in words.
pub fn how(site: &SiteReport, angelic: &AngelicReport) -> String {
    // How it is forced at every evaluation, and how at some.
    let [always, verb] = match site.kind {
        "precondition" => ["always skipped", "skipped only"].map(Some),
        "guard" => ["exit always taken", "exit taken only"].map(Some),
        _ => [None, None],
    };
    match (&angelic.how, verb) {
        (AngelicHow::Constant(value), _) => {
            always.map_or_else(|| format!("forced {value}"), str::to_owned)
        }
        (AngelicHow::Flipped(at), verb) => {
            let verb = verb.unwrap_or("flipped");
            let numbers: Vec<String> = at.iter().map(u32::to_string).collect();
            let evaluations = agree(numbers.len(), "evaluation", "evaluations");
            format!("{verb} at {evaluations} {}", phrases::listed(&numbers))
        }
        (AngelicHow::First { evaluations, .. }, Some(verb)) => {
            format!("{verb} at the first {}", evaluations_of(*evaluations))
        }
        (
            AngelicHow::First {
                evaluations,
                outcome,
                then_opposite,
            },
            None,
        ) => {
            let times = evaluations_of(*evaluations);
            let then = match then_opposite {
                true => format!(", then {}", !outcome),
                false => String::new(),
            };
            format!("forced {outcome} at the first {times}{then}")
        }
        (
            AngelicHow::After {
                evaluations,
                outcome,
            },
            verb,
        ) => {
            let what = verb.map_or_else(|| format!("forced {outcome}"), str::to_string);
            format!(
                "{what} after {}",
                count(*evaluations as usize, "evaluation")
            )
        }
    }
}

/// `evaluation` or `2 evaluations`, to follow "the first".
fn evaluations_of(number: u32) -> String {
    match number {
        1 => "evaluation".to_string(),
        _ => format!("{number} evaluations"),
    }
}

fn list(outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    writeln!(out, "{BOLD}Tests{BOLD:#}")?;
    for test in &outcome.tests {
        writeln!(out, "  {test}")?;
    }
    writeln!(out, "{BOLD}Places{BOLD:#}")?;
    for site in &outcome.sites {
        writeln!(
            out,
            "  {}  {}  {}  {}",
            site.id,
            place(site),
            site.kind,
            what(site)
        )?;
    }
    writeln!(
        out,
        "{}, {}",
        count(outcome.tests.len(), "test"),
        count(outcome.sites.len(), "place")
    )?;
    if let Some(why) = outcome.why_no_place() {
        writeln!(out, "{why}")?;
    }
    if let Some(unread) = outcome.why_unread() {
        writeln!(out, "{unread}")?;
    }
    match outcome.scope.unlisted {
        0 => Ok(()),
        _ => writeln!(
            out,
            "Places for an early exit are left out; `--kind guard` lists them."
        ),
    }
}

fn why_not(outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    if outcome.message.is_some() {
        return Ok(());
    }
    if let Some(reason) = outcome.why_no_candidate() {
        writeln!(out, "{reason}")?;
    }
    let mut told = 0;
    for (reason, sites) in outcome.site_reasons() {
        let here = &sites[..sites.len().min(MOST_REASONS - told)];
        let named = |site: &SiteReport| match is_inserted(site) {
            true => format!("{} {}", place(site), what(site)),
            false => format!("{} `{}`", place(site), what(site)),
        };
        match (here, &*sites) {
            ([], _) => break,
            ([site], [_]) => writeln!(out, "  {}: {reason}", named(site))?,
            (here, _) => {
                writeln!(out, "  {reason}:")?;
                for site in here {
                    writeln!(out, "    {}", named(site))?;
                }
            }
        }
        told += here.len();
    }
    match outcome.angelic_sites().len() - told {
        0 => {}
        more => writeln!(out, "  and {more} more; `--format json` has them all")?,
    }
    if let Some(pairs) = outcome.pairs_in_vain() {
        writeln!(out, "{pairs}")?;
    }
    if let Some(unread) = outcome.why_unread() {
        writeln!(out, "{unread}")?;
    }
    Ok(())
}

/// `FILE:LINE` of each edit.
pub fn places(patch: &PatchReport) -> String {
    let edits = patch.edits.iter();
    let places = edits.map(|edit| format!("{}:{}", edit.file, edit.line));
    places.collect::<Vec<String>>().join(" and ")
}

/// `FILE:LINE:COLUMN`.
pub fn place(site: &SiteReport) -> String {
    format!("{}:{}:{}", site.file, site.line, site.column)
}

fn first_line(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, _)) => format!("{} …", first.trim_end()),
        None => text.to_string(),
    }
}
