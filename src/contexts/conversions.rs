//! The terms of C: what was read has a machine type, and what is written has the type that C's
//! promotions and conversions make of it. A variable is one term by itself and one more for each wider
//! type that occurs beside it, and for its truth where that is asked for.

use std::collections::BTreeSet;

use super::Recorded;
use crate::run::trace::Context;
use crate::source::c::conversions::{common, promoted};
use crate::source::condition::{Leaf, Node, Shape};
use crate::source::{Site, Sources};
use crate::spec::{Binding, Origin, Pool, Reading, Term, Type, Value};

/// Whether what the runtime read of a string can be said: only with `string.h`, and its length only in
/// words of that. The empty string is asked for by its first character.
pub fn can_be_said(sources: &Sources, site: &Site, name: &str) -> bool {
    let needs = name.starts_with("strlen(") || name.starts_with('"');
    !needs || sources.files[site.file].text.contains("string.h")
}

/// Gives a term the type it has as an operand. A string is read under its name in quotes.
pub fn promote(term: &mut Term) {
    if term.ty == Type::Str {
        term.text = term.text.trim_matches('"').to_owned();
        term.reading = Reading::Quoted;
        term.binding = Binding::Atom;
        return;
    }
    let operand = promoted(term.ty);
    if operand != term.ty {
        let is_character = term.ty.name() == "i8";
        term.reading = if is_character { Reading::Character } else { Reading::Promoted };
        term.constant = term.constant.take().and_then(|value| value.converted(operand));
        term.ty = operand;
    }
}

/// The value of a term where a context was recorded.
pub fn read(term: &Term, context: &Context) -> Option<Value> {
    let read = |text: &str| context.values.get(text);
    match term.reading {
        Reading::Exact => read(&term.text).cloned(),
        Reading::Quoted => read(&format!("\"{}\"", term.text)).cloned(),
        Reading::Promoted | Reading::Character | Reading::Converted => {
            read(&term.text)?.converted(term.ty)
        }
    }
}

/// The terms that are others converted: each number in the wider types of the others, and as a truth
/// where the old condition asks for it or it never was anything but 0 and 1.
pub fn conversions(
    tree: Option<&Node>,
    pool: &Pool,
    recorded: &Recorded,
) -> Vec<Term> {
    let numbers = || pool.terms.iter().filter(|term| matches!(term.ty, Type::Int(_) | Type::F64));
    let types: BTreeSet<Type> = numbers().map(|term| term.ty).collect();
    let mut asked = Vec::new();
    if let Some(tree) = tree {
        truths(tree, &mut asked);
    }
    let mut terms = Vec::new();
    let converted = |term: &Term, ty: Type, seen_in: Vec<usize>| Term {
        ty,
        seen_in,
        reading: Reading::Converted,
        constant: term.constant.as_ref().and_then(|value| value.converted(ty)),
        ..term.clone()
    };
    for term in numbers() {
        for ty in &types {
            if *ty != term.ty && common(*ty, term.ty) == Some(*ty) {
                terms.push(converted(term, *ty, Vec::new()));
            }
        }
        let is_asked = asked.iter().any(|leaf| leaf.text == term.text);
        let may_be = term.constant.is_none() && matches!(term.origin, Origin::Variable | Origin::Field | Origin::Call);
        if is_asked || may_be && is_truth(term, recorded) {
            terms.push(converted(term, Type::Bool, Vec::new()));
        }
    }
    terms
}

/// The leaves whose truth a condition asks for.
fn truths<'t>(node: &'t Node, found: &mut Vec<&'t Leaf>) {
    match &node.shape {
        Shape::Leaf(leaf) => found.push(leaf),
        Shape::Not(a) => truths(a, found),
        Shape::And(a, b) | Shape::Or(a, b) => {
            truths(a, found);
            truths(b, found);
        }
        Shape::Cmp(..) | Shape::Arith(..) => {}
    }
}

/// Whether a number never was anything but 0 and 1, and was both.
fn is_truth(term: &Term, recorded: &Recorded) -> bool {
    let values = recorded.contexts().filter_map(|context| read(term, context));
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for value in values {
        seen.insert(value.to_string());
        if seen.len() > 2 {
            return false;
        }
    }
    seen.len() == 2 && seen.contains("0") && seen.contains("1")
}
