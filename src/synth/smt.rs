//! The component-based encoding of papers/nopol.txt §3.4 in z3, the only file that knows z3: given
//! a [`Library`] and rows of the spec, is there a wiring, and which?
//!
//! The printed formulas needed mending: φ_OUTPUT's strict lower bound leaves one slot too few,
//! φ_CONS must range over outputs (two inputs may well share a source), and `l_r = m` would forbid
//! a bare variable or an idle last block.
//!
//! Everything is finite here, so everything becomes propositional: a location variable is one
//! boolean per place it may have (exactly one of which holds); values are bit-vectors. Without
//! arithmetic a value is its rank among the values of its type in this spec, which makes
//! comparisons of integers, characters, strings and floats exact (−0.0 and 0.0 share a rank, NaN
//! is a bit of its own). With arithmetic, integers are their true values in as many bits as no
//! sum of them can exceed, and the type's bounds are side conditions: outside them the sum is
//! undefined. A definedness bit goes with every value, and `&&`/`||` need their right operand
//! defined only where the left one leaves the result open.

mod number;

use super::library::{Block, Library, Needed, Wiring};
use crate::spec::{ArithOp, CmpOp, Int, IntType, TermId, Type, Value};
use number::{Format, Number, constant};
use std::collections::{BTreeMap, BTreeSet};
use z3::ast::Bool;
use z3::{Params, SatResult, Solver, StatisticsValue};

/// What the solver says.
pub(super) enum Verdict {
    Found(Wiring),
    /// Proved that there is none.
    Nothing,
    /// The solver gave up, with its reason.
    Unknown(String),
}

/// Runs `work` in a z3 context of its own, so that earlier work cannot influence the answer.
pub(super) fn isolated<T: Send + Sync>(work: impl FnOnce() -> T + Send + Sync) -> T {
    z3::with_z3_config(&z3::Config::new(), work)
}

/// A location variable l_x.
struct Location {
    /// For each place x may have: x is there.
    at: BTreeMap<usize, Bool>,
}

impl Location {
    fn at(&self, place: usize) -> Bool {
        self.at
            .get(&place)
            .cloned()
            .unwrap_or_else(|| Bool::from_bool(false))
    }

    fn among(&self, wanted: impl Fn(usize) -> bool) -> Bool {
        any(self
            .at
            .iter()
            .filter(|(place, _)| wanted(**place))
            .map(|(_, at)| at.clone()))
    }
}

/// A boolean value variable with its definedness.
#[derive(Clone)]
struct Truth {
    value: Bool,
    defined: Bool,
}

/// The encoding of one level.
pub(super) struct Encoding<'a> {
    library: &'a Library<'a>,
    solver: Solver,
    inputs: Vec<Vec<Location>>,
    outputs: Vec<Location>,
    result: Location,
    /// For a comparison: whether it is `<`/`<=` rather than `==`/`!=`; whether it is the second of
    /// its pair.
    operators: Vec<Option<(Bool, Bool)>>,
    /// Assumptions that allow only inputs up to a tier.
    tiers: Vec<Bool>,
    /// Width of value variables, where they are integers.
    width: u32,
    fresh: u32,
    /// How much work z3 may have done in the end.
    budget: u32,
}

impl<'a> Encoding<'a> {
    /// φ_WFF of the library (§3.4.4), with no row asserted yet.
    pub fn new(library: &'a Library<'a>, rlimit: u32) -> Self {
        let solver = Solver::new_for_logic("QF_FD").unwrap_or_default();
        let mut encoding = Self {
            library,
            solver,
            inputs: Vec::new(),
            outputs: Vec::new(),
            result: Location {
                at: BTreeMap::new(),
            },
            operators: Vec::new(),
            tiers: Vec::new(),
            width: width(library),
            fresh: 0,
            budget: 0,
        };
        encoding.limit(rlimit);
        encoding.phi_fixed();
        encoding.phi_output();
        encoding.phi_input();
        encoding.phi_cons();
        encoding.phi_acyc();
        encoding.symmetry();
        encoding.usage();
        encoding.tiers();
        encoding
    }

