//! An outcome that is safe to show: names fit in one line, test names are short, and no text has hidden characters.

use nopol_basics::visible;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::report::{Outcome, PatchReport, TestNames};

/// Fields that contain sentences, possibly of several lines.
const SENTENCES: [&str; 6] = ["doubts", "message", "reason", "unread", "warnings", "why"];
/// Fields that contain program text of several lines. All other fields are names.
const TEXTS: [&str; 4] = ["condition", "diff", "files", "text"];
/// Fields that keep the exact text of the program or its replacement, because spans refer to it.
const EXACT: [&str; 3] = ["original", "before", "after"];

impl Outcome {
    /// The outcome, safe to show to people. The texts of edits are unchanged; the formats that show them escape them.
    pub fn shown(&self) -> Self {
        self.shown_with(&self.names)
    }

    /// Like [`Self::shown`], with other names of tests.
    pub fn shown_with(&self, names: &TestNames) -> Self {
        Self {
            applied: self.applied,
            is_refused: self.is_refused,
            reach: self.reach,
            is_full: self.is_full,
            place: self.place.clone(),
            ..cleaned(self, names).unwrap_or_else(|| self.clone())
        }
    }
}

impl PatchReport {
    /// The patch, safe to show to people: see [`Outcome::shown`].
    pub fn shown(&self, names: &TestNames) -> Self {
        cleaned(self, names).unwrap_or_else(|| self.clone())
    }
}

/// `None` if the value cannot be converted to JSON and back.
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
                    // The keys of a map from files to texts are not field names.
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
