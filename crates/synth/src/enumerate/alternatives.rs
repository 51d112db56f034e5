//! Edits that extend the form of the original condition: a further value of an operand that is already compared
//! with values, a clause of the shape of an existing one, several comparisons changed between strict and
//! inclusive, and, if only one outcome was recorded, a forgotten special case.
//!
//! Of 168 corrections in Codeflaws that added a clause (even contests, class OILN), some 20 added a further
//! value of an operand, and some 50 excluded or included 0, 1 or 2.

use nopol_expr::{CmpOp, Expr, Origin, Outline, Pool, Reading, Term, TermId, Type, Value};

use crate::atoms::is_constant;
use crate::kind::EditKind;
use crate::limits;
use crate::rank;
use crate::redundancy::{clauses_of, same_operands};
use crate::table::Table;
use crate::weights::WEIGHTS;

/// An edit with its cost and kind.
pub(super) type Alternative = (Expr, u32, EditKind);

/// All such edits of a condition.
pub(super) fn alternatives(old: &Expr, table: &Table) -> Vec<Alternative> {
    let mut found = Vec::new();
    chains(old, None, &|expr| expr, &mut |chain| {
        values(chain, table.pool, &mut found);
        parallels(chain, table, &mut found);
    });
    all_at_once(old, &mut found);
    if table.planes(old).is_constant() {
        special_cases(old, table, &mut found);
    }
    found
}

/// A node of the original condition as a conjunction or disjunction that a clause can be added to. A single
/// clause is both.
struct Chain<'a> {
    node: &'a Expr,
    conjunction: bool,
    clauses: Vec<&'a Expr>,
    /// Builds the whole condition with another node in this place.
    rebuild: &'a dyn Fn(Expr) -> Expr,
}

impl Chain<'_> {
    fn joined(&self, node: Expr, clause: Expr) -> Expr {
        match self.conjunction {
            true => node.and(clause),
            false => node.or(clause),
        }
    }
}

/// Visits every chain of a condition; `within` is the enclosing connective: true for `&&`.
fn chains(
    node: &Expr,
    within: Option<bool>,
    rebuild: &dyn Fn(Expr) -> Expr,
    show: &mut dyn FnMut(&Chain),
) {
    for conjunction in [true, false] {
        if within != Some(conjunction) {
            let mut clauses = Vec::new();
            clauses_of(node, conjunction, &mut clauses);
            show(&Chain {
                node,
                conjunction,
                clauses,
                rebuild,
            });
        }
    }
    match node {
        Expr::Not(a) => chains(a, None, &|new| rebuild(new.not()), show),
        Expr::And(a, b) | Expr::Or(a, b) => {
            let conjunction = matches!(node, Expr::And(..));
            let join: fn(Expr, Expr) -> Expr = if conjunction { Expr::and } else { Expr::or };
            let within = Some(conjunction);
            let with_left = |new: Expr| rebuild(join(new, (**b).clone()));
            chains(a, within, &with_left, show);
            let with_right = |new: Expr| rebuild(join((**a).clone(), new));
            chains(b, within, &with_right, show);
        }
        Expr::Term(_) | Expr::Cmp(..) | Expr::Arith(..) => {}
    }
}

/// Adds `|| x == 'y'` to `x == 'a' || x == 'e'`; likewise `&& x != 'y'` to `x != 'a'`.
fn values(chain: &Chain, pool: &Pool, found: &mut Vec<Alternative>) {
    let op = match chain.conjunction {
        true => CmpOp::Ne,
        false => CmpOp::Eq,
    };
    let mut compared: Vec<(&Expr, Vec<&Value>)> = Vec::new();
    for clause in &chain.clauses {
        let Some((operand, constant)) = with_constant(clause, op, pool) else {
            continue;
        };
        let value = pool.terms[constant].constant.iter();
        match compared.iter_mut().find(|(known, _)| *known == operand) {
            Some((_, values)) => values.extend(value),
            None => compared.push((operand, value.collect())),
        }
    }
    for (operand, known) in compared {
        let (is_call, is_letter) = match operand {
            Expr::Term(term) => {
                let term = &pool.terms[*term];
                let is_letter = term.reading == Reading::Character;
                (term.access.outline().ends_in_call(), is_letter)
            }
            _ => (false, false),
        };
        // Results of calls are flags or orders rather than one of many values.
        if is_call {
            continue;
        }
        for value in pool.terms.keys().filter(|term| is_constant(pool, *term)) {
            let term = &pool.terms[value];
            let is_comparable = term.ty != Type::Bool
                && operand.ty(pool) == Some(term.ty)
                && operand
                    .terms()
                    .iter()
                    .all(|term| pool.may_compare(*term, value));
            if !is_comparable || term.constant.iter().any(|value| known.contains(&value)) {
                continue;
            }
            let clause = |value: TermId| operand.clone().cmp(op, Expr::Term(value));
            let mut expr = chain.joined(chain.node.clone(), clause(value));
            if let Some(other) = partner(value, &known, pool) {
                expr = chain.joined(expr, clause(other));
            }
            let number_penalty = match is_letter {
                true => 0,
                false => number_penalty(value, &known, pool),
            };
            let cost = WEIGHTS.edit.added_value + rank::term_cost(value, pool) + number_penalty;
            found.push(((chain.rebuild)(expr), cost, EditKind::ValueAdded));
        }
    }
}