    /// Allows that much work from now on.
    pub fn limit(&mut self, rlimit: u32) {
        self.budget = self.consumed().saturating_add(rlimit);
    }

    /// The work done so far, in z3's unit.
    fn consumed(&self) -> u32 {
        match self.solver.get_statistics().value("rlimit count") {
            Some(StatisticsValue::UInt(count)) => count,
            _ => 0,
        }
    }

    /// Asks the solver, with at most that share of the work that is left.
    fn query(&self, assumptions: &[Bool], share: u32) -> SatResult {
        let left = self.budget.saturating_sub(self.consumed()) / share;
        if left == 0 {
            return SatResult::Unknown;
        }
        let mut params = Params::new();
        params.set_u32("rlimit", left);
        self.solver.set_params(&params);
        self.solver.check_assumptions(assumptions)
    }

    /// φ_FIXED (§3.4.4): an input term's location is its index, so it needs no variable. l_r is
    /// free over the boolean locations.
    fn phi_fixed(&mut self) {
        self.result = self.location(self.library.result_domain());
    }

    /// φ_OUTPUT (§3.4.4): outputs are located behind the inputs, each kind in its own slots.
    fn phi_output(&mut self) {
        for slots in &self.library.slots {
            let location = self.location(slots.clone());
            self.outputs.push(location);
        }
    }

    /// φ_INPUT (§3.4.4): an input is located where something of its type is, and a comparison's
    /// two inputs where something of the same type is.
    fn phi_input(&mut self) {
        for (index, block) in self.library.blocks.iter().enumerate() {
            let domain = self.library.domain(index);
            let inputs: Vec<_> = (0..block.arity())
                .map(|_| self.location(domain.clone()))
                .collect();
            let mut operator = None;
            if *block == Block::Cmp {
                let (order, second) = (self.boolean(), self.boolean());
                let mut types: Vec<_> = domain
                    .iter()
                    .map(|place| self.library.type_at(*place))
                    .collect();
                types.dedup();
                types.sort();
                types.dedup();
                for ty in types {
                    let [a, b] = [&inputs[0], &inputs[1]]
                        .map(|input| input.among(|place| self.library.type_at(place) == ty));
                    self.solver.assert(a.iff(&b));
                    if !ty.ordered() {
                        self.solver.assert(a.implies(order.not()));
                    }
                }
                operator = Some((order, second));
            }
            self.inputs.push(inputs);
            self.operators.push(operator);
        }
    }

    /// φ_CONS (§3.4.4): no two outputs share a location.
    fn phi_cons(&self) {
        for (index, a) in self.outputs.iter().enumerate() {
            for b in &self.outputs[..index] {
                for (place, at) in &a.at {
                    self.solver.assert(at.implies(b.at(*place).not()));
                }
            }
        }
    }

    /// φ_ACYC (§3.4.4): inputs are located before the output.
    fn phi_acyc(&self) {
        for (inputs, output) in self.inputs.iter().zip(&self.outputs) {
            for (slot, at) in &output.at {
                for input in inputs {
                    self.solver
                        .assert(at.implies(input.among(|place| place < *slot)));
                }
            }
        }
    }

