//! Renders expressions as text, without needless parentheses. Parts of the original condition stay verbatim, with the
//! comments and line breaks between them. Each language has a file for its own notation.

mod c;
mod rust;

use nopol_expr::{ArithOp, Binding, CmpOp, Expr, Pool, TermId, Type, Value};
use nopol_source::condition::Spelling;
use nopol_source::{Language, write};

/// How to render an expression.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// The language of the subject.
    pub language: Language,
    /// The pool of the expression's terms.
    pub pool: &'a Pool,
    /// The parts of the original condition, which are rendered verbatim.
    pub old: &'a [Spelling],
    /// Whether numeric literals get a type suffix, so that they cannot affect type inference elsewhere.
    pub suffixed: bool,
}

/// The notation of a language, where languages differ.
trait Notation {
    /// An idiomatic form of the expression, if the language has one.
    fn idiom(&self, style: &Style, expr: &Expr) -> Option<(String, Binding)>;

    /// A term.
    fn term(&self, style: &Style, id: TermId) -> String;

    /// The least binding strength of each operand of `a || b`.
    fn bindings_of_or(&self, style: &Style, a: &Expr, b: &Expr) -> [Binding; 2];

    /// The operands of `a op b`. `None` if the language does not write this comparison as an infix operator.
    fn compared(&self, style: &Style, op: CmpOp, a: &Expr, b: &Expr) -> Option<[String; 2]>;

    /// The comparison `a op b` as a whole, if it is not written as an infix operator.
    fn cmp(&self, style: &Style, op: CmpOp, a: &Expr, b: &Expr) -> String;
}

/// An operator with its operands.
#[derive(Clone, Copy, Debug)]
struct Infix<'e> {
    token: &'static str,
    /// Whether it is a comparison.
    compares: bool,
    operands: [&'e Expr; 2],
}

impl<'e> Infix<'e> {
    fn of(expr: &'e Expr) -> Option<Self> {
        let (token, compares, a, b) = match expr {
            Expr::Term(_) | Expr::Not(_) => return None,
            Expr::And(a, b) => ("&&", false, a, b),
            Expr::Or(a, b) => ("||", false, a, b),
            Expr::Cmp(op, a, b) => (op.token(), true, a, b),
            Expr::Arith(op, a, b) => (op.token(), false, a, b),
        };
        Some(Self {
            token,
            compares,
            operands: [a, b],
        })
    }

    /// Whether only one operand, or only the operator, differs from `old`.
    fn is_variant_of(&self, old: &Self) -> bool {
        let is_alike = self.token == old.token || (self.compares && old.compares);
        let [a, b] = [0, 1].map(|side| self.operands[side] == old.operands[side]);
        (a && b) || (is_alike && (a || b))
    }
}

