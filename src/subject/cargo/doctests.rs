//! Doctests: whether there may be any, and running them.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use cargo_metadata::TargetKind;
use nopol_process::copy::files;
use nopol_process::run::trace::Trace;
use nopol_source::rust::documentation::may_have_examples;

use super::Packages;
use super::build::{Cargo, Runs};
use crate::subject::workspace::{Doctests, Linked, TracedDoctests, Workspace};

/// Runs all doctests of the selected packages until they have printed nothing for `silence`.
///
/// # Errors
/// If cargo cannot be started or the run is stopped.
pub fn doctests(at: &Workspace, packages: &Packages, silence: Duration) -> Result<Doctests> {
    Cargo { at, packages }.doctests(Linked::Plain, Runs::within(silence))
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
) -> Result<(Doctests, Trace)> {
    let traces = at.confinement.scratch.join("traces-of-doctests");
    fs::create_dir_all(&traces).with_context(|| format!("cannot create {traces}"))?;
    let runs = Runs {
        silence,
        traces: Some((&traces, traced.sites)),
    };
    let doctests = Cargo { at, packages }.doctests(Linked::Runtime(traced.runtime), runs);
    let trace = Trace::read_dir(traces.as_std_path(), traced.sites);
    files::remove_tree(&traces)?;
    Ok((doctests?, trace?))
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
    fn doctests(&self, linked: Linked, runs: Runs) -> Result<Doctests> {
        let mut args = vec![
            "test".to_string(),
            "--doc".to_string(),
            "--no-fail-fast".to_string(),
        ];
        args.extend(self.packages.options.doc_args(&self.specifications()));
        // They are filtered as tests are.
        let test_args = &self.packages.options.test_args;
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
