//! `cargo nopol faults` against what its paper says: on the faulty versions of TCAS, and on loops that grow.

mod growth;
mod parts;
mod plot;
mod search;
mod tcas;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

/// What `cargo xtask bench formula` takes.
#[derive(Args)]
pub struct FormulaOptions {
    /// Directory with tcas/tcas_inputs.txt
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Directory with the programs: tcas/orig/tcas.c, tcas/v1/tcas.c …
    #[arg(long, value_name = "DIR")]
    checkouts: Option<PathBuf>,

    /// Only these versions, such as `v1`; may be given several times [default: all]
    #[arg(long, value_name = "VERSION")]
    only: Vec<String>,

    /// Most places in a candidate
    #[arg(long, value_name = "N", default_value_t = 2)]
    size: usize,

    /// Only these tables; may be given several times [default: all]
    #[arg(long, value_name = "TABLE")]
    table: Vec<Table>,

    /// Where the figure of the growing loops is written
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// One of the tables.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Table {
    /// Each version of TCAS
    Tcas,
    /// The four formulas on TCAS
    Formulas,
    /// Time and gates against the bound of loops
    Growth,
}

impl FormulaOptions {
    fn tcas(&self) -> Result<(&Path, &Path)> {
        let data = self.data.as_deref().context("TCAS needs --data")?;
        let checkouts = self.checkouts.as_deref();
        Ok((data, checkouts.context("TCAS needs --checkouts")?))
    }
}

/// Prints the tables.
pub fn bench(options: &FormulaOptions) -> Result<()> {
    let wants = |table| options.table.is_empty() || options.table.contains(&table);
    if wants(Table::Tcas) {
        tcas::bench(options)?;
        println!();
    }
    if wants(Table::Formulas) {
        parts::bench(options)?;
        println!();
    }
    if wants(Table::Growth) {
        growth::bench(options)?;
    }
    Ok(())
}
