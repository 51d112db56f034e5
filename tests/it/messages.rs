//! What a reader is shown: where new code stands, what alternatives are, why there is no patch, and what is complained of
//! before a search.

use std::fs;

use crate::common::{Subject, strings};

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
