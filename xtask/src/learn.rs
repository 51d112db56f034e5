//! `cargo xtask learn …`: what the ranking of patches is learned from, and the learning itself.

mod calibration;
mod data;
mod edits;
mod expressible;
mod faults;
mod fit;
mod histories;
mod label;
mod mine;
mod simulate;
mod train;
mod variables;

use clap::Subcommand;

pub use faults::Truth;

#[derive(Subcommand)]
pub enum Learn {
    /// Put faults into a crate, repair each, and keep what the ranking is learned from
    Faults(faults::FaultyOptions),
    /// Count what people change in conditions, by the kind of fault it mends
    Histories(histories::HistoriesOptions),
    /// Collect edits of conditions from histories
    Mine(mine::MineOptions),
    /// Count the edits that the generators would propose
    Expressible(expressible::ExpressibleOptions),
    /// Make up failing and passing contexts around edits of conditions, and keep the candidates that explain them
    Simulate(simulate::SimulateOptions),
    /// Learn which of the visible variables people ask about
    Variables(variables::VariablesOptions),
    /// Learn weights from what was kept, and tell what they are worth on crates held back
    Train(train::TrainOptions),
}

pub fn learn(task: &Learn) -> anyhow::Result<()> {
    match task {
        Learn::Faults(options) => faults::run(options),
        Learn::Histories(options) => histories::run(options),
        Learn::Mine(options) => mine::run(options),
        Learn::Expressible(options) => expressible::run(options),
        Learn::Simulate(options) => simulate::run(options),
        Learn::Variables(options) => variables::run(options),
        Learn::Train(options) => train::run(options),
    }
}
