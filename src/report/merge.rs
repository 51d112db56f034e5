//! Joins the outcomes of the shards of one search. Each shard examined other sites with the same tests.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use nopol_basics::agree;

use super::{DifferenceReport, Ending, GroupReport, Outcome, PatchReport, Phase, SiteReport};

/// Joins outcomes. At most `top` patches are kept for each group of failing tests. The order of the outcomes does not
/// matter.
///
/// # Errors
/// If there is no outcome, a shard is missing or given twice, or the outcomes are not shards of one search: other tests
/// fail, a file has another text, or the options on places differ.
pub fn merge(outcomes: &[Outcome], top: usize) -> Result<Outcome> {
    check_shards(outcomes)?;
    check_texts(outcomes)?;
    let mut with_tests = outcomes
        .iter()
        .filter(|outcome| is_searched(outcome.ending));
    let Some(first) = with_tests.next().or(outcomes.first()) else {
        bail!("there is nothing to merge");
    };
    for other in with_tests {
        if other.failing_tests != first.failing_tests {
            bail!(
                "these are not shards of one search: in one the failing tests are {:?}, in another {:?}",
                first.failing_tests,
                other.failing_tests
            );
        }
    }
    let mut merged = first.clone();
    merged.share = None;
    merged.options = without_shard(&first.options);
    let worst = outcomes
        .iter()
        .max_by_key(|outcome| badness(outcome.ending));
    (merged.ending, merged.message) = match worst {
        // A shard that was stopped or failed decides the ending, but the patches of the others are kept.
        Some(worst) if badness(worst.ending) > 0 => (worst.ending, worst.message.clone()),
        _ if outcomes.iter().any(|outcome| is_patched(outcome.ending)) => (Ending::Patched, None),
        _ => (first.ending, first.message.clone()),
    };
    merged.unread = distinct(outcomes.iter().flat_map(|outcome| &outcome.unread));
    merged.warnings = distinct(outcomes.iter().flat_map(|outcome| &outcome.warnings));
    let sharing = outcomes
        .iter()
        .filter(|outcome| !outcome.patches.is_empty());
    if outcomes.len() > 1 && sharing.count() > 0 {
        merged.warnings.push(SHARED.to_owned());
    }
    merged.complaints = distinct(outcomes.iter().flat_map(|outcome| &outcome.complaints));
    merged.flaky_tests = distinct(outcomes.iter().flat_map(|outcome| &outcome.flaky_tests));
    merged.flaky_tests.sort();
    merged.sites = sites(outcomes);
    let places = outcomes.iter().map(|outcome| outcome.scope.places);
    merged.scope.places = places.sum();
    let files = outcomes.iter().flat_map(|outcome| &outcome.files);
    merged.files = files
        .map(|(file, text)| (file.clone(), Arc::clone(text)))
        .collect();
    (merged.groups, merged.patches) = patches(outcomes, top);
    if is_patched(merged.ending) {
        merged.set_patched();
    }
    merged.phases = phases(outcomes);
    merged.builds = outcomes.iter().map(|outcome| outcome.builds).sum();
    merged.has_doctests = outcomes.iter().any(|outcome| outcome.has_doctests);
    merged.tried_pairs = outcomes.iter().any(|outcome| outcome.tried_pairs);
    merged.hidden_by = outcomes
        .iter()
        .find_map(|outcome| outcome.hidden_by.clone());
    merged.is_disturbed = outcomes.iter().any(|outcome| outcome.is_disturbed);
    Ok(merged)
}

/// A warning about patches of several shards.
const SHARED: &str = "each shard of the search ranked its own patches: a single search might show other patches, in another order and \
                      with other percentages";

/// Checks that every shard of a search is there exactly once.
fn check_shards(outcomes: &[Outcome]) -> Result<()> {
    // A whole search is its own only shard.
    let shards = outcomes.iter().map(|outcome| outcome.share);
    let shards: Vec<(u64, u64)> = shards.map(|shard| shard.unwrap_or((1, 1))).collect();
    let Some((_, all)) = shards.first() else {
        return Ok(());
    };
    if let Some((_, other)) = shards.iter().find(|(_, of)| of != all) {
        bail!(
            "these are not shards of one search: one file is a shard of {all}, another a shard of {other}"
        );
    }
    for (nth, (number, _)) in shards.iter().enumerate() {
        if shards[..nth].iter().any(|(known, _)| known == number) {
            bail!(
                "shard {number}/{all} is given twice{}; give the outcome of each shard once",
                match &*missing(&shards, *all) {
                    "" => String::new(),
                    missing => format!(", and {missing}"),
                }
            );
        }
    }
    match &*missing(&shards, *all) {
        "" => Ok(()),
        missing => bail!(
            "{missing}; {} {} needed, and `--shard K/{all} --format outcome` prints one",
            nopol_basics::all(*all as usize, "shard"),
            agree(*all as usize, "is", "are")
        ),
    }
}

