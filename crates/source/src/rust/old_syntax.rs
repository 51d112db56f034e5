//! Syntax of the 2015 edition that the parser rejects. It is replaced by other syntax of the same length, so that
//! offsets stay correct.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The text with new syntax instead of old. `None` if it has no old syntax.
pub fn modernized(text: &str) -> Option<String> {
    let changed = without_nameless(with_pointers(text));
    (changed != text).then_some(changed)
}

/// Replaces trait objects without `dyn`, such as `&mut FnMut(u8) -> u8`, by function pointers.
fn with_pointers(text: &str) -> String {
    let mut changed = text.to_owned();
    for name in ["Fn", "FnMut", "FnOnce"] {
        for (at, _) in text.match_indices(&format!("{name}(")) {
            let before = text[..at].trim_end();
            let lacks_dyn = ["&", "&mut", "<"].iter().any(|end| before.ends_with(end));
            if lacks_dyn {
                let pointer = format!("{:<1$}", "fn", name.len());
                changed.replace_range(at..at + name.len(), &pointer);
            }
        }
    }
    changed
}

/// Blanks nameless parameters of trait functions: `fn print(&mut self, char);`.
fn without_nameless(mut text: String) -> String {
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return text;
    };
    let mut nameless = Vec::new();
    find_nameless(tokens, false, &mut nameless);
    for range in nameless {
        let blank = text[range.clone()].replace(|it: char| it != '\n', " ");
        // A character of several bytes needs as many blanks.
        let blank = format!("{blank:<0$}", range.len());
        if blank.len() == range.len() {
            text.replace_range(range, &blank);
        }
    }
    text
}

/// Collects the nameless parameters of trait functions in these tokens. `is_trait` says whether the tokens are the body
/// of a trait.
fn find_nameless(tokens: TokenStream, is_trait: bool, found: &mut Vec<Range<usize>>) {
    let mut of_trait = false;
    let mut of_function = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) if word == "trait" => of_trait = true,
            TokenTree::Ident(word) if word == "fn" => of_function = is_trait,
            TokenTree::Punct(mark) if mark.as_char() == ';' => {
                (of_trait, of_function) = (false, false);
            }
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Parenthesis if of_function => {
                    of_function = false;
                    found.extend(nameless(group.stream()));
                }
                Delimiter::Brace => {
                    find_nameless(group.stream(), of_trait, found);
                    (of_trait, of_function) = (false, false);
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// The nameless parameters in a list, each with the comma after it.
fn nameless(list: TokenStream) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut of_one: Vec<TokenTree> = Vec::new();
    // Angle brackets are not groups. The bracket of `->` closes nothing.
    let (mut depth, mut is_arrow) = (0_usize, false);
    let mut end = |of_one: &mut Vec<TokenTree>| {
        // A path has double colons; a name is followed by a single one.
        let has_name = of_one
            .chunk_by(|a, b| is_colon(a) && is_colon(b))
            .any(|run| run.iter().all(is_colon) && run.len() % 2 == 1);
        let is_self = of_one
            .iter()
            .any(|token| matches!(token, TokenTree::Ident(it) if it == "self"));
        if let (Some(first), Some(last), false) =
            (of_one.first(), of_one.last(), has_name || is_self)
        {
            found.push(first.span().byte_range().start..last.span().byte_range().end);
        }
        of_one.clear();
    };
    for token in list {
        let mark = match &token {
            TokenTree::Punct(mark) => Some(mark.as_char()),
            _ => None,
        };
        match mark {
            Some('<') => depth += 1,
            Some('>') if !is_arrow => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_arrow = mark == Some('-');
        let is_end = mark == Some(',') && depth == 0;
        of_one.push(token);
        if is_end {
            end(&mut of_one);
        }
    }
    end(&mut of_one);
    found
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nameless_parameters_become_blanks_and_others_stay() {
        for (old, new) in [
            ("fn print(&mut self, char);", "fn print(&mut self,     );"),
            (
                "fn f(u8, &str, n: u8) -> u8 { n }",
                "fn f(          n: u8) -> u8 { n }",
            ),
            (
                "fn h(n:&u8, m: ::a::B, ::a::B);",
                "fn h(n:&u8, m: ::a::B,       );",
            ),
            (
                "fn g(&self, a::B<C, D>, x: fn(u8) -> u8);",
                "fn g(&self,             x: fn(u8) -> u8);",
            ),
        ] {
            let of_trait = |function: &str| format!("trait T {{ {function} }}");
            assert_eq!(modernized(&of_trait(old)), Some(of_trait(new)));
            assert!(syn::parse_file(&of_trait(new)).is_ok());
        }
        assert_eq!(
            modernized("fn main() { f(a, b); } trait T { fn f(&self, a: &a::B); }"),
            None
        );
    }

    #[test]
    fn trait_objects_without_dyn_become_pointers() {
        let new = modernized("fn f(g: &mut FnMut(u8) -> u8) {}");
        assert_eq!(new.as_deref(), Some("fn f(g: &mut fn   (u8) -> u8) {}"));
    }
}