    /// Of expressions that mean the same by their form, all but one are excluded. `&&` and `||`
    /// stay ordered where something may be undefined, for there the left one guards.
    fn symmetry(&mut self) {
        let table = self.library.table;
        let total = self
            .library
            .inputs
            .iter()
            .all(|term| !table.is_partial(*term))
            && !self
                .library
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Arith(..)));
        let library = self.library;
        for (index, block) in library.blocks.iter().enumerate() {
            let inputs = &self.inputs[index];
            match block {
                Block::Not => {}
                Block::And | Block::Or => {
                    self.before(&inputs[0], &inputs[1], total, false, None);
                }
                Block::Arith(op, _) => {
                    if *op == ArithOp::Add {
                        self.before(&inputs[0], &inputs[1], true, true, None);
                    }
                    self.one_literal(inputs);
                }
                Block::Cmp => {
                    self.before(&inputs[0], &inputs[1], false, false, None);
                    if let Some((order, _)) = &self.operators[index] {
                        self.before(&inputs[0], &inputs[1], true, false, Some(&order.not()));
                    }
                    self.one_literal(inputs);
                }
            }
            if index > 0 && *block == Block::Cmp && library.blocks[index - 1] == Block::Cmp {
                self.before(&self.inputs[index - 1][0], &inputs[0], true, true, None);
            }
        }
    }

    /// Locations differ (unless `equal`), and `a` is the smaller one if `ordered`; all of this only
    /// under the condition, if there is one.
    fn before(&self, a: &Location, b: &Location, ordered: bool, equal: bool, when: Option<&Bool>) {
        for (place, at) in &b.at {
            let allowed = a.among(|other| match other.cmp(place) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => equal,
                std::cmp::Ordering::Greater => !ordered,
            });
            let rule = at.implies(&allowed);
            self.solver.assert(match when {
                Some(when) => when.implies(&rule),
                None => rule,
            });
        }
    }

    fn one_literal(&self, inputs: &[Location]) {
        let [a, b] = [&inputs[0], &inputs[1]]
            .map(|input| input.among(|place| self.library.is_constant(place)));
        self.solver.assert(Bool::or(&[a.not(), b.not()]));
    }

    /// The blocks that the level is about contribute to the result.
    fn usage(&mut self) {
        let used: Vec<Bool> = (0..self.library.blocks.len())
            .map(|_| self.boolean())
            .collect();
        for (block, is_used) in used.iter().enumerate() {
            let mut users = vec![self.connected(&self.result, block)];
            for (user, inputs) in self.inputs.iter().enumerate() {
                for input in inputs {
                    let connected = self.connected(input, block);
                    users.push(Bool::and(&[used[user].clone(), connected]));
                }
            }
            self.solver.assert(is_used.iff(any(users)));
        }
        match &self.library.needed {
            Needed::All(blocks) => {
                for block in blocks {
                    self.solver.assert(&used[*block]);
                }
            }
            Needed::Any(blocks) => {
                self.solver
                    .assert(any(blocks.iter().map(|block| used[*block].clone())));
            }
        }
    }

    /// Whether what is located there comes from the block's output.
    fn connected(&self, location: &Location, block: usize) -> Bool {
        let output = &self.outputs[block];
        any(output.at.iter().filter_map(|(slot, at)| {
            let there = location.at.get(slot)?;
            Some(Bool::and(&[there.clone(), at.clone()]))
        }))
    }

    fn tiers(&mut self) {
        for tier in 0..2 {
            let assumption = self.boolean();
            for input in self.inputs.iter().flatten().chain([&self.result]) {
                for (place, at) in &input.at {
                    if self.library.tier(*place) > tier {
                        self.solver.assert(assumption.implies(at.not()));
                    }
                }
            }
            self.tiers.push(assumption);
        }
    }

    /// φ_FUNC (§3.4.4) of one row: a conjunct of φ_PATCH.
    pub fn phi_func(&mut self, row: usize) {
        let library = self.library;
        let scale = self.scale(row);
        let mut numbers: BTreeMap<usize, Number> = BTreeMap::new();
        let mut truths: BTreeMap<usize, Truth> = BTreeMap::new();
        for (index, block) in library.blocks.iter().enumerate() {
            match block {
                Block::Arith(..) => {
                    let number = self.number(scale.format);
                    numbers.insert(index, number);
                }
                _ => {
                    let truth = self.truth();
                    truths.insert(index, truth);
                }
            }
        }
        for (index, block) in library.blocks.iter().enumerate() {
            match block {
                Block::Arith(op, int) => {
                    let [a, b] =
                        [0, 1].map(|input| self.conn_number(index, input, &scale, &numbers));
                    self.lib_arith(*op, *int, &a, &b, &numbers[&index]);
                }
                Block::Cmp => {
                    let [a, b] =
                        [0, 1].map(|input| self.conn_number(index, input, &scale, &numbers));
                    self.lib_cmp(index, &a, &b, &truths[&index]);
                }
                Block::Not | Block::And | Block::Or => {
                    let inputs: Vec<Truth> = (0..block.arity())
                        .map(|input| {
                            let truth = self.truth();
                            self.conn_truth(&self.inputs[index][input], &truth, row, &truths);
                            truth
                        })
                        .collect();
                    self.lib_connective(*block, &inputs, &truths[&index]);
                }
            }
        }
        let expected = Truth {
            value: Bool::from_bool(library.table.spec.rows[row].expected),
            defined: Bool::from_bool(true),
        };
        self.conn_truth(&self.result, &expected, row, &truths);
    }

    /// φ_CONN (§3.4.4) of a numeric input: it has the value of what is at its location.
    fn conn_number(
        &mut self,
        block: usize,
        input: usize,
        scale: &RowScale,
        outputs: &BTreeMap<usize, Number>,
    ) -> Number {
        let number = self.number(scale.format);
        let location = &self.inputs[block][input];
        for (place, at) in &location.at {
            let Some(term) = self.library.inputs.get(*place) else {
                continue;
            };
            let value = match (&scale.ranks[*place], scale.format) {
                (None, _) => {
                    self.solver.assert(at.implies(number.defined.not()));
                    continue;
                }
                (Some(None), _) => number.nan.clone(),
                (Some(Some(rank)), format) => {
                    let row = &self.library.table.spec.rows[scale.row];
                    let value = match (format, &row.values[*term]) {
                        (Format::Bits(_), Some(Value::Int(_, int))) => number.is_int(*int),
                        _ => number.is_rank(*rank),
                    };
                    all([number.nan.not(), value])
                }
            };
            self.solver
                .assert(at.implies(all([number.defined.clone(), value])));
        }
        for (source, output) in outputs {
            let connected = self.connected(location, *source);
            self.solver.assert(connected.implies(number.is(output)));
        }
        number
    }

    /// φ_CONN (§3.4.4) of a boolean input or the result.
    fn conn_truth(
        &self,
        location: &Location,
        truth: &Truth,
        row: usize,
        outputs: &BTreeMap<usize, Truth>,
    ) {
        for (place, at) in &location.at {
            let Some(term) = self.library.inputs.get(*place) else {
                continue;
            };
            let value = self.library.table.spec.rows[row].values[*term].as_ref();
            self.solver
                .assert(at.implies(match value.and_then(Value::as_bool) {
                    Some(true) => Bool::and(&[&truth.value, &truth.defined]),
                    Some(false) => Bool::and(&[&truth.value.not(), &truth.defined]),
                    None => truth.defined.not(),
                }));
        }
        for (source, output) in outputs {
            let connected = self.connected(location, *source);
            let same = Bool::and(&[
                truth.value.iff(&output.value),
                truth.defined.iff(&output.defined),
            ]);
            self.solver.assert(connected.implies(same));
        }
    }

    /// φ_LIB (§3.4.4) of a sum or difference: undefined outside the type.
    fn lib_arith(&self, op: ArithOp, ty: IntType, a: &Number, b: &Number, output: &Number) {
        let Some(value) = a.sum(b, op == ArithOp::Sub) else {
            return;
        };
        let mut defined = vec![a.defined.clone(), b.defined.clone()];
        let (low, high) = bounds(ty);
        // A bound beyond the width cannot be passed.
        if high.bits() < self.width {
            defined.push(value.bvsle(constant(high, self.width)));
        }
        if low.bits() < self.width {
            defined.push(value.bvsge(constant(low, self.width)));
        }
        self.solver.assert(output.is_bits(&value));
        self.solver.assert(output.nan.not());
        self.solver.assert(output.defined.iff(all(defined)));
    }

    /// φ_LIB (§3.4.4) of a comparison with the operator it was given.
    fn lib_cmp(&mut self, block: usize, a: &Number, b: &Number, output: &Truth) {
        let Some((order, second)) = self.operators[block].clone() else {
            return;
        };
        let [below, above] = [(a, b), (b, a)].map(|(a, b)| {
            let fresh = &mut self.fresh;
            a.less(b, &self.solver, || next(fresh))
        });
        let ordered = Bool::and(&[a.nan.not(), b.nan.not()]);
        let less = Bool::and(&[&ordered, &below]);
        let equal = Bool::and(&[ordered, below.not(), above.not()]);
        let at_most = Bool::or(&[&less, &Bool::and(&[&second, &equal])]);
        let value = order.ite(&at_most, &equal.xor(&second));
        self.solver.assert(output.value.iff(value));
        self.solver
            .assert(output.defined.iff(Bool::and(&[&a.defined, &b.defined])));
    }

    /// φ_LIB (§3.4.4) of a connective, short-circuiting.
    fn lib_connective(&self, block: Block, inputs: &[Truth], output: &Truth) {
        let (value, defined) = match (block, inputs) {
            (Block::And, [a, b]) => (
                Bool::and(&[&a.value, &b.value]),
                Bool::and(&[
                    a.defined.clone(),
                    Bool::or(&[a.value.not(), b.defined.clone()]),
                ]),
            ),
            (Block::Or, [a, b]) => (
                Bool::or(&[&a.value, &b.value]),
                Bool::and(&[a.defined.clone(), Bool::or(&[&a.value, &b.defined])]),
            ),
            (_, [a, ..]) => (a.value.not(), a.defined.clone()),
            _ => return,
        };
        self.solver.assert(output.value.iff(value));
        self.solver.assert(output.defined.iff(defined));
    }

    /// φ_PATCH (§3.4.4): a wiring that serves every row asserted, inputs of a low tier first.
    pub fn phi_patch(&self) -> Verdict {
        for tier in &self.tiers {
            // Giving up here is no answer yet: the unrestricted question may be easier.
            if self.query(std::slice::from_ref(tier), 8) == SatResult::Sat {
                return self.read();
            }
        }
        match self.query(&[], 1) {
            SatResult::Sat => self.read(),
            SatResult::Unsat => Verdict::Nothing,
            SatResult::Unknown => Verdict::Unknown(self.reason()),
        }
    }

    fn reason(&self) -> String {
        let reason = self.solver.get_reason_unknown().unwrap_or_default();
        // What z3 says when its `rlimit` is used up depends on where that happened.
        match reason.contains("cancel") || reason.contains("resource") || reason.len() < 8 {
            true => "z3 reached its resource limit".to_owned(),
            false => format!("z3: {reason}"),
        }
    }

    fn read(&self) -> Verdict {
        let Some(model) = self.solver.get_model() else {
            return Verdict::Unknown("z3: no model".to_owned());
        };
        let holds =
            |atom: &Bool| model.eval(atom, true).and_then(|value| value.as_bool()) == Some(true);
        let place = |location: &Location| {
            let mut places = location.at.iter().filter(|(_, at)| holds(at));
            places.next().map_or(0, |(place, _)| *place)
        };
        let operator = |(order, second): &(Bool, Bool)| match (holds(order), holds(second)) {
            (true, false) => CmpOp::Lt,
            (true, true) => CmpOp::Le,
            (false, false) => CmpOp::Eq,
            (false, true) => CmpOp::Ne,
        };
        Verdict::Found(Wiring {
            inputs: self
                .inputs
                .iter()
                .map(|inputs| inputs.iter().map(place).collect())
                .collect(),
            outputs: self.outputs.iter().map(place).collect(),
            operators: self
                .operators
                .iter()
                .map(|pair| pair.as_ref().map(operator))
                .collect(),
            result: place(&self.result),
        })
    }

    /// Excludes the expression, whatever idle blocks do and wherever its own blocks are located.
    pub fn exclude(&self, wiring: &Wiring) {
        let source = |location: &Location, place: usize| match wiring.block_at(place) {
            Some(block) => self.connected(location, block),
            None => location.at(place),
        };
        let mut wires = vec![source(&self.result, wiring.result)];
        for block in wiring.used() {
            for (location, place) in self.inputs[block].iter().zip(&wiring.inputs[block]) {
                wires.push(source(location, *place));
            }
            if let (Some((order, second)), Some(op)) =
                (&self.operators[block], wiring.operators[block])
            {
                wires.push(order.iff(Bool::from_bool(op.orders())));
                wires.push(second.iff(Bool::from_bool(matches!(op, CmpOp::Le | CmpOp::Ne))));
            }
        }
        self.solver.assert(all(wires).not());
    }

    fn location(&mut self, domain: Vec<usize>) -> Location {
        let at: BTreeMap<usize, Bool> = domain
            .into_iter()
            .map(|place| (place, self.boolean()))
            .collect();
        let places: Vec<Bool> = at.values().cloned().collect();
        self.solver.assert(any(places.clone()));
        let weighted: Vec<(&Bool, i32)> = places.iter().map(|place| (place, 1)).collect();
        if !weighted.is_empty() {
            self.solver.assert(Bool::pb_le(&weighted, 1));
        }
        Location { at }
    }

    fn boolean(&mut self) -> Bool {
        Bool::new_const(next(&mut self.fresh))
    }

    fn truth(&mut self) -> Truth {
        Truth {
            value: self.boolean(),
            defined: self.boolean(),
        }
    }

    fn number(&mut self, format: Format) -> Number {
        let fresh = &mut self.fresh;
        Number::new(format, &self.solver, || next(fresh))
    }

    /// The values of the input terms in a row, as ranks.
    fn scale(&self, row: usize) -> RowScale {
        let library = self.library;
        let rank = |term: &TermId| library.table.rank(*term, row);
        let ty = |term: &TermId| library.table.pool.terms[*term].ty;
        let mut seen: BTreeMap<Type, BTreeSet<u32>> = BTreeMap::new();
        for term in &library.inputs {
            if let Some(Some(rank)) = rank(term) {
                seen.entry(ty(term)).or_default().insert(rank);
            }
        }
        let local = |term: &TermId, rank: u32| {
            seen.get(&ty(term))
                .map_or(0, |ranks| ranks.range(..rank).count())
        };
        let ranks = library.inputs.iter();
        let ranks = ranks
            .map(|term| rank(term).map(|rank| Some(local(term, rank?))))
            .collect();
        let top = seen.values().map(BTreeSet::len).max().unwrap_or(1) - 1;
        let format = match library.level_is_arithmetic() {
            true => Format::Bits(self.width),
            false => Format::Steps(top),
        };
        RowScale { row, ranks, format }
    }
}

