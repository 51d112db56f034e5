//! What a reader is shown: where new code stands, what alternatives are, why there is no patch, and what is complained of
//! before a search.

use serde_json::Value;

use crate::common::Subject;

#[test]
fn a_guard_stands_above_the_comment_and_the_attribute_of_its_statement() {
    let subject = Subject::lib(
        "/// The first letter, or `None` where there is no word.\n\
         pub fn initial(words: &[&[u8]]) -> Option<u8> {\n    \
             let words = &words[1..];\n\n    \
             // The line has a word: a line without\n    \
             // any was dropped by whoever read it.\n    \
             #[allow(clippy::get_first)]\n    \
             let word = words[0];\n    \
             if word.len() > 8 {\n        \
                 return None;\n    \
             }\n    \
             word.first().copied()\n\
         }\n\n\
         #[test]\n\
         fn of_some() {\n    \
             assert_eq!(initial(&[b\"0\", b\"ab\"]), Some(b'a'));\n    \
             assert_eq!(initial(&[b\"0\", b\"abcdefghi\"]), None);\n\
         }\n\n\
         #[test]\n\
         fn of_none() {\n    \
             assert_eq!(initial(&[b\"0\"]), None);\n\
         }\n",
    );
    let report = subject
        .nopol(&["--kind", "guard", "--format", "json"])
        .json();
    let patches = report["patches"].as_array().unwrap();
    let there = patches.iter().find(|patch| patch["edits"][0]["line"] == 5);
    let there = there.unwrap_or_else(|| panic!("no guard above the comment: {report:#}"));
    let edit = &there["edits"][0];
    assert_eq!(edit["before"], "", "{there:#}");
    let text = subject.read("src/lib.rs");
    let at = usize::try_from(edit["span"]["start"].as_u64().unwrap()).unwrap();
    assert!(text[at..].starts_with("// The line has"), "{there:#}");
    let rank = there["rank"].to_string();
    let applied = subject.nopol(&["apply", &rank, "--allow-dirty"]);
    assert_eq!(applied.code, 0, "{}", applied.stderr);
    let patched = subject.read("src/lib.rs");
    let comment = "    // The line has a word: a line without\n    // any was dropped by whoever read it.\n    #[allow(clippy::get_first)]\n    let word";
    assert!(
        patched.contains(&format!("        return None;\n    }}\n{comment}")),
        "{patched}"
    );
}

#[test]
fn alternatives_are_told_with_their_exits_and_their_extent() {
    let subject = Subject::lib(
        r#"/// The sizes in a list like `3,4`, and their sum.
pub fn sizes(list: &str) -> Result<(Vec<u32>, u32), String> {
    let mut all = Vec::new();
    let mut sum = 0;
    for word in list.split(',') {
        let size: u32 = word.parse().map_err(|_| format!("no size: {word}"))?;
        all.push(size);
        sum += size;
    }
    Ok((all, sum))
}

#[test]
fn of_some() {
    assert_eq!(sizes("3,4"), Ok((vec![3, 4], 7)));
    assert_eq!(sizes("3,x"), Err("no size: x".to_owned()));
    assert_eq!(sizes("3,,4"), Err("no size: ".to_owned()));
}

#[test]
fn of_none() {
    assert_eq!(sizes(""), Ok((vec![], 0)));
}
"#,
    );
    let report = subject.nopol(&["--top", "9", "--format", "json"]).json();
    let patches = report["patches"].as_array().unwrap();
    let exit = |edits: &Value| {
        let after = edits[0]["after"].as_str().unwrap();
        let exits = ["continue", "break", "return", "panic", "assert"];
        exits.into_iter().find(|exit| after.contains(exit))
    };
    let mut alternatives = 0;
    for patch in patches {
        let rank = patch["rank"].to_string();
        let explained = subject.nopol(&["explain", &rank, "--top", "9"]).stdout;
        let numbered = format!("  {rank}.");
        let told: Vec<&str> = explained
            .lines()
            .filter_map(|line| line.strip_prefix(&numbered))
            .filter_map(|line| Some(line.split_once(' ')?.1))
            .collect();
        let others = patch["alternatives"].as_array();
        let others = others.map_or(&[][..], Vec::as_slice);
        assert_eq!(told.len(), others.len(), "{explained}");
        for (other, told_of_it) in others.iter().zip(&told) {
            let at = told.iter().filter(|it| *it == told_of_it).count();
            assert_eq!(at, 1, "two are told alike: {explained}");
            assert_eq!(exit(&other["edits"]), exit(&patch["edits"]), "{explained}");
            match patch["kind"].as_str().unwrap() {
                "guard" => {
                    let exit = exit(&other["edits"]).unwrap();
                    assert!(told_of_it.contains(exit), "{explained}");
                    assert!(told_of_it.contains("` before line "), "{explained}");
                }
                "precondition" => assert!(told_of_it.contains("` around line"), "{explained}"),
                _ => {}
            }
            alternatives += 1;
        }
    }
    assert!(alternatives > 2, "nothing to tell: {report:#}");
}