/// The surcharge for a number over a letter, because numbers are less often one of many values. It depends on
/// whether the number is adjacent to a known one, positive, or a mined number of several digits.
fn number_penalty(value: TermId, known: &[&Value], pool: &Pool) -> u32 {
    let (term, number) = (&pool.terms[value], |value: &Value| match value {
        Value::Int(_, int) => int.to_i128(),
        _ => None,
    });
    let Some(new) = term.constant.as_ref().and_then(number) else {
        return 0;
    };
    let mut known = known.iter().filter_map(|value| number(value));
    let is_next = known.any(|known| known.checked_sub(new).is_some_and(|gap| gap.abs() == 1));
    let is_long = !(-9..=9).contains(&new);
    match () {
        () if is_next && new > 0 => WEIGHTS.edit.next_value,
        // Values at or below a limit are expressed by an order.
        () if is_next => WEIGHTS.edit.next_value_below,
        () if term.origin == Origin::Mined && is_long => WEIGHTS.edit.mined_value,
        () => WEIGHTS.edit.other_value,
    }
}

/// The letter in the other case, if the operand is compared with each known letter in both cases.
fn partner(value: TermId, known: &[&Value], pool: &Pool) -> Option<TermId> {
    let is_both = |value: &&Value| {
        let other = value.other_case();
        other.is_some_and(|other| known.contains(&&other))
    };
    let other = pool.terms[value].constant.as_ref()?.other_case()?;
    let is_it = |term: &Term| term.constant.as_ref() == Some(&other);
    (known.len() >= limits::LETTERS && known.iter().all(is_both))
        .then(|| pool.terms.position(is_it))
        .flatten()
}

/// The operand and the constant of `operand op constant`.
fn with_constant<'e>(clause: &'e Expr, op: CmpOp, pool: &Pool) -> Option<(&'e Expr, TermId)> {
    let Expr::Cmp(its, a, b) = clause else {
        return None;
    };
    let constant = |expr: &Expr| match expr {
        Expr::Term(term) if is_constant(pool, *term) => Some(*term),
        _ => None,
    };
    match (constant(a), constant(b)) {
        _ if *its != op => None,
        (None, Some(constant)) => Some((a, constant)),
        (Some(constant), None) => Some((b, constant)),
        _ => None,
    }
}

/// Adds `&& c[i] == d[i]` to `a[i] == b[i]`: a clause of the shape of an existing one.
fn parallels(chain: &Chain, table: &Table, found: &mut Vec<Alternative>) {
    let mut new: Vec<Expr> = Vec::new();
    for clause in &chain.clauses {
        for other in of_same_shape(clause, table) {
            let mut known = chain.clauses.iter();
            let is_known = known.any(|known| same_operands(known, &other));
            // A clause with a constant outcome has nothing but its shape in its favour.
            if !is_known && !new.contains(&other) && !table.planes(&other).is_constant() {
                new.push(other);
            }
        }
    }
    for clause in new {
        let cost = WEIGHTS.edit.parallel + rank::expr_cost(&clause, table.pool);
        let expr = (chain.rebuild)(chain.joined(chain.node.clone(), clause));
        let kind = EditKind::ParallelClauseAdded;
        found.push((expr, cost, kind));
    }
}

