//! Clauses with sums and differences: `a + b < c`, `a - 1 == b`, and, if there are few terms, `a + b - c > d`.
//!
//! Their number is cubic in the number of terms, but the first rows refute nearly all of them: one pass over
//! the rows keeps, for each pair of operands, the operators that are still possible.

use std::cmp::Ordering;

use nopol_expr::{ArithOp, CmpOp, Expr, Int, IntType, Pool, Reading, TermId, Type, Value};

use crate::atoms::{Atom, is_constant};
use crate::limits;
use crate::rank;
use crate::table::{Bits, FALSE, Need, Planes, TRUE, Table};

/// The clauses with sums that could be the whole condition or a part of it, cheapest first.
pub(super) fn atoms(table: &Table, need: &Need) -> Vec<Atom> {
    let mut found = SumClauses::default();
    for ty in IntType::ALL {
        of_type(table, need, ty, &mut found);
    }
    found.prune();
    let mut atoms: Vec<Atom> = found
        .clauses
        .into_iter()
        .map(|clause| clause.atom)
        .collect();
    atoms.sort_by(|a, b| (a.cost, &a.expr).cmp(&(b.cost, &b.expr)));
    atoms
}

/// A clause with a sum.
struct Clause {
    atom: Atom,
    /// It is not a solution on its own.
    is_part: bool,
}

/// The clauses found so far.
#[derive(Default)]
struct SumClauses {
    clauses: Vec<Clause>,
    /// Key of the last clause kept once the limit is reached. Clauses with larger keys are dropped.
    worst: Option<(bool, u32)>,
}

impl SumClauses {
    /// Keeps solutions first, then the cheapest parts.
    fn prune(&mut self) {
        let key = |clause: &Clause| (clause.is_part, clause.atom.cost);
        self.clauses
            .sort_by(|a, b| (key(a), &a.atom.expr).cmp(&(key(b), &b.atom.expr)));
        self.clauses.truncate(limits::MOST_SUMS);
        if self.clauses.len() == limits::MOST_SUMS {
            self.worst = self.clauses.last().map(key);
        }
    }

    fn has_room(&self, is_part: bool, cost: u32) -> bool {
        self.worst.is_none_or(|worst| (is_part, cost) <= worst)
    }
}

/// An operand and its value in each row.
struct Vector {
    expr: Expr,
    values: Vec<Option<i128>>,
    terms: Vec<TermId>,
}

fn of_type(table: &Table, need: &Need, int: IntType, found: &mut SumClauses) {
    let pool = table.pool;
    let mut terms: Vec<TermId> = pool
        .terms
        .keys()
        .filter(|term| pool.terms[*term].ty == Type::Int(int) && !table.is_opaque(*term))
        .filter(|term| pool.terms[*term].mined_from.is_empty())
        .filter(|term| {
            !matches!(
                pool.terms[*term].reading,
                Reading::Converted | Reading::Flag | Reading::Sign
            )
        })
        .collect();
    terms.sort_by_key(|term| (rank::term_cost(*term, pool), *term));
    terms.truncate(limits::MOST_SUMMANDS);
    let vectors: Vec<Vector> = terms.iter().map(|term| vector(table, *term)).collect();
    let few = vectors.len() <= limits::MOST_OF_THREE;
    let search = SumSearch::new(table, need);
    for (at, a) in vectors.iter().enumerate() {
        for (other, b) in vectors.iter().enumerate() {
            for op in [ArithOp::Add, ArithOp::Sub] {
                let is_sensible = match op {
                    ArithOp::Add => {
                        !is_constant(pool, terms[at])
                            && (other > at || is_constant(pool, terms[other]))
                    }
                    _ => other != at && !is_constant(pool, terms[at]),
                };
                let Some(sum) = is_sensible.then(|| a.combine(op, b, int, pool)).flatten() else {
                    continue;
                };
                for c in &vectors {
                    search.compare(&sum, c, found);
                }
                if !few {
                    continue;
                }
                for (third, c) in vectors.iter().enumerate().skip(other + 1) {
                    for op in [ArithOp::Add, ArithOp::Sub] {
                        if third == at || is_constant(pool, terms[third]) {
                            continue;
                        }
                        if let Some(sum) = sum.combine(op, c, int, pool) {
                            vectors.iter().for_each(|d| search.compare(&sum, d, found));
                        }
                    }
                }
            }
        }
    }
}

fn vector(table: &Table, term: TermId) -> Vector {
    let rows = table.spec.rows.iter();
    let value = |value: Option<&Value>| match value {
        Some(Value::Int(_, int)) => int.to_i128(),
        _ => None,
    };
    Vector {
        expr: Expr::Term(term),
        values: rows.map(|row| value(row.values[term].as_ref())).collect(),
        terms: vec![term],
    }
}

