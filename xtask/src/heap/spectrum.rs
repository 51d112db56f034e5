//! Statistical fault localization, for comparison: Tarantula and Ochiai by the statements that passing and failing runs go
//! through (Wolverine2, section 7.1, RQ4).

use std::collections::{BTreeMap, BTreeSet};

use nopol_heap::ir::{Routine, StatementId};
use nopol_heap::problem::Triple;

/// How suspicion is computed.
#[derive(Clone, Copy, Debug)]
pub enum Formula {
    Tarantula,
    Ochiai,
}

/// Which statements runs go through.
pub struct Spectrum {
    passing: f64,
    failing: f64,
    /// How many passing and failing runs go through each statement.
    through: BTreeMap<StatementId, (f64, f64)>,
}

impl Spectrum {
    /// Runs a routine; a run passes if it fulfils its triple.
    pub fn new(routine: &Routine, runs: &[Triple]) -> Self {
        let mut spectrum = Self {
            passing: 0.0,
            failing: 0.0,
            through: routine
                .units()
                .into_iter()
                .map(|id| (id, (0.0, 0.0)))
                .collect(),
        };
        for run in runs {
            let mut machine = run.machine(routine);
            machine.events = Some(Vec::new());
            let passes = run.run(&mut machine).is_ok()
                && run.mismatches(routine, &machine.memory).is_empty();
            match passes {
                true => spectrum.passing += 1.0,
                false => spectrum.failing += 1.0,
            }
            let events = machine.events.unwrap_or_default();
            let statements = events.iter().filter_map(|event| event.statement);
            let executed: BTreeSet<StatementId> = statements.map(|id| routine.unit(id)).collect();
            for id in executed {
                if let Some((passing, failing)) = spectrum.through.get_mut(&id) {
                    match passes {
                        true => *passing += 1.0,
                        false => *failing += 1.0,
                    }
                }
            }
        }
        spectrum
    }

    /// How suspicious each statement is.
    pub fn suspicion(&self, formula: Formula) -> BTreeMap<StatementId, f64> {
        let suspicion = |(passing, failing): (f64, f64)| {
            let share = |count: f64, all: f64| if all > 0.0 { count / all } else { 0.0 };
            match formula {
                Formula::Tarantula => {
                    let failing = share(failing, self.failing);
                    share(failing, failing + share(passing, self.passing))
                }
                Formula::Ochiai => share(failing, (self.failing * (failing + passing)).sqrt()),
            }
        };
        let all = self.through.iter();
        all.map(|(id, counts)| (*id, suspicion(*counts))).collect()
    }
}

/// The mean rank of a statement, counted from 1: those of equal suspicion are read in any order.
pub fn rank(suspicion: &BTreeMap<StatementId, f64>, wanted: StatementId) -> Option<f64> {
    let own = *suspicion.get(&wanted)?;
    let count = |holds: &dyn Fn(f64) -> bool| -> f64 {
        let all = suspicion.values().filter(|other| holds(**other));
        all.fold(0.0, |count, _| count + 1.0)
    };
    Some(count(&|other| other > own) + (count(&|other| other == own) + 1.0) / 2.0)
}
