//! Exits with another variant of an enum: `Err(Error::Empty)` if the function has `Err(Error::TooLong)`, or if it
//! returns a `Result` with that enum. A missing guard usually reports an error that nothing else reports. A variant
//! with content gets the values of visible variables ([`contents`]).

use std::collections::{BTreeMap, BTreeSet};

use syn::Item;
use syn::spanned::Spanned;

use super::contents::{Constructed, Contents, Source};
use crate::clauses::plain_names_of;
use crate::rust::modules::{Ast, is_test_code};
use crate::rust::types::declared;
use crate::words::{mentions, words};
use crate::{DataType, ExitSnippet, FileIndex, Function, Name, Sources};

/// Facts from the subject's files about the errors that could be returned.
#[derive(Debug, Default)]
pub struct Declared {
    /// See [`Tested`].
    pub tested: Tested,
    /// See [`Aliases`].
    pub aliases: Aliases,
}

/// Aliases of `Result` with a fixed error type: the names of these types by the alias's name.
#[derive(Debug, Default)]
pub struct Aliases(BTreeMap<String, BTreeSet<String>>);

impl Aliases {
    /// Adds the aliases of a file: `type Result<T> = std::result::Result<T, Error>;`.
    pub fn add(&mut self, file: &syn::File) {
        for item in &file.items {
            if let Item::Type(item) = item
                && let Some(error) = error_type(&declared(&item.ty).plain)
            {
                let of_name = self.0.entry(item.ident.to_string()).or_default();
                of_name.insert(error.to_owned());
            }
        }
    }

    /// The error types of a type that is a `Result`, or of the aliases with its name.
    fn error_types<'t>(&'t self, returns: &'t str) -> Vec<&'t str> {
        if let Some(error) = error_type(returns) {
            return vec![error];
        }
        let head = returns.split('<').next().unwrap_or_default();
        let name = head.rsplit("::").next().unwrap_or_default();
        let named = self.0.get(name).into_iter().flatten();
        named.map(String::as_str).collect()
    }
}

/// The words that occur in tests.
#[derive(Debug, Default)]
pub struct Tested {
    /// Words of integration tests.
    anywhere: BTreeSet<String>,
    /// Words of the unit tests in each file.
    in_file: BTreeMap<FileIndex, BTreeSet<String>>,
}

impl Tested {
    /// Adds the text of an integration test.
    pub fn add_file(&mut self, text: &str) {
        let words = words(text).into_iter();
        self.anywhere
            .extend(words.map(|word| text[word].to_owned()));
    }

    /// Adds the unit tests of a file.
    pub fn add_unit_tests(&mut self, index: FileIndex, ast: &Ast, text: &str) {
        for item in &ast.file.items {
            if let Item::Mod(module) = item
                && is_test_code(&module.attrs)
            {
                let range = module.span().byte_range();
                let tests = &text[ast.offset + range.start..ast.offset + range.end];
                let words = words(tests).into_iter();
                let own = self.in_file.entry(index).or_default();
                own.extend(words.map(|word| tests[word].to_owned()));
            }
        }
    }

    /// Whether a test that may concern this file contains a word.
    fn names(&self, file: FileIndex, word: &str) -> bool {
        self.anywhere.contains(word)
            || self
                .in_file
                .get(&file)
                .is_some_and(|own| own.contains(word))
    }
}

/// Number of occurrences of each word in a text.
pub type Occurrences<'t> = BTreeMap<&'t str, usize>;

/// The order of values, likeliest first: whether it is invented, whether no test mentions it, the origin of its
/// content, how often the file has its name, and the number of its content.
type Order = (bool, bool, Source, usize, usize);

