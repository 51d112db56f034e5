//! Mutations as edits of the source text. An operator is found in the text between its operands, and what cannot be found
//! there, such as the operators of what `?` stands for, is not mutated.

use std::ops::Range;

use super::literals::Literal;
use super::operators::{Binding, binding, binding_of_logical, is_bare_within, token};
use super::space::Edit;
use crate::formula::ir::{BinaryOp, Expr, ExprKind, LogicalOp, Span};

/// The text of a file, and where an expression is in it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The number of the file.
    pub file: u32,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Text<'a> {
    fn get(self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn edit(self, range: Range<usize>, text: String) -> Edit {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Edit {
            span: Span {
                file: self.file,
                start: number(range.start),
                end: number(range.end),
            },
            text,
        }
    }

    /// Where an expression is, if all of it is in this file.
    pub fn range(self, expr: &Expr) -> Option<Range<usize>> {
        if expr.span.file != self.file || expr.span.start >= expr.span.end {
            return None;
        }
        let own = expr.span.start as usize..expr.span.end as usize;
        Some(match &expr.kind {
            ExprKind::Binary(_, _, a, b) | ExprKind::Logical(_, _, a, b) => {
                let (a, b) = (self.range(a)?, self.range(b)?);
                own.start.min(a.start)..own.end.max(b.end)
            }
            ExprKind::Choice(original, _) => self.range(original)?,
            _ => own,
        })
    }

    /// The operands of a binary operation with the parentheses around each, and its operator. The operator may be one
    /// that assigns.
    fn parts(
        self,
        a: &Expr,
        b: &Expr,
        written: &str,
    ) -> Option<(Range<usize>, Range<usize>, Range<usize>)> {
        let (mut a, mut b) = (self.range(a)?, self.range(b)?);
        if a.end > b.start {
            return None;
        }
        let between = self.get(a.end..b.start);
        let before = between.len()
            - between
                .trim_start_matches(|c: char| c.is_whitespace() || c == ')')
                .len();
        let rest = &between[before..];
        let after = rest.strip_prefix(written)?;
        let is_space = |c: char| c.is_whitespace() || c == '(';
        let (length, after) = match after.strip_prefix('=') {
            Some(assigning) if assigning.chars().all(is_space) => (written.len() + 1, assigning),
            _ => (written.len(), after),
        };
        if !after.chars().all(is_space) {
            return None;
        }
        let start = a.end + before;
        for _ in between[..before].matches(')') {
            a.start = self.text.get(..a.start)?.rfind('(')?;
            a.end += self.get(a.end..start).find(')')? + 1;
        }
        let end = start + length;
        for _ in after.matches('(') {
            b.start = self.text.get(..b.start)?.rfind('(')?;
            b.end += self.text.get(b.end..)?.find(')')? + 1;
        }
        Some((a, start..end, b))
    }

    /// Another operator between the operands of an expression. `around`: how tightly the operator around it binds.
    pub fn operator(
        self,
        expr: &Expr,
        (old, a, b): (BinaryOp, &Expr, &Expr),
        new: BinaryOp,
        around: Option<Binding>,
    ) -> Option<Edit> {
        let Some((left, at, right)) = self.parts(a, b, token(old)) else {
            return self
                .step(expr, old, b, new)
                .or_else(|| self.truth((old, a, b), new));
        };
        if at.len() > token(old).len() {
            return is_arithmetic(new).then(|| self.edit(at, format!("{}=", token(new))));
        }
        if binding(old) == binding(new) {
            return Some(self.edit(at, token(new).to_owned()));
        }
        let new = (token(new), binding(new));
        Some(self.around(around, (a, left), (at, new), (b, right)))
    }

    /// The other connective.
    pub fn connective(
        self,
        (old, a, b): (LogicalOp, &Expr, &Expr),
        around: Option<Binding>,
    ) -> Option<Edit> {
        let (old, new, binds) = match old {
            LogicalOp::And => ("&&", "||", LogicalOp::Or),
            LogicalOp::Or => ("||", "&&", LogicalOp::And),
        };
        let new = (new, binding_of_logical(binds));
        let (left, at, right) = self.parts(a, b, old)?;
        Some(self.around(around, (a, left), (at, new), (b, right)))
    }

    /// Only one of two operands of a logical operation.
    pub fn only(self, (op, a, b): (LogicalOp, &Expr, &Expr), is_first: bool) -> Option<Edit> {
        let old = match op {
            LogicalOp::And => "&&",
            LogicalOp::Or => "||",
        };
        let (left, _, right) = self.parts(a, b, old)?;
        let kept = if is_first {
            left.clone()
        } else {
            right.clone()
        };
        Some(self.edit(left.start..right.end, self.get(kept).to_owned()))
    }

    /// `!x` for `x`, which C takes for `x != 0`.
    fn truth(self, (old, a, b): (BinaryOp, &Expr, &Expr), new: BinaryOp) -> Option<Edit> {
        let is_truth = old == BinaryOp::Ne
            && new == BinaryOp::Eq
            && matches!(b.kind, ExprKind::Constant(0))
            && self.range(a) == self.range(b);
        is_truth.then(|| self.opposite(a)).flatten()
    }

    /// `x++` for `x--`.
    fn step(self, expr: &Expr, old: BinaryOp, b: &Expr, new: BinaryOp) -> Option<Edit> {
        let (old, new) = match (old, new) {
            (BinaryOp::Add, BinaryOp::Sub) => ("++", "--"),
            (BinaryOp::Sub, BinaryOp::Add) => ("--", "++"),
            _ => return None,
        };
        if !matches!(b.kind, ExprKind::Constant(1)) || expr.span.file != self.file {
            return None;
        }
        let (start, end) = (expr.span.start as usize, expr.span.end as usize);
        let text = self.get(start..end);
        let at = match (text.starts_with(old), text.ends_with(old)) {
            (true, false) => start,
            (false, true) => end - old.len(),
            _ => return None,
        };
        Some(self.edit(at..at + old.len(), new.to_owned()))
    }

    /// Two operands with another operator that binds differently, with the parentheses that this takes.
    fn around(
        self,
        around: Option<Binding>,
        (a, left): (&Expr, Range<usize>),
        (at, (new, binds)): (Range<usize>, (&str, Binding)),
        (b, right): (&Expr, Range<usize>),
    ) -> Edit {
        let wrapped = |expr: &Expr, range: Range<usize>| {
            let is_bare = self.range(expr).as_ref() == Some(&range);
            let is_loose =
                binding_within(expr).is_some_and(|within| !is_bare_within(within, binds));
            let text = self.get(range);
            match is_bare && is_loose {
                true => format!("({text})"),
                false => text.to_owned(),
            }
        };
        let whole = left.start..right.end;
        let text = [
            &wrapped(a, left.clone()),
            self.get(left.end..at.start),
            new,
            self.get(at.end..right.start),
            &wrapped(b, right),
        ]
        .concat();
        let is_loose = around.is_some_and(|around| !is_bare_within(binds, around));
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
    pub fn literal(self, expr: &Expr, value: i128) -> Option<(Range<usize>, Literal<'a>)> {
        let range = self.range(expr)?;
        let literal = Literal::of(self.get(range.clone()))?;
        (literal.value == value).then_some((range, literal))
    }

    /// Another number for a literal.
    pub fn number(self, (range, literal): &(Range<usize>, Literal<'_>), value: i128) -> Edit {
        self.replaced(range.clone(), &literal.with(value))
    }

    /// Another operand at a range.
    pub fn replaced(self, range: Range<usize>, text: &str) -> Edit {
        let before = self.text.get(..range.start).unwrap_or_default();
        let after = self.text.get(range.end..).unwrap_or_default();
        // `--` is an operator, and a method is called before a sign counts.
        let clashes = before.ends_with(['-', '+']) || after.starts_with('.');
        let text = match text.starts_with('-') && clashes {
            true => format!("({text})"),
            false => text.to_owned(),
        };
        self.edit(range, text)
    }

    /// The opposite of a bool.
    pub fn opposite(self, expr: &Expr) -> Option<Edit> {
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

/// How tightly the operator on the outside of an expression binds, if there is one.
pub fn binding_within(expr: &Expr) -> Option<Binding> {
    match &expr.kind {
        ExprKind::Choice(of, _) | ExprKind::Cast(of) => binding_within(of),
        ExprKind::Binary(op, ..) => Some(binding(*op)),
        ExprKind::Logical(op, ..) => Some(binding_of_logical(*op)),
        ExprKind::Conditional(..) => Some((0, 0)),
        _ => None,
    }
}

const fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    !matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}
