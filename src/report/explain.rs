//! The report on one patch or one site: what decided the patch, which question is open, and which test would answer it.

use std::fmt::Write;

use nopol_basics::{agree, count};

use super::Assurance;
use super::ClauseReport;
use super::EditReport;
use super::Outcome;
use super::PatchReport;
use super::SiteReport;
use super::format::human::{how, place, places};
use super::markup::code;

/// Most tests named per clause.
const MOST_TESTS: usize = 5;

/// Explains the patch or site with this id, the patch with this rank, or the sites at this `FILE:LINE`. `None` if there
/// is none.
pub fn render(outcome: &Outcome, id: &str) -> Option<String> {
    let mut out = String::new();
    let patch = outcome
        .patches
        .iter()
        .find(|patch| patch.id == id || patch.rank.to_string() == id);
    // Writing to a string does not fail.
    if let Some(found) = patch {
        let _ = patch_text(found, outcome, &mut out);
        return Some(out);
    }
    let is_meant =
        |site: &&SiteReport| site.id == id || format!("{}:{}", site.file, site.line) == id;
    for site in outcome.sites.iter().filter(is_meant) {
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = site_text(site, outcome, &mut out);
    }
    (!out.is_empty()).then_some(out)
}

fn patch_text(patch: &PatchReport, outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    let at = places(patch);
    writeln!(
        out,
        "Patch {} ({}, {at}), id {}\n",
        patch.rank, patch.kind, patch.id
    )?;
    writeln!(out, "{}", patch.diff)?;
    writeln!(out, "Change: {}.\n", patch.why)?;
    if let Some(caveat) = patch.evidence.caveat() {
        writeln!(out, "Unchecked: {caveat}.\n")?;
    }
    if let Some(doubt) = patch.doubt() {
        writeln!(out, "{}.\n", super::phrases::capitalized(&doubt))?;
    }
    let is_cut = is_cut_off(patch, outcome);
    if patch.clauses.is_empty() && patch.evidence.is_ranked() && patch.kind != "arithmetic" {
        let why = match is_cut {
            true => {
                "The search was stopped before it examined the recorded values, so `explain` cannot show which tests need which part of this patch."
            }
            false => {
                "No values were recorded for this patch, so `explain` cannot show which tests need which part of it; it was judged by test results alone."
            }
        };
        writeln!(out, "{why}\n")?;
    }
    for clause in &patch.clauses {
        clause_text(clause, out)?;
    }
    if !patch.clauses.is_empty() && !patch.unrecorded.is_empty() {
        writeln!(
            out,
            "No values were recorded here for {}: none of the outcomes tried at this place made {} pass. The patch makes {} pass.\n",
            super::phrases::names(&patch.unrecorded),
            agree(patch.unrecorded.len(), "it", "them"),
            agree(patch.unrecorded.len(), "it", "them")
        )?;
    }
    alternatives(patch, outcome, out)?;
    let Some(differs) = &patch.differs else {
        let any = |is_it: fn(&PatchReport, &PatchReport) -> bool| {
            outcome.patches.iter().any(|other| is_it(other, patch))
        };
        return match outcome.patches.len() {
            _ if !patch.evidence.is_ranked() => Ok(()),
            1 => writeln!(out, "There is no other patch to compare it with."),
            _ if !any(is_beside) => writeln!(
                out,
                "There is no other patch at this place to compare it with."
            ),
            _ if !any(has_sites_of) => writeln!(
                out,
                "Its condition was not compared with that of another patch: no other patch makes a change of this kind at the same place."
            ),
            _ if is_cut => writeln!(
                out,
                "Its condition was not compared with that of another patch: the search was stopped."
            ),
            _ => writeln!(
                out,
                "Its condition was not compared with that of another patch: only conditions found from recorded values can be compared."
            ),
        };
    };
    let other = differs.ranks[1];
    let values = match differs.is_seen {
        true => "their conditions differ for some recorded values",
        false => "their conditions agree for all recorded values",
    };
    let compared = told_apart(patch, other, outcome);
    // A test that only one of them fixes says more than recorded values that do not distinguish them.
    let is_decided = compared.starts_with(": ");
    match is_decided && !differs.is_seen {
        true => writeln!(out, "Compared with patch {other}{compared}."),
        false => writeln!(out, "Compared with patch {other}: {values}{compared}."),
    }?;
    match differs.question() {
        Some(question) => {
            writeln!(out, "  {question}")?;
            // Recorded values may come from runs with forced outcomes, and from tests that pass with both.
            writeln!(
                out,
                "  If this outcome affects what a test can check, a test that reaches {at} with {} decides between the patches.",
                agree(differs.context.len(), "this value", "these values")
            )
        }
        None if is_decided => Ok(()),
        None => {
            if !differs.is_seen {
                write!(
                    out,
                    "  The search knows no values for which these patches differ; "
                )?;
            } else {
                write!(out, "  ")?;
            }
            writeln!(
                out,
                "`{} apply {} --with-test{}` looks for a test that distinguishes them.",
                outcome.command, patch.rank, outcome.place
            )
        }
    }
}

