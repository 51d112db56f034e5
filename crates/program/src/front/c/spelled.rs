//! Numbers and operators where they are written, also if that is the definition of a macro or of an enumeration, so that
//! a change there changes every use.

use super::build::{self, Value};
use super::expressions::integer;
use super::scopes::{Enumerator, Symbol};
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{BinaryOp, Expr, ExprKind, Lvalue, Overflow, Scalar, Span};

impl Translator<'_> {
    /// Whether what is computed from constants is left as it is written.
    pub(super) const fn keeps_constants(&self) -> bool {
        !self.is_folding && !self.is_lenient
    }

    /// Where a literal or an operation is written.
    pub(super) fn own_span(&self, syntax: Syntax<'_>) -> Span {
        match self.keeps_constants() && !syntax.source.is_library {
            true => syntax.own_span(),
            false => syntax.span(),
        }
    }

    /// A number that is written there.
    pub(super) fn written_number(&self, value: i128, ty: &Type, syntax: Syntax<'_>) -> Value {
        let scalar = ty.scalar().unwrap_or(Scalar::INT);
        let expr = build::constant(value, scalar, self.own_span(syntax));
        Value {
            expr: build::used_at(expr, syntax.span()),
            ty: ty.clone(),
        }
    }

    /// The number in another type. A literal stays one.
    pub(super) fn number_as(&self, value: Expr, to: Scalar) -> Expr {
        let is_literal = matches!(value.kind, ExprKind::Constant(_));
        if is_literal
            && value.ty != to
            && value.span.start < value.span.end
            && self.keeps_constants()
        {
            let span = value.span;
            return Expr {
                kind: ExprKind::Cast(Box::new(value)),
                ty: to,
                span,
            };
        }
        build::cast(value, to)
    }

    /// The value of a constant of this type as it is computed; just the value if it cannot be repeated wherever the
    /// constant is used.
    pub(super) fn computed(&mut self, syntax: Syntax<'_>, ty: &Type) -> Translated<Expr> {
        let (value, _) = self.constant(syntax)?;
        let scalar = ty.scalar().unwrap_or(Scalar::INT);
        if self.keeps_constants() {
            let computed = self.converted(syntax, ty)?;
            if is_plain(&computed) {
                return Ok(computed);
            }
            self.fix(syntax);
        }
        Ok(build::constant(scalar.wrap(value), scalar, syntax.span()))
    }

    /// A member of an enumeration with this value.
    pub(super) fn enumerator(&mut self, syntax: Syntax<'_>) -> Translated<Enumerator> {
        let (value, _) = self.constant(syntax)?;
        let mut definitions = vec![syntax.span()];
        self.definitions(syntax, &mut definitions);
        let mut written = None;
        if self.keeps_constants() && !syntax.source.is_library {
            self.note_definition(syntax);
            written = Some(self.computed(syntax, &Type::INT)?);
        }
        Ok(Enumerator {
            value,
            written,
            definitions,
        })
    }

    fn definitions(&self, syntax: Syntax<'_>, definitions: &mut Vec<Span>) {
        if let ("identifier", Some(Symbol::Enumerator(of))) =
            (syntax.kind(), self.symbol(syntax.text()))
        {
            definitions.extend(of.definitions.iter().copied());
        }
        for child in syntax.children() {
            self.definitions(child, definitions);
        }
    }

    /// The value of a member of an enumeration.
    pub(super) fn enumerated(&mut self, of: Enumerator, syntax: Syntax<'_>) -> Value {
        let Some(written) = of.written.filter(|_| self.keeps_constants()) else {
            return integer(of.value, &Type::INT, syntax);
        };
        for definition in of.definitions {
            self.program.written.own(definition, self.owner);
        }
        Value {
            expr: build::used_at(written, syntax.span()),
            ty: Type::INT,
        }
    }
}

impl Enumerator {
    /// The next member, if nothing is written about it.
    pub(super) fn following(self) -> Self {
        let written = self.written.map(|before| {
            let at = build::nowhere(before.span);
            let one = build::constant(1, Scalar::INT, at);
            build::binary(BinaryOp::Add, Overflow::Wraps, before, one, Scalar::INT, at)
        });
        Self {
            value: self.value + 1,
            written,
            definitions: self.definitions,
        }
    }
}

/// Whether an expression can be written several times: it neither branches nor calls.
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Load(of) => matches!(**of, Lvalue::Variable(_)),
        ExprKind::Unary(_, of) | ExprKind::Cast(of) => is_plain(of),
        ExprKind::Binary(_, _, left, right) => is_plain(left) && is_plain(right),
        _ => false,
    }
}
