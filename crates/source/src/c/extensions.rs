//! Masks extensions of C that the parser rejects: jumps to computed labels, ranges in `case`, labels before a closing
//! brace, and `__declspec`. Worth trying only for text that cannot be parsed.

use super::code::{blank, closing, code, start_after};
use super::masks::is_part;

/// The text with such extensions masked. `None` if there are none.
pub fn without_odd(text: &str) -> Option<String> {
    let code = code(text);
    let mut masked = text.as_bytes().to_vec();
    for at in starts(&code, b"goto") {
        let target = start_after(&code, at + 4);
        if code.get(target) == Some(&b'*') {
            // The label's address remains, as a statement.
            blank(&mut masked[at..=target]);
        }
    }
    for at in starts(&code, b"case") {
        let end = code[at..]
            .iter()
            .position(|byte| matches!(byte, b':' | b'\n'));
        let value = &code[at..at + end.unwrap_or(0)];
        if let Some(dots) = value.windows(3).position(|three| three == b"...") {
            blank(&mut masked[at + dots..at + value.len()]);
        }
    }
    for at in starts(&code, b"__declspec") {
        let open = start_after(&code, at + b"__declspec".len());
        let close = (code.get(open) == Some(&b'(')).then(|| closing(&code, open));
        if let Some(close) = close.flatten() {
            blank(&mut masked[at..=close]);
        }
    }
    for (at, _) in code.iter().enumerate().filter(|(_, byte)| **byte == b':') {
        let next = start_after(&code, at + 1);
        // A blank between the colon and the brace has room for an empty statement.
        let room = code[at + 1..next]
            .iter()
            .rposition(|byte| *byte == b' ' || *byte == b'\t');
        if let Some(room) = room.filter(|_| code.get(next) == Some(&b'}')) {
            masked[at + 1 + room] = b';';
        }
    }
    String::from_utf8(masked)
        .ok()
        .filter(|masked| masked != text)
}

/// The starts of a whole word.
fn starts<'c>(code: &'c [u8], word: &'static [u8]) -> impl Iterator<Item = usize> + 'c {
    let is_word = |at: usize| code.get(at).is_some_and(|byte| is_part(char::from(*byte)));
    let all = code.windows(word.len()).enumerate();
    all.filter(move |(at, window)| {
        let is_part_of_other = *at > 0 && is_word(at - 1) || is_word(at + word.len());
        *window == word && !is_part_of_other
    })
    .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::syntax::parse;

    #[test]
    fn extensions_are_masked() {
        for (body, expected) in [
            ("goto *t[n]; a: return;", "      t[n]; a: return;"),
            (
                "switch (c) { case '0' ... '9': g(); }",
                "switch (c) { case '0'        : g(); }",
            ),
            ("{ if (a) goto out; out: }", "{ if (a) goto out; out:;}"),
            (
                "__declspec(align(8)) char b[8];",
                "                     char b[8];",
            ),
        ] {
            let text = format!("void f(void) {{ {body} }}");
            let masked = without_odd(&text).unwrap();
            assert_eq!(masked, format!("void f(void) {{ {expected} }}"));
            assert!(!parse(&masked).unwrap().root_node().has_error(), "{masked}");
        }
        let plain = "void f(int a) { switch (a) { case 1: break; default: ; } g(\"case ... :\"); }";
        assert_eq!(without_odd(plain), None);
    }
}
