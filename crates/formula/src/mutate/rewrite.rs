//! Mutations as edits of the source text. What the front ends have not found there, such as the operators of what `?` stands
//! for, is not mutated.

use std::ops::Range;

use nopol_program::ir::{BinaryOp, Dialect, Expr, ExprKind, LogicalOp, Span};
use nopol_program::written::{Operand, Operation, Operator, Used, Written};
use nopol_scalar::Precedence;

use super::literals::Literal;
use super::space::{MutationEdit, NumberForm};

/// The text of a file, and where an expression is in it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The number of the file.
    pub file: u32,
    /// Its text.
    pub text: &'a str,
    /// Its language.
    pub dialect: Dialect,
    /// The operations in it.
    pub written: &'a Written,
}

impl<'a> Text<'a> {
    fn get(self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn edit(self, range: Range<usize>, text: String) -> MutationEdit {
        MutationEdit {
            span: self.span(range),
            text,
            number: None,
        }
    }

    /// These bytes of the file.
    pub fn span(self, range: Range<usize>) -> Span {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span {
            file: self.file,
            start: number(range.start),
            end: number(range.end),
        }
    }

    /// Where an expression is, if all of it is in this file.
    pub fn range(self, expr: &Expr) -> Option<Range<usize>> {
        if expr.span.file != self.file || expr.span.start >= expr.span.end {
            return None;
        }
        let own = bytes(expr.span);
        Some(match &expr.kind {
            ExprKind::Binary(_, _, a, b) | ExprKind::Logical(_, _, a, b)
                if self.dialect == Dialect::Rust && self.operation(expr).is_none() =>
            {
                let (a, b) = (self.range(a)?, self.range(b)?);
                own.start.min(a.start)..own.end.max(b.end)
            }
            ExprKind::Choice(original, _) => self.range(original)?,
            _ => own,
        })
    }

    /// The operation that an expression is, if that is written.
    pub fn operation(self, expr: &Expr) -> Option<&'a Operation> {
        let operation = self.written.operation(expr.span)?;
        // An operation that is not in the source is located at its first operand.
        let is_own = |a: &Expr| a.span != expr.span || matches!(a.kind, ExprKind::Distance(..));
        let is_this = match (&expr.kind, operation.operator) {
            (ExprKind::Binary(op, _, a, _), Operator::Binary(written)) => {
                *op == written && is_own(a)
            }
            (ExprKind::Logical(op, _, a, _), Operator::Logical(written)) => {
                *op == written && is_own(a)
            }
            (ExprKind::Offset(..), Operator::Binary(written)) => {
                matches!(written, BinaryOp::Add | BinaryOp::Sub)
            }
            (ExprKind::Distance(..), Operator::Binary(written)) => written == BinaryOp::Sub,
            // A comparison that is made of several ones.
            (ExprKind::Cast(a), Operator::Binary(BinaryOp::Eq | BinaryOp::Ne)) => {
                expr.ty == a.ty && !matches!(a.kind, ExprKind::Binary(..))
            }
            _ => false,
        };
        is_this.then_some(operation)
    }

    /// Another operator between the operands of an expression. `around`: how tightly the operator around it binds.
    pub fn operator(
        self,
        operation: &Operation,
        (a, b): (&Expr, &Expr),
        new: BinaryOp,
        around: Option<Precedence>,
    ) -> Option<MutationEdit> {
        let Operator::Binary(old) = operation.operator else {
            return None;
        };
        let at = bytes(operation.at);
        if operation.step.is_some() {
            let new = match new {
                BinaryOp::Add => "++",
                BinaryOp::Sub => "--",
                _ => return None,
            };
            return Some(self.edit(at, new.to_owned()));
        }
        if operation.assigns {
            let computes = new.comparison().is_none();
            return computes.then(|| self.edit(at, format!("{}=", new.token())));
        }
        let is_list = |left: &Operand| {
            let opens = self.dialect == Dialect::Rust && new.token().starts_with('<');
            opens && left.ends_with_type && left.is_bare
        };
        let opens_list = operation
            .operands
            .as_ref()
            .is_some_and(|[left, _]| is_list(left));
        if Precedence::of(old) == Precedence::of(new) && !opens_list {
            return Some(self.edit(at, new.token().to_owned()));
        }
        let [left, right] = operation.operands?;
        let written = (new.token(), Precedence::of(new));
        Some(self.around(around, (a, left, opens_list), (at, written), (b, right)))
    }

    /// Another operator of the same binding.
    pub fn swapped(self, operation: &Operation, new: BinaryOp) -> MutationEdit {
        self.edit(bytes(operation.at), new.token().to_owned())
    }

    /// The other connective.
    pub fn connective(
        self,
        operation: &Operation,
        (a, b): (&Expr, &Expr),
        around: Option<Precedence>,
    ) -> Option<MutationEdit> {
        let Operator::Logical(old) = operation.operator else {
            return None;
        };
        let (new, binds) = match old {
            LogicalOp::And => ("||", LogicalOp::Or),
            LogicalOp::Or => ("&&", LogicalOp::And),
        };
        let [left, right] = operation.operands?;
        let new = (new, Precedence::of_logical(binds));
        let at = bytes(operation.at);
        Some(self.around(around, (a, left, false), (at, new), (b, right)))
    }

    /// Only one of two operands of a logical operation.
    pub fn only(self, operation: &Operation, is_first: bool) -> Option<MutationEdit> {
        let [left, right] = operation.operands?;
        let kept = if is_first { left } else { right };
        let whole = bytes(left.span).start..bytes(right.span).end;
        Some(self.edit(whole, self.get(bytes(kept.span)).to_owned()))
    }

