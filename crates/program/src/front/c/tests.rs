//! What relies on the translation: which programs it takes, what it says of the others, and where the places are.

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;

use super::{LATE, main_of, read, read_until};
use crate::ir::{Outside, Place, PlaceKind, Program};

fn read_text(text: &str) -> Result<Program, Outside> {
    read(&[(Utf8PathBuf::from("a.c"), text.to_owned())])
}

fn program(text: &str) -> Program {
    read_text(text).unwrap_or_else(|outside| panic!("{outside}"))
}

/// The line, the text and what is computed of each place.
fn places(text: &str) -> Vec<(u32, String, String)> {
    let of = |place: &Place| {
        let expression = &text[place.span.start as usize..place.span.end as usize];
        (place.line, place.text.clone(), expression.to_owned())
    };
    program(text).places.iter().map(of).collect()
}

fn place(line: u32, text: &str, expression: &str) -> (u32, String, String) {
    (line, text.to_owned(), expression.to_owned())
}

/// The reason and the line.
fn outside(text: &str) -> (u32, String) {
    let outside = match read_text(text) {
        Ok(program) => {
            let functions = program.functions.keys();
            let mut opaque = functions.filter_map(|function| program.opaque(function));
            let outside = opaque.next().or_else(|| program.unread.values().next());
            outside.cloned()
        }
        Err(outside) => Some(outside),
    };
    let Some(outside) = outside else {
        panic!("this is translated: {text}");
    };
    (outside.line, outside.reason)
}

