//! `cargo nopol explain ID`.

use clap::Args;
use nopol_basics::count;

use super::apply::no_alternative;
use super::request::{SearchRequest, ago};
use super::{Common, Target, output};
use crate::invocation::{self, Earlier, Stale};
use crate::report::Choice;
use crate::report::Ending;
use crate::report::Outcome;
use crate::report::explain;
use crate::report::phrases::listed;

#[derive(Args, Clone, Debug)]
pub struct Explain<P: Target> {
    /// A patch, by its id or rank (an alternative, RANK.N, is explained with its patch), or a place, by its id or FILE:LINE
    #[arg(value_name = "ID", default_value = "1")]
    id: String,

    /// Search again, even if nothing has changed since the last search
    #[arg(long)]
    no_cache: bool,

    #[command(flatten)]
    common: Common<P>,
}

impl<P: Target> Explain<P> {
    /// Explains a patch or a site in the outcome of the last search, or of a new one.
    pub fn run(self) -> u8 {
        let request = match self.common.resolve() {
            Ok(request) => request,
            Err(code) => return code,
        };
        if let Err(code) = request.refuse_files("explain") {
            return code;
        }
        let (mut outcome, by) = match self.known(&request) {
            Some(known) => known,
            None => (request.outcome(self.no_cache), None),
        };
        outcome.place.clone_from(&request.settings.place);
        // Without a patch, the report says why there is none.
        let has_no_patch = outcome.patches.is_empty() && is_rank(&self.id);
        if !request.format().is_default() || !has_results(&outcome) || has_no_patch {
            return output::show(&outcome, request.format());
        }
        let id = match self.of_patch(&outcome) {
            Ok(id) => id,
            Err(error) => {
                output::complain(&error);
                return Ending::Usage.exit_code();
            }
        };
        match explain::render(&outcome.shown(), &id) {
            Some(text) => output::print(&text, outcome.ending.exit_code()),
            None => {
                output::complain(&match by {
                    Some(by) if !is_rank(&id) => format!(
                        "the last result is from `{by}`, which records no places and has no patch `{id}`; with --no-cache, `explain` searches with `{}`",
                        outcome.command
                    ),
                    _ => unknown(&id, &outcome),
                });
                Ending::Usage.exit_code()
            }
        }
    }
}

impl<P: Target> Explain<P> {
    /// The rank of the patch if the user names an alternative, which is explained with its patch: `2` for `2.1`.
    fn of_patch(&self, outcome: &Outcome) -> Result<String, String> {
        let choice = self.id.parse::<Choice>().ok();
        let Some((rank, number)) = choice.and_then(|it| Some((it.rank, it.alternative?))) else {
            return Ok(self.id.clone());
        };
        let mut patches = outcome.patches.iter();
        let patch = patches.find(|patch| patch.rank == rank as usize);
        match patch {
            Some(patch) if patch.alternatives.len() < number as usize => {
                Err(no_alternative(patch, number))
            }
            _ => Ok(rank.to_string()),
        }
    }

    /// The result that the user has seen last, if another search may find something else: the question is about it, and
    /// `apply` uses it. With the command that found it, if that was no search.
    fn known(&self, request: &SearchRequest) -> Option<(Outcome, Option<String>)> {
        if self.no_cache {
            return None;
        }
        match invocation::last_outcome(&request.settings) {
            Earlier::Found {
                outcome,
                by: Some(by),
                seconds,
                ..
            } if !outcome.patches.is_empty() => {
                request.note(&format!(
                    "this patch is from the last `{by}`, which ended {}; with --no-cache, `explain` searches with `{}` and explains a patch from that search",
                    ago(seconds),
                    outcome.command
                ));
                Some((*outcome, Some(by)))
            }
            Earlier::Found {
                outcome,
                seconds,
                stale: Some(stale),
                by: None,
            } => {
                let how = match stale {
                    Stale::Changed(what) => format!("{what} since"),
                    Stale::Stopped => "it was stopped".to_owned(),
                };
                request.note(&format!(
                    "these results are from a search {}; {how} (--no-cache searches again)",
                    ago(seconds)
                ));
                Some((*outcome, None))
            }
            _ => None,
        }
    }
}

/// Whether a patch is meant by its rank, which is that of the patches the user has seen.
fn is_rank(id: &str) -> bool {
    id.parse::<Choice>().is_ok() && id.len() < SHORTEST_ID
}

/// The digits of a site's id, which may all be decimal.
const SHORTEST_ID: usize = 8;

/// Whether the run found patches or sites.
fn has_results(outcome: &Outcome) -> bool {
    !outcome.patches.is_empty() || !outcome.sites.is_empty()
}

fn unknown(id: &str, outcome: &Outcome) -> String {
    let ids: Vec<&str> = outcome
        .patches
        .iter()
        .map(|patch| patch.id.as_str())
        .collect();
    let (command, place) = (outcome.command, &outcome.place);
    if is_rank(id) {
        let found = count(ids.len(), "patch");
        return format!("there is no patch {id} to explain: the last search found {found}");
    }
    let names = || {
        outcome
            .tests
            .iter()
            .chain(&outcome.failing_tests)
            .chain(&outcome.passing_tests)
    };
    let is_end = |test: &&String| {
        let before = test.strip_suffix(id);
        before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
    };
    if let Some(test) = names().find(is_end) {
        let next = match outcome.failing_tests.contains(test) {
            true => format!(
                "`{command} localize --failing {id}{place}` shows where a forced outcome makes it pass"
            ),
            false => format!("`{command} list{place}` shows the places"),
        };
        let test = outcome.names.short(test);
        return format!("`{test}` is a test, and only patches and places can be explained. {next}");
    }
    let patches = match &*ids {
        // A line is meant.
        [_, _, ..] if id.contains(':') => "write FILE:LINE as `list` shows it".to_owned(),
        [] => format!("it {}", outcome.found_none()),
        [only] => format!("the only patch of that search is {only}"),
        _ => format!("the patches of that search are {}", listed(&ids)),
    };
    format!(
        "`{id}` is neither a patch nor a place of the last search: {patches}. `{command} list{place}` shows the places. A search records only places that failing tests reach, and it may end before it has looked at all of them"
    )
}
