//! `--print-schema`: the JSON schema of a `nopol.toml`, for editors. The type of each setting is found by asking the
//! reader of files which values it accepts, so the two cannot differ.

use schemars::Schema;
use serde_json::{Map, Value as Json, json};
use toml_edit::{Array, Item, Value};

use super::{document_with, file, groups};
use crate::repair::settings::Settings;

/// What the command line says about a setting.
#[derive(Clone, Debug)]
pub struct Described {
    /// The key.
    pub key: String,
    /// What it does.
    pub help: String,
    /// The values that can be chosen, if there are only a few.
    pub values: Vec<String>,
}

/// The schema, with `program` as the schema of the table that describes a C program.
///
/// # Errors
/// If it cannot be written as JSON, which does not happen.
pub fn schema(settings: &[Described], program: Schema) -> serde_json::Result<String> {
    let mut properties = Map::new();
    for setting in settings {
        properties.insert(setting.key.clone(), of_setting(setting));
    }
    properties.insert(file::PROGRAM.to_owned(), program.to_value());
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": file::NAME,
        "description": "Settings of cargo nopol, and under `c` how a C program is built and tested.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// The schema of one setting.
fn of_setting(setting: &Described) -> Json {
    let key = setting.key.as_str();
    let names: Vec<&str> = setting.values.iter().map(String::as_str).collect();
    let names: Vec<&str> = names
        .into_iter()
        .filter(|name| Settings::refused_in_files(key, Some(name)).is_none())
        .collect();
    let text = names.first().copied().unwrap_or("1/2");
    let string = match names.is_empty() {
        true => json!({ "type": "string" }),
        false => json!({ "type": "string", "enum": names }),
    };
    let mut schema = if accepts(key, true) {
        json!({ "type": "boolean" })
    } else if accepts(key, Array::from_iter([text])) {
        json!({ "type": "array", "items": string })
    } else if accepts(key, text) {
        string
    } else {
        of_number(key)
    };
    schema["description"] = setting.help.as_str().into();
    schema
}

/// The schema of a number: whole numbers only, or fractions as well, and whether it may be 0.
fn of_number(key: &str) -> Json {
    let kind = match accepts(key, 0.5) {
        true => "number",
        false => "integer",
    };
    let mut schema = json!({ "type": kind });
    match (accepts(key, 0), kind) {
        (true, _) => schema["minimum"] = 0.into(),
        (false, "integer") => schema["minimum"] = 1.into(),
        (false, _) => schema["exclusiveMinimum"] = 0.into(),
    }
    if !accepts(key, 2) {
        schema["maximum"] = 1.into();
    }
    schema
}

/// Whether a file may set a key to this value.
fn accepts(key: &str, value: impl Into<Value>) -> bool {
    let mut groups = groups().into_iter();
    let Some(group) = groups.find(|group| group.keys.contains(&key)) else {
        return false;
    };
    (group.check)(document_with(key, Item::Value(value.into()))).is_ok()
}
