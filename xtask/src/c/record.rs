//! What is read of the tool's report, and what is kept of a case.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::kept::Kept;

/// What is read of the tool's JSON.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Report {
    pub outcome: String,
    message: Option<String>,
    sites: Vec<Site>,
    groups: Vec<serde_json::Value>,
    pub patches: Vec<Patch>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Site {
    angelic: Vec<serde_json::Value>,
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Patch {
    pub edits: Vec<Edit>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Edit {
    pub file: String,
    pub span: Span,
    pub before: String,
    pub after: String,
    pub condition: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Report {
    /// What the tool wrote; of something else, that it cannot be read.
    pub fn new(kept: &Kept) -> Self {
        serde_json::from_str(&kept.json).unwrap_or_else(|error| Self {
            outcome: "no-report".to_owned(),
            message: Some(format!("the report cannot be read: {error}")),
            ..Self::default()
        })
    }

    /// Why it ended so: the message, and how often the places have which reason.
    fn why(&self) -> String {
        let mut reasons = BTreeMap::<_, usize>::new();
        for reason in self.sites.iter().filter_map(|site| site.reason.as_deref()) {
            *reasons.entry(reason).or_default() += 1;
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let angelic = self.sites.iter().filter(|site| !site.angelic.is_empty());
        let mut why = self.message.clone().unwrap_or_default();
        let _ = write!(
            why,
            " [{} places, {} angelic]",
            self.sites.len(),
            angelic.count()
        );
        // Then no patch cures all failing tests.
        if self.groups.len() > 1 {
            let _ = write!(why, " [{} groups]", self.groups.len());
        }
        for (reason, count) in reasons {
            let _ = write!(why, " [{count} × {reason}]");
        }
        why.trim_start().replace('\n', " ")
    }
}

/// What became of a case.
#[derive(Clone, Default, Deserialize, Serialize)]
pub struct Record {
    pub id: String,
    /// Of the fault.
    pub class: String,
    pub outcome: String,
    pub seconds: f64,
    /// Of the tests, or of all inputs where the tests are chosen from them.
    pub failing: usize,
    /// Inputs that judge a patch and that the tool had not.
    pub held_out: usize,
    /// Patches shown.
    pub patches: usize,
    /// The ranks of those with which all inputs that were to pass do, from 1.
    pub plausible: Vec<usize>,
    /// And those that are right as far as can be told, too.
    pub right: Vec<usize>,
    /// The first patch's.
    pub condition: String,
    pub why: String,
}

/// The outcome of a case that is none.
pub const LEFT_OUT: &str = "left-out";

impl Record {
    pub fn new(id: &str, class: &str) -> Self {
        Self {
            id: id.to_owned(),
            class: class.to_owned(),
            ..Self::default()
        }
    }

    /// What the tool said, its patches not judged yet.
    pub fn tell(&mut self, report: &Report, kept: &Kept) {
        self.outcome.clone_from(&report.outcome);
        self.seconds = kept.seconds.unwrap_or_default();
        self.patches = report.patches.len();
        let edits = report.patches.first().map(|patch| &patch.edits[..]);
        let conditions = edits.unwrap_or_default().iter().map(|edit| {
            let words: Vec<_> = edit.condition.split_whitespace().collect();
            words.join(" ")
        });
        self.condition = conditions.collect::<Vec<_>>().join("; ");
        self.why = report.why();
    }

    /// A case that could not be judged.
    pub fn failed(id: &str, class: &str, error: &anyhow::Error) -> Self {
        Self {
            outcome: "not-judged".to_owned(),
            why: format!("{error:#}"),
            ..Self::new(id, class)
        }
    }

    pub fn is_left_out(&self) -> bool {
        self.outcome == LEFT_OUT
    }

    /// A line for the list of misses, of a case whose first patch is not right.
    pub fn miss(&self) -> Option<String> {
        let ranks = |ranks: &[usize]| {
            let ranks: Vec<_> = ranks.iter().map(ToString::to_string).collect();
            ranks.join(" ")
        };
        let short = match (&self.plausible[..], &self.right[..]) {
            (_, [1, ..]) => return None,
            _ if self.is_left_out() => "left out".to_owned(),
            ([], _) if self.patches == 0 => "no patch".to_owned(),
            ([], _) => format!("none of the {} patches is plausible", self.patches),
            (plausible, []) => format!("plausible: {}; none is right", ranks(plausible)),
            (_, right) => format!("right: {}", ranks(right)),
        };
        let Self {
            id,
            class,
            outcome,
            seconds,
            why,
            condition,
            ..
        } = self;
        let mut line = format!("{id} ({class}): {short}; {outcome}, {seconds:.1} s");
        if !condition.is_empty() {
            let _ = write!(line, "; first: {condition}");
        }
        Some(line + "; " + why + "\n")
    }
}

/// `7 of 9 (78 %)`.
pub fn share(part: usize, whole: usize) -> String {
    let percent = 100.0 * part as f64 / whole.max(1) as f64;
    format!("{part} of {whole} ({percent:.0} %)")
}

/// Code in a cell of a table.
pub fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_tells_how_far_it_came() {
        let json = r#"{"outcome": "patched", "patches": [{"edits": [{"condition": "a\n  < b"}]}],
            "sites": [{"angelic": [], "reason": "none"}, {"angelic": [1]}, {"angelic": [], "reason": "none"}]}"#;
        let kept = Kept {
            json: json.to_owned(),
            seconds: Some(2.0),
        };
        let mut record = Record::new("7-A", "ORRN");
        record.tell(&Report::new(&kept), &kept);
        assert_eq!(
            record.miss().unwrap(),
            "7-A (ORRN): none of the 1 patches is plausible; patched, 2.0 s; first: a < b; [3 places, 1 angelic] [2 × none]\n"
        );
        record.plausible = vec![1, 2];
        assert!(record.miss().unwrap().contains("none is right"));
        record.right = vec![2];
        assert!(record.miss().unwrap().contains("right: 2;"));
        record.right = vec![1, 2];
        assert_eq!(record.miss(), None);
    }
}
