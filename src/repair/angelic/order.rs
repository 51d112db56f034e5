//! Orders the clauses of a condition so that each guard stands before the clause that it protects. Recorded values
//! cannot show the order in C, where an element out of bounds may have a value, and need not show it in Rust.

use nopol_expr::Expr;
use nopol_source::{Condition, Language};

use crate::rank::guards::Guards;

/// The expression with each guard before the clause that it protects. `text` writes a clause.
pub(super) fn guards_first(
    expr: &Expr,
    language: Language,
    text: &dyn Fn(&Expr) -> String,
) -> Expr {
    let guards = Guards {
        language,
        checks_differences: language == Language::Rust,
    };
    ordered(expr, guards, text)
}

fn ordered(expr: &Expr, guards: Guards, text: &dyn Fn(&Expr) -> String) -> Expr {
    let is_and = match expr {
        Expr::And(..) => true,
        Expr::Or(..) => false,
        Expr::Not(inner) => return ordered(inner, guards, text).not(),
        Expr::Term(_) | Expr::Cmp(..) | Expr::Arith(..) => return expr.clone(),
    };
    let mut clauses = Vec::new();
    chain(expr, is_and, &mut clauses);
    let mut clauses: Vec<Clause> = clauses
        .into_iter()
        .map(|clause| Clause::new(ordered(clause, guards, text), guards.language, text))
        .collect();
    let mut is_moved = false;
    for at in 1..clauses.len() {
        if let Some(to) = place(&clauses[..=at], is_and, guards) {
            clauses[to..=at].rotate_right(1);
            is_moved = true;
        }
    }
    // Parts of the original condition keep their shape, and so their text.
    if !is_moved {
        return match expr {
            Expr::And(a, b) => ordered(a, guards, text).and(ordered(b, guards, text)),
            Expr::Or(a, b) => ordered(a, guards, text).or(ordered(b, guards, text)),
            _ => expr.clone(),
        };
    }
    let mut parts = clauses.into_iter().map(|clause| clause.expr);
    let Some(first) = parts.next() else {
        return expr.clone();
    };
    parts.fold(first, |left, right| match is_and {
        true => left.and(right),
        false => left.or(right),
    })
}

/// One clause of a conjunction or disjunction.
struct Clause {
    expr: Expr,
    condition: Condition,
    language: Language,
}

impl Clause {
    fn new(expr: Expr, language: Language, text: &dyn Fn(&Expr) -> String) -> Self {
        Self {
            condition: text(&expr).into(),
            expr,
            language,
        }
    }

    fn protects(&self, other: &Self, is_and: bool, guards: Guards) -> bool {
        let tree = self.condition.tree(self.language);
        tree.is_some_and(|tree| guards.protects(tree, is_and, &other.condition))
    }
}

/// The position to which the last of these clauses must move; `None` if it may stay.
fn place(clauses: &[Clause], is_and: bool, guards: Guards) -> Option<usize> {
    let (last, before) = clauses.split_last()?;
    let to = before
        .iter()
        .position(|clause| last.protects(clause, is_and, guards))?;
    let mut passed = before[to..].iter();
    // A guard of this clause stays before it, and a clause is not moved across a change of a variable.
    let is_bound = passed.any(|clause| {
        clause.protects(last, is_and, guards)
            || clause.condition.contains("++")
            || clause.condition.contains("--")
    });
    (!is_bound).then_some(to)
}

fn chain<'e>(expr: &'e Expr, is_and: bool, clauses: &mut Vec<&'e Expr>) {
    match (expr, is_and) {
        (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
            chain(a, is_and, clauses);
            chain(b, is_and, clauses);
        }
        _ => clauses.push(expr),
    }
}

#[cfg(test)]
mod tests {
    use nopol_expr::TermId;

    use super::*;

    /// The clauses as reordered, if `&&` (or `||`) joins them.
    fn order(language: Language, texts: &[&str], is_and: bool) -> Vec<String> {
        let terms = (0..).map(|nth| Expr::Term(TermId::new(nth)));
        let parts = terms.take(texts.len()).reduce(|left, right| match is_and {
            true => left.and(right),
            false => left.or(right),
        });
        let text = |expr: &Expr| {
            let written = expr.terms().into_iter();
            written
                .map(|term| texts[usize::from(term)])
                .collect::<Vec<_>>()
                .join(if is_and { " && " } else { " || " })
        };
        let expr = guards_first(&parts.unwrap(), language, &text);
        let terms = expr.terms().into_iter();
        terms
            .map(|term| texts[usize::from(term)].to_owned())
            .collect()
    }

    #[test]
    fn a_guard_moves_before_the_clause_it_protects() {
        let c = |texts: &[&str], is_and| order(Language::C, texts, is_and);
        let moved = ["end != 0", "s[end - 1] == '.'"];
        assert_eq!(c(&["s[end - 1] == '.'", "end != 0"], true), moved);
        assert_eq!(c(&moved, true), moved);
        let exit = ["i >= n", "v[i] == 3"];
        assert_eq!(c(&["v[i] == 3", "i >= n"], false), exit);
        let pointer = ["k", "p", "p->value == 2"];
        assert_eq!(c(&["k", "p->value == 2", "p"], true), pointer);
        let divisor = ["d != 0", "n / d > 2"];
        assert_eq!(
            order(Language::Rust, &["n / d > 2", "d != 0"], true),
            divisor
        );
        let element = ["i < v.len()", "v[i] == 2"];
        assert_eq!(
            order(Language::Rust, &["v[i] == 2", "i < v.len()"], true),
            element
        );
    }

    #[test]
    fn a_guard_of_a_guard_stays_before_it() {
        let all = ["p", "v[p->at] == 2", "p->at < n"];
        let wanted = ["p", "p->at < n", "v[p->at] == 2"];
        assert_eq!(order(Language::C, &all, true), wanted);
        let steps = ["v[i++] == 2", "i < n"];
        assert_eq!(order(Language::C, &steps, true), steps);
        let others = ["a == 2", "b < n"];
        assert_eq!(order(Language::C, &others, true), others);
    }
}
