//! The patterns that a condition matches something against, with one alternative more or one less: `matches!(x, A | B)` as
//! `matches!(x, A | B | C)`. Any macro that lists alternatives so is read: `dialect_of!(self is A | B)`.

use std::ops::Range;

use proc_macro2::{Spacing, TokenStream, TokenTree};
use syn::Expr;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::{DataType, Site, Sources};

/// Alternatives that are added to one list, at most.
const MOST_ADDED: usize = 12;
/// Of these, literals.
const MOST_LITERALS: usize = 4;

/// Alternatives in a call of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    /// The macro's name.
    name: String,
    /// Bytes of the whole call.
    call: Range<usize>,
    /// Bytes of each alternative, in order.
    alternatives: Vec<Range<usize>>,
}

/// The calls of a site's condition that list alternatives, each with a change in its list, likeliest first.
pub fn variants(sources: &Sources, site: &Site) -> Vec<String> {
    let Ok(condition) = syn::parse_str::<Expr>(&site.text) else {
        return Vec::new();
    };
    let mut found: Vec<String> = Vec::new();
    for list in lists(&condition) {
        let call = &site.text[list.call.clone()];
        let within = |at: &Range<usize>| at.start - list.call.start..at.end - list.call.start;
        let mut put = |text: String| {
            if !found.contains(&text) {
                found.push(text);
            }
        };
        let last = list.alternatives.last().map(|last| within(last).end);
        for added in additions(sources, site, &list) {
            if let Some(end) = last {
                put(format!("{} | {added}{}", &call[..end], &call[end..]));
            }
        }
        for at in &list.alternatives {
            let own = &site.text[at.clone()];
            let at = within(at);
            if let Some(wider) = any_content(own) {
                put(format!("{}{wider}{}", &call[..at.start], &call[at.end..]));
            }
        }
        for pair in list.alternatives.windows(2) {
            let (one, next) = (within(&pair[0]), within(&pair[1]));
            put(format!("{}{}", &call[..one.start], &call[next.start..]));
        }
        if let [.., before, last] = &list.alternatives[..] {
            let (before, last) = (within(before), within(last));
            put(format!("{}{}", &call[..before.end], &call[last.end..]));
        }
    }
    found
}

/// A pattern of a variant, whatever content that has; `None` if it has none, or says nothing about it.
fn any_content(pattern: &str) -> Option<String> {
    let head = head(pattern);
    let content = pattern[head.len()..].trim();
    let says_nothing = content.chars().all(|c| " ({[._,]})".contains(c));
    let is_variant = head.rsplit("::").next()?.starts_with(char::is_uppercase);
    match content.chars().next()? {
        '(' if is_variant && !says_nothing => Some(format!("{head}(..)")),
        '{' if is_variant && !says_nothing => Some(format!("{head} {{ .. }}")),
        _ => None,
    }
}

/// What can be added to a list: what others of its macro list, the other variants of an enum, other literals of its kind.
fn additions(sources: &Sources, site: &Site, list: &List) -> Vec<String> {
    let own: Vec<&str> = list
        .alternatives
        .iter()
        .map(|at| &site.text[at.clone()])
        .collect();
    let mut found: Vec<String> = Vec::new();
    let mut put = |text: String| {
        if !own.contains(&&*text) && !found.contains(&text) {
            found.push(text);
        }
    };
    let file = &sources.files[site.file];
    let function = &sources.functions[site.function];
    let is_like_own = |other: &str| own.iter().any(|it| is_alike(it, other));
    for text in [&file.text[function.span.clone()], &file.text] {
        for other in elsewhere(text, &list.name).filter(|other| is_like_own(other)) {
            put(other.to_owned());
        }
    }
    for one in &own {
        for (before, item) in enums(sources, one, function.owner.as_deref()) {
            for variant in &item.variants {
                let is_listed = |it: &&str| {
                    head(it).ends_with(&format!("::{}", variant.name)) || head(it) == variant.name
                };
                if !own.iter().any(is_listed) {
                    put(format!("{before}{}{}", variant.name, variant.rest));
                }
            }
        }
    }
    let literals = own.iter().filter_map(|one| Some((one, kind(one)?)));
    let mut literals: Vec<String> = literals
        .flat_map(|(one, kind_of_one)| {
            let near = function.literals.iter().chain(&file.literals);
            let near = near
                .filter(move |text| kind(text) == Some(kind_of_one))
                .cloned();
            ranges(one).iter().map(ToString::to_string).chain(near)
        })
        .collect();
    literals.retain(|it| !own.contains(&&**it));
    literals.truncate(MOST_LITERALS);
    literals.into_iter().for_each(&mut put);
    found.truncate(MOST_ADDED);
    found
}

/// The alternatives that a text lists in calls of a macro.
fn elsewhere<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!("{name}!(");
    let calls: Vec<&str> = text
        .match_indices(&start)
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .filter_map(|(at, _)| {
            let end = closing(&text[at + start.len()..])?;
            Some(&text[at..at + start.len() + end])
        })
        .collect();
    calls.into_iter().flat_map(|call| {
        let parsed = syn::parse_str::<Expr>(call).ok();
        let lists = parsed.map(|call| lists(&call)).unwrap_or_default();
        let alternatives = lists.into_iter().flat_map(|list| list.alternatives);
        alternatives.map(|at| &call[at]).collect::<Vec<_>>()
    })
}

