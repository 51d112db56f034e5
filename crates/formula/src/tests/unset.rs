//! Cells that were never set: circuits and the interpreter say of the same runs that they use one.

use nopol_program::front::c;

use super::agreement::agree;
use super::strings::test;

/// Bodies of `main` in which it depends on values that may be any whether a cell has a value when it is used.
const BODIES: [&str; 7] = [
    "int s, x = 2; if (x > 1) s = 1; return s != 1;",
    "int t[3], i = 1, k = 1; t[i] = 0; return t[k];",
    "int t[3], u[3], i = 1, k = 2; t[i] = 0; u[0] = 0; u[1] = t[k]; u[2] = t[1]; return u[i];",
    "struct { int a, b; } p, q; int x = 1; p.a = 0; if (x) p.b = 0; q = p; if (x > 1) q.b = 1; return q.b;",
    "int x = 3, n = 0; while (n < 3) { int s; if (n != x) s = n; n = n + 1; if (n == x) n = s + 9; } return n != 11;",
    "int n = 2, i = 1; char *m = malloc(2); m[0] = 0; if (n > i) m[1] = m[0]; n = m[i]; return n;",
    "int s, t, x = 1; t = s; if (x > 0) t = 0; s = t + 0; return s;",
];

#[test]
fn a_cell_that_was_never_set_is_a_fault_where_it_is_used() {
    for body in BODIES {
        let text = format!("#include <stdlib.h>\nint main(void) {{ {body} }}");
        let program =
            c::read(&[("a.c".into(), text)]).unwrap_or_else(|outside| panic!("{outside}"));
        let mut passed = [0; 2];
        for seed in 0..60 {
            match agree(&program, &test(&program, true, ""), seed % 2 == 0, seed) {
                Ok(passes) => passed[usize::from(passes)] += 1,
                Err(error) => panic!("{body}, seed {seed}: {error}"),
            }
        }
        assert!(passed[0] > 0 && passed[1] > 0, "{body}: {passed:?}");
    }
}

/// The same with memory that may have been given back when it is used.
const FREED: [&str; 9] = [
    "int *p = malloc(sizeof *p), x = 1; *p = 0; if (x > 1) free(p); return *p;",
    "int *p = malloc(sizeof *p), *q = calloc(1, sizeof *q), x = 1; *p = 0; if (x) free(p); else free(q); *(x ? q : p) = 0; return *q;",
    "int n = 0; int *p = calloc(1, sizeof *p); while (n < 3) { if (n == 3) free(p); n = n + 1; } free(p); return n != 3;",
    "struct item { int key; struct item *next; } *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b); int x = 1; a->next = b; \
     if (x == 1) { a->next = 0; } free(b); return a->next && a->next->key;",
    "char *m = calloc(2, 1); int x = 0; if (x) free(m); printf(\"%s\", m); return 0;",
    "int a[2] = {1, 2}, *p = malloc(4), x = 1; if (x) p = a; free(p); return 0;",
    "int *p = calloc(2, sizeof *p), x = 1; if (x) p = p + 1; free(p); return 0;",
    "static int s; int x = 0, *p = &s; if (x == 0) p = 0; free(p); return 0;",
    "struct item { int key, value; } *p = malloc(sizeof *p); int x = 1; free(x ? &p->value : &p->key); return 0;",
];

#[test]
fn memory_that_was_given_back_is_a_fault_where_it_is_used() {
    for body in FREED {
        let text = format!("#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ {body} }}");
        let program =
            c::read(&[("a.c".into(), text)]).unwrap_or_else(|outside| panic!("{outside}"));
        let mut passed = [0; 2];
        for seed in 0..60 {
            match agree(&program, &test(&program, true, ""), seed % 2 == 0, seed) {
                Ok(passes) => passed[usize::from(passes)] += 1,
                Err(error) => panic!("{body}, seed {seed}: {error}"),
            }
        }
        assert!(passed[0] > 0 && passed[1] > 0, "{body}: {passed:?}");
    }
}
