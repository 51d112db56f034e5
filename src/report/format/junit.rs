//! `--format junit`: the results of the subject's tests before any patch, with the patch for each failure, as JUnit XML.

use anyhow::Result;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Render, Rendered};
use crate::report::{Outcome, PatchReport};

/// A test case per test. For failing tests, it names the patch that fixes them.
pub struct JUnit;

/// What stands for a tab meanwhile: the writer drops tabs.
const TAB: &str = "\u{e009}";

impl Render for JUnit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn help(&self) -> &'static str {
        "The results of the tests before any patch, with the first patch for each failure, as JUnit XML"
    }

    fn has_whole_names(&self) -> bool {
        true
    }

    fn is_for_people(&self) -> bool {
        true
    }

    fn render(&self, outcome: &Outcome) -> Result<Rendered> {
        let mut report = Report::new("cargo-nopol");
        let mut suite = TestSuite::new("tests");
        for test in &outcome.passing_tests {
            suite.add_test_case(TestCase::new(&**test, TestCaseStatus::success()));
        }
        for test in &outcome.failing_tests {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let complaint = outcome.complaints.iter().find(|it| it.test == *test);
            if let Some(complaint) = complaint {
                status.set_message(&*complaint.why);
            }
            if let Some(patch) = cure(outcome, test) {
                let diff = patch.diff.replace('\t', TAB);
                status.set_description(format!("patch {} makes it pass:\n{diff}", patch.rank));
            }
            suite.add_test_case(TestCase::new(&**test, status));
        }
        for test in &outcome.flaky_tests {
            let mut status = TestCaseStatus::skipped();
            status.set_message("flaky: it passes in some runs and fails in others");
            suite.add_test_case(TestCase::new(&**test, status));
        }
        report.add_test_suite(suite);
        if !outcome.failing_examples.is_empty() {
            let mut suite = TestSuite::new("doctests");
            for example in &outcome.failing_examples {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message("a doctest; doctests are not fixed");
                suite.add_test_case(TestCase::new(&**example, status));
            }
            report.add_test_suite(suite);
        }
        let text = report.to_string()?.replace(TAB, "&#9;") + "\n";
        Ok(text.into())
    }
}

fn cure<'o>(outcome: &'o Outcome, test: &str) -> Option<&'o PatchReport> {
    let mut patches = outcome.patches.iter();
    patches.find(|patch| patch.fixes.iter().any(|fixed| fixed == test))
}
