//! Mutations of constants: other constants, and at level 3 variables; and of pointers, which are moved by numbers.

use std::collections::HashSet;

use nopol_program::ir::{
    BinaryOp, ChoiceId, Dialect, Expr, ExprKind, Lvalue, Overflow, Scalar, Span, UnaryOp, Variant,
};
use nopol_program::visit::variable_of;
use nopol_program::written::{Operation, Operator};

use super::operators::Level;
use super::rewrite::Text;
use super::space::{AnyNumber, MutationEdit, Mutator};

impl<'a> Mutator<'a> {
    /// Constants in place of a constant, and where that is written.
    pub(super) fn numbers(
        &mut self,
        text: Text<'a>,
        expr: &Expr,
        value: i128,
    ) -> (Vec<(MutationEdit, Variant)>, Option<Span>) {
        let (Some(literal), Scalar::Int(kind)) = (text.literal(expr, value), expr.ty) else {
            return (Vec::new(), None);
        };
        if self.level < Level::Two {
            return (Vec::new(), None);
        }
        let range = literal.0.clone();
        let at = text.span(range.start + literal.1.sign..range.end);
        let written = &self.original.written;
        let not = written.item(at).map_or(&[][..], |item| &item.not);
        // Unsigned numbers wrap in C, and so does a sign before one. In Rust what does not fit is not a number of the type.
        let wraps = text.dialect == Dialect::C && !kind.signed;
        let mut others: Vec<(i128, i128)> = [value + 1, value - 1, -value, 0]
            .into_iter()
            .map(|other| (other, expr.ty.wrap(other)))
            .collect();
        others.retain(|(other, meant)| *meant != value && (wraps || meant == other));
        others.retain(|(_, meant)| !not.contains(meant));
        let mut seen = HashSet::new();
        others.retain(|(_, meant)| seen.insert(*meant));
        let variants = others.into_iter().map(|(other, meant)| {
            let constant = Expr {
                kind: ExprKind::Constant(meant),
                ..expr.clone()
            };
            let edit = text.number(&literal, other, expr);
            (edit, Variant::Instead(Box::new(constant)))
        });
        let mut variants: Vec<_> = variants.collect();
        if variants.is_empty() {
            self.settled(at);
        }
        if self.level == Level::Three {
            variants.extend(self.variables(text, range.clone(), expr));
            if self.has_any {
                variants.push((text.any_number(literal, expr), Variant::Any));
            }
        }
        (variants, Some(at))
    }

    /// Other numbers in place of the 1 of `++` and `--`.
    pub(super) fn step(
        &mut self,
        text: Text<'a>,
        operation: &Operation,
        of: &Expr,
        one: &mut Expr,
    ) {
        let Some(step) = operation.step.filter(|_| self.level >= Level::Two) else {
            return;
        };
        // What is cut off when it is assigned is not there any more.
        let goes_back = matches!(of.kind, ExprKind::Load(_));
        let number = match &mut one.kind {
            ExprKind::Unary(UnaryOp::Neg(_), inner) => &mut **inner,
            _ => one,
        };
        if !matches!(number.kind, ExprKind::Constant(1)) {
            return;
        }
        let variants = [2, 0, -1].into_iter().filter_map(|other| {
            let edit = text.step(operation, other, goes_back)?;
            let constant = Expr {
                kind: ExprKind::Constant(number.ty.wrap(other)),
                ..number.clone()
            };
            Some((edit, Variant::Instead(Box::new(constant))))
        });
        let variants = variants.collect();
        self.choose_at(number, Some(step.whole), None, variants);
    }

