//! Doctests: whether there may be any, and running them.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use anyhow::Result;
use cargo_metadata::TargetKind;
use nopol_source::rust::documentation::may_have_examples;

use super::Packages;
use super::build::Cargo;
use crate::subject::workspace::{Doctests, Linked, Workspace};

/// Runs all doctests of the selected packages until they have printed nothing for `silence`.
///
/// # Errors
/// If cargo cannot be started or the run is stopped.
pub fn doctests(at: &Workspace, packages: &Packages, silence: Duration) -> Result<Doctests> {
    Cargo { at, packages }.doctests(silence)
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
    fn doctests(&self, silence: Duration) -> Result<Doctests> {
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
        let (run, _) = self.at.tree.guard("doctests", || {
            self.cargo(args.clone(), Linked::Plain, Some(silence))
        })?;
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
