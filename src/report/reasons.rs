//! Explains, in sentences, why there is no patch.

use nopol_basics::{agree, count};

use super::Complaint;
use super::Ending;
use super::Outcome;
use super::SiteReport;
use super::format::human::place;
use super::phrases::listed;

impl Outcome {
    /// Why the run ended as it did, especially why there is no patch.
    pub fn why_not(&self) -> Option<String> {
        if self.message.is_some() || self.ending != Ending::NoPatch {
            return self.message.clone();
        }
        let why = self.why_no_candidate().unwrap_or_else(|| self.reasons());
        let unread = self.why_unread();
        Some(unread.map_or_else(|| why.clone(), |unread| format!("{why} {unread}")))
    }

    /// Whether the report for people describes how tests fail.
    pub fn shows_complaints(&self) -> bool {
        !self.patches.is_empty() || self.ending == Ending::NoPatch
    }

    /// The warnings that the report for people does not show elsewhere.
    pub fn own_warnings(&self) -> impl Iterator<Item = &String> {
        let complaints = self.complaints.iter().map(Complaint::sentence);
        let shown: Vec<String> = match self.shows_complaints() {
            true => complaints.collect(),
            false => Vec::new(),
        };
        let warnings = self.warnings.iter();
        warnings.filter(move |warning| !shown.contains(warning))
    }

