//! Facts known before the search: from copying, reading, building and testing the subject.

use super::{Complaint, Outcome, TestNames};

/// Facts known before the search. All of them go into the outcome, however the run ends.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    /// See [`Outcome::names`]. `None` if no tests were listed yet.
    pub names: Option<TestNames>,
    /// See [`Outcome::warnings`].
    pub warnings: Vec<String>,
    /// See [`Outcome::builds`].
    pub builds: u32,
    /// See [`Outcome::unread`].
    pub unread: Vec<String>,
    /// See [`Outcome::failing_tests`].
    pub failing_tests: Vec<String>,
    /// See [`Outcome::complaints`].
    pub complaints: Vec<Complaint>,
    /// See [`Outcome::passing_tests`].
    pub passing_tests: Vec<String>,
    /// See [`Outcome::flaky_tests`].
    pub flaky_tests: Vec<String>,
    /// See [`Outcome::failing_examples`].
    pub failing_examples: Vec<String>,
}

impl Preparation {
    /// Moves everything into the outcome.
    pub fn report(self, outcome: &mut Outcome) {
        outcome.names = self.names.unwrap_or(std::mem::take(&mut outcome.names));
        outcome.warnings.extend(self.warnings);
        outcome.builds += self.builds;
        outcome.unread.extend(self.unread);
        outcome.failing_tests.extend(self.failing_tests);
        outcome.complaints.extend(self.complaints);
        outcome.passing_tests.extend(self.passing_tests);
        outcome.flaky_tests.extend(self.flaky_tests);
        outcome.failing_examples.extend(self.failing_examples);
    }
}
