//! Variants of pattern matches in a condition, with one alternative more or fewer: `matches!(x, A | B)` becomes
//! `matches!(x, A | B | C)`. Any macro that lists alternatives counts: `dialect_of!(self is A | B)`.

mod additions;

use std::ops::Range;

use proc_macro2::{Spacing, TokenStream, TokenTree};
use syn::Expr;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use self::additions::additions;
use crate::language::Listing;
use crate::{Site, Sources};

/// Most whole lists that are copied.
const MOST_WIDER: usize = 3;

/// The alternatives in a macro call.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    /// The macro's name.
    name: String,
    /// The bytes of the whole call.
    call: Range<usize>,
    /// The bytes of each alternative, in order.
    alternatives: Vec<Range<usize>>,
}

/// The calls in a site's condition that list alternatives, each with one change in its list, likeliest first.
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
        wider(sources, site, &list).into_iter().for_each(&mut put);
        let span = list.alternatives.first().zip(last);
        for wider in wider_lists(sources, site, &list) {
            if let Some((first, end)) = span {
                let start = within(first).start;
                put(format!("{}{wider}{}", &call[..start], &call[end..]));
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

/// The parts of a site's condition to which alternatives can be added.
pub fn listings(sources: &Sources, site: &Site) -> Vec<Listing> {
    let Ok(condition) = syn::parse_str::<Expr>(&site.text) else {
        return Vec::new();
    };
    let listing = |list: List| Listing {
        call: site.text[list.call.clone()].to_owned(),
        wider: wider(sources, site, &list),
    };
    let mut found: Vec<Listing> = lists(&condition).into_iter().map(listing).collect();
    let mut equalities = Equalities::default();
    equalities.visit_expr(&condition);
    for (call, alternative) in equalities.0 {
        let of = site.text[call.start..alternative.start].to_owned();
        let list = List {
            name: "matches".to_owned(),
            call: call.clone(),
            alternatives: vec![alternative],
        };
        let added = additions(sources, site, &list).into_iter();
        let added = added.filter(|it| !it.contains(['(', '{', '.', '|', '_']));
        found.push(Listing {
            call: site.text[call].to_owned(),
            wider: added.map(|added| format!("{of}{added}")).collect(),
        });
    }
    found
}

/// The bytes of each `x == A`, and of the `A` in it, if `A` is a path with several segments.
#[derive(Default)]
struct Equalities(Vec<(Range<usize>, Range<usize>)>);

impl<'ast> Visit<'ast> for Equalities {
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if let (syn::BinOp::Eq(_), Expr::Path(path)) = (&binary.op, &*binary.right)
            && path.path.segments.len() > 1
        {
            let spans = (binary.span().byte_range(), path.span().byte_range());
            self.0.push(spans);
        }
        visit::visit_expr_binary(self, binary);
    }
}

/// A call with one alternative more.
fn wider(sources: &Sources, site: &Site, list: &List) -> Vec<String> {
    let call = &site.text[list.call.clone()];
    let Some(last) = list.alternatives.last() else {
        return Vec::new();
    };
    let (before, after) = call.split_at(last.end - list.call.start);
    let added = additions(sources, site, list).into_iter();
    added
        .map(|added| format!("{before} | {added}{after}"))
        .collect()
}

/// Other lists of the same macro in the file that have all alternatives of a list and several more, most frequent
/// first.
fn wider_lists(sources: &Sources, site: &Site, list: &List) -> Vec<String> {
    let own: Vec<&str> = list
        .alternatives
        .iter()
        .map(|at| &site.text[at.clone()])
        .collect();
    let mut found: Vec<(usize, Vec<&str>)> = Vec::new();
    for other in lists_elsewhere(&sources.files[site.file].text, &list.name) {
        let is_wider = own.iter().all(|it| other.contains(it)) && other.len() > own.len() + 1;
        match found.iter_mut().find(|(_, known)| *known == other) {
            Some((times, _)) => *times += 1,
            None if is_wider => found.push((1, other)),
            None => {}
        }
    }
    found.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    found.truncate(MOST_WIDER);
    found
        .into_iter()
        .map(|(_, list)| list.join(" | "))
        .collect()
}

/// A pattern that matches a variant with any content. `None` if the variant has no content, or the pattern matches any
/// content already.
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

/// The alternatives that a text lists in calls of a macro.
fn elsewhere<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    lists_elsewhere(text, name).flatten()
}

/// The lists of alternatives in a text's calls of a macro.
fn lists_elsewhere<'t>(text: &'t str, name: &str) -> impl Iterator<Item = Vec<&'t str>> {
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
        let of_list = |list: List| list.alternatives.into_iter().map(|at| &call[at]).collect();
        lists.into_iter().map(of_list).collect::<Vec<_>>()
    })
}

/// The length of the text up to and including the parenthesis that closes an open one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            // A parenthesis in a literal may be unbalanced, so stop at the end of the statement.
            ';' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// A pattern without its content.
fn head(pattern: &str) -> &str {
    pattern.split(['(', '{', ' ']).next().unwrap_or_default()
}

/// The macro calls in an expression that list alternatives.
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