/// Values that a function could return: variants of its return type or its error type that it does not return already,
/// and structs of the error type. Their content is made from `locals`, the variables visible somewhere in the function.
/// First come variants that a unit test of the file or an integration test mentions (`tested`), because some test
/// expects what is missing; then those that occur least often in the file. Values with invented content come last.
pub fn values(
    sources: &Sources,
    function: &Function,
    in_file: &Occurrences<'_>,
    Declared { tested, aliases }: &Declared,
    locals: &[Name],
) -> Vec<ExitSnippet> {
    let contents = Contents { function, locals };
    let mut found: Vec<(Order, ExitSnippet)> = Vec::new();
    let mut put = |of: Constructed<'_>, around: [&str; 2], names: &[String]| {
        for (nth, content) in contents.of(&of).into_iter().enumerate() {
            let text = format!("{}{}{}{}", around[0], of.name, content.text, around[1]);
            let is_known = found.iter().any(|(_, known)| known.text == text);
            if !is_known && !function.returned_values.iter().any(|own| own.text == text) {
                // Variables that only the content of the old variant read are not needed.
                let names = names.iter().filter(|name| mentions(&text, name));
                let names = names.cloned().chain(content.names).collect();
                let times = in_file.get(of.name).copied().unwrap_or(0);
                let is_tested = tested.names(function.file, of.name);
                let is_made_up = content.source == Source::MadeUp;
                let order = (is_made_up, !is_tested, content.source, times, nth);
                found.push((order, ExitSnippet { text, names }));
            }
        }
    };
    for own in &function.returned_values {
        for item in &sources.types {
            if let Some((before, after)) = around_variant(&own.text, item, function) {
                for variant in &item.variants {
                    put(Constructed::variant(variant), [before, after], &own.names);
                }
            }
        }
    }
    let returns = function.returns.as_deref().unwrap_or_default();
    for error in aliases.error_types(returns) {
        let named = sources.types.iter().filter(|item| item.name == error);
        // Of a type of another crate, only the variants that the file mentions are known.
        if named.clone().next().is_none() {
            let before = format!("Err({error}::");
            for name in plain_names_of(error, &sources.files[function.file].text) {
                put(Constructed::bare(name), [&before, ")"], &[]);
            }
        }
        for item in named {
            let before = format!("Err({error}::");
            for variant in &item.variants {
                put(Constructed::variant(variant), [&before, ")"], &[]);
            }
            if item.variants.is_empty() {
                put(Constructed::item(item), ["Err(", ")"], &[]);
            }
        }
    }
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, value)| value).collect()
}

/// The text of a value before and after a variant with its content. `None` if the value has no variant of this enum.
fn around_variant<'t>(
    value: &'t str,
    item: &DataType,
    function: &Function,
) -> Option<(&'t str, &'t str)> {
    let is_of_it = |name: &str| item.variants.iter().any(|variant| variant.name == name);
    for word in words(value) {
        let Some(path) = value[..word.start].strip_suffix("::") else {
            continue;
        };
        let is_outside = |(_, c): &(usize, char)| !c.is_alphanumeric() && *c != '_' && *c != ':';
        let before = path.char_indices().rev().find(is_outside);
        let start = before.map_or(0, |(at, c)| at + c.len_utf8());
        let owner = path[start..].rsplit("::").next().unwrap_or_default();
        let is_self = owner == "Self" && function.owner.as_deref() == Some(&*item.name);
        if is_of_it(&value[word.clone()]) && (owner == item.name || is_self) {
            let after = after_content(&value[word.end..])?;
            return Some((&value[..word.start], after));
        }
    }
    None
}

/// The text after the content of a variant, if it has content.
fn after_content(rest: &str) -> Option<&str> {
    let trimmed = rest.trim_start();
    if !trimmed.starts_with(['(', '{']) {
        return Some(rest);
    }
    let mut depth = 0_usize;
    for (at, c) in trimmed.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.checked_sub(1)?,
            // A bracket in a literal would be miscounted.
            '"' | '\'' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(&trimmed[at + c.len_utf8()..]);
        }
    }
    None
}

