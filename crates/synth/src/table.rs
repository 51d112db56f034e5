//! The spec as bitsets over its rows: the outcomes of a boolean expression are a few machine words, and `&&`,
//! `||` and `!` are word operations. Independent of costs and engines.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use fixedbitset::FixedBitSet;
use nopol_expr::{CmpOp, Expr, Pool, Spec, TermId, Type, Value};
use typed_index_collections::TiVec;

use crate::limits;

/// A set of rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Bits(FixedBitSet);

impl Bits {
    /// The rows for which `member` holds.
    pub fn from_fn(rows: usize, mut member: impl FnMut(usize) -> bool) -> Self {
        let mut set = FixedBitSet::with_capacity(rows);
        for row in 0..rows {
            if member(row) {
                set.insert(row);
            }
        }
        Self(set)
    }

    /// Union.
    pub fn or(&self, other: &Self) -> Self {
        let mut set = self.0.clone();
        set.union_with(&other.0);
        Self(set)
    }

    /// Intersection.
    pub fn and(&self, other: &Self) -> Self {
        let mut set = self.0.clone();
        set.intersect_with(&other.0);
        Self(set)
    }

    /// The rows of `self` that are not in `other`.
    pub fn minus(&self, other: &Self) -> Self {
        let mut set = self.0.clone();
        set.difference_with(&other.0);
        Self(set)
    }

    /// Whether a row is in the set.
    pub fn contains(&self, row: usize) -> bool {
        self.0.contains(row)
    }

    /// Whether no row is in both sets.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.0.is_disjoint(&other.0)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_clear()
    }

    /// The rows in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.ones()
    }
}

/// The outcomes of a boolean expression: three disjoint sets that cover all rows, indexed by [`TRUE`],
/// [`FALSE`] and [`UNDEFINED`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Planes([Bits; 3]);

/// Index of the rows in which the expression is true.
pub(super) const TRUE: usize = 0;
/// Index of the rows in which the expression is false.
pub(super) const FALSE: usize = 1;
/// Index of the rows in which the expression is undefined.
pub(super) const UNDEFINED: usize = 2;

/// An operator with two boolean operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoolOp {
    And,
    Or,
    /// `==` if true, `!=` if false.
    Same(bool),
}

impl BoolOp {
    /// The operator's value, short-circuiting. Operands and result are plane indices.
    fn apply(self, a: usize, b: usize) -> usize {
        match (self, a) {
            (_, UNDEFINED) => UNDEFINED,
            (Self::And, FALSE) => FALSE,
            (Self::Or, TRUE) => TRUE,
            (Self::And | Self::Or, _) | (_, _) if b == UNDEFINED => UNDEFINED,
            (Self::And | Self::Or, _) => b,
            (Self::Same(same), _) => usize::from((a == b) != same),
        }
    }
}

impl Planes {
    /// The planes of a function from row to outcome.
    pub fn from_fn(rows: usize, yields: impl Fn(usize) -> Option<bool>) -> Self {
        let none = FixedBitSet::with_capacity(rows);
        let mut planes = [none.clone(), none.clone(), none];
        for row in 0..rows {
            let plane = match yields(row) {
                Some(true) => TRUE,
                Some(false) => FALSE,
                None => UNDEFINED,
            };
            planes[plane].insert(row);
        }
        Self(planes.map(Bits))
    }

    /// The planes of the negation.
    pub fn negated(&self) -> Self {
        let [yes, no, undefined] = self.0.clone();
        Self([no, yes, undefined])
    }

    /// The planes of `self op other`.
    pub fn combine(&self, op: BoolOp, other: &Self) -> Self {
        let empty = self.0[0].minus(&self.0[0]);
        let mut result = [empty.clone(), empty.clone(), empty];
        for a in 0..3 {
            for b in 0..3 {
                let plane = op.apply(a, b);
                result[plane] = result[plane].or(&self.0[a].and(&other.0[b]));
            }
        }
        Self(result)
    }

