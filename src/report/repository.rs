//! Paths relative to the top of the repository, as its hosts want them. Elsewhere paths are relative to the subject's root.

use super::{Outcome, PatchReport};

impl Outcome {
    /// The path of a file in the repository.
    pub fn in_repository(&self, file: &str) -> String {
        format!("{}{file}", self.prefix)
    }

    /// `FILE:LINE` of each edit.
    pub fn places_in_repository(&self, patch: &PatchReport) -> Vec<String> {
        let edits = patch.edits.iter();
        edits
            .map(|edit| format!("{}:{}", self.in_repository(&edit.file), edit.line))
            .collect()
    }

    /// The diff of a patch.
    pub fn diff_in_repository(&self, patch: &PatchReport) -> String {
        let lines = patch.diff.split_inclusive('\n');
        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
        for at in 0..lines.len().saturating_sub(2) {
            // A line of the file may look like the first one.
            if let [old, new, hunk] = &mut lines[at..at + 3]
                && hunk.starts_with("@@ ")
                && old.starts_with("--- a/")
                && new.starts_with("+++ b/")
            {
                old.insert_str("--- a/".len(), &self.prefix);
                new.insert_str("+++ b/".len(), &self.prefix);
            }
        }
        lines.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::patch;

    #[test]
    fn only_the_head_of_a_diff_has_paths() {
        let head = "--- a/src/a.sql\n+++ b/src/a.sql\n@@ -1,3 +1,3 @@\n";
        let lines = "--- a/b\n+++ b/b\n select\n";
        let patch = PatchReport {
            diff: format!("{head}{lines}"),
            ..patch(1, "a")
        };
        let outcome = Outcome {
            prefix: "db/".to_owned(),
            ..Outcome::default()
        };
        let head = "--- a/db/src/a.sql\n+++ b/db/src/a.sql\n@@ -1,3 +1,3 @@\n";
        assert_eq!(outcome.diff_in_repository(&patch), format!("{head}{lines}"));
        assert_eq!(outcome.places_in_repository(&patch), ["db/src/lib.rs:4"]);
    }
}
