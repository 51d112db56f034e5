//! Candidate terms that test the start, the end and the contents of strings and byte slices, with the literals that
//! occur nearby: `name.starts_with('-')`, `bytes.first() == Some(&b'-')`.

use nopol_expr::Origin;

use super::{Generator, Operand, comparison, guess};
use crate::candidate_terms::TermText;
use crate::rust::asked::asked;

/// The longest literal, in bytes, that counts. Longer ones are messages.
const LONGEST: usize = 12;
/// Most strings and slices that are tested, nearest first.
const MOST_OPERANDS: usize = 3;
/// Most literals with which each is tested.
const MOST_LITERALS: usize = 6;

impl Generator<'_> {
    /// Tests of what strings and byte slices start and end with, and contain.
    pub(super) fn affixes(&self) -> Vec<TermText> {
        let file = &self.sources.files[self.site.file];
        // Of the file's literals, use first those with which strings are tested somewhere in the file.
        let known = asked(file);
        let is_asked =
            |literal: &&String| known.iter().any(|(_, known)| *known == literal.as_str());
        let short = file.literals.iter().filter(|it| it.len() <= LONGEST);
        let (asked, others): (Vec<&String>, Vec<&String>) = short.partition(is_asked);
        let all = self.function.literals.iter().chain(asked).chain(others);
        let mut literals: Vec<&str> = Vec::new();
        for literal in all {
            let is_new = !literals.contains(&literal.as_str());
            if literal.len() <= LONGEST && is_new && (is_text(literal) || is_byte(literal)) {
                literals.push(literal);
            }
        }
        let mut terms = Vec::new();
        let of = |wanted: &'static [&'static str]| {
            let operands = self.operands.iter();
            let fitting = operands.filter(move |operand: &&Operand| {
                let ty = operand.ty.as_ref();
                ty.is_some_and(|ty| wanted.contains(&ty.plain.as_str()))
            });
            fitting.take(MOST_OPERANDS)
        };
        // A name without a declared type may be a line of a text.
        let is_line = |operand: &&Operand| {
            let mut nearby = self.function.expressions.iter();
            let calls_of_text = [
                ".trim",
                ".lines",
                ".split",
                ".chars",
                ".strip_prefix",
                ".starts_with",
            ];
            operand.ty.is_none()
                && operand.text != "self"
                && nearby.any(|found| {
                    let calls = &found.calls;
                    let on_text =
                        |call: &String| calls_of_text.iter().any(|it| call.starts_with(it));
                    found.names.contains(&operand.text) && calls.iter().any(on_text)
                })
        };
        let lines = self.operands.iter().filter(is_line).take(1);
        for operand in lines.clone().chain(of(&["str", "String"])) {
            terms.push(guess(format!("{}.trim().is_empty()", operand.text)));
        }
        for operand in lines.chain(of(&["str", "String"])) {
            for literal in literals.iter().filter(|it| is_text(it)).take(MOST_LITERALS) {
                for method in ["starts_with", "ends_with", "contains"] {
                    terms.push(guess(format!("{}.{method}({literal})", operand.text)));
                }
            }
        }
        for operand in of(&["[u8]", "Vec<u8>"]) {
            for literal in literals.iter().take(MOST_LITERALS) {
                let byte = match literal.strip_prefix('\'') {
                    Some(_) if literal.is_ascii() => format!("b{literal}"),
                    _ if is_byte(literal) => (*literal).to_owned(),
                    _ => continue,
                };
                for method in ["first", "last"] {
                    let element = format!("{}.{method}()", operand.text);
                    terms.push(TermText {
                        origin: Origin::Guessed,
                        ..comparison(&element, "==", &format!("Some(&{byte})"))
                    });
                }
            }
        }
        terms
    }
}

fn is_text(literal: &str) -> bool {
    literal.starts_with(['"', '\'']) && literal != "\"\""
}

fn is_byte(literal: &str) -> bool {
    literal.starts_with("b'")
}
