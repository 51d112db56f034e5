//! Tests that run by the rules of cargo-nextest.

use std::process::Command;

use crate::common::{MANIFEST, Subject, strings};

/// Tests that nextest runs in its way: one that mostly needs a second run, two with one port, one that is left out, and
/// one that asks who runs it.
const NEXTEST_TESTS: &str = r#"
use std::io::Read;
use std::net::TcpListener;

/// Whether a parcel is too heavy; `>` should be `>=`.
pub fn is_too_heavy(weight: u32) -> bool { if weight > 20 { true } else { false } }

#[cfg(test)]
mod tests {
    use super::*;

    fn with_port() {
        let _port = TcpListener::bind(("127.0.0.1", PORT)).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
    }

    #[test] fn light() { assert!(!is_too_heavy(19)); }
    #[test] fn heavy() { assert!(is_too_heavy(21)); }
    #[test] fn limit() { assert!(is_too_heavy(20)); }
    #[test] fn port_first() { with_port(); }
    #[test] fn port_second() { with_port(); }
    #[test] fn slow_and_wrong() { assert!(is_too_heavy(1)); }
    #[test] fn by_nextest() { assert_eq!(std::env::var("NEXTEST").as_deref(), Ok("1")); }

    #[test]
    fn unsteady() {
        let mut bytes = [0];
        std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
        assert!(bytes[0] < 128);
    }
}
"#;

const NEXTEST: &str = r#"
[test-groups]
port = { max-threads = 1 }

[profile.default]
default-filter = "not test(/slow/)"

[[profile.default.overrides]]
filter = "test(/port_/)"
test-group = "port"

[[profile.default.overrides]]
filter = "test(=tests::unsteady)"
retries = { backoff = "fixed", count = 40, delay = "10ms" }
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn nextests_filters_retries_and_groups_hold() {
    let installed = Command::new("cargo")
        .args(["nextest", "--version"])
        .output();
    if !installed.is_ok_and(|asked| asked.status.success()) {
        return;
    }
    // Of no other run of this test beside, and of none that a connection gets by chance.
    let port = 20_000 + std::process::id() % 10_000;
    let tests = NEXTEST_TESTS.replace("PORT", &port.to_string());
    let subject = Subject::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &tests),
        (".config/nextest.toml", NEXTEST),
    ]);
    let before = subject.snapshot();
    let args = ["--format", "json", "--jobs", "2", "--test-tool", "nextest"];
    let run = subject.nopol(&args);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(strings(&report["warnings"]), [""; 0]);
    assert_eq!(
        strings(&report["failing_tests"]),
        ["subject::subject::tests::limit"]
    );
    assert_eq!(strings(&report["flaky_tests"]), [""; 0]);
    let first = &report["patches"][0]["edits"][0]["condition"];
    assert_eq!(first, "weight >= 20");
    assert_eq!(subject.snapshot(), before);

    let broken = NEXTEST.replace("not test(/slow/)", "no such thing(");
    std::fs::write(subject.root.join(".config/nextest.toml"), broken).unwrap();
    let run = subject.nopol(&args);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(
        run.stderr.contains("`cargo nextest list` fails"),
        "{}",
        run.stderr
    );
}