    /// A pointer moved the other way. `by` is how far, with its sign.
    pub(super) fn other_way(
        &mut self,
        text: Text<'a>,
        operation: &Operation,
        pointer: &Expr,
        by: &mut Expr,
    ) {
        let (old, new) = match operation.operator {
            Operator::Binary(BinaryOp::Add) => (BinaryOp::Add, BinaryOp::Sub),
            _ => (BinaryOp::Sub, BinaryOp::Add),
        };
        let nowhere = Span {
            end: by.span.start,
            ..by.span
        };
        // A pointer cannot be taken from a number.
        let is_first = operation.step.is_some()
            || operation.operands.as_ref().is_some_and(|[left, right]| {
                let within = |inner: Span, outer: Span| {
                    let is_inside = outer.start <= inner.start && inner.end <= outer.end;
                    inner.file == outer.file && is_inside
                };
                within(pointer.span, left.span) || within(by.span, right.span)
            });
        if !is_first {
            let is_swapped = operation.operands.as_ref().is_some_and(|[left, right]| {
                pointer.span.start >= right.span.start && by.span.start >= left.span.start
            });
            if is_swapped {
                self.settled(operation.at);
            }
            return;
        }
        let (ty, span) = (by.ty, by.span);
        let zero = Expr {
            kind: ExprKind::Constant(0),
            ty,
            span: nowhere,
        };
        let empty = Expr {
            kind: ExprKind::Null,
            ty,
            span,
        };
        let mut moved = std::mem::replace(by, empty);
        if old == BinaryOp::Sub {
            match moved.kind {
                ExprKind::Unary(UnaryOp::Neg(_), inner) => moved = *inner,
                _ => {
                    *by = moved;
                    return;
                }
            }
        }
        let edit = text.operator(operation, (pointer, &moved), new, None);
        by.kind = ExprKind::Binary(old, Overflow::Wraps, Box::new(zero), Box::new(moved));
        let variants = edit.map(|edit| (edit, Variant::Operator(new)));
        self.choose_at(by, Some(operation.at), None, variants.into_iter().collect());
    }

    /// Variables in place of a variable.
    pub(super) fn operands(&self, text: Text<'a>, expr: &Expr) -> Vec<(MutationEdit, Variant)> {
        match (&expr.kind, text.range(expr)) {
            (ExprKind::Load(from), Some(range)) if expr.ty != Scalar::Pointer => {
                let name = match **from {
                    Lvalue::Variable(variable) => Some(&*self.original.variables[variable].name),
                    _ => None,
                };
                if !name.is_some_and(|name| text.is_named(expr, name)) {
                    return Vec::new();
                }
                self.variables(text, range, expr)
            }
            _ => Vec::new(),
        }
    }

    /// Notes a pointer or a reference in a variable if another variable of its type is in scope: it would often have to be
    /// written otherwise, and what becomes of it is not followed.
    pub(super) fn note_pointer(&mut self, text: Text<'a>, expr: &Expr) {
        let ExprKind::Load(from) = &expr.kind else {
            return;
        };
        let Some(variable) = variable_of(from).filter(|_| expr.ty == Scalar::Pointer) else {
            return;
        };
        let is_named = text.is_named(expr, &self.original.variables[variable].name);
        if is_named && self.scopes.has_another(self.original, variable) {
            self.pointers.insert(expr.span);
        }
    }

    /// The variables that may stand where an expression is.
    fn variables(
        &self,
        text: Text<'a>,
        range: std::ops::Range<usize>,
        expr: &Expr,
    ) -> Vec<(MutationEdit, Variant)> {
        let own = text.text.get(range.clone()).unwrap_or_default();
        let named = self.scopes.of_type(self.original, expr.ty);
        named
            .filter(|(_, name)| *name != own)
            .map(|(variable, name)| {
                let other = Expr {
                    kind: ExprKind::Load(Box::new(Lvalue::Variable(variable))),
                    ..expr.clone()
                };
                let edit = text.replaced(range.clone(), name);
                (edit, Variant::Instead(Box::new(other)))
            })
            .collect()
    }

    /// A choice of any number is one of a number that no other choice brings.
    pub(super) fn tell_numbers_apart(&mut self, expr: &Expr, choices: &[(ChoiceId, Variant)]) {
        let ExprKind::Constant(original) = expr.kind else {
            return;
        };
        let any = choices
            .iter()
            .find(|(_, variant)| matches!(variant, Variant::Any));
        let Some((any, _)) = any else {
            return;
        };
        let constant = |(choice, variant): &(ChoiceId, Variant)| match variant {
            Variant::Instead(other) => match other.kind {
                ExprKind::Constant(value) => Some((*choice, value)),
                _ => None,
            },
            _ => None,
        };
        let (others, mut not): (Vec<_>, Vec<_>) = choices.iter().filter_map(constant).unzip();
        not.push(original);
        self.choices[*any].number = Some(AnyNumber {
            ty: expr.ty,
            not,
            others,
        });
    }
}
