//! Tests with generated input, by proptest and quickcheck: reads the counterexample in a failing test's output, and
//! writes counterexamples into the test, where an environment variable selects one.

use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::language::{Counterexample, Generators, Lists, Writing};

/// Tests whose input proptest or quickcheck generates.
pub struct Properties;

impl Generators for Properties {
    fn counterexample(&self, output: &str) -> Option<Counterexample> {
        of_proptest(output).or_else(|| of_quickcheck(output))
    }

    fn replaying(
        &self,
        text: &str,
        test: &str,
        inputs: &[Counterexample],
        variable: &str,
        writing: &Writing,
    ) -> Option<String> {
        let tokens = TokenStream::from_str(text).ok()?;
        let name = test.rsplit("::").next()?;
        let first = inputs.first()?;
        let body = property(tokens, name, first.values.len(), false)?;
        let names = match &first.names {
            Some(names) => names.clone(),
            None => body.parameters,
        };
        let replay = replay(&names, inputs, variable, writing)?;
        Some(format!(
            "{}{replay}{}",
            &text[..body.start],
            &text[body.start..]
        ))
    }

    fn variants(&self, text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if let Ok(tokens) = TokenStream::from_str(text) {
            add_variants(tokens, &mut found);
        }
        found
    }
}

/// Reads `minimal failing input: a = 1, b = [2]`, up to the run counts below it.
fn of_proptest(output: &str) -> Option<Counterexample> {
    let (_, input) = output.rsplit_once("minimal failing input: ")?;
    let end = input.find("\n\tsuccesses:").unwrap_or(input.len());
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for binding in separated(TokenStream::from_str(&input[..end]).ok()?, false) {
        let is_equals =
            |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == '=');
        let at = binding.iter().position(is_equals)?;
        names.push(text_of(&binding[..at]));
        values.push(text_of(&binding[at + 1..]));
    }
    (!values.is_empty()).then_some(Counterexample {
        names: Some(names),
        values,
    })
}

/// Reads `[quickcheck] TEST FAILED. Arguments: (1, [2])`, also with `(runtime error)`.
fn of_quickcheck(output: &str) -> Option<Counterexample> {
    let (_, failure) = output.rsplit_once("[quickcheck] TEST FAILED")?;
    let (_, arguments) = failure.split_once("Arguments: ")?;
    let line = arguments.lines().next()?;
    let mut tokens = TokenStream::from_str(line).ok()?.into_iter();
    let Some(TokenTree::Group(group)) = tokens.next() else {
        return None;
    };
    let values = separated(group.stream(), false);
    let values: Vec<String> = values.iter().map(|value| text_of(value)).collect();
    let is_all = group.delimiter() == Delimiter::Parenthesis && !values.is_empty();
    is_all.then_some(Counterexample {
        names: None,
        values,
    })
}

/// The body of a property.
struct Body {
    /// The byte after its opening brace.
    start: usize,
    /// The patterns of its parameters.
    parameters: Vec<String>,
}

/// The function with this name and number of parameters, or the first function with this many parameters inside a
/// function with this name, because a test may pass an inner function to quickcheck.
fn property(tokens: TokenStream, name: &str, parameters: usize, is_inside: bool) -> Option<Body> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = None;
    for (at, token) in tokens.iter().enumerate() {
        let is_function = matches!(token, TokenTree::Ident(word) if word == "fn");
        if is_function && let [TokenTree::Ident(of), rest @ ..] = &tokens[at + 1..] {
            let mut groups = rest.iter().filter_map(|token| match token {
                TokenTree::Group(group) => Some(group),
                _ => None,
            });
            let arguments = groups
                .next()
                .filter(|it| it.delimiter() == Delimiter::Parenthesis);
            let body = groups.find(|group| group.delimiter() == Delimiter::Brace);
            let (Some(arguments), Some(body)) = (arguments, body) else {
                continue;
            };
            let patterns = patterns(arguments);
            if (*of == name || is_inside) && patterns.len() == parameters {
                found = found.or(Some(Body {
                    start: body.span_open().byte_range().end,
                    parameters: patterns,
                }));
            } else if *of == name {
                found = found.or_else(|| property(body.stream(), name, parameters, true));
            }
        } else if let TokenTree::Group(group) = token
            && !is_inside
        {
            found = found.or_else(|| property(group.stream(), name, parameters, false));
        }
    }
    found
}

/// The text before `in` or `:` in each parameter.
fn patterns(parameters: &Group) -> Vec<String> {
    let ends = |token: &TokenTree| match token {
        TokenTree::Ident(word) => word == "in",
        TokenTree::Punct(mark) => mark.as_char() == ':',
        _ => false,
    };
    let parameters = separated(parameters.stream(), true);
    let pattern = |parameter: &Vec<TokenTree>| {
        let end = parameter.iter().position(ends).unwrap_or(parameter.len());
        text_of(&parameter[..end])
    };
    parameters.iter().map(pattern).collect()
}