#[test]
fn where_no_exit_helps_the_exits_that_were_tried_are_named() {
    let subject = Subject::lib(
        r#"#[derive(Debug, PartialEq)]
pub enum Refused {
    Empty,
    TooMany(usize),
    Unknown(char),
}

/// The commands of a line; `q` and `w` are known.
pub fn commands(line: &str) -> Result<Vec<char>, Refused> {
    if line.is_empty() {
        return Err(Refused::Empty);
    }
    if line.len() > 8 {
        return Err(Refused::TooMany(line.len()));
    }
    let all: Vec<char> = line.chars().collect();
    Ok(all)
}

#[test]
fn known() {
    assert_eq!(commands("qw"), Ok(vec!['q', 'w']));
    assert_eq!(commands(""), Err(Refused::Empty));
    assert_eq!(commands("qqqqqqqqq"), Err(Refused::TooMany(9)));
}

#[test]
fn unknown() {
    assert_eq!(commands("x"), Err(Refused::Unknown('x')));
    assert_eq!(commands("zq"), Err(Refused::Unknown('z')));
}
"#,
    );
    let run = subject.nopol(&[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let told = run.stdout;
    let exits = "The early exits tried were ";
    let exits = told
        .split_once(exits)
        .unwrap_or_else(|| panic!("no exits: {told}"))
        .1;
    for exit in [
        "`return Err(Refused::Empty)`",
        "`return Err(Refused::TooMany(line.len()))`",
    ] {
        assert!(exits.contains(exit), "{told}");
    }
    assert!(
        exits.contains("if another value must be returned, it was not tried"),
        "{told}"
    );
    assert!(!told.contains("may not be in a condition"), "{told}");
}

#[test]
fn code_that_is_compiled_for_tests_only_is_named_where_no_patch_is_looked_for() {
    let subject = Subject::lib(
        r#"pub struct Meter(pub u32);

impl Meter {
    pub fn add(&mut self, by: u32) {
        self.0 += by;
    }

    #[cfg(test)]
    fn is_low(&self) -> bool {
        self.0 < 10
    }
}

#[cfg(test)]
impl Meter {
    fn is_high(&self) -> bool {
        self.0 > 100
    }

    fn zero() -> Self {
        Self(0)
    }
}

#[cfg(test)]
impl Meter {
    fn one() -> Self {
        Self(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_even(meter: &Meter) -> bool {
        meter.0 % 2 == 0
    }

    #[test]
    fn a_hundred_is_high() {
        let mut meter = Meter::zero();
        assert!(meter.is_low() && is_even(&meter));
        meter.add(100);
        assert!(meter.is_high());
        assert_eq!(Meter::one().0, 1);
    }
}
"#,
    );
    let what = "No patch was looked for here: src/lib.rs: line 8: `fn is_low` is compiled for tests only; \
                src/lib.rs: line 14: `impl Meter` is compiled for tests only.";
    let listed = subject.nopol(&["list"]);
    assert!(listed.stdout.contains(what), "{}", listed.stdout);
    let run = subject.nopol(&[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains(what), "{}", run.stdout);
    let json = subject.nopol(&["--format", "json"]).json();
    assert!(json["message"].as_str().unwrap().contains(what), "{json:#}");
}
