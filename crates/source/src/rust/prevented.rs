//! Conditions that prevent an expression from panicking: `i < v.len()` for `v[i]`, if the message says that an index
//! was out of bounds. The place of the panic identifies the expression, so no values are needed.

use nopol_expr::CmpOp;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, ExprIndex, ExprMethodCall, Lit, RangeLimits, UnOp};

use crate::language::Prevented;

/// The conditions, each of which may be a precondition by itself. Empty if the panic is of another kind, or if
/// evaluating an operand again may have effects.
pub fn conditions(text: &str, line: usize, column: usize, message: &str) -> Vec<Prevented> {
    let Ok(file) = syn::parse_file(text) else {
        return Vec::new();
    };
    let mut search = Search {
        text,
        at: (line, column),
        message,
        found: Vec::new(),
    };
    search.visit_file(&file);
    search.found
}

struct Search<'a> {
    text: &'a str,
    /// Line and column of the panic, both counted from 1.
    at: (usize, usize),
    message: &'a str,
    found: Vec<Prevented>,
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let conditions = match expr {
            Expr::Binary(binary) if self.is_at(binary) => self.of_arithmetic(binary),
            // Panics of built-in indexing are at the expression, those of `Index` implementations at the bracket.
            Expr::Index(index)
                if self.is_at(index) || self.is_at(&index.bracket_token.span.open()) =>
            {
                self.of_element(index)
            }
            Expr::MethodCall(call) if self.is_at(&call.method) => self.of_call(call),
            _ => None,
        };
        self.found.extend(conditions.into_iter().flatten());
        visit::visit_expr(self, expr);
    }
}

