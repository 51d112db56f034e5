//! The `Observe` impl that is generated in the module of each struct and enum of the subject, so that captures can read
//! its fields, including private ones, call its methods and test its variants.

use std::collections::BTreeSet;

use nopol_source::splice::Insertion;
use nopol_source::{Callable, DataType, Sources};

use super::Part;
use super::rust::RUNTIME;

/// Methods called per type.
const MOST_METHODS: usize = 16;

/// The methods of a type that can be called without arguments, as far as their traits are in scope.
pub fn methods<'a>(sources: &'a Sources, item: &DataType) -> Vec<&'a Callable> {
    let fits = |callable: &&Callable| {
        callable.is_method
            && !callable.is_of_distant_trait
            && callable.parameters.is_empty()
            && (item.is_copy || !callable.takes_value)
            && callable.file == item.file
            && callable.owner.as_deref() == Some(&item.name)
            && callable.cfgs.is_subset(&item.cfgs)
    };
    let mut methods: Vec<&Callable> = sources.callables.iter().filter(fits).collect();
    // A scalar says more than that there is something.
    methods.sort_by_key(|method| !method.returns_scalar());
    methods.truncate(MOST_METHODS);
    methods
}

/// The insertions that make up the impl, one per member, so that each member can be left out. The impl is in a
/// function: beside other items it would change their numbers, and all of them would be compiled again.
pub fn impl_for(
    number: usize,
    item: &DataType,
    methods: &[&Callable],
    dropped: &BTreeSet<Part>,
) -> Vec<Insertion<Part>> {
    let whole = Part::Type(number);
    if dropped.contains(&whole) {
        return Vec::new();
    }
    let DataType {
        at,
        cfg,
        parameters,
        ty,
        bounds,
        ..
    } = item;
    let mut texts = vec![(
        format!(
            " {cfg} #[allow(dead_code)] fn nopol_observer_{number}() {{ \
             impl {parameters} {RUNTIME}::Observe for {ty} {bounds} \
             {{ fn observe(&self, path: &{RUNTIME}::Path) {{ {RUNTIME}::ways!();"
        ),
        whole,
    )];
    let fields = item
        .fields
        .iter()
        .map(|(name, _)| format!(" {RUNTIME}::see_field!(path, {name:?}, self.{name});"));
    let calls = methods.iter().map(|method| {
        let name = &method.name;
        format!(" {RUNTIME}::see_method!(path, {name:?}, self.{name}());")
    });
    let variants = item.variants.iter().map(|variant| {
        let (name, rest) = (&variant.name, variant.rest);
        let is_equal = item.is_comparable && rest.is_empty();
        format!(
            " path.variant(\"{}::{name}{rest}\", {is_equal}, matches!(self, Self::{name}{rest}));",
            item.name
        )
    });
    for (nth, text) in fields.chain(calls).chain(variants).enumerate() {
        let part = Part::Member(number, nth);
        if !dropped.contains(&part) {
            texts.push((text, part));
        }
    }
    texts.push((" } } }".to_string(), whole));
    // The types of a module share the place.
    let first = i64::try_from(number).unwrap_or_default() << 16;
    (first..)
        .zip(texts)
        .map(|(order, (text, owner))| Insertion {
            at: *at,
            order,
            text,
            owner,
        })
        .collect()
}
