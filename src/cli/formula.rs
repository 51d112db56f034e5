//! What `faults` and `mutate` have in common: a result is printed as text or as JSON, and a refusal is said.

use clap::ValueEnum;
use serde::Serialize;

use super::output;
use crate::formula::load::Refusal;
use crate::formula::report;
use crate::report::Ending;

/// How a result is shown.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Shape {
    /// For people
    #[default]
    Human,
    /// Everything
    Json,
}

/// The result; or the exit code, after it was said why there is none. `outside` is what JSON says of a program that is
/// outside of the subset, for this reason.
pub fn accepted<T: Serialize>(
    result: Result<T, Refusal>,
    shape: Shape,
    outside: impl FnOnce(String) -> T,
) -> Result<T, u8> {
    result.map_err(|refusal| {
        let (message, ending) = match refusal {
            Refusal::Usage(message) => (message, Ending::Usage),
            Refusal::Outside(message) => (message, Ending::UnusableBaseline),
            Refusal::Internal(message) => (message, Ending::Internal),
        };
        output::complain(&message);
        match (shape, ending) {
            (Shape::Json, Ending::UnusableBaseline) => {
                print(&outside(message), shape, |_| String::new(), ending)
            }
            _ => ending.exit_code(),
        }
    })
}

/// Prints a result; gives the exit code.
pub fn print<T: Serialize>(
    shown: &T,
    shape: Shape,
    human: impl FnOnce(&T) -> String,
    ending: Ending,
) -> u8 {
    match shape {
        Shape::Human => output::print(&human(shown), ending.exit_code()),
        Shape::Json => match report::json(shown) {
            Ok(text) => output::print_exact(&text, ending.exit_code()),
            Err(error) => {
                output::complain(&error.to_string());
                Ending::Internal.exit_code()
            }
        },
    }
}
