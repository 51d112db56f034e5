//! For the tests of readers: damaged documents, and bytes that never were a document. A reader must read or refuse
//! whatever other people or a subject's process wrote, and must do nothing else.
//!
//! A test has a property that holds for all bytes; [`few`] runs it in a moment, [`many`] in some seconds, as an ignored
//! test. Their inputs are the same in every run. `PROPTEST_CASES` gives both another number of inputs, new ones in
//! each run.

use std::fmt;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::Union;
use proptest::test_runner::{RngSeed, TestCaseResult, TestRunner};

/// What replaces a number.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1",
    "1.5",
    "127",
    "256",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "-9223372036854775808",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1e19",
    "1e308",
    "1e400",
    "-1e400",
    "5e-324",
    "nan",
    "inf",
    "0x",
    "1_",
    "99999999999999999999999999999999999999999999999999999999999999999999",
];

/// What comes in anywhere.
const BITS: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b"\"",
    b"'",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"#",
    b";",
    b"|",
    b"//",
    b"/*",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b",",
    b":",
    b"=",
    b"*",
    b"..",
    b"null",
    b"true",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
    "\u{e9}".as_bytes(),
    "\u{1f600}".as_bytes(),
    "\u{202e}".as_bytes(),
];

/// What nests: before and after the inner part.
const NESTS: &[(&str, &str)] = &[
    ("[", "]"),
    ("{", "}"),
    ("(", ")"),
    ("[[", "]]"),
    ("{\"a\":", "}"),
    ("{a=", "}"),
    ("a.", ""),
    ("(not ", ")"),
    ("(- ", ")"),
    ("(let ((a 1)) ", ")"),
    ("!", ""),
    ("-", ""),
    ("return ", ""),
    ("*", ""),
    ("{a,", "}"),
    ("\"", "\""),
];

/// How often it nests, or something repeats.
const TIMES: &[usize] = &[2, 3, 20, 100, 127, 1000];
/// As above, but used less often, since it takes long.
const MANY_TIMES: usize = 60_000;
/// No document gets longer than that by being damaged.
const LONGEST: usize = 1 << 20;

/// One damage to a document.
#[derive(Clone, Debug)]
enum Damage {
    /// A byte becomes another.
    Replace(Index, u8),
    /// Bytes are lost.
    Remove(Index, usize),
    /// What follows is lost.
    Cut(Index),
    /// Bytes are there several times.
    Repeat(Index, usize, usize),
    /// Bytes from one place come in at another.
    Move(Index, usize, Index),
    /// The next number is another.
    Number(Index, &'static str),
    /// The next word is another.
    Word(Index, &'static str),
    /// Something comes in.
    Insert(Index, &'static [u8]),
    /// A part is nested in what is usually around less.
    Nest(Index, usize, (&'static str, &'static str), usize),
    /// The bytes of a number in machine words are another's.
    Binary(Index, u64, usize),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let end = bytes.len();
        let at = |index: &Index| index.index(end + 1);
        let part = |index: &Index, length: usize| {
            let start = at(index);
            start..(start + length).min(end)
        };
        match self {
            Self::Replace(index, byte) => {
                if let Some(old) = bytes.get_mut(at(index)) {
                    *old = *byte;
                }
            }
            Self::Remove(index, length) => drop(bytes.drain(part(index, *length))),
            Self::Cut(index) => bytes.truncate(at(index)),
            Self::Repeat(index, length, times) => {
                let part = part(index, *length);
                let again = bytes[part.clone()].repeat(*times);
                bytes.splice(part, again);
            }
            Self::Move(index, length, to) => {
                let moved = bytes[part(index, *length)].to_vec();
                bytes.splice(at(to)..at(to), moved);
            }
            Self::Number(index, new) => {
                replace_next(bytes, at(index), new, |byte| {
                    byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
                });
            }
            Self::Word(index, new) => {
                replace_next(bytes, at(index), new, |byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
                });
            }
            Self::Insert(index, new) => drop(bytes.splice(at(index)..at(index), new.to_vec())),
            Self::Nest(index, length, (before, after), times) => {
                let part = part(index, *length);
                let inner = &bytes[part.clone()];
                let (before, after) = (before.repeat(*times), after.repeat(*times));
                let whole = [before.as_bytes(), inner, after.as_bytes()].concat();
                bytes.splice(part, whole);
            }
            Self::Binary(index, number, size) => {
                let start = at(index) / size * size;
                if let Some(word) = bytes.get_mut(start..start + size) {
                    word.copy_from_slice(&number.to_le_bytes()[..*size]);
                }
            }
        }
        bytes.truncate(LONGEST);
    }
}

/// Replaces the first part from a place on that has only such bytes.
fn replace_next(bytes: &mut Vec<u8>, from: usize, new: &str, is_such: impl Fn(u8) -> bool) {
    let Some(start) = (from..bytes.len()).find(|at| is_such(bytes[*at])) else {
        return;
    };
    let end = (start..bytes.len()).find(|at| !is_such(bytes[*at]));
    bytes.splice(start..end.unwrap_or(bytes.len()), new.bytes());
}

fn damage(words: &'static [&'static str]) -> impl Strategy<Value = Damage> {
    let index = any::<Index>;
    let length = || prop_oneof![4 => 0..12usize, 1 => 0..400usize];
    let times = || prop_oneof![300 => select(TIMES), 1 => Just(MANY_TIMES)];
    let number = prop_oneof![
        Just(u64::MAX),
        Just(1 << 63),
        Just((1 << 31) - 1),
        0..70u64,
        any::<u64>()
    ];
    let words = [words, &["", "a"]].concat();
    prop_oneof![
        3 => (index(), any::<u8>()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        3 => (index(), length()).prop_map(|(at, length)| Damage::Remove(at, length)),
        1 => index().prop_map(Damage::Cut),
        1 => (index(), length(), times()).prop_map(|(at, length, times)| Damage::Repeat(at, length, times)),
        2 => (index(), length(), index()).prop_map(|(at, length, to)| Damage::Move(at, length, to)),
        4 => (index(), select(NUMBERS)).prop_map(|(at, new)| Damage::Number(at, new)),
        4 => (index(), select(words)).prop_map(|(at, new)| Damage::Word(at, new)),
        3 => (index(), select(BITS)).prop_map(|(at, new)| Damage::Insert(at, new)),
        1 => (index(), length(), select(NESTS), times())
            .prop_map(|(at, length, nest, times)| Damage::Nest(at, length, nest, times)),
        2 => (index(), number, select(&[1usize, 2, 4, 8][..]))
            .prop_map(|(at, number, size)| Damage::Binary(at, number, size)),
    ]
}

/// The bytes that a reader gets. What fails is shown as a byte string, without the rest of what is long.
#[derive(Clone)]
pub struct Input(Vec<u8>);

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 4000;
        let shown = &self.0[..self.0.len().min(SHOWN)];
        write!(f, "{} bytes: b\"{}\"", self.0.len(), shown.escape_ascii())
    }
}

