//! Mutations of level 3 that rearrange what is there: an index off by one, two arguments swapped, a clause of another condition
//! of the function added. None is in the papers.

use std::collections::HashSet;

use nopol_program::ir::{
    BinaryOp, Expr, ExprKind, LogicalOp, Lvalue, Overflow, Scalar, VariableId, Variant,
};
use nopol_scalar::Precedence;

use super::operators::Level;
use super::rewrite::precedence_of;
use super::space::{MutationEdit, Mutator};

/// Most clauses that are added to one condition.
const MOST_CLAUSES: usize = 12;

impl Mutator<'_> {
    /// The index before this one, and the one after it. `original` is the index without choices.
    pub(super) fn off_by_one(&mut self, index: &mut Expr, original: &Expr) {
        if self.level < Level::Three || !can_be_moved(original) {
            return;
        }
        let variants: Vec<(MutationEdit, Variant)> = [(BinaryOp::Add, "+"), (BinaryOp::Sub, "-")]
            .into_iter()
            .filter_map(|(op, token)| {
                let text = self.text(original.span)?;
                let range = text.range(original)?;
                let own = text.text.get(range.clone())?;
                let edit = text.replaced(range, &format!("{own} {token} 1"));
                let one = constant(1, original);
                Some((edit, instead(op, Overflow::Fault, original.clone(), one)))
            })
            .collect();
        self.choose(index, variants);
    }

    /// Two arguments of a call in each other's place. `originals` are the arguments without choices.
    pub(super) fn swapped(&mut self, arguments: &mut [Expr], originals: &[Expr]) {
        if self.level < Level::Three {
            return;
        }
        for first in 0..originals.len() {
            for second in first + 1..originals.len() {
                let (a, b) = (&originals[first], &originals[second]);
                let fits = a.ty == b.ty && has_no_effects(a) && has_no_effects(b);
                let Some(edit) = fits.then(|| self.swap(a, b)).flatten() else {
                    continue;
                };
                let (a, b) = (Box::new(a.clone()), Box::new(b.clone()));
                self.choose(
                    &mut arguments[first],
                    vec![(edit.clone(), Variant::Instead(b))],
                );
                self.choose(&mut arguments[second], vec![(edit, Variant::Instead(a))]);
            }
        }
    }

    fn swap(&self, a: &Expr, b: &Expr) -> Option<MutationEdit> {
        let text = self.text(a.span)?;
        let (first, second) = (text.range(a)?, text.range(b)?);
        let between = text.text.get(first.end..second.start)?;
        let of = |range: std::ops::Range<usize>| text.text.get(range);
        let (one, other) = (of(first.clone())?, of(second.clone())?);
        // A receiver is not an argument, and what differs only in parentheses stays as it is.
        let is_list = between.trim_start().starts_with(',') && between.trim_end().ends_with(',');
        (is_list && one != other).then(|| {
            let swapped = [other, between, one].concat();
            text.replaced(first.start..second.end, &swapped)
        })
    }

    /// A condition with a clause of another condition of the function, by either connective.
    pub(super) fn with_clauses(&mut self, condition: &mut Expr, original: &Expr) {
        if self.level < Level::Three || !has_no_effects(original) {
            return;
        }
        let Some(own) = self.written(original) else {
            return;
        };
        let clauses = self.clauses.clone();
        let mut variants = Vec::new();
        let mut seen = HashSet::new();
        for clause in &clauses {
            let Some(added) = self.written(clause) else {
                continue;
            };
            let is_other = !own.contains(&added) && self.is_in_scope(clause);
            if seen.len() == MOST_CLAUSES || !is_other || !seen.insert(added.clone()) {
                continue;
            }
            for (op, strict, token) in [
                (LogicalOp::And, BinaryOp::And, "&&"),
                (LogicalOp::Or, BinaryOp::Or, "||"),
            ] {
                let binds = Precedence::of_logical(op);
                let is_bare =
                    precedence_of(original).is_none_or(|within| within.is_bare_within(binds));
                let left = if is_bare {
                    own.clone()
                } else {
                    format!("({own})")
                };
                let edit = self.text(original.span).and_then(|text| {
                    let range = text.range(original)?;
                    Some(text.replaced(range, &format!("{left} {token} {added}")))
                });
                if let Some(edit) = edit {
                    // Both are evaluated: a clause has neither effects nor faults.
                    let both = instead(strict, Overflow::Wraps, original.clone(), clause.clone());
                    variants.push((edit, both));
                }
            }
        }
        self.choose(condition, variants);
    }

    fn written(&self, expr: &Expr) -> Option<String> {
        let text = self.text(expr.span)?;
        Some(text.text.get(text.range(expr)?)?.to_owned())
    }

    /// Whether all variables that an expression names have their meaning here.
    fn is_in_scope(&self, expr: &Expr) -> bool {
        let mut named = Vec::new();
        variables(expr, &mut named);
        named
            .iter()
            .all(|variable| self.scopes.has(self.original, *variable))
    }
}