/// How the tests distinguish a patch from the one with rank `other`. Names the failing tests that only one of them
/// fixes.
fn told_apart(patch: &PatchReport, other: usize, outcome: &Outcome) -> String {
    let Some(other) = outcome.patches.iter().find(|it| it.rank == other) else {
        return String::new();
    };
    let only = |one: &PatchReport, beside: &PatchReport| {
        let fixed = one.fixes.iter();
        let more: Vec<&String> = fixed.filter(|test| !beside.fixes.contains(test)).collect();
        let names = super::phrases::names(&more);
        (!more.is_empty()).then(|| format!("only patch {} fixes {names}", one.rank))
    };
    let apart = [only(patch, other), only(other, patch)];
    let apart: Vec<String> = apart.into_iter().flatten().collect();
    match () {
        () if !apart.is_empty() => format!(": {}", apart.join(", and ")),
        () if patch.passes_the_same_as(other) => "; no test distinguishes the patches".to_owned(),
        () if patch.failing_examples != other.failing_examples => {
            let fail_only = |one: &PatchReport, beside: &PatchReport| {
                let failing = one.failing_examples.iter();
                let more: Vec<&String> = failing
                    .filter(|it| !beside.failing_examples.contains(it))
                    .collect();
                let doctests = agree(more.len(), "the doctest", "the doctests");
                let names = super::phrases::names(&more);
                let fail = agree(more.len(), "fails", "fail");
                (!more.is_empty())
                    .then(|| format!("{doctests} {names} {fail} only with patch {}", one.rank))
            };
            let apart = [fail_only(patch, other), fail_only(other, patch)];
            let apart: Vec<String> = apart.into_iter().flatten().collect();
            format!("; both fix the same tests, but {}", apart.join(", and "))
        }
        () => "; both fix the same failing tests".to_owned(),
    }
}

/// Whether two patches share a place: a displayed line, or code that both replace.
fn is_beside(a: &PatchReport, b: &PatchReport) -> bool {
    let is_common = |one: &EditReport, other: &EditReport| {
        let (one_span, other_span) = (&one.span, &other.span);
        let overlap = one_span.start < other_span.end && other_span.start < one_span.end;
        one.file == other.file && (one.line == other.line || overlap)
    };
    let mut edits = a.edits.iter();
    a.id != b.id && edits.any(|one| b.edits.iter().any(|other| is_common(one, other)))
}

/// Whether another patch changes the code at exactly the same sites. Only then can their conditions be compared.
fn has_sites_of(a: &PatchReport, b: &PatchReport) -> bool {
    a.id != b.id && a.sites().eq(b.sites())
}

/// Whether the search was stopped before it looked at the values that were recorded for a patch: it does so for all accepted
/// patches at once.
fn is_cut_off(patch: &PatchReport, outcome: &Outcome) -> bool {
    let mut patches = outcome.patches.iter();
    patch.evidence == Assurance::Together
        || outcome.ending.was_stopped() && patches.all(|it| it.clauses.is_empty())
}

/// The alternatives to the patch.
fn alternatives(patch: &PatchReport, outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    if patch.alike == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "{}, {} ({}):",
        agree(patch.alike, "Alternative", "Alternatives"),
        super::phrases::unbuilt(patch.alike),
        outcome.family_is_alike(patch)
    )?;
    for (number, other) in (1..).zip(&patch.alternatives) {
        writeln!(out, "  {}.{number} {}", patch.rank, other.change)?;
        match &other.differs {
            Some(differs) => writeln!(out, "      {}", differs.sentence())?,
            None => writeln!(
                out,
                "      The recorded values show no difference between it and the patch."
            )?,
        }
    }
    match patch.alike - patch.alternatives.len() {
        0 => {}
        more => writeln!(out, "  and {more} more")?,
    }
    if !patch.alternatives.is_empty() {
        let (command, rank, place) = (outcome.command, patch.rank, &outcome.place);
        match patch.alternatives.len() {
            1 => writeln!(out, "  Apply it with `{command} apply {rank}.1{place}`.")?,
            _ => writeln!(out, "  Apply one with `{command} apply {rank}.N{place}`.")?,
        }
    }
    writeln!(out)
}

