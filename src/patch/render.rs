//! Expressions as text: parts of the old condition verbatim, no needless parentheses.

use crate::source::Language;
use crate::source::c::literals;
use crate::spec::{ArithOp, Binding, CmpOp, Expr, IntType, Origin, Pool, Reading, Type, Value};

/// What an expression is written with.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    pub language: Language,
    pub pool: &'a Pool,
    /// Text of the old condition's parts, which stay as they are.
    pub old: &'a [(Expr, String)],
    /// Number literals carry their type, so that they cannot change what rustc infers elsewhere.
    pub suffixed: bool,
}

impl Style<'_> {
    /// The expression as an operand that must hold together at least as tightly as `least`.
    pub fn text(&self, expr: &Expr, least: Binding) -> String {
        let (text, binding) = self.write(expr);
        if binding < least {
            format!("({text})")
        } else {
            text
        }
    }

    fn write(&self, expr: &Expr) -> (String, Binding) {
        let binding = self.binding(expr);
        if !matches!(expr, Expr::Term(_))
            && let Some((_, text)) = self.old.iter().find(|(old, _)| old == expr)
        {
            return (text.clone(), binding);
        }
        // `p != NULL` is a pointer's truth as somebody wrote it.
        if self.language == Language::C
            && let Some((_, text)) = self.old.iter().find(|(old, _)| old == expr)
            && text.ends_with("NULL")
        {
            return (text.clone(), Binding::Compare);
        }
        if let Some(written) = self.option(expr) {
            return written;
        }
        let text = match expr {
            Expr::Term(id) => self.term(*id),
            Expr::Not(a) => match &**a {
                Expr::Not(inner) => return self.write(inner),
                Expr::Term(id) if self.pool.terms[*id].negation.is_some() => {
                    self.pool.terms[*id].negation.clone().unwrap_or_default()
                }
                Expr::Cmp(op, x, y) if self.flips(*op, x) => {
                    return self.write(&Expr::Cmp(flipped(*op), x.clone(), y.clone()));
                }
                _ => format!("!{}", self.text(a, Binding::Unary)),
            },
            Expr::And(a, b) => {
                format!(
                    "{} && {}",
                    self.text(a, Binding::And),
                    self.text(b, Binding::Compare)
                )
            }
            // Compilers of C warn of `a && b || c` without parentheses.
            Expr::Or(a, b) if self.language == Language::C => {
                let [a, b] = [(a, Binding::Or), (b, Binding::Compare)].map(|(operand, least)| {
                    let is_mixed = self.binding(operand) == Binding::And;
                    self.text(operand, if is_mixed { Binding::Compare } else { least })
                });
                format!("{a} || {b}")
            }
            Expr::Or(a, b) => {
                format!(
                    "{} || {}",
                    self.text(a, Binding::Or),
                    self.text(b, Binding::And)
                )
            }
            Expr::Cmp(op, a, b) if self.language == Language::C => {
                let op = op.token();
                match a.ty(self.pool) {
                    // Only equality is asked of strings.
                    Some(Type::Str) => {
                        let [a, b] = [a, b].map(|operand| self.text(operand, Binding::Or));
                        format!("strcmp({a}, {b}) {op} 0")
                    }
                    // What is true may be any number but 0.
                    Some(Type::Bool) => {
                        let are_terms = [a, b]
                            .iter()
                            .all(|operand| matches!(***operand, Expr::Term(_)));
                        let [a, b] = [a, b].map(|operand| match are_terms {
                            true => self.text(&operand.clone().not(), Binding::Unary),
                            false => self.truth(operand),
                        });
                        format!("{a} {op} {b}")
                    }
                    _ => {
                        let [a, b] = [(a, b), (b, a)].map(|(one, other)| self.beside(one, other));
                        format!("{a} {op} {b}")
                    }
                }
            }
            Expr::Cmp(op, a, b) => {
                // `x as usize < y` would read `usize<y` as generic arguments.
                let least = match op {
                    CmpOp::Lt | CmpOp::Le if self.ends_in_cast(a) => Binding::Atom,
                    _ => Binding::Bits,
                };
                format!(
                    "{} {} {}",
                    self.text(a, least),
                    op.token(),
                    self.text(b, Binding::Bits)
                )
            }
            Expr::Arith(op, a, b) => {
                let (symbol, here, next) = match op {
                    ArithOp::Add => ("+", Binding::Add, Binding::Mul),
                    ArithOp::Sub => ("-", Binding::Add, Binding::Mul),
                    ArithOp::Mul => ("*", Binding::Mul, Binding::Cast),
                    ArithOp::Div => ("/", Binding::Mul, Binding::Cast),
                    ArithOp::Rem => ("%", Binding::Mul, Binding::Cast),
                };
                format!("{} {symbol} {}", self.text(a, here), self.text(b, next))
            }
        };
        (text, binding)
    }

    /// `f.is_some() && f.unwrap() == 1` for a field is `f == Some(1)`, and
    /// `f.is_none() || f.unwrap() != 1` is `f != Some(1)`. (What a local variable holds may be a
    /// reference, which compares with neither.)
    fn option(&self, expr: &Expr) -> Option<(String, Binding)> {
        let (Expr::And(before, cmp) | Expr::Or(before, cmp)) = expr else {
            return None;
        };
        let is_and = matches!(expr, Expr::And(..));
        let wanted = if is_and { CmpOp::Eq } else { CmpOp::Ne };
        let Expr::Cmp(op, value, constant) = &**cmp else {
            return None;
        };
        let (Expr::Term(value), Expr::Term(constant)) = (&**value, &**constant) else {
            return None;
        };
        let (value, term) = (&self.pool.terms[*value], &self.pool.terms[*constant]);
        let option = value.text.strip_suffix(".unwrap()")?;
        let is_field = option.rsplit_once('.').is_some_and(|(_, field)| {
            let mut chars = field.chars();
            chars.all(|c| c.is_alphanumeric() || c == '_') && !option.starts_with('*')
        });
        let is_plain = matches!(value.ty, Type::Int(_) | Type::Char);
        if *op != wanted || !is_field || !is_plain || term.constant.is_none() {
            return None;
        }
        let is_there = |expr: &Expr| match expr {
            Expr::Term(id) => {
                let query = if is_and { "is_some" } else { "is_none" };
                self.pool.terms[*id].text == format!("{option}.{query}()")
            }
            Expr::Not(a) => match &**a {
                Expr::Term(id) => {
                    !is_and && self.pool.terms[*id].text == format!("{option}.is_some()")
                }
                _ => false,
            },
            _ => false,
        };
        let (op, constant) = (op.token(), self.term(*constant));
        let text = format!("{option} {op} Some({constant})");
        match (&**before, is_and) {
            (before, _) if is_there(before) => Some((text, Binding::Compare)),
            (Expr::And(others, last), true) if is_there(last) => {
                let others = self.text(others, Binding::And);
                Some((format!("{others} && {text}"), Binding::And))
            }
            (Expr::Or(others, last), false) if is_there(last) => {
                let others = self.text(others, Binding::Or);
                Some((format!("{others} || {text}"), Binding::Or))
            }
            _ => None,
        }
    }

    fn binding(&self, expr: &Expr) -> Binding {
        match expr {
            Expr::Term(id) => self.pool.terms[*id].binding,
            Expr::Not(a) => match &**a {
                Expr::Not(inner) => self.binding(inner),
                Expr::Term(id) if self.pool.terms[*id].negation.is_some() => {
                    self.pool.terms[*id].binding
                }
                Expr::Cmp(op, x, _) if self.flips(*op, x) => Binding::Compare,
                _ => Binding::Unary,
            },
            Expr::And(..) => Binding::And,
            Expr::Or(..) => Binding::Or,
            Expr::Cmp(..) => Binding::Compare,
            Expr::Arith(ArithOp::Add | ArithOp::Sub, ..) => Binding::Add,
            Expr::Arith(..) => Binding::Mul,
        }
    }

    fn term(&self, id: usize) -> String {
        let term = &self.pool.terms[id];
        let number = matches!(term.ty, Type::Int(_) | Type::F32 | Type::F64);
        let bare = term
            .text
            .ends_with(|last: char| last.is_ascii_digit() || last == '_')
            && !term.text.contains(['x', 'i', 'u', 'f']);
        let is_open = self.suffixed && self.language == Language::Rust;
        match is_open && term.constant.is_some() && number && bare {
            true => format!("{}_{}", term.text, term.ty.name()),
            false => term.text.clone(),
        }
    }

    /// A truth of C as 0 or 1, for comparison with another.
    fn truth(&self, expr: &Expr) -> String {
        match expr {
            Expr::Term(_) => format!("!{}", self.text(&expr.clone().not(), Binding::Unary)),
            _ => self.text(expr, Binding::Bits),
        }
    }

    /// An operand of a comparison of C: a constant is written as the other operand is, as a character or
    /// a number.
    fn beside(&self, operand: &Expr, other: &Expr) -> String {
        let (Expr::Term(constant), Expr::Term(other)) = (operand, other) else {
            return self.text(operand, Binding::Bits);
        };
        let (constant, other) = (&self.pool.terms[*constant], &self.pool.terms[*other]);
        let is_quoted = constant.text.starts_with('\'');
        let is_number = constant
            .text
            .starts_with(|first: char| first.is_ascii_digit());
        let is_named = constant.origin == Origin::Old || !(is_quoted || is_number);
        let value = match &constant.constant {
            Some(Value::Int(_, value)) if !is_named => value.to_i128(),
            _ => None,
        };
        let is_character = other.reading == Reading::Character;
        match value {
            Some(value @ (0 | 9 | 10 | 13 | 32..127)) if is_character && is_number => {
                literals::quoted(value as u8)
            }
            Some(value) if is_quoted && !is_character && other.ty != Type::Int(IntType::I32) => {
                value.to_string()
            }
            _ => self.text(operand, Binding::Bits),
        }
    }

    fn ends_in_cast(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Term(id) => self.pool.terms[*id].binding == Binding::Cast,
            Expr::Arith(_, _, b) => self.ends_in_cast(b),
            _ => false,
        }
    }

    /// Whether `!(a op b)` is `a flipped(op) b`: not for the order of floats, for NaN is neither
    /// less nor not less.
    fn flips(&self, op: CmpOp, operand: &Expr) -> bool {
        matches!(op, CmpOp::Eq | CmpOp::Ne)
            || !matches!(operand.ty(self.pool), Some(Type::F32 | Type::F64) | None)
    }
}

