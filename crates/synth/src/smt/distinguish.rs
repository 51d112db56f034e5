//! Proves two conditions equal, or finds a counterexample that is easy to read: near an observed row, with small
//! numbers. Models of z3 are accepted only if our own evaluation confirms them.

use std::cmp::Ordering;
use std::sync::Arc;

use nopol_expr::{CmpOp, Row, TermId, Type, Value};
use typed_index_collections::TiVec;
use z3::SatResult;
use z3::ast::{BV, Bool};

use super::bounded::Bounded;
use super::machine::Machine;
use super::operators::{Datum, Sign, compare};
use super::texts::Texts;
use super::{all, any, isolated};
use crate::distinguish::axioms::{Axiom, most};
use crate::distinguish::pair::{Counterexample, Equality, Pair};

/// z3's `rlimit` for one pair, some tens of milliseconds.
const RLIMIT: u32 = 300_000;
/// Observed rows tried as starting points.
const NEIGHBOURS: usize = 16;
/// Terms changed in a row before the search gives up on rows.
const CHANGES: usize = 3;
/// How often z3 learns the value of a sum of floats.
const LESSONS: usize = 64;

/// See [`crate::equal`].
pub(crate) fn equal(pair: &Pair) -> Equality {
    isolated(|| match Search::new(pair, &[]) {
        Some(search) => match search.ask(&[]) {
            Answer::Differ(_, context) => Equality::Differ(context),
            Answer::Nowhere => Equality::Proved,
            Answer::Unknown => Equality::Unknown,
        },
        None => Equality::Unknown,
    })
}

/// See [`crate::difference`].
pub(crate) fn difference(pair: &Pair) -> Option<Counterexample> {
    isolated(|| smallest(pair)).or_else(|| match equal(pair) {
        Equality::Differ(context) => Some(context),
        Equality::Proved | Equality::Unknown => None,
    })
}

fn smallest(pair: &Pair) -> Option<Counterexample> {
    let neighbours = neighbours(pair);
    let mut search = Search::new(pair, &neighbours)?;
    let Answer::Differ(row, context) = search.ask(&[]) else {
        return None;
    };
    let mut best = Best {
        row,
        context,
        fixed: Vec::new(),
    };
    search.near(&neighbours, &mut best);
    for term in &pair.used {
        search.simplify(*term, &mut best);
    }
    Some(best.context)
}

/// A few observed rows with distinct values of the terms used, those of failing tests first.
fn neighbours<'a>(pair: &Pair<'a>) -> Vec<&'a Row> {
    let mut rows: Vec<&Row> = pair.rows.iter().collect();
    rows.sort_by_key(|row| !row.hard);
    let mut seen: Vec<Vec<&Option<Value>>> = Vec::new();
    rows.retain(|row| {
        let used: Vec<_> = pair.used.iter().map(|term| &row.values[*term]).collect();
        let is_new = seen.len() < NEIGHBOURS && !seen.contains(&used);
        if is_new {
            seen.push(used);
        }
        is_new
    });
    rows
}

/// The best context so far, and the assumptions fixed for it.
struct Best {
    row: Row,
    context: Counterexample,
    fixed: Vec<Bool>,
}

enum Answer {
    Differ(Row, Counterexample),
    /// A proof that they do not differ under these assumptions.
    Nowhere,
    Unknown,
}

struct Search<'a> {
    pair: &'a Pair<'a>,
    machine: Machine<'a>,
    solver: Bounded,
    /// If floats are added, the assumption that the floats of the context are common ones, because z3 guesses the
    /// sums of most others wrong.
    modest: Option<Bool>,
}

impl<'a> Search<'a> {
    /// Asserts the axioms, and that the two differ. `None` if one of them cannot be expressed.
    fn new(pair: &'a Pair, neighbours: &[&Row]) -> Option<Self> {
        let terms = &pair.pool.terms;
        let literals = terms.iter().filter_map(|term| term.constant.as_ref());
        let observed = neighbours.iter().flat_map(|row| {
            let values = pair.related.iter().map(|term| row.values[*term].as_ref());
            values.flatten()
        });
        let is_text = |term: &&TermId| terms[**term].ty == Type::Str;
        let others = pair.related.iter().filter(is_text).count();
        let texts = Texts::new(literals.chain(observed), others);
        let mut search = Self {
            pair,
            machine: Machine::new(pair.pool, texts),
            solver: Bounded::new(RLIMIT),
            modest: None,
        };
        let mut rules = Vec::new();
        for term in &pair.related {
            search.machine.declare(*term, &mut rules);
        }
        for axiom in &pair.axioms {
            rules.push(search.axiom(*axiom)?);
        }
        let [a, b] = [
            search.machine.expr(pair.exprs[0])?,
            search.machine.expr(pair.exprs[1])?,
        ];
        let other = compare(CmpOp::Ne, &a.value, &b.value)?;
        rules.push(match pair.is_covering {
            true => all([b.defined.clone(), any([a.defined.not(), other])]),
            false => any([a.defined.xor(&b.defined), all([a.defined.clone(), other])]),
        });
        rules.extend(search.machine.facts());
        for rule in rules {
            search.solver.assert(rule);
        }
        if search.machine.adds_floats() {
            let modest = search.modest(neighbours);
            search.modest = Some(search.literal(modest));
        }
        Some(search)
    }

