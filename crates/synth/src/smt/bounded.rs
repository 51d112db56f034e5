//! A solver with a budget for all its queries, in z3's own unit of work rather than time.

use std::borrow::Borrow;
use z3::ast::Bool;
use z3::{Model, Params, SatResult, Solver, StatisticsValue};

/// z3's solver for finite domains, with a budget.
pub(super) struct Bounded {
    solver: Solver,
    /// The total work at which the budget is used up.
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

    /// Sets the budget for the work from now on.
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

    /// Queries the solver with at most this share of the remaining budget.
    pub fn query(&self, assumptions: &[Bool], share: u32) -> SatResult {
        let left = self.budget.saturating_sub(self.consumed()) / share;
        if left == 0 {
            return SatResult::Unknown;
        }
        let mut params = Params::new();
        params.set_u32("rlimit", left);
        // The supervisor handles signals; z3 would replace its handler.
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
        // z3's reason for reaching its `rlimit` depends on where that happened.
        match reason.contains("cancel") || reason.contains("resource") || reason.len() < 8 {
            true => "z3 reached its resource limit".to_owned(),
            false => format!("z3: {reason}"),
        }
    }
}
