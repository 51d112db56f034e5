//! Patches as people write them: which lines are likely at a place, and one patch for what writes the same lines.

use std::collections::BTreeSet;

use crate::common::{Subject, strings};

const LIBRARY: &str = r#"
/// Lines of at most so many characters; all in one line where that is 0.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// Whether a field has to be quoted.
pub fn needs_quotes(field: &str, separator: char) -> bool {
    field
        .chars()
        .any(|c| c == separator || c == '"' || matches!(c, '\n'))
}

/// An amount in hundredths.
pub fn amount(text: &str) -> Option<u32> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    if !whole.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let hundredths = rest.bytes().take(2).fold(0, |sum, b| sum * 10 + u32::from(b) % 48);
    Some(whole.bytes().fold(0, |sum, b| sum * 10 + u32::from(b) % 48) * 100 + hundredths)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn one_line() { assert_eq!(wrapped("to be", 9), ["to be"]); }
    #[test] fn two_lines() { assert_eq!(wrapped("to be or", 5), ["to be", "or"]); }
    #[test] fn long_words() { assert_eq!(wrapped("question is", 4), ["question", "is"]); }
    #[test] fn no_width() { assert_eq!(wrapped("to  be", 0), ["to  be"]); }
    #[test] fn plain() { assert!(!needs_quotes("ab c", ',')); }
    #[test] fn quoted() { assert!(needs_quotes("a,b", ',') && needs_quotes("a\"b", ',') && needs_quotes("a\nb", ',')); }
    #[test] fn returns() { assert!(needs_quotes("a\rb", ',')); }
    #[test] fn amounts() { assert_eq!(amount("12.50"), Some(1250)); assert_eq!(amount("7.05"), Some(705)); }
    #[test] fn letters() { assert_eq!(amount("1x.50"), None); assert_eq!(amount("x"), None); }
    #[test] fn letters_behind() { assert_eq!(amount("1.x"), None); assert_eq!(amount("12.-5"), None); }
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn what_was_given_is_returned_and_what_is_bound_together_is_asked_together() {
    let subject = Subject::lib(LIBRARY);
    let run = subject.nopol(&["--format", "json", "--top", "12"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    let patches = report["patches"].as_array().unwrap();
    let diffs: Vec<&str> = patches
        .iter()
        .map(|patch| patch["diff"].as_str().unwrap())
        .collect();
    for expected in [
        "+    if width == 0 {\n+        return vec![text.to_string()];\n",
        "+        .any(|c| c == separator || c == '\"' || matches!(c, '\\n' | '\\r'))\n",
        "+    if !whole.chars().all(|c| c.is_ascii_digit()) || !rest.chars().all(|c| c.is_ascii_digit()) {\n",
    ] {
        let number = diffs.iter().filter(|diff| diff.contains(expected)).count();
        assert_eq!(number, 1, "{expected}: {diffs:#?}");
    }
    // A condition inside of another one can be changed at both places.
    assert_eq!(diffs.iter().collect::<BTreeSet<_>>().len(), diffs.len());
    assert_eq!(strings(&report["warnings"]), Vec::<String>::new());
}
