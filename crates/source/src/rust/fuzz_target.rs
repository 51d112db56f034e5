//! A fuzz target of `cargo fuzz` (libfuzzer-sys) as an ordinary test of one input.

use std::fmt;
use std::ops::Range;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{AttrStyle, Expr, ExprClosure, Item, ItemUse, Pat, ReturnType, Token, Type, UseTree};

/// The crate whose macro makes a target, and the module in it that makes typed inputs.
const FUZZER: &str = "libfuzzer_sys";
const ARBITRARY: &str = "arbitrary";

/// A test with the code of a fuzz target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzTest {
    /// The text of a test file.
    pub text: String,
    /// The type of the input, if only the crate `arbitrary` can make it from bytes.
    pub needs_arbitrary: Option<String>,
}

/// Why a file does not become a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FuzzTargetError {
    /// It is no Rust.
    Syntax(String),
    /// It has no `fuzz_target!`, or one of an unknown form.
    NoTarget,
    /// It has a module in another file.
    OtherFile(String),
}

impl fmt::Display for FuzzTargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "syn cannot parse it: {error}"),
            Self::NoTarget => write!(f, "it has no `fuzz_target!(|data| …)`"),
            Self::OtherFile(name) => write!(f, "its module `{name}` is another file"),
        }
    }
}

/// What stands in `fuzz_target!`.
struct Target {
    init: Option<Expr>,
    run: ExprClosure,
}

impl Target {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut init = None;
        if !input.peek(Token![|]) {
            input.parse::<syn::Ident>()?;
            input.parse::<Token![:]>()?;
            init = Some(input.parse()?);
            input.parse::<Token![,]>()?;
        }
        let run = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Self { init, run })
    }
}

/// A test `name` that runs the fuzz target in `text`, a whole file, once with the input `bytes`; `about` is its first line.
///
/// # Errors
/// If the file is not a fuzz target in one file.
pub fn fuzz_test(
    text: &str,
    name: &str,
    about: &str,
    bytes: &[u8],
) -> Result<FuzzTest, FuzzTargetError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let file = syn::parse_file(text).map_err(|error| FuzzTargetError::Syntax(error.to_string()))?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let attributes = file.attrs.iter();
    // `no_main`, perhaps by `cfg_attr`, and what the file says of itself.
    let inner = attributes.filter(|attr| matches!(attr.style, AttrStyle::Inner(_)));
    edits.extend(inner.map(|attr| (attr.span().byte_range(), String::new())));
    let mut target = None;
    for item in &file.items {
        let range = item.span().byte_range();
        match item {
            Item::Macro(item)
                if (item.mac.path.segments.last()).is_some_and(|it| it.ident == "fuzz_target") =>
            {
                target = parsed(item.mac.tokens.clone());
                edits.push((range, String::new()));
            }
            Item::ExternCrate(item) if item.ident == FUZZER => edits.push((range, String::new())),
            Item::Use(item) => edits.extend(without_fuzzer(item).map(|text| (range, text))),
            Item::Mod(item) if item.content.is_none() => {
                return Err(FuzzTargetError::OtherFile(item.ident.to_string()));
            }
            _ => {}
        }
    }
    let target = target.ok_or(FuzzTargetError::NoTarget)?;
    let mut rest = text.to_owned();
    for (range, text) in edits.into_iter().rev() {
        rest.replace_range(range, &text);
    }
    let part = |of: Range<usize>| text[of].to_owned();
    let (pattern, ty) = match target.run.inputs.first() {
        Some(Pat::Type(typed)) => (&*typed.pat, Some(&*typed.ty)),
        Some(pattern) => (pattern, None),
        None => return Err(FuzzTargetError::NoTarget),
    };
    let pattern = part(pattern.span().byte_range());
    let ty_text = ty.map_or_else(|| "&[u8]".to_owned(), |ty| part(ty.span().byte_range()));
    let (input, needs_arbitrary) = input(ty, &ty_text);
    let output = match &target.run.output {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, ty) => format!(" -> {}", part(ty.span().byte_range())),
    };
    let body = part(target.run.body.span().byte_range());
    let body = match &*target.run.body {
        Expr::Block(_) => body,
        _ if output.is_empty() => format!("{{\n    {body};\n}}"),
        _ => format!("{{\n    {body}\n}}"),
    };
    let init = target.init.map_or_else(String::new, |init| {
        format!("    {};\n", part(init.span().byte_range()))
    });
    // What the target says about the input steers the fuzzer only.
    let corpus = match output.contains("Corpus") {
        true => "#[allow(dead_code)]\nenum Corpus {\n    Keep,\n    Reject,\n}\n\n",
        false => "",
    };
    let runs = match output.is_empty() {
        true => "fuzz_target(data);",
        false => "let _ = fuzz_target(data);",
    };
    let rest = rest.trim();
    let gap = if rest.is_empty() { "" } else { "\n\n" };
    let code = format!(
        "{rest}{gap}{corpus}fn fuzz_target({pattern}: {ty_text}){output} {body}\n\n#[test]\nfn {name}() {{\n{init}    let bytes: &[u8] = b\"{}\";\n{input}    {runs}\n}}\n",
        bytes.escape_ascii()
    );
    let code = code.replace(&format!("{FUZZER}::{ARBITRARY}"), ARBITRARY);
    Ok(FuzzTest {
        text: format!(
            "//! {about}\n\n{}",
            code.replace(&format!("{FUZZER}::Corpus"), "Corpus")
        ),
        needs_arbitrary,
    })
}