/// Comparisons with the same operator and operands of the same shapes, if one of the shapes is not a plain
/// variable.
fn of_same_shape(clause: &Expr, table: &Table) -> Vec<Expr> {
    let pool = table.pool;
    let Expr::Cmp(op, a, b) = clause else {
        return Vec::new();
    };
    let (Expr::Term(a), Expr::Term(b)) = (&**a, &**b) else {
        return Vec::new();
    };
    let shape = |term: TermId| pool.terms[term].access.outline().shape();
    let [of_a, of_b] = [a, b].map(|term| shape(*term));
    if of_a.0.len().max(of_b.0.len()) < 2 {
        return Vec::new();
    }
    let like = |term: TermId, shape_of: &Outline| {
        let like = |id: &TermId| {
            let (term, other) = (&pool.terms[term], &pool.terms[*id]);
            term.ty == other.ty
                && term.constant.is_some() == other.constant.is_some()
                && shape(*id) == *shape_of
        };
        let terms = pool.terms.keys().filter(|other| !table.is_opaque(*other));
        terms.filter(like).collect::<Vec<TermId>>()
    };
    let (first, second) = (like(*a, &of_a), like(*b, &of_b));
    let pairs = first
        .iter()
        .flat_map(|a| second.iter().map(move |b| (*a, *b)));
    pairs
        .filter(|(a, b)| a != b && pool.may_compare(*a, *b))
        .map(|(a, b)| Expr::Term(a).cmp(*op, Expr::Term(b)))
        .take(limits::MOST_PARALLEL)
        .collect()
}

/// Changes several comparisons together, because they are often wrong in the same way: all of one operator, or
/// all strict or all inclusive ones.
fn all_at_once(old: &Expr, found: &mut Vec<Alternative>) {
    use CmpOp::{Ge, Gt, Le, Lt};
    let groups: [&[CmpOp]; 6] = [&[Lt], &[Le], &[Gt], &[Ge], &[Lt, Gt], &[Le, Ge]];
    for group in groups {
        let mut operators = Vec::new();
        of_comparisons(old, &mut operators);
        let is_full = |op: &CmpOp| operators.contains(op);
        let changed = operators.iter().filter(|op| group.contains(op)).count();
        if changed < 2 || !group.iter().all(is_full) {
            continue;
        }
        let neighbour = |op: CmpOp| match op {
            _ if !group.contains(&op) => op,
            Lt => Le,
            Le => Lt,
            Gt => Ge,
            Ge => Gt,
            other => other,
        };
        let cost = WEIGHTS.edit.operator(group[0], neighbour(group[0])) + WEIGHTS.edit.all_at_once;
        let kind = EditKind::StrictOrInclusive;
        found.push((with_operators(old, &neighbour), cost, kind));
    }
}

fn of_comparisons(expr: &Expr, operators: &mut Vec<CmpOp>) {
    if let Expr::Cmp(op, ..) = expr {
        operators.push(*op);
    }
    for child in expr.children() {
        of_comparisons(child, operators);
    }
}

fn with_operators(expr: &Expr, new: &dyn Fn(CmpOp) -> CmpOp) -> Expr {
    let again = |expr: &Expr| with_operators(expr, new);
    match expr {
        Expr::Not(a) => again(a).not(),
        Expr::And(a, b) => again(a).and(again(b)),
        Expr::Or(a, b) => again(a).or(again(b)),
        Expr::Cmp(op, a, b) => again(a).cmp(new(*op), again(b)),
        Expr::Term(_) | Expr::Arith(..) => expr.clone(),
    }
}

/// Adds `&& n != 0` or `|| n == 0`, and the same for 1. The original condition has one outcome in all recorded
/// contexts, so these do not show what a clause must separate, and special cases are often forgotten.
fn special_cases(old: &Expr, table: &Table, found: &mut Vec<Alternative>) {
    let pool = table.pool;
    let constants = pool.terms.iter_enumerated().filter(|(_, term)| {
        let constant = term.constant.as_ref();
        matches!(constant, Some(Value::Int(_, value)) if matches!(value.to_i128(), Some(0 | 1)))
            && term.reading != Reading::Character
    });
    for (constant, _) in constants {
        for operand in pool.terms.keys().filter(|term| !is_constant(pool, *term)) {
            let fits = pool.terms[operand].ty == pool.terms[constant].ty
                && !table.is_opaque(operand)
                && pool.may_compare(operand, constant)
                && !matches!(
                    pool.terms[operand].reading,
                    Reading::Flag | Reading::Character
                );
            if !fits {
                continue;
            }
            let (special, usual) = (CmpOp::Eq, CmpOp::Ne);
            let clause = |op: CmpOp| Expr::Term(operand).cmp(op, Expr::Term(constant));
            let cost = WEIGHTS.edit.clause + rank::expr_cost(&clause(special), pool);
            let kind = EditKind::SpecialCaseAdded;
            found.push((old.clone().and(clause(usual)), cost, kind.clone()));
            found.push((old.clone().or(clause(special)), cost, kind));
        }
    }
}
