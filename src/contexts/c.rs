//! The terms of C: what was read has a machine type, and what is written has the type that C's
//! promotions and conversions make of it. A variable is one term by itself and one more for each wider
//! type that occurs beside it, and for its truth where that is asked for.

use std::collections::BTreeSet;

use super::operands::{Conversions, Operands};
use crate::source::c::conversions::{common, promoted};
use crate::source::condition::{Leaf, Node, Shape};
use crate::source::{Site, Sources, write};
use crate::spec::access::Prefix;
use crate::spec::{Access, Binding, Origin, Pool, Query, Reading, Term, TermId, Type};

pub struct C;

impl Operands for C {
    /// What the runtime read of a string can be said only with `string.h`, and its length only in words
    /// of that. The empty string is asked for by its first character.
    fn can_be_said(&self, sources: &Sources, site: &Site, access: &Access) -> bool {
        let text = &sources.files[site.file].text;
        if let Access::Prefix(Prefix::Deref, pointer) = access.plain() {
            // Where it is behind a member, somebody must have looked there.
            let is_member = pointer.outline().has_member();
            let is_there = || {
                let element = format!("{}[", write::text(pointer));
                text.contains(&write::text(access)) || text.contains(&element)
            };
            return !is_member || is_there();
        }
        let of_string = |access: &Access| {
            matches!(
                access,
                Access::Contents(_) | Access::Query(_, Query::StringLength)
            )
        };
        !access.spine().any(of_string) || text.contains("string.h")
    }

    /// Nobody asks how long it is what a call returns.
    fn has_parts(&self, offered: &Access) -> bool {
        !offered.outline().has_call()
    }

    /// To count a length is a call, unless it is counted nearby, too.
    fn origin(&self, sources: &Sources, site: &Site, access: &Access, origin: Origin) -> Origin {
        let is_length = |access: &Access| matches!(access, Access::Query(_, Query::StringLength));
        let is_near = || {
            let function = &sources.functions[site.function];
            let text = write::text(access);
            let mut expressions = function.expressions.iter();
            expressions.any(|found| found.text.contains(&text))
        };
        match origin {
            Origin::Query if access.spine().any(is_length) && !is_near() => Origin::Call,
            origin => origin,
        }
    }

    /// A string is written as the pointer to it.
    fn promote(&self, term: &mut Term) {
        if term.ty == Type::Str {
            if let Access::Contents(pointer) = &term.access {
                term.access = (**pointer).clone();
            }
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

    fn conversions(&self, at: &Conversions, pool: &mut Pool) -> Vec<Term> {
        mark_flags(at, pool);
        conversions(at.tree, pool)
    }

    /// What has another type than is asked for has it by itself, and is converted there.
    fn choose(
        &self,
        pool: &Pool,
        found: &[(TermId, Type)],
        expected: Option<Type>,
    ) -> Option<(TermId, Type)> {
        let own = |(term, ty): &&(TermId, Type)| pool.terms[*term].is_typed() && *ty != Type::Str;
        let asked = found.iter().find(|(_, ty)| expected == Some(*ty));
        asked.or_else(|| found.iter().find(own)).copied()
    }
}

/// The terms that are others converted: each number in the wider types of the others, and as a truth
/// where the old condition asks for it or that is all it says.
fn conversions(tree: Option<&Node>, pool: &Pool) -> Vec<Term> {
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
        let is_asked = asked.iter().any(|leaf| leaf.access == term.access);
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
fn mark_flags(at: &Conversions, pool: &mut Pool) {
    let truths = &at.sources.files[at.site.file].truths;
    for term in &mut pool.terms {
        let is_number = matches!(term.ty, Type::Int(_)) && term.constant.is_none();
        let is_asked = || {
            term.access
                .last_name()
                .is_some_and(|name| truths.contains(name))
        };
        if is_number && is_asked() && is_truth(term, at) {
            term.reading = Reading::Flag;
        }
    }
}

/// Whether a number never was anything but 0 and 1.
fn is_truth(term: &Term, at: &Conversions) -> bool {
    let column = at.captures.column(term);
    let contexts = at.recorded.contexts();
    let values = contexts.filter_map(|context| column.value(context));
    values
        .map(|value| value.to_string())
        .all(|value| value == "0" || value == "1")
}
