//! What is outside of the subset is named with its file, its line and a reason, but only if a test reaches it.

use camino::Utf8PathBuf;

use super::super::{Wanted, read_all};
use super::{read, read_files};

fn reason(text: &str) -> String {
    match read(text, &["t"]) {
        Ok(_) => panic!("nothing is outside"),
        Err(outside) => outside.to_string(),
    }
}

/// The reason why a function `f` with this text is outside.
fn of_function(text: &str) -> String {
    let reason = reason(&format!("{text}\n#[test]\nfn t() {{ f(); }}"));
    reason.trim_start_matches("src/lib.rs:").to_owned()
}

#[test]
fn what_is_outside_is_named_with_its_line() {
    let cases = [
        (
            "fn f() {\n    let x = 1.5;\n}",
            "2: floating-point numbers are not supported",
        ),
        (
            "fn f() {\n    let x: f64;\n}",
            "2: floating-point numbers are not supported",
        ),
        (
            "fn f() {\n    let x: i128 = 1;\n}",
            "2: the type `i128` is not supported",
        ),
        (
            "struct S<'a> { n: &'a mut i32 }\nimpl Drop for S<'_> { fn drop(&mut self) { *self.n -= 1; } }\nfn f() { let mut n = 1; S { n: &mut n }; }",
            "1: `S` has a method `drop`, and traits are not supported",
        ),
        (
            "fn f() {\n    let x = vec![1];\n}",
            "2: the macro `vec!` is not supported",
        ),
        (
            "fn f() -> Vec<u8> {\n    todo!()\n}",
            "1: the type `Vec<u8>` is not supported",
        ),
        (
            "fn f() {\n    let x = |y: i32| y;\n}",
            "2: closures are not supported",
        ),
        (
            "fn f() {\n    [1].iter().sum::<i32>();\n}",
            "2: generics are not supported",
        ),
        (
            "fn f() {\n    for x in [1, 2].windows(1) {}\n}",
            "2: iterators are supported only in the head of a `for`",
        ),
        // It was "`S::d` is not a method of the crate".
        (
            "trait T { fn d(&self) -> i32 { 1 } }\nstruct S { n: i32 }\nimpl T for S {}\nfn f() {\n    S { n: 1 }.d();\n}",
            "5: no `impl S` here has a method `d`; default methods of traits are not supported",
        ),
        // It was "`1` has the type `i8` where `u8` is expected" and the like.
        (
            "fn f() {\n    let n: i8 = 1;\n    5u8.saturating_add_signed(n);\n}",
            "3: the method `saturating_add_signed` of `u8` is not supported",
        ),
        (
            "fn f() {\n    let n: u32 = 1;\n    5u8.saturating_pow(n);\n}",
            "3: the method `saturating_pow` of `u8` is not supported",
        ),
        (
            "fn f() {\n    let n: u8 = 1;\n    5i8.checked_add_unsigned(n);\n}",
            "3: the method `checked_add_unsigned` of `i8` is not supported",
        ),
        (
            "fn f<T>() {}",
            "1: `f` is used, but generics are not supported",
        ),
        (
            "async fn f() {}",
            "1: `f` is `async` or `extern`, which is not supported",
        ),
        (
            "fn f() {\n    let p: *mut i32 = 1 as *mut i32;\n}",
            "2: a pointer made of `i32` is not supported",
        ),
        (
            "static mut X: i32 = 1;\nfn f() {\n    X;\n}",
            "3: `X` is used, but a `static mut` is not supported",
        ),
        (
            "fn f() {\n    g();\n}",
            "2: `g` is not a function of the crate",
        ),
        // It was "`g` is not a function of the crate".
        (
            "macro_rules! m { ($n:ident) => { fn $n() {} } }\nm!(g);\nfn f() {\n    g();\n}",
            "4: a macro may make `g`, which is not supported",
        ),
        (
            "use std::collections::HashMap;\nfn f() {\n    HashMap::new();\n}",
            "3: `HashMap::new` of the standard library is not supported",
        ),
        (
            "fn f() {\n    std::iter::repeat(1);\n}",
            "2: `std::iter::repeat` of the standard library is not supported",
        ),
        (
            "fn g() {}\nmod m { fn g() {} }\nfn f() {\n    g();\n}",
            "4: there is more than one `g` in the workspace",
        ),
        (
            "#[cfg(unix)]\nfn f() {}",
            "2: `f` is used, but conditional compilation, here `cfg(unix)`, is not supported",
        ),
        (
            "#[cfg(all(test, feature = \"extra\"))]\nfn f() {}",
            "2: `f` is used, but conditional compilation, here `cfg(all(test, feature = \"extra\"))`, is not supported; `localize` \
             and `repair` run what is compiled with `--features extra`",
        ),
        (
            "enum E { A(i32) }\nfn f() {\n    let e: E;\n}",
            "1: `E` has data in its variants, which is not supported",
        ),
        (
            "struct S;\nfn f() {\n    S == S;\n}",
            "3: `S` does not derive `PartialEq`, and traits are not supported",
        ),
        (
            "struct S;\nimpl Debug for S { fn fmt(&self) {} }\nfn f() {\n    S.fmt();\n}",
            "4: `S::fmt` is a method of a trait, and traits are not supported",
        ),
        (
            "struct S;\nimpl Drop for S { fn drop(&mut self) {} }\nfn f() {\n    S;\n}",
            "1: `S` has a method `drop`, and traits are not supported",
        ),
        (
            "use std::cmp::max;\nmod m { fn max(a: i32) {} }\nfn f() {\n    max(1, \"\");\n}",
            "4: `\"\"` has the type `&str` where `i32` is expected",
        ),
        (
            "use m::a as b;\nmod m { fn a() {} fn b() {} }\nfn f() {\n    b();\n}",
            "1: `a` is imported as `b`, which is not supported",
        ),
        (
            "fn f() {\n    #[cfg(debug_assertions)]\n    panic!();\n}",
            "2: conditional compilation is not supported",
        ),
        (
            "fn f() {\n    \"text\".len();\n}",
            "2: the method `len` of `str` is not supported",
        ),
        (
            "fn f() {\n    1u8.count_ones();\n}",
            "2: the method `count_ones` of `u8` is not supported",
        ),
        (
            "fn f() {\n    18446744073709551616;\n}",
            "2: an integer of more than 64 bits is not supported",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(of_function(text), expected, "{text}");
    }
}

#[test]
fn what_no_test_reaches_does_not_matter() {
    let text = "
        use std::collections::HashMap;
        struct Cache { map: HashMap<String, f64> }
        impl Cache { fn get(&self) -> Option<f64> { self.map.values().copied().next() } }
        trait Shape { fn area(&self) -> f64; }
        fn generic<T: Clone>(x: &T) -> T { x.clone() }
        fn twice(x: i32) -> i32 { x * 2 }
        #[test] fn other() { generic(&1.0); }
        #[test] fn t() { assert_eq!(twice(2), 4); }
    ";
    let (program, tests) = read(text, &["t"]).unwrap();
    assert_eq!(program.functions.len(), 2);
    assert_eq!(tests.len(), 1);
    let outside = read(text, &["t", "other"]).unwrap_err();
    assert_eq!(outside.line, 6);
}

#[test]
fn tests_that_are_to_panic_are_outside() {
    let text = "#[test]\n#[should_panic]\nfn t() { panic!() }";
    assert_eq!(
        reason(text),
        "src/lib.rs:3: tests that expect a panic are not supported"
    );
    assert_eq!(reason(""), "src/lib.rs:1: no test is named `t`");
    let text = "#[test]\nfn t() -> Result<(), u8> { Ok(()) }";
    assert_eq!(
        reason(text),
        "src/lib.rs:2: tests with parameters or a result are not supported"
    );
}

#[test]
fn tests_that_are_no_plain_tests_are_named() {
    let files = [
        (
            "src/lib.rs",
            "#[cfg(test)]\nmod tests {\n#[tokio::test]\nasync fn a() {}\nproptest! {\n#[test]\nfn b(x in 0..9) {}\n}\n#[test]\nfn c() {}\n}",
        ),
        ("tests/own.rs", "fn main() {}"),
        ("tests/other.rs", "fn main() {}\n#[test]\nfn d() {}"),
    ];
    let files = files.map(|(path, text)| (Utf8PathBuf::from(path), text.to_owned()));
    let all = read_all(&files, None, &|_, _| Wanted::Yes).unwrap();
    let read: Vec<String> = all.tests.into_iter().map(|test| test.name).collect();
    assert_eq!(read, ["d", "tests::c"]);
    let outside = all.outside.iter();
    let outside: Vec<String> = outside
        .map(|(name, why)| format!("{name}: {why}"))
        .collect();
    assert_eq!(
        outside,
        [
            "tests::a: src/lib.rs:4: the attribute `#[tokio::test]` makes the test, which is not supported",
            "tests::b: src/lib.rs:7: the macro `proptest!` makes the test, which is not supported",
            "main: tests/own.rs:1: the target has no `#[test]` but a `main`, which is not supported",
        ]
    );
}

#[test]
fn files_are_told_apart() {
    let files = [
        (
            "src/lib.rs",
            "pub mod a;\npub mod b;\n#[cfg(test)]\nmod tests;\n",
        ),
        (
            "src/a.rs",
            "use crate::b::three;\npub fn one() -> i32 {\n    three() - 2\n}\n",
        ),
        (
            "src/b/mod.rs",
            "pub fn three() -> i32 { 3 }\n\npub fn half() -> f32 { 0.5 }\n",
        ),
        (
            "src/tests.rs",
            "fn helper() -> i32 { 1 + 0 }\n#[test]\nfn works() { assert_eq!(crate::a::one(), helper()); }\n",
        ),
        (
            "tests/all.rs",
            "#[test]\nfn halves() { krate::b::half(); }\nmod m { #[test] fn inner() {} }\n",
        ),
    ];
    let files = files.map(|(path, text)| (Utf8PathBuf::from(path), text.to_owned()));
    let (program, tests) = read_files(&files, &["tests::works", "m::inner"]).unwrap();
    assert!(
        tests
            .iter()
            .all(|test| super::end_of(&program, test) == crate::interpret::End::Passed)
    );
    let lines: Vec<_> = program
        .places
        .iter()
        .map(|place| (place.span.file, place.line))
        .collect();
    assert_eq!(lines, [(1, 3), (2, 1)]);
    let outside = read_files(&files, &["halves"]).unwrap_err();
    assert_eq!(
        outside.to_string(),
        "src/b/mod.rs:3: floating-point numbers are not supported"
    );
}

#[test]
fn files_that_cannot_be_parsed_are_named() {
    let outside = read("fn f() {\n", &["t"]).unwrap_err();
    assert!(outside.to_string().contains("syntax error"), "{outside}");
}
