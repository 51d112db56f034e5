//! Atoms, the clauses that conditions are built from: boolean terms, their negations, and comparisons of two
//! terms. Only the cheapest few of the clauses that agree in every row are kept.

use std::collections::BTreeMap;

use nopol_expr::{CmpOp, Expr, Pool, Reading, TermId, Type};

use super::rank;
use super::table::{Bits, Planes, TRUE, Table};
use crate::limits;

/// A clause, with its outcome in each row.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub expr: Expr,
    pub planes: Planes,
    pub cost: u32,
}

/// Whether a term is a literal.
pub(super) fn is_constant(pool: &Pool, term: TermId) -> bool {
    pool.terms[term].constant.is_some()
}

/// `a op b` in the usual order: constants on the right, guarded operands on the left, of equal parameters the first one
/// on the left.
fn comparison(table: &Table, op: CmpOp, a: TermId, b: TermId) -> Expr {
    let literal = |term| is_constant(table.pool, term);
    let is_guarded = table.is_partial(b) && !table.is_partial(a);
    let parameters = [a, b].map(|term| table.pool.terms[term].parameter);
    let is_later = !op.orders() && matches!(parameters, [Some(a), Some(b)] if a > b);
    let is_guard = table.is_partial(a) && !table.is_partial(b);
    match !literal(b) && (literal(a) || is_guarded || is_later && !is_guard) {
        true => Expr::Term(b).cmp(op.mirrored(), Expr::Term(a)),
        false => Expr::Term(a).cmp(op, Expr::Term(b)),
    }
}

/// Clauses that agree in every row, by their shapes. Which shape people would choose, values do not tell:
/// `self.get(i).is_none()` and `i >= self.len()` may be the same question.
#[derive(Default)]
struct Class {
    flags: Vec<(u32, Expr)>,
    with_constants: Vec<(u32, Expr)>,
    comparisons: Vec<(u32, Expr)>,
}

impl Class {
    /// Adds a clause, unless there are enough of its shape that cost less.
    fn add(&mut self, expr: Expr, pool: &Pool, most: usize) {
        let of_shape = match &expr {
            Expr::Cmp(_, _, b) => match **b {
                Expr::Term(term) if is_constant(pool, term) => &mut self.with_constants,
                _ => &mut self.comparisons,
            },
            _ => &mut self.flags,
        };
        of_shape.push((rank::expr_cost(&expr, pool), expr));
        of_shape.sort();
        of_shape.truncate(most);
    }

    fn clauses(self) -> impl Iterator<Item = (u32, Expr)> {
        let Self {
            flags,
            with_constants,
            comparisons,
        } = self;
        flags.into_iter().chain(with_constants).chain(comparisons)
    }
}

/// Every clause that has both outcomes among the rows, cheapest first.
pub(super) fn atoms(table: &Table) -> Vec<Atom> {
    let terms = &table.pool.terms;
    let usable = terms.keys().filter(|term| !table.is_opaque(*term));
    let usable: Vec<TermId> = usable.collect();
    let partial = usable.iter().filter(|term| table.is_partial(**term));
    let defined =
        |term: &TermId| Bits::from_fn(table.rows(), |row| table.rank(*term, row).is_some());
    let guarded: Vec<Bits> = partial.map(defined).collect();
    let mut classes: BTreeMap<Planes, Class> = BTreeMap::new();
    let mut keep = |expr: Expr, planes: Planes| {
        if planes.is_constant() {
            return;
        }
        let most = match guarded.contains(planes.plane(TRUE)) {
            true => limits::PER_GUARD,
            false => limits::PER_CLASS,
        };
        let class = classes.entry(planes).or_default();
        class.add(expr, table.pool, most);
    };
    for (at, &a) in usable.iter().enumerate() {
        if terms[a].ty == Type::Bool {
            if !is_constant(table.pool, a) {
                let expr = Expr::Term(a);
                keep(expr.clone(), table.planes(&expr));
                keep(expr.clone().not(), table.planes(&expr.not()));
            }
            continue;
        }
        for &b in &usable[at + 1..] {
            if terms[b].ty != terms[a].ty
                || is_constant(table.pool, a) && is_constant(table.pool, b)
                || !table.pool.may_compare(a, b)
            {
                continue;
            }
            let is = |reading: Reading| [a, b].map(|term| terms[term].reading == reading);
            let flags = is(Reading::Flag);
            if flags[0] != flags[1] {
                continue;
            }
            // Characters are compared with characters and constants only, not with numbers.
            let characters = is(Reading::Character);
            let mixes_character = characters[0] != characters[1]
                && ![a, b].iter().any(|term| is_constant(table.pool, *term));
            for (op, planes) in table.comparisons(a, b) {
                if op.orders() && (flags[0] || mixes_character || !terms[a].ty.ordered()) {
                    continue;
                }
                let expr = comparison(table, op, a, b);
                // For a NaN, `!(a < b)` is not `a >= b`.
                if op.orders() && (table.has_nan(a) || table.has_nan(b)) {
                    keep(expr.clone().not(), planes.negated());
                }
                keep(expr, planes);
            }
        }
    }
    let mut atoms: Vec<Atom> = Vec::new();
    for (planes, class) in classes {
        for (cost, expr) in class.clauses() {
            atoms.push(Atom {
                expr,
                planes: planes.clone(),
                cost,
            });
        }
    }
    atoms.sort_by(|a, b| (a.cost, &a.expr).cmp(&(b.cost, &b.expr)));
    atoms
}