    /// The rows of one plane.
    pub fn plane(&self, plane: usize) -> &Bits {
        &self.0[plane]
    }

    /// Whether the expression is never true or never false. Such a clause decides nothing.
    pub fn is_constant(&self) -> bool {
        self.0[TRUE].is_empty() || self.0[FALSE].is_empty()
    }
}

/// The allowed outcomes of a node in each row: for each plane, the rows in which the node may be in it.
#[derive(Clone, Debug)]
pub(super) struct Need([Bits; 3]);

impl Need {
    /// Whether a node with these planes has an allowed outcome in every row.
    pub fn met_by(&self, node: &Planes) -> bool {
        (0..3).all(|plane| node.0[plane].0.is_subset(&self.0[plane].0))
    }

    /// Whether `a op b` has an allowed outcome in every row, without building its planes as
    /// [`Planes::combine`] does.
    pub fn met_by_pair(&self, op: BoolOp, a: &Planes, b: &Planes) -> bool {
        let [a_t, a_f, a_u] = [TRUE, FALSE, UNDEFINED].map(|plane| a.0[plane].0.as_slice());
        let [b_t, b_f, b_u] = [TRUE, FALSE, UNDEFINED].map(|plane| b.0[plane].0.as_slice());
        let [n_t, n_f, n_u] = [TRUE, FALSE, UNDEFINED].map(|plane| self.0[plane].0.as_slice());
        (0..n_t.len()).all(|word| {
            let [at, af, au] = [a_t[word], a_f[word], a_u[word]];
            let [bt, bf, bu] = [b_t[word], b_f[word], b_u[word]];
            let (yes, no, undefined) = match op {
                BoolOp::And => (at & bt, af | at & bf, au | at & bu),
                BoolOp::Or => (at | af & bt, af & bf, au | af & bu),
                BoolOp::Same(true) => (at & bt | af & bf, at & bf | af & bt, au | bu),
                BoolOp::Same(false) => (at & bf | af & bt, at & bt | af & bf, au | bu),
            };
            yes & !n_t[word] == 0 && no & !n_f[word] == 0 && undefined & !n_u[word] == 0
        })
    }

    /// The constrained rows in which a node must not be in the plane.
    pub fn forbids(&self, plane: usize) -> Bits {
        let all = self.0[TRUE].or(&self.0[FALSE]);
        all.minus(&self.0[plane])
    }

    /// The need of the operand of a `!` in this place.
    pub fn under_not(&self) -> Self {
        let [yes, no, undefined] = self.0.clone();
        Self([no, yes, undefined])
    }

    /// The need of the left operand of an `op` in this place, given the right operand.
    pub fn of_left(&self, op: BoolOp, right: &Planes) -> Self {
        Self([TRUE, FALSE, UNDEFINED].map(|a| self.given(right, |b| op.apply(a, b))))
    }

    /// The need of the right operand of an `op` in this place, given the left operand.
    pub fn of_right(&self, op: BoolOp, left: &Planes) -> Self {
        Self([TRUE, FALSE, UNDEFINED].map(|b| self.given(left, |a| op.apply(a, b))))
    }

    /// The rows in which the whole has an allowed outcome, where `outcome` maps the other operand's plane to the
    /// plane of the whole.
    fn given(&self, other: &Planes, outcome: impl Fn(usize) -> usize) -> Bits {
        let served = |plane: usize| other.0[plane].and(&self.0[outcome(plane)]);
        served(TRUE).or(&served(FALSE)).or(&served(UNDEFINED))
    }
}

/// Rank of an undefined value in a column.
const NO_VALUE: u32 = u32::MAX;
/// Rank of a NaN in a column.
const NAN: u32 = u32::MAX - 1;

/// A spec and its pool, with the values of each term as ranks among the values of its type. Ranks compare as
/// the values do.
pub(super) struct Table<'a> {
    pub spec: &'a Spec,
    pub pool: &'a Pool,
    columns: TiVec<TermId, Vec<u32>>,
    /// Cache of evaluated expressions: a few terms and comparisons occur in thousands of expressions.
    evaluated: Mutex<HashMap<Expr, Planes>>,
}

