//! An outcome as it may be shown: names are in one line, and nothing in any text is hidden.

use nopol_basics::visible;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::report::{Outcome, PatchReport};

/// The fields with texts of several lines; all others are names.
const TEXTS: [&str; 10] = [
    "condition",
    "diff",
    "doubts",
    "files",
    "message",
    "reason",
    "text",
    "unread",
    "warnings",
    "why",
];
/// The program's own text, to which spans refer, and what takes its place.
const EXACT: [&str; 3] = ["original", "before", "after"];

impl Outcome {
    /// As people may see it. The texts of edits are unchanged; the formats that show them escape them.
    pub fn shown(&self) -> Self {
        Self {
            applied: self.applied,
            is_refused: self.is_refused,
            reach: self.reach,
            ..cleaned(self).unwrap_or_else(|| self.clone())
        }
    }
}

impl PatchReport {
    /// As people may see it, like [`Outcome::shown`].
    pub fn shown(&self) -> Self {
        cleaned(self).unwrap_or_else(|| self.clone())
    }
}

/// `None` if it does not survive being written as JSON.
fn cleaned<T: Serialize + DeserializeOwned>(of: &T) -> Option<T> {
    let mut value = serde_json::to_value(of).ok()?;
    clean(&mut value, "");
    serde_json::from_value(value).ok()
}

fn clean(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if TEXTS.contains(&key) => *text = visible::text(text),
        Value::String(text) => *text = visible::line(text),
        Value::Array(values) => values.iter_mut().for_each(|value| clean(value, key)),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, mut value)| {
                    // A map from files to texts has no fields of its own.
                    let of_value = if key == "files" { key } else { &*name };
                    if !EXACT.contains(&of_value) || !value.is_string() {
                        clean(&mut value, of_value);
                    }
                    (visible::line(&name), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
