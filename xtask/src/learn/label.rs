//! Which candidates restore what was there before a fault: the same condition, whatever its spelling, at the same
//! place.

use cargo_nopol::rank::canonical::canonical;
use cargo_nopol::rank::facts::{Candidate, Case, EditFacts};
use nopol_source::{Condition, Form, Language};

use super::faults::{Kind, Truth};

/// Whether a candidate restores what was there.
pub fn restores(case: &Case, candidate: &Candidate, truth: &Truth) -> bool {
    let [edit] = &*candidate.edits else {
        return false;
    };
    let function = &case.functions[edit.function];
    if function.name != truth.function || function.file != truth.file {
        return false;
    }
    let (from, to) = (edit.span.start.min(truth.at), edit.span.start.max(truth.at));
    let is_same_place = function
        .text
        .get(from..to)
        .is_some_and(|it| it.trim().is_empty());
    let is_same_condition = spelled(&edit.after) == spelled(&Condition::from(&*truth.condition));
    is_same_place && is_same_condition && is_form(edit, truth)
}

fn is_form(edit: &EditFacts, truth: &Truth) -> bool {
    match truth.kind {
        Kind::GuardDropped => {
            edit.kind.form() == Form::Leave && bare(&edit.body) == bare(&truth.body)
        }
        Kind::Unwrapped => {
            edit.kind.form() == Form::Wrap && bare(&edit.before) == bare(&truth.body)
        }
        _ => edit.kind.form() == Form::Replace,
    }
}

/// Statements without white space and without the last semicolon.
fn bare(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.trim_end_matches(';').to_owned()
}

/// The condition of a Rust program in one spelling.
fn spelled(condition: &Condition) -> String {
    canonical(Language::Rust, condition)
}
