//! The four formulas on TCAS, each failing test alone, as in Tables 1 and 2 of AgxFaults: what grows on demand, that of the
//! whole program, and those of one path, with its branches (FS) and without (FI).

use std::slice;

use anyhow::Result;
use nopol_formula::faults::Formula;

use super::{FormulaOptions, search, tcas};

const FORMULAS: [(&str, Formula); 4] = [
    ("on-demand", Formula::OnDemand),
    ("program", Formula::Whole),
    ("path", Formula::Path),
    ("path-insensitive", Formula::PathInsensitive),
];

/// What was measured of a formula.
#[derive(Default)]
struct Row {
    searches: usize,
    candidates: usize,
    /// Those that are candidates with the formula of the program, too.
    right: usize,
    /// The searches with a faulty line in a candidate.
    hits: usize,
    checks: usize,
    refinements: usize,
    gates: usize,
    solving: f64,
    total: f64,
}

/// Prints the table.
pub fn bench(options: &FormulaOptions) -> Result<()> {
    let mut rows: [Row; 4] = Default::default();
    for version in tcas::versions(options)? {
        let version = version?;
        for test in &version.failing {
            let test = slice::from_ref(test);
            let mut founds = Vec::new();
            for (_, formula) in FORMULAS {
                founds.push(version.search(test, formula, options.size)?);
            }
            let exact = search::sets(&founds[1]);
            for (row, found) in rows.iter_mut().zip(&founds) {
                let sets = search::sets(found);
                let mut places = sets.iter().flat_map(|set| set.iter());
                let is_faulty = |line| version.faulty.contains(&line);
                row.searches += 1;
                row.candidates += sets.len();
                row.right += sets.intersection(&exact).count();
                row.hits +=
                    usize::from(places.any(|place| is_faulty(version.program.places[*place].line)));
                row.checks += found.checks;
                row.refinements += found.refinements;
                row.gates += found.gates;
                row.solving += found.solving;
                row.total += found.total;
            }
        }
    }
    println!(
        "| formula | candidates | of these right | line found | checks | extensions | gates | solving, s | all, s |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for ((name, _), row) in FORMULAS.iter().zip(&rows) {
        let each = |sum: usize| sum as f64 / row.searches.max(1) as f64;
        println!(
            "| `{name}` | {} | {} | {} | {:.1} | {:.1} | {:.0} | {:.2} | {:.2} |",
            row.candidates,
            row.right,
            row.hits,
            each(row.checks),
            each(row.refinements),
            each(row.gates),
            row.solving,
            row.total,
        );
    }
    Ok(())
}
