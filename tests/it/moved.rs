//! Values that are moved and replaced: conditions that read them are examined.

use crate::common::Subject;

const WRAP: &str = r"
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() + word.len() > width && !line.is_empty() {
            lines.push(line);
            line = String::new();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}
#[test] fn short() { assert_eq!(wrapped(`a b`, 5), [`a b`]); }
#[test] fn exact() { assert_eq!(wrapped(`ab cd ef`, 5), [`ab cd`, `ef`]); }
#[test] fn tight() { assert_eq!(wrapped(`abc de`, 5), [`abc`, `de`]); }
#[test] fn empty() { assert!(wrapped(``, 5).is_empty()); }
";

#[test]
#[ignore = "make test-full: it takes long"]
fn the_condition_before_a_move_is_examined_where_a_new_value_follows() {
    let subject = Subject::lib(&WRAP.replace('`', "\""));
    let run = subject.nopol(&["--no-cache", "--format", "json", "--top", "1"]);
    // Before, the compiler's error was blamed on the condition, which was left out without a word.
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let report = run.json();
    let patch = &report["patches"][0]["edits"][0];
    assert_eq!(patch["line"], 6, "{report}");
    assert_eq!(
        patch["condition"],
        "line.len() + word.len() >= width && !line.is_empty()"
    );
}