/// The parts between commas. With `has_types`, commas between `<` and `>` do not separate.
fn separated(tokens: TokenStream, has_types: bool) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0usize;
    let mut is_arrow = false;
    for token in tokens {
        if let TokenTree::Punct(mark) = &token {
            match mark.as_char() {
                '<' if has_types => depth += 1,
                '>' if has_types && !is_arrow => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            is_arrow = matches!(mark.as_char(), '-' | '=');
        } else {
            is_arrow = false;
        }
        if let Some(part) = parts.last_mut() {
            part.push(token);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Adds each variant of the enums in these tokens, with its enum.
fn add_variants(tokens: TokenStream, found: &mut Vec<(String, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let is_enum = matches!(token, TokenTree::Ident(word) if word == "enum");
        match (token, tokens.get(at + 1)) {
            (_, Some(TokenTree::Ident(name))) if is_enum => {
                let mut groups = tokens[at + 2..].iter().filter_map(|token| match token {
                    TokenTree::Group(group) => Some(group),
                    _ => None,
                });
                let body = groups.find(|group| group.delimiter() == Delimiter::Brace);
                for variant in body.map_or(Vec::new(), |body| separated(body.stream(), false)) {
                    let word = variant.iter().find_map(|token| match token {
                        TokenTree::Ident(word) => Some(word.to_string()),
                        _ => None,
                    });
                    found.extend(word.map(|word| (word, name.to_string())));
                }
            }
            (TokenTree::Group(group), _) => add_variants(group.stream(), found),
            _ => {}
        }
    }
}

fn text_of(tokens: &[TokenTree]) -> String {
    tokens.iter().cloned().collect::<TokenStream>().to_string()
}

/// A statement that sets the parameters to the values of the selected counterexample. It has no line break, so that
/// later lines keep their numbers.
fn replay(
    names: &[String],
    inputs: &[Counterexample],
    variable: &str,
    writing: &Writing,
) -> Option<String> {
    let is_said = |word: &&str| !matches!(*word, "mut" | "ref");
    let bare = |name: &String| {
        name.split(' ')
            .filter(is_said)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let generated: String = names.iter().map(|name| bare(name) + ", ").collect();
    let patterns: String = names.iter().map(|name| format!("{name}, ")).collect();
    let mut arms = String::new();
    for (nth, input) in inputs.iter().enumerate() {
        let values = input.values.iter().map(|value| expression(value, writing));
        let values: Option<Vec<String>> = values.collect();
        let values: String = values?.iter().map(|value| format!("{value}, ")).collect();
        arms.push_str(&format!(
            "Ok(\"{}\") => like(&({generated}), ({values})), ",
            nth + 1
        ));
    }
    // The generated value determines the type of a literal.
    Some(format!(
        " let ({patterns}) = {{ fn like<T>(_: &T, value: T) -> T {{ value }} \
         match ::std::env::var(\"{variable}\").as_deref() {{ {arms}_ => ({generated}) }} }};"
    ))
}

/// The expression for a value that `Debug` printed.
fn expression(value: &str, writing: &Writing) -> Option<String> {
    let tokens = TokenStream::from_str(value).ok()?;
    Some(as_expression(tokens, writing))
}

fn as_expression(tokens: TokenStream, writing: &Writing) -> String {
    let mut text = String::new();
    let mut is_after_name = false;
    for token in tokens {
        let next = match &token {
            TokenTree::Group(group) => {
                let inner = as_expression(group.stream(), writing);
                match (group.delimiter(), writing.lists) {
                    (Delimiter::Parenthesis, _) => format!("({inner})"),
                    (Delimiter::Brace, _) if is_after_name => format!("{{ {inner} }}"),
                    (Delimiter::Brace, _) => {
                        format!("[{}].into_iter().collect()", entries(group, writing))
                    }
                    (_, Lists::Vectors) => format!("vec![{inner}]"),
                    (_, Lists::Arrays) => format!("[{inner}]"),
                    (_, Lists::Collected) => format!("[{inner}].into_iter().collect()"),
                }
            }
            TokenTree::Literal(literal) if literal.to_string().starts_with('"') => {
                format!("{literal}.into()")
            }
            TokenTree::Ident(word) if writing.enums.contains_key(&word.to_string()) => {
                format!("{}::{word}", writing.enums[&word.to_string()])
            }
            TokenTree::Ident(word) if word == "inf" => "(1.0 / 0.0)".to_owned(),
            TokenTree::Ident(word) if word == "NaN" => "(0.0 / 0.0)".to_owned(),
            other => other.to_string(),
        };
        is_after_name = matches!(token, TokenTree::Ident(_));
        let is_mark = matches!(token, TokenTree::Punct(_));
        text.push_str(&next);
        if !is_mark {
            text.push(' ');
        }
    }
    text.trim_end().to_owned()
}

/// The entries of a set, or the entries of a map as pairs.
fn entries(group: &Group, writing: &Writing) -> String {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ':');
    let entry = |entry: &Vec<TokenTree>| {
        let expression =
            |tokens: &[TokenTree]| as_expression(tokens.iter().cloned().collect(), writing);
        match entry.iter().position(is_colon) {
            Some(at) => format!(
                "({}, {}), ",
                expression(&entry[..at]),
                expression(&entry[at + 1..])
            ),
            None => format!("{}, ", expression(entry)),
        }
    };
    separated(group.stream(), false).iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn writing(lists: Lists) -> Writing {
        Writing {
            enums: BTreeMap::new(),
            lists,
        }
    }

    const PROPTEST: &str = "thread 'agrees' panicked at src/lib.rs:23:5:
Test failed: assertion failed: `(left == right)`
  left: `None`,
 right: `Some(1)` at src/lib.rs:27.
minimal failing input: values = [
    1,
], mut limit = -1, (name, seen) = (
    \"a\\n\",
    {
        2: Some(
            3,
        ),
    },
)
\tsuccesses: 2
\tlocal rejects: 0
\tglobal rejects: 0
";

    #[test]
    fn a_counterexample_of_proptest_has_a_value_for_each_pattern() {
        let found = Properties.counterexample(PROPTEST).unwrap();
        let names = found.names.unwrap();
        assert_eq!(names, ["values", "mut limit", "(name , seen)"]);
        let values: Vec<String> = found.values.iter().map(|it| it.replace(' ', "")).collect();
        assert_eq!(values, ["[1,]", "-1", "(\"a\\n\",{2:Some(3,),},)"]);
    }

    #[test]
    fn a_counterexample_of_quickcheck_has_values_in_the_order_of_the_parameters() {
        let output = "panicked at src/tester.rs:182:28:\n[quickcheck] TEST FAILED. Arguments: ([-56], -56)\nnote: x";
        let found = Properties.counterexample(output).unwrap();
        assert_eq!(found.names, None);
        let values: Vec<String> = found.values.iter().map(|it| it.replace(' ', "")).collect();
        assert_eq!(values, ["[-56]", "-56"]);
        assert_eq!(
            Properties.counterexample("panicked at src/lib.rs:1:1:\nno"),
            None
        );
    }

    #[test]
    fn a_replay_is_on_the_line_of_the_brace_and_selected_by_a_variable() {
        let text = "proptest! {\n    fn other(a in 0..3) {}\n    fn agrees(a in vec(0..3, 1), mut b in 0..9) {\n        b += a.len();\n    }\n}\n";
        let input = Counterexample {
            names: Some(vec!["a".to_owned(), "mut b".to_owned()]),
            values: vec!["[1,]".to_owned(), "- 7".to_owned()],
        };
        let inputs = std::slice::from_ref(&input);
        let replaying =
            |lists| Properties.replaying(text, "tests::agrees", inputs, "WHICH", &writing(lists));
        let written = replaying(Lists::Vectors).unwrap();
        assert_eq!(written.lines().count(), text.lines().count());
        let line = written.lines().nth(2).unwrap();
        assert!(line.contains("let (a, mut b, ) ="), "{line}");
        assert!(
            line.contains("Ok(\"1\") => like(&(a, b, ), (vec![1 ,], -7, ))"),
            "{line}"
        );
        assert!(line.contains("var(\"WHICH\")"), "{line}");
        assert!(replaying(Lists::Arrays).unwrap().contains("([1 ,], -7, )"));
    }

    #[test]
    fn an_inner_function_passed_to_quickcheck_is_the_property() {
        let text = "#[test] fn reverses() { fn property(xs: Vec<Vec<u8>>, f: fn(u8, u8) -> bool) -> bool { true } quickcheck(property as fn(_, _) -> bool) }";
        let input = Counterexample {
            names: None,
            values: vec!["[]".to_owned(), "1".to_owned()],
        };
        let written = Properties.replaying(
            text,
            "reverses",
            &[input],
            "WHICH",
            &writing(Lists::Vectors),
        );
        let written = written.unwrap();
        assert!(written.contains("-> bool { let (xs, f, ) ="), "{written}");
        let other = Counterexample {
            names: None,
            values: vec!["1".to_owned()],
        };
        assert_eq!(
            Properties.replaying(
                text,
                "reverses",
                &[other],
                "WHICH",
                &writing(Lists::Vectors)
            ),
            None
        );
    }

    #[test]
    fn a_variant_is_written_with_its_enum() {
        let text = "mod a { #[derive(Debug)] pub enum Shape<T> { /// None\n Dot, #[x] Line(T, T), Box { side: T } } }";
        let variants = Properties.variants(text);
        let known: Vec<(&str, &str)> = variants.iter().map(|(v, e)| (&**v, &**e)).collect();
        assert_eq!(
            known,
            [("Dot", "Shape"), ("Line", "Shape"), ("Box", "Shape")]
        );
        let writing = Writing {
            enums: variants.into_iter().collect(),
            lists: Lists::Vectors,
        };
        let written = expression("[Dot, Line(1, -2)]", &writing).unwrap();
        assert_eq!(
            written.replace(' ', ""),
            "vec![Shape::Dot,Shape::Line(1,-2)]"
        );
    }
}