/// The bytes up to and with the parenthesis that closes an open one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            // A bracket in a literal may be unbalanced.
            ';' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Whether two alternatives may match values of one type: paths of the same head, or literals of one kind.
fn is_alike(one: &str, other: &str) -> bool {
    let path = |text: &str| {
        head(text)
            .rsplit_once("::")
            .map(|(path, _)| path.to_owned())
    };
    match (kind(one), kind(other)) {
        (None, None) => path(one) == path(other),
        (one, other) => one == other,
    }
}

/// A pattern without its content.
fn head(pattern: &str) -> &str {
    pattern.split(['(', '{', ' ']).next().unwrap_or_default()
}

/// The first value of a literal or a range of literals.
fn kind(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [b'b', quote @ (b'\'' | b'"'), ..] => Some(quote + 128),
        [quote @ (b'\'' | b'"'), ..] => Some(*quote),
        [digit, ..] if digit.is_ascii_digit() => Some(b'0'),
        _ => None,
    }
}

/// The usual ranges beside a character.
fn ranges(one: &str) -> &'static [&'static str] {
    match one.as_bytes() {
        [b'b', b'\'', ..] => &["b'0'..=b'9'", "b'a'..=b'z'", "b'A'..=b'Z'", "b'_'"],
        [b'\'', ..] => &["'0'..='9'", "'a'..='z'", "'A'..='Z'", "'_'"],
        _ => &[],
    }
}

/// The enums that may have the variant which a pattern names, each with the text before the variant.
fn enums<'s>(
    sources: &'s Sources,
    pattern: &str,
    owner: Option<&str>,
) -> Vec<(String, &'s DataType)> {
    let head = head(pattern);
    let (before, name) = match head.rsplit_once("::") {
        Some((path, name)) => (format!("{path}::"), name),
        None => (String::new(), head),
    };
    let of = before
        .trim_end_matches("::")
        .rsplit("::")
        .next()
        .unwrap_or_default();
    let is_it = |item: &&DataType| {
        let is_named =
            of.is_empty() || item.name == of || of == "Self" && owner == Some(&*item.name);
        is_named && item.variants.iter().any(|variant| variant.name == name)
    };
    let items = sources.types.iter().filter(is_it);
    items.map(|item| (before.clone(), item)).collect()
}

/// The calls of macros with lists in an expression.
fn lists(expr: &Expr) -> Vec<List> {
    let mut calls = Calls::default();
    calls.visit_expr(expr);
    calls.0
}

#[derive(Default)]
struct Calls(Vec<List>);

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_macro(&mut self, call: &'ast syn::ExprMacro) {
        let name = call
            .mac
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string());
        if let Some(name) = name
            && let Some(alternatives) = alternatives(&name, call.mac.tokens.clone())
        {
            self.0.push(List {
                name,
                call: call.span().byte_range(),
                alternatives,
            });
        }
        visit::visit_expr_macro(self, call);
    }
}

/// A condition with `matches!(x, A | B)` in place of `matches!(x, A) || matches!(x, B)`.
pub fn joined(mut text: String) -> String {
    while let Some(shorter) = joined_once(&text) {
        text = shorter;
    }
    text
}

fn joined_once(text: &str) -> Option<String> {
    // Most conditions have none.
    text.matches("matches!(").nth(1)?;
    let condition = syn::parse_str::<Expr>(text).ok()?;
    let mut lists = lists(&condition);
    lists.retain(|list| list.name == "matches");
    let (one, other) = lists.windows(2).find_map(|pair| {
        let [one, other] = pair else { return None };
        let between = text.get(one.call.end..other.call.start)?;
        let is_alike = between.trim() == "||" && of(text, one)? == of(text, other)?;
        (is_alike && ends(text, one)? && ends(text, other)?).then_some((one, other))
    })?;
    let known: Vec<&str> = one
        .alternatives
        .iter()
        .map(|it| &text[it.clone()])
        .collect();
    let mut added = String::new();
    for alternative in other.alternatives.iter().map(|it| &text[it.clone()]) {
        if !known.contains(&alternative) {
            added.push_str(" | ");
            added.push_str(alternative);
        }
    }
    added.push(')');
    let mut joined = text.to_owned();
    joined.replace_range(one.alternatives.last()?.end..other.call.end, &added);
    // A single call needs no parentheses.
    let end = one.alternatives.last()?.end + added.len();
    let before = joined[..one.call.start].strip_suffix('(');
    let after = joined[end..].strip_prefix(')');
    if let (Some(before), Some(after)) = (before, after)
        && !before.ends_with(|c: char| c.is_alphanumeric() || "_!>".contains(c))
    {
        joined = format!("{before}{}{after}", &joined[one.call.start..end]);
    }
    Some(joined)
}

