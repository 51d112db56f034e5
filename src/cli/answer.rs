//! Answers to questions: one key on a terminal, a line elsewhere.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Context, Result};
use console::{Key, Term};
use nopol_basics::visible;

/// The end of the input in a terminal, Ctrl-D.
const END: char = '\u{4}';

/// Prints text for people.
///
/// # Errors
/// If standard output cannot be written.
pub fn say(text: &str) -> Result<()> {
    let mut stdout = anstream::stdout();
    write!(stdout, "{}", visible::for_people(text))?;
    Ok(stdout.flush()?)
}

/// Whether one key is an answer.
pub fn is_by_key() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// A key on a terminal, or else a line; `None` at the end of the input.
///
/// # Errors
/// If the input cannot be read.
pub fn key(question: &str) -> Result<Option<String>> {
    if !is_by_key() {
        return line(question);
    }
    say(question)?;
    let answer = loop {
        match Term::stdout()
            .read_key()
            .context("cannot read the answer")?
        {
            Key::Char(END) => break None,
            Key::Char(key) if !key.is_control() => break Some(key.to_string()),
            Key::CtrlC => break None,
            _ => {}
        }
    };
    say(&format!("{}\n", answer.as_deref().unwrap_or_default()))?;
    Ok(answer)
}

/// A line of input, without white space around it; `None` at its end.
///
/// # Errors
/// If the input cannot be read.
pub fn line(question: &str) -> Result<Option<String>> {
    say(question)?;
    let mut line = String::new();
    let length = io::stdin().lock().read_line(&mut line);
    if length.context("cannot read the answer")? == 0 {
        say("\n")?;
        return Ok(None);
    }
    Ok(Some(line.trim().to_owned()))
}
