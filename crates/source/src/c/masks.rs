//! Masks spellings that the parser rejects, and calls that can only be macros for heads of statements. The parser sees
//! other text of the same length, so offsets stay correct. The text itself does not change.

use std::collections::BTreeSet;

/// Replacements for a macro that stands for the head of a statement.
pub const LOOP: &str = "for(;_;)";
pub const BRANCH: &str = "if(_)";

/// Words that `iso646.h`, or the program itself, defines as operators. No operator is longer than its word.
const OPERATORS: [(&str, &str); 3] = [("and", "&&"), ("or", "||"), ("not", "!")];

/// Digraphs with their meanings, padded to the same length.
const DIGRAPHS: [(&str, &str); 6] = [
    ("%:%:", "##  "),
    ("%:", "# "),
    ("<:", "[ "),
    (":>", " ]"),
    ("<%", "{ "),
    ("%>", " }"),
];

/// The text with alternative spellings of operators and brackets replaced by the usual ones. `None` if there are none.
pub fn usual(text: &str) -> Option<String> {
    let brackets = without_digraphs(text);
    let words = without_words(brackets.as_deref().unwrap_or(text));
    words.or(brackets)
}

/// The text with digraphs masked. `None` if there are none. Digraphs in literals and comments are masked, too, which
/// does not affect the tree.
fn without_digraphs(text: &str) -> Option<String> {
    let has_any = DIGRAPHS.iter().any(|(digraph, _)| text.contains(digraph));
    has_any.then(|| {
        DIGRAPHS
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    })
}

/// The text with operator words masked by their operators. `None` if there are none.
fn without_words(text: &str) -> Option<String> {
    let mut masked = text.to_owned();
    for (word, operator) in OPERATORS {
        for (at, _) in text.match_indices(word) {
            let end = at + word.len();
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let is_directive = text[line..at].trim_start().starts_with('#');
            if !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part) && !is_directive
            {
                masked.replace_range(at..end, &format!("{operator:<0$}", word.len()));
            }
        }
    }
    (masked != text).then_some(masked)
}

/// Masks something in a text; returns `None` if the text has none of it.
pub type Mask<'m> = &'m dyn Fn(&str) -> Option<String>;

/// The masked text to parse; `None` if nothing needs masking.
pub fn masked(text: &str) -> Option<String> {
    let has_words = text.contains("iso646.h") || text.contains("define and &&");
    let words = |text: &str| has_words.then(|| without_words(text)).flatten();
    let masks: [Mask; 3] = [&without_digraphs, &words, &without_typeof];
    masks.iter().fold(None, |masked: Option<String>, mask| {
        mask(masked.as_deref().unwrap_or(text)).or(masked)
    })
}

/// The text with `typeof (expression)` masked by the name of an unknown type. `None` if there is none.
pub fn without_typeof(text: &str) -> Option<String> {
    let mut masked = text.to_owned();
    for word in ["typeof", "__typeof__", "__typeof"] {
        for (at, _) in text.match_indices(word) {
            let after = at + word.len();
            if text[..at].ends_with(is_part) || text[after..].starts_with(is_part) {
                continue;
            }
            if let Some(end) = call(text, after).filter(|end| !text[at..*end].contains('\n')) {
                masked.replace_range(after..end, &" ".repeat(end - after));
            }
        }
    }
    (masked != text).then_some(masked)
}

