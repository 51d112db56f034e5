//! What came of the bugs: a row for each, and the totals against what was asked for.

use std::fmt;

use super::verdicts::{JUDGED, Verdicts};
use super::{Case, Origin, Report, Site};
use crate::tool::median;

/// The first lines of the table.
pub const HEAD: &str = "\
| bug | kind | tests | angelic | patches | plausible | rank | seconds | where it fell short |
| --- | --- | ---: | --- | ---: | --- | ---: | ---: | --- |
";

/// One bug in the table.
pub struct Row {
    id: String,
    kind: String,
    /// How many tests fail before the fix; `given` where a C project's own tests were not found.
    tests: String,
    angelic: Angelic,
    patches: usize,
    plausible: Plausible,
    rank: Rank,
    seconds: Option<f64>,
    short: String,
}

/// Where a forced outcome cures a failing test.
#[derive(Clone, Copy, PartialEq)]
enum Angelic {
    /// Within a few lines of the human fix.
    Here,
    Elsewhere,
    No,
}

#[derive(Clone, Copy, PartialEq)]
enum Plausible {
    Yes,
    /// There are patches, and the tool calls each of them trivial.
    Trivial,
    No,
}

/// Of the patches that are what the human wrote.
#[derive(Clone, Copy, Default)]
struct Rank {
    /// From 1.
    first: Option<usize>,
    /// A better one may be among those not judged.
    is_open: bool,
}

impl Rank {
    fn new(verdicts: impl Iterator<Item = Option<bool>>) -> Self {
        let verdicts: Vec<_> = verdicts.collect();
        let first = verdicts.iter().position(|verdict| *verdict == Some(true));
        let before = first.unwrap_or(verdicts.len()).min(JUDGED);
        Self {
            first: first.map(|index| index + 1),
            is_open: verdicts[..before].contains(&None),
        }
    }
}

impl Row {
    pub fn new(case: &Case, report: &Report, seconds: Option<f64>, verdicts: &Verdicts) -> Self {
        let mut angelic = report.sites.iter().filter(|site| !site.angelic.is_empty());
        let patches = report.patches.iter();
        let rank = Rank::new(patches.map(|patch| verdicts.is_equivalent(case, patch)));
        let short = match (verdicts.short(case), rank.first) {
            (_, Some(1)) => String::new(),
            (Some(short), _) => short.to_owned(),
            (None, _) => fell_short(case, report, rank),
        };
        Self {
            angelic: match angelic.clone().count() {
                0 => Angelic::No,
                _ if angelic.any(|site| case.is_here(&site.file, site.line)) => Angelic::Here,
                _ => Angelic::Elsewhere,
            },
            patches: report.patches.len(),
            plausible: match &report.patches[..] {
                [] => Plausible::No,
                patches if patches.iter().all(|patch| patch.trivial) => Plausible::Trivial,
                _ => Plausible::Yes,
            },
            tests: match report.given {
                true => "given".to_owned(),
                false => report.failing_tests.len().to_string(),
            },
            rank,
            seconds,
            short,
            ..Self::missing(case, "")
        }
    }

    /// A case without a report.
    pub fn missing(case: &Case, why: &str) -> Self {
        Self {
            id: case.id.clone(),
            kind: case.kind.clone(),
            tests: "–".to_owned(),
            angelic: Angelic::No,
            patches: 0,
            plausible: Plausible::No,
            rank: Rank::default(),
            seconds: None,
            short: why.to_owned(),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let angelic = match self.angelic {
            Angelic::Here => "here",
            Angelic::Elsewhere => "elsewhere",
            Angelic::No => "no",
        };
        let plausible = match self.plausible {
            Plausible::Yes => "yes",
            Plausible::Trivial => "trivial",
            Plausible::No => "no",
        };
        let rank = match (self.rank.first, self.rank.is_open) {
            (Some(first), false) => first.to_string(),
            (Some(first), true) => format!("≤ {first}"),
            (None, false) => "–".to_owned(),
            (None, true) => "?".to_owned(),
        };
        let seconds = self.seconds.map_or("–".to_owned(), |s| format!("{s:.0}"));
        writeln!(
            f,
            "| {} | {} | {} | {angelic} | {} | {plausible} | {rank} | {seconds} | {} |",
            self.id,
            self.kind,
            self.tests,
            self.patches,
            cell(&self.short),
        )
    }
}

/// A text for a cell: one line, and no end of the cell in it.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('|', "\\|")
}

