//! `cargo nopol review`: goes through the patches that were found, one after the other, as `git add -p` does.

use std::collections::BTreeSet;

use anyhow::Result;
use clap::Args;
use nopol_basics::count;
use nopol_source::Language;

use super::answer::{self, say};
use super::apply::{apply, said};
use super::request::SearchRequest;
use super::undo::undo;
use super::{Common, Target, output, with_test};
use crate::repair::discriminating::DiscriminatingTest;
use crate::repair::places;
use crate::repair::settings::{Depth, Settings};
use crate::report::{
    Assurance, Choice, Ending, Outcome, PatchReport, REVIEW_EXIT_CODES, beside, explain, phrases,
    snippet,
};

const HELP: &str = "\
a      apply this patch
w      apply this patch, with a new test that passes with it and fails with another patch
N      show alternative N; it can then be applied (aN applies it if the input is not a terminal)
v      view the old and the new lines side by side
e      explain: what decided it, and what the tests leave open
d      edit its condition, and show the patch again
s      skip it and show the next one
b      go back to the previous patch
q      quit
?      show this list
";

const HELP_APPLIED: &str = "\
t      run your tests, after a reminder of how they failed before
u      undo: revert the patch and go on
q      quit
";

/// What stands before [`HELP_APPLIED`] if another cause has patches.
const HELP_NEXT: &str = "n      continue with the patches of the next probable cause\n";

/// What can be answered, and the exit codes, for `--help`.
pub fn keys() -> String {
    let indented =
        |list: &str| -> String { list.lines().map(|line| format!("  {line}\n")).collect() };
    format!(
        "Answers, one key each (followed by Enter if the input is not a terminal):\n{}\nOnce a patch is applied:\n{}\n{REVIEW_EXIT_CODES}",
        indented(HELP),
        indented(HELP_NEXT) + &indented(HELP_APPLIED)
    )
}

#[derive(Args, Clone, Debug)]
pub struct Review<P: Target> {
    /// Apply even if the file has uncommitted changes
    #[arg(long)]
    allow_dirty: bool,