/// The text with calls masked that can only be macros for heads. Such a call starts an indented line and ends it
/// without a semicolon, and a brace or a more deeply indented line follows. A call in capitals that nothing of this
/// kind follows is masked as a whole statement, and a name in capitals that is a whole line between statements, which may
/// stand for labels of a `switch`, by blanks. Worth trying only for text that cannot be parsed.
pub fn without_likely_heads(text: &str) -> Option<String> {
    const KEYWORDS: [&str; 5] = ["if", "for", "while", "switch", "return"];
    let mut masked = text.to_owned();
    let mut start = 0;
    // Whether a statement may start.
    let mut is_between = false;
    for line in text.split_inclusive('\n') {
        let at = start + indentation(line);
        start += line.len();
        let word = line.trim();
        if is_between && indentation(line) > 0 && is_loud_name(word) {
            masked.replace_range(at..at + word.len(), &" ".repeat(word.len()));
            continue;
        }
        if !word.is_empty() {
            is_between = word.ends_with([';', '{', '}', ':']);
        }
        let code = text[at..]
            .find(|c| !is_part(c))
            .map(|length| &text[at..at + length]);
        let name = code.filter(|name| !name.is_empty() && !KEYWORDS.contains(name));
        let end = name.and_then(|name| call(text, at + name.len()));
        let Some(end) = end.filter(|end| *end <= start && indentation(line) > 0) else {
            continue;
        };
        let rest = text[end..start].trim();
        let next = text[start..].lines().next().unwrap_or_default();
        let is_deeper = indentation(next) > indentation(line)
            && !next
                .trim_start()
                .starts_with(['&', '|', '?', ':', '.', '-', '+']);
        let is_head = rest == "{" || rest.is_empty() && (next.trim() == "{" || is_deeper);
        let is_loud = !text[at..end]
            .split('(')
            .next()
            .unwrap_or_default()
            .contains(|c: char| c.is_lowercase());
        let instead = match is_head {
            true if end - at >= LOOP.len() => LOOP,
            true if end - at >= BRANCH.len() => BRANCH,
            // The macro stands for statements, or for labels of a `switch`.
            false if is_loud && rest.is_empty() => ";",
            _ => continue,
        };
        masked.replace_range(at..end, &format!("{instead:<0$}", end - at));
    }
    (masked != text).then_some(masked)
}

/// Whether a text is a name of several characters, in capitals.
fn is_loud_name(text: &str) -> bool {
    text.len() > 2
        && text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && text.chars().all(is_part)
        && !text.contains(|c: char| c.is_lowercase())
}

/// The bytes of white space at the start of a line.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Whether a character can be part of a name.
pub fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The text without these names, which are known to be macros for specifiers. `None` if none occurs.
pub fn without_names(text: &str, names: &BTreeSet<String>) -> Option<String> {
    let mut masked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        let is_directive = line.trim_start().starts_with('#');
        while let Some(start) = rest.find(is_part).filter(|_| !is_directive) {
            let (before, word) = rest.split_at(start);
            let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            masked += before;
            // An empty macro can be an argument.
            let is_argument = masked.trim_end().ends_with(['(', ',', '='])
                && after.trim_start().starts_with([')', ',', ';']);
            match names.contains(word) && !is_argument {
                true => masked.extend(std::iter::repeat_n(' ', word.len())),
                false => masked += word,
            }
            rest = after;
        }
        masked += rest;
    }
    (masked != text).then_some(masked)
}

/// The text without names that look like macros for specifiers or attributes, as in `API_INLINE int f(void)`: names in
/// capitals before a type and the name of a function, or on the line before them. `None` if there are none. The name of
/// a type may look the same, so this is worth trying only for text that cannot be parsed.
pub fn unspecified(text: &str) -> Option<String> {
    let mut masked = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        masked += &without_specifiers(line, next);
    }
    (masked != text).then_some(masked)
}

/// Whether the start of a declaration contains a type.
fn is_type(start: &str) -> bool {
    let mut words = start.split_whitespace();
    words.any(|word| !matches!(word, "static" | "extern" | "inline"))
}

/// A line without such names. `next` is the line after it.
fn without_specifiers(line: &str, next: &str) -> String {
    let mut masked = line.to_owned();
    let is_name = |word: &str| !word.is_empty() && word.chars().all(is_part);
    let names = |text: &str| {
        let head = text.split('(').next().unwrap_or_default();
        let words = head.split([' ', '\t', '*', '\n', '\r']);
        words.filter(|word| is_name(word)).count()
    };
    let mut at = 0;
    // Functions are declared at the margin, so only names there count.
    while let Some(rest) = line.get(at..).filter(|rest| rest.starts_with(is_part)) {
        let end = at + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let after = &line[end..];
        let is_loud = is_loud_name(&line[at..end]);
        let is_before = after.contains('(') && after.starts_with([' ', '\t']) && names(after) > 1;
        let is_above = after.trim().is_empty() && next.starts_with(is_part) && names(next) > 1;
        // After the type, and directly before the name.
        let is_between =
            at > 0 && after.contains('(') && names(after) == 1 && is_type(&masked[..at]);
        if is_loud && (is_before || is_above || is_between) {
            masked.replace_range(at..end, &" ".repeat(end - at));
        }
        at = end + after.len() - after.trim_start().len();
    }
    masked
}

