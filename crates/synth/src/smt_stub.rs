//! Replaces `smt.rs` in builds without the solver.

/// The engine.
pub(super) mod search {
    use crate::Answer;
    use crate::collect::Collector;
    use crate::engine::{Engine, Levels, Task};

    /// Reports that the solver is missing.
    pub(crate) struct Smt;

    impl Engine for Smt {
        fn search(&self, _task: &Task, _collector: &mut Collector) -> Levels {
            let why = "built without z3".to_owned();
            vec![("solver".to_owned(), Answer::Unknown(why))]
        }
    }
}

/// Proofs.
pub(super) mod distinguish {
    use crate::distinguish::pair::{Counterexample, Equality, Pair};

    /// Proves nothing.
    pub(crate) fn equal(_pair: &Pair) -> Equality {
        Equality::Unknown
    }

    /// Finds nothing.
    pub(crate) fn difference(_pair: &Pair) -> Option<Counterexample> {
        None
    }
}
