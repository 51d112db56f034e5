//! Doctests: whether there may be any, and running them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use cargo_metadata::TargetKind;
use nopol_process::copy::files;
use nopol_process::run::trace::Trace;
use nopol_source::SiteIndex;
use nopol_source::rust::documentation::may_have_examples;

use super::Packages;
use super::build::{Cargo, PROGRAMS, Runs};
use super::linker;
use crate::subject::workspace::{DoctestReach, Doctests, Linked, TracedDoctests, Workspace};

/// Runs the doctests of the selected packages with one of these parts in their names, or all if there are none, until they have
/// printed nothing for `silence`.
///
/// # Errors
/// If cargo cannot be started or the run is stopped.
pub fn doctests(
    at: &Workspace,
    packages: &Packages,
    silence: Duration,
    only: &[String],
) -> Result<Doctests> {
    Cargo { at, packages }.doctests(Linked::Plain, Runs::within(silence), only)
}

/// As [`doctests`], in an instrumented copy, with the sites that they reach.
///
/// # Errors
/// As [`doctests`], or if a trace cannot be read.
pub fn traced_doctests(
    at: &Workspace,
    packages: &Packages,
    silence: Duration,
    traced: TracedDoctests,
) -> Result<DoctestReach> {
    let traces = at.confinement.scratch.join("traces-of-doctests");
    fs::create_dir_all(&traces).with_context(|| format!("cannot create {traces}"))?;
    let runs = Runs {
        silence,
        traces: Some((&traces, traced.sites, traced.trials)),
    };
    let counters = traced.sites + traced.trials.sets.len();
    let doctests = Cargo { at, packages }.doctests(Linked::Runtime(traced.runtime), runs, &[]);
    let of_programs = Trace::read_by_program(traces.as_std_path(), counters);
    let programs = linker::read(&traces.join(PROGRAMS));
    files::remove_tree(&traces)?;
    let mut of_programs = of_programs?;
    let holding = take_trials(&mut of_programs, traced);
    Ok(DoctestReach {
        holding,
        ..reach(doctests?, &programs?, of_programs)
    })
}

/// Takes the counters of the trials out of the traces. Returns whether each trial passed wherever a program arrived at one of its
/// sites.
fn take_trials(traces: &mut BTreeMap<String, Trace>, traced: TracedDoctests) -> Vec<bool> {
    let mut holding = vec![true; traced.trials.sets.len()];
    for trace in traces.values_mut() {
        for (nth, set) in traced.trials.sets.iter().enumerate() {
            let counter = trace.counters.remove(&SiteIndex::from(traced.sites + nth));
            let mut sites = set.iter();
            let arrived = sites.any(|(site, _)| trace.counters.contains_key(site));
            let passed = counter.is_some_and(|counter| counter.entered == counter.trues);
            holding[nth] &= !arrived || passed;
        }
    }
    holding
}

/// What doctests reach, given their programs by file and line, and the programs' traces.
fn reach(
    doctests: Doctests,
    programs: &[linker::Linked],
    mut traces: BTreeMap<String, Trace>,
) -> DoctestReach {
    let mut named: Vec<(&str, i64, &str)> = doctests
        .by_name
        .keys()
        .filter_map(|name| linked_at(name))
        .collect();
    named.sort_unstable();
    let mut by_item: BTreeMap<String, BTreeSet<SiteIndex>> = BTreeMap::new();
    let sites = |trace: Trace| trace.counters.into_keys().collect::<BTreeSet<SiteIndex>>();
    // The lines of programs are a few less than those of the doctests' names, so only their order tells which belong together.
    // Two of them may have changed places where they are close, so each counts for its neighbours, too.
    let of_names = named.iter().map(|(file, ..)| *file);
    let of_programs = programs.iter().map(|linked| &*linked.file);
    if of_names.eq(of_programs) {
        for (nth, linked) in programs.iter().enumerate() {
            let reached = traces
                .remove(&linked.program)
                .map(sites)
                .unwrap_or_default();
            let near = nth.saturating_sub(1)..(nth + 2).min(named.len());
            for (_, _, item) in &named[near] {
                let of_item = by_item.entry((*item).to_owned()).or_default();
                of_item.extend(&reached);
            }
        }
    }
    DoctestReach {
        of_unknown: traces.into_values().flat_map(sites).collect(),
        by_item,
        doctests,
        holding: Vec::new(),
    }
}

