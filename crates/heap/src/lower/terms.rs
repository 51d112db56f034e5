//! Lowers expressions and what is assigned to.

use nopol_program::ir::{
    BinaryOp, Builtin, Expr, ExprKind, Initially, Lvalue, Outside, Overflow, PointerKind, Scalar,
    Shape, Span, UnaryOp,
};

use super::{Lowering, number};
use crate::ir::{Atom, Compared, Filling, Leaf, Path, Term, Type, VariableId, fit};
use crate::outline::contains;

/// The leaves and comparisons of a statement that is being lowered.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) leaves: Vec<Leaf>,
    pub(super) comparisons: Vec<Compared>,
}

impl Parts {
    /// A new leaf.
    pub(super) fn leaf(&mut self, atom: Atom, ty: Type, span: Option<Span>) -> Term {
        self.leaf_as(atom, ty, PointerKind::Raw, span)
    }

    /// A new leaf where this kind of pointer is expected.
    pub(super) fn leaf_as(
        &mut self,
        atom: Atom,
        ty: Type,
        access: PointerKind,
        span: Option<Span>,
    ) -> Term {
        self.leaves.push(Leaf {
            atom,
            ty,
            access,
            span,
        });
        Term::Leaf(self.leaves.len() - 1)
    }
}

impl Lowering<'_> {
    /// Lowers an expression to a term; `wanted` is the type of what it is assigned to or compared with.
    pub(super) fn term(
        &mut self,
        expr: &Expr,
        wanted: Option<Type>,
        parts: &mut Parts,
    ) -> Result<Term, Outside> {
        match expr.kind {
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Conditional(..) => {
                self.within(expr.span, |this| this.any_term(expr, wanted, parts))
            }
            _ => self.any_term(expr, wanted, parts),
        }
    }

    /// Lowers the operands of what is written here.
    pub(super) fn within<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.operation.replace(span);
        let lowered = lower(self);
        self.operation = before;
        lowered
    }

    fn any_term(
        &mut self,
        expr: &Expr,
        wanted: Option<Type>,
        parts: &mut Parts,
    ) -> Result<Term, Outside> {
        let ty = number(expr.ty);
        match &expr.kind {
            ExprKind::Constant(value) => {
                let Some(ty) = ty else {
                    return self.outside(expr.span, "a number is used as a pointer");
                };
                let atom = Atom::Number(*value);
                let span = self.replaceable(expr.span, &atom);
                Ok(parts.leaf(atom, ty, span))
            }
            ExprKind::Null => match wanted {
                Some(ty @ Type::Pointer(_)) => {
                    let span = self.replaceable(expr.span, &Atom::Null);
                    let access = match self.text(expr.span).ends_with("None") {
                        true => PointerKind::OptionalOwned,
                        false => PointerKind::Raw,
                    };
                    Ok(parts.leaf_as(Atom::Null, ty, access, span))
                }
                _ => Ok(Term::Implied(Atom::Null)),
            },
            ExprKind::Load(lvalue) => {
                let path = self.path(lvalue, expr.span)?;
                let Some(ty) = self.routine.type_of(&path) else {
                    return self.outside(expr.span, "a value of this type is not modelled");
                };
                let access = self.routine.access(&path);
                let atom = Atom::Read(path);
                let span = self.replaceable(expr.span, &atom);
                Ok(parts.leaf_as(atom, ty, access, span))
            }
            ExprKind::Cast(inner) if inner.ty == Scalar::Bool => self.truth_value(inner, parts),
            ExprKind::Cast(inner) if expr.ty != Scalar::Bool && ty.is_some() => {
                // What stands for a literal is converted as the literal is.
                if let ExprKind::Constant(value) = inner.kind
                    && fit(expr.ty, value) == value
                {
                    let literal = Expr {
                        ty: expr.ty,
                        ..(**inner).clone()
                    };
                    return self.term(&literal, wanted, parts);
                }
                let term = self.term(inner, wanted, parts)?;
                Ok(match holds_all(expr.ty, inner.ty) {
                    true => term,
                    false => Term::Convert(expr.ty, Box::new(term)),
                })
            }
            ExprKind::Binary(op, overflow, left, right) if is_arithmetic(*op) && ty.is_some() => {
                let left = self.term(left, ty, parts)?;
                let right = self.term(right, ty, parts)?;
                Ok(Term::Arithmetic(
                    *op,
                    *overflow,
                    expr.ty,
                    Box::new(left),
                    Box::new(right),
                ))
            }
            ExprKind::Unary(op @ (UnaryOp::Neg(_) | UnaryOp::BitNot), operand) if ty.is_some() => {
                let operand = Box::new(self.term(operand, ty, parts)?);
                let (op, overflow, number) = match op {
                    UnaryOp::Neg(overflow) => (BinaryOp::Sub, *overflow, 0),
                    _ => (BinaryOp::Xor, Overflow::Wraps, -1),
                };
                let number = Box::new(Term::Implied(Atom::Number(number)));
                Ok(Term::Arithmetic(op, overflow, expr.ty, number, operand))
            }
            ExprKind::Conditional(_, condition, then, otherwise) => {
                let condition = self.condition(condition, parts)?;
                let then = self.term(then, wanted, parts)?;
                let otherwise = self.term(otherwise, wanted, parts)?;
                Ok(Term::Choose(
                    Box::new(condition),
                    Box::new(then),
                    Box::new(otherwise),
                ))
            }
            ExprKind::Block(statements, value) => {
                let is_value = std::mem::replace(&mut self.is_value, true);
                self.statements(statements, None)?;
                self.is_value = is_value;
                self.term(value, wanted, parts)
            }
            ExprKind::Call(_, function, arguments) => {
                let result = self.call(*function, arguments, expr.span)?;
                match result {
                    Some(result) => {
                        let ty = self.routine.variables[result].ty;
                        Ok(parts.leaf(Atom::Read(Path::of(result)), ty, None))
                    }
                    None => {
                        self.outside(expr.span, "a function without a result is used as a value")
                    }
                }
            }
            ExprKind::Builtin(_, Builtin::Allocate(_, initially), _) => {
                let filling = match initially {
                    Initially::Unset => Filling::Unknown,
                    Initially::Zero => Filling::Zero,
                };
                match wanted {
                    Some(Type::Pointer(record)) => Ok(Term::Fresh(record, filling)),
                    _ => self.outside(expr.span, "memory of this type is not modelled"),
                }
            }
            _ if expr.ty == Scalar::Bool => self.truth_value(expr, parts),
            _ => self.outside(
                expr.span,
                format!("`{}` is not modelled", self.text(expr.span)),
            ),
        }
    }

    /// A condition as the number 1 or 0.
    fn truth_value(&mut self, expr: &Expr, parts: &mut Parts) -> Result<Term, Outside> {
        let condition = self.condition(expr, parts)?;
        let number = |number| Box::new(Term::Implied(Atom::Number(number)));
        Ok(Term::Choose(Box::new(condition), number(1), number(0)))
    }

    /// The path to a cell.
    pub(super) fn path(&mut self, lvalue: &Lvalue, span: Span) -> Result<Path, Outside> {
        self.path_at(lvalue, 0, span)
    }

    fn path_at(&mut self, lvalue: &Lvalue, offset: u32, span: Span) -> Result<Path, Outside> {
        match lvalue {
            Lvalue::Field(inner, more) => self.path_at(inner, offset + more, span),
            Lvalue::Variable(variable) => match self.variable(*variable, offset) {
                Some(id) => Ok(Path::of(id)),
                None => {
                    let name = super::name_of(self.program, *variable);
                    // The program does not know the names of temporaries.
                    let reason = match name.starts_with('#') {
                        true => format!("`{}` is not modelled", self.text(span)),
                        false => {
                            format!("`{name}` is neither a number nor a pointer to a structure")
                        }
                    };
                    self.outside(span, reason)
                }
            },
            Lvalue::Deref(pointer) => {
                if let ExprKind::Address(of, _) = &pointer.kind {
                    return self.path_at(of, offset, span);
                }
                let ExprKind::Load(inner) = &pointer.kind else {
                    return self.outside(
                        span,
                        "only a pointer in a variable or a field can be dereferenced",
                    );
                };
                if let Lvalue::Variable(variable) = &**inner
                    && let Some(of) = self.aliases.get(variable).cloned()
                {
                    return self.path_at(&of, offset, span);
                }
                let mut path = self.path(inner, pointer.span)?;
                let Some(Type::Pointer(record)) = self.routine.type_of(&path) else {
                    return self.outside(span, "only a pointer to a structure can be dereferenced");
                };
                let fields = &self.routine.records[record].fields;
                match fields.iter().position(|field| field.offset == offset) {
                    Some(field) => path.fields.push(field),
                    None => return self.outside(span, "a field of this type is not modelled"),
                }
                Ok(path)
            }
            Lvalue::Index { .. } => self.outside(span, "arrays are not modelled"),
        }
    }

    /// The variable of a cell.
    fn variable(
        &mut self,
        variable: nopol_program::ir::VariableId,
        offset: u32,
    ) -> Option<VariableId> {
        if let Some(id) = self.names.get(&(variable, offset)) {
            return Some(*id);
        }
        // Where temporaries are declared, their types are not known.
        let of = &self.program.variables[variable];
        if of.shape == Shape::Other && of.name.starts_with('#') {
            self.declare(variable, false);
        }
        self.names.get(&(variable, offset)).copied()
    }

    /// The span of something that can be replaced by a path: only what is written as a path, a number or null in the
    /// function that is repaired.
    pub(super) fn replaceable(&self, span: Span, atom: &Atom) -> Option<Span> {
        // A variable of the translation stands for what another statement reads there.
        let is_named = match atom {
            Atom::Read(path) => !self.routine.variables[path.base].is_hidden,
            Atom::Null | Atom::Number(_) => true,
        };
        // A macro stands for more than the leaf if it stands for what is done with it, too.
        let is_whole = match atom {
            Atom::Read(path) if self.text(span) == self.routine.written(path) => true,
            _ => self
                .operation
                .is_none_or(|of| of != span && contains(of, span)),
        };
        let is_plain = self.routine.is_written(self.text(span), atom);
        (is_plain && is_whole && is_named && self.is_own() && self.is_in_body(span)).then_some(span)
    }
}

/// Whether an operator gives a number.
const fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
    )
}

/// Whether a type holds all numbers of another one.
fn holds_all(wide: Scalar, narrow: Scalar) -> bool {
    match (wide, narrow) {
        (Scalar::Int(_), Scalar::Bool) => true,
        (Scalar::Int(wide), Scalar::Int(narrow)) => match (wide.signed, narrow.signed) {
            (true, false) => wide.bits > narrow.bits,
            (false, true) => false,
            _ => wide.bits >= narrow.bits,
        },
        _ => false,
    }
}
