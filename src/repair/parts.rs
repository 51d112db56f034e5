//! Test programs and their functions: which of the two are the tests.

use std::collections::{BTreeMap, BTreeSet};

use nopol_basics::{agree, count};
use nopol_process::run::id::{TargetId, TestId};
use nopol_process::run::suite::TestIndex;
use nopol_process::run::{Binary, TestRun};
use typed_index_collections::TiVec;

use crate::report::markup::code;
use crate::report::progress::Progress;

/// The test of which this one is a part. `None` if it is whole.
fn whole<'b>(binaries: &'b BTreeMap<TargetId, Binary>, test: &TestId) -> Option<&'b str> {
    binaries.get(&test.target)?.whole(&test.name)
}

/// Leaves out the test programs of which each function is a test.
pub fn without_wholes(
    binaries: &BTreeMap<TargetId, Binary>,
    tests: TiVec<TestIndex, TestId>,
) -> TiVec<TestIndex, TestId> {
    let wholes = tests.iter().filter_map(|test| whole(binaries, test));
    let wholes: BTreeSet<&str> = wholes.collect();
    let is_kept = |test: &TestId| !wholes.contains(&*test.name);
    tests.into_iter().filter(is_kept).collect()
}

/// Leaves out either a test program or its functions. The functions are the tests if their results agree with that of the
/// program: all pass, or it fails and some of them do. Otherwise they depend on one another, or all of them always run.
pub fn settled(
    progress: &Progress,
    binaries: &BTreeMap<TargetId, Binary>,
    tests: TiVec<TestIndex, TestId>,
    first: TiVec<TestIndex, TestRun>,
) -> (TiVec<TestIndex, TestId>, TiVec<TestIndex, TestRun>) {
    // Of each program the number of functions that pass, and of those that fail.
    let mut results: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (test, run) in tests.iter().zip(&first) {
        if let Some(whole) = whole(binaries, test) {
            let (passed, failed) = results.entry(whole).or_default();
            match run.verdict.passed() {
                true => *passed += 1,
                false => *failed += 1,
            }
        }
    }
    let mut agrees = BTreeMap::new();
    for (test, run) in tests.iter().zip(&first) {
        let Some((passed, failed)) = results.get(&*test.name) else {
            continue;
        };
        let does = match run.verdict.passed() {
            true => *failed == 0,
            false => *failed > 0 && *passed > 0,
        };
        if !does {
            let how = match (run.verdict.passed(), failed) {
                (true, _) => format!(
                    "the program passes, but {failed} of its {} {} alone",
                    count(passed + failed, "test function"),
                    agree(*failed, "fails", "fail")
                ),
                (false, 0) => "the program fails, but each test function passes alone".to_owned(),
                (false, _) => "the program fails, and so does each test function alone".to_owned(),
            };
            progress.warn(format!("{} counts as one test: {how}", code(&test.name)));
        }
        agrees.insert(test.name.clone(), does);
    }
    let is_kept = |test: &TestId| match whole(binaries, test) {
        Some(whole) => agrees.get(whole) == Some(&true),
        None => agrees.get(&test.name) != Some(&true),
    };
    let both = tests.into_iter().zip(first);
    both.filter(|(test, _)| is_kept(test)).unzip()
}