/// Names the missing shards, as a clause. Empty if none is missing.
fn missing(shards: &[(u64, u64)], all: u64) -> String {
    /// Most shards that are named.
    const MOST: usize = 10;
    let is_there = |number: &u64| shards.iter().any(|(known, _)| known == number);
    let mut missing = (1..=all).filter(|number| !is_there(number));
    let named: Vec<String> = missing
        .by_ref()
        .take(MOST)
        .map(|it| format!("{it}/{all}"))
        .collect();
    let more = if missing.next().is_some() {
        " and more"
    } else {
        ""
    };
    match &*named {
        [] => String::new(),
        [one] => format!("shard {one} is missing"),
        _ => format!("shards {}{more} are missing", named.join(", ")),
    }
}

/// Checks that the shards have read the same files and may change the same places.
fn check_texts(outcomes: &[Outcome]) -> Result<()> {
    let Some(first) = outcomes.first() else {
        return Ok(());
    };
    let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
    for outcome in outcomes {
        if (outcome.command, &outcome.narrowed_by) != (first.command, &first.narrowed_by) {
            let told = |it: &Outcome| format!("{} {}", it.command, it.narrowed_by.join(" "));
            bail!(
                "these are not shards of one search: one is of `{}`, another of `{}`",
                told(first).trim_end(),
                told(outcome).trim_end()
            );
        }
        let sites = outcome.files.iter().map(|(file, text)| (&**file, &**text));
        let edits = outcome.patches.iter().flat_map(|patch| &patch.edits);
        let edits = edits.map(|edit| (&*edit.file, &*edit.original));
        for (file, text) in sites.chain(edits) {
            if *texts.entry(file).or_insert(text) != text {
                bail!(
                    "these are not shards of one search: {file} differs between them; search again, with the same files for all shards"
                );
            }
        }
    }
    Ok(())
}

/// The options of a shard without `--shard`, for a command about the whole search.
fn without_shard(options: &str) -> String {
    let mut words = shlex::split(options).unwrap_or_default().into_iter();
    let mut kept = String::new();
    while let Some(word) = words.next() {
        match &*word {
            "--shard" => drop(words.next()),
            _ if word.starts_with("--shard=") => {}
            // The rest is for the test binaries.
            "--" => {
                let rest = std::iter::once(word).chain(words.by_ref());
                kept.extend(rest.map(|word| quoted(&word)));
            }
            _ => kept += &quoted(&word),
        }
    }
    kept
}

/// A word quoted for a shell, preceded by a space.
fn quoted(word: &str) -> String {
    // No argument contains NUL.
    shlex::try_quote(word).map_or_else(|_| String::new(), |word| format!(" {word}"))
}

fn is_patched(ending: Ending) -> bool {
    matches!(ending, Ending::Patched | Ending::PartlyPatched)
}

/// Whether the run got far enough to know the failing tests.
fn is_searched(ending: Ending) -> bool {
    badness(ending) < 2
}

/// How much of a shard is missing: nothing (0), part of the search (1), or all of it (2).
fn badness(ending: Ending) -> u8 {
    match ending {
        Ending::Patched | Ending::PartlyPatched | Ending::NoPatch => 0,
        Ending::TimeLimit | Ending::Interrupted => 1,
        Ending::NothingToRepair
        | Ending::Localized
        | Ending::Listed
        | Ending::CannotBuild
        | Ending::UnusableBaseline
        | Ending::Usage
        | Ending::Internal => 2,
    }
}

fn distinct<'o, T: Clone + PartialEq + 'o>(texts: impl Iterator<Item = &'o T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for text in texts {
        if !kept.contains(text) {
            kept.push(text.clone());
        }
    }
    kept
}

/// Every site once, most suspicious first. Of the reports on a site from several shards, one with angelic outcomes is
/// kept.
fn sites(outcomes: &[Outcome]) -> Vec<SiteReport> {
    let mut by_id: BTreeMap<&str, &SiteReport> = BTreeMap::new();
    for site in outcomes.iter().flat_map(|outcome| &outcome.sites) {
        let known = by_id.entry(&site.id).or_insert(site);
        if known.angelic.is_empty() {
            *known = site;
        }
    }
    let mut sites: Vec<SiteReport> = by_id.into_values().cloned().collect();
    sites.sort_by(|a, b| {
        let by_place = || (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column));
        b.suspiciousness
            .total_cmp(&a.suspiciousness)
            .then_with(by_place)
    });
    sites
}

/// The upper bound on the confidence in a patch that cures fewer tests than another one of its group
/// (`docs/reference.md`, *How sure*).
const CURES_FEWER: f64 = 0.1;

/// The upper bound on the confidence in every patch if no patch cures some failing test.
const NONE_CURES: f64 = 0.3;

