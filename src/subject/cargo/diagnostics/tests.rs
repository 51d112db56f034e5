//! What cargo prints, real and damaged. A macro of the subject can print anything between rustc's messages.

use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::*;

const MESSAGES: &str = concat!(
    r#"{"reason":"compiler-artifact","package_id":"path+file:///p#a@0.1.0","manifest_path":"/p/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"a","src_path":"/p/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true},"profile":{"opt_level":"0","debuginfo":2,"debug_assertions":true,"overflow_checks":true,"test":true},"features":[],"filenames":["/p/target/debug/deps/a-1"],"executable":"/p/target/debug/deps/a-1","fresh":false}"#,
    "\nprinted by a macro\n",
    r#"{"reason":"compiler-message","package_id":"path+file:///p#a@0.1.0","manifest_path":"/p/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"a","src_path":"/p/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true},"message":{"rendered":"error[E0425]","$message_type":"diagnostic","children":[{"children":[],"code":null,"level":"help","message":"h","rendered":null,"spans":[]}],"level":"error","message":"cannot find value `x`","spans":[{"byte_end":17,"byte_start":16,"column_end":18,"column_start":17,"expansion":{"def_site_span":{"byte_end":3,"byte_start":1,"column_end":1,"column_start":1,"expansion":null,"file_name":"src/m.rs","is_primary":false,"label":null,"line_end":1,"line_start":1,"suggested_replacement":null,"suggestion_applicability":null,"text":[]},"macro_decl_name":"m!","span":{"byte_end":29,"byte_start":26,"column_end":1,"column_start":1,"expansion":null,"file_name":"src/lib.rs","is_primary":false,"label":null,"line_end":2,"line_start":2,"suggested_replacement":null,"suggestion_applicability":null,"text":[]}},"file_name":"src/lib.rs","is_primary":true,"label":"not found in this scope","line_end":1,"line_start":1,"suggested_replacement":null,"suggestion_applicability":null,"text":[{"highlight_end":18,"highlight_start":17,"text":"fn a() -> u8 { x }"}]}],"code":{"code":"E0425","explanation":null}}}"#,
    "\n",
    r#"{"reason":"build-script-executed","package_id":"path+file:///p#a@0.1.0","linked_libs":[],"linked_paths":[],"cfgs":[],"env":[["A","1"]],"out_dir":"/p/out"}"#,
    "\n",
    r#"{"reason":"build-finished","success":false}"#,
    "\n",
);

const WORDS: &[&str] = &[
    "reason",
    "compiler-message",
    "compiler-artifact",
    "build-finished",
    "message",
    "spans",
    "expansion",
    "span",
    "byte_start",
    "byte_end",
    "level",
    "error",
    "failure-note",
    "children",
    "code",
    "label",
    "rendered",
    "executable",
    "target",
    "kind",
    "bin",
    "profile",
    "success",
];

fn is_read(bytes: &[u8]) -> TestCaseResult {
    let all: Vec<Message> = messages(bytes).collect::<std::io::Result<_>>()?;
    prop_assert_eq!(
        all.len(),
        bytes.split_inclusive(|byte| *byte == b'\n').count()
    );
    for message in all {
        if let Message::CompilerMessage(message) = message {
            for span in diagnostic(&message.message).spans {
                prop_assert!(span.bytes.start <= span.bytes.end, "{:?}", span);
            }
        }
    }
    Ok(())
}

fn inputs() -> impl Strategy<Value = Input> {
    documents(&[MESSAGES.as_bytes()], WORDS)
}

#[test]
fn each_line_that_cargo_prints_is_read() {
    few(inputs(), is_read);
}

#[test]
#[ignore = "as above, with many outputs"]
fn each_line_of_many_things_that_cargo_could_print_is_read() {
    many(inputs(), is_read);
}

/// The errors in what is printed.
fn errors(printed: &[u8]) -> Vec<workspace::Diagnostic> {
    let all = messages(printed).map(Result::unwrap);
    let errors = all.filter_map(|message| match message {
        Message::CompilerMessage(message) => Some(diagnostic(&message.message)),
        _ => None,
    });
    errors.collect()
}

#[test]
fn an_error_in_a_macro_has_the_places_of_its_calls() {
    let [error] = &errors(MESSAGES.as_bytes())[..] else {
        panic!("one error");
    };
    assert_eq!(error.code, "E0425");
    let bytes: Vec<_> = error.spans.iter().map(|span| span.bytes.clone()).collect();
    assert_eq!(bytes, [16..17, 26..29]);
    assert_eq!(
        error.spans[0].label.as_deref(),
        Some("not found in this scope")
    );
    assert_eq!(error.spans[1].label, None);
}

#[test]
fn a_place_that_ends_before_it_starts_is_empty() {
    let printed = MESSAGES.replace("\"byte_end\":17", "\"byte_end\":1");
    assert_eq!(errors(printed.as_bytes())[0].spans[0].bytes, 16..16);
}

#[test]
fn what_a_macro_prints_hides_no_error() {
    let deep = |depth: usize| format!("{{\"reason\":{}", "[".repeat(depth)).into_bytes();
    for noise in [
        deep(300),
        deep(100_000),
        b"\xff\xfe".to_vec(),
        b"\0".to_vec(),
    ] {
        let printed = [&noise[..], b"\n", MESSAGES.as_bytes()].concat();
        assert_eq!(errors(&printed).len(), 1);
    }
}

/// The message with an error that is so many macro calls deep.
fn within(calls: usize) -> String {
    let (before, rest) = MESSAGES.split_once(r#""expansion":null"#).unwrap();
    let (span, after) = rest.split_once(r#""expansion":null"#).unwrap();
    let place = r#""byte_end":2,"byte_start":1,"column_end":1,"column_start":1,"file_name":"a.rs","is_primary":false,"label":null,"line_end":1,"line_start":1,"suggested_replacement":null,"suggestion_applicability":null,"text":[]"#;
    let opened =
        format!(r#""expansion":{{"def_site_span":null,"macro_decl_name":"m!","span":{{{place},"#)
            .repeat(calls);
    let closed = "}}".repeat(calls);
    format!("{before}\"expansion\":null{span}{opened}\"expansion\":null{closed}{after}")
}

#[test]
fn an_error_as_deep_in_macros_as_rustc_lets_it_be_is_read() {
    // rustc's `recursion_limit` is 128 unless the subject sets another.
    for calls in [0, 1, 130, 256, 990] {
        let errors = errors(within(calls).as_bytes());
        assert_eq!(errors[0].spans.len(), 2 + calls);
    }
    assert_eq!(errors(within(100_000).as_bytes()).len(), 0);
}
