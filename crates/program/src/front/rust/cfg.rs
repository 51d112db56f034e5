//! Conditional compilation of items: `#[cfg(…)]`.

use std::collections::BTreeSet;

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token};

/// The features of the crate that are active.
pub type Features = BTreeSet<String>;

/// What attributes say of the compilation of an item for tests.
pub(super) struct Compiled {
    /// Whether it is compiled for nothing but tests.
    pub is_for_tests: bool,
    /// Under which condition it is not compiled.
    pub never: Option<String>,
    /// Under which condition it may or may not be compiled, because more than features decides that.
    pub unknown: Option<String>,
}

/// What these attributes say; the features are not known if there are none.
pub(super) fn compiled(attrs: &[Attribute], features: Option<&Features>) -> Compiled {
    let mut compiled = Compiled {
        is_for_tests: false,
        never: None,
        unknown: None,
    };
    for attr in attrs {
        let Meta::List(list) = &attr.meta else {
            continue;
        };
        if !list.path.is_ident("cfg") {
            continue;
        }
        let written = list.tokens.to_string().replace(' ', "");
        let condition = list.parse_args::<Meta>().ok();
        let holds = |is_test| holds(condition.as_ref()?, features, is_test);
        compiled.is_for_tests |= holds(false) == Some(false);
        match holds(true) {
            Some(true) => {}
            Some(false) => compiled.never = Some(written),
            None => compiled.unknown = Some(written),
        }
    }
    compiled
}

/// Whether an attribute has this name, or brings it along under a condition that holds: `#[cfg_attr(…, name)]`.
pub(super) fn has(attr: &Attribute, name: &str, features: Option<&Features>) -> bool {
    if !attr.path().is_ident("cfg_attr") {
        return attr.path().is_ident(name);
    }
    let Meta::List(list) = &attr.meta else {
        return false;
    };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let parts: Vec<Meta> = parts.into_iter().flatten().collect();
    parts.split_first().is_some_and(|(condition, given)| {
        given.iter().any(|of| of.path().is_ident(name))
            && holds(condition, features, true) == Some(true)
    })
}

/// Whether a condition holds; `None` if that is not known.
fn holds(condition: &Meta, features: Option<&Features>, is_test: bool) -> Option<bool> {
    match condition {
        Meta::Path(path) if path.is_ident("test") => Some(is_test),
        Meta::NameValue(of) if of.path.is_ident("feature") => match &of.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(name),
                ..
            }) => Some(features?.contains(&name.value())),
            _ => None,
        },
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            let parts = parts.ok()?;
            let mut parts = parts.iter().map(|part| holds(part, features, is_test));
            if list.path.is_ident("not") {
                return parts.next()?.map(|holds| !holds);
            }
            let decides = match () {
                () if list.path.is_ident("all") => false,
                () if list.path.is_ident("any") => true,
                () => return None,
            };
            let parts: Vec<Option<bool>> = parts.collect();
            if parts.contains(&Some(decides)) {
                return Some(decides);
            }
            (!parts.contains(&None)).then_some(!decides)
        }
        Meta::Path(_) | Meta::NameValue(_) => None,
    }
}

/// Why a test is not read that is not compiled.
pub(super) fn absent(condition: &str) -> String {
    let condition = spaced(condition);
    match features_of(&condition) {
        Some(features) => format!(
            "it is compiled only under `cfg({condition})`; `--features {features}` compiles it"
        ),
        None => format!("it is compiled only under `cfg({condition})`"),
    }
}

/// Why an item is not read that may be compiled or not.
pub(super) fn unknown(condition: &str) -> String {
    let condition = spaced(condition);
    let advice = match features_of(&condition) {
        Some(features) => {
            format!("; `localize` and `repair` run what is compiled with `--features {features}`")
        }
        None => String::new(),
    };
    format!("conditional compilation, here `cfg({condition})`, is not supported{advice}")
}

fn spaced(condition: &str) -> String {
    condition.replace(',', ", ").replace('=', " = ")
}

/// The features with which a condition holds, if it asks for nothing but features.
fn features_of(condition: &str) -> Option<String> {
    let is_plain = !["not(", "any("].iter().any(|of| condition.contains(of));
    let features: Vec<&str> = condition
        .split("feature = \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    (is_plain && !features.is_empty()).then(|| features.join(","))
}
