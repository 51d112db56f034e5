//! Damaged files of last outcomes: each is either refused, or read as an outcome that is written back equal.

use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{BTreeMap, BTreeSet, Dependencies, full, parse, render};

const WORDS: &[&str] = &[
    "version",
    "ended",
    "dependencies",
    "outputs",
    "outcome",
    "patches",
    "edits",
    "span",
    "start",
    "end",
    "original",
    "alternatives",
    "ending",
    "no_patch",
    "condition",
    "kind",
    "null",
    "9",
];

fn is_read_or_none(bytes: &[u8]) -> TestCaseResult {
    if let Some(last) = parse(&String::from_utf8_lossy(bytes)) {
        let write = |last: &super::Last| {
            render(&last.outcome, &last.dependencies, &last.outputs, last.ended)
        };
        let text = write(&last).unwrap_or_default();
        let again = parse(&text).and_then(|again| write(&again));
        prop_assert_eq!(again, Some(text));
    }
    Ok(())
}

fn inputs() -> impl Strategy<Value = Input> {
    let dependencies: Dependencies = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
    let text = render(&full(), &dependencies, &BTreeSet::new(), 7).unwrap();
    documents(&[text.as_bytes()], WORDS)
}

#[test]
fn a_damaged_file_is_refused_or_written_back_equal() {
    few(inputs(), is_read_or_none);
}

#[test]
#[ignore = "as above, with many files"]
fn many_damaged_files_are_refused_or_written_back_equal() {
    many(inputs(), is_read_or_none);
}
