//! Alternatives that can be added to a list of patterns.

use nopol_expr::Type;

use super::{List, elsewhere, head};
use crate::{DataType, Site, Sources, Variant};

/// Most alternatives added to one list.
const MOST_ADDED: usize = 12;
/// Most literals among them.
const MOST_LITERALS: usize = 4;

/// The alternatives that can be added to a list: those of other lists of its macro, the other variants of an enum,
/// other literals of its kind.
pub(super) fn additions(sources: &Sources, site: &Site, list: &List) -> Vec<String> {
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
        let items = enums(sources, one, function.owner.as_deref());
        if let Some((path, _)) = head(one).rsplit_once("::").filter(|_| items.is_empty()) {
            let texts = [&file.text[function.span.clone()], &file.text];
            texts
                .iter()
                .flat_map(|text| named(text, path))
                .for_each(&mut put);
        }
        for (before, item) in items {
            for variant in &item.variants {
                let is_listed = |it: &&str| {
                    head(it).ends_with(&format!("::{}", variant.name)) || head(it) == variant.name
                };
                if !own.iter().any(is_listed) {
                    put(format!("{before}{}{}", variant.name, variant.rest));
                }
            }
            for (name, content) in item.variants.iter().flat_map(with_content) {
                put(format!("{before}{name}({content})"));
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

/// A variant with one value, filled with each usual value of its type.
fn with_content(variant: &Variant) -> impl Iterator<Item = (&str, &'static str)> {
    let usual: &[&str] = match &variant.fields[..] {
        [(name, ty)] if name.starts_with(|c: char| c.is_ascii_digit()) => match &*ty.plain {
            "bool" => &["true", "false"],
            "str" => &["\"\""],
            ty if ty.starts_with("Option<") => &["None", "Some(_)"],
            ty if matches!(Type::from_name(ty), Some(Type::Int(_))) => &["0"],
            _ => &[],
        },
        _ => &[],
    };
    usual.iter().map(|content| (&*variant.name, *content))
}

/// The variants of a foreign enum that a text mentions, as patterns that match any content.
fn named(text: &str, path: &str) -> Vec<String> {
    let path = format!("{path}::");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices(&path) {
        let rest = &text[at + path.len()..];
        let name = &rest[..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())];
        let after = &rest[name.len()..];
        if text[..at].ends_with(|c: char| is_part(c) || c == ':')
            || !name.starts_with(char::is_uppercase)
            || after.starts_with(['!', ':'])
        {
            continue;
        }
        let content = match after.trim_start().as_bytes().first() {
            Some(b'(') => "(..)",
            Some(b'{') if after.starts_with(" {") => " { .. }",
            _ => "",
        };
        let pattern = format!("{path}{name}{content}");
        if !found.contains(&pattern) {
            found.push(pattern);
        }
    }
    found
}

/// Whether two alternatives may match values of one type: paths with the same prefix, or literals of one kind.
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

/// The kind of a literal or of a range of literals. `None` for anything else.
fn kind(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [b'b', quote @ (b'\'' | b'"'), ..] => Some(quote + 128),
        [quote @ (b'\'' | b'"'), ..] => Some(*quote),
        [digit, ..] if digit.is_ascii_digit() => Some(b'0'),
        _ => None,
    }
}

/// The usual ranges of characters, for a list with a character.
fn ranges(one: &str) -> &'static [&'static str] {
    match one.as_bytes() {
        [b'b', b'\'', ..] => &["b'0'..=b'9'", "b'a'..=b'z'", "b'A'..=b'Z'", "b'_'"],
        [b'\'', ..] => &["'0'..='9'", "'a'..='z'", "'A'..='Z'", "'_'"],
        _ => &[],
    }
}

/// The enums that may have the variant in a pattern, each with the text before the variant.
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