impl<'a> Table<'a> {
    /// Ranks every value of the spec.
    pub fn new(spec: &'a Spec, pool: &'a Pool) -> Self {
        let mut values: BTreeMap<Type, Vec<&Value>> = BTreeMap::new();
        for value in spec.rows.iter().flat_map(|row| row.values.iter().flatten()) {
            if !is_nan(value) {
                values.entry(value.ty()).or_default().push(value);
            }
        }
        for sorted in values.values_mut() {
            sorted.sort_by(|a, b| order(a, b));
            sorted.dedup_by(|a, b| order(a, b).is_eq());
        }
        let rank = |term: TermId, value: Option<&Value>| match value {
            Some(value) if value.ty() != pool.terms[term].ty => NO_VALUE,
            Some(value) if is_nan(value) => NAN,
            Some(value) => values
                .get(&value.ty())
                .and_then(|sorted| sorted.binary_search_by(|other| order(other, value)).ok())
                .and_then(|rank| u32::try_from(rank).ok())
                .unwrap_or(NO_VALUE),
            None => NO_VALUE,
        };
        let columns = pool
            .terms
            .keys()
            .map(|term| {
                let value_of = |row: &'a nopol_expr::Row| row.values.get(term)?.as_ref();
                spec.rows
                    .iter()
                    .map(|row| rank(term, value_of(row)))
                    .collect()
            })
            .collect();
        Self {
            spec,
            pool,
            columns,
            evaluated: Mutex::default(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.spec.rows.len()
    }

    /// Whether the term is undefined in some row.
    pub fn is_partial(&self, term: TermId) -> bool {
        self.columns[term].contains(&NO_VALUE)
    }

    /// Whether the term is NaN in some row.
    pub fn has_nan(&self, term: TermId) -> bool {
        self.columns[term].contains(&NAN)
    }

    /// Whether the term has no value in any row.
    pub fn is_opaque(&self, term: TermId) -> bool {
        self.columns[term].iter().all(|rank| *rank == NO_VALUE)
    }

    /// The rank of the term's value in a row among the values of its type; `None` if undefined, `Some(None)` for
    /// a NaN.
    pub fn rank(&self, term: TermId, row: usize) -> Option<Option<u32>> {
        match self.columns[term][row] {
            NO_VALUE => None,
            NAN => Some(None),
            rank => Some(Some(rank)),
        }
    }

    /// The need of the whole condition; rows outside `constrained` allow every outcome.
    pub fn need(&self, constrained: &Bits) -> Need {
        let free = |row| !constrained.contains(row);
        let rows = &self.spec.rows;
        Need([
            Bits::from_fn(self.rows(), |row| free(row) || rows[row].expected),
            Bits::from_fn(self.rows(), |row| free(row) || !rows[row].expected),
            Bits::from_fn(self.rows(), free),
        ])
    }

    /// The planes of a boolean expression.
    pub fn planes(&self, expr: &Expr) -> Planes {
        match expr {
            Expr::Not(a) => self.planes(a).negated(),
            Expr::And(a, b) => self.planes(a).combine(BoolOp::And, &self.planes(b)),
            Expr::Or(a, b) => self.planes(a).combine(BoolOp::Or, &self.planes(b)),
            Expr::Cmp(op, a, b) => match (&**a, &**b) {
                // Comparing few ranks is as fast as a cache lookup.
                (Expr::Term(a), Expr::Term(b)) if self.rows() <= limits::FEW_ROWS => {
                    self.compare(*op, *a, *b)
                }
                (Expr::Term(a), Expr::Term(b)) => self.cached(expr, || self.compare(*op, *a, *b)),
                _ => self.evaluate(expr),
            },
            Expr::Term(_) | Expr::Arith(..) => self.evaluate(expr),
        }
    }

    fn evaluate(&self, expr: &Expr) -> Planes {
        self.cached(expr, || {
            Planes::from_fn(self.rows(), |row| expr.eval_bool(&self.spec.rows[row]))
        })
    }

    fn cached(&self, expr: &Expr, compute: impl FnOnce() -> Planes) -> Planes {
        let evaluated = || {
            self.evaluated
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = evaluated().get(expr) {
            return known.clone();
        }
        let planes = compute();
        let mut evaluated = evaluated();
        if evaluated.len() * self.rows().div_ceil(8) * 3 < limits::KEPT_BYTES {
            evaluated.insert(expr.clone(), planes.clone());
        }
        planes
    }

    /// The planes of `a op b`.
    pub fn compare(&self, op: CmpOp, a: TermId, b: TermId) -> Planes {
        Sides::new(self, a, b).planes(op)
    }

    /// The planes of each comparison of `a` and `b`.
    pub fn comparisons(&self, a: TermId, b: TermId) -> impl Iterator<Item = (CmpOp, Planes)> {
        let sides = Sides::new(self, a, b);
        CmpOp::ALL.into_iter().map(move |op| (op, sides.planes(op)))
    }

    /// Whether the planes have the expected outcome in some row of each group.
    pub fn meets_groups(&self, planes: &Planes) -> bool {
        let mut groups = self.spec.any_of.iter();
        groups.all(|group| group.iter().any(|row| self.is_right(planes, *row)))
    }

    fn is_right(&self, planes: &Planes, row: usize) -> bool {
        let plane = match self.spec.rows[row].expected {
            true => TRUE,
            false => FALSE,
        };
        planes.0[plane].contains(row)
    }

    /// Total weight of the soft rows that the planes violate.
    pub fn soft_violated(&self, planes: &Planes) -> u32 {
        let rows = self.spec.rows.iter().enumerate();
        rows.filter(|(index, row)| !row.hard && !self.is_right(planes, *index))
            .fold(0, |sum, (_, row)| sum.saturating_add(row.weight))
    }
}

/// The rows by how two terms compare: less, equal, greater, unordered (a NaN), or one of them undefined.
struct Sides([Bits; 5]);

impl Sides {
    const ORDERS: [Option<Ordering>; 4] = [
        Some(Ordering::Less),
        Some(Ordering::Equal),
        Some(Ordering::Greater),
        None,
    ];

    fn new(table: &Table, a: TermId, b: TermId) -> Self {
        let same_type = table.pool.terms[a].ty == table.pool.terms[b].ty;
        let mut sides = [(); 5].map(|()| FixedBitSet::with_capacity(table.rows()));
        let pairs = table.columns[a].iter().zip(&table.columns[b]);
        for (row, (a, b)) in pairs.enumerate() {
            let side = match (*a, *b) {
                (NO_VALUE, _) | (_, NO_VALUE) => 4,
                _ if !same_type => 4,
                (NAN, _) | (_, NAN) => 3,
                (a, b) => usize::from(a >= b) + usize::from(a > b),
            };
            sides[side].insert(row);
        }
        Self(sides.map(Bits))
    }

    /// The planes of a comparison with this operator.
    fn planes(&self, op: CmpOp) -> Planes {
        let [sides @ .., undefined] = &self.0;
        let mut planes = [undefined.minus(undefined), undefined.minus(undefined)];
        for (order, rows) in Self::ORDERS.into_iter().zip(sides) {
            let plane = if op.holds(order) { TRUE } else { FALSE };
            planes[plane] = planes[plane].or(rows);
        }
        let [yes, no] = planes;
        Planes([yes, no, undefined.clone()])
    }
}

fn is_nan(value: &Value) -> bool {
    value.compare(CmpOp::Eq, value) == Some(false)
}

/// The order of two values of one type, neither of which is NaN.
fn order(a: &Value, b: &Value) -> Ordering {
    a.order(b).flatten().unwrap_or(Ordering::Equal)
}
