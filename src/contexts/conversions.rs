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
    let text = &sources.files[site.file].text;
    if let Some(pointer) = name.strip_prefix('*') {
        // Where it is behind a member, somebody must have looked there.
        let is_member = pointer.contains(['.', '>']);
        return !is_member || text.contains(name) || text.contains(&format!("{pointer}["));
    }
    let needs = name.starts_with("strlen(") || name.starts_with('"');
    !needs || text.contains("string.h")
}

/// Where a length comes from: to count it is a call, unless it is counted nearby, too.
pub fn origin(sources: &Sources, site: &Site, name: &str, origin: Origin) -> Origin {
    let is_near = || {
        let function = &sources.functions[site.function];
        function
            .expressions
            .iter()
            .any(|found| found.text.contains(name))
    };
    match origin {
        Origin::Query if name.starts_with("strlen(") && !is_near() => Origin::Call,
        origin => origin,
    }
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
        term.reading = if is_character {
            Reading::Character
        } else {
            Reading::Promoted
        };
        term.constant = term
            .constant
            .take()
            .and_then(|value| value.converted(operand));
        term.ty = operand;
    }
}

/// The value of a term where a context was recorded.
pub fn read(term: &Term, context: &Context) -> Option<Value> {
    let read = |text: &str| context.values.get(text);
    match term.reading {
        Reading::Exact => read(&term.text).cloned(),
        Reading::Quoted => read(&format!("\"{}\"", term.text)).cloned(),
        Reading::Promoted | Reading::Character | Reading::Flag | Reading::Converted => {
            read(&term.text)?.converted(term.ty)
        }
    }
}

/// The terms that are others converted: each number in the wider types of the others, and as a truth
/// where the old condition asks for it or that is all it says.
pub fn conversions(tree: Option<&Node>, pool: &Pool) -> Vec<Term> {
    let numbers = || {
        pool.terms
            .iter()
            .filter(|term| matches!(term.ty, Type::Int(_) | Type::F64))
    };
    let types: BTreeSet<Type> = numbers().map(|term| term.ty).collect();
    let mut asked = Vec::new();
    if let Some(tree) = tree {
        truths(tree, &mut asked);
    }
    let mut terms = Vec::new();
    let converted = |term: &Term, ty: Type| Term {
        ty,
        reading: Reading::Converted,
        constant: term.constant.as_ref().and_then(|value| value.converted(ty)),
        ..term.clone()
    };
    for term in numbers() {
        let is_number = !matches!(term.reading, Reading::Character | Reading::Flag);
        for ty in types.iter().filter(|_| is_number) {
            if *ty != term.ty && common(*ty, term.ty) == Some(*ty) {
                terms.push(converted(term, *ty));
            }
        }
        let is_asked = asked.iter().any(|leaf| leaf.text == term.text);
        if is_asked || term.reading == Reading::Flag {
            terms.push(converted(term, Type::Bool));
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

/// Finds the numbers that only say yes or no: somewhere in the file their truth is asked for, and they never
/// were anything but 0 and 1.
pub fn mark_flags(sources: &Sources, site: &Site, pool: &mut Pool, recorded: &Recorded) {
    let truths = &sources.files[site.file].truths;
    for term in &mut pool.terms {
        let name = term.text.rsplit(['.', '>']).next().unwrap_or_default();
        let name = name.trim_end_matches("()");
        let is_number = matches!(term.ty, Type::Int(_)) && term.constant.is_none();
        if is_number && truths.contains(name) && is_truth(term, recorded) {
            term.reading = Reading::Flag;
        }
    }
}

/// Whether a number never was anything but 0 and 1.
fn is_truth(term: &Term, recorded: &Recorded) -> bool {
    let values = recorded
        .contexts()
        .filter_map(|context| read(term, context));
    values
        .map(|value| value.to_string())
        .all(|value| value == "0" || value == "1")
}