/// The clauses of a condition that may stand elsewhere: comparisons without effects and faults.
pub(super) fn clauses_of(condition: &Expr, clauses: &mut Vec<Expr>) {
    match &condition.kind {
        ExprKind::Logical(_, _, a, b) => {
            clauses_of(a, clauses);
            clauses_of(b, clauses);
        }
        ExprKind::Binary(..) if condition.ty == Scalar::Bool && has_no_faults(condition) => {
            clauses.push(condition.clone());
        }
        _ => {}
    }
}

fn instead(op: BinaryOp, overflow: Overflow, a: Expr, b: Expr) -> Variant {
    let (ty, span) = (a.ty, a.span);
    Variant::Instead(Box::new(Expr {
        kind: ExprKind::Binary(op, overflow, Box::new(a), Box::new(b)),
        ty,
        span,
    }))
}

fn constant(value: i128, like: &Expr) -> Expr {
    Expr {
        kind: ExprKind::Constant(value),
        ..like.clone()
    }
}

/// Whether `+ 1` can be written behind an index.
fn can_be_moved(index: &Expr) -> bool {
    let is_sum = |expr: &Expr| match &expr.kind {
        ExprKind::Load(_) => true,
        ExprKind::Binary(op, ..) => matches!(op, BinaryOp::Add | BinaryOp::Sub),
        _ => false,
    };
    let written = match &index.kind {
        ExprKind::Cast(of) => of,
        _ => index,
    };
    // A literal next to a sign changes by itself.
    let has_literal = matches!(&written.kind, ExprKind::Binary(_, _, _, b) if matches!(b.kind, ExprKind::Constant(_)));
    matches!(index.ty, Scalar::Int(_)) && is_sum(written) && !has_literal && has_no_effects(index)
}

fn has_no_effects(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Null => true,
        ExprKind::Load(of) | ExprKind::Address(of, _) => has_plain_parts(of, &has_no_effects),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => has_no_effects(a),
        ExprKind::Binary(_, _, a, b)
        | ExprKind::Logical(_, _, a, b)
        | ExprKind::Offset(a, b, _)
        | ExprKind::Distance(a, b, _) => has_no_effects(a) && has_no_effects(b),
        ExprKind::Conditional(_, a, b, c) => [a, b, c].iter().all(|part| has_no_effects(part)),
        ExprKind::Call(..) | ExprKind::Builtin(..) | ExprKind::Block(..) | ExprKind::Choice(..) => {
            false
        }
    }
}

fn has_plain_parts(of: &Lvalue, is_plain: &dyn Fn(&Expr) -> bool) -> bool {
    match of {
        Lvalue::Variable(_) => true,
        Lvalue::Deref(pointer) => is_plain(pointer),
        Lvalue::Index { array, index, .. } => has_plain_parts(array, is_plain) && is_plain(index),
        Lvalue::Field(structure, _) => has_plain_parts(structure, is_plain),
    }
}

fn has_no_faults(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Null => true,
        ExprKind::Load(of) => is_named(of),
        ExprKind::Cast(a) => has_no_faults(a),
        ExprKind::Binary(op, _, a, b) => {
            let compares = op.comparison().is_some();
            compares && a.ty != Scalar::Pointer && has_no_faults(a) && has_no_faults(b)
        }
        _ => false,
    }
}

fn is_named(of: &Lvalue) -> bool {
    match of {
        Lvalue::Variable(_) => true,
        Lvalue::Field(structure, _) => is_named(structure),
        Lvalue::Deref(_) | Lvalue::Index { .. } => false,
    }
}

fn variables(expr: &Expr, named: &mut Vec<VariableId>) {
    fn of_lvalue(of: &Lvalue, named: &mut Vec<VariableId>) {
        match of {
            Lvalue::Variable(variable) => named.push(*variable),
            Lvalue::Field(structure, _) => of_lvalue(structure, named),
            Lvalue::Deref(_) | Lvalue::Index { .. } => {}
        }
    }
    match &expr.kind {
        ExprKind::Load(of) => of_lvalue(of, named),
        ExprKind::Cast(a) => variables(a, named),
        ExprKind::Binary(_, _, a, b) => {
            variables(a, named);
            variables(b, named);
        }
        _ => {}
    }
}