#[test]
fn what_is_not_supported_does_not_keep_the_rest_from_being_read() {
    let text =
        "typedef double real; struct point { real x, y; }; static FILE *out; enum { FEW = 3 };
        real abs(int x) { return x; }
        int far(struct point *p) { return p->x > 9; }
        int apart(int n) { again: if (n > FEW) { n--; goto again; } return n; }
        void log_all(int n, ...);
        int twice(int n) { return n + n; }
        int main(int argc, char **argv) { if (argc > 8) apart(argc); return twice(argc); }";
    let read = program(text);
    let names = |is_opaque: bool| {
        let functions = read.functions.iter_enumerated();
        let functions = functions.filter(|(id, _)| read.opaque(*id).is_some() == is_opaque);
        functions.map(|(_, of)| of.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(false), ["twice", "main"]);
    assert_eq!(names(true), ["apart"]);
    let unread: Vec<(&str, u32)> = read
        .unread
        .iter()
        .map(|(name, outside)| (&**name, outside.line))
        .collect();
    assert_eq!(unread, [("abs", 1), ("far", 1)]);
    // Nothing of what is left out is a place.
    let places = places(text);
    assert!(places.iter().all(|(line, ..)| *line > 5), "{places:?}");
    // The library's function is not taken for the program's.
    for (head, reason) in [
        ("double abs(int x)", "double"),
        (
            "int abs(int x); __attribute__((used)) int abs(int x)",
            "__attribute__",
        ),
        (
            "struct s { int a; }; int abs(struct s x); int abs(struct s x)",
            "by value",
        ),
    ] {
        let text = format!("{head} {{ return 1; }}\nint main(void) {{ return abs(1); }}");
        let read = program(&text);
        let why = main_of(&read).and_then(|main| read.opaque(main)).unwrap();
        assert!(why.reason.contains(reason), "{text}: {why}");
    }
}

#[test]
fn what_changes_a_layout_or_the_meaning_of_a_word_is_outside() {
    const MAIN: &str = "int main(void) { return 0; }";
    for text in [
        "struct s { char c; int i; } __attribute__((packed));",
        "struct __attribute__((__packed__)) s { char c; int i; };",
        "struct s { char c; int i __attribute__((unused, packed)); };",
        "typedef int byte __attribute__((mode(QI)));",
        "typedef int four __attribute__((vector_size(16)));",
        "struct s { char c; _Alignas(16) int i; };",
        "struct [[gnu::packed]] s { char c; int i; };",
        "#pragma pack(1)\nstruct s { char c; int i; };",
        "_Pragma(\"pack(1)\") struct s { char c; int i; };",
        "static int n; __attribute__((constructor)) static void set(void) { n = 1; }",
        "int f(int y) __asm__(\"h\"); int h(int y) { return y; }",
        "__asm__(\".globl f; f: ret\");",
        "enum { false, true = 4 };",
        "#define true 3",
        "#include <stdbool.h>\n#undef false\n#define false 7",
        "#define NULL ((char *)8)",
        "static int true = 2;",
        "#define NDEBUG\n#include <assert.h>\nvoid f(int n) { assert(n); }",
    ] {
        let whole = format!("{text}\n{MAIN}");
        assert!(read_text(&whole).is_err(), "{text}");
    }
    for text in [
        "__attribute__((unused)) static int n; static void fail(const char *) __attribute__((noreturn, format(printf, 1, 2)));",
        "static void f(int n) { if (n) __asm__(\"nop\"); }",
        "#pragma once\n#pragma GCC diagnostic ignored \"-Wall\"",
        "typedef enum { false, true } bool;",
        "#define true 1\n#define false 0\n#define NULL ((void *) 0)",
        "#define NDEBUG",
        "#include <stdbool.h>\nbool f(int n) { return n ? true : false; }",
    ] {
        let whole = format!("{text}\n{MAIN}");
        let read = read_text(&whole);
        assert!(read.is_ok(), "{text}: {:?}", read.err());
    }
}

#[test]
fn what_has_a_meaning_without_its_initializer_is_not_left_out() {
    let text = "int n = 1.5; int main(void) { return n; }";
    assert!(read_text(text).is_err());
    let text = "int f(void) { return 1; } int f(void) { return 2; } int main(void) { return f(); }";
    assert!(read_text(text).is_err());
}

#[test]
fn what_cannot_be_parsed_within_a_function_is_left_out_with_it() {
    let text = "#include <stdarg.h>\nvoid log_all(int n, ...) { va_list a; va_start(a, n); va_arg(a, int); }\n\
        int f(void) { int x = 3 }\nint main(void) { return 1; }";
    let program = program(text);
    let unread: Vec<&String> = program.unread.keys().collect();
    assert_eq!(unread, ["f", "log_all"]);
    assert!(read_text("int f(void { return 1; } int main(void) { return 1; }").is_err());
}

#[test]
fn the_library_is_translated() {
    let program = program(
        "int main(void) { char a[9] = \"x\", *e; gets(a); strncpy(a, \"b\", 2); strncat(a, \"c\", 1); strcmp(a, a);
         strstr(a, a); strrchr(a, 'c'); memcmp(a, a, 1); strtol(a, &e, 10); fread(a, 1, 2, stdin); abs(1); labs(1);
         return isalnum('a') && ispunct('a') && isxdigit('a') && iscntrl('a') && isprint('a') && toupper('a') + tolower('A'); }",
    );
    assert!(
        program
            .functions
            .iter()
            .any(|function| function.name == "strlen")
    );
    let of_library = program
        .places
        .iter()
        .filter(|place| place.text.contains("size_t"));
    assert_eq!(of_library.count(), 0);
}

#[test]
fn what_is_defined_by_the_program_is_not_the_library() {
    let program = program("int abs(int x) { return x; }\nint main(void) { return abs(1); }");
    assert_eq!(program.functions.len(), 2);
    assert_eq!(program.places.len(), 2);
}

#[test]
fn old_definitions_are_translated() {
    let program = program(
        "main(argc, argv)\nint argc;\nchar *argv[];\n{ if (argc < 2) exit(1); return f(); }\nf() { return 3; }",
    );
    let main = main_of(&program).unwrap();
    assert_eq!(program.functions[main].parameters.len(), 2);
}

