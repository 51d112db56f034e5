//! Blanks the branches of `#if` that the compiler did not take. Code that opens a brace in two branches and closes it
//! once parses only if one branch is chosen. The other branches become spaces, byte for byte, so offsets stay correct.
//! Only the parser sees this text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use camino::Utf8PathBuf;

/// The lines, counted from 1, that the preprocessor passed on, by file. Paths are relative to the root. Files that were
/// never compiled are missing.
pub type TakenLines = BTreeMap<Utf8PathBuf, BTreeSet<usize>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `#if`, `#ifdef` and `#ifndef`.
    If,
    /// `#elif` and `#else`.
    Else,
    Endif,
    Directive,
    Code,
    /// Only white space and comments.
    Empty,
}

/// A line, with the lines that continue it.
#[derive(Debug)]
struct Line {
    kind: Kind,
    /// The line numbers, counted from 1.
    numbers: Range<usize>,
    bytes: Range<usize>,
}

/// The text without the branches that were not taken, and without the directives around them. `None` if there are no
/// branches. If nothing is known about the file, the first branch that a C compiler could take is kept. If several were
/// taken, because the file was compiled twice, the first of them is kept.
pub fn blanked(text: &str, taken: Option<&BTreeSet<usize>>) -> Option<String> {
    let lines = lines(text);
    let mut blank: BTreeSet<usize> = BTreeSet::new();
    // For each open `#if`, the lines with its directives.
    let mut open: Vec<Vec<usize>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line.kind {
            Kind::If => open.push(vec![at]),
            Kind::Else => open.last_mut()?.push(at),
            Kind::Endif => {
                let mut directives = open.pop()?;
                directives.push(at);
                let branches = directives.windows(2).map(|pair| pair[0] + 1..pair[1]);
                let mut is_decided = false;
                for branch in branches {
                    let head = &text[lines[branch.start - 1].bytes.clone()];
                    let is_taken = match taken {
                        Some(taken) => {
                            let mut code = code(&lines, &branch);
                            code.any(|at| lines[at].numbers.clone().any(|it| taken.contains(&it)))
                        }
                        None => !is_never(head),
                    };
                    if is_taken && !is_decided {
                        is_decided = true;
                    } else {
                        blank.extend(code(&lines, &branch));
                    }
                }
                blank.extend(directives);
            }
            Kind::Directive | Kind::Code | Kind::Empty => {}
        }
    }
    let mut bytes = text.as_bytes().to_vec();
    for at in &blank {
        for byte in &mut bytes[lines[*at].bytes.clone()] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).ok().filter(|_| !blank.is_empty())
}

/// The lines of a range that contain code.
fn code<'l>(lines: &'l [Line], range: &Range<usize>) -> impl Iterator<Item = usize> + 'l {
    let range = range.clone();
    range.filter(|at| lines[*at].kind == Kind::Code)
}

/// Whether no C compiler takes the branch with this directive: `#if 0` and `#ifdef __cplusplus`.
fn is_never(directive: &str) -> bool {
    let mut words = directive
        .trim_start()
        .trim_start_matches('#')
        .split_whitespace();
    matches!(
        (words.next(), words.next()),
        (Some("if"), Some("0")) | (Some("ifdef"), Some("__cplusplus"))
    )
}

/// The lines of a text.
fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let (mut at, mut is_in_comment, mut is_continued) = (0, false, false);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bytes = at..at + line.len();
        at = bytes.end;
        let number = number + 1;
        let code = without_comments(line, &mut is_in_comment);
        let code = code.trim();
        let ends_open = code.ends_with('\\');
        match found.last_mut().filter(|_| is_continued) {
            Some(last) => {
                last.numbers.end = number + 1;
                last.bytes.end = bytes.end;
            }
            None => found.push(Line {
                kind: kind(code),
                numbers: number..number + 1,
                bytes,
            }),
        }
        is_continued = ends_open;
    }
    found
}

fn kind(code: &str) -> Kind {
    let Some(directive) = code.strip_prefix('#') else {
        return if code.is_empty() {
            Kind::Empty
        } else {
            Kind::Code
        };
    };
    let directive = directive.trim_start();
    let end = directive.find(|c: char| !c.is_ascii_alphanumeric());
    match &directive[..end.unwrap_or(directive.len())] {
        "if" | "ifdef" | "ifndef" => Kind::If,
        "elif" | "elifdef" | "elifndef" | "else" => Kind::Else,
        "endif" => Kind::Endif,
        _ => Kind::Directive,
    }
}

/// A line without its comments. `is_in_comment` says whether a comment is open, first at the start of the line, then at
/// its end.
pub(super) fn without_comments(line: &str, is_in_comment: &mut bool) -> String {
    let mut kept = String::new();
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        if *is_in_comment {
            if c == '*' && next == Some('/') {
                *is_in_comment = false;
                chars.next();
            }
            continue;
        }
        match (quote, c, next) {
            (None, '/', Some('*')) => {
                *is_in_comment = true;
                chars.next();
                continue;
            }
            (None, '/', Some('/')) => break,
            (None, '"' | '\'', _) => quote = Some(c),
            (Some(_), '\\', Some(escaped)) => {
                kept.push(c);
                kept.push(escaped);
                chars.next();
                continue;
            }
            (Some(open), _, _) if open == c => quote = None,
            _ => {}
        }
        kept.push(c);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPLIT: &str =
        "#ifdef A /* é */\nif (a) {\n#elif \\\n B\nif (b) {\n#else\nif (c) {\n#endif\n}\n";

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_branch_that_was_taken_stays_in_place() {
        for (line, kept) in [(2, "if (a) {"), (5, "if (b) {"), (7, "if (c) {")] {
            let taken = BTreeSet::from([line, 9]);
            let text = blanked(SPLIT, Some(&taken)).unwrap();
            assert_eq!(words(&text), format!("{kept} }}"));
            assert_eq!(text.find(kept), SPLIT.find(kept));
            assert_eq!(text.len(), SPLIT.len());
            assert_eq!(text.lines().count(), SPLIT.lines().count());
        }
        assert_eq!(words(&blanked(SPLIT, Some(&BTreeSet::new())).unwrap()), "}");
    }

    #[test]
    fn one_branch_is_kept_if_none_or_several_are_known_to_be_taken() {
        assert_eq!(words(&blanked(SPLIT, None).unwrap()), "if (a) { }");
        let twice = BTreeSet::from([5, 7]);
        assert_eq!(words(&blanked(SPLIT, Some(&twice)).unwrap()), "if (b) { }");
        let never = "#if 0\na\n#else\nb\n#endif\n#ifdef __cplusplus\nc\n#endif\n";
        assert_eq!(words(&blanked(never, None).unwrap()), "b");
    }

    #[test]
    fn nested_branches_are_judged_separately() {
        let text = "#if A\n#define N 3\n#if B\nb\n#else\nc\n#endif\n#else\nd\n#endif\n";
        let taken = BTreeSet::from([6]);
        assert_eq!(
            words(&blanked(text, Some(&taken)).unwrap()),
            "#define N 3 c"
        );
    }

    #[test]
    fn comments_and_strings_have_no_directives() {
        let text = "/*\n#if A\n*/ a = \"/*\";\n// b /*\n'\\'' \"\\\"//\";\n";
        assert_eq!(blanked(text, None), None);
        assert_eq!(blanked("#endif\n", None), None);
    }
}
