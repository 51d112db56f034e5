//! Numbers in options and settings.

use crate::bad_input::assert_says;
use crate::common::{GRADES, Subject};

/// No message is that of Rust's parsers.
#[test]
#[ignore = "make test-full: it takes long"]
fn a_number_that_does_not_fit_is_refused_in_plain_words() {
    let subject = Subject::lib(GRADES);
    for option in [
        &["--top"][..],
        &["--jobs"],
        &["--memory"],
        &["merge", "1.json", "--top"],
        &["synth", "1.json", "--top"],
        &["faults", "--size"],
        &["faults", "--bound"],
        &["faults", "--top"],
        &["mutate", "--size"],
        &["mutate", "--bound"],
        &["mutate", "--top"],
        &["c", "debug", "--command-timeout"],
    ] {
        for (number, why) in [
            ("0", "`0` is not a positive number"),
            ("many", "`many` is not a positive number"),
            (
                "99999999999999999999",
                "`99999999999999999999` is too large",
            ),
        ] {
            let run = subject.nopol(&[option, &[number]].concat());
            assert_says(&run, 2, &[why]);
        }
    }
    for (option, why) in [
        ("--fuel", "`x` is not a positive number"),
        ("--flips", "`x` is not a whole number"),
    ] {
        let run = subject.nopol(&[option, "x"]);
        assert_says(&run, 2, &[why]);
    }
    for (setting, why) in [
        ("jobs = 0", "0 is not a positive number"),
        ("memory = 0", "0 is not a positive number"),
        ("memory = 5000000000", "5000000000 is too large"),
        ("top = -1", "-1 is not a positive number"),
    ] {
        std::fs::write(subject.root.join("nopol.toml"), setting).unwrap();
        assert_says(&subject.nopol(&["list"]), 2, &["nopol.toml, line 1", why]);
    }
}