#[test]
fn what_is_outside_is_named() {
    let cases = [
        (
            "int main(void) {\n  float x;\n}",
            2,
            "the type `float` is used, and floating-point numbers are not supported",
        ),
        (
            "int main(void) {\n\n return 1.5; }",
            3,
            "`1.5` is a floating-point number, and these are not supported",
        ),
        (
            "int main(void) { goto a;\na: return 0; }",
            1,
            "`goto` is not supported",
        ),
        (
            "int main(void) {\na: return 0; }",
            2,
            "labels are not supported",
        ),
        (
            "union u { int a; };\nint f(union u *x) { return 0; }",
            2,
            "`union` is not supported",
        ),
        (
            "struct s {\n  int a : 3;\n};\nint f(struct s *x) { return 0; }",
            2,
            "bit-fields are not supported",
        ),
        (
            "\nint (*f)(int);\nint g(void) { return f(1); }",
            2,
            "pointers to functions are not supported",
        ),
        (
            "int f(int n, ...) { return n; }",
            1,
            "functions with a variable number of arguments are not supported",
        ),
        (
            "int f(int n) { int a[3][n]; return 0; }",
            1,
            "`n` must be a constant here",
        ),
        (
            "int f(void) { return sqrt(4); }",
            1,
            "`sqrt` is neither a function in `sources` nor a supported library function",
        ),
        (
            "void f(void) {\n printf(\"%x\", 3); }",
            2,
            "the conversion `%x` is not supported",
        ),
        (
            "void f(void) {\n printf(\"%5lx\", 3l); }",
            2,
            "the conversion `%5lx` is not supported",
        ),
        (
            "struct s { int a; };\nint f(struct s x) { return 0; }",
            2,
            "`f` takes a structure by value, which is not supported",
        ),
        (
            "#if __FOO__\n#endif",
            1,
            "the condition of this `#if` is not supported",
        ),
        (
            "#define C(a, b) a##b\nint C(x, y);",
            2,
            "`##` in a macro is not supported",
        ),
        (
            "#include \"b.h\"",
            1,
            "`b.h` is not among the files of the program",
        ),
        (
            "struct s { int a; };\nvoid f(struct s *x) {\n *x = (struct s){ .a = 3 }; }",
            3,
            "`(struct s){ .a = 3 }` is a compound literal, which is not supported",
        ),
        (
            "int f(int *x) { return *x; }\nint g(void) { return f((int[]){1, 2}); }",
            2,
            "`(int[]){1, 2}` is a compound literal, which is not supported",
        ),
        (
            "struct s { int a; };\nvoid f(struct s *x, struct s *y, int n) { *x = n ? *x : *y; }",
            2,
            "`n ? *x : *y` is not supported where a variable is needed",
        ),
        ("int f(void) { int x = 3 }", 1, super::UNREADABLE),
    ];
    for (text, line, reason) in cases {
        assert_eq!(outside(text), (line, reason.to_owned()));
    }
}

#[test]
fn assignments_and_initializers_are_places() {
    let text = "int g = 7;\nint main(void) {\n  int x = g + 1, y;\n  y =\n    x * 2; /* why */\n  x += 3;\n  y--;\n  return y;\n}";
    assert_eq!(
        places(text),
        [
            place(1, "int g = 7;", "7"),
            place(3, "int x = g + 1, y;", "g + 1"),
            place(4, "y = x * 2;", "x * 2"),
            place(6, "x += 3;", "x += 3"),
            place(7, "y--;", "y--"),
            place(8, "return y;", "y"),
        ]
    );
}

#[test]
fn conditions_are_places_with_the_text_of_their_header() {
    let text = "void f(int n) {\n  if (n > 1 &&\n      n < 5) n = 2;\n  while (n) --n;\n  do n++; while (n < 9);\n  for (int i = 0; i < n; i++) ;\n  switch (n + 1) { case 1: break; }\n}";
    assert_eq!(
        places(text),
        [
            place(2, "if (n > 1 && n < 5)", "n > 1 &&\n      n < 5"),
            place(3, "n = 2;", "2"),
            place(4, "while (n)", "n"),
            place(4, "--n;", "--n"),
            place(5, "while (n < 9)", "n < 9"),
            place(5, "n++;", "n++"),
            place(6, "for (int i = 0; i < n; i++)", "0"),
            place(6, "for (int i = 0; i < n; i++)", "i < n"),
            place(6, "for (int i = 0; i < n; i++)", "i++"),
            place(7, "switch (n + 1)", "n + 1"),
        ]
    );
}