/// The end of the parenthesized arguments that start at the byte `at`.
pub fn call(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let open = rest.len() - rest.trim_start().len();
    if !rest[open..].starts_with('(') {
        return None;
    }
    let mut depth = 0;
    for (offset, c) in rest[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + open + offset + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typeof_is_masked_by_a_name() {
        let masked = masked("typeof(*v) key = v[i]; __typeof__ (a) b; x = typeofs(a);").unwrap();
        assert_eq!(
            masked,
            "typeof     key = v[i]; __typeof__     b; x = typeofs(a);"
        );
    }

    #[test]
    fn a_call_that_can_only_be_a_head_is_masked_by_one() {
        let text = "int f(void)\n{\n  each(list, n) {\n  }\n  every(a, b)\n    go(a);\n  g(a,\n    b);\n}\n";
        let masked = without_likely_heads(text).unwrap();
        assert_eq!(
            masked,
            "int f(void)\n{\n  for(;_;)      {\n  }\n  for(;_;)   \n    go(a);\n  g(a,\n    b);\n}\n"
        );
        let text = "int f(void)\n{\n  switch (x) {\n  EMPTY\n  LEAF\n    g(1);\n  }\n}\n";
        let masked = without_likely_heads(text).unwrap();
        assert_eq!(
            masked,
            "int f(void)\n{\n  switch (x) {\n       \n      \n    g(1);\n  }\n}\n"
        );
        for text in [
            "int f(void)\n{\n  x = a(1)\n    + b;\n}\n",
            "int f(void)\n{\n  x =\n    MOST\n    + b;\n}\n",
        ] {
            assert_eq!(without_likely_heads(text), None);
        }
    }

    #[test]
    fn digraphs_are_masked_by_brackets() {
        let text = "%:include <a.h>\nint f(int *a) <% return a<:0:>; %>";
        let masked = masked(text).unwrap();
        assert_eq!(
            masked,
            "# include <a.h>\nint f(int *a) {  return a[ 0 ];  }"
        );
    }

    #[test]
    fn known_names_are_masked_outside_of_directives() {
        let names = BTreeSet::from(["local".to_owned()]);
        let masked = |text| without_names(text, &names);
        assert_eq!(
            masked("#define local static\nlocal int local_f(void);\n").as_deref(),
            Some("#define local static\n      int local_f(void);\n")
        );
        assert_eq!(masked("int f(void);"), None);
    }

    #[test]
    fn specifiers_are_masked_before_a_type_and_a_name() {
        let masked = |text| unspecified(text);
        for (text, expected) in [
            ("API int f(void);", "    int f(void);"),
            (
                "static API_2 const T *f(int x)\n{",
                "static       const T *f(int x)\n{",
            ),
            ("API\nint f(void) {", "   \nint f(void) {"),
            ("static void CALL f(int x)", "static void      f(int x)"),
            ("static BOOL CALL f(int x)", "static      CALL f(int x)"),
        ] {
            assert_eq!(masked(text).as_deref(), Some(expected));
        }
        for text in [
            "BOOL f(int x) {",
            "FILE *f;",
            "  API int f(void);",
            "MAX(a, b);\nint f(void);",
        ] {
            assert_eq!(masked(text), None, "{text}");
        }
    }

    #[test]
    fn operator_words_are_masked_by_operators() {
        let text = "#include <iso646.h>\nif (a and not b or band) c;";
        let masked = masked(text).unwrap();
        assert!(masked.ends_with("if (a &&  !   b || band) c;"), "{masked}");
    }
}
