//! C's notation of expressions.

use nopol_expr::{Binding, CmpOp, Expr, IntType, NullTest, Origin, Reading, TermId, Type, Value};
use nopol_source::c::literals;
use nopol_source::write;

use super::{Notation, Style};

pub(super) struct C;

impl Notation for C {
    /// A null test of the original condition keeps its form. A new one takes the usual form of the file.
    fn idiom(&self, style: &Style, expr: &Expr) -> Option<(String, Binding)> {
        if let Some(part) = style.original_part(expr) {
            let is_null_test = part.is_null_test;
            return is_null_test.then(|| (part.text.clone(), Binding::Compare));
        }
        let (tested, op) = match expr {
            Expr::Term(id) => (*id, CmpOp::Ne),
            Expr::Not(inner) => match **inner {
                Expr::Term(id) => (id, CmpOp::Eq),
                _ => return None,
            },
            _ => return None,
        };
        let term = &style.pool.terms[tested];
        let nothing = match term.reading {
            Reading::Presence(NullTest::Null) => "NULL",
            Reading::Presence(NullTest::Zero) => "0",
            _ => return None,
        };
        let pointer = match self.term(style, tested) {
            text if term.binding < Binding::Bits => format!("({text})"),
            text => text,
        };
        Some((
            format!("{pointer} {} {nothing}", op.token()),
            Binding::Compare,
        ))
    }

    fn term(&self, style: &Style, id: TermId) -> String {
        write::text(&style.pool.terms[id].access)
    }

    /// An `&&` inside `||` gets parentheses, because compilers warn about `a && b || c`.
    fn bindings_of_or(&self, style: &Style, a: &Expr, b: &Expr) -> [Binding; 2] {
        [(a, Binding::Or), (b, Binding::Compare)].map(|(operand, binding)| {
            match style.binding(operand) {
                Binding::And => Binding::Compare,
                _ => binding,
            }
        })
    }

    fn compared(&self, style: &Style, _: CmpOp, a: &Expr, b: &Expr) -> Option<[String; 2]> {
        match a.ty(style.pool) {
            Some(Type::Str | Type::Bool) => None,
            _ => Some([(a, b), (b, a)].map(|(one, other)| operand(style, one, other))),
        }
    }

    fn cmp(&self, style: &Style, op: CmpOp, a: &Expr, b: &Expr) -> String {
        let op = op.token();
        // Strings are compared only for equality.
        if a.ty(style.pool) == Some(Type::Str) {
            let [a, b] = [a, b].map(|operand| style.text(operand, Binding::Or));
            return format!("strcmp({a}, {b}) {op} 0");
        }
        // A true value may be any number except 0, so `!` normalizes both operands.
        let are_terms = [a, b]
            .iter()
            .all(|operand| matches!(operand, Expr::Term(_)));
        let [a, b] = [a, b].map(|operand| match are_terms {
            true => style.text(&operand.clone().not(), Binding::Unary),
            false => truth(style, operand),
        });
        format!("{a} {op} {b}")
    }
}

/// A truth value as 0 or 1, so that it can be compared with another one.
fn truth(style: &Style, expr: &Expr) -> String {
    match expr {
        Expr::Term(_) => format!("!{}", style.text(&expr.clone().not(), Binding::Unary)),
        _ => style.text(expr, Binding::Bits),
    }
}

/// An operand of a comparison. A constant is written as a character or a number to match the other operand.
fn operand(style: &Style, operand: &Expr, other: &Expr) -> String {
    let (Expr::Term(constant), Expr::Term(other)) = (operand, other) else {
        return style.text(operand, Binding::Bits);
    };
    let (constant, other) = (&style.pool.terms[*constant], &style.pool.terms[*other]);
    let text = write::text(&constant.access);
    let is_quoted = text.starts_with('\'');
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
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
        // An `int` may hold a character, but 0 is still written as a number.
        Some(value)
            if is_quoted
                && !is_character
                && (value == 0 || other.ty != Type::Int(IntType::I32)) =>
        {
            value.to_string()
        }
        _ => style.text(operand, Binding::Bits),
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::{Int, Pool, Term};
    use nopol_source::Language;
    use nopol_source::condition::Spelling;

    use super::*;

    fn pool() -> Pool {
        let pointer = |text: &str, test: NullTest| Term {
            reading: Reading::Presence(test),
            ..Term::new(Language::C.access(text), Type::Bool, Origin::Variable)
        };
        Pool {
            terms: vec![
                pointer("p", NullTest::Truth),
                pointer("q->next", NullTest::Null),
                pointer("r", NullTest::Zero),
            ]
            .into(),
        }
    }

    fn t(term: u32) -> Expr {
        Expr::Term(TermId::new(term))
    }

    #[test]
    fn a_null_character_is_written_as_a_number_beside_a_number() {
        let int = Type::Int(IntType::I32);
        let variable = |name: &str, reading: Reading| Term {
            reading,
            ..Term::new(Language::C.access(name), int, Origin::Variable)
        };
        let quoted = |byte: u8| Term {
            constant: Some(Value::Int(IntType::I32, Int::from_i128(byte.into()))),
            ..Term::new(
                Language::C.access(&literals::quoted(byte)),
                int,
                Origin::FunctionLiteral,
            )
        };
        let pool = Pool {
            terms: vec![
                variable("n", Reading::Exact),
                variable("*s", Reading::Character),
                quoted(0),
                quoted(b'x'),
            ]
            .into(),
        };
        let style = Style {
            language: Language::C,
            pool: &pool,
            old: &[],
            suffixed: false,
        };
        let compared = |a, b| style.text(&t(a).cmp(CmpOp::Ne, t(b)), Binding::Or);
        assert_eq!(compared(0, 2), "n != 0");
        assert_eq!(compared(0, 3), "n != 'x'");
        assert_eq!(compared(1, 2), "*s != '\\0'");
    }

    fn text(expr: &Expr, old: &[Spelling]) -> String {
        let pool = pool();
        let style = Style {
            language: Language::C,
            pool: &pool,
            old,
            suffixed: false,
        };
        style.text(expr, Binding::Or)
    }

    #[test]
    fn a_null_test_is_written_as_the_file_does() {
        assert_eq!(text(&t(0).and(t(0).not()), &[]), "p && !p");
        assert_eq!(text(&t(1), &[]), "q->next != NULL");
        assert_eq!(text(&t(1).not().or(t(0)), &[]), "q->next == NULL || p");
        assert_eq!(text(&t(2).not().not(), &[]), "r != 0");
        assert_eq!(text(&t(2).and(t(0)).not(), &[]), "!(r != 0 && p)");
    }

    #[test]
    fn a_null_test_of_the_original_condition_keeps_its_form() {
        let old = |expr, text: &str, is_null_test| Spelling {
            expr,
            text: text.to_owned(),
            operands: None,
            is_null_test,
        };
        let bare = old(t(1), "q->next", false);
        let spelled = old(t(0), "NULL != p", true);
        let negated = old(t(2).not(), "!r", false);
        let old = [bare, spelled, negated];
        let all = t(1).and(t(0)).and(t(2).not());
        assert_eq!(text(&all, &old), "q->next && NULL != p && !r");
    }
}