impl Vector {
    /// The sum or difference, undefined in rows where it overflows. `None` for forms that people avoid.
    fn combine(&self, op: ArithOp, other: &Self, int: IntType, pool: &Pool) -> Option<Self> {
        let zero = other
            .terms
            .iter()
            .any(|term| is_number(pool, *term, 0) || is_number(pool, *term, -1));
        if zero {
            return None;
        }
        let number = |value: i128| match Int::from_i128(value) {
            sum if int.wraps() => sum.wrapped(int).to_i128(),
            sum => sum.fits(int).then_some(value),
        };
        let pairs = self.values.iter().zip(&other.values);
        let values = pairs.map(|(a, b)| {
            let (a, b) = ((*a)?, (*b)?);
            let value = match op {
                ArithOp::Add => a.checked_add(b),
                _ => a.checked_sub(b),
            };
            value.and_then(number)
        });
        let values = values.collect();
        Some(Self {
            expr: self.expr.clone().arith(op, other.expr.clone()),
            values,
            terms: self.terms.iter().chain(&other.terms).copied().collect(),
        })
    }
}

fn is_number(pool: &Pool, term: TermId, number: i128) -> bool {
    matches!(&pool.terms[term].constant, Some(Value::Int(_, int)) if int.to_i128() == Some(number))
}

/// Operators as bits, in the order of [`CmpOp::ALL`].
type Ops = u8;
const EVERY: Ops = 0b11_1111;

fn ops_true(ordering: Ordering) -> Ops {
    let ops = CmpOp::ALL.iter().enumerate();
    ops.fold(0, |mask, (bit, op)| {
        mask | u8::from(op.holds(Some(ordering))) << bit
    })
}

struct SumSearch<'a> {
    table: &'a Table<'a>,
    /// Rows in which the whole condition must be true, and false.
    must: [Bits; 2],
    /// Rows with a required outcome, those that refute most first.
    rows: Vec<usize>,
    /// All others.
    open: Vec<usize>,
}

impl<'a> SumSearch<'a> {
    fn new(table: &'a Table<'a>, need: &Need) -> Self {
        let must = [need.forbids(FALSE), need.forbids(TRUE)];
        // The outcomes alternate, so that constant clauses are refuted at once.
        let [yes, no] = [&must[0], &must[1]].map(|rows| rows.iter().collect::<Vec<_>>());
        let mut rows = Vec::new();
        for at in 0..yes.len().max(no.len()) {
            rows.extend(yes.get(at));
            rows.extend(no.get(at));
        }
        let is_open = |row: &usize| must.iter().all(|rows| !rows.contains(*row));
        let open = (0..table.rows()).filter(is_open).collect();
        Self {
            table,
            must,
            rows,
            open,
        }
    }

    fn compare(&self, sum: &Vector, other: &Vector, found: &mut SumClauses) {
        if other.terms.iter().any(|term| sum.terms.contains(term)) {
            return;
        }
        let pool = self.table.pool;
        if sum
            .terms
            .iter()
            .skip(1)
            .all(|term| is_constant(pool, *term))
            && is_constant(pool, other.terms[0])
        {
            return;
        }
        let ordering = |row: usize| Some(sum.values[row]?.cmp(&other.values[row]?));
        // A clause of a conjunction must hold where the whole holds; a clause of a disjunction must fail where
        // the whole fails. In both cases the clause must not be constant.
        let (mut conjunct, mut disjunct) = (EVERY, EVERY);
        let (mut holds, mut fails) = (0, 0);
        for row in &self.rows {
            let (yes, no) = match ordering(*row).map(ops_true) {
                Some(ops) => (ops, EVERY & !ops),
                None => (0, 0),
            };
            match self.must[0].contains(*row) {
                true => conjunct &= yes,
                false => disjunct &= no,
            }
            if conjunct | disjunct == 0 {
                return;
            }
            (holds, fails) = (holds | yes, fails | no);
        }
        let possible = conjunct | disjunct;
        for row in &self.open {
            if possible & !(holds & fails) == 0 {
                break;
            }
            if let Some(ops) = ordering(*row).map(ops_true) {
                (holds, fails) = (holds | ops, fails | EVERY & !ops);
            }
        }
        let useful = possible & holds & fails;
        for (bit, op) in CmpOp::ALL.into_iter().enumerate() {
            if useful >> bit & 1 == 0 {
                continue;
            }
            let expr = sum.expr.clone().cmp(op, other.expr.clone());
            let cost = rank::expr_cost(&expr, pool);
            let is_part = (conjunct & disjunct) >> bit & 1 == 0;
            if !found.has_room(is_part, cost) {
                continue;
            }
            let holds = |row: usize| Some(op.holds(Some(ordering(row)?)));
            let atom = Atom {
                cost,
                planes: Planes::from_fn(self.table.rows(), holds),
                expr,
            };
            found.clauses.push(Clause { atom, is_part });
        }
        if found.clauses.len() > 4 * limits::MOST_SUMS {
            found.prune();
        }
    }
}
