//! Replaces `smt.rs` in builds without the solver.

/// The engine.
pub(super) mod search {
    use crate::synth::Answer;
    use crate::synth::collect::Collector;
    use crate::synth::engine::{Engine, Levels, Task};

    /// Reports that the solver is missing.
    pub(in crate::synth) struct Smt;

    impl Engine for Smt {
        fn search(&self, _task: &Task, _collector: &mut Collector) -> Levels {
            let why = "built without z3".to_owned();
            vec![("solver".to_owned(), Answer::Unknown(why))]
        }
    }
}

/// Proofs.
pub(super) mod distinguish {
    use crate::synth::distinguish::pair::{Counterexample, Equality, Pair};

    /// Proves nothing.
    pub(in crate::synth) fn equal(_pair: &Pair) -> Equality {
        Equality::Unknown
    }

    /// Finds nothing.
    pub(in crate::synth) fn difference(_pair: &Pair) -> Option<Counterexample> {
        None
    }
}
