//! What a proof by `cargo nopol mutate` knows of memory of C: where parts of objects end, how long variables last, and in which order
//! operands are evaluated.

use crate::mutate::functions;

const STRUCTURES: &str = "#include <string.h>
#include <ctype.h>
struct v { int a[3]; int z; char s[4]; };
static char *name(int x) { char b[4] = \"abc\"; b[0] = x; return b; }
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
        ],
    );
}

/// Something else may be in the place of what is no more there.
#[test]
fn what_is_no_more_there_is_like_nothing_else() {
    expect(
        "a variable is used after its block or function has ended",
        &[
            "int *p = 0, n = 0; { int x = k; p = &x; } { int y = k; n = p == &y; } return n;",
            "int *p = 0; { int x = k; p = &x; } return p == 0;",
            "return name(k) != 0;",
            "return name(k) ? 1 : 2;",
        ],
    );
    expect(
        "freed memory is used",
        &["int *p = malloc(4), *q; free(p); q = malloc(4); return p == q;"],
    );
    expect(
        "right",
        &[
            "int *p = malloc(4), *q = p; free(p); return p == q && p != 0;",
            "int *p = 0; { int x = k; p = &x; p = p ? 0 : p; } return p == 0;",
        ],
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
            "char s[8] = \"abc\"; strcpy(s, k > 3 ? s : s + 4); return s[0];",
            "char s[8] = \"abc\"; strncpy(s, s, 2); return s[0];",
            "char s[8] = \"abc\"; strncpy(s, s + 4, 5); return s[0];",
            "char s[16] = \"abcd\"; strncat(s + 1, s, 2); return s[0];",
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
fn memory_has_a_size() {
    expect(
        "the length of an array is not positive, or more than a million",
        &[
            "int a[k]; return 3;",
            "char a[(int)k - 300]; return 3;",
            "unsigned n = k; char a[n - 1]; return 3;",
            "int a[k * 100000 + 1]; a[0] = 1; return a[0];",
        ],
    );
    expect(
        "more memory is allocated at once than formulas cover (4 million numbers)",
        &[
            "int *p = malloc(20000000 + k); int r = p == 0; free(p); return r;",
            "int *p = malloc((int)k - 1); free(p); return 1;",
        ],
    );
    expect(
        "an arithmetic operation overflows",
        &["int *p = calloc((int)k - 1, 4); free(p); return 1;"],
    );
    expect(
        "right",
        &[
            "int a[k + 1]; a[k] = 2; return a[k];",
            "int *p = malloc(k); free(p); p = calloc(k, 4); free(p); return 1;",
        ],
    );
}

#[test]
fn an_array_without_a_length_may_refer_to_itself_in_its_initializer() {
    let list = "struct l { struct l *next; int n; }; static struct l all[] = { { &all[1], 1 }, { 0, 2 } };";
    expect(
        "right",
        &[&format!("{list} return 1 / (all[0].next->n - 1);")],
    );
    expect(
        "a number is divided by zero",
        &[&format!("{list} return 1 / (all[0].next->n - 2);")],
    );
}

#[test]
fn no_string_literal_is_written_to() {
    let bodies = [
        "char *p = \"\"; *p = k; return 0;",
        "char *p = \"ab\"; p[2] = 0; return 0;",
    ];
    expect("a string literal is written to", &bodies);
}

/// A compiler decides whether such pointers are equal.
#[test]
fn pointers_into_different_objects_are_not_compared() {
    expect(
        OUTSIDE,
        &[
            "static int a, b; int *p = &a, *q = &b; p = p + 1; return p == q;",
            "struct v v; int *p = v.a + 3; return p == &v.z;",
            "struct { int a; long b; int c; } s; return &s.c - &s.a;",
            "const char *p = \"abc\", *q = \"bc\"; return p + 1 == q;",
            "const char *p = \"\", *q = \"abc\"; return p == q + 3;",
            "static int a, b; return &a < &b;",
            "return \"a\\0b\" == \"b\";",
        ],
    );
    expect(
        "right",
        &[
            "int a[4], *p = a, *end = a + 4; long n = 0; while (p != end) { p++; n++; } return n;",
            "struct v v; int *p = v.a, *end = v.a + 3; long n = 0; while (p != end) { p++; n++; } return n;",
            "struct v v; int *p = v.a; return p == &v.z || &v.a[2] - p > 3;",
            "const char *p = \"abc\", *q = \"xyz\"; return p == q;",
            "return \"a\\0b\" == \"a\" || \"a\\0b\" == \"a\\0c\";",
            "int a[2], b[2]; return a == b;",
            "struct v v; int *p = &v.z; return v.a < p && p > v.a + 1 && &v.a[1] <= v.a + 1;",
        ],
    );
}

#[test]
fn functions_of_the_library_ask_for_what_c_says() {
    expect(
        "a null pointer is dereferenced",
        &[
            "struct v v, *p = k ? &v : 0; int *q = &p->z; return q != 0;",
            "char b[4] = \"abc\", *p = k > 3 ? b : 0; strncpy(p, \"x\", k > 3); return 1;",
            "char *p = 0; return memcmp(p, \"x\", 0);",
            "char *p = 0; memset(p, 0, k - k); return 1;",
        ],
    );
    expect(
        "a function such as `isdigit` gets a number that is no character",
        &[
            "return isdigit(k * 2) ? 1 : 0;",
            "return isspace(-200 + k) != 0;",
        ],
    );
    expect(
        "right",
        &[
            "char c = k; return isdigit(k) || isalpha(c) || isspace(-1);",
            "return 1 / (atoi(\"99999999999999999999\") == -1);",
            "return 1 / (strtol(\"99999999999999999999\", NULL, 10) == 9223372036854775807);",
            "return 1 / (atoi(\"4294967298\") == 2);",
        ],
    );
}

#[test]
fn a_backslash_at_the_end_of_a_line_continues_it() {
    expect(
        "a number is divided by zero",
        &[
            "int s = 1; // a comment \\\n s = 2;\n return 1 / (s - 1);",
            "int s = 1; // a comment \\ \n s = 2;\n return 1 / (s - 1);",
            "int s = 1; s = 2 \\\n - 1;\n return 1 / (s - 1);",
        ],
    );
    // No half of a token is read as one.
    let said = verdict("int a = 1, b = 2; return a +\\\n+ + b;");
    assert!(said.contains("cannot be parsed"), "{said}");
}

#[test]
fn a_proof_names_operands_with_an_order_that_matters() {
    let text = "#include <string.h>
static int n;
static int bump(void) { return ++n; }
static int peek(int x) { return n + x; }
static int end(int x) { if (x > 2) exit(1); return 1; }
static int fail(int x) { return x > 2 ? 1 / (x - x) : 2; }
static int *at(int *a, int i) { a[i] = 1; return &a[i]; }
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
        "int a[3] = { 0 }, i = 0; a[i++] += i; return a[0];",
        "int a[3] = { 0 }, i = 0; return a[i++] += i;",
        "int a[3] = { 0 }; a[peek(0) & 1] -= bump(); return a[0];",
        "char a[9] = { 0 }; int i = 2; memset(a + i++, 0, i); return a[1];",
        "return sub(end(k), fail(k));",
        "int a[2] = { bump(), bump() }; return a[1];",
        "int i = k, a[2] = { [1] = i++, [0] = i }; return a[0];",
        "struct { int a[2], b; } s = { { 1, bump() }, .b = peek(k) }; return s.b;",
        "int a[3] = { 0 }; a[k] = end(k); return a[0];",
    ] {
        let said = proof(body);
        let order = "with the operands at f.c:12 evaluated from left to right";
        assert!(said.contains(order), "{body}: {said}");
    }
    for body in [
        "return sub(twice(k), peek(k)) + twice(peek(1));",
        "int i = k; i++; int j = i++; return i + j;",
        "int a[3] = { 0 }, i = 0; a[i++] += 2; a[i++] += a[0]; a[peek(0) & 1] += peek(2); return a[0];",
        "int a[3] = { 0 }, *p = a; *p++ += 1; *at(a, 1) += 2; return a[1];",
        "int a[3] = { 0 }, i = 0, j = 0; a[i++] = j++; return a[0] + i + j;",
        "return bump() && bump() ? bump() : 2;",
        "return sub(end(k), 3) + 1;",
        "int a[2] = { bump(), twice(k) }, b[2] = { bump(), 1 }; return a[0] + b[0];",
        "int a[2]; a[0] = bump(); a[1] = bump(); return a[1];",
        "int x = (bump(), bump()); n = bump(); return x;",
    ] {
        let said = proof(body);
        assert!(!said.contains("from left to right"), "{body}: {said}");
    }
}

#[test]
fn a_failing_call_names_operands_with_an_order_that_matters() {
    let said = |last: &str| {
        let subject = functions(&format!(
            "#include <assert.h>
static int g;
static int inc(void) {{ return ++g; }}
int f(int x) {{
    g = 5;
    {last}
    assert(g == 12);
    return x;
}}
"
        ));
        let run = subject.nopol(&["c", "mutate", "--function=f", "--level=1", "--size=1"]);
        run.stdout
    };
    let order = "with the operands at f.c:7 evaluated from left to right";
    let note = "a call that fails here may pass in your build";
    let open = said("g += inc();");
    assert!(open.contains("f(0)` fails"), "{open}");
    assert!(open.contains(order) && open.contains(note), "{open}");
    let fixed = said("int by = inc(); g += by + 1;");
    assert!(fixed.contains("f(0)` fails"), "{fixed}");
    assert!(!fixed.contains("left to right"), "{fixed}");
}
