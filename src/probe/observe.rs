//! The `Observe` impl that is generated next to each struct and enum of the subject, so that captures can read
//! its fields, including private ones, call its methods and test its variants.

use std::collections::BTreeSet;

use super::Part;
use super::rust::RUNTIME;
use crate::source::splice::Insertion;
use crate::source::{Callable, DataType, Sources};

/// Methods called per type.
const MOST_METHODS: usize = 16;

/// The methods of a type that can be called without arguments.
pub fn methods<'a>(sources: &'a Sources, item: &DataType) -> Vec<&'a Callable> {
    let fits = |callable: &&Callable| {
        callable.is_method
            && callable.parameters.is_empty()
            && (item.is_copy || !callable.takes_value)
            && callable.file == item.file
            && callable.owner.as_deref() == Some(&item.name)
    };
    sources
        .callables
        .iter()
        .filter(fits)
        .take(MOST_METHODS)
        .collect()
}

/// The insertions that make up the impl, one per member, so that each member can be left out.
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
            " {cfg} impl {parameters} {RUNTIME}::Observe for {ty} {bounds} \
             {{ fn observe(&self, path: &{RUNTIME}::Path) {{"
        ),
        whole,
    )];
    let fields = item.fields.iter().map(|(name, _)| {
        format!(
            " if let Some(path) = path.field({name:?}) {{ {RUNTIME}::see!(self.{name}, &path) }}"
        )
    });
    let calls = methods.iter().map(|method| {
        let name = &method.name;
        format!(
            " if let Some(path) = path.method({name:?}) {{ \
             if let Some(value) = {RUNTIME}::call(|| self.{name}()) {{ {RUNTIME}::see!(value, &path) }} }}"
        )
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
    texts.push((" } }".to_string(), whole));
    (0..)
        .zip(texts)
        .map(|(order, (text, owner))| Insertion {
            at: *at,
            order,
            text,
            owner,
        })
        .collect()
}
