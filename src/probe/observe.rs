//! The impl generated beside each struct of the subject, so that captures can read its fields,
//! private ones too.

use std::collections::BTreeSet;

use super::{Part, RUNTIME};
use crate::source::Struct;
use crate::source::splice::Insertion;

/// The insertions that make up the impl, field by field, so that each can be left out.
pub fn impl_for(number: usize, item: &Struct, dropped: &BTreeSet<Part>) -> Vec<Insertion<Part>> {
    let whole = Part::Struct(number);
    if dropped.contains(&whole) {
        return Vec::new();
    }
    let Struct {
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
    for (nth, name) in item.fields.iter().enumerate() {
        let part = Part::Field(number, nth);
        if !dropped.contains(&part) {
            texts.push((
                format!(
                    " if let Some(path) = path.field({name:?}) {{ {RUNTIME}::see!(self.{name}, &path) }}"
                ),
                part,
            ));
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