impl Search<'_> {
    fn is_at(&self, node: &impl Spanned) -> bool {
        let start = node.span().start();
        (start.line, start.column + 1) == self.at
    }

    fn says(&self, text: &str) -> bool {
        self.message.contains(text)
    }

    fn of_arithmetic(&self, binary: &ExprBinary) -> Option<Vec<Prevented>> {
        let (left, right) = (&*binary.left, &*binary.right);
        match binary.op {
            BinOp::Sub(_) | BinOp::SubAssign(_)
                if self.says("attempt to subtract with overflow") =>
            {
                let text = self.operand(left)?;
                Some(match is_integer(right, "1") {
                    true => {
                        let above = Prevented {
                            holds: format!("{text} > 0"),
                            fails: format!("{text} == 0"),
                        };
                        self.filled(counted(left))
                            .into_iter()
                            .chain([above])
                            .collect()
                    }
                    false => vec![comparison(&text, CmpOp::Ge, &self.operand(right)?)],
                })
            }
            BinOp::Div(_) | BinOp::DivAssign(_) | BinOp::Rem(_) | BinOp::RemAssign(_)
                if self.says("divide by zero") || self.says("divisor of zero") =>
            {
                Some(match counted(right) {
                    Some(collection) => {
                        let length = format!("{}.len()", self.operand(collection)?);
                        let is_not_zero = comparison(&length, CmpOp::Ne, "0");
                        self.filled(Some(collection))
                            .into_iter()
                            .chain([is_not_zero])
                            .collect()
                    }
                    None => vec![comparison(&self.operand(right)?, CmpOp::Ne, "0")],
                })
            }
            _ => None,
        }
    }

    fn of_element(&self, index: &ExprIndex) -> Option<Vec<Prevented>> {
        let list = self.operand(&index.expr)?;
        let len = format!("{list}.len()");
        let Expr::Range(range) = &*index.index else {
            let is_out = self.says("index out of bounds");
            let bound = is_out.then(|| self.bound(&index.index, CmpOp::Lt, &len));
            let is_first = is_integer(&index.index, "0");
            let filled = self.filled(is_first.then_some(&*index.expr));
            return bound
                .flatten()
                .map(|bound| filled.into_iter().chain([bound]).collect());
        };
        let (start, end) = (range.start.as_deref(), range.end.as_deref());
        let at_end = match range.limits {
            RangeLimits::HalfOpen(_) => CmpOp::Le,
            RangeLimits::Closed(_) => CmpOp::Lt,
        };
        if self.says("slice index starts at") || self.says("begin > end") {
            let (start, end) = (self.operand(start?)?, self.operand(end?)?);
            return Some(vec![comparison(&start, CmpOp::Le, &end)]);
        }
        let is_start = self.says("range start index") || self.says("start byte index");
        let is_end = self.says("range end index") || self.says("end byte index");
        // Older compilers do not say which end of a slice is wrong.
        let start = start.filter(|_| is_start || self.says(" byte index") && !is_end);
        let end = end.filter(|_| is_end || self.says(" byte index") && !is_start);
        let ends = [(start, CmpOp::Le), (end, at_end)];
        let ends = ends.into_iter().filter_map(|(end, op)| Some((end?, op)));
        if self.says("char boundary") {
            let of = |(end, _)| {
                let holds = format!("{list}.is_char_boundary({})", self.operand(end)?);
                Some(Prevented {
                    fails: format!("!{holds}"),
                    holds,
                })
            };
            return Some(ends.filter_map(of).collect());
        }
        Some(
            ends.filter_map(|(end, op)| self.bound(end, op, &len))
                .collect(),
        )
    }

    /// The bound of a position: it is less than the length, or at least 0 if a negative number was cast to a large one.
    fn bound(&self, at: &Expr, op: CmpOp, len: &str) -> Option<Prevented> {
        let numbers = self.message.split(|c: char| !c.is_ascii_digit());
        let mut numbers = numbers.filter_map(|digits| digits.parse::<u64>().ok());
        if !numbers.any(|number| i64::try_from(number).is_err()) {
            return Some(comparison(&self.operand(at)?, op, len));
        }
        let Expr::Cast(cast) = at else {
            return None;
        };
        let inner = match &*cast.expr {
            Expr::Paren(inner) => &*inner.expr,
            inner => inner,
        };
        Some(comparison(&self.operand(inner)?, CmpOp::Ge, "0"))
    }

    /// That a collection has elements, in the words that people use; `None` if there is none, or if evaluating it may have effects.
    fn filled(&self, collection: Option<&Expr>) -> Option<Prevented> {
        let fails = format!("{}.is_empty()", self.operand(collection?)?);
        Some(Prevented {
            holds: format!("!{fails}"),
            fails,
        })
    }

    /// The conditions that a method of the standard library needs.
    fn of_call(&self, call: &ExprMethodCall) -> Option<Vec<Prevented>> {
        let filled = match &*call.method.to_string() {
            "unwrap" | "expect" if !self.says("on an `Err` value") => {
                self.filled(elements(&call.receiver))
            }
            "remove" | "swap_remove" if call.args.first().is_some_and(|at| is_integer(at, "0")) => {
                self.filled(Some(&call.receiver))
            }
            _ => None,
        };
        let needed = self.needed_by(call).unwrap_or_default();
        Some(filled.into_iter().chain(needed).collect())
    }

    /// The conditions as the method itself asks for them.
    fn needed_by(&self, call: &ExprMethodCall) -> Option<Vec<Prevented>> {
        let of = self.operand(&call.receiver)?;
        let len = format!("{of}.len()");
        let asked = |holds: &str, fails: &str| Prevented {
            holds: format!("{of}.{holds}()"),
            fails: format!("{of}.{fails}()"),
        };
        let (is_some, is_ok) = (asked("is_some", "is_none"), asked("is_ok", "is_err"));
        let argument = || {
            let first = match call.args.first()? {
                Expr::Reference(reference) => &*reference.expr,
                first => first,
            };
            self.operand(first)
        };
        Some(match &*call.method.to_string() {
            "unwrap" if self.says("on a `None` value") => vec![is_some],
            "unwrap" if self.says("on an `Err` value") => vec![is_ok],
            // The message is the subject's own, so try both; the compiler knows the type.
            "expect" => vec![is_some, is_ok],
            "remove" if self.says("should be < len") => {
                vec![comparison(&argument()?, CmpOp::Lt, &len)]
            }
            "insert" | "split_off" if self.says("should be <= len") => {
                vec![comparison(&argument()?, CmpOp::Le, &len)]
            }
            "split_at" | "split_at_mut" if self.says("mid > len") => {
                vec![comparison(&argument()?, CmpOp::Le, &len)]
            }
            "copy_from_slice" | "clone_from_slice" => {
                vec![comparison(
                    &len,
                    CmpOp::Eq,
                    &format!("{}.len()", argument()?),
                )]
            }
            "chunks" | "chunks_mut" | "chunks_exact" | "windows" => {
                vec![comparison(&argument()?, CmpOp::Ne, "0")]
            }
            _ => return None,
        })
    }

    /// The text of an operand, if it can be evaluated again.
    fn operand(&self, expr: &Expr) -> Option<String> {
        let text = self.text.get(expr.span().byte_range())?;
        let text = match text.contains('\n') {
            true => return None,
            false => text.to_owned(),
        };
        // `a as usize < b` would start generic arguments.
        let needs_parentheses = matches!(expr, Expr::Cast(_) | Expr::Range(_));
        is_repeatable(expr).then(|| match needs_parentheses {
            true => format!("({text})"),
            false => text,
        })
    }
}

