//! A solver with a limit on its work in all, in z3's own unit: no clock decides.

use std::borrow::Borrow;
use z3::ast::Bool;
use z3::{Model, Params, SatResult, Solver, StatisticsValue};

/// z3's solver for finite domains, with a budget.
pub(super) struct Bounded {
    solver: Solver,
    /// How much work may have been done in the end.
    budget: u32,
}

impl Bounded {
    pub fn new(rlimit: u32) -> Self {
        let mut bounded = Self {
            solver: Solver::new_for_logic("QF_FD").unwrap_or_default(),
            budget: 0,
        };
        bounded.limit(rlimit);
        bounded
    }

    /// Allows that much work from now on.
    pub fn limit(&mut self, rlimit: u32) {
        self.budget = self.consumed().saturating_add(rlimit);
    }

    /// The work done so far.
    fn consumed(&self) -> u32 {
        match self.solver.get_statistics().value("rlimit count") {
            Some(StatisticsValue::UInt(count)) => count,
            _ => 0,
        }
    }

    pub fn assert(&self, constraint: impl Borrow<Bool>) {
        self.solver.assert(constraint);
    }

    /// Asks the solver, with at most that share of the work that is left.
    pub fn query(&self, assumptions: &[Bool], share: u32) -> SatResult {
        let left = self.budget.saturating_sub(self.consumed()) / share;
        if left == 0 {
            return SatResult::Unknown;
        }
        let mut params = Params::new();
        params.set_u32("rlimit", left);
        // Signals are the supervisor's: z3 would put a handler of its own in place of ours.
        params.set_bool("ctrl_c", false);
        self.solver.set_params(&params);
        self.solver.check_assumptions(assumptions)
    }

    /// The model of the last answer.
    pub fn model(&self) -> Option<Model> {
        self.solver.get_model()
    }

    /// Why the last answer was "unknown".
    pub fn reason(&self) -> String {
        let reason = self.solver.get_reason_unknown().unwrap_or_default();
        // What z3 says when its `rlimit` is used up depends on where that happened.
        match reason.contains("cancel") || reason.contains("resource") || reason.len() < 8 {
            true => "z3 reached its resource limit".to_owned(),
            false => format!("z3: {reason}"),
        }
    }
}