/// A condition in which two calls with lists for the same value become one: `matches!(x, A | B)` instead of
/// `matches!(x, A) || matches!(x, B)`.
pub fn joined(mut text: String) -> String {
    while let Some(shorter) = joined_once(&text) {
        text = shorter;
    }
    text
}

fn joined_once(text: &str) -> Option<String> {
    // Most conditions have fewer than two such calls.
    text.matches("!(").nth(1)?;
    let condition = syn::parse_str::<Expr>(text).ok()?;
    let lists = lists(&condition);
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

/// The macro, and the value that it matches, without references.
fn of<'t>(text: &'t str, list: &'t List) -> Option<(&'t str, &'t str)> {
    let call = text.get(list.call.start..list.alternatives.first()?.start)?;
    let of = call.split_once("!(")?.1.trim();
    let of = of.strip_suffix(',').or_else(|| of.strip_suffix(" is"))?;
    Some((&list.name, of.trim().trim_start_matches(['&', '*'])))
}

/// Whether a call ends directly after its pattern.
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
            // `||` does not separate alternatives.
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
    fn a_macro_lists_alternatives_that_it_lists_elsewhere() {
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
    fn a_whole_list_is_copied() {
        let condition = "dialect_of!(self is MySql)";
        let text = format!(
            "impl P {{ fn f(&self) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }} fn g(&self) -> bool {{ dialect_of!(self is Generic | MySql | Hive) }} }}"
        );
        let wanted = "dialect_of!(self is Generic | MySql | Hive)".to_owned();
        assert!(variants(&text, condition).contains(&wanted));
    }

    #[test]
    fn a_variant_is_added_with_usual_content() {
        let condition = "matches!(size, Size::None)";
        let text = format!(
            "enum Size {{ None, Sized(u64), Set(bool) }} fn f(size: Size) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}"
        );
        let found = variants(&text, condition);
        for wanted in ["Size::Sized(..)", "Size::Sized(0)", "Size::Set(true)"] {
            let wanted = format!("matches!(size, Size::None | {wanted})");
            assert!(found.contains(&wanted), "{wanted}: {found:?}");
        }
    }

    #[test]
    fn the_variants_of_a_foreign_enum_that_the_file_mentions_are_added() {
        let condition = "matches!(ty, ast::Type::Dyn(_))";
        let text = format!(
            "fn f(ty: &T) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}
            fn g(ty: &T) -> u8 {{ match ty {{ ast::Type::Impl(it) => 1, ast::Type::Ref(a, b) => 2, ast::Type::Never => 3, _ => 4 }} }}"
        );
        let found = variants(&text, condition);
        for wanted in [
            "ast::Type::Impl(..)",
            "ast::Type::Ref(..)",
            "ast::Type::Never",
        ] {
            let wanted = format!("matches!(ty, ast::Type::Dyn(_) | {wanted})");
            assert!(found.contains(&wanted), "{wanted}: {found:?}");
        }
    }

    #[test]
    fn two_matches_of_one_value_become_one() {
        let joined = |text: &str| super::joined(text.to_owned());
        assert_eq!(
            joined("n > 0 && (matches!(x, A | B(_)) || matches!(*x, C { .. }))"),
            "n > 0 && matches!(x, A | B(_) | C { .. })"
        );
        assert_eq!(
            joined("matches!(x, A) || matches!(x, B) || matches!(x, C)"),
            "matches!(x, A | B | C)"
        );
        assert_eq!(
            joined("dialect_of!(self is A | B) || dialect_of!(self is A | C)"),
            "dialect_of!(self is A | B | C)"
        );
        // The second list repeats every alternative of the first.
        assert_eq!(
            joined("matches!(x, A | 'b'..='d') || matches!(x, A | 'b'..='d' | 'b'..='e')"),
            "matches!(x, A | 'b'..='d' | 'b'..='e')"
        );
        for other in [
            "matches!(x, A) || matches!(y, B)",
            "matches!(x, A) && matches!(x, B)",
            "matches!(x, A(n) if n > 1) || matches!(x, B)",
            "matches!(x, A) || n > 1 || matches!(x, B)",
            "matches!(x, A) || node_matches!(x, B)",
        ] {
            assert_eq!(joined(other), other);
        }
    }

    #[test]
    fn a_disjunction_is_not_a_list() {
        let condition = "matches!(c, 'a') || any!(c is b || d)";
        let text = format!("fn f(c: char) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}");
        assert!(
            variants(&text, condition)
                .iter()
                .all(|it| it.starts_with("matches!(c, 'a' | "))
        );
    }

    #[test]
    fn another_variant_may_be_added_to_an_equality() {
        let condition = "n > 1 && unit == Unit::Piece";
        let text = format!(
            "enum Unit {{ Piece, Cup, Box(u8) }} fn f(unit: Unit, n: u8) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}"
        );
        let sources = read_text(&text);
        let site = sources.sites.iter().find(|site| site.text == condition);
        let found = super::listings(&sources, site.unwrap());
        let [listing] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(listing.call, "unit == Unit::Piece");
        assert_eq!(listing.wider, ["unit == Unit::Cup"]);
    }
}
