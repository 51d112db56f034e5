//! The prompt: history, and completion of commands and entities.

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use nopol_debug::session::command::NAMES;

/// Completes commands and entities.
#[derive(Default)]
pub struct Names {
    /// Variables and fields.
    pub entities: Vec<String>,
}

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..position).unwrap_or(line);
        let start = before.rfind([' ', ';']).map_or(0, |at| at + 1);
        let word = &before[start..];
        let is_command = before[..start].trim_end_matches([' ', ';']).is_empty()
            || before[..start].trim_end().ends_with(';');
        let names: Vec<String> = match is_command {
            true => NAMES.iter().map(ToString::to_string).collect(),
            false => self.entities.clone(),
        };
        let fitting = names.into_iter().filter(|name| name.starts_with(word));
        Ok((start, fitting.collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}
impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}
