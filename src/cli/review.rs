//! `cargo nopol review`: goes through the patches that were found, one after the other, as `git add -p` does.

use std::io::{self, BufRead, Write};

use anyhow::{Result, bail};
use clap::Args;

use super::apply::{apply, undo};
use super::request::Request;
use super::{Common, Target, output};
use crate::report::{Choice, Ending, Outcome, PatchReport, explain, snippet};

const HELP: &str = "\
a      apply this patch
aN     apply alternative N
N      show alternative N
e      explain: what decided it, and what the tests leave open
d      edit its condition before it is applied
s      skip it and show the next one
b      go back to the one before
q      quit
?      this list
";

const HELP_APPLIED: &str = "\
t      run your tests
u      undo: take the patch back and go on
q      quit
";

#[derive(Args, Clone, Debug)]
pub struct Review<P: Target> {
    /// Apply even if the file has uncommitted changes
    #[arg(long)]
    allow_dirty: bool,

    /// Search again, even if nothing that the last search depends on has changed
    #[arg(long, alias = "fresh")]
    no_cache: bool,

    #[command(flatten)]
    common: Common<P>,
}

impl<P: Target> Review<P> {
    pub fn run(self) -> u8 {
        let request = match self.common.resolve() {
            Ok(request) => request,
            Err(code) => return code,
        };
        let outcome = request.outcome(self.no_cache);
        if outcome.patches.is_empty() {
            return output::present(&outcome, &request);
        }
        let walk = Walk {
            request: &request,
            outcome,
            allow_dirty: self.allow_dirty,
        };
        match walk.walk() {
            Ok(()) => 0,
            Err(error) => {
                output::complain(&format!("{error:#}"));
                Ending::Usage.exit_code()
            }
        }
    }
}

/// A way through the patches.
struct Walk<'r> {
    request: &'r Request,
    outcome: Outcome,
    allow_dirty: bool,
}

impl Walk<'_> {
    /// Until the last patch is skipped, one is applied and kept, or there is no more input.
    fn walk(mut self) -> Result<()> {
        let mut at = 0;
        while let Some(patch) = self.outcome.patches.get(at) {
            let all = self.outcome.patches.len();
            say(&format!(
                "Patch {} of {all}\n{}",
                at + 1,
                snippet::styled(patch, &[])
            ))?;
            for (number, other) in (1..).zip(&patch.alternatives) {
                say(&format!("  alternative {number}: `{}`\n", other.condition))?;
            }
            let Some(next) = self.ask(at)? else {
                return Ok(());
            };
            at = next;
        }
        say("That was the last patch.\n")
    }

    /// Does what the user says about a patch; the patch to show next, or `None` at the end.
    fn ask(&mut self, at: usize) -> Result<Option<usize>> {
        loop {
            let Some(answer) = prompt("[a]pply, [s]kip, [b]ack, [e]xplain, e[d]it, [q]uit, [?] ")?
            else {
                return Ok(None);
            };
            let patch = &self.outcome.patches[at];
            match &*answer {
                "s" | "n" => return Ok(Some(at + 1)),
                "b" => return Ok(Some(at.saturating_sub(1))),
                "q" => return Ok(None),
                "e" => say(&explain::render(&self.outcome, &patch.id).unwrap_or_default())?,
                "d" => {
                    if self.edit(at)? {
                        return Ok(Some(at));
                    }
                }
                answer => match command(answer, patch) {
                    Some((true, alternative)) => {
                        if self.apply(at, alternative)? {
                            return self.applied(at);
                        }
                    }
                    Some((false, Some(number))) => {
                        let other = &patch.alternatives[number as usize - 1];
                        say(&other.diff)?;
                        if let Some(differs) = &other.differs {
                            say(&format!("{}\n", differs.sentence()))?;
                        }
                    }
                    _ => say(HELP)?,
                },
            }
        }
    }

    /// Whether it was applied; if not, the user was told why.
    fn apply(&self, at: usize, alternative: Option<u32>) -> Result<bool> {
        let rank = u32::try_from(self.outcome.patches[at].rank)?;
        let choice = Choice { rank, alternative };
        let settings = &self.request.settings;
        match apply(settings, &self.outcome, choice, self.allow_dirty) {
            Ok(()) => {
                say(&format!("Applied patch {choice}.\n"))?;
                Ok(true)
            }
            Err(error) => {
                output::complain(&format!("{error:#}"));
                Ok(false)
            }
        }
    }

    /// What is left to do with a patch that was applied.
    fn applied(&self, at: usize) -> Result<Option<usize>> {
        loop {
            match prompt("[t]est, [u]ndo, [q]uit, [?] ")?.as_deref() {
                None | Some("q") => return Ok(None),
                Some("t") => match self.request.settings.subject()?.ecosystem.test() {
                    Some(true) => say("Your tests pass.\n")?,
                    Some(false) => say("Your tests fail.\n")?,
                    None => say("There is no command that runs them all; run them yourself.\n")?,
                },
                Some("u") => {
                    say(&undo(&self.request.settings)?)?;
                    return Ok(Some(at));
                }
                Some(_) => say(HELP_APPLIED)?,
            }
        }
    }

    /// Lets the user write another condition; whether the patch has changed.
    fn edit(&mut self, at: usize) -> Result<bool> {
        let patch = &mut self.outcome.patches[at];
        let [edit] = &mut *patch.edits else {
            say("It changes several places; apply it and edit these.\n")?;
            return Ok(false);
        };
        let Some(condition) = prompt(&format!("instead of `{}`: ", edit.condition))? else {
            return Ok(false);
        };
        if condition.is_empty() {
            return Ok(false);
        }
        edit.after = edit.after.replacen(&edit.condition, &condition, 1);
        edit.condition = condition;
        "edited by hand; no test was run with it".clone_into(&mut patch.why);
        patch.confidence = 0.0;
        Ok(true)
    }
}

/// Whether an answer applies something, and which alternative it names.
fn command(answer: &str, patch: &PatchReport) -> Option<(bool, Option<u32>)> {
    let (applies, rest) = match answer.strip_prefix('a') {
        Some(rest) => (true, rest),
        None => (false, answer),
    };
    if rest.is_empty() {
        return applies.then_some((true, None));
    }
    let number: u32 = rest.parse().ok()?;
    let is_known = (1..=patch.alternatives.len()).contains(&(number as usize));
    is_known.then_some((applies, Some(number)))
}

fn say(text: &str) -> Result<()> {
    let mut stdout = anstream::stdout();
    write!(stdout, "{text}")?;
    Ok(stdout.flush()?)
}

/// A line of input, without white space around it; `None` at its end.
fn prompt(question: &str) -> Result<Option<String>> {
    say(question)?;
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) => {
            say("\n")?;
            Ok(None)
        }
        Ok(_) => Ok(Some(line.trim().to_owned())),
        Err(error) => bail!("cannot read the answer: {error}"),
    }
}
