//! Shows the patch of a report that may come from another person, and asks before anything of it is built, run or written.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Result, bail};

use super::output;

/// Prints the diff, and returns if the user wants it applied: by `--yes`, or by an answer on the terminal.
///
/// # Errors
/// If the user does not want it, or cannot be asked.
pub fn ask(file: &str, diff: &str, is_given: bool) -> Result<()> {
    output::print(diff, 0);
    if is_given {
        return Ok(());
    }
    if !io::stdin().is_terminal() {
        bail!(
            "{file} may come from somebody else, and the code of the patch above would be built and run here; nothing was built, run or written. Read the patch, and give --yes to apply it"
        );
    }
    let mut stderr = anstream::stderr();
    // Who does not see the question does not answer it.
    let _ = write!(stderr, "Build, run and apply this patch? [y/N] ");
    let _ = stderr.flush();
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => bail!("the patch was not applied; nothing was built, run or written"),
    }
}