fn flipped(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Int, IntType, Origin, Reading, Term, Value};

    fn pool() -> Pool {
        let usize = Type::Int(IntType::Usize);
        let term = |text: &str, ty, binding, constant: Option<i128>| Term {
            text: text.to_string(),
            ty,
            origin: Origin::Variable,
            binding,
            constant: constant.map(|value| Value::Int(IntType::Usize, Int::from_i128(value))),
            negation: None,
            seen_in: Vec::new(),
            definition: None,
            reading: Reading::Exact,
        };
        Pool {
            terms: vec![
                term("a", Type::Bool, Binding::Atom, None),
                term("b", Type::Bool, Binding::Atom, None),
                term("i as usize", usize, Binding::Cast, None),
                term("n", usize, Binding::Atom, None),
                term("0", usize, Binding::Atom, Some(0)),
                term("x", Type::F64, Binding::Atom, None),
                term("p.end.is_some()", Type::Bool, Binding::Atom, None),
                term("p.end.unwrap()", usize, Binding::Atom, None),
                term("o.is_some()", Type::Bool, Binding::Atom, None),
                term("o.unwrap()", usize, Binding::Atom, None),
            ],
        }
    }

    fn text(expr: &Expr, suffixed: bool) -> String {
        let pool = pool();
        Style {
            language: Language::Rust,
            pool: &pool,
            old: &[],
            suffixed,
        }
        .text(expr, Binding::Or)
    }

    #[test]
    fn parentheses_stand_only_where_they_must() {
        let t = Expr::Term;
        assert_eq!(text(&t(0).or(t(1)).and(t(0)), false), "(a || b) && a");
        assert_eq!(text(&t(0).and(t(1)).or(t(0)), false), "a && b || a");
        assert_eq!(text(&t(0).and(t(1).and(t(0))), false), "a && (b && a)");
        assert_eq!(text(&t(2).cmp(CmpOp::Lt, t(3)), false), "(i as usize) < n");
        assert_eq!(text(&t(3).cmp(CmpOp::Lt, t(2)), false), "n < i as usize");
        assert_eq!(text(&t(0).and(t(1)).not(), false), "!(a && b)");
        let sum = t(3).arith(ArithOp::Sub, t(3).arith(ArithOp::Add, t(4)));
        assert_eq!(
            text(&sum.cmp(CmpOp::Gt, t(4)), true),
            "n - (n + 0_usize) > 0_usize"
        );
    }

    #[test]
    fn a_negated_comparison_is_turned_round_except_for_the_order_of_floats() {
        let t = Expr::Term;
        assert_eq!(text(&t(3).cmp(CmpOp::Lt, t(4)).not(), false), "n >= 0");
        assert_eq!(text(&t(5).cmp(CmpOp::Lt, t(5)).not(), false), "!(x < x)");
        assert_eq!(text(&t(5).cmp(CmpOp::Eq, t(5)).not(), false), "x != x");
    }

    #[test]
    fn an_optional_field_is_compared_as_a_whole() {
        let t = Expr::Term;
        let is_zero = |some, value| t(some).and(t(value).cmp(CmpOp::Eq, t(4)));
        assert_eq!(text(&is_zero(6, 7), false), "p.end == Some(0)");
        assert_eq!(
            text(&is_zero(8, 9), false),
            "o.is_some() && o.unwrap() == 0"
        );
        let no_other = t(6).not().or(t(7).cmp(CmpOp::Ne, t(4)));
        assert_eq!(
            text(&no_other.and(t(0)), true),
            "p.end != Some(0_usize) && a"
        );
        let both = t(0).and(t(6)).and(t(7).cmp(CmpOp::Eq, t(4)));
        assert_eq!(text(&both.not(), false), "!(a && p.end == Some(0))");
        let less = t(6).and(t(7).cmp(CmpOp::Lt, t(4)));
        assert_eq!(text(&less, false), "p.end.is_some() && p.end.unwrap() < 0");
    }

    #[test]
    fn parts_of_the_old_condition_stay_verbatim() {
        let pool = pool();
        let old_part = Expr::Term(3).cmp(CmpOp::Gt, Expr::Term(4));
        let old = [(old_part.clone(), "n   > 0".to_string())];
        let style = Style {
            language: Language::Rust,
            pool: &pool,
            old: &old,
            suffixed: false,
        };
        assert_eq!(
            style.text(&Expr::Term(0).and(old_part), Binding::Or),
            "a && n   > 0"
        );
    }
}