fn comparison(left: &str, op: CmpOp, right: &str) -> Prevented {
    let with = |op: CmpOp| format!("{left} {} {right}", op.token());
    Prevented {
        holds: with(op),
        fails: with(op.negated()),
    }
}

fn is_integer(expr: &Expr, digits: &str) -> bool {
    matches!(expr, Expr::Lit(lit) if matches!(&lit.lit, Lit::Int(int) if int.base10_digits() == digits))
}

/// The collection of which an expression is the length: `v` for `v.len() as f64`.
fn counted(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Paren(inner) => counted(&inner.expr),
        Expr::Cast(cast) => counted(&cast.expr),
        Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() => {
            Some(&call.receiver)
        }
        _ => None,
    }
}

/// The collection that has an element for an expression unless it is empty: `v` for `v.iter().max()` and `v.pop()`.
fn elements(expr: &Expr) -> Option<&Expr> {
    const OF_COLLECTION: [&str; 16] = [
        "first",
        "first_mut",
        "last",
        "last_mut",
        "front",
        "front_mut",
        "back",
        "back_mut",
        "pop",
        "pop_front",
        "pop_back",
        "split_first",
        "split_last",
        "iter",
        "iter_mut",
        "chars",
    ];
    const OF_ITERATOR: [&str; 14] = [
        "next",
        "next_back",
        "last",
        "max",
        "min",
        "max_by",
        "min_by",
        "max_by_key",
        "min_by_key",
        "reduce",
        "copied",
        "cloned",
        "rev",
        "map",
    ];
    let Expr::MethodCall(call) = expr else {
        return None;
    };
    let method = call.method.to_string();
    if call.args.is_empty() && OF_COLLECTION.contains(&&*method) && is_repeatable(&call.receiver) {
        return Some(&call.receiver);
    }
    OF_ITERATOR
        .contains(&&*method)
        .then(|| elements(&call.receiver))
        .flatten()
}