/// The groups and their patches, best first. Takes the best of the first remaining patches of each shard: tested ones
/// before others, last resorts last, more cured tests before fewer, cheaper before dearer.
fn patches(outcomes: &[Outcome], top: usize) -> (Vec<GroupReport>, Vec<PatchReport>) {
    let causes = causes(outcomes);
    // A test that no patch of any shard fixes may have the same cause as one that is fixed.
    let all = outcomes.iter().flat_map(|outcome| &outcome.patches);
    let cured: Vec<&String> = all.flat_map(|patch| &patch.fixes).collect();
    let mut failing = outcomes.iter().flat_map(|outcome| {
        let failing = outcome.failing_tests.iter();
        failing.filter(|test| !outcome.not_targeted.contains(test))
    });
    let is_incurable = failing.any(|test| !cured.contains(&test));
    let (mut groups, mut all): (Vec<GroupReport>, Vec<PatchReport>) = Default::default();
    for (nth, tests) in causes.iter().enumerate() {
        let of_cause = |outcome: &Outcome| -> Vec<PatchReport> {
            let own = outcome.groups.iter();
            let own = own.filter(|group| cause_of(&causes, &group.tests) == Some(nth));
            let ids: Vec<&String> = own.flat_map(|group| &group.patches).collect();
            let patches = outcome.patches.iter();
            let patches = patches.filter(|patch| ids.contains(&&patch.id));
            patches.cloned().collect()
        };
        let mut shards: Vec<Vec<PatchReport>> = outcomes.iter().map(of_cause).collect();
        let cured = shards.iter().flatten().map(|patch| patch.fixes.len());
        let most_cured = cured.max().unwrap_or(0);
        shards.iter_mut().for_each(|shard| shard.reverse());
        let mut ids = Vec::new();
        // Each shard rated only its own patches. At most one patch of a group is right, and no patch is surer than one
        // above it.
        let (mut taken, mut least) = (0.0, f64::INFINITY);
        while ids.len() < top {
            // Shards are reversed, so the last patch of each is its best.
            let next = shards.iter_mut().filter(|shard| !shard.is_empty());
            let key = |shard: &&mut Vec<PatchReport>| {
                let patch = shard.last();
                patch.map(|patch| {
                    (
                        !patch.evidence.is_tested(),
                        patch.is_trivial,
                        most_cured - patch.fixes.len(),
                        patch.cost,
                        patch.id.clone(),
                    )
                })
            };
            let Some(patch) = next.min_by_key(key).and_then(Vec::pop) else {
                break;
            };
            if !ids.contains(&patch.id) {
                ids.push(patch.id.clone());
                let own = match patch.fixes.len() < most_cured {
                    true => f64::min(patch.confidence, CURES_FEWER),
                    false if is_incurable => f64::min(patch.confidence, NONE_CURES),
                    false => patch.confidence,
                };
                let left = own * (1.0 - f64::min(taken, 1.0));
                taken += left;
                least = f64::min(least, (left * 100.0).round() / 100.0);
                all.push(PatchReport {
                    confidence: least,
                    rank: all.len() + 1,
                    ..patch
                });
            }
        }
        groups.push(GroupReport {
            tests: tests.clone(),
            patches: ids,
        });
    }
    renumber(&mut all);
    (groups, all)
}

/// Updates the ranks in the differences between patches. Drops a difference from a patch that is gone.
fn renumber(patches: &mut [PatchReport]) {
    let ranks = patches.iter().map(|patch| (patch.id.clone(), patch.rank));
    let ranks: BTreeMap<String, usize> = ranks.collect();
    for patch in patches {
        patch.differs = patch.differs.take().and_then(|differs| {
            let other = *ranks.get(&differs.other)?;
            Some(DifferenceReport {
                ranks: [patch.rank, other],
                ..differs
            })
        });
    }
}

/// Groups the failing tests by cause, as a whole search does: first the tests of the largest group of any shard, and of
/// equally large groups the one with the cheapest patch; then the remaining tests of the next group, and so on. Groups
/// with only last resorts come last.
fn causes(outcomes: &[Outcome]) -> Vec<Vec<String>> {
    let mut groups: Vec<(bool, Reverse<usize>, u32, &Vec<String>)> = Vec::new();
    for outcome in outcomes {
        for GroupReport { tests, patches } in &outcome.groups {
            let mut all = outcome.patches.iter();
            let first = patches.first();
            let best = all.find(|patch| Some(&patch.id) == first);
            let (is_trivial, cost) =
                best.map_or((true, u32::MAX), |best| (best.is_trivial, best.cost));
            groups.push((is_trivial, Reverse(tests.len()), cost, tests));
        }
    }
    groups.sort();
    let mut causes: Vec<Vec<String>> = Vec::new();
    for (.., tests) in groups {
        let is_new = |test: &&String| !causes.iter().any(|cause| cause.contains(test));
        let new: Vec<String> = tests.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            causes.push(new);
        }
    }
    causes
}

/// The first cause that contains one of these tests.
fn cause_of(causes: &[Vec<String>], tests: &[String]) -> Option<usize> {
    causes
        .iter()
        .position(|cause| cause.iter().any(|test| tests.contains(test)))
}

/// The phases of all shards, summed by name.
fn phases(outcomes: &[Outcome]) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    for phase in outcomes.iter().flat_map(|outcome| &outcome.phases) {
        match phases.iter_mut().find(|known| known.name == phase.name) {
            Some(known) => {
                known.seconds += phase.seconds;
                known.runs += phase.runs;
            }
            None => phases.push(phase.clone()),
        }
    }
    phases
}

#[cfg(test)]
mod tests;
