//! Stands in for `smt.rs` where the solver is not built in.

/// The engine.
pub(super) mod search {
    use crate::synth::Answer;
    use crate::synth::collect::Collector;
    use crate::synth::engine::{Engine, Levels, Task};

    /// Says that it is not there.
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
    use crate::synth::distinguish::pair::{Context, Equality, Pair};

    /// Nothing is proved.
    pub(in crate::synth) fn equal(_pair: &Pair) -> Equality {
        Equality::Unknown
    }

    /// Nothing is found.
    pub(in crate::synth) fn difference(_pair: &Pair) -> Option<Context> {
        None
    }
}
