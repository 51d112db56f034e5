//! Masks macro definitions that the parser takes for syntax errors: those inside a list, with a comment before more of
//! them, or with spaces after the backslash that continues them. The definitions are read separately from the unmasked
//! text.

use super::branches::without_comments;

/// Directives that can be blanked without changing what the parser sees otherwise.
const DIRECTIVES: [&str; 3] = ["define", "undef", "pragma"];

/// The text with such definitions blanked, byte for byte. `None` if there are none. Worth trying only for text that
/// cannot be parsed.
pub fn without_odd(text: &str) -> Option<String> {
    let mut masked = String::with_capacity(text.len());
    let (mut is_in_comment, mut depth) = (false, 0_i64);
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if is_in_comment || !is_definition(line) {
            depth += balance(&without_comments(line, &mut is_in_comment));
            masked += line;
            continue;
        }
        let mut definition = line.to_owned();
        let mut code = without_comments(line, &mut is_in_comment);
        let mut is_odd =
            depth > 0 || balance(&code) != 0 && !continues(&code) || has_comment_within(line);
        while (is_in_comment || continues(&code))
            && let Some(next) = lines.next()
        {
            is_odd |= is_in_comment || !code.trim_end_matches(['\r', '\n']).ends_with('\\');
            code = without_comments(next, &mut is_in_comment);
            is_odd |= has_comment_within(next);
            definition += next;
        }
        match is_odd {
            true => masked.extend(definition.split_inclusive('\n').map(blank)),
            false => masked += &definition,
        }
    }
    (masked != text).then_some(masked)
}

fn is_definition(line: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
    directive.is_some_and(|directive| DIRECTIVES.iter().any(|name| directive.starts_with(name)))
}

/// Whether something follows a comment on its line.
fn has_comment_within(line: &str) -> bool {
    let after = line
        .split_once("/*")
        .and_then(|(_, rest)| rest.split_once("*/"));
    after.is_some_and(|(_, after)| !after.trim().is_empty())
}

/// Whether the next line continues this one.
fn continues(code: &str) -> bool {
    code.trim_end().ends_with('\\')
}

/// Number of brackets opened minus closed, outside literals. 0 for directives other than definitions.
fn balance(code: &str) -> i64 {
    if code.trim_start().starts_with('#') && !is_definition(code) {
        return 0;
    }
    let mut quote = None;
    let mut open = 0;
    let mut chars = code.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(end), _) if end == char => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            _ => {}
        }
    }
    open
}

/// A line of spaces of the same length.
fn blank(line: &str) -> String {
    let code = line.trim_end_matches('\n');
    " ".repeat(code.len()) + &line[code.len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_definitions_that_the_parser_rejects_are_masked() {
        let odd = [
            "#define A {",
            "#define A(x) x /* one",
            "#define A(x) do { x; } while (/* once */0)",
            "#define A(x) { x; /* first */ \\\n x; }",
            "#define A(x) { \\  \n  x }",
            "int t[] = { 1,\n# define N 2\n",
        ];
        for text in odd {
            let masked = without_odd(&format!("{text}\n*/\nint x;\n")).unwrap();
            assert!(!masked.contains("define"), "{masked}");
            assert!(masked.ends_with("int x;\n"), "{masked}");
            assert_eq!(masked.len(), text.len() + 11);
        }
        for text in [
            "#define A(x) do { x; \\\n } while (0)\n",
            "#define A \"{\" // {\n",
            "#if A {\n#endif\n#define B 1\n",
            "/*\n#define A {\n*/\n",
        ] {
            assert_eq!(without_odd(text), None, "{text}");
        }
    }
}
