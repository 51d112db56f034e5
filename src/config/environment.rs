//! Settings in environment variables: `CARGO_NOPOL_TEST_TIMEOUT=30`.

use nopol_basics::nearest::did_you_mean;
use toml_edit::{Array, Item, Value};

use super::{ConfigError, Group, document_with, groups};

/// The prefix of the variables' names; the key follows in capitals, with `_` for `-`.
pub const PREFIX: &str = "CARGO_NOPOL_";

/// The key that a variable sets, and the value; `None` if the variable lacks the prefix. Two variables of cargo count as
/// well.
pub fn read(variable: &str, text: &str) -> Result<Option<(&'static str, Value)>, ConfigError> {
    let name = match variable {
        "CARGO_TERM_QUIET" => "QUIET",
        "CARGO_TERM_VERBOSE" => "VERBOSE",
        _ => match variable.strip_prefix(PREFIX) {
            Some(name) => name,
            None => return Ok(None),
        },
    };
    let in_capitals = |key: &str| key.to_uppercase().replace('-', "_");
    let all = groups();
    let mut keys = all
        .iter()
        .flat_map(|group| group.keys.iter().map(move |key| (group, *key)));
    let Some((group, key)) = keys.find(|(_, key)| in_capitals(key) == name) else {
        let known: Vec<String> = super::keys()
            .map(|key| PREFIX.to_owned() + &in_capitals(key))
            .collect();
        let hint = did_you_mean(variable, known.iter().map(String::as_str));
        return Err(ConfigError(format!(
            "there is no setting for the environment variable `{variable}`{hint}"
        )));
    };
    match value(group, key, text) {
        Ok(value) => Ok(Some((key, value))),
        Err(error) => Err(ConfigError(format!(
            "the environment variable `{variable}`: {}",
            plain(error.trim_end(), text)
        ))),
    }
}

/// The error in plain words, if the value has another type than the setting.
fn plain(error: &str, text: &str) -> String {
    match error.strip_prefix("invalid type: string ") {
        Some(rest) if rest.ends_with("expected a boolean") => {
            format!("`{text}` is neither `true` nor `false`")
        }
        Some(_) => format!("`{text}` is not a number"),
        None => error.to_owned(),
    }
}

/// Converts a text to the type of the setting: a string, a number, a switch or a list.
fn value(group: &Group, key: &str, text: &str) -> Result<Value, String> {
    let check = |value: Value| match (group.check)(document_with(key, Item::Value(value.clone()))) {
        Ok(()) => Ok(value),
        Err(error) => Err(error.message().to_owned()),
    };
    let of_text = match check(Value::from(text)) {
        Err(refusal) if refusal.contains("expected a sequence") => {
            let words = shlex::split(text).ok_or("a quote is not closed")?;
            return check(Value::Array(words.into_iter().collect::<Array>()));
        }
        of_text => of_text,
    };
    let switch = match text {
        "1" => Ok(Value::from(true)),
        "0" | "" => Ok(Value::from(false)),
        _ => Err(String::new()),
    };
    of_text
        .or_else(|refusal| match text.trim().parse::<Value>() {
            // "Out of bounds" is a better error for a number than "not a number".
            Ok(value) => check(value),
            Err(_) => Err(refusal),
        })
        .or_else(|refusal| switch.and_then(check).map_err(|_| refusal))
}
