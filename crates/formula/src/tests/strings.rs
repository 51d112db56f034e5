//! Strings of which it is not known where they end: circuits and the interpreter print and read the same.

use nopol_program::front::c;
use nopol_program::ir::{Entry, Expected, Program, Test};

use super::agreement::agree;

const HEAD: &str = "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n";

/// Bodies of `main` that print a string of which the end, the beginning or a byte may be any.
const BODIES: [&str; 7] = [
    "char v[4] = \"abc\"; int i = 2; v[i] = 0; printf(\"%s\\n\", v);",
    "char v[5] = \"abca\"; int i = 3, k = 1; v[i] = 0; v[k] = v[i]; puts(v);",
    "char v[4] = \"abc\"; int i = 1; printf(\"%s\\n\", v + i);",
    "char v[4] = \"abc\", w[4] = \"a\"; int i = 1; v[i] = 0; strcpy(w, v); puts(w);",
    "char v[4] = \"abc\"; int n = 3; n = strlen(v) - n; v[n] = 0; printf(\"%s%s\\n\", v, v);",
    "char v[4] = \"abc\"; char *p; int i = 2; v[i] = 0; p = strchr(v, 'b'); if (p) *p = 0; puts(v);",
    "char v[4] = \"abc\"; int i = 2; v[i] = 0; if (strcmp(v, \"a\") == 0) puts(v); else puts(\"ab\");",
];

pub(super) fn test(program: &Program, words: bool, output: &str) -> Test {
    let bytes = output.as_bytes().to_vec();
    Test {
        name: "test".to_owned(),
        entry: Entry::Main {
            main: c::main_of(program).unwrap(),
            arguments: vec![b"./a".to_vec()],
            input: Vec::new(),
            output: Some(Expected { bytes, words }),
            exit: 0,
        },
    }
}

#[test]
fn a_string_is_printed_up_to_its_first_end() {
    for body in BODIES {
        let text = format!("{HEAD}int main(void) {{ {body} return 0; }}");
        let program =
            c::read(&[("a.c".into(), text)]).unwrap_or_else(|outside| panic!("{outside}"));
        let mut passed = 0;
        for output in ["\n", "a\n", "ab\n", "bc\n"] {
            for seed in 0..6 {
                let test = test(&program, seed % 3 == 0, output);
                match agree(&program, &test, seed % 2 == 0, seed) {
                    Ok(passes) => passed += u32::from(passes),
                    Err(error) => panic!("{body} printing {output:?}, seed {seed}: {error}"),
                }
            }
        }
        assert!(passed > 0, "{body}");
    }
}
