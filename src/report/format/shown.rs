//! An outcome as it may be shown: names are in one line, those of tests are short, and nothing in any text is hidden.

use nopol_basics::visible;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::report::{Outcome, PatchReport, TestNames};

/// The fields with sentences, of several lines.
const SENTENCES: [&str; 6] = ["doubts", "message", "reason", "unread", "warnings", "why"];
/// The fields with program text, of several lines; all others are names.
const TEXTS: [&str; 4] = ["condition", "diff", "files", "text"];
/// The program's own text, to which spans refer, and what takes its place.
const EXACT: [&str; 3] = ["original", "before", "after"];

impl Outcome {
    /// As people may see it. The texts of edits are unchanged; the formats that show them escape them.
    pub fn shown(&self) -> Self {
        self.shown_with(&self.names)
    }

    /// Like [`Self::shown`], with other names of tests.
    pub fn shown_with(&self, names: &TestNames) -> Self {
        Self {
            applied: self.applied,
            is_refused: self.is_refused,
            reach: self.reach,
            ..cleaned(self, names).unwrap_or_else(|| self.clone())
        }
    }
}

impl PatchReport {
    /// As people may see it, like [`Outcome::shown`].
    pub fn shown(&self, names: &TestNames) -> Self {
        cleaned(self, names).unwrap_or_else(|| self.clone())
    }
}

/// `None` if it does not survive being written as JSON.
fn cleaned<T: Serialize + DeserializeOwned>(of: &T, names: &TestNames) -> Option<T> {
    let mut value = serde_json::to_value(of).ok()?;
    clean(&mut value, "", names);
    serde_json::from_value(value).ok()
}

fn clean(value: &mut Value, key: &str, names: &TestNames) {
    match value {
        Value::String(text) if SENTENCES.contains(&key) => {
            *text = visible::text(&names.in_sentence(text));
        }
        Value::String(text) if TEXTS.contains(&key) => *text = visible::text(text),
        Value::String(text) => *text = visible::line(names.short(text)),
        Value::Array(values) => values.iter_mut().for_each(|value| clean(value, key, names)),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, mut value)| {
                    // A map from files to texts has no fields of its own.
                    let of_value = if key == "files" { key } else { &*name };
                    if !EXACT.contains(&of_value) || !value.is_string() {
                        clean(&mut value, of_value, names);
                    }
                    (visible::line(&name), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
