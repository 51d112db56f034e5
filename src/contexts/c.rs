//! Operands of C. Recorded values have machine types; written operands have the types that result from C's
//! promotions and conversions. A variable is one term, plus one per wider type of the other operands, plus
//! one for its truth value where the condition tests that.

use std::collections::BTreeSet;

use nopol_expr::access::Prefix;
use nopol_expr::{Access, Binding, Origin, Pool, Query, Reading, Term, TermId, Type};
use nopol_source::c::conversions::{common, promoted};
use nopol_source::condition::{Leaf, Node, Shape};
use nopol_source::{Site, Sources, write};

use super::operands::{Conversions, Operands};

/// The operands of C.
pub struct C;

impl Operands for C {
    /// The contents and the length of a string need `string.h`. Whether a string is empty is tested by its
    /// first character.
    fn is_expressible(&self, sources: &Sources, site: &Site, access: &Access) -> bool {
        let text = &sources.files[site.file].text;
        if let Access::Prefix(Prefix::Deref, pointer) = access.plain() {
            // A member is dereferenced only if the file does so, too, and so is the text of a number.
            let is_member = pointer.outline().has_member();
            let is_number = || {
                let of_function = text.get(sources.functions[site.function].span.clone());
                is_text_of_number(of_function.unwrap_or(""), &write::text(pointer))
            };
            let is_read = || {
                let element = format!("{}[", write::text(pointer));
                text.contains(&write::text(access)) || text.contains(&element)
            };
            return !(is_member || is_number()) || is_read();
        }
        let of_string = |access: &Access| {
            matches!(
                access,
                Access::Contents(_) | Access::Query(_, Query::StringLength)
            )
        };
        !access.spine().any(of_string) || text.contains("string.h")
    }

    /// Conditions do not query the results of calls.
    fn offers_parts(&self, offered: &Access) -> bool {
        !offered.outline().has_call()
    }

    /// `strlen` counts as a call unless the function calls it with the same argument.
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
        mark_flags_and_signs(at, pool);
        conversions(at.tree, pool)
    }

    /// A leaf is the term of the expected type, or else the term of its own type, which C converts. A pointer has no
    /// value to compute with, but it can be asked whether it is null.
    fn choose(
        &self,
        pool: &Pool,
        found: &[(TermId, Type)],
        expected: Option<Type>,
    ) -> Option<(TermId, Type)> {
        let own = |(term, ty): &&(TermId, Type)| {
            let term = &pool.terms[*term];
            term.is_typed() && !term.is_presence() && *ty != Type::Str
        };
        let exact = found.iter().find(|(_, ty)| expected == Some(*ty));
        exact.or_else(|| found.iter().find(own)).copied()
    }
}

/// Whether a function reads a number from a text: what counts is the number then, and not the text's first character.
fn is_text_of_number(function: &str, pointer: &str) -> bool {
    let readers = [
        "atoi", "atol", "atoll", "atof", "strtol", "strtoll", "strtoul", "strtoull", "strtod",
        "strtof", "strtold", "sscanf",
    ];
    let squeezed: String = function.split_whitespace().collect();
    readers.iter().any(|reader| {
        [",", ")"]
            .iter()
            .any(|end| squeezed.contains(&format!("{reader}({pointer}{end}")))
    })
}

/// Converted terms: each number in the wider types of the other numbers, and as a truth value if the original
/// condition tests it or it is a flag.
fn conversions(tree: Option<&Node>, pool: &Pool) -> Vec<Term> {
    let numbers = || {
        pool.terms
            .iter()
            .filter(|term| matches!(term.ty, Type::Int(_) | Type::F64))
    };
    let types: BTreeSet<Type> = numbers().map(|term| term.ty).collect();
    let mut tested = Vec::new();
    if let Some(tree) = tree {
        truths(tree, &mut tested);
    }
    let mut terms = Vec::new();
    let converted = |term: &Term, ty: Type| Term {
        ty,
        reading: Reading::Converted,
        constant: term.constant.as_ref().and_then(|value| value.converted(ty)),
        ..term.clone()
    };
    for term in numbers() {
        let is_number = !matches!(
            term.reading,
            Reading::Character | Reading::Flag | Reading::Sign
        );
        for ty in types.iter().filter(|_| is_number) {
            if *ty != term.ty && common(*ty, term.ty) == Some(*ty) {
                terms.push(converted(term, *ty));
            }
        }
        let is_tested = tested.iter().any(|leaf| leaf.access == term.access);
        if is_tested || term.reading == Reading::Flag {
            terms.push(converted(term, Type::Bool));
        }
    }
    terms
}

/// The leaves that a condition tests for truth.
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

/// Marks the signs, and the flags: numbers that the file tests for truth and that are 0 or 1 in every recorded context.
fn mark_flags_and_signs(at: &Conversions, pool: &mut Pool) {
    let truths = &at.sources.files[at.site.file].truths;
    for term in &mut pool.terms {
        let is_number = matches!(term.ty, Type::Int(_)) && term.constant.is_none();
        let is_tested = || {
            let name = term.access.last_name().or_else(|| term.access.called());
            name.is_some_and(|name| truths.contains(name))
        };
        if is_number && term.access.is_sign() {
            term.reading = Reading::Sign;
        } else if is_number && is_tested() && is_zero_or_one(term, at) {
            term.reading = Reading::Flag;
        }
    }
}

/// Whether a number is 0 or 1 in every recorded context.
fn is_zero_or_one(term: &Term, at: &Conversions) -> bool {
    let column = at.captures.column(term);
    let contexts = at.recorded.contexts();
    let values = contexts.filter_map(|context| column.value(context));
    values
        .map(|value| value.to_string())
        .all(|value| value == "0" || value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_that_of_a_number_if_one_is_read_from_it() {
        let of = |function: &str| is_text_of_number(function, "argv[1]");
        assert!(of("{ n = atoi( argv[1] ); }") && of("{ sscanf(argv[1], \"%d\", &n); }"));
        assert!(!of("{ n = atoi(argv[2]); puts(argv[1]); }") && !of("{ n = atoi(argv[1] + 2); }"));
    }
}
