//! A circuit as clauses for a SAT solver: Tseitin's translation, made when a signal is first needed.

use std::cell::Cell;
use std::rc::Rc;

use nopol_basics::deadline::Deadline;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
pub use rustsat::types::Lit;
use rustsat::types::{TernaryVal, Var};
use rustsat_batsat::BasicSolver;

use super::{Bit, Circuit, Gate};

/// A SAT solver that knows the gates it was asked about.
pub struct Solver {
    inner: BasicSolver,
    /// The variable of each gate; `u32::MAX` if it has none yet.
    variables: Vec<u32>,
    next: u32,
    patience: Patience,
    /// The time was over before every gate was a clause: what it would say is not true.
    is_late: bool,
    /// How many decisions the question at hand may still take.
    left: Rc<Cell<u64>>,
    /// How often it was asked.
    pub calls: usize,
}

/// How long a solver searches before it gives up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// Until then.
    pub deadline: Deadline,
    /// So many decisions, of all questions together.
    pub decisions: Option<u64>,
}

/// So many gates become clauses before the deadline is asked again.
const GATES_BETWEEN: u32 = 4096;

/// The solver gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

impl Default for Solver {
    fn default() -> Self {
        let mut solver = Self {
            inner: BasicSolver::default(),
            variables: Vec::new(),
            next: 0,
            patience: Patience::default(),
            is_late: false,
            left: Rc::new(Cell::new(u64::MAX)),
            calls: 0,
        };
        solver.variables.push(0);
        solver.next = 1;
        solver.clause(&[Lit::negative(0)]);
        solver
    }
}

impl Solver {
    /// A solver that knows nothing; it goes on counting its calls.
    pub fn restarted(&mut self) {
        let calls = self.calls;
        *self = Self::patient(self.patience);
        self.calls = calls;
    }

    /// A solver that gives up after a while.
    pub fn patient(patience: Patience) -> Self {
        let mut solver = Self {
            patience,
            ..Self::default()
        };
        let Patience {
            deadline,
            decisions,
        } = patience;
        let all = Cell::new(decisions.unwrap_or(u64::MAX));
        let left = Rc::clone(&solver.left);
        // It is asked once for each decision and each conflict.
        let callbacks = solver.inner.batsat_mut().cb_mut();
        callbacks.set_stop(move || {
            for counter in [&all, &*left] {
                counter.set(counter.get().saturating_sub(1));
            }
            let is_over = all.get() == 0 || left.get() == 0;
            is_over || deadline.is_over()
        });
        solver
    }

    fn clause(&mut self, lits: &[Lit]) {
        // Adding clauses to this solver cannot fail.
        let _ = self.inner.add_clause(lits.into());
    }

    /// How many variables there are.
    pub fn size(&self) -> u32 {
        self.next
    }

    /// The literal of a signal, whose gates become clauses. If the time is over, it is any literal, and no question is answered
    /// from then on.
    pub fn literal(&mut self, circuit: &Circuit, bit: Bit) -> Lit {
        self.variables.resize(circuit.gates.len(), u32::MAX);
        let mut todo = vec![(bit.gate(), false)];
        while let Some((gate, is_ready)) = todo.pop() {
            self.is_late = self.is_late
                || is_ready
                    && self.next.is_multiple_of(GATES_BETWEEN)
                    && self.patience.deadline.is_over();
            if self.is_late {
                return Lit::negative(0);
            }
            if self.variables[gate] != u32::MAX {
                continue;
            }
            let operands = operands(circuit.gates[gate]);
            if is_ready {
                self.variables[gate] = self.next;
                self.next += 1;
                self.define(gate, circuit.gates[gate]);
            } else {
                todo.push((gate, true));
                todo.extend(operands.iter().flatten().map(|bit| (bit.gate(), false)));
            }
        }
        self.of(bit)
    }

    fn of(&self, bit: Bit) -> Lit {
        Lit::new(self.variables[bit.gate()], bit.is_negated())
    }

