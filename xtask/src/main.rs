//! `cargo xtask bench …`: makes the tables and figures of `docs/benchmarks.md`.

mod bugs;
mod c;
mod crates;
mod curves;
mod fixtures;
mod formula;
mod generate;
mod heap;
mod hostile;
mod kept;
mod learn;
mod mutation;
mod pictures;
mod svg;
mod synthesis;
mod tool;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make a table or a figure
    #[command(subcommand)]
    Bench(Bench),
    /// Learn how patches are ranked
    #[command(subcommand)]
    Learn(learn::Learn),
    /// Draw the pictures of the book
    Pictures(pictures::PicturesOptions),
}

#[derive(Subcommand)]
enum Bench {
    /// Time `cargo nopol` against one cold `cargo test` on every fixture
    Fixtures {
        /// How often each is timed
        #[arg(long, default_value_t = 3)]
        runs: usize,
    },
    /// `cargo nopol` on real bugs, against what a human did
    Bugs(bugs::BugsOptions),
    /// `cargo nopol c` on real bugs of C projects, against what a human did
    CProjects(bugs::BugsOptions),
    /// `cargo nopol c` on TCAS and Codeflaws
    C(c::CBenchOptions),
    /// `cargo nopol faults` on TCAS
    Formula(formula::FormulaOptions),
    /// Repairs by mutations of TCAS that equal the original
    Mutate(mutation::MutationOptions),
    /// `cargo nopol heap` on programs with injected faults
    Heap(heap::HeapBenchOptions),
    /// `cargo nopol` on hostile and odd subjects, after which everything must be as it was
    Hostile(hostile::HostileOptions),
    /// Our synthesis engines and cvc5 on the same problems
    Synthesis(synthesis::SynthesisOptions),
    /// Time and memory of a run against the lines and tests of generated crates, as SVG
    Crates(crates::CratesOptions),
    /// Time and memory of our synthesis against variables and contexts, as SVG
    Curves(curves::CurvesOptions),
}

fn main() -> anyhow::Result<()> {
    let bench = match Cli::parse().task {
        Task::Bench(bench) => bench,
        Task::Learn(task) => return learn::learn(&task),
        Task::Pictures(options) => return pictures::draw(&options),
    };
    match bench {
        Bench::Fixtures { runs } => fixtures::bench(runs),
        Bench::Bugs(options) => bugs::bench(&options, bugs::Origin::Crates),
        Bench::CProjects(options) => bugs::bench(&options, bugs::Origin::CProjects),
        Bench::C(options) => c::bench(&options),
        Bench::Formula(options) => formula::bench(&options),
        Bench::Mutate(options) => mutation::bench(&options),
        Bench::Heap(options) => heap::bench(&options),
        Bench::Hostile(options) => hostile::bench(&options),
        Bench::Synthesis(options) => synthesis::bench(&options),
        Bench::Crates(options) => crates::bench(&options),
        Bench::Curves(options) => curves::bench(&options),
    }
}
