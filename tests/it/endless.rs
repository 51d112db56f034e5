//! Tests that print without end.

use std::time::{Duration, Instant};

use crate::common::Subject;

const STEPS: &str = r#"#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 0;
    for (int at = 0; at != most; at += 3)
        printf("step %d\n", at);
    return 0;
}
"#;

const TESTS: &str = r#"[c]
sources = ["steps.c"]
build = "cc -o steps steps.c"

[[c.test]]
name = "reaches"
command = "./steps 6"
stdout = "step 0\nstep 3\n"

[[c.test]]
name = "passes_over"
command = "./steps 5"
stdout = "step 0\nstep 3\n"

[[c.test]]
name = "passes_over_one"
command = "./steps 1"
stdout = "step 0\n"
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_prints_without_end_fails_at_once_and_is_repaired() {
    let subject = Subject::new(&[("steps.c", STEPS), ("nopol.toml", TESTS)]);
    let start = Instant::now();
    let run = subject.nopol(&["c", "--format", "json", "--no-cache", "--quick"]);
    let report = run.json();
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("`passes_over` writes more than 16 MiB of output"),
        "{warnings}"
    );
    assert!(!warnings.contains("set aside"), "{warnings}");
    let first = report["patches"][0]["diff"].to_string();
    assert!(first.contains("at < most"), "{first}");
    assert!(start.elapsed() < Duration::from_secs(100));
}