/// Whether an expression only reads variables, fields and elements, and calls simple getters such as `len`.
fn is_repeatable(expr: &Expr) -> bool {
    const QUERIES: [&str; 5] = ["len", "borrow", "get", "as_ref", "as_bytes"];
    match expr {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(inner) => is_repeatable(&inner.expr),
        Expr::Field(field) => is_repeatable(&field.base),
        Expr::Cast(cast) => is_repeatable(&cast.expr),
        Expr::Index(index) => is_repeatable(&index.expr) && is_repeatable(&index.index),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && is_repeatable(&unary.expr),
        Expr::Binary(binary) => {
            let is_arithmetic = matches!(
                binary.op,
                BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
            );
            is_arithmetic && is_repeatable(&binary.left) && is_repeatable(&binary.right)
        }
        Expr::MethodCall(call) => {
            let is_query = QUERIES.iter().any(|query| call.method == query);
            is_query && call.args.is_empty() && is_repeatable(&call.receiver)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::conditions;

    /// The conditions for a panic at the mark, which is removed from the code.
    fn of(code: &str, message: &str) -> Vec<[String; 2]> {
        let column = code.find('«').unwrap();
        let text = format!("fn f() {{\n{}\n}}", code.replace('«', ""));
        let all = conditions(&text, 2, column + 1, message);
        all.into_iter().map(|it| [it.holds, it.fails]).collect()
    }

    #[test]
    fn the_panicking_expression_determines_the_condition() {
        let below = "attempt to subtract with overflow";
        assert_eq!(of("*g -= 1; «*n -= 1;", below), [["*n > 0", "*n == 0"]]);
        assert_eq!(
            of("let x = «a.len() - from;", below),
            [["a.len() >= from", "a.len() < from"]]
        );
        assert_eq!(
            of("f(«a as u8 - 2);", below),
            [["(a as u8) >= 2", "(a as u8) < 2"]]
        );
        let zero = "attempt to calculate the remainder with a divisor of zero";
        assert_eq!(
            of("let x = «a % self.size;", zero),
            [["self.size != 0", "self.size == 0"]]
        );
        assert_eq!(
            of(
                "let x = «sum / v.len() as i32;",
                zero.replace("calculate the remainder with a divisor of", "divide by")
                    .as_str()
            ),
            [
                ["!v.is_empty()", "v.is_empty()"],
                ["v.len() != 0", "v.len() == 0"]
            ]
        );
        let out = "index out of bounds: the len is 2 but the index is 2";
        assert_eq!(
            of("g(«row[at + 1]);", out),
            [["at + 1 < row.len()", "at + 1 >= row.len()"]]
        );
        assert_eq!(
            of("g(«row[0]);", out),
            [
                ["!row.is_empty()", "row.is_empty()"],
                ["0 < row.len()", "0 >= row.len()"]
            ]
        );
        let end = "range end index 5 out of range for slice of length 3";
        assert_eq!(
            of("g(&«row[..to]);", end),
            [["to <= row.len()", "to > row.len()"]]
        );
        assert_eq!(
            of("g(&«row[1..=to]);", end),
            [["to < row.len()", "to >= row.len()"]]
        );
        let order = "slice index starts at 3 but ends at 2";
        assert_eq!(
            of("g(&«row[from..to]);", order),
            [["from <= to", "from > to"]]
        );
        let none = "called `Option::unwrap()` on a `None` value";
        assert_eq!(
            of("self.next.«unwrap();", none),
            [["self.next.is_some()", "self.next.is_none()"]]
        );
        // The call has an effect, its collection has none.
        for chain in [
            "list.pop()",
            "list.iter().map(|x| x + 1).max()",
            "list.chars().rev().next()",
        ] {
            assert_eq!(
                of(&format!("{chain}.«unwrap();"), none),
                [["!list.is_empty()", "list.is_empty()"]],
                "{chain}"
            );
        }
    }

    #[test]
    fn expressions_with_effects_and_other_panics_give_no_condition() {
        let none = "called `Option::unwrap()` on a `None` value";
        assert!(of("list.read().pop().«unwrap();", none).is_empty());
        assert!(of("list.iter().filter(|x| **x > 1).max().«unwrap();", none).is_empty());
        assert!(of("«a - b;", "assertion failed: a > b").is_empty());
        assert!(of("«a - b;", none).is_empty());
    }
}