/// The file and the line in the name of a doctest that runs, and a word of the name that lets the doctests of its item pass as a
/// filter, and perhaps others. rustdoc splits filters at spaces.
fn linked_at(name: &str) -> Option<(&str, i64, &str)> {
    let (item, rest) = name.rsplit_once(" (line ")?;
    let (line, kind) = rest.split_once(')')?;
    // An example of a module has no item: `src/lib.rs - (line 3)`.
    let (file, item) = item.split_once(" -")?;
    let runs = !kind.contains("compile");
    let word = item
        .rsplit([' ', ':'])
        .next()
        .filter(|word| !word.is_empty());
    Some((
        file,
        line.parse().ok().filter(|_| runs)?,
        word.unwrap_or("(line"),
    ))
}

/// Whether a selected package has a library that could have doctests. If no text contains an example, rustdoc
/// need not be run.
pub fn may_have_doctests<'t>(
    packages: &Packages,
    mut texts: impl Iterator<Item = &'t str>,
) -> bool {
    !packages.options.names_targets()
        && texts.any(may_have_examples)
        && packages.members.iter().any(|member| {
            member.metadata.targets.iter().any(|target| {
                target.doctest && target.kind.iter().any(|kind| *kind != TargetKind::Bin)
            })
        })
}

impl Cargo<'_> {
    fn doctests(&self, linked: Linked, runs: Runs, only: &[String]) -> Result<Doctests> {
        let mut args = vec![
            "test".to_string(),
            "--doc".to_string(),
            "--no-fail-fast".to_string(),
        ];
        args.extend(self.packages.options.doc_args(&self.specifications()));
        // They are filtered as tests are.
        // Two filters would let more pass, not less.
        let test_args = match &*self.packages.options.test_args {
            [] => only,
            test_args => test_args,
        };
        if !test_args.is_empty() {
            args.push("--".to_owned());
            args.extend(test_args.iter().cloned());
        }
        let (run, _) = self
            .at
            .tree
            .guard("doctests", || self.cargo(args.clone(), linked, Some(runs)))?;
        let (all_passed, stdout, _) = run;
        let text = fs::read_to_string(stdout).unwrap_or_default();
        let outcomes = text.lines().filter_map(|line| {
            let (name, outcome) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
            (outcome != "ignored").then_some((name, outcome == "ok"))
        });
        let mut by_name: BTreeMap<String, bool> = BTreeMap::new();
        for (name, passed) in outcomes {
            // Doctests of two packages may have one name.
            *by_name.entry(name.to_owned()).or_insert(true) &= passed;
        }
        Ok(Doctests {
            all_passed,
            by_name,
        })
    }
}

#[cfg(test)]
mod tests {
    use nopol_process::run::trace::Counter;

    use super::*;

    fn traced(sites: &[u32]) -> Trace {
        let counters = sites.iter().copied().map(SiteIndex::new);
        Trace {
            counters: counters.map(|site| (site, Counter::default())).collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn a_program_belongs_to_the_doctest_at_its_position() {
        let names = [
            "src/lib.rs - (line 3)",
            "src/lib.rs - f (line 9)",
            "src/lib.rs - f (line 14) - compile fail",
            "src/lib.rs - m::g (line 30)",
            "src/lib.rs - m::h (line 100)",
        ];
        let passed = |name: &&str| ((*name).to_owned(), true);
        let doctests = || Doctests {
            all_passed: true,
            by_name: names.iter().map(passed).collect(),
        };
        let program = |line, program: &str| linker::Linked {
            file: "src/lib.rs".to_owned(),
            line,
            program: program.to_owned(),
        };
        let programs = [
            program(0, "d"),
            program(6, "c"),
            program(29, "b"),
            program(98, "a"),
        ];
        let traces = || {
            let traces = [
                ("a", traced(&[1])),
                ("c", traced(&[2])),
                ("other", traced(&[3])),
            ];
            traces
                .map(|(program, trace)| (program.to_owned(), trace))
                .into()
        };
        let reached = reach(doctests(), &programs, traces());
        let sites = |numbers: &[u32]| numbers.iter().copied().map(SiteIndex::new).collect();
        let by_item: [(&str, BTreeSet<SiteIndex>); 4] = [
            ("(line", sites(&[2])),
            ("f", sites(&[2])),
            // What is near may be confused with it.
            ("g", sites(&[1, 2])),
            ("h", sites(&[1])),
        ];
        let by_item = by_item.map(|(filter, sites)| (filter.to_owned(), sites));
        assert_eq!(reached.by_item, by_item.into());
        assert_eq!(reached.of_unknown, sites(&[3]));
        // Without one of the programs it is not known which is which.
        let reached = reach(doctests(), &programs[1..], traces());
        assert!(reached.by_item.is_empty());
        assert_eq!(reached.of_unknown, sites(&[1, 2, 3]));
    }
}
