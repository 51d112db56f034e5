//! Tests of the text that edits produce in a file.

use std::sync::Arc;

use nopol_source::template::Template;
use nopol_source::{FileIndex, FunctionIndex, Language, SiteKind};

use super::*;

fn wrapped(text: &str, statement: &str) -> String {
    wrapped_in(Language::Rust, text, statement)
}

fn site(kind: SiteKind, template: Template) -> Site {
    Site {
        id: String::new(),
        kind,
        file: FileIndex::new(0),
        span: 0..0,
        line: 1,
        column: 1,
        text: String::new(),
        parts: Vec::new(),
        body: String::new(),
        body_origin: nopol_source::BodyOrigin::Own,
        checks: 0,
        min_binding: template.min_binding,
        template,
        function: FunctionIndex::new(0),
        names: Arc::default(),
        is_argument: false,
        is_pure: None,
    }
}

fn wrapped_in(language: Language, text: &str, statement: &str) -> String {
    let start = text.find(statement).unwrap();
    let template = language.template(SiteKind::Statement).unwrap();
    let site = Site {
        span: start..start + statement.len(),
        text: statement.to_string(),
        ..site(SiteKind::Statement, template)
    };
    let writer = EditWriter::new(language.layout(), text, &site);
    replaced(text, writer.wrap("c"))
}

fn replaced(text: &str, (span, after): (Range<usize>, String)) -> String {
    format!("{}{after}{}", &text[..span.start], &text[span.end..])
}

/// The text without a statement.
fn without(text: &str, statement: &str) -> String {
    let start = text.find(statement).unwrap();
    let span = left_out(text, &(start..start + statement.len()));
    format!("{}{}", &text[..span.start], &text[span.end..])
}

#[test]
fn a_deleted_statement_leaves_no_line_and_no_spaces() {
    assert_eq!(
        without("{\n    a();\n    b();\n}", "a();"),
        "{\n    b();\n}"
    );
    assert_eq!(
        without("{\n    a();\n\n    x();\n\n    b();\n}", "x();"),
        "{\n    a();\n\n    b();\n}"
    );
    assert_eq!(
        without("{\r\n\ta();\r\n\r\n\tx();\r\n}", "x();"),
        "{\r\n\ta();\r\n}"
    );
    assert_eq!(without("{\n  x();\n\n  b();\n}", "x();"), "{\n  b();\n}");
    assert_eq!(without("{\n  x(1,\n    2);\n}", "x(1,\n    2);"), "{\n}");
    // Other text on the line stays.
    assert_eq!(without("{\n  x(); // why\n}", "x();"), "{\n  // why\n}");
    assert_eq!(without("{ a(); x(); b(); }", "x();"), "{ a(); b(); }");
    assert_eq!(without("  a(); x();\n}", "x();"), "  a();\n}");
}

#[test]
fn a_guard_at_the_end_of_a_loop_is_inside_the_loop() {
    let text = "    for x in v {\n        f(x);\n    }\n";
    let template = Language::Rust.template(SiteKind::EarlyExit).unwrap();
    let at = text.find('}').unwrap();
    let site = Site {
        span: at..at,
        body: "break;".to_owned(),
        ..site(SiteKind::EarlyExit, template)
    };
    let writer = EditWriter::new(Language::Rust.layout(), text, &site);
    let patched = replaced(text, writer.leave("x > 3"));
    let wanted = "    for x in v {\n        f(x);\n        if x > 3 {\n            break;\n        }\n    }\n";
    assert_eq!(patched, wanted);
}

#[test]
fn a_statement_on_its_own_lines_is_indented() {
    assert_eq!(
        wrapped("{\n    f(\n        1,\n    );\n}", "f(\n        1,\n    );"),
        "{\n    if c {\n        f(\n            1,\n        );\n    }\n}"
    );
    assert_eq!(
        wrapped("{\n\ta(); // why\n}", "a();"),
        "{\n\tif c {\n\t\ta(); // why\n\t}\n}"
    );
    assert_eq!(
        wrapped("{\r\n  a();\r\n}", "a();"),
        "{\r\n  if c {\r\n      a();\r\n  }\r\n}"
    );
}

#[test]
fn in_c_a_statement_gets_braces_if_others_have_them() {
    let sparing = "{\n  if (a)\n    b();\n  d();\n}";
    assert_eq!(
        wrapped_in(Language::C, sparing, "d();"),
        "{\n  if (a)\n    b();\n  if (c)\n    d();\n}"
    );
    let braced = "{\n\tif (a) {\n\t\tb();\n\t}\n\td();\n}";
    assert_eq!(
        wrapped_in(Language::C, braced, "d();"),
        "{\n\tif (a) {\n\t\tb();\n\t}\n\tif (c) {\n\t\td();\n\t}\n}"
    );
}

