//! The code of a text: what is outside comments, literals and directives.

use std::ops::Range;

use super::masks::is_part;

/// Most bytes between brackets that belong together.
const FARTHEST: usize = 4000;

/// The bytes of a text, with blanks instead of comments, directives and what literals contain. No byte moves, and quotes
/// and line feeds stay.
pub fn code(text: &str) -> Vec<u8> {
    let mut code = text.as_bytes().to_vec();
    let mut at = 0;
    let mut starts_line = true;
    while at < code.len() {
        let rest = &text.as_bytes()[at..];
        let (length, kept) = match rest[0] {
            b'#' if starts_line => (directive(rest), false),
            b'/' if rest.get(1) == Some(&b'*') => (comment(rest), false),
            b'/' if rest.get(1) == Some(&b'/') => (line(rest), false),
            b'"' | b'\'' => {
                let length = literal(rest);
                blank(&mut code[at + 1..at + (length - 1).max(1)]);
                (length, true)
            }
            byte => {
                starts_line = byte == b'\n' || starts_line && byte.is_ascii_whitespace();
                (1, true)
            }
        };
        if !kept {
            blank(&mut code[at..at + length]);
        } else if length > 1 {
            starts_line = false;
        }
        at += length;
    }
    code
}

/// Writes blanks; line feeds stay.
pub fn blank(bytes: &mut [u8]) {
    let kept = |byte: u8| if byte == b'\n' { byte } else { b' ' };
    bytes.iter_mut().for_each(|byte| *byte = kept(*byte));
}

/// Writes a few bytes at the start of a range, and blanks over the rest. They must fit before the first line feed.
pub fn write(text: &mut [u8], range: Range<usize>, instead: &[u8]) {
    let room = &mut text[range];
    let line = room.iter().position(|byte| *byte == b'\n');
    if line.unwrap_or(room.len()) >= instead.len() {
        blank(room);
        room[..instead.len()].copy_from_slice(instead);
    }
}

/// The bytes of a directive, with the lines that continue it and with comments that end on other lines.
fn directive(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < rest.len() && rest[at] != b'\n' {
        at += match rest[at] {
            b'\\' if rest[at + 1..].starts_with(b"\r\n") => 3,
            b'\\' => 2,
            b'/' if rest.get(at + 1) == Some(&b'*') => comment(&rest[at..]),
            _ => 1,
        };
    }
    at.min(rest.len())
}

fn comment(rest: &[u8]) -> usize {
    let end = rest[2..].windows(2).position(|pair| pair == b"*/");
    end.map_or(rest.len(), |end| end + 4)
}

fn line(rest: &[u8]) -> usize {
    let end = rest.iter().position(|byte| *byte == b'\n');
    end.unwrap_or(rest.len())
}

/// The bytes of a literal, which ends on its line.
fn literal(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'\n' {
        match rest[at] {
            b'\\' => at += 1,
            byte if byte == rest[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at.min(rest.len())
}

/// The word that ends directly before the byte `at`, or before blanks that stand there.
pub fn word_before(code: &[u8], at: usize) -> Option<Range<usize>> {
    let end = end_before(code, at);
    let is_word = |byte: &u8| is_part(char::from(*byte));
    let length = code[..end].iter().rev().take_while(|it| is_word(it));
    let start = end - length.count();
    (start < end && !code[start].is_ascii_digit()).then_some(start..end)
}

/// The end of what stands before the byte `at` and is not blank.
pub fn end_before(code: &[u8], at: usize) -> usize {
    let blanks = code[..at].iter().rev();
    at - blanks.take_while(|it| it.is_ascii_whitespace()).count()
}

/// The first byte from `at` on that is not blank.
pub fn start_after(code: &[u8], at: usize) -> usize {
    let blanks = code[at..].iter();
    at + blanks.take_while(|it| it.is_ascii_whitespace()).count()
}

/// The byte of the bracket that closes the one at the byte `open`. `None` if it is far away: brackets may be nested deeply.
pub fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (offset, byte) in code[open..].iter().take(FARTHEST).enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + offset);
        }
    }
    None
}

/// The parts of a range between its commas, without the blanks around them. Commas in brackets do not count.
pub fn parts(code: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    let mut depth = 0;
    for at in range.clone() {
        match code[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(trimmed(code, start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(trimmed(code, start..range.end));
    parts
}

fn trimmed(code: &[u8], range: Range<usize>) -> Range<usize> {
    let start = start_after(&code[..range.end], range.start);
    let end = end_before(code, range.end);
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_directives_and_contents_of_literals_are_blank() {
        for (text, expected) in [
            ("a /* , é\n */ b // c\nd", "a        \n    b     \nd"),
            (
                "# define A \\\n  B /* \n */\nc # d",
                "            \n       \n   \nc # d",
            ),
            (r#"f("a,\"", ',', '\'')"#, r#"f("    ", ' ', '  ')"#),
            ("\"a\nb", "\"a\nb"),
        ] {
            let code = String::from_utf8(code(text)).unwrap();
            assert_eq!(code.len(), text.len());
            assert_eq!(code, expected, "{text}");
        }
    }

    #[test]
    fn parts_are_split_at_their_own_commas() {
        let code = b"f( a, g(b, c) ,, {d, e})";
        let close = closing(code, 1).unwrap();
        let parts = parts(code, 2..close).into_iter();
        let parts: Vec<_> = parts
            .map(|part| code[part].escape_ascii().to_string())
            .collect();
        assert_eq!(parts, ["a", "g(b, c)", "", "{d, e}"]);
    }
}