#[test]
fn assignments_in_expressions_are_places_and_increments_are_not() {
    let text =
        "int f(char *s) {\n  int n, c = 0;\n  while ((n = *s++) != 0) c = n;\n  return c++;\n}";
    assert_eq!(
        places(text),
        [
            place(2, "int n, c = 0;", "0"),
            place(3, "while ((n = *s++) != 0)", "*s++"),
            place(3, "while ((n = *s++) != 0)", "(n = *s++) != 0"),
            place(3, "c = n;", "n"),
            place(4, "return c++;", "c++"),
        ]
    );
}

#[test]
fn arguments_are_places_unless_they_are_simple() {
    let text = "int f(int x) { return x; }\nint main(void) {\n  int a[2], x;\n  printf(\"%d %d %d %s\", x, f(1), 3, \"s\");\n  f(x + 1);\n  printf(\"%d\\n\", a[0]);\n  putchar(toupper(x));\n  f(abs(x));\n  putchar(getchar());\n}";
    assert_eq!(
        places(text),
        [
            place(1, "return x;", "x"),
            // What is printed and written as a constant can be wrong nowhere else.
            place(4, "printf(\"%d %d %d %s\", x, f(1), 3, \"s\");", "3"),
            place(5, "f(x + 1);", "x + 1"),
            place(6, "printf(\"%d\\n\", a[0]);", "a[0]"),
            // No statement of the program has the result of a library function.
            place(7, "putchar(toupper(x));", "toupper(x)"),
        ]
    );
}

#[test]
fn input_is_no_place() {
    let text = "int main(int argc, char **argv) {\n  int n = atoi(argv[1]), c = getchar();\n  char *s = argv[2];\n  scanf(\"%d\", &n);\n  if (argc != 3) return 1;\n  return puts(argv[0]), n;\n}";
    let text = text.replace("puts(argv[0]), ", "");
    assert_eq!(
        places(&text),
        [
            place(5, "if (argc != 3)", "argc != 3"),
            place(5, "return 1;", "1"),
            place(6, "return n;", "n")
        ]
    );
    // Which character it is, the program decides.
    let text = "int main(int argc, char **argv) {\n  char c = argv[1][0];\n}";
    assert_eq!(
        places(text),
        [place(2, "char c = argv[1][0];", "argv[1][0]")]
    );
}

#[test]
fn constants_that_are_macros_are_places() {
    let text = "#define MAX 10 /* most */\n#define TWICE (MAX * 2)\nint a[MAX];\nint f(int x) { return x < TWICE; }\nint g(void) { return MAX; }";
    assert_eq!(
        places(text),
        [
            place(1, "#define MAX 10", "10"),
            place(2, "#define TWICE (MAX * 2)", "(MAX * 2)"),
            place(4, "return x < TWICE;", "x < TWICE"),
            place(5, "return MAX;", "MAX"),
        ]
    );
    let program = program(text);
    let first = &program.places.raw[0];
    assert_eq!(first.function, None);
    assert_eq!(first.kind, PlaceKind::Value);
    assert_eq!(first.column, 13);
    assert_eq!(program.globals.len(), 2);
}

#[test]
fn a_constant_that_is_defined_again_is_a_place_each_time() {
    let text = "#if 0\n#define K 1\n#else\n#define K 2\n#endif\nint f(int x) { return x < K; }\n#undef K\n#define K 3\nint g(int x) { return x < K; }";
    assert_eq!(
        places(text),
        [
            place(4, "#define K 2", "2"),
            place(6, "return x < K;", "x < K"),
            place(8, "#define K 3", "3"),
            place(9, "return x < K;", "x < K"),
        ]
    );
    // Where it is used, `TWO` is 4.
    let text = "#define ONE 1\n#define TWO (ONE * 2)\n#undef ONE\n#define ONE 2\nint f(void) { return TWO; }";
    assert_eq!(
        places(text),
        [
            place(4, "#define ONE 2", "2"),
            place(5, "return TWO;", "TWO")
        ]
    );
}

#[test]
fn a_postfix_operator_binds_more_tightly_than_a_prefix_operator() {
    let text = "struct s { int x; };\nint f(int a, int *t, struct s *p)\n{\n int n = -a++ - -t[0]++;\n if (!p->x++)\n  return ~a--;\n return a -(*t)++ + (char) -a++;\n}";
    program(text);
}

