//! `--format html`: one self-contained page about a run, for a browser.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use nopol_basics::{agree, count};

use super::human::{how, place, places, positions};
use super::{Render, Rendered};
use crate::report::AlternativeReport;
use crate::report::ClauseReport;
use crate::report::ContextTable;
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::PatchReport;
use crate::report::Phase;
use crate::report::SiteReport;
use crate::report::phrases::{capitalized, heading, sureness, unbuilt};
use crate::report::{advice, claim, number};

/// The page.
pub struct Html;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/walk.js");

/// Most lines shown before and after a place.
const AROUND: usize = 4;

impl Render for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn help(&self) -> &'static str {
        "A self-contained page for a browser"
    }

    fn shows_places(&self) -> bool {
        true
    }

    fn is_for_people(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        Ok((page(outcome).into_string() + "\n").into())
    }
}

fn page(outcome: &Outcome) -> Markup {
    let title = title(outcome);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#patches" { "Skip to the patches" }
                header {
                    h1 { (title) }
                    (introduction(outcome))
                }
                main {
                    section id="patches" { (patches(outcome)) }
                    (sources(outcome))
                    (sites(outcome))
                    (phases(&outcome.phases, outcome.builds))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn title(outcome: &Outcome) -> String {
    match outcome.ending {
        Ending::Patched | Ending::PartlyPatched => {
            format!("cargo nopol: {}", number(&outcome.patches))
        }
        Ending::NoPatch => format!("cargo nopol: {}", outcome.none_found()),
        other => format!("cargo nopol: {}", other.name().replace('-', " ")),
    }
}

fn introduction(outcome: &Outcome) -> Markup {
    let complaint = |test: &str| {
        let mut complaints = outcome.complaints.iter();
        complaints.find(|it| it.test == test).map(|it| &*it.why)
    };
    // A function that must be correct for all arguments has no tests.
    let tests = [
        &outcome.passing_tests,
        &outcome.failing_tests,
        &outcome.flaky_tests,
    ];
    let has_tests = tests.iter().any(|tests| !tests.is_empty());
    html! {
        @if let Some(why) = outcome.why_not() {
            div.scroll { pre { span { (why) } } }
        }
        @if !outcome.failing_tests.is_empty() {
            h2 { (capitalized(&count(outcome.failing_tests.len(), "failing test"))) }
            ul {
                @for test in &outcome.failing_tests {
                    li { code { (test) } @if let Some(why) = complaint(test) { " " span.soft { (prose(why)) } } }
                }
            }
        }
        p.soft {
            @if has_tests {
                (count(outcome.passing_tests.len(), "test")) (agree(outcome.passing_tests.len(), " passes", " pass"))
                @if !outcome.flaky_tests.is_empty() { ", " (outcome.flaky_tests.len()) (agree(outcome.flaky_tests.len(), " is flaky", " are flaky")) }
                ". "
            }
            "Command: " code { (outcome.command) (outcome.options) }
        }
        @for warning in &outcome.warnings { p.card { "Warning: " (prose(warning)) } }
    }
}

fn patches(outcome: &Outcome) -> Markup {
    html! {
        @if !outcome.patches.is_empty() {
            h2 { "Patches" }
            p { (capitalized(&claim(&outcome.patches))) ". " (advice(&outcome.patches)) }
            nav.walk aria-label="Patches" {
                button id="previous" type="button" title="key k" { "Previous" }
                button id="next" type="button" title="key j" { "Next" }
                @for patch in &outcome.patches {
                    a href={ "#patch-" (patch.rank) } { (patch.rank) }
                }
            }
            @for patch in &outcome.patches { (article(outcome, patch)) }
        }
    }
}

fn article(outcome: &Outcome, patch: &PatchReport) -> Markup {
    html! {
        article id={ "patch-" (patch.rank) } tabindex="-1" {
            h3 { "Patch " (patch.rank) ": " (prose(&heading(patch))) }
            p {
                span.sure role="img" aria-label=(sureness(patch)) {
                    i style=(format!("width: {:.0}%", patch.confidence * 100.0)) {}
                }
                " " (sureness(patch)) ", " (patch.kind) " at " code { (places(patch)) }
            }
            (diff(&patch.diff))
            @if !patch.fixes.is_empty() {
                p { "Fixes " @for (nth, test) in patch.fixes.iter().enumerate() { @if nth > 0 { ", " } code { (test) } } "." }
            }
            @if let Some(caveat) = patch.evidence.caveat() {
                p { strong { "Unchecked" } ": " (caveat) "." }
            }
            @if let Some(doubt) = patch.doubt() {
                p { (prose(&capitalized(&doubt))) "." }
            }
            @if let Some(open) = outcome.open_question(patch) {
                p { (prose(&capitalized(&open))) @if !open.ends_with('?') { "." } }
            }
            @if !patch.clauses.is_empty() {
                h3 { "What decided it" }
                ul { @for clause in &patch.clauses { li { (clause_text(clause)) } } }
            }
            @for table in &patch.tables { (contexts(table)) }
            @if patch.alike > 0 {
                details {
                    summary { (count(patch.alike, "alternative")) ", " (unbuilt(patch.alike)) "; " (outcome.family_is_alike(patch)) }
                    @for (number, other) in (1..).zip(&patch.alternatives) { (alternative(patch, number, other)) }
                }
            }
        }
    }
}

fn alternative(patch: &PatchReport, number: usize, other: &AlternativeReport) -> Markup {
    html! {
        h3 { (patch.rank) "." (number) " " (prose(&other.change)) }
        @if let Some(differs) = &other.differs { p.soft { (prose(&differs.sentence())) } }
        (diff(&other.diff))
    }
}

fn diff(text: &str) -> Markup {
    let lines: Vec<&str> = text.lines().collect();
    // A hunk without lines after its changes is the last of its file, so no `@@` follows them.
    let is_heading = |at: usize| {
        let starts = ["--- ", "+++ ", "@@ "];
        let mut rest = lines[at..].iter().zip(starts);
        lines.len() >= at + 3 && rest.all(|(line, start)| line.starts_with(start))
    };
    let class = |at: usize| match lines[at].as_bytes().first() {
        _ if is_heading(at) || at > 0 && is_heading(at - 1) => "file",
        Some(b'+') => "plus",
        Some(b'-') => "minus",
        Some(b'@') => "at",
        _ => "same",
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Diff" {
            pre { @for (at, line) in lines.iter().enumerate() { span class=(class(at)) { (line) } } }
        }
    }
}

/// An expression or statement of the subject; if it has several lines, as a block without the indentation that the
/// lines after its first share.
fn code(text: &str) -> Markup {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let later = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let shared = later.map(indentation).min().unwrap_or(0);
    let lines = text.lines().enumerate().map(|(at, line)| {
        let dropped = if at == 0 { 0 } else { shared };
        line.get(dropped..).unwrap_or(line.trim_start())
    });
    html! {
        @if text.contains('\n') {
            div.scroll tabindex="0" role="region" aria-label="Code" {
                pre { @for line in lines { span { (line) } } }
            }
        } @else {
            code { (text) }
        }
    }
}

fn clause_text(clause: &ClauseReport) -> Markup {
    html! {
        (code(&clause.text))
        @match clause.outcome {
            None => { ": no test decides it" }
            Some(outcome) => {
                ": decides in " (count(clause.contexts, "context"))
                " of " (clause.failing_tests.len()) " failing and " (count(clause.passing_tests.len(), "passing test"))
                ", for example " (outcome)
                @for (nth, (name, value)) in clause.example.iter().enumerate() {
                    @if nth == 0 { " with " } @else { ", " } code { (name) " = " (value) }
                }
            }
        }
    }
}

/// A sentence, with the text between backticks as code.
fn prose(text: &str) -> Markup {
    html! {
        @for (nth, part) in text.split('`').enumerate() {
            @if nth % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The contexts recorded at a place. Cells with deciding values are marked.
fn contexts(table: &ContextTable) -> Markup {
    let yields = |outcome: Option<bool>| outcome.map_or("–".to_owned(), |it| it.to_string());
    html! {
        @if !table.rows.is_empty() {
            details {
                summary { "Distinct values recorded here (" (table.rows.len() + table.more) "); deciding values are marked" }
                div.scroll tabindex="0" role="region" aria-label="Contexts" {
                    table {
                        thead { tr {
                            th { "test" }
                            @for name in &table.names { th { (code(name)) } }
                            th { "before" } th { "now" }
                        } }
                        tbody { @for row in &table.rows {
                            tr.failing[row.is_failing] {
                                th.test scope="row" {
                                    (row.test)
                                    @if row.tests > 1 { " and " (count(row.tests - 1, "other")) }
                                    @if row.is_failing { " (failing)" }
                                }
                                @for (value, deciding) in row.values.iter().zip(&row.deciding) {
                                    td.code.deciding[*deciding] { (value) }
                                }
                                td { (yields(row.before)) }
                                td { @if row.before == row.after { (yields(row.after)) } @else { strong { (yields(row.after)) } } }
                            }
                        } }
                    }
                }
                @if table.more > 0 { p.soft { "and " (table.more) " more" } }
            }
        }
    }
}

/// The lines around places. More suspicious lines have warmer colours.
fn sources(outcome: &Outcome) -> Markup {
    let mut of_files: BTreeMap<&str, Vec<&SiteReport>> = BTreeMap::new();
    for site in &outcome.sites {
        of_files.entry(&site.file).or_default().push(site);
    }
    html! {
        @if !outcome.files.is_empty() {
            h2 { "Lines that failing tests execute" }
            p { "The warmer the colour of a line, the more suspicious it is: failing tests execute it, and few passing tests do. A note below a line names the forced outcomes that make a failing test pass." }
            @for (file, sites) in &of_files {
                @if let Some(text) = outcome.files.get(*file) {
                    details open[outcome.patches.iter().any(|patch| patch.edits.iter().any(|edit| edit.file == **file))] {
                        summary { code { (file) } " (" (count(sites.len(), "place")) ")" }
                        (source(text, sites))
                    }
                }
            }
        }
    }
}

fn source(text: &str, sites: &[&SiteReport]) -> Markup {
    let mut shown = BTreeSet::new();
    let mut heat: BTreeMap<usize, f64> = BTreeMap::new();
    for site in sites {
        shown.extend(site.line.saturating_sub(AROUND).max(1)..=site.line + AROUND);
        let lines = site.text.matches('\n').count();
        let lines = if matches!(site.kind, "guard") {
            0
        } else {
            lines
        };
        for line in site.line..=site.line + lines {
            let known = heat.entry(line).or_default();
            *known = known.max(site.suspiciousness);
            shown.insert(line);
        }
    }
    let is_after_gap = |number: usize| number > 1 && !shown.contains(&(number - 1));
    html! {
        div.source tabindex="0" role="region" aria-label="Source" {
            @for (number, line) in (1..).zip(text.lines()).filter(|(number, _)| shown.contains(number)) {
                @if is_after_gap(number) { div.row { span.number { "⋮" } } }
                @let warmth = heat.get(&number).copied().unwrap_or(0.0);
                div.row style=[(warmth > 0.0).then(|| format!("background: rgb(var(--heat) / {:.2})", 0.08 + warmth * 0.4))]
                    title=[(warmth > 0.0).then(|| format!("suspiciousness {warmth:.2}"))] {
                    span.number { (number) }
                    code.text { (line) }
                }
                @for site in sites.iter().filter(|site| site.line == number && !site.angelic.is_empty()) {
                    div.note { (angelic(site)) }
                }
            }
        }
    }
}

/// The forced outcomes of a site, in words.
fn angelic(site: &SiteReport) -> String {
    let mut said: Vec<String> = Vec::new();
    for angelic in &site.angelic {
        let how = how(site, angelic);
        if !said.contains(&how) {
            said.push(how);
        }
    }
    format!("{}: {}", site.kind, said.join(", "))
}

fn sites(outcome: &Outcome) -> Markup {
    let mut found: Vec<&SiteReport> = outcome.sites.iter().collect();
    found.retain(|site| !site.angelic.is_empty());
    found.sort_by(|a, b| b.suspiciousness.total_cmp(&a.suspiciousness));
    html! {
        @if !found.is_empty() {
            h2 { "Places" }
            details {
                summary { (count(positions(found.iter().copied()).len(), "place")) " where a forced outcome makes a failing test pass, of " (positions(&outcome.sites).len()) " that failing tests reach" }
                div.scroll tabindex="0" role="region" aria-label="Places" {
                    table {
                        thead { tr { th { "suspiciousness" } th { "place" } th { "kind" } th { "text" } th { "forced" } th { "why no patch" } } }
                        tbody { @for site in found { tr {
                            td { (format!("{:.2}", site.suspiciousness)) }
                            td.code { (place(site)) }
                            td { (site.kind) }
                            td { (code(&site.text)) }
                            td { (angelic(site)) }
                            td { (site.reason.as_deref().unwrap_or("")) }
                        } } }
                    }
                }
            }
        }
    }
}

/// A bar chart of the phases.
fn phases(phases: &[Phase], builds: u32) -> Markup {
    let longest = phases
        .iter()
        .map(|phase| phase.seconds)
        .fold(0.001, f64::max);
    let all: f64 = phases.iter().map(|phase| phase.seconds).sum();
    let height = phases.len() * 24 + 4;
    html! {
        @if !phases.is_empty() {
            h2 { "Time" }
            p.soft { (format!("{all:.1}")) " seconds, " (count(builds as usize, "build")) }
            svg viewBox=(format!("0 0 640 {height}")) width="100%" style="max-width: 44rem" role="img" aria-label="Seconds for each phase" {
                @for (nth, phase) in phases.iter().enumerate() {
                    @let y = nth * 24 + 4;
                    text x="190" y=(y + 13) text-anchor="end" { (phase.name) }
                    rect x="200" y=(y) width=(format!("{:.1}", 1.0 + phase.seconds / longest * 330.0)) height="16" rx="3" {}
                    text x=(format!("{:.1}", 208.0 + phase.seconds / longest * 330.0)) y=(y + 13) { (format!("{:.2} s", phase.seconds)) }
                }
            }
        }
    }
}