/// The values of the input terms in one row.
struct RowScale {
    row: usize,
    /// By location: `None` if undefined, `Some(None)` for a NaN, else the rank in this row.
    ranks: Vec<Option<Option<usize>>>,
    format: Format,
}

/// The next unused name of a z3 constant.
fn next(fresh: &mut u32) -> u32 {
    *fresh += 1;
    *fresh
}

/// Bits that hold every value, every rank and every sum.
fn width(library: &Library) -> u32 {
    let rows = &library.table.spec.rows;
    let ranks = usize::BITS - library.inputs.len().leading_zeros();
    let of_value = |value: &Value| match value {
        Value::Int(_, int) => int.bits(),
        _ => 0,
    };
    let values = rows.iter().flat_map(|row| row.values.iter().flatten());
    // The two blocks of one type may nest, and each may double the magnitude; then the sign.
    ranks.max(values.map(of_value).max().unwrap_or(0) + 2) + 1
}

/// The smallest and largest value of a type.
fn bounds(ty: IntType) -> (Int, Int) {
    let bits = ty.bits();
    match ty.signed() {
        true => {
            let high = i128::MAX >> (128 - bits);
            (Int::from_i128(-high - 1), Int::from_i128(high))
        }
        false => (Int::from_u128(0), Int::from_u128(u128::MAX >> (128 - bits))),
    }
}

fn any(parts: impl IntoIterator<Item = Bool>) -> Bool {
    let parts: Vec<Bool> = parts.into_iter().collect();
    Bool::or(&parts)
}

fn all(parts: impl IntoIterator<Item = Bool>) -> Bool {
    let parts: Vec<Bool> = parts.into_iter().collect();
    Bool::and(&parts)
}
