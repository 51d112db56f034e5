//! Which patches are what the human wrote: mostly a person's verdict, kept in a file in `docs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;

use super::{Case, Edit, Patch, Report};

/// So many patches of a case are to be judged.
pub const JUDGED: usize = 5;
/// Characters of a text other than the condition in a key.
const SHORT: usize = 60;

/// What a person found out.
#[derive(Default)]
pub struct Verdicts {
    /// Where it is kept, below the root.
    file: &'static str,
    /// By case.
    of: BTreeMap<String, Verdict>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Verdict {
    /// Keys of patches that behave as the human fix.
    equivalent: Vec<String>,
    /// Keys of patches that do not.
    different: Vec<String>,
    /// Where the tool fell short, as a sentence.
    short: Option<String>,
}

impl Verdicts {
    pub fn read(root: &Path, file: &'static str) -> Result<Self> {
        let text =
            fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))?;
        let of = serde_json::from_str(&text).with_context(|| format!("{file} has no verdicts"))?;
        Ok(Self { file, of })
    }

    pub fn short(&self, case: &Case) -> Option<&str> {
        self.of.get(&case.id)?.short.as_deref()
    }

    /// Whether a patch is what the human wrote, if that is known.
    pub fn is_equivalent(&self, case: &Case, patch: &Patch) -> Option<bool> {
        if is_literally_the_fix(case, patch) {
            return Some(true);
        }
        let verdict = self.of.get(&case.id)?;
        let key = key(patch);
        match () {
            () if verdict.equivalent.contains(&key) => Some(true),
            () if verdict.different.contains(&key) => Some(false),
            () => None,
        }
    }

    /// For a person to judge: each patch without a verdict, and its key.
    pub fn unjudged(&self, case: &Case, report: &Report) -> String {
        let mut text = String::new();
        for (index, patch) in report.patches.iter().take(JUDGED).enumerate() {
            if self.is_equivalent(case, patch).is_some() {
                continue;
            }
            let human = [&*case.before, "→", &case.after, &case.guard_statement].join(" ");
            text += &format!(
                "\n{}, patch {}; the human near {} {}: {}\n{}\n\
                 Add to \"equivalent\" or \"different\" of {} in {}:\n{}\n",
                case.id,
                index + 1,
                case.file,
                case.line.unwrap_or_default(),
                human.trim_end(),
                patch.diff.trim_end(),
                json!(case.id),
                self.file,
                json!(key(patch)),
            );
        }
        text
    }
}

/// Whether the very condition of the case became the very condition of the human.
fn is_literally_the_fix(case: &Case, patch: &Patch) -> bool {
    let [edit] = &patch.edits[..] else {
        return false;
    };
    !case.before.is_empty()
        && case.is_here(&edit.file, edit.line)
        && normal(&edit.before) == normal(&case.before)
        && normal(&edit.condition) == normal(&case.after)
}

/// What a patch is called among the verdicts, without lines: the file's base name, the condition,
/// the text it stands in if there is more, and what it stands for or, if inserted, before what.
fn key(patch: &Patch) -> String {
    let edits = patch.edits.iter().map(|edit| edit_key(edit, &patch.diff));
    edits.collect::<Vec<_>>().join("; ")
}

fn edit_key(edit: &Edit, diff: &str) -> String {
    let base = edit.file.rsplit('/').next().unwrap_or_default();
    let [condition, before, after] =
        [&edit.condition, &edit.before, &edit.after].map(|text| normal(text));
    let mut key = format!("{base}: {condition}");
    if after != condition {
        key += &format!(" in {}", short(&after));
    }
    if before.is_empty() {
        key += &format!(" before {}", short(&normal(following(diff))));
    } else if after == condition || !after.contains(&before) {
        key += &format!(" for {}", short(&before));
    }
    key
}

/// The first line that a diff leaves as it is behind what it adds.
fn following(diff: &str) -> &str {
    let behind = diff
        .lines()
        .skip(2)
        .skip_while(|line| !line.starts_with('+'));
    let mut kept = behind.filter_map(|line| line.strip_prefix(' '));
    kept.find(|line| !line.trim().is_empty())
        .unwrap_or_default()
}

/// A text whose white space is that of one line.
fn normal(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let is_tight = line.ends_with(['(', '[']) || word.starts_with(['.', '?', ')', ']']);
        if !line.is_empty() && !is_tight {
            line.push(' ');
        }
        line += word;
    }
    line
}

/// A text that is not long, with a hash of the whole where it was cut.
fn short(text: &str) -> String {
    if text.chars().count() <= SHORT {
        return text.to_owned();
    }
    // FNV-1a: the same everywhere.
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let cut: String = text.chars().take(SHORT).collect();
    format!("{cut}…{hash:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(before: &str, condition: &str, after: &str, diff: &str) -> Patch {
        Patch {
            edits: vec![Edit {
                file: "src/a/b.rs".to_owned(),
                line: 7,
                before: before.to_owned(),
                after: after.to_owned(),
                condition: condition.to_owned(),
            }],
            diff: diff.to_owned(),
            trivial: false,
        }
    }

    #[test]
    fn white_space_of_several_lines_is_that_of_one() {
        assert_eq!(normal(" a\n  .b(\n c, d\n) &&  e "), "a.b(c, d) && e");
        let long = "x + ".repeat(50);
        assert_eq!(short(&long).chars().count(), SHORT + 9);
        assert_ne!(short(&long), short(&(long.clone() + "y")));
    }

    #[test]
    fn a_key_says_what_stands_where_without_lines() {
        let diff = "--- a/src/a/b.rs\n+++ b/src/a/b.rs\n@@ -1,2 +1,5 @@\n fn f() {\n+    if z {\n+    }\n \n     g();\n }\n";
        let inserted = patch("", "z", "if z {\n    }\n    ", diff);
        assert_eq!(key(&inserted), "b.rs: z in if z { } before g();");
        let changed = patch("x > 0", "x >\n 1", "x >\n 1", "");
        let wrapped = patch("g();", "z", "if z {\n    g();\n}", diff);
        assert_eq!(key(&wrapped), "b.rs: z in if z { g(); }");
        assert_eq!(key(&changed), "b.rs: x > 1 for x > 0");
    }

    #[test]
    fn the_human_condition_needs_no_verdict_and_others_do() {
        let case = Case {
            id: "c".to_owned(),
            file: "src/a/b.rs".to_owned(),
            line: Some(9),
            before: "x > 0".to_owned(),
            after: "x > 1".to_owned(),
            ..Case::default()
        };
        let of =
            serde_json::from_str(r#"{"c": {"different": ["b.rs: x != 0 for x > 0"]}}"#).unwrap();
        let verdicts = Verdicts { file: "", of };
        let judged = |before, condition| {
            verdicts.is_equivalent(&case, &patch(before, condition, condition, ""))
        };
        assert_eq!(judged("x > 0", "x  > 1"), Some(true));
        assert_eq!(judged("x > 0", "x != 0"), Some(false));
        assert_eq!(judged("x > 0", "x > 2"), None);
        assert_eq!(judged("y > 0", "x > 1"), None);
    }
}