/// What a call matches, without references.
fn of<'t>(text: &'t str, list: &List) -> Option<&'t str> {
    let start = list.call.start + "matches!(".len();
    let before = text.get(start..list.alternatives.first()?.start)?;
    let of = before.trim().strip_suffix(',')?;
    Some(of.trim().trim_start_matches(['&', '*']))
}

/// Whether a call has nothing after its pattern.
fn ends(text: &str, list: &List) -> Option<bool> {
    let rest = text.get(list.alternatives.last()?.end..list.call.end)?;
    Some(matches!(rest.trim(), ")" | ",)"))
}

/// The alternatives in the arguments of a macro: after the comma of `matches!`, or after the word `is`.
fn alternatives(name: &str, tokens: TokenStream) -> Option<Vec<Range<usize>>> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_word =
        |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(it) if it == word);
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ',');
    let start = match name {
        "matches" => tokens.iter().position(is_comma)?,
        _ => tokens.iter().position(|token| is_word(token, "is"))?,
    };
    let tokens = &tokens[start + 1..];
    let end = tokens
        .iter()
        .position(|token| is_word(token, "if") || is_comma(token));
    let tokens = &tokens[..end.unwrap_or(tokens.len())];
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut is_fresh = true;
    for token in tokens {
        if let TokenTree::Punct(it) = token
            && it.as_char() == '|'
        {
            // `||` is not a list.
            (it.spacing() == Spacing::Alone).then_some(())?;
            is_fresh = true;
            continue;
        }
        let span = token.span().byte_range();
        match (found.last_mut(), is_fresh) {
            (Some(last), false) => last.end = span.end,
            _ => found.push(span),
        }
        is_fresh = false;
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use crate::rust::read_text;

    fn variants(text: &str, condition: &str) -> Vec<String> {
        let sources = read_text(text);
        let site = sources.sites.iter().find(|site| site.text == condition);
        super::variants(&sources, site.unwrap())
    }

    #[test]
    fn a_variant_of_the_enum_is_added_in_the_form_of_its_content() {
        let condition = "matches!(self, Self::A | Self::B(_))";
        let text = format!(
            "enum E {{ A, B(u8), C {{ n: u8 }}, D(u8, u8) }} impl E {{ fn f(&self) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }} }}"
        );
        let found = variants(&text, condition);
        for wanted in [
            "matches!(self, Self::A | Self::B(_) | Self::C { .. })",
            "matches!(self, Self::A | Self::B(_) | Self::D(..))",
            "matches!(self, Self::B(_))",
            "matches!(self, Self::A)",
        ] {
            assert!(found.contains(&wanted.to_owned()), "{wanted}: {found:?}");
        }
    }

    #[test]
    fn characters_have_the_usual_ranges_and_the_literals_of_the_function() {
        let condition = "x && !matches!(c, 'a'..='z' | '_')";
        let text = format!(
            "fn f(c: char, x: bool) -> u8 {{ if c == '-' {{ return 1; }} if {condition} {{ 2 }} else {{ 3 }} }}"
        );
        let found = variants(&text, condition);
        assert!(
            found.contains(&"matches!(c, 'a'..='z' | '_' | '0'..='9')".to_owned()),
            "{found:?}"
        );
        assert!(
            found.contains(&"matches!(c, 'a'..='z' | '_' | '-')".to_owned()),
            "{found:?}"
        );
    }

    #[test]
    fn a_macro_lists_what_it_lists_elsewhere() {
        let condition = "dialect_of!(self is Generic)";
        let text = format!(
            "impl P {{ fn f(&self) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }} fn g(&self) -> bool {{ dialect_of!(self is MySql | Generic) }} }}"
        );
        assert_eq!(
            variants(&text, condition),
            ["dialect_of!(self is Generic | MySql)"]
        );
    }

    #[test]
    fn what_is_matched_twice_is_matched_once() {
        let joined = |text: &str| super::joined(text.to_owned());
        assert_eq!(
            joined("n > 0 && (matches!(x, A | B(_)) || matches!(*x, C { .. }))"),
            "n > 0 && matches!(x, A | B(_) | C { .. })"
        );
        assert_eq!(
            joined("matches!(x, A) || matches!(x, B) || matches!(x, C)"),
            "matches!(x, A | B | C)"
        );
        // Every alternative was listed again.
        assert_eq!(
            joined("matches!(x, A | 'b'..='d') || matches!(x, A | 'b'..='d' | 'b'..='e')"),
            "matches!(x, A | 'b'..='d' | 'b'..='e')"
        );
        for other in [
            "matches!(x, A) || matches!(y, B)",
            "matches!(x, A) && matches!(x, B)",
            "matches!(x, A(n) if n > 1) || matches!(x, B)",
            "matches!(x, A) || n > 1 || matches!(x, B)",
        ] {
            assert_eq!(joined(other), other);
        }
    }

    #[test]
    fn a_disjunction_is_no_list() {
        let condition = "matches!(c, 'a') || any!(c is b || d)";
        let text = format!("fn f(c: char) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}");
        assert!(
            variants(&text, condition)
                .iter()
                .all(|it| it.starts_with("matches!(c, 'a' | "))
        );
    }
}
