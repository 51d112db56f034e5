//! The levels are exact: brute force finds an expression in a level if and only if the solver does, and the other
//! engine finds none in a level that the solver proved empty.

use super::properties::{explains, is_constant, problem};
use super::*;
use crate::smt::library::{Level, levels};
use crate::table::Table;
use crate::{Answer, EngineKind};
use proptest::prelude::*;

fn solve(problem: &Problem, engine: EngineKind) -> Synthesis {
    let limits = Limits {
        engine,
        rlimit: 300_000,
        ..Limits::default()
    };
    synthesize(&problem.spec, &problem.pool, &limits)
}

/// The result of each level that the solver tried, and whether the rows of passing tests counted.
fn tried(problem: &Problem) -> Vec<(Level, bool, Answer)> {
    let table = Table::new(&problem.spec, &problem.pool);
    let levels = levels(&table);
    let find = |name: &str| levels.iter().find(|level| level.name() == name).copied();
    let tried = solve(problem, EngineKind::Smt).levels.into_iter();
    let tried = tried.filter_map(|(name, answer)| {
        let hard_only = name.strip_suffix(", failing tests only");
        let level = find(hard_only.unwrap_or(&name))?;
        Some((level, hard_only.is_none(), answer))
    });
    tried.collect()
}

/// Whether the expression decides something and explains the rows that count.
fn is_answer(expr: &Expr, problem: &Problem, with_soft: bool) -> bool {
    let spec = &problem.spec;
    let wanted = |row: &Row| row.hard || with_soft && !is_outvoted(row, spec);
    !is_constant(expr, spec) && explains(expr, spec, wanted)
}

/// Whether rows with the same values have more weight for the other outcome.
fn is_outvoted(row: &Row, spec: &Spec) -> bool {
    let votes = |outcome: bool| -> u32 {
        let same = spec.rows.iter().filter(|other| other.values == row.values);
        let same = same.filter(|other| other.expected == outcome);
        same.map(|other| if other.hard { 1000 } else { other.weight })
            .sum()
    };
    // `true` wins a draw.
    match row.expected {
        true => votes(false) > votes(true),
        false => votes(true) >= votes(false),
    }
}

/// The booleans other than comparisons of two terms: variables and parts of the original condition.
fn booleans(problem: &Problem) -> Vec<Expr> {
    let mut booleans = parts(problem.spec.old.iter());
    let terms = problem.pool.terms.iter_enumerated();
    let terms = terms.filter(|(_, term)| term.ty == Type::Bool);
    booleans.extend(terms.map(|(id, _)| Expr::Term(id)));
    booleans
}

fn parts<'a>(exprs: impl Iterator<Item = &'a Expr>) -> Vec<Expr> {
    let mut parts = Vec::new();
    for expr in exprs {
        if matches!(expr, Expr::And(..) | Expr::Or(..) | Expr::Cmp(..)) {
            parts.push(expr.clone());
        }
        parts.extend(self::parts(expr.children()));
    }
    parts
}

/// Every comparison of two terms that are not both literals.
fn comparisons(pool: &Pool) -> Vec<Expr> {
    let mut all = Vec::new();
    for (a, left) in pool.terms.iter_enumerated() {
        for (b, right) in pool.terms.iter_enumerated() {
            let literals = left.constant.is_some() && right.constant.is_some();
            if a == b || left.ty != right.ty || left.ty == Type::Bool || literals {
                continue;
            }
            let ops = CmpOp::ALL.into_iter();
            let ops = ops.filter(|op| left.ty.ordered() || !op.orders());
            all.extend(ops.map(|op| Expr::Term(a).cmp(op, Expr::Term(b))));
        }
    }
    all
}

fn both_ways(exprs: Vec<Expr>) -> Vec<Expr> {
    let negated: Vec<_> = exprs.iter().map(|expr| expr.clone().not()).collect();
    exprs.into_iter().chain(negated).collect()
}