#[test]
fn in_c_an_else_keeps_its_if() {
    let sparing = "{\n  if (a)\n    b();\n  /* or */ else\n    d();\n}";
    assert_eq!(
        wrapped_in(Language::C, sparing, "b();"),
        "{\n  if (a)\n    { if (c) { b(); } }\n  /* or */ else\n    d();\n}"
    );
    assert_eq!(
        wrapped_in(Language::C, "{ if (a) b(); else d(); }", "b();"),
        "{ if (a) { if (c) { b(); } } else d(); }"
    );
    let layout = Language::C.layout();
    let nothing = |text: &str| {
        let start = text.find("b();").unwrap();
        let unbraced = layout.unbraced(text, &(start..start + 4));
        unbraced.map(|unbraced| unbraced.nothing)
    };
    assert_eq!(nothing("while (a) b(); d();"), Some(";"));
    assert_eq!(nothing("if (a) d(); else\n  b();"), Some(";"));
    assert_eq!(nothing("case 1: b(); }"), Some(";"));
    assert_eq!(nothing("if (a) // \"why\"\n  b();"), Some(";"));
    assert_eq!(nothing("if (a) /* why */ b();"), Some(";"));
    assert_eq!(nothing("a(\"//\"); b();"), None);
    assert_eq!(nothing("if (a) { b(); }"), None);
    assert_eq!(nothing("a(); b();"), None);
}

#[test]
fn a_statement_among_others_stays_on_its_line() {
    assert_eq!(wrapped("{ a(); b(); }", "a();"), "{ if c { a(); } b(); }");
}

#[test]
fn lines_of_a_string_keep_their_indentation() {
    assert_eq!(
        wrapped("{\n    a(\"x\n y\");\n}", "a(\"x\n y\");"),
        "{\n    if c {\n        a(\"x\n y\");\n    }\n}"
    );
}

/// The text with a guard before a statement.
fn guarded(language: Language, text: &str, statement: &str) -> String {
    let at = text.find(statement).unwrap();
    let site = Site {
        span: at..at,
        body: "return;".to_owned(),
        ..site(
            SiteKind::EarlyExit,
            language.template(SiteKind::EarlyExit).unwrap(),
        )
    };
    let writer = EditWriter::new(language.layout(), text, &site);
    replaced(text, writer.leave("c"))
}

/// The text with `GUARD` at the place for a guard before a statement.
fn marked(language: Language, text: &str, statement: &str) -> String {
    let [open, close] = match language {
        Language::Rust => ["if c {", "}"],
        Language::C => ["if (c) {", "}"],
    };
    let patched = guarded(language, text, statement);
    let start = patched.find(open).unwrap();
    let end = start + patched[start..].find(close).unwrap() + 1;
    format!("{}GUARD{}", &patched[..start], &patched[end..])
}

#[test]
fn a_guard_goes_above_the_comments_of_its_statement() {
    let holds = |language, text: &str| {
        let plain = text.replace("GUARD\n  ", "").replace("GUARD ", "");
        assert_eq!(marked(language, &plain, "x(d[0]);"), text);
    };
    for language in [Language::Rust, Language::C] {
        for text in [
            "void f() {\n  GUARD\n  // why\n  x(d[0]);\n}",
            "void f() {\n  a();\n  GUARD\n  // why\n  // and how\n  x(d[0]);\n}",
            "void f() {\n  a();\n  GUARD\n  /* why\n\n   * and how */\n  x(d[0]);\n}",
            "void f() {\n  a();\n  GUARD\n  /* why */ /* and */\n  // how\n  x(d[0]);\n}",
            "void f() {\n  a();\n  GUARD\n  /* why */ x(d[0]);\n}",
            "void f() { a(); GUARD /* why */ x(d[0]); }",
            // Comments that belong to the code on their line.
            "void f() { // why\n  GUARD\n  x(d[0]);\n}",
            "void f() {\n  a(); // why\n  GUARD\n  x(d[0]);\n}",
            "void f() {\n  a(); /* why\n  and how */\n  GUARD\n  x(d[0]);\n}",
            "void f() {\n  a(); // why\n       // and how\n  GUARD\n  x(d[0]);\n}",
            "void f() {\n  a(); // why\n  GUARD\n  // and how\n  x(d[0]);\n}",
            // Comments that belong to nothing.
            "void f() {\n  // why\n\n  GUARD\n  x(d[0]);\n}",
            "void f() {\n  // why\n\n  GUARD\n  // and how\n  x(d[0]);\n}",
            // Text that is not a comment.
            "void f() {\n  a(\"\\\"\n  // why\");\n  GUARD\n  x(d[0]);\n}",
        ] {
            holds(language, text);
        }
    }
    holds(
        Language::Rust,
        "fn f() {\n  a('\"');\n  GUARD\n  // \"\n  x(d[0]);\n}",
    );
    holds(
        Language::Rust,
        "fn f() {\n  a(r#\"\n  // \"\n  \"#);\n  GUARD\n  x(d[0]);\n}",
    );
    holds(
        Language::Rust,
        "fn f() {\n  GUARD\n  /* a /* b */ c */\n  x(d[0]);\n}",
    );
    // Inner documentation must come first in its function.
    holds(
        Language::Rust,
        "fn f() {\n  //! why\n  GUARD\n  x(d[0]);\n}",
    );
    holds(
        Language::Rust,
        "#!/x 'a\nfn f() {\n  GUARD\n  // why\n  x(d[0]);\n}",
    );
    holds(
        Language::C,
        "void f() {\n  GUARD\n  // why \\\n  and how\n  x(d[0]);\n}",
    );
    holds(
        Language::C,
        "void f() {\n#ifdef A // why\n  GUARD\n  // and how\n  x(d[0]);\n#endif\n}",
    );
    holds(
        Language::C,
        "void f() {\n#define A 1\n  GUARD\n  // why\n  x(d[0]);\n}",
    );
    holds(
        Language::C,
        "void f() {\n  switch (a) {\n  case 1: /* why */\n  GUARD\n  /* and how */\n  x(d[0]);\n  }\n}",
    );
}