    /// Search again, even if nothing has changed since the last search
    #[arg(long)]
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
        if let Err(code) = request.refuse_files("review") {
            return code;
        }
        let outcome = request.outcome(self.no_cache);
        if outcome.patches.is_empty() {
            return output::present(&outcome, &request);
        }
        let walk = Walk {
            request: &request,
            outcome,
            allow_dirty: self.allow_dirty,
            edited: BTreeSet::new(),
            applied: Vec::new(),
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
    request: &'r SearchRequest,
    outcome: Outcome,
    allow_dirty: bool,
    /// Ranks of the patches that the user has edited.
    edited: BTreeSet<usize>,
    /// The patches that are applied, by their place among all, the last one last.
    applied: Vec<usize>,
}

impl Walk<'_> {
    /// Until the last patch is skipped, the last one wanted is applied and kept, or there is no more input.
    fn walk(mut self) -> Result<()> {
        let mut at = 0;
        while let Some(patch) = self.outcome.patches.get(at) {
            let all = self.outcome.patches.len();
            let patch = &patch.shown(&self.outcome.names);
            let notes = match self.edited.contains(&patch.rank) {
                true => vec![patch.evidence.caveat().unwrap_or_default().to_owned()],
                false => {
                    let mut notes = vec![format!("{}: {}", phrases::sureness(patch), patch.why)];
                    notes.extend(self.outcome.open_question(patch));
                    notes
                }
            };
            say(&snippet::one_of(patch, all, &notes))?;
            if !patch.alternatives.is_empty() {
                // Of the whole names of tests.
                let alike = self.outcome.family_is_alike(&self.outcome.patches[at]);
                let number = patch.alternatives.len();
                let alternatives = count(number, "alternative");
                let unbuilt = phrases::unbuilt(number);
                say(&format!("  {alternatives}, {unbuilt}; {alike}:\n"))?;
            }
            for (number, other) in (1..).zip(&patch.alternatives) {
                say(&format!("  alternative {number}: {}\n", other.change))?;
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
            let Some(answer) = answer::key(
                "[a]pply, [w]ith a test, [s]kip, [b]ack, [v]iew, [e]xplain, e[d]it, [q]uit, [?] ",
            )?
            else {
                return Ok(None);
            };
            let patch = &self.outcome.patches[at];
            match &*answer {
                "s" | "n" => return Ok(Some(at + 1)),
                "b" => return Ok(Some(at.saturating_sub(1))),
                "q" => return Ok(None),
                "?" => say(HELP)?,
                "w" => {
                    if self.apply_with_test(at)? {
                        return self.applied(at);
                    }
                }
                "v" => say(&beside::side_by_side(patch, snippet::width()))?,
                "e" => {
                    let shown = explain::render(&self.outcome.shown(), &patch.id);
                    say(&shown.unwrap_or_default())?;
                }
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
                        // With single keys, there is no `a2`.
                        if answer::is_by_key() && wants(number)? && self.apply(at, Some(number))? {
                            return self.applied(at);
                        }
                    }
                    Some((_, None)) => say(HELP)?,
                    None if is_number(answer) => say(&format!(
                        "There is no alternative {}: this patch has {}.\n",
                        answer.trim_start_matches('a'),
                        match patch.alternatives.len() {
                            0 => "none".to_owned(),
                            some => some.to_string(),
                        }
                    ))?,
                    None => say(&format!(
                        "unknown answer `{answer}`; the answers are:\n{HELP}"
                    ))?,
                },
            }
        }
    }

    /// Whether it was applied; if not, the user has seen the reason.
    fn apply(&self, at: usize, alternative: Option<u32>) -> Result<bool> {
        let rank = u32::try_from(self.outcome.patches[at].rank)?;
        let choice = Choice { rank, alternative };
        self.apply_choice(choice, None)
    }

    /// Looks for a test first; without one, nothing is applied.
    fn apply_with_test(&self, at: usize) -> Result<bool> {
        if self.edited.contains(&self.outcome.patches[at].rank) {
            say(
                "This patch was edited by hand; a test can be added only to a patch that the search found.\n",
            )?;
            return Ok(false);
        }
        let choice = Choice {
            rank: u32::try_from(self.outcome.patches[at].rank)?,
            alternative: None,
        };
        let quiet = self.request.display.quiet;
        let alone = format!("`a` applies {} alone", choice.named());
        match with_test::find(&self.request.settings, &self.outcome, choice, quiet, &alone) {
            Ok(test) => {
                say(&test.text)?;
                say("\n")?;
                self.apply_choice(choice, Some(&test))
            }
            Err(error) => {
                output::complain(&format!("{error:#}"));
                Ok(false)
            }
        }
    }

    fn apply_choice(&self, choice: Choice, test: Option<&DiscriminatingTest>) -> Result<bool> {
        let settings = &self.request.settings;
        match apply(settings, &self.outcome, choice, test, self.allow_dirty) {
            Ok(written) => {
                say(&said(&self.outcome, choice, test, &written))?;
                Ok(true)
            }
            Err(error) => {
                output::complain(&format!("{error:#}"));
                Ok(false)
            }
        }
    }

    /// What is left to do with a patch that was applied.
    fn applied(&mut self, at: usize) -> Result<Option<usize>> {
        self.applied.push(at);
        let other = self.other_cause();
        let (choices, next) = match other {
            Some(_) => ("[n]ext cause, [t]est, [u]ndo, [q]uit, [?] ", HELP_NEXT),
            None => ("[t]est, [u]ndo, [q]uit, [?] ", ""),
        };
        loop {
            match (answer::key(choices)?.as_deref(), other) {
                (None | Some("q"), _) => return Ok(None),
                (Some("n"), Some(other)) => return Ok(Some(other)),
                (Some("n"), None) => say("There is no other cause with a patch.\n")?,
                (Some("t"), _) => {
                    say(&self.before(at))?;
                    match self.test()? {
                        Ok(()) => say("Your tests pass.\n")?,
                        Err(why) => {
                            let others = match other {
                                Some(_) => {
                                    " Tests that fail because of another probable cause need a patch for that cause as well."
                                }
                                None => "",
                            };
                            say(&format!("Some tests still fail{why}.{others}\n"))?;
                        }
                    }
                }
                (Some("u"), _) => {
                    say(&undo(&self.request.settings)?)?;
                    self.applied.pop();
                    return Ok(Some(at));
                }
                (Some("?"), _) => say(&format!("{next}{HELP_APPLIED}"))?,
                (Some(answer), _) => say(&format!(
                    "unknown answer `{answer}`; the answers are:\n{next}{HELP_APPLIED}"
                ))?,
            }
        }
    }

    /// How the tests that a patch fixes failed without it.
    fn before(&self, at: usize) -> String {
        let fixes = &self.outcome.patches[at].fixes;
        let complaints = self.outcome.complaints.iter();
        let own = complaints.filter(|complaint| fixes.contains(&complaint.test));
        own.map(|complaint| {
            let sentence = self.outcome.names.in_sentence(&complaint.sentence());
            format!("Without the patch, {sentence}\n")
        })
        .collect()
    }

    /// The first patch for tests that no patch which was applied cures.
    fn other_cause(&self) -> Option<usize> {
        let patches = &self.outcome.patches;
        let is_cured = |test: &String| {
            let mut applied = self.applied.iter();
            applied.any(|at| patches[*at].fixes.contains(test))
        };
        let mut groups = self.outcome.groups.iter();
        let group = groups.find(|group| !group.tests.iter().any(is_cured))?;
        let first = group.patches.first()?;
        patches.iter().position(|patch| patch.id == *first)
    }

    /// Runs the user's tests; a message if some fail.
    fn test(&self) -> Result<Result<(), String>> {
        let settings = &self.request.settings;
        if let Some(passed) = settings.subject()?.ecosystem.test() {
            return Ok(passed.then_some(()).ok_or_else(String::new));
        }
        // Where no command of the user runs them all: as before a search.
        let baseline = SearchRequest {
            settings: Settings {
                depth: Depth::Baseline,
                ..settings.clone()
            },
            ..self.request.clone()
        };
        let outcome = output::run(&baseline);
        Ok(match (outcome.ending, outcome.message) {
            (Ending::NothingToRepair, _) => Ok(()),
            (_, Some(message)) => Err(format!(": {message}")),
            (_, None) => Err(format!(": {}", phrases::names(&outcome.failing_tests))),
        })
    }

    /// Lets the user write another condition; whether the patch has changed.
    fn edit(&mut self, at: usize) -> Result<bool> {
        let patch = &mut self.outcome.patches[at];
        let [edit] = &mut *patch.edits else {
            say("It changes several places; apply it and edit these.\n")?;
            return Ok(false);
        };
        let Some(condition) = answer::line(&format!(
            "new condition (empty keeps `{}`): ",
            edit.condition
        ))?
        else {
            return Ok(false);
        };
        if condition.is_empty() {
            return Ok(false);
        }
        let language = match self.outcome.command {
            "cargo nopol c" => Language::C,
            _ => Language::Rust,
        };
        if language.parse(&condition).is_none() {
            say("That is not a condition; the patch is unchanged.\n")?;
            return Ok(false);
        }
        edit.after = edit.after.replacen(&edit.condition, &condition, 1);
        edit.condition = condition;
        let mut text = edit.original.to_string();
        text.replace_range(edit.span.clone(), &edit.after);
        let subject = self.request.settings.subject()?;
        patch.diff = places::diff(&subject, &edit.file, &edit.original, &text);
        self.edited.insert(patch.rank);
        patch.evidence = Assurance::Edited;
        // This was known of what the tool had found.
        patch.why = "edited by hand".to_owned();
        patch.clauses.clear();
        patch.doubts.clear();
        patch.differs = None;
        patch.alternatives.clear();
        patch.alike = 0;
        Ok(true)
    }
}

/// Whether an answer is the number of an alternative, with `a` before it or not.
fn is_number(answer: &str) -> bool {
    answer.trim_start_matches('a').parse::<u32>().is_ok()
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

/// Whether the user wants to apply an alternative that was just shown.
fn wants(alternative: u32) -> Result<bool> {
    let answer = answer::key(&format!(
        "[a]pply alternative {alternative}, or any other key to go back: "
    ))?;
    Ok(answer.as_deref() == Some("a"))
}