fn parsed(tokens: TokenStream) -> Option<Target> {
    Target::parse.parse2(tokens).ok()
}

/// The statement that makes `data` of `bytes` as libfuzzer-sys does, and the input's type if that takes the crate `arbitrary`.
fn input(ty: Option<&Type>, text: &str) -> (String, Option<String>) {
    let is = |name: &str| text.split_whitespace().collect::<String>() == name;
    let as_text = "    let end = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);\n    let data = std::str::from_utf8(&bytes[..end]).unwrap()";
    if ty.is_none() || is("&[u8]") {
        ("    let data = bytes;\n".to_owned(), None)
    } else if is("&str") {
        (format!("{as_text};\n"), None)
    } else if is("String") {
        (format!("{as_text}.to_owned();\n"), None)
    } else {
        let made = format!(
            "    let bytes = {ARBITRARY}::Unstructured::new(bytes);\n    let data = <{text} as {ARBITRARY}::Arbitrary>::arbitrary_take_rest(bytes).unwrap();\n"
        );
        (made, Some(text.to_owned()))
    }
}

/// A `use` item of libfuzzer-sys without what only fuzzers need: the types and traits of `arbitrary` stay. `None` for another
/// crate's.
fn without_fuzzer(item: &ItemUse) -> Option<String> {
    let mut paths = Vec::new();
    flatten(&item.tree, String::new(), &mut paths);
    if !paths.iter().any(|path| path.starts_with(FUZZER)) {
        return None;
    }
    let lines = paths.iter().filter_map(|path| {
        let own = path.strip_prefix(FUZZER)?.trim_start_matches("::");
        match own {
            ARBITRARY => None,
            _ => own.starts_with(ARBITRARY).then(|| format!("use {own};")),
        }
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn flatten(tree: &UseTree, before: String, into: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => flatten(&path.tree, format!("{before}{}::", path.ident), into),
        UseTree::Name(name) if name.ident == "self" => {
            into.push(before.trim_end_matches(':').to_owned());
        }
        UseTree::Name(name) => into.push(format!("{before}{}", name.ident)),
        UseTree::Rename(name) => into.push(format!("{before}{} as {}", name.ident, name.rename)),
        UseTree::Glob(_) => into.push(format!("{before}*")),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before.clone(), into);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> FuzzTest {
        fuzz_test(text, "nopol_fuzz", "Runs it.", b"a\0\"").unwrap()
    }

    #[test]
    fn a_target_of_bytes_is_called_with_them() {
        let text = "//! É, a target.\n#![no_main]\n\nuse libfuzzer_sys::fuzz_target;\nuse subject::parse;\n\nfuzz_target!(|data: &[u8]| {\n    // Never panics.\n    let _ = parse(data);\n});\n";
        let expected = "//! Runs it.\n\nuse subject::parse;\n\nfn fuzz_target(data: &[u8]) {\n    // Never panics.\n    let _ = parse(data);\n}\n\n#[test]\nfn nopol_fuzz() {\n    let bytes: &[u8] = b\"a\\x00\\\"\";\n    let data = bytes;\n    fuzz_target(data);\n}\n";
        assert_eq!(made(text).text, expected);
        let short = "#![cfg_attr(fuzzing, no_main)]\n#[macro_use] extern crate libfuzzer_sys;\nlibfuzzer_sys::fuzz_target!(init: subject::start(), |data| subject::parse(data));";
        let text = made(short).text;
        assert!(syn::parse_file(&text).is_ok(), "{text}");
        assert!(
            text.contains("fn fuzz_target(data: &[u8]) {\n    subject::parse(data);\n}"),
            "{text}"
        );
        assert!(
            text.contains("    subject::start();\n    let bytes"),
            "{text}"
        );
        assert!(!text.contains("libfuzzer"), "{text}");
    }

    #[test]
    fn texts_and_typed_inputs_are_made_as_the_fuzzer_makes_them() {
        let text = made(
            "use libfuzzer_sys::{fuzz_target, Corpus};\nfuzz_target!(|text: &str| -> Corpus {\n    if text.is_empty() { return Corpus::Reject; }\n    subject::parse(text);\n    Corpus::Keep\n});",
        );
        assert_eq!(text.needs_arbitrary, None);
        assert!(syn::parse_file(&text.text).is_ok(), "{}", text.text);
        assert!(text.text.contains("enum Corpus {"), "{}", text.text);
        let typed = made(
            "use libfuzzer_sys::{arbitrary::{self, Arbitrary}, fuzz_target};\n#[derive(Arbitrary)]\nstruct Input { a: u8 }\nfuzz_target!(|input: Input| subject::run(input.a));",
        );
        assert_eq!(typed.needs_arbitrary.as_deref(), Some("Input"));
        assert!(
            typed.text.contains("\nuse arbitrary::Arbitrary;\n"),
            "{}",
            typed.text
        );
        assert!(
            typed
                .text
                .contains("<Input as arbitrary::Arbitrary>::arbitrary_take_rest"),
            "{}",
            typed.text
        );
    }

    #[test]
    fn a_file_that_is_no_target_is_named() {
        let of = |text| fuzz_test(text, "t", "", b"").unwrap_err();
        assert_eq!(of("fn main() {}"), FuzzTargetError::NoTarget);
        assert_eq!(of("fuzz_target!(data);"), FuzzTargetError::NoTarget);
        let other = "mod common;\nfuzz_target!(|data| ());";
        assert_eq!(of(other), FuzzTargetError::OtherFile("common".to_owned()));
        assert!(matches!(of("fn"), FuzzTargetError::Syntax(_)));
    }
}