/// Documents with up to six damages each, and plain random bytes and texts. `words` are those of the format, which
/// come in for others.
pub fn documents(
    valid: &[&[u8]],
    words: &'static [&'static str],
) -> impl Strategy<Value = Input> + use<> {
    let whole = valid.iter().map(|valid| Just(valid.to_vec()).boxed());
    let damages = prop::collection::vec(damage(words), 0..7);
    let damaged = (Union::new(whole), damages).prop_map(|(mut bytes, damages)| {
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        bytes
    });
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let text = ".{0,60}".prop_map(String::into_bytes);
    prop_oneof![20 => damaged, 1 => bytes, 1 => text].prop_map(Input)
}

/// Runs a property for some hundred inputs.
pub fn few(inputs: impl Strategy<Value = Input>, property: impl Fn(&[u8]) -> TestCaseResult) {
    run(400, inputs, property);
}

/// Runs a property for thousands of inputs.
pub fn many(inputs: impl Strategy<Value = Input>, property: impl Fn(&[u8]) -> TestCaseResult) {
    run(10_000, inputs, property);
}

fn run(
    cases: u32,
    inputs: impl Strategy<Value = Input>,
    property: impl Fn(&[u8]) -> TestCaseResult,
) {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
        config.rng_seed = RngSeed::Fixed(0);
    }
    let held = TestRunner::new(config).run(&inputs, |input| property(&input.0));
    if let Err(error) = held {
        panic!("{error}");
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn documents_stay_whole_or_are_damaged_or_are_none() {
        const WHOLE: &[u8] = br#"{"count": 12, "name": "whole"}"#;
        let [whole, other_number, word, deep, no_text] = [(); 5].map(|()| Cell::new(0));
        few(documents(&[WHOLE], &["known"]), |bytes| {
            let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
            let count = |counter: &Cell<u32>, holds: bool| {
                counter.set(counter.get() + u32::from(holds));
            };
            count(&whole, bytes == WHOLE);
            count(&other_number, has(b"1e400"));
            count(&word, has(b"known"));
            count(&deep, has(&b"[".repeat(99)));
            count(&no_text, std::str::from_utf8(bytes).is_err());
            Ok(())
        });
        for counter in [whole, other_number, word, deep, no_text] {
            assert!(counter.get() > 0);
        }
    }

    #[test]
    #[should_panic(expected = "b\"x\"")]
    fn a_property_that_does_not_hold_is_shown_with_its_smallest_input() {
        let inputs = prop::collection::vec(Just(b'x'), 0..9).prop_map(Input);
        few(inputs, |bytes| {
            prop_assert!(bytes.is_empty());
            Ok(())
        });
    }
}
