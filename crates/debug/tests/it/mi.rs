//! The machine interface: real output of gdb 13, and any output at all.

use nopol_debug::gdb::mi::{AsyncKind, Item, Message, Record, StreamKind};
use proptest::prelude::*;

fn parse(line: &str) -> Record {
    Record::parse(line.as_bytes())
}

fn message(line: &str) -> Message {
    match parse(line) {
        Record::Result(message) | Record::Async(_, message) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_stop() {
    let line = r#"*stopped,reason="breakpoint-hit",disp="keep",bkptno="1",frame={addr="0x00005555555551d5",func="main",args=[{name="argc",value="5"},{name="argv",value="0x7fffffffe7d8"}],file="t.c",fullname="/tmp/gt/t.c",line="24",arch="i386:x86-64"},thread-id="1",stopped-threads="all",core="1""#;
    assert!(matches!(parse(line), Record::Async(AsyncKind::Exec, _)));
    let stop = message(line);
    assert_eq!(stop.token, None);
    assert_eq!(stop.class, "stopped");
    assert_eq!(stop.text("reason"), Some("breakpoint-hit"));
    let frame = stop.get("frame").unwrap();
    assert_eq!(frame.text("func"), Some("main"));
    let arguments = frame.get("args").unwrap().elements();
    assert_eq!(arguments.len(), 2);
    assert_eq!(arguments[1].text("name"), Some("argv"));
    assert_eq!(frame.get("nothing"), None);
}

#[test]
fn lists_of_results_with_equal_names() {
    let stack = message(r#"7^done,stack=[frame={level="0",func="a"},frame={level="1",func="b"}]"#);
    assert_eq!(stack.token, Some(7));
    let frames = stack.get("stack").unwrap().elements();
    assert_eq!(frames[1].text("func"), Some("b"));
}

#[test]
fn values_without_names_among_results() {
    let places =
        message(r#"^done,bkpt={number="1",addr="<MULTIPLE>"},{number="1.1"},{number="1.2"}"#);
    assert_eq!(places.results.len(), 3);
    let script = message(r#"^done,bkpt={script={"silent","return"}}"#);
    let script = script.get("bkpt").unwrap().get("script").unwrap();
    assert!(matches!(script, Item::Tuple(lines) if lines.len() == 2));
}

#[test]
fn escapes() {
    let text = r#"~"a\tb\n\"c\"\\ \303\251 \x41\e[0m\a""#;
    assert_eq!(
        parse(text),
        Record::Stream(
            StreamKind::Console,
            "a\tb\n\"c\"\\ \u{e9} A\u{1b}[0m\u{7}".to_owned()
        )
    );
}

#[test]
fn other_records() {
    assert_eq!(parse("(gdb) \n"), Record::Prompt);
    assert_eq!(parse("(gdb)"), Record::Prompt);
    assert!(matches!(
        parse(r#"&"log\n""#),
        Record::Stream(StreamKind::Log, _)
    ));
    assert!(matches!(
        parse(r#"=thread-group-added,id="i1""#),
        Record::Async(AsyncKind::Notify, _)
    ));
    assert!(matches!(
        parse(r#"+download,{section=".text",total-size="9880"}"#),
        Record::Async(AsyncKind::Status, _)
    ));
    assert_eq!(message("12^running\r\n").class, "running");
}

#[test]
fn unreadable() {
    for line in [
        "",
        "hello",
        "^",
        r#"^done,value="3"#,
        r#"^done,value="3" "#,
        "^done,a={",
        "99999999999999999999999^done",
        r#"~"abc\"#,
    ] {
        assert_eq!(parse(line), Record::Unreadable(line.to_owned()));
    }
    let deep = format!("^done,a={}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(parse(&deep), Record::Unreadable(_)));
}

fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_-]{0,6}"
}

fn item() -> impl Strategy<Value = Item> {
    let leaf = any::<String>().prop_map(Item::Text);
    leaf.prop_recursive(5, 40, 5, |inner| {
        let maybe_named = (
            prop_oneof![3 => name(), 1 => Just(String::new())],
            inner.clone(),
        );
        prop_oneof![
            proptest::collection::vec(maybe_named.clone(), 0..5).prop_map(Item::Tuple),
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Item::List),
            // A list without any name is a list of values.
            (
                (name(), inner),
                proptest::collection::vec(maybe_named, 0..4)
            )
                .prop_map(|(first, mut others)| {
                    others.insert(0, first);
                    Item::Results(others)
                }),
        ]
    })
}

fn record() -> impl Strategy<Value = Record> {
    let results = proptest::collection::vec((name(), item()), 0..5);
    let message = (any::<Option<u64>>(), "[a-z-]{1,9}", results)
        .prop_map(|(token, class, results)| Message {
            token,
            class,
            results,
        })
        .boxed();
    let asynchronous = prop_oneof![
        Just(AsyncKind::Exec),
        Just(AsyncKind::Status),
        Just(AsyncKind::Notify)
    ];
    let stream = prop_oneof![
        Just(StreamKind::Console),
        Just(StreamKind::Target),
        Just(StreamKind::Log)
    ];
    prop_oneof![
        4 => message.clone().prop_map(Record::Result),
        4 => (asynchronous, message).prop_map(|(kind, message)| Record::Async(kind, message)),
        2 => (stream, any::<String>()).prop_map(|(kind, text)| Record::Stream(kind, text)),
        1 => Just(Record::Prompt),
    ]
}

/// Whether a record keeps what its line says: an unreadable one the whole text, any other what is printed of it.
fn is_kept(bytes: &[u8]) -> Result<(), TestCaseError> {
    match Record::parse(bytes) {
        Record::Unreadable(text) => {
            let line = String::from_utf8_lossy(bytes);
            prop_assert_eq!(text.trim_end(), line.trim_end());
        }
        record => {
            let printed = record.to_string();
            prop_assert_eq!(Record::parse(printed.as_bytes()), record, "{}", printed);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn of_any_bytes_nothing_is_lost(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        is_kept(&bytes)?;
    }

    #[test]
    fn of_bytes_like_records_nothing_is_lost(bytes in "[0-9]{0,3}[~@&^*+=]?[a-z\"\\\\{}\\[\\],=0-9x]{0,60}") {
        is_kept(bytes.as_bytes())?;
    }

    #[test]
    fn printed_records_are_read_back(record in record()) {
        prop_assert_eq!(Record::parse(record.to_string().as_bytes()), record);
    }
}