    fn modest(&self, neighbours: &[&Row]) -> Bool {
        let known = |term: &TermId| {
            let ty = self.pair.pool.terms[*term].ty;
            matches!(ty, Type::F32 | Type::F64).then(|| {
                let observed = neighbours.iter().map(|row| row.values[*term].clone());
                let values = usual(ty).into_iter().map(Some).chain(observed);
                any(values.map(|value| self.machine.is(*term, value.as_ref())))
            })
        };
        all(self.pair.used.iter().filter_map(known))
    }

    fn axiom(&self, axiom: Axiom) -> Option<Bool> {
        let symbol = |term: TermId| self.machine.terms.get(&term);
        let truth = |term: TermId| match symbol(term) {
            Some(symbol) => match &symbol.value {
                Datum::Truth(truth) => Some((truth.clone(), symbol.defined.clone())),
                _ => None,
            },
            None => None,
        };
        // The boolean's value wherever the other term is defined.
        let tied = |is_empty: TermId, other: TermId, value: Bool| {
            let (truth, defined) = truth(is_empty)?;
            Some(all([
                defined.iff(&symbol(other)?.defined),
                defined.implies(truth.iff(value)),
            ]))
        };
        let bits = |term: TermId| match &symbol(term)?.value {
            Datum::Bits(bits, _) => Some(bits.clone()),
            _ => None,
        };
        let number = |term: TermId| match &symbol(term)?.value {
            Datum::Bits(bits, is_signed) => Some((bits.clone(), *is_signed)),
            _ => None,
        };
        let zero = |bits: &BV| BV::from_u64(0, bits.get_size());
        match axiom {
            Axiom::Total(term) => Some(symbol(term)?.defined.clone()),
            Axiom::Opposite(a, b) => tied(a, b, truth(b)?.0.not()),
            Axiom::Length(len) => {
                let len = bits(len)?;
                let Value::Int(_, most) = most() else {
                    return None;
                };
                Some(len.bvule(super::number::constant(most, len.get_size())))
            }
            Axiom::Cast { cast, of } => {
                let (to, from) = (number(cast)?, number(of)?);
                let (width, old) = (to.0.get_size(), from.0.get_size());
                let converted = match (width.cmp(&old), from.1) {
                    (Ordering::Less, _) => from.0.extract(width - 1, 0),
                    (Ordering::Equal, _) => from.0.clone(),
                    (Ordering::Greater, Sign::Signed) => from.0.sign_ext(width - old),
                    (Ordering::Greater, _) => from.0.zero_ext(width - old),
                };
                Some(all([
                    symbol(cast)?.defined.iff(&symbol(of)?.defined),
                    to.0.eq(converted),
                ]))
            }
            Axiom::NoLength { is_empty, len } => {
                let bits = bits(len)?;
                tied(is_empty, len, bits.eq(zero(&bits)))
            }
            // The empty text is first in the order.
            Axiom::NoText { is_empty, text } => {
                let bits = bits(text)?;
                tied(is_empty, text, bits.eq(zero(&bits)))
            }
            Axiom::Payload {
                query,
                value,
                payload,
            } => {
                let (truth, defined) = truth(query)?;
                let there = all([defined, truth.iff(Bool::from_bool(value))]);
                Some(symbol(payload)?.defined.iff(there))
            }
        }
    }

    /// Queries for a context in which the two differ.
    fn ask(&self, assumptions: &[Bool]) -> Answer {
        if let Some(modest) = &self.modest {
            let assumptions: Vec<Bool> = assumptions.iter().chain([modest]).cloned().collect();
            if let answer @ Answer::Differ(..) = self.ask_once(&assumptions) {
                return answer;
            }
        }
        self.ask_once(assumptions)
    }

    fn ask_once(&self, assumptions: &[Bool]) -> Answer {
        for _ in 0..LESSONS {
            match self.solver.query(assumptions, 1) {
                SatResult::Unsat => return Answer::Nowhere,
                SatResult::Unknown => return Answer::Unknown,
                SatResult::Sat => {}
            }
            let Some(row) = self.row() else {
                return Answer::Unknown;
            };
            if let Some(context) = self.pair.context(&row) {
                let real = self.pair.axioms.iter().all(|axiom| axiom.holds(&row));
                return match real {
                    true => Answer::Differ(row, context),
                    false => Answer::Unknown,
                };
            }
            let lessons = self.machine.learn(&row);
            if lessons.is_empty() {
                return Answer::Unknown;
            }
            for lesson in lessons {
                self.solver.assert(lesson);
            }
        }
        Answer::Unknown
    }