#[test]
fn a_guard_is_indented_like_its_statement() {
    assert_eq!(
        guarded(Language::Rust, "{\r\n// why\r\n    x();\r\n}", "x();"),
        "{\r\n    if c {\r\n        return;\r\n    }\r\n// why\r\n    x();\r\n}"
    );
}

#[test]
fn the_comments_of_a_statement_go_into_the_block_with_it() {
    for (text, wanted) in [
        (
            "{\n    // why\n    x(\n        1,\n    ); // how\n}",
            "{\n    if c {\n        // why\n        x(\n            1,\n        ); // how\n    }\n}",
        ),
        (
            "{\n    /* why */ x(\n        1,\n    );\n}",
            "{\n    if c {\n        /* why */ x(\n            1,\n        );\n    }\n}",
        ),
        (
            "{\n    // why\n\n    x(\n        1,\n    ); // a\n       // b\n    // c\n    d();\n}",
            "{\n    // why\n\n    if c {\n        x(\n            1,\n        ); // a\n           // b\n    }\n    // c\n    d();\n}",
        ),
        (
            "{ a(); /* why */ x(\n        1,\n    ); d(); }",
            "{ a(); if c { /* why */ x(\n        1,\n    ); } d(); }",
        ),
    ] {
        assert_eq!(wrapped(text, "x(\n        1,\n    );"), wanted);
    }
    assert_eq!(
        wrapped_in(
            Language::C,
            "void f() {\n  if (a)\n    /* why */\n    b(); // how\n  else\n    d();\n}",
            "b();"
        ),
        "void f() {\n  if (a)\n    { if (c) {\n      /* why */\n      b(); // how\n    } }\n  else\n    d();\n}"
    );
    assert_eq!(
        wrapped_in(
            Language::C,
            "void f() {\n  if (a)\n    b();\n  /* why */\n  d();\n}",
            "d();"
        ),
        "void f() {\n  if (a)\n    b();\n  if (c)\n    /* why */\n    d();\n}"
    );
}

#[test]
fn an_operand_goes_above_a_safety_comment() {
    let narrowed = |text: &str, old: &str| {
        let at = text.find(old).unwrap();
        let site = Site {
            span: at..at + old.len(),
            ..site(SiteKind::If, Language::Rust.template(SiteKind::If).unwrap())
        };
        let writer = EditWriter::new(Language::Rust.layout(), text, &site);
        let line = format!("c && {old}");
        let moved = writer.operand_above_comments(&line);
        replaced(
            text,
            moved.map_or((site.span.clone(), line), |(start, line)| {
                (start..site.span.end, line)
            }),
        )
    };
    let old = "unsafe { at(v) } > 2";
    assert_eq!(
        narrowed(
            "if\n    // SAFETY: it is there,\n    // says the caller.\n    unsafe { at(v) } > 2\n{}",
            old
        ),
        "if\n    c &&\n    // SAFETY: it is there,\n    // says the caller.\n    unsafe { at(v) } > 2\n{}"
    );
    for text in [
        "if unsafe { at(v) } > 2 {}",
        "    // Whether.\n    unsafe { at(v) } > 2\n",
    ] {
        assert_eq!(
            narrowed(text, old),
            text.replace(old, "c && unsafe { at(v) } > 2")
        );
    }
}