/// The error type of a `Result`, without its path and arguments.
fn error_type(returns: &str) -> Option<&str> {
    let (head, arguments) = returns.split_once('<')?;
    let error = arguments.strip_suffix('>')?.rsplit(',').next()?;
    let is_result = head.rsplit("::").next() == Some("Result") && arguments.contains(',');
    let name = error.rsplit("::").next()?.trim();
    (is_result && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}

/// Number of occurrences of each word in a text.
pub fn occurrences(text: &str) -> Occurrences<'_> {
    let mut all = Occurrences::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        *all.entry(word).or_default() += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::rust::{modules, read_text};

    fn values(text: &str, name: &str) -> Vec<String> {
        let sources = read_text(text);
        let function = sources.functions.iter().find(|it| it.name == name);
        let function = function.unwrap();
        let mut declared = super::Declared::default();
        let ast = modules::parse(text).unwrap();
        declared.tested.add_unit_tests(function.file, &ast, text);
        declared.aliases.add(&ast.file);
        let in_file = super::occurrences(text);
        let site = sources
            .sites
            .iter()
            .filter(|site| sources.functions[site.function].name == name);
        let locals: Vec<crate::Name> = site.flat_map(|site| site.names.to_vec()).collect();
        let values = super::values(&sources, function, &in_file, &declared, &locals);
        values.into_iter().map(|value| value.text).collect()
    }

    #[test]
    fn an_error_has_siblings() {
        let text = "enum E { Empty, Long(usize), Bad { at: usize }, Odd }
            fn f(n: usize) -> Result<usize, E> { if n > 9 { return Err(E::Long(n)); } Ok(n) }
            fn g() -> Result<(), E> { Err(E::Odd) }";
        assert_eq!(
            values(text, "f"),
            ["Err(E::Empty)", "Err(E::Odd)", "Err(E::Bad { at: n })"]
        );
        assert_eq!(values(text, "g"), ["Err(E::Empty)"]);
    }

    #[test]
    fn the_variants_of_a_foreign_error_that_the_file_mentions_are_used() {
        let text = "fn f(n: usize) -> Result<usize, HeaderError> { let n = g(n)?; Ok(n) }
            fn h(n: usize) -> Result<usize, HeaderError> {
                if n > 9 { return Err(HeaderError::Forbidden); }
                if n > 7 { return Err(HeaderError::Long(n)); }
                if n > 5 { return Err(HeaderError::from(n)); }
                Ok(n)
            }";
        assert_eq!(values(text, "f"), ["Err(HeaderError::Forbidden)"]);
    }

    #[test]
    fn variants_mentioned_in_a_test_of_the_file_come_first() {
        let text = "enum E { Bad, Empty, Odd }
            fn f(n: usize) -> Result<usize, E> { Ok(n) }
            fn g(n: usize) -> Result<usize, E> { let it = n.checked_sub(1).ok_or(E::Bad)?; Ok(it) }
            #[cfg(test)] mod tests { fn t() { assert_eq!(f(1), Err(E::Odd)); } }";
        assert_eq!(
            values(text, "f"),
            ["Err(E::Odd)", "Err(E::Empty)", "Err(E::Bad)"]
        );
        assert_eq!(values(text, "g"), ["Err(E::Odd)", "Err(E::Empty)"]);
    }

    #[test]
    fn a_function_that_returns_a_result_can_return_an_error() {
        let text = "enum E { Empty }
            fn f(n: usize) -> std::result::Result<usize, E> { if n > 9 { Ok(1) } else { Ok(n) } }";
        assert_eq!(values(text, "f"), ["Err(E::Empty)"]);
    }

    #[test]
    fn a_message_is_invented_for_an_error_that_has_one() {
        let text = "enum E { Bad(String), At(usize), Worse(&'static str), Eof }
            fn f(n: usize) -> Result<usize, E> { if n > 9 { Ok(1) } else { Ok(n) } }";
        assert_eq!(
            values(text, "f"),
            [
                "Err(E::Eof)",
                "Err(E::At(n))",
                "Err(E::Bad(String::from(\"invalid input\")))",
                "Err(E::Worse(\"invalid input\"))"
            ]
        );
    }

    #[test]
    fn a_variable_named_like_a_variant_or_field_is_its_content() {
        let text = "enum E { Long(usize), Version(u8), Range { index: usize, of: String } }
            fn f(data: &[u8], of: &str) -> Result<u8, E> { if data.len() > 9 { return Err(E::Long(data.len())); } let version = data[0]; let index = 1; g(); Ok(version) }
            #[cfg(test)] mod tests { fn t() { assert_eq!(f(1), Err(E::Version(1))); } }";
        let found = values(text, "f");
        assert_eq!(found[0], "Err(E::Version(version))", "{found:?}");
        let range = "Err(E::Range { index, of: of.to_owned() })".to_owned();
        assert!(found.contains(&range), "{found:?}");
    }

    #[test]
    fn a_length_that_the_function_computes_comes_before_that_of_a_parameter() {
        let text = "enum E { Length(usize) }
            fn f(text: &str) -> Result<u8, E> { let digits = text.trim(); if digits.len() == 3 { g(); } Ok(1) }";
        assert_eq!(
            values(text, "f"),
            ["Err(E::Length(digits.len()))", "Err(E::Length(text.len()))"]
        );
    }

    #[test]
    fn an_error_may_be_a_struct() {
        let text =
            "struct E { at: usize } fn f(at: usize) -> Result<usize, E> { let n = g(at)?; Ok(n) }";
        assert_eq!(values(text, "f"), ["Err(E { at })"]);
    }

    #[test]
    fn an_alias_may_fix_the_error_type() {
        let text = "enum E { Empty } type Result<T> = std::result::Result<T, E>;
            fn f(n: usize) -> Result<usize> { if n > 9 { Ok(1) } else { Ok(n) } }";
        assert_eq!(values(text, "f"), ["Err(E::Empty)"]);
    }

    #[test]
    fn a_variant_may_be_the_value_itself() {
        let text = "enum Shape { Round, Square, Flat }
            impl Shape { fn of(n: u8) -> Self { if n == 0 { Self::Round } else { Self::Square } } }";
        assert_eq!(values(text, "Shape::of"), ["Self::Flat"]);
    }
}
