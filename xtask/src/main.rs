//! `cargo xtask bench`: makes the tables of `docs/benchmarks.md`.

mod fixtures;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Time `cargo nopol` against one cold `cargo test` on every fixture
    Bench {
        /// How often each is timed
        #[arg(long, default_value_t = 3)]
        runs: usize,
    },
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Bench { runs } => fixtures::bench(runs),
    }
}