    /// The context of the solver's model, as a row.
    fn row(&self) -> Option<Row> {
        let model = self.solver.model()?;
        let terms = self.pair.pool.terms.iter();
        let mut values: TiVec<TermId, _> = terms.map(|term| term.constant.clone()).collect();
        for term in &self.pair.related {
            values[*term] = self.machine.read(*term, &model)?;
        }
        Some(Row {
            values: Arc::new(values),
            expected: false,
            hard: false,
            weight: 0,
        })
    }

    /// Whether the two still differ under a further assumption; if so, the assumption is kept.
    fn decide(&mut self, wish: Bool, best: &mut Best) -> bool {
        let literal = self.literal(wish);
        best.fixed.push(literal);
        if let Answer::Differ(row, context) = self.ask(&best.fixed) {
            best.row = row;
            best.context = context;
            return true;
        }
        best.fixed.pop();
        false
    }

    /// An assumption literal for a formula.
    fn literal(&mut self, formula: Bool) -> Bool {
        let literal = self.machine.boolean();
        self.solver.assert(literal.implies(formula));
        literal
    }

    /// Moves to the first row that needs the fewest changed terms, and keeps earlier terms rather than later
    /// ones.
    fn near(&mut self, neighbours: &[&Row], best: &mut Best) {
        let used = &self.pair.used;
        let changed: Vec<Bool> = used.iter().map(|_| self.machine.boolean()).collect();
        let weighted: Vec<(&Bool, i32)> = changed.iter().map(|changed| (changed, 1)).collect();
        let mut rows = Vec::new();
        for row in neighbours {
            let same = used.iter().zip(&changed).map(|(term, changed)| {
                any([
                    changed.clone(),
                    self.machine.is(*term, row.values[*term].as_ref()),
                ])
            });
            let same = all(same);
            rows.push(self.literal(same));
        }
        for count in 1..=CHANGES.min(used.len()) {
            let few = self.literal(Bool::pb_le(&weighted, i32::try_from(count).unwrap_or(1)));
            for row in &rows {
                best.fixed = vec![row.clone()];
                if self.decide(few.clone(), best) {
                    for changed in &changed {
                        self.decide(changed.not(), best);
                    }
                    return;
                }
            }
        }
        best.fixed.clear();
    }

    /// Makes a term's value defined and small, while the two still differ, and fixes it.
    fn simplify(&mut self, term: TermId, best: &mut Best) {
        let decided = best.fixed.len();
        if best.row.values[term].is_none() {
            let defined = self.machine.terms[&term].defined.clone();
            self.decide(defined, best);
        }
        let simple = usual(self.pair.pool.terms[term].ty);
        let found = simple
            .iter()
            .any(|value| best.row.values[term].as_ref() == Some(value))
            || best.row.values[term].is_some()
                && simple.iter().any(|value| {
                    let wish = self.machine.is(term, Some(value));
                    self.decide(wish, best)
                });
        if !found && best.row.values[term].is_some() {
            self.shrink(term, best);
        }
        best.fixed.truncate(decided);
        let value = self.machine.is(term, best.row.values[term].as_ref());
        let literal = self.literal(value);
        best.fixed.push(literal);
    }

    /// The least magnitude, bit by bit from the highest.
    fn shrink(&mut self, term: TermId, best: &mut Best) {
        let Datum::Bits(bits, sign) = self.machine.terms[&term].value.clone() else {
            return;
        };
        let width = bits.get_size();
        let magnitude = match sign {
            Sign::Signed => {
                let negative = bits.bvslt(BV::from_u64(0, width));
                negative.ite(&bits.bvneg(), &bits)
            }
            Sign::Unsigned | Sign::Wrapping => bits,
        };
        for bit in (0..width).rev() {
            let at = |value: u64| magnitude.extract(bit, bit).eq(BV::from_u64(value, 1));
            if !self.decide(at(0), best) {
                let one = self.literal(at(1));
                best.fixed.push(one);
            }
        }
    }
}

/// Simple values, simplest first. Integers have none, because their magnitudes are minimized instead.
fn usual(ty: Type) -> Vec<Value> {
    let floats = [0.0, 1.0, -1.0, 2.0, 0.5, f32::NAN, f32::INFINITY];
    match ty {
        Type::Bool => vec![Value::Bool(false)],
        Type::Int(_) | Type::Str => Vec::new(),
        Type::F32 => floats.map(|float| Value::F32(float.to_bits())).into(),
        Type::F64 => floats
            .map(|float| Value::F64(f64::from(float).to_bits()))
            .into(),
        Type::Char => ['a', 'b', '0', ' '].map(Value::Char).into(),
    }
}