    fn define(&mut self, gate: usize, what: Gate) {
        let out = Lit::positive(self.variables[gate]);
        match what {
            Gate::Constant | Gate::Input => {}
            Gate::And(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.clause(&[!out, a]);
                self.clause(&[!out, b]);
                self.clause(&[out, !a, !b]);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.clause(&[!out, a, b]);
                self.clause(&[!out, !a, !b]);
                self.clause(&[out, !a, b]);
                self.clause(&[out, a, !b]);
            }
            Gate::Mux(c, a, b) => {
                let (c, a, b) = (self.of(c), self.of(a), self.of(b));
                self.clause(&[!c, !a, out]);
                self.clause(&[!c, a, !out]);
                self.clause(&[c, !b, out]);
                self.clause(&[c, b, !out]);
                // Redundant, for propagation where the condition is open.
                self.clause(&[!a, !b, out]);
                self.clause(&[a, b, !out]);
            }
            Gate::Majority(a, b, c) => {
                let bits = [self.of(a), self.of(b), self.of(c)];
                for (x, y) in [(0, 1), (0, 2), (1, 2)] {
                    self.clause(&[!bits[x], !bits[y], out]);
                    self.clause(&[bits[x], bits[y], !out]);
                }
            }
        }
    }

    /// Requires one of these literals.
    pub fn require(&mut self, lits: &[Lit]) {
        self.clause(lits);
    }

    /// Whether everything required and the assumptions can hold together.
    ///
    /// # Errors
    /// If the solver gives up.
    pub fn check(&mut self, assumptions: &[Lit]) -> Result<bool, Unknown> {
        self.calls += 1;
        if self.is_late {
            return Err(Unknown);
        }
        match self.inner.solve_assumps(assumptions) {
            Ok(SolverResult::Sat) => Ok(true),
            Ok(SolverResult::Unsat) => Ok(false),
            Ok(SolverResult::Interrupted) | Err(_) => Err(Unknown),
        }
    }

    /// The same with this many decisions at most; `None` if they are not enough.
    ///
    /// # Errors
    /// If the solver gives up for another reason.
    pub fn check_within(
        &mut self,
        decisions: u64,
        assumptions: &[Lit],
    ) -> Result<Option<bool>, Unknown> {
        self.left.set(decisions);
        let answer = self.check(assumptions);
        let is_enough = self.left.replace(u64::MAX) > 0;
        match answer {
            Err(Unknown) if !is_enough => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// The assumptions that cannot hold together, after a check that failed.
    pub fn core(&mut self) -> Vec<Lit> {
        // The solver gives the clause that follows from what is required: the negated assumptions.
        let core = self.inner.core().unwrap_or_default();
        core.into_iter().map(|lit| !lit).collect()
    }

    /// The value of a literal, after a check that succeeded; false if it does not matter.
    pub fn holds(&self, lit: Lit) -> bool {
        let value = self.inner.lit_val(lit);
        matches!(value, Ok(TernaryVal::True))
    }

    /// The value of a signal, after a check that succeeded. Signals that were never needed are false, unless they
    /// are constant.
    pub fn value(&self, bit: Bit) -> bool {
        match self.variables.get(bit.gate()) {
            Some(&variable) if variable != u32::MAX => {
                let value = self.inner.var_val(Var::new(variable));
                matches!(value, Ok(TernaryVal::True)) != bit.is_negated()
            }
            _ => bit.is_negated(),
        }
    }

    /// The value of a word, after a check that succeeded.
    pub fn number(&self, word: &[Bit]) -> u64 {
        let bits = word.iter().enumerate();
        bits.fold(0, |value, (at, &bit)| {
            value | u64::from(self.value(bit)) << at
        })
    }
}

fn operands(gate: Gate) -> [Option<Bit>; 3] {
    match gate {
        Gate::Constant | Gate::Input => [None; 3],
        Gate::And(a, b) | Gate::Xor(a, b) => [Some(a), Some(b), None],
        Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => [Some(a), Some(b), Some(c)],
    }
}