impl Style<'_> {
    /// The text of an expression, in parentheses if it binds less tightly than `min_binding`.
    pub fn text(&self, expr: &Expr, min_binding: Binding) -> String {
        let (text, binding) = self.write(expr);
        if binding < min_binding {
            format!("({text})")
        } else {
            text
        }
    }

    fn notation(&self) -> &'static dyn Notation {
        match self.language {
            Language::Rust => &rust::Rust,
            Language::C => &c::C,
        }
    }

    /// The part of the original condition that equals the expression.
    fn original_part(&self, expr: &Expr) -> Option<&Spelling> {
        self.old.iter().find(|part| part.expr == *expr)
    }

    fn write(&self, expr: &Expr) -> (String, Binding) {
        let binding = self.binding(expr);
        if !matches!(expr, Expr::Term(_))
            && let Some(part) = self.original_part(expr)
        {
            return (part.text.clone(), binding);
        }
        if let Some(written) = self.notation().idiom(self, expr) {
            return written;
        }
        if let Some(text) = self.respelled(expr) {
            return (text, binding);
        }
        let text = match expr {
            Expr::Term(id) => self.notation().term(self, *id),
            Expr::Not(a) => match &**a {
                Expr::Not(inner) => return self.write(inner),
                Expr::Term(id) if self.truth(*id).is_some() => {
                    format!("{}", self.truth(*id) == Some(false))
                }
                Expr::Term(id) if self.pool.terms[*id].negation.is_some() => {
                    let negation = self.pool.terms[*id].negation.as_ref();
                    negation.map(write::text).unwrap_or_default()
                }
                Expr::Cmp(op, x, y) if self.can_negate(*op, x) => {
                    return self.write(&Expr::Cmp(op.negated(), x.clone(), y.clone()));
                }
                _ => format!("!{}", self.text(a, Binding::Unary)),
            },
            Expr::And(..) | Expr::Or(..) | Expr::Cmp(..) | Expr::Arith(..) => self.infix(expr),
        };
        (text, binding)
    }

    /// The operands of an operator, in parentheses where needed.
    fn operands(&self, expr: &Expr) -> Option<[String; 2]> {
        let (a, b) = match expr {
            Expr::Term(_) | Expr::Not(_) => return None,
            Expr::Cmp(op, a, b) => return self.notation().compared(self, *op, a, b),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Arith(_, a, b) => (a, b),
        };
        let [here, next] = match expr {
            Expr::Or(..) => self.notation().bindings_of_or(self, a, b),
            Expr::Arith(ArithOp::Add | ArithOp::Sub, ..) => [Binding::Add, Binding::Mul],
            Expr::Arith(..) => [Binding::Mul, Binding::Cast],
            _ => [Binding::And, Binding::Compare],
        };
        Some([self.text(a, here), self.text(b, next)])
    }

    /// An operator between its operands.
    fn infix(&self, expr: &Expr) -> String {
        match (Infix::of(expr), self.operands(expr), expr) {
            (Some(infix), Some([a, b]), _) => format!("{a} {} {b}", infix.token),
            (_, _, Expr::Cmp(op, a, b)) => self.notation().cmp(self, *op, a, b),
            _ => String::new(),
        }
    }

    /// A part of the original condition in which one operand or the operator changed. Everything between the operands
    /// stays.
    fn respelled(&self, expr: &Expr) -> Option<String> {
        let infix = Infix::of(expr).filter(|_| !self.suffixed)?;
        let written = self.operands(expr)?;
        self.old.iter().find_map(|part| {
            let old = Infix::of(&part.expr)?;
            let [left, right] = part.operands.clone()?;
            let between = part.text.get(left.end..right.start)?;
            // The token may also occur in a comment.
            if !infix.is_variant_of(&old) || between.matches(old.token).count() != 1 {
                return None;
            }
            let between = between.replacen(old.token, infix.token, 1);
            let mut pieces = [&part.text[..left.start], &between, &part.text[right.end..]];
            // A group that is now a single clause needs no parentheses.
            let is_chain = |expr: &Expr| matches!(expr, Expr::And(..) | Expr::Or(..));
            for side in [0, 1] {
                let opened = pieces[side].trim_end().strip_suffix('(');
                let closed = pieces[side + 1].trim_start().strip_prefix(')');
                if let (Some(before), Some(after)) = (opened, closed)
                    && is_chain(old.operands[side])
                    && !is_chain(infix.operands[side])
                    && written[side] == self.text(infix.operands[side], Binding::Or)
                {
                    (pieces[side], pieces[side + 1]) = (before, after);
                }
            }
            let [a, b] = [(0, &left), (1, &right)].map(|(side, span)| {
                let (before, after) = (&part.text[..span.start], &part.text[span.end..]);
                let is_grouped =
                    before.trim_end().ends_with('(') && after.trim_start().starts_with(')');
                let operand = infix.operands[side];
                let same = (*operand == *old.operands[side]).then(|| &part.text[span.clone()]);
                let bare = self.text(operand, Binding::Or);
                match same {
                    Some(same) if is_grouped || written[side] == bare => same.to_owned(),
                    Some(same) => format!("({same})"),
                    None if is_grouped => bare,
                    None => written[side].clone(),
                }
            });
            let [before, between, after] = pieces;
            Some(format!("{before}{a}{between}{b}{after}"))
        })
    }

    fn binding(&self, expr: &Expr) -> Binding {
        match expr {
            Expr::Term(id) => self.pool.terms[*id].binding,
            Expr::Not(a) => match &**a {
                Expr::Not(inner) => self.binding(inner),
                Expr::Term(id)
                    if self.pool.terms[*id].negation.is_some() || self.truth(*id).is_some() =>
                {
                    self.pool.terms[*id].binding
                }
                Expr::Cmp(op, x, _) if self.can_negate(*op, x) => Binding::Compare,
                _ => Binding::Unary,
            },
            Expr::And(..) => Binding::And,
            Expr::Or(..) => Binding::Or,
            Expr::Cmp(..) => Binding::Compare,
            Expr::Arith(op, ..) => op.binding(),
        }
    }

    /// The value of a term that is `true` or `false`, if the language surely has these names.
    fn truth(&self, id: TermId) -> Option<bool> {
        match self.pool.terms[id].constant {
            Some(Value::Bool(value)) if self.language == Language::Rust => Some(value),
            _ => None,
        }
    }

    /// Whether `!(a op b)` equals `a negated(op) b`. It does not for ordered comparisons of floats, because of NaN.
    fn can_negate(&self, op: CmpOp, operand: &Expr) -> bool {
        matches!(op, CmpOp::Eq | CmpOp::Ne)
            || !matches!(operand.ty(self.pool), Some(Type::F32 | Type::F64) | None)
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::{Int, IntType, Origin, Term};

    use super::*;

    fn pool() -> Pool {
        let usize = Type::Int(IntType::Usize);
        let term = |text: &str, ty, binding, constant: Option<i128>| Term {
            binding,
            constant: constant.map(|value| Value::Int(IntType::Usize, Int::from_i128(value))),
            ..Term::new(Language::Rust.access(text), ty, Origin::Variable)
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
            ]
            .into(),
        }
    }

    fn t(term: u32) -> Expr {
        Expr::Term(TermId::new(term))
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
    fn parentheses_are_written_only_where_needed() {
        assert_eq!(text(&t(0).or(t(1)).and(t(0)), false), "(a || b) && a");
        assert_eq!(text(&t(0).and(t(1)).or(t(0)), false), "a && b || a");
        assert_eq!(text(&t(0).and(t(1).and(t(0))), false), "a && (b && a)");
        assert_eq!(text(&t(2).cmp(CmpOp::Lt, t(3)), false), "(i as usize) < n");
        assert_eq!(text(&t(3).cmp(CmpOp::Lt, t(2)), false), "n < i as usize");
        assert_eq!(text(&t(2).cmp(CmpOp::Le, t(3)), false), "i as usize <= n");
        assert_eq!(text(&t(0).and(t(1)).not(), false), "!(a && b)");
        let sum = t(3).arith(ArithOp::Sub, t(3).arith(ArithOp::Add, t(4)));
        assert_eq!(
            text(&sum.cmp(CmpOp::Gt, t(4)), true),
            "n - (n + 0_usize) > 0_usize"
        );
    }

    #[test]
    fn a_negated_comparison_uses_the_opposite_operator_except_for_ordered_floats() {
        assert_eq!(text(&t(3).cmp(CmpOp::Lt, t(4)).not(), false), "n >= 0");
        assert_eq!(text(&t(5).cmp(CmpOp::Lt, t(5)).not(), false), "!(x < x)");
        assert_eq!(text(&t(5).cmp(CmpOp::Eq, t(5)).not(), false), "x != x");
    }

    #[test]
    fn an_optional_field_is_compared_as_a_whole() {
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
        let equal = t(6).and(t(3).cmp(CmpOp::Eq, t(7)));
        assert_eq!(text(&equal, false), "p.end == Some(n)");
        let less = t(6).and(t(7).cmp(CmpOp::Lt, t(4)));
        assert_eq!(text(&less, false), "p.end.is_some() && p.end.unwrap() < 0");
    }

    #[test]
    fn parts_of_the_original_condition_stay_verbatim() {
        let pool = pool();
        let old_part = t(3).cmp(CmpOp::Gt, t(4));
        let old = [Spelling {
            expr: old_part.clone(),
            text: "n   > 0".to_string(),
            operands: None,
            is_null_test: false,
        }];
        let style = Style {
            language: Language::Rust,
            pool: &pool,
            old: &old,
            suffixed: false,
        };
        assert_eq!(style.text(&t(0).and(old_part), Binding::Or), "a && n   > 0");
    }

    #[test]
    fn the_text_between_the_operands_of_a_changed_part_stays() {
        let pool = pool();
        let within = |text: &str, parts: [&str; 2]| {
            let [left, right] = parts;
            let starts = [text.find(left)?, text.rfind(right)?];
            Some([0, 1].map(|side| starts[side]..starts[side] + parts[side].len()))
        };
        let spelled = |expr: Expr, text: &str, parts: [&str; 2]| Spelling {
            expr,
            operands: within(text, parts),
            text: text.to_owned(),
            is_null_test: false,
        };
        let cast = t(2).cmp(CmpOp::Gt, t(4));
        let any = t(0).or(cast.clone());
        let old = [
            spelled(cast.clone(), "i as usize > 0", ["i as usize", "0"]),
            spelled(
                any.clone(),
                "a\n  // or\n  || i as usize > 0",
                ["a", "i as usize > 0"],
            ),
            spelled(
                any.clone().and(t(1)),
                "(a\n  // or\n  || i as usize > 0)\n  // but\n  && b",
                ["a\n  // or\n  || i as usize > 0", "b"],
            ),
        ];
        let style = Style {
            language: Language::Rust,
            pool: &pool,
            old: &old,
            suffixed: false,
        };
        let text = |expr: Expr| style.text(&expr, Binding::Or);
        assert_eq!(
            text(any.clone().and(t(1).not())),
            "(a\n  // or\n  || i as usize > 0)\n  // but\n  && !b"
        );
        // `i as usize < 0` would not parse as a comparison.
        let less = t(2).cmp(CmpOp::Lt, t(4));
        assert_eq!(
            text(t(0).or(less).and(t(1))),
            "(a\n  // or\n  || (i as usize) < 0)\n  // but\n  && b"
        );
        assert_eq!(text(t(0).and(cast)), "a\n  // or\n  && i as usize > 0");
        // The group is now a single clause.
        assert_eq!(text(t(0).and(t(1))), "a\n  // but\n  && b");
        let either = t(1).or(t(0));
        assert_eq!(
            text(any.and(either)),
            "(a\n  // or\n  || i as usize > 0)\n  // but\n  && (b || a)"
        );
    }
}
