//! What a proof by `cargo nopol mutate` knows of memory of C: where parts of objects end, how long variables last, and in which order
//! operands are evaluated.

use crate::mutate::functions;

const STRUCTURES: &str = "#include <string.h>
struct v { int a[3]; int z; char s[4]; };
static long sum(const int *a, int n) { long s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
";

/// What a search says of a function with this body.
fn verdict(body: &str) -> String {
    let subject = functions(&format!("{STRUCTURES}long f(unsigned char k) {{ {body} }}"));
    let run = subject.nopol(&["c", "mutate", "--function=f", "--level=1", "--size=1"]);
    let texts = [run.stdout, run.stderr].concat();
    let is_right = texts.contains("No run violates the specification");
    match texts.split_once("fails: ") {
        None if is_right => "right".to_owned(),
        Some((_, reason)) => reason.lines().next().unwrap_or_default().to_owned(),
        None => texts,
    }
}

fn expect(fault: &str, bodies: &[&str]) {
    for body in bodies {
        assert_eq!(verdict(body), fault, "{body}");
    }
}

const OUTSIDE: &str = "an index is out of bounds";

#[test]
fn an_inner_array_ends_before_its_object() {
    const V: &str = "struct v v = { { k, 2, 3 }, 40, \"abc\" }; struct v w[2] = { { { 1 } } };";
    let with_v = |rest: &str| format!("{V} {rest}");
    for body in [
        "int *p = v.a; return p[3];",
        "return sum(v.a, 4);",
        "int *p = &v.z; return p[-1];",
        "int *p = &v.a[1]; p += 2; return *p;",
        "struct v *p = &v; int *a = p->a; return a[k % 4];",
        "return (&v.z)[1];",
        "int m[2][3] = { { k } }; int *p = m[0]; return p[3];",
        "int m[2][3] = { { k } }; return *(&m[k % 2][0] + 3);",
        "int m[2][3] = { { k } }; int (*p)[3] = m; return *(p[1] - 1);",
        "int *p = w[2 - 1].a; return p[5];",
        "struct v *p = &w[0]; int *a = (p + 2)->a; return a[0];",
        "struct v *p = w; p = k ? p : p + 1; int *a = p->a; return a[3];",
        "v.s[3] = 'd'; return strlen(v.s);",
    ] {
        assert_eq!(verdict(&with_v(body)), OUTSIDE, "{body}");
    }
    for body in [
        "return sum(v.a, 3) + v.z + strlen(v.s);",
        "int *p = &v.a[1]; return p[1] + p[-1];",
        "int m[2][3] = { { k } }; int (*p)[3] = m; return p[1][2] + (*(p + 1))[0] + sum(m[1], 3);",
        "struct v *p = &w[0]; int *a = (p + 1)->a; return a[2] + p[1].a[2];",
        "int *p = v.a; int *end = p + 3; long n = 0; while (p < end) n += *p++; return n;",
        "int a[3] = { k, 2, 3 }; int *p = a; struct v *q = k ? &v : &w[1]; p = k > 3 ? p : q->a; return p[2];",
        "int *p = k ? v.a : &v.z; return *p;",
    ] {
        assert_eq!(verdict(&with_v(body)), "right", "{body}");
    }
}

#[test]
fn a_variable_ends_with_its_block() {
    let gone = "a variable is used after its block or function has ended";
    expect(
        gone,
        &[
            "int *p = 0; { int x = k; p = &x; } return *p;",
            "int *p = 0; if (k > 3) { int x = k; p = &x; } else { int y = 2; p = &y; } return *p;",
            "int *p = 0; for (int i = 0; i < 2; i++) { int x = i; if (i == 1) return *p; p = &x; } return 0;",
            "int *p = 0; for (int i = 0; i < 2; i++) { int x = i; p = &x; if (k) continue; *p = 1; } return *p;",
            "int *p = 0; while (1) { int x = k; p = &x; if (k > 2) break; } return *p;",
            "int *p = 0; for (int i = k; i < 300; i++) { p = &i; break; } return *p;",
            "int *p = 0; switch (k) { case 1: { int x = 3; p = &x; break; } default: { int y = 4; p = &y; } } return *p;",
            "char *p = 0; { char s[3] = \"ab\"; p = s; } return p[0];",
            "int *p = 0; { int a[k % 4 + 1]; a[0] = 3; p = a; } return *p;",
            "int *p = 0; { struct v v = { { 1 } }; p = v.a; } return *p;",
        ],
    );
    expect(
        "right",
        &[
            "int *p = 0; { int x = k; p = &x; return *p; }",
            "int n = 0; for (int i = 0; i < 2; i++) { int x = i; int *p = &x; n += *p; } return n;",
            "int *p = 0; int n = 0; { int x = k; p = &x; n = *p; p = &n; } return *p;",
            "int *p = 0; for (int i = 0; i < 3; i++) { static int x; if (i > 0) return *p; p = &x; } return 0;",
            "int *p = 0; switch (k) { case 1: { static int x; p = &x; break; } default: return 0; } return *p;",
            "int *p = 0; int a[k % 4 + 1]; a[0] = 3; { p = a; } return *p;",
            "int *p = 0; { int x = k; p = &x; } return p == 0;",
        ],
    );
}

/// Something else may be in the place of what is no more there.
#[test]
fn what_is_no_more_there_is_like_nothing_else() {
    expect(
        "a variable is used after its block or function has ended",
        &["int *p = 0, n = 0; { int x = k; p = &x; } { int y = k; n = p == &y; } return n;"],
    );
}

#[test]
fn memory_is_not_copied_onto_itself() {
    expect(
        "memory is copied to an area that overlaps with it",
        &[
            "int a[4] = { k, 2, 3, 4 }; memcpy(a, a + 1, 2 * sizeof *a); return a[0];",
            "int a[4] = { k, 2, 3, 4 }; memcpy(a + k % 2, a, 2 * sizeof *a); return a[0];",
            "char s[8] = \"abc\"; strcpy(s, s + 1); return s[0];",
            "char s[8] = \"abc\"; strncpy(s, s + 1, 2); return s[0];",
        ],
    );
    expect(
        "right",
        &[
            "int a[4] = { k, 2, 3, 4 }; memmove(a, a + 1, 2 * sizeof *a); return a[0];",
            "int a[4] = { k, 2, 3, 4 }; memcpy(a, a + 2, 2 * sizeof *a); memcpy(a, a, sizeof a); return a[0];",
            "char s[8] = \"abc\"; strcpy(s + 4, s + 1); strncpy(s, s + 4, 2); strcat(s, s + 6); return s[0];",
        ],
    );
}

#[test]
fn a_proof_names_operands_with_an_order_that_matters() {
    let text = "static int n;
static int bump(void) { return ++n; }
static int peek(int x) { return n + x; }
static int twice(int x) { return 2 * x; }
static int sub(int a, int b) { return a - b; }
";
    let proof = |body: &str| {
        let subject = functions(&format!("{text}int f(unsigned char k) {{\n{body} }}"));
        let run = subject.nopol(&["c", "mutate", "--function=f", "--level=1", "--size=1"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        run.stdout
    };
    for body in [
        "return sub(bump(), bump());",
        "return peek(k) - bump();",
        "int i = k; return i++ - i;",
        "int i = k; i = i++ + 1; return i;",
        "int a[3] = { 0 }, i = 0; a[i] = i++; return a[0];",
        "n += bump(); return n;",
    ] {
        let said = proof(body);
        let order = "with the operands at f.c:8 evaluated from left to right";
        assert!(said.contains(order), "{body}: {said}");
    }
    for body in [
        "return sub(twice(k), peek(k)) + twice(peek(1));",
        "int i = k; i++; int j = i++; return i + j;",
        "int a[3] = { 0 }, i = 0, j = 0; a[i++] = j++; return a[0] + i + j;",
        "return bump() && bump() ? bump() : 2;",
        "int x = (bump(), bump()); n = bump(); return x;",
    ] {
        let said = proof(body);
        assert!(!said.contains("from left to right"), "{body}: {said}");
    }
}
