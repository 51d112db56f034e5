//! Doctests: whether there may be any, and running them.

use std::fs;
use std::time::Duration;

use anyhow::Result;
use cargo_metadata::TargetKind;

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
        && texts.any(may_be_example)
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
            (outcome != "ignored").then(|| (name.to_string(), outcome == "ok"))
        });
        Ok(Doctests {
            all_passed,
            by_name: outcomes.collect(),
        })
    }
}

/// Whether a source text may have an example in its documentation: a fence, an indented line, or
/// documentation included from elsewhere.
fn may_be_example(text: &str) -> bool {
    text.contains("```")
        || text.contains("~~~")
        || text.contains("/**")
        || text.contains("/*!")
        || text.contains("doc =")
        || text.lines().any(|line| {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            comment.is_some_and(|text| text.starts_with("     ") || text.starts_with('\t'))
        })
}