    /// That there is nothing to show of what the run searched for.
    pub fn none_found(&self) -> &'static str {
        match self.scope.is_localization {
            true => "no place found",
            false if self.hidden_by.is_some() => "no patch to show",
            false => "no patch found",
        }
    }

    /// What a search found that has no patch to show: `no patch`, or that an option hides all of them, or that no test fails.
    pub fn found_none(&self) -> String {
        match &self.hidden_by {
            Some(option) => format!("hid all its patches ({option})"),
            None if self.ending == Ending::NothingToRepair => "found nothing to repair".to_owned(),
            None => "found no patch".to_owned(),
        }
    }

    /// The parts of the program in which no patch was searched for, and why.
    pub fn why_unread(&self) -> Option<String> {
        (!self.unread.is_empty()).then(|| {
            const MOST_TOLD: usize = 5;
            let told = &self.unread[..self.unread.len().min(MOST_TOLD)];
            let more = match self.unread.len() - told.len() {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            format!("Not searched: {}{more}.", told.join("; "))
        })
    }

    /// The sites where a forced outcome makes a failing test pass.
    pub fn angelic_sites(&self) -> Vec<&SiteReport> {
        let sites = self.sites.iter();
        sites.filter(|site| !site.angelic.is_empty()).collect()
    }

    /// The reasons why angelic sites have no patch, each with its sites, in the order of the sites.
    pub fn site_reasons(&self) -> Vec<(&str, Vec<&SiteReport>)> {
        let mut reasons: Vec<(&str, Vec<&SiteReport>)> = Vec::new();
        for site in self.angelic_sites() {
            let why = site.why_no_patch();
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, sites)) => sites.push(site),
                None => reasons.push((why, vec![site])),
            }
        }
        reasons
    }

    /// A sentence with the first reasons why angelic sites have no patch.
    fn reasons(&self) -> String {
        const MOST_TOLD: usize = 3;
        let reasons = self.site_reasons();
        let told = reasons.iter().take(MOST_TOLD).map(|(reason, sites)| {
            let places = places(sites);
            let named: Vec<&str> = places.iter().take(MOST_TOLD).map(String::as_str).collect();
            let more = places.len() - named.len();
            format!("{}: {reason}", enumerated(&named, more))
        });
        let others: Vec<&SiteReport> = reasons
            .iter()
            .skip(MOST_TOLD)
            .flat_map(|(_, sites)| sites.iter().copied())
            .collect();
        let others = match places(&others).len() {
            0 => String::new(),
            others => format!("; and {others} more"),
        };
        format!(
            "A failing test passes when the outcome is forced at {}, but no condition found there makes it pass without breaking another: {}{others}.{}",
            count(places(&self.angelic_sites()).len(), "place"),
            told.collect::<Vec<_>>().join("; "),
            self.pairs_in_vain()
                .map_or_else(String::new, |pairs| format!(" {pairs}"))
        )
    }

    /// A note that changing two conditions at once did not help. `None` if it was not tried, some patch has two edits,
    /// or the reason why there is no patch says so already.
    pub fn pairs_in_vain(&self) -> Option<&'static str> {
        let has_pair = self.patches.iter().any(|patch| patch.edits.len() > 1);
        let is_said = self.patches.is_empty() && self.angelic_sites().is_empty();
        (self.tried_pairs && !has_pair && !is_said)
            .then_some("No pair of conditions that was tried fixes another failing test.")
    }

    /// A sentence on the early exits that were tried.
    fn exits(&self) -> String {
        const MOST_TOLD: usize = 8;
        let mut exits: Vec<String> = Vec::new();
        for site in self.sites.iter().filter(|site| site.kind == "guard") {
            let exit = format!("`{}`", site.text.trim_end_matches(';'));
            if !exits.contains(&exit) {
                exits.push(exit);
            }
        }
        if exits.is_empty() {
            let kinds = self.kinds();
            return match () {
                () if self.is_quick() => "`--quick` tries no early exits.".to_owned(),
                () if !kinds.is_empty() && !kinds.contains(&"guard") => {
                    "Early exits were not tried, because `--kind` does not name `guard`.".to_owned()
                }
                () => "No early exit was tried, because none is known there.".to_owned(),
            };
        }
        let named: Vec<&str> = exits.iter().take(MOST_TOLD).map(String::as_str).collect();
        let others = match exits.iter().any(|exit| exit.starts_with("`return ")) {
            true => "; returning any other value was not tried",
            false => "",
        };
        format!(
            "The early {} {}{others}.",
            agree(exits.len(), "exit tried was", "exits tried were"),
            enumerated(&named, exits.len() - named.len())
        )
    }

    /// A sentence on code that can never be patched.
    pub fn without_places(&self) -> &'static str {
        match self.command {
            "cargo nopol c" => {
                "Code in a macro's definition, below a comment `nopol: skip` and in a file that `sources` does not name cannot be patched."
            }
            _ => {
                "Code in a `const fn` that a constant calls, in a macro's definition (except its conditions), in a \
                 generated file, in a proc macro, in an example or benchmark, under `#[cfg(test)]` and below a comment `nopol: skip` cannot be patched."
            }
        }
    }

    /// The values of `--kind`.
    fn kinds(&self) -> Vec<&str> {
        let options = self.narrowed_by.iter();
        options
            .filter_map(|option| option.strip_prefix("--kind "))
            .collect()
    }

    /// The options that exclude places. `--quick` does not: it only tries less.
    fn narrowing_places(&self) -> impl Iterator<Item = &str> {
        let options = self.narrowed_by.iter().map(String::as_str);
        options.filter(|option| *option != "--quick")
    }

    /// Whether only existing conditions and statements were examined.
    fn is_quick(&self) -> bool {
        self.narrowed_by.iter().any(|option| option == "--quick")
    }

    /// Why no place may be changed. `None` if there is such a place.
    pub fn why_no_place(&self) -> Option<String> {
        if self.scope.places != Some(0) {
            return None;
        }
        let share = self
            .share
            .map(|(number, all)| format!("--shard {number}/{all}"));
        let options: Vec<String> = self.narrowed_by.iter().cloned().chain(share).collect();
        if options.is_empty() {
            return Some(format!(
                "The program has no place that may be changed. {}",
                self.without_places()
            ));
        }
        let leave = match &*options {
            [one] => format!("`{one}` leaves"),
            several => format!("Together, `{}` leave", several.join(" ")),
        };
        let is_named = options.iter().any(|option| option.starts_with("--in-diff"));
        let unchanged = match (self.scope.is_unchanged, is_named) {
            (false, _) => "",
            (true, true) => ": no source line differs",
            (true, false) => ": no source line has uncommitted changes",
        };
        let quick = match self.is_quick() && self.kinds().contains(&"guard") {
            true => " `--quick` tries no early exits.",
            false => "",
        };
        Some(format!(
            "{leave} no place that may be changed{unchanged}.{quick}"
        ))
    }

    /// Why no failing test reaches a place.
    fn why_no_site(&self) -> String {
        if let Some(why) = self.why_no_place() {
            return why;
        }
        let (command, place) = (self.command, &self.place);
        if self.scope.is_localization && self.kinds() == ["arithmetic"] {
            return format!(
                "Only outcomes of conditions and statements can be forced, and integer expressions have none; `{command} --kind arithmetic{place}` looks for edits of them."
            );
        }
        let unchanging = match command {
            "cargo nopol c" => {
                " If your build does not recompile changed sources, no place is reached either: in a makefile, the program must depend on its sources."
            }
            _ => "",
        };
        if !self.narrowed_by.is_empty() {
            let options = self.narrowed_by.join(" ");
            return format!(
                "No failing test reaches a place that `{options}` {}; `{command} list {options}{place}` shows the allowed places.{unchanging}",
                agree(self.narrowed_by.len(), "allows", "allow")
            );
        }
        if let Some((number, all)) = self.share {
            return format!("No failing test reaches a place of shard {number}/{all}.{unchanging}");
        }
        format!(
            "No failing test reaches a place that may be changed; `{command} list{place}` shows the places. {}{unchanging}",
            self.without_places()
        )
    }

    /// Why there is no patch. `None` if there are angelic sites, because those have their own reasons.
    pub fn why_no_candidate(&self) -> Option<String> {
        let why = self.why_none()?;
        Some(match self.only_targets() {
            Some(only) => format!("{only} {why}"),
            None => why,
        })
    }

    /// Which failing tests the reasons are about, if the search leaves some out.
    fn only_targets(&self) -> Option<String> {
        const MOST_TOLD: usize = 3;
        if self.not_targeted.is_empty() {
            return None;
        }
        let failing = self.failing_tests.iter();
        let targets = failing.filter(|test| !self.not_targeted.contains(test));
        let named: Vec<String> = targets.map(|test| format!("`{test}`")).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let told = &named[..named.len().min(MOST_TOLD)];
        Some(format!(
            "The search was only for {}; other failing tests do not count here.",
            enumerated(told, named.len() - told.len())
        ))
    }

    fn why_none(&self) -> Option<String> {
        if self.sites.is_empty() && self.is_disturbed {
            let what = "The result of every failing test changes once recording code is added to the program, so nothing can be learned from them. The program may depend on time, on its own source text or on uninitialized memory.";
            return Some(what.to_owned());
        }
        if self.sites.is_empty() {
            return Some(self.why_no_site());
        }
        // Sites of this kind have no outcomes to force.
        let computes = |site: &&SiteReport| site.kind == "arithmetic";
        let computing = self.sites.iter().filter(computes).count();
        if computing == self.sites.len() {
            return Some(format!(
                "Failing tests reach {}. No small edit of {} fixes a test without breaking another. {} \
                 Missing calls and assignments are not searched for. `{} faults{}` may show which values are wrong, and where, if it supports what the tests use.",
                count(computing, "expression"),
                agree(computing, "it", "any of them"),
                match self.kinds()[..] {
                    ["arithmetic"] =>
                        "Conditions were not examined, because of `--kind arithmetic`.",
                    _ => "Failing tests reach no place of another kind.",
                },
                self.command,
                self.place
            ));
        }
        let forced: Vec<&SiteReport> = self.sites.iter().filter(|site| !computes(site)).collect();
        let has_condition = forced.iter().any(|site| site.has_condition);
        let (pairs, next) = match self.tried_pairs {
            _ if !has_condition => ("", ""),
            true => (" No pair of conditions that was tried helps either.", ""),
            false if self.is_quick() => ("", " Without `--quick`, more is tried."),
            false => ("", " If two conditions must change at once, try `--multi`."),
        };
        let is_any = |kind: &str| forced.iter().any(|site| site.kind == kind);
        let ways = [
            (has_condition, "the condition is forced"),
            (is_any("precondition"), "the statement is skipped"),
            (is_any("guard"), "an early exit is taken"),
        ];
        let ways: Vec<&str> = ways.iter().filter(|way| way.0).map(|way| way.1).collect();
        let ways = match &*ways {
            [before @ .., one, last] => {
                let last = format!("{one} or {last}");
                [before, &[last.as_str()]].concat().join(", ")
            }
            _ => ways.concat(),
        };
        let are_statements = forced.iter().all(|site| site.kind == "precondition");
        let noun = match are_statements {
            true => "statement",
            false => "place",
        };
        let (number, there) = match places(&forced).len() {
            1 => (format!("one {noun}"), "there"),
            several => (count(several, noun), "at any one of them"),
        };
        let none = match (are_statements, there) {
            (true, "there") => "No failing test passes when it is skipped".to_owned(),
            (true, _) => "No failing test passes when any one of them is skipped".to_owned(),
            (false, there) => format!("No failing test passes when {ways} {there}"),
        };
        if self.scope.is_localization {
            return self
                .angelic_sites()
                .is_empty()
                .then(|| format!("Failing tests reach {number}. {none}."));
        }
        let edited = match (has_condition && !self.is_quick(), computing > 0) {
            (false, false) => None,
            (true, false) => Some("the most suspicious conditions"),
            (true, true) => Some("the most suspicious conditions or of an integer expression"),
            (false, true) => Some("integer expressions"),
        };
        let edited = edited.map_or_else(String::new, |what| {
            format!(", and small edits of {what} do not help either")
        });
        let tried = match has_condition {
            true => format!(
                "The search found no change of one condition that fixes a failing test. Failing tests reach {number}. {none}{edited}.{pairs}"
            ),
            false => {
                let read = match self.unread.is_empty() {
                    true => "",
                    false => " could be read and",
                };
                let options: Vec<&str> = self.narrowing_places().collect();
                let allowed = match &*options {
                    [] => "may be changed".to_owned(),
                    some => format!(
                        "`{}` {}",
                        some.join(" "),
                        agree(some.len(), "allows", "allow")
                    ),
                };
                let are_exits = forced.iter().all(|site| site.kind == "guard");
                let purpose = match () {
                    () if are_exits => " for an early exit",
                    () if are_statements => " that could get a new `if`",
                    () => "",
                };
                let kinds = self.kinds();
                let is_of_conditions = |kind: &&str| ["condition", "expression"].contains(kind);
                let reached = match kinds.is_empty() || kinds.iter().any(is_of_conditions) {
                    true => format!("no condition that{read} {allowed}, only {number}"),
                    false => number,
                };
                format!(
                    "The search found no new condition that fixes a failing test. Failing tests reach {reached}{purpose}. \
                     {none}{edited}.{pairs}"
                )
            }
        };
        self.angelic_sites().is_empty().then(|| {
            format!(
                "{tried} {} The fault may lie elsewhere: {}missing calls {}.{next}",
                self.exits(),
                match computing {
                    0 => "`--kind arithmetic` examines integer expressions; ",
                    _ => "",
                },
                match self.command.split(' ').nth(2) {
                    Some("c") =>
                        "are not searched for, and missing assignments only in linked structures",
                    _ => "and assignments are not searched for",
                }
            )
        })
    }
}

/// The places of sites, each once, because several exits may be tried at one place.
fn places(sites: &[&SiteReport]) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for site in sites {
        let place = place(site);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// `a`, `a and b`, `a, b and 3 more`.
fn enumerated(named: &[&str], more: usize) -> String {
    match (named, more) {
        (_, 0) => listed(named),
        (_, more) => format!("{} and {more} more", named.join(", ")),
    }
}