#[test]
fn macros_that_are_no_constants_are_substituted() {
    let text = "#define SUM 1 + 2\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint f(int x) { return MAX(x, SUM * 2); }";
    assert_eq!(
        places(text),
        [place(3, "return MAX(x, SUM * 2);", "MAX(x, SUM * 2)")]
    );
}

#[test]
fn alternatives_that_do_not_count_are_not_read() {
    let text = "#ifdef DEBUG\nfloat x;\n#else\nint x = 1;\n#endif\n#if 0\nit's nothing\n#endif\n";
    assert_eq!(places(text), [place(4, "int x = 1;", "1")]);
}

/// Each holds according to gcc: unsigned numbers stay unsigned, and operators bind as in C.
#[test]
fn conditions_of_the_preprocessor_are_computed_in_the_types_of_c() {
    for condition in [
        "-1 > 0u",
        "0u - 1 > 0",
        "-1 > UINT_MAX",
        "(1 ? -1 : 0u) > 0",
        "~0u == 0xFFFFFFFFFFFFFFFF",
        "-1 < 0",
        "(-1 >> 1) < 0",
        "-1 << 2 == -4",
        "(0u - 2) / 2 == 0x7FFFFFFFFFFFFFFF",
        "1 | 2 == 2",
        "(6 & 3 == 3) == 0",
        "1 + 2 * 3 == 7 && 7 - 2 - 1 == 4",
        "1 << 1 + 1 == 4",
        "0 ? 0 : 1 || 0",
    ] {
        let text = format!("#if {condition}\nint x = 1;\n#endif\n");
        assert_eq!(places(&text).len(), 1, "{condition}");
    }
    for condition in ["0x7FFFFFFFFFFFFFFF + 1", "1 / 0", "1 << 64", "1 >> 64"] {
        let text = format!("#if {condition}\n#endif\n");
        let reason = "the condition of this `#if` is not supported".to_owned();
        assert_eq!(outside(&text), (1, reason), "{condition}");
    }
}

#[test]
fn files_share_what_is_external() {
    let file = |name: &str, text: &str| (Utf8PathBuf::from(name), text.to_owned());
    let program = read(&[
        file("a.c", "#include \"a.h\"\nstatic int f(void) { return LIMIT; }\nint main(void) { n = f(); return g(&n); }"),
        file("b.c", "#include \"a.h\"\nint n = 3;\nstatic int f(void) { return LIMIT; }\nint g(int *p) { return *p + f(); }"),
        file("a.h", "#define LIMIT 5\nextern int n;\nint g(int *);\n"),
    ])
    .unwrap();
    assert_eq!(program.functions.len(), 4);
    assert_eq!(
        program
            .variables
            .iter()
            .filter(|variable| variable.is_global)
            .count(),
        2
    );
    let of_header: Vec<_> = program
        .places
        .iter()
        .filter(|place| place.span.file == 2)
        .collect();
    assert_eq!(of_header.len(), 1);
    assert_eq!(of_header[0].text, "#define LIMIT 5");
}

/// Every operation of a tree, in parentheses, as the source writes its operands.
fn grouped(syntax: super::Syntax<'_>) -> String {
    let field = |name: &str| syntax.field(name).map_or_else(String::new, grouped);
    match syntax.kind() {
        "parenthesized_expression" => grouped(syntax.without_parentheses()),
        "binary_expression" => {
            format!(
                "({} {} {})",
                field("left"),
                syntax.operator(),
                field("right")
            )
        }
        "unary_expression" => format!("({}{})", syntax.operator(), field("argument")),
        "cast_expression" => format!(
            "cast({}, {})",
            syntax.field("type").unwrap().text().trim(),
            field("value")
        ),
        _ => syntax.text().split_whitespace().collect(),
    }
}

