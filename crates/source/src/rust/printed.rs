//! Names whose values a function only prints, such as the time that something took. They decide nothing.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Macros that print or log their arguments.
const PRINTING: [&str; 10] = [
    "print", "println", "eprint", "eprintln", "dbg", "trace", "debug", "info", "warn", "error",
];
/// Most definitions that are followed from one name to the next.
const MOST_NAMES: usize = 4;

/// Whether a function, given by its text, uses the value of this name only in macros that print, or to define another
/// name that it only uses that way.
pub fn is_only_printed(function: &str, name: &str) -> bool {
    let tokens = function.parse::<TokenStream>();
    tokens.is_ok_and(|tokens| is_unused(&tokens, &tokens, name, MOST_NAMES))
}

/// As [`is_only_printed`], for some tokens of the function. `most` limits the definitions that are followed.
fn is_unused(function: &TokenStream, tokens: &TokenStream, name: &str, most: usize) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Ident(word) if word == "let" => {
                let end = end_of_statement(&tokens, at);
                let (defined, value) = definition(&tokens[at..end]);
                let value: TokenStream = value.iter().cloned().collect();
                if !is_unused(function, &value, name, most) {
                    // From here on, another name has the value.
                    let follows = defined
                        .filter(|_| most > 0)
                        .is_some_and(|other| is_unused(function, function, &other, most - 1));
                    if !follows {
                        return false;
                    }
                }
                at = end;
            }
            TokenTree::Ident(word) if is_call(&tokens[at..]) => {
                let word = word.to_string();
                match PRINTING.contains(&&*word) {
                    true => at += 2,
                    false => at += 1,
                }
            }
            TokenTree::Ident(word) if word == name => return false,
            TokenTree::Literal(literal) if captures(&literal.to_string(), name) => return false,
            TokenTree::Group(group) if !is_unused(function, &group.stream(), name, most) => {
                return false;
            }
            _ => {}
        }
    }
    true
}

/// Whether these tokens are the rest of a macro call, after its name.
fn is_call(tokens: &[TokenTree]) -> bool {
    let is_mark =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!');
    let is_list = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() != Delimiter::None);
    tokens.first().is_some_and(is_mark) && tokens.get(1).is_some_and(is_list)
}

/// The end of the statement that contains the token `at`.
fn end_of_statement(tokens: &[TokenTree], at: usize) -> usize {
    let is_end =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';');
    let end = tokens[at..].iter().position(is_end);
    end.map_or(tokens.len(), |end| at + end)
}

/// The only name that these tokens, which follow a `let`, define, and its value. No name for a pattern with several.
fn definition(tokens: &[TokenTree]) -> (Option<String>, &[TokenTree]) {
    let is_equal =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '=');
    let Some(equal) = tokens.iter().position(is_equal) else {
        return (None, &[]);
    };
    let pattern = tokens[..equal].iter();
    let names: Vec<String> = pattern
        .take_while(|token| !matches!(token, TokenTree::Punct(_)))
        .map(ToString::to_string)
        .filter(|word| word != "mut" && word != "ref")
        .collect();
    let is_name =
        |text: &str| text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let one = match &*names {
        [name] if is_name(name) => Some(name.clone()),
        _ => None,
    };
    (one, &tokens[equal + 1..])
}

/// Whether a format string captures the variable.
fn captures(literal: &str, name: &str) -> bool {
    literal.starts_with(['"', 'r'])
        && literal.split('{').skip(1).any(|rest| {
            let rest = rest.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['}', ':']))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_only_printed_if_no_condition_value_or_call_has_it() {
        let only = [
            "fn f() { let t = now(); println!(\"{t}\"); }",
            "fn f() { let t = now(); eprintln!(\"{}\", t.elapsed()); }",
            "fn f() { let t = now(); let ms: f64 = t.elapsed(); if loud { log::info!(\"{ms:.1}\"); } }",
            "fn f() { let t = now(); work(); }",
        ];
        for text in only {
            assert!(is_only_printed(text, "t"), "{text}");
        }
        let more = [
            "fn f() { let t = now(); if t > 3 { return; } }",
            "fn f() { let t = now(); g(t) }",
            "fn f() -> u64 { let t = now(); t }",
            "fn f() { let t = now(); let s = t; if s > 3 { return; } }",
            "fn f() { let t = now(); let (a, b) = (t, 1); println!(\"{a}\"); }",
            "fn f() -> String { let t = now(); format!(\"{t}\") }",
            "fn f() { let t = now(); let s = format!(\"{t:?}\"); s.len() }",
        ];
        for text in more {
            assert!(!is_only_printed(text, "t"), "{text}");
        }
    }
}
