//! Names that can replace one another anywhere in the subject.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Constant, DataType, DeclaredType, Sources};

/// Most fields or variants of a type that count as siblings: in larger types, similarity means little.
const MOST_KIN: usize = 12;

/// Names that can replace one another in the whole subject.
#[derive(Clone, Debug, Default)]
pub struct Kin {
    /// For each field or variant, its siblings in all types that have it; for each getter call, similar getter calls.
    pub(super) alike: BTreeMap<String, BTreeSet<String>>,
    /// For each type, the variants and constants that the subject's code names without content, most frequent first. It
    /// may be a type of another crate.
    pub(super) of_types: BTreeMap<String, Vec<String>>,
}

#[cfg(test)]
impl Kin {
    /// For tests: names, each with one sibling.
    pub(crate) fn of_alike<const N: usize>(pairs: [(&str, &str); N]) -> Self {
        let pairs = pairs.map(|(one, other)| (one.to_owned(), [other.to_owned()].into()));
        Self {
            alike: pairs.into(),
            of_types: BTreeMap::new(),
        }
    }
}

/// Finds the siblings: for each field, the fields of the struct with the same type, whatever its arguments; for each
/// variant, the other variants of its enum; for each name, the getters named after it.
pub fn kin(sources: &Sources) -> Kin {
    Kin {
        alike: alike(sources),
        of_types: of_types(sources),
    }
}

/// See [`Kin::of_types`].
fn of_types(sources: &Sources) -> BTreeMap<String, Vec<String>> {
    let mut numbers: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    // A variant that another build lacks must not be used.
    let functions = sources.functions.iter().filter(|it| it.cfgs.is_empty());
    for function in functions {
        let text = &sources.files[function.file].text[function.span.clone()];
        for (at, _) in text.match_indices("::") {
            let owner = super::owner(&text[..at + 2]);
            let name = owner.and_then(|_| super::plain_name(&text[at + 2..]));
            if let (Some(owner), Some(name)) = (owner, name)
                && is_everywhere(sources, owner, name)
            {
                *numbers.entry(owner).or_default().entry(name).or_default() += 1;
            }
        }
    }
    let ordered = numbers.into_iter().map(|(owner, names)| {
        let names = super::by_number(names).into_iter().map(str::to_owned);
        (owner.to_owned(), names.collect())
    });
    ordered.collect()
}

/// Whether every build has this variant or constant. True if the type belongs to another crate.
fn is_everywhere(sources: &Sources, owner: &str, name: &str) -> bool {
    let mut constants = sources.constants.iter();
    let is_constant = |it: &Constant| it.name == name && it.owner.as_deref() == Some(owner);
    let mut types = sources.types.iter().filter(|ty| ty.name == owner);
    let has = |ty: &DataType| ty.variants.iter().any(|variant| variant.name == name);
    match constants.find(|it| is_constant(it)) {
        Some(constant) => constant.cfgs.is_empty(),
        None => types.all(has),
    }
}

/// See [`Kin::alike`].
fn alike(sources: &Sources) -> BTreeMap<String, BTreeSet<String>> {
    let mut kin: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for item in &sources.types {
        let fields = item.fields.iter();
        let head = |ty: &DeclaredType| ty.plain.split('<').next().unwrap_or_default().to_owned();
        let of_type = |ty: &DeclaredType| {
            let same = item
                .fields
                .iter()
                .filter(|(_, other)| head(other) == head(ty));
            same.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        let mut groups: Vec<Vec<String>> = fields.map(|(_, ty)| of_type(ty)).collect();
        let variants = item.variants.iter().map(|variant| variant.name.clone());
        groups.push(variants.collect());
        for group in groups.iter().filter(|group| group.len() <= MOST_KIN) {
            for one in group {
                let others = group.iter().filter(|other| *other != one).cloned();
                kin.entry(one.clone()).or_default().extend(others);
            }
        }
    }
    for callable in sources.callables.iter().filter(|it| it.cfgs.is_empty()) {
        if callable.is_method && callable.parameters.is_empty() {
            let name = &callable.name;
            let of = ["is_", "has_", "get_"]
                .iter()
                .find_map(|start| name.strip_prefix(start));
            let field = of.unwrap_or(name).to_owned();
            kin.entry(field).or_default().insert(format!("{name}()"));
        }
    }
    for group in getters(sources).filter(|group| group.len() <= MOST_KIN) {
        for one in &group {
            let others = group.iter().filter(|other| *other != one);
            let others = others.map(|other| format!("{other}()"));
            kin.entry(format!("{one}()")).or_default().extend(others);
        }
    }
    kin
}

/// Methods of one type without parameters whose names start with the same word and which return the same type, whatever
/// its arguments: `as_text` and `as_number`.
fn getters(sources: &Sources) -> impl Iterator<Item = BTreeSet<&str>> {
    let mut groups: BTreeMap<(&str, &str, &str), BTreeSet<&str>> = BTreeMap::new();
    for callable in sources.callables.iter().filter(|it| it.cfgs.is_empty()) {
        let (Some(owner), Some((word, _))) = (&callable.owner, callable.name.split_once('_'))
        else {
            continue;
        };
        if callable.is_method && callable.parameters.is_empty() {
            let returns = callable.returns.split('<').next().unwrap_or_default();
            let group = groups.entry((owner, word, returns)).or_default();
            group.insert(&callable.name);
        }
    }
    groups.into_values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust::read_text;

    #[test]
    fn fields_of_one_type_are_siblings_whatever_its_arguments() {
        let text = "struct S { v4: Set<A>, v6: Set<B>, name: String }";
        let kin = kin(&read_text(text));
        assert_eq!(kin.alike["v4"], BTreeSet::from(["v6".to_owned()]));
        assert_eq!(kin.alike["name"], BTreeSet::new());
    }

    #[test]
    fn types_of_other_crates_have_the_names_that_the_subject_uses() {
        let text = "fn f(m: &Method) -> bool { m == Method::GET || g(Method::HEAD) }
            fn g(m: Method) -> bool { m == http::Method::GET && Method::new(1) }";
        let kin = kin(&read_text(text));
        assert_eq!(kin.of_types["Method"], ["GET", "HEAD"]);
    }
}