#[test]
fn only_a_type_in_parentheses_casts_what_follows() {
    for (text, expected) in [
        ("(n) - 1 * 2 > 3", "((n - (1 * 2)) > 3)"),
        ("(n)-1*2 > 3", "((n - (1 * 2)) > 3)"),
        ("(v[0])-1*2", "(v[0] - (1 * 2))"),
        ("(f(a))-b*2", "(f(a) - (b * 2))"),
        ("(a) + ((b) - (a)) / 2", "(a + ((b - a) / 2))"),
        ("MID(a, b)", "(a + ((b - a) / 2))"),
        ("(a) & b == 5", "(a & (b == 5))"),
        ("-(a) - (b) * 2", "((-a) - (b * 2))"),
        ("(a)-(b)-(c)*2", "((a - b) - (c * 2))"),
        ("(a) * b + c", "((a * b) + c)"),
        ("(v[0]) - a * 2", "(v[0] - (a * 2))"),
        ("(f(a)) + b % 2", "(f(a) + (b % 2))"),
        ("(int)(a) - b * 2", "(cast(int, a) - (b * 2))"),
        ("((a)) - b * 2", "(a - (b * 2))"),
        ("(T) - b * 2", "(cast(const T, (-b)) * 2)"),
        ("(size_t) - b * 2", "(cast(size_t, (-b)) * 2)"),
        ("(long) + b * 2", "(cast(long, (+b)) * 2)"),
    ] {
        let text = format!(
            "#define MID(x, y) ((x) + ((y) - (x)) / 2)\ntypedef int T;\nint f(int x) {{ return x; }}\n\
             int g(int a, int b, int c, int n, int *v) {{ return {text}; }}\n"
        );
        let files = [(Utf8PathBuf::from("a.c"), text)];
        let tokens = super::preprocess::unit(&files, 0, false, Deadline::Never).unwrap();
        let source = super::source::Source::new(&tokens, false, Deadline::Never).unwrap();
        let function = source.root().children().pop().unwrap();
        let body = function.field("body").unwrap();
        let returned = body.children().pop().unwrap().children().pop().unwrap();
        assert_eq!(grouped(returned), expected, "{}", files[0].1);
        read(&files).unwrap();
    }
}

#[test]
fn what_a_macro_makes_of_several_parts_is_where_it_is_used() {
    let text = "#define EACH(p, head) for (p = head; p > 0; p = p - 1)
#define LESS(a, b) a < b
#define OR(a) || a
#define ALL(p) EACH(p, LESS(p, 9))
int main(void) {
    int x, n = 0;
    EACH(x, 2 * 3) n = n + 1;
    if (LESS(x, n + 1)) n = LESS(n, 3) + 1;
    if (x OR(n > 2)) ALL(x) n = 4;
    return n;
}
";
    let of = |line, text, expression| place(line, text, expression);
    assert_eq!(
        places(text),
        [
            of(6, "int x, n = 0;", "0"),
            of(7, "EACH(x, 2 * 3)", "2 * 3"),
            of(7, "EACH(x, 2 * 3)", "EACH(x, 2 * 3)"),
            of(7, "EACH(x, 2 * 3)", "EACH(x, 2 * 3)"),
            of(7, "n = n + 1;", "n + 1"),
            of(8, "if (LESS(x, n + 1))", "LESS(x, n + 1)"),
            of(8, "n = LESS(n, 3) + 1;", "LESS(n, 3) + 1"),
            of(9, "if (x OR(n > 2))", "x OR(n > 2)"),
            of(9, "ALL(x)", "ALL(x)"),
            of(9, "ALL(x)", "ALL(x)"),
            of(9, "ALL(x)", "ALL(x)"),
            of(9, "n = 4;", "4"),
            of(10, "return n;", "n"),
        ]
    );
}

#[test]
fn reading_ends_at_the_deadline_wherever_it_is() {
    let text = "#define ROW(i, body) for (int i = 0; i < 3; i++) { body }\n\
        #define ROWS(body) ROW(a, ROW(b, ROW(c, body)))\n\
        int main(void)\n{\n    int sum = 0;\n    ROWS(ROWS(sum += a; sum += b; sum += c;))\n    return sum;\n}\n";
    let files = [(Utf8PathBuf::from("a.c"), text.to_owned())];
    let after = |questions| read_until(&files, Deadline::after_questions(questions));
    let enough = (0..)
        .find(|doublings| after(1 << doublings).is_ok())
        .unwrap();
    // Macros are expanded first, statements are translated last.
    for questions in [0, 1 << (enough - 2), (1 << (enough - 1))] {
        let outside = after(questions).unwrap_err();
        assert_eq!(outside.reason, LATE, "after {questions}");
    }
    assert!(after(u64::MAX).is_ok());
}