/// Every expression of the first four levels, except for symmetric forms.
fn brute_force(problem: &Problem) -> [Vec<Expr>; 4] {
    let booleans = both_ways(booleans(problem));
    let comparisons = both_ways(comparisons(&problem.pool));
    let pairs = |left: &[Expr], right: &[Expr]| -> Vec<Expr> {
        let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
        let joined = pairs.flat_map(|(a, b)| {
            [
                a.clone().and(b.clone()),
                a.clone().or(b.clone()),
                b.clone().and(a.clone()),
                b.clone().or(a.clone()),
            ]
        });
        joined.collect()
    };
    let mut mixed = pairs(&booleans, &comparisons);
    mixed.extend(pairs(&booleans, &booleans));
    let two = pairs(&comparisons, &comparisons);
    [booleans, comparisons, mixed, two]
}

/// How many comparisons, connectives and sums an expression has, where `leaves` have none; `None`
/// if something else is in it.
fn shape(expr: &Expr, leaves: &[Expr], pool: &Pool) -> Option<[usize; 3]> {
    if leaves.contains(expr) {
        return Some([0; 3]);
    }
    let is_literal = |expr: &Expr| match expr {
        Expr::Term(term) => pool.terms[*term].constant.is_some(),
        _ => false,
    };
    let own = match expr {
        Expr::Term(_) | Expr::Not(_) => [0; 3],
        Expr::Cmp(_, a, b) if a.ty(pool) == Some(Type::Bool) || is_literal(a) && is_literal(b) => {
            return None;
        }
        Expr::Cmp(..) => [1, 0, 0],
        Expr::And(..) | Expr::Or(..) => [0, 1, 0],
        Expr::Arith(ArithOp::Add | ArithOp::Sub, a, b) if !(is_literal(a) && is_literal(b)) => {
            [0, 0, 1]
        }
        Expr::Arith(..) => return None,
    };
    let mut shape = own;
    for child in expr.children() {
        let child = self::shape(child, leaves, pool)?;
        shape = [0, 1, 2].map(|kind| shape[kind] + child[kind]);
    }
    Some(shape)
}

fn lies_in(level: &Level, expr: &Expr, problem: &Problem) -> bool {
    let whole = shape(expr, &[], &problem.pool);
    let leaves = parts(problem.spec.old.iter());
    let around = shape(expr, &leaves, &problem.pool);
    [whole, around].into_iter().flatten().any(|shape| {
        let [comparisons, connectives, sums] = shape;
        let fits = connectives == level.connectives && sums == level.sums;
        // All integers of these specs are of one type.
        let spare = level.comparisons.checked_sub(comparisons);
        fits && spare.is_some_and(|spare| spare == 0 || !level.needs_comparisons())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_first_levels_agree_with_brute_force(problem in problem(2..7)) {
        if problem.spec.old_is_impure || problem.spec.is_one_sided() {
            return Ok(());
        }
        let brute_force = brute_force(&problem);
        let levels = levels(&Table::new(&problem.spec, &problem.pool));
        for (level, with_soft, answer) in tried(&problem) {
            let index = levels.iter().position(|other| other.name() == level.name());
            let Some(all) = index.and_then(|index| brute_force.get(index)) else {
                continue;
            };
            let explained = all.iter().find(|expr| is_answer(expr, &problem, with_soft));
            let explained = explained.map(|expr| problem.show(expr));
            match answer {
                Answer::Nothing => prop_assert_eq!(explained, None, "{}", level.name()),
                Answer::Found(_) => prop_assert!(explained.is_some(), "{}", level.name()),
                Answer::Unknown(_) => {}
            }
        }
    }

    #[test]
    fn what_the_enumerator_finds_lies_in_no_level_that_was_proved_empty(problem in problem(2..9)) {
        if problem.spec.old_is_impure {
            return Ok(());
        }
        let enumerated = solve(&problem, EngineKind::Enumerate).candidates;
        for (level, with_soft, answer) in tried(&problem) {
            if answer != Answer::Nothing {
                continue;
            }
            for candidate in &enumerated {
                let expr = &candidate.expr;
                prop_assert!(
                    !lies_in(&level, expr, &problem) || !is_answer(expr, &problem, with_soft),
                    "{} in {}", problem.show(expr), level.name()
                );
            }
        }
    }
}