    /// Another number for the 1 of `++` and `--`. `goes_back`: whether the old value is the new one less what was added.
    pub fn step(
        self,
        operation: &Operation,
        number: i128,
        goes_back: bool,
    ) -> Option<MutationEdit> {
        let step = operation.step?;
        let (op, inverse) = match operation.operator {
            Operator::Binary(BinaryOp::Add) => ("+", "-"),
            _ => ("-", "+"),
        };
        let target = self.get(bytes(step.target));
        let counted = format!("{target} {op}= {number}");
        let text = match step.used {
            Used::No => counted,
            Used::Before if !goes_back => return None,
            Used::Before if number > 0 => format!("(({counted}) {inverse} {number})"),
            Used::Before if number < 0 => format!("(({counted}) {op} {})", -number),
            Used::After | Used::Before => format!("({counted})"),
        };
        Some(self.edit(bytes(step.whole), text))
    }

    /// Two operands with another operator that binds differently, with the parentheses that this takes.
    fn around(
        self,
        around: Option<Precedence>,
        (a, left, must_wrap): (&Expr, Operand, bool),
        (at, (new, binds)): (Range<usize>, (&str, Precedence)),
        (b, right): (&Expr, Operand),
    ) -> MutationEdit {
        let wrapped = |expr: &Expr, operand: Operand, must_wrap: bool| {
            let is_loose = precedence_of(expr).is_some_and(|within| !within.is_bare_within(binds));
            let text = self.get(bytes(operand.span));
            match operand.is_bare && (is_loose || must_wrap) {
                true => format!("({text})"),
                false => text.to_owned(),
            }
        };
        let (first, second) = (bytes(left.span), bytes(right.span));
        let text = [
            &wrapped(a, left, must_wrap),
            self.get(first.end..at.start),
            new,
            self.get(at.end..second.start),
            &wrapped(b, right, false),
        ]
        .concat();
        let whole = first.start..second.end;
        let is_loose = around.is_some_and(|around| !binds.is_bare_within(around));
        let text = match is_loose && !self.is_in_parentheses(&whole) {
            true => format!("({text})"),
            false => text,
        };
        self.edit(whole, text)
    }

    fn is_in_parentheses(self, range: &Range<usize>) -> bool {
        let before = self.text.get(..range.start).unwrap_or_default();
        let after = self.text.get(range.end..).unwrap_or_default();
        before.trim_end().ends_with('(') && after.trim_start().starts_with(')')
    }

    /// The integer that an expression is in the text.
    pub fn literal(self, expr: &Expr, value: i128) -> Option<(Range<usize>, Literal)> {
        let range = self.range(expr)?;
        let literal = Literal::of(self.get(range.clone()), value, self.dialect)?;
        (literal.value == value).then_some((range, literal))
    }

    /// Another number for a literal.
    pub fn number(
        self,
        (range, literal): &(Range<usize>, Literal),
        value: i128,
        expr: &Expr,
    ) -> MutationEdit {
        self.replaced(range.clone(), &literal.with(value, expr.ty))
    }

    /// A number for a literal that is known only later.
    pub fn any_number(
        self,
        (range, literal): (Range<usize>, Literal),
        expr: &Expr,
    ) -> MutationEdit {
        let number = NumberForm {
            literal,
            ty: expr.ty,
            clashes: self.clashes(&range),
        };
        MutationEdit {
            number: Some(number),
            ..self.edit(range, String::new())
        }
    }

    /// Another operand at a range.
    pub fn replaced(self, range: Range<usize>, text: &str) -> MutationEdit {
        let text = match text.starts_with('-') && self.clashes(&range) {
            true => format!("({text})"),
            false => text.to_owned(),
        };
        self.edit(range, text)
    }

    /// Whether a sign cannot stand at the beginning of a range: `--` is an operator, and a method is called before a sign counts.
    fn clashes(self, range: &Range<usize>) -> bool {
        let before = self.text.get(..range.start).unwrap_or_default();
        let after = self.text.get(range.end..).unwrap_or_default();
        before.ends_with(['-', '+']) || after.starts_with('.')
    }

    /// The opposite of a bool.
    pub fn opposite(self, expr: &Expr) -> Option<MutationEdit> {
        let range = self.range(expr)?;
        let text = self.get(range.clone());
        let is_whole = match expr.kind {
            ExprKind::Binary(..) | ExprKind::Logical(..) | ExprKind::Conditional(..) => false,
            ExprKind::Call(..) | ExprKind::Load(_) => true,
            _ => false,
        };
        let text = match is_whole {
            true => format!("!{text}"),
            false => format!("!({text})"),
        };
        Some(self.edit(range, text))
    }

    /// Whether an expression is written as this name.
    pub fn is_named(self, expr: &Expr, name: &str) -> bool {
        self.range(expr)
            .is_some_and(|range| self.get(range) == name)
    }
}

fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Whether an expression is a number or a pointer that C compares with 0, though that is not written.
pub fn is_truth(op: BinaryOp, a: &Expr, b: &Expr) -> bool {
    let is_zero = matches!(b.kind, ExprKind::Constant(0) | ExprKind::Null);
    op == BinaryOp::Ne && is_zero && b.span.start >= b.span.end && a.span.start < a.span.end
}

/// How tightly the operator on the outside of an expression binds, if there is one.
pub fn precedence_of(expr: &Expr) -> Option<Precedence> {
    match &expr.kind {
        ExprKind::Choice(of, _) | ExprKind::Cast(of) => precedence_of(of),
        ExprKind::Binary(op, ..) => Some(Precedence::of(*op)),
        ExprKind::Logical(op, ..) => Some(Precedence::of_logical(*op)),
        ExprKind::Conditional(..) => Some(Precedence::LOOSEST),
        _ => None,
    }
}