/// The phase that did not get further, and why, as far as the report tells.
fn fell_short(case: &Case, report: &Report, rank: Rank) -> String {
    let message = report.message.as_deref().unwrap_or_default();
    match &*report.outcome {
        "patched" | "no-patch" => {}
        "time-limit" => {
            let last = report.phases.last().map_or("start", |phase| &phase.name);
            return format!("{last}: the time limit");
        }
        outcome => return format!("{outcome}: {}", gist(message)),
    }
    let here = report.sites.iter();
    let here = here.filter(|site| case.is_here(&site.file, site.line));
    let angelic = here.clone().filter(|site| !site.angelic.is_empty());
    let mut edits = report.patches.iter().flat_map(|patch| &patch.edits);
    let is_patched_here = edits.any(|edit| case.is_here(&edit.file, edit.line));
    match angelic.min_by_key(|site| case.distance(&site.file, site.line)) {
        _ if rank.first.is_some() => "ranking: others come before it".to_owned(),
        // The nearest is the likeliest; one that gave patches has no reason.
        Some(Site {
            reason: Some(reason),
            ..
        }) => format!("the angelic site there: {reason}"),
        None if here.count() == 0 => "sites: none where the human changed something".to_owned(),
        None if !is_patched_here => "forcing outcomes: none there cures a test".to_owned(),
        _ if rank.is_open => String::new(),
        _ => "the patches there are others".to_owned(),
    }
}

/// The first error in a message, else its first line, not too long.
fn gist(message: &str) -> String {
    let error = message.lines().find(|line| line.starts_with("error"));
    let line = error.or(message.lines().next()).unwrap_or_default();
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Below the rows: how many of all cases, also of those without a report, against the targets.
pub fn totals(rows: &[Row], origin: Origin) -> String {
    type Holds = fn(&Row) -> bool;
    let [angelic, plausible, among_five, first] = match origin {
        Origin::Crates => [85, 65, 50, 35],
        Origin::CProjects => [85, 85, 65, 45],
    };
    let targets: [(&str, u32, Holds); 4] = [
        ("angelic", angelic, |row| row.angelic != Angelic::No),
        ("plausible, not trivial", plausible, |row| {
            row.plausible == Plausible::Yes
        }),
        ("the human's, among the first five", among_five, |row| {
            row.rank.first.is_some_and(|first| first <= 5)
        }),
        ("the human's, first", first, |row| row.rank.first == Some(1)),
    ];
    let mut text = "\n| | asked for | reached | |\n| --- | ---: | ---: | ---: |\n".to_owned();
    for (name, target, holds) in targets {
        let count = rows.iter().filter(|row| holds(row)).count();
        let percent = 100.0 * count as f64 / rows.len().max(1) as f64;
        text += &format!(
            "| {name} | ≥ {target} % | {count} of {} | {percent:.0} % |\n",
            rows.len()
        );
    }
    let mut seconds: Vec<f64> = rows.iter().filter_map(|row| row.seconds).collect();
    let worst = seconds.iter().copied().fold(0.0, f64::max);
    let open = rows.iter().filter(|row| row.rank.is_open).count();
    text + &format!(
        "\nMedian {:.0} s, worst {worst:.0} s. Not judged to the end: {open}.\n",
        median(&mut seconds)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_open_while_a_better_patch_is_not_judged() {
        let shown = |verdicts: &[Option<bool>]| {
            let mut row = Row::missing(&Case::default(), "a | b");
            row.rank = Rank::new(verdicts.iter().copied());
            let text = row.to_string();
            assert!(text.ends_with("a \\| b |\n"));
            text.split(" | ").nth(6).unwrap().to_owned()
        };
        assert_eq!(shown(&[]), "–");
        assert_eq!(shown(&[Some(false), Some(true), None]), "2");
        assert_eq!(shown(&[None, Some(true)]), "≤ 2");
        assert_eq!(shown(&[Some(false), None]), "?");
        assert_eq!(shown(&[Some(false); 7]), "–");
    }

    #[test]
    fn totals_count_every_case() {
        let report: Report = serde_json::from_str(
            r#"{"outcome": "patched", "sites": [{"file": "x.rs", "line": 3, "angelic": [{}]}],
                "patches": [{"trivial": true}, {"edits": []}]}"#,
        )
        .unwrap();
        let case = Case {
            file: "x.rs".to_owned(),
            line: Some(9),
            ..Case::default()
        };
        let row = Row::new(&case, &report, Some(4.0), &Verdicts::default());
        assert!(row.to_string().contains("| 0 | here | 2 | yes | ? | 4 |"));
        let text = totals(&[row, Row::missing(&case, "no checkout")], Origin::Crates);
        assert!(text.contains("| angelic | ≥ 85 % | 1 of 2 | 50 % |"));
        assert!(text.contains("| the human's, first | ≥ 35 % | 0 of 2 | 0 % |"));
        assert!(text.contains("Median 4 s, worst 4 s. Not judged to the end: 1."));
    }
}
