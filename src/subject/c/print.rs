//! The description of a C program as text: in `--print-config`, and a test that is added to it.

use nopol_process::run::command::{Case, Command, Comparison, Input};
use toml_edit::{Array, Document, DocumentMut, Item, Table, Value};

use super::config;
use super::options::COptions;
use crate::config::File;
use crate::subject::SubjectError;

/// The table `[c]` with the origin of each value; for the tests, only where they are defined.
///
/// # Errors
/// [`SubjectError::Usage`] if the file cannot be read.
pub fn print(options: &COptions) -> Result<String, SubjectError> {
    let file = match config::path(options)? {
        Some(path) => Some(File::read(&path)?),
        None => None,
    };
    let sources: Array = options.source.iter().map(String::as_str).collect();
    let given = |value: Option<Value>, flag: &'static str| value.map(|value| (value, flag));
    let rows = [
        (
            "sources",
            given((!sources.is_empty()).then(|| sources.into()), "--source"),
            None,
        ),
        (
            "build",
            given(options.build.clone().map(Value::from), "--build"),
            None,
        ),
        ("timeout", None, None),
        (
            "sanitize",
            given(options.sanitize.map(Value::from), "--sanitize"),
            Some("false"),
        ),
        ("serial", None, Some("false")),
    ];
    let mut lines = vec!["\n[c]".to_owned()];
    for (key, given, default) in rows {
        let from_file = file.as_ref().and_then(|file| value(file, key));
        lines.push(match (given, from_file, default) {
            (Some((value, flag)), _, _) => format!("{key} = {value} # {flag}"),
            (None, Some((value, line)), _) => format!("{key} = {value} # {line}"),
            (None, None, Some(default)) => format!("{key} = {default} # default"),
            (None, None, None) => format!("# {key} is not set"),
        });
    }
    let flags = [
        ("tests", options.input.as_ref(), "--input"),
        ("script", options.script.as_ref(), "--script"),
        ("test", None, ""),
    ];
    for (key, given, flag) in flags {
        let from_file = file.as_ref().and_then(|file| location(file, key));
        if let Some(origin) = given.map(|_| flag.to_owned()).or(from_file) {
            lines.push(format!("# c.{key}: {origin}"));
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// What is added to the text of a `nopol.toml` to describe a test, and at which byte: at the end, or in the array of the
/// tests. `None` if the command needs a shell, or the text would no longer be what it was with one test more.
pub fn described(case: &Case, text: &str, comment: &str) -> Option<(usize, String)> {
    let Command::Words(words) = &case.command else {
        return None;
    };
    // Line ends within a string would be those of the file.
    let string = |of: &str| match text.contains("\r\n") {
        true => on_one_line(of),
        false => Some(toml_edit::value(of)),
    };
    let mut test = Table::new();
    test["name"] = toml_edit::value(&case.name);
    test["command"] = toml_edit::value(shlex::try_join(words.iter().map(String::as_str)).ok()?);
    if case.cwd != "" {
        test["cwd"] = toml_edit::value(case.cwd.as_str());
    }
    match &case.stdin {
        Input::Nothing => {}
        Input::Text(input) => test["stdin"] = string(input)?,
        Input::File(path) => test["stdin-file"] = toml_edit::value(path.as_str()),
    }
    if let Some(stdout) = &case.stdout {
        test["stdout"] = string(stdout)?;
    }
    if case.exit != 0 {
        test["exit"] = toml_edit::value(i64::from(case.exit));
    }
    if case.comparison == Comparison::Space {
        test["match"] = toml_edit::value("space");
    }
    let parsed = Document::parse(text).ok()?;
    let tests = parsed.get("c")?.get("test");
    let (at, added) = match tests.and_then(Item::as_array) {
        Some(array) => in_array(array, test, comment)?,
        None => {
            let newline = if text.ends_with('\n') { "" } else { "\n" };
            let added = format!("{newline}\n# {comment}\n[[c.test]]\n{test}");
            (text.len(), added)
        }
    };
    let count = |text: &str| {
        let parsed: DocumentMut = text.parse().ok()?;
        match parsed.get("c")?.get("test") {
            Some(Item::ArrayOfTables(tables)) => Some(tables.len()),
            Some(item) => Some(item.as_array()?.len()),
            None => Some(0),
        }
    };
    let (before, after) = text.split_at_checked(at)?;
    let more = count(&[before, &added, after].concat())?;
    (more == count(text)? + 1).then_some((at, added))
}

/// A string without line ends in its spelling.
fn on_one_line(text: &str) -> Option<Item> {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    let text: String = text.chars().map(escaped).collect();
    Some(Item::Value(format!("\"{text}\"").parse().ok()?))
}

/// Where a test is added to the end of an array, and how it is written there.
fn in_array(array: &Array, test: Table, comment: &str) -> Option<(usize, String)> {
    let test = test.into_inline_table();
    if array.trailing_comma() || array.is_empty() {
        let end = array.span()?.end.checked_sub(1)?;
        return Some((end, format!("\n  # {comment}\n  {test},\n")));
    }
    let last = array.iter().last()?.span()?;
    Some((last.end, format!(",\n  # {comment}\n  {test}")))
}

/// The file and line of a key of the table.
fn location(file: &File, key: &str) -> Option<String> {
    let table = file.table(&["c"])?;
    let (key, item) = table.get_key_value(key)?;
    let tables = item.as_array_of_tables();
    let first = tables.and_then(|tables| tables.iter().next()?.span());
    let span = first.or(key.span()).or(item.span())?;
    Some(format!("{}:{}", file.path(), file.line(span.start)))
}

/// The value of a key of the table, on one line, and its location.
fn value(file: &File, key: &str) -> Option<(Value, String)> {
    let table = file.table(&["c"])?;
    let value = match table.get(key).and_then(Item::as_value)? {
        Value::Array(items) => items
            .iter()
            .filter_map(Value::as_str)
            .collect::<Array>()
            .into(),
        Value::String(text) => text.value().as_str().into(),
        other => {
            let mut other = other.clone();
            other.decor_mut().clear();
            other
        }
    };
    Some((value, location(file, key)?))
}