fn clause_text(clause: &ClauseReport, out: &mut String) -> std::fmt::Result {
    // A statement that is removed, or a constant condition, has no clause to write about.
    if clause.is_constant() {
        writeln!(
            out,
            "The place is reached in {}",
            count(clause.contexts, "context")
        )?;
        deciding_tests(clause, out)?;
        return writeln!(out);
    }
    writeln!(out, "Clause `{}`", clause.text)?;
    let Some(outcome) = clause.outcome else {
        return writeln!(
            out,
            "  no test decides it: negating it changes no recorded outcome\n"
        );
    };
    let contexts = count(clause.contexts, "context");
    writeln!(out, "  decides the outcome in {contexts}")?;
    deciding_tests(clause, out)?;
    match &*clause.example {
        example if is_itself(example) => writeln!(out, "  for example, where it is {outcome}\n"),
        example => writeln!(out, "  for example: {outcome} with {}\n", values(example)),
    }
}

/// Whether the only value that a clause reads is a truth value, which is its own or the opposite.
fn is_itself(example: &[(String, String)]) -> bool {
    matches!(example, [(_, value)] if is_truth(value))
}

fn is_truth(value: &str) -> bool {
    ["true", "false"].contains(&value)
}

/// The tests in which a clause decides.
fn deciding_tests(clause: &ClauseReport, out: &mut String) -> std::fmt::Result {
    for (kind, tests) in [
        ("failing", &clause.failing_tests),
        ("passing", &clause.passing_tests),
    ] {
        if tests.is_empty() {
            writeln!(out, "  in no {kind} test")?;
            continue;
        }
        let named: Vec<String> = tests.iter().take(MOST_TESTS).map(|it| code(it)).collect();
        let more = match tests.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        writeln!(
            out,
            "  in {}: {}{more}",
            count(tests.len(), &format!("{kind} test")),
            named.join(", ")
        )?;
    }
    Ok(())
}

fn values(values: &[(String, String)]) -> String {
    let each: Vec<String> = values
        .iter()
        // A comparison of values that are not recorded themselves.
        .map(
            |(name, value)| match name.contains(' ') && is_truth(value) {
                true => format!("`{name}` {value}"),
                false => format!("{name} = {value}"),
            },
        )
        .collect();
    match each.is_empty() {
        true => "any values".to_owned(),
        false => each.join(", "),
    }
}

fn site_text(site: &SiteReport, outcome: &Outcome, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "{} ({}), id {}\n  {}\n",
        place(site),
        site.kind,
        site.id,
        site.text
    )?;
    writeln!(
        out,
        "Suspiciousness {:.3} (0 to 1; high if many failing and few passing tests execute it).",
        site.suspiciousness
    )?;
    for angelic in &site.angelic {
        writeln!(
            out,
            "  {}: {} passes",
            how(site, angelic),
            code(&angelic.test)
        )?;
    }
    let patches = outcome.patches.iter();
    let here: Vec<String> = patches
        .filter(|patch| patch.is_at(site))
        .map(|patch| patch.rank.to_string())
        .collect();
    match (&site.reason, here.is_empty()) {
        (_, false) => writeln!(
            out,
            "{} {} {} here.",
            agree(here.len(), "Patch", "Patches"),
            super::phrases::listed(&here),
            agree(here.len(), "is", "are")
        ),
        (Some(reason), _) => writeln!(out, "No patch here: {reason}."),
        (None, _) if site.kind == "arithmetic" => writeln!(
            out,
            "No patch here: no small edit that was tried makes a failing test pass without breaking another."
        ),
        (None, _) if site.angelic.is_empty() => writeln!(
            out,
            "No patch here: no forced outcome makes a failing test pass."
        ),
        (None, _) => writeln!(out, "No patch here."),
    }
}
