//! Why there is no patch, in sentences.

use nopol_basics::count;

use super::Ending;
use super::Outcome;
use super::SiteReport;
use super::format::human::place;
use super::phrases::capitalized;

impl Outcome {
    /// Why the run ended as it did, in particular why there is no patch.
    pub fn why_not(&self) -> Option<String> {
        if self.message.is_some() || self.ending != Ending::NoPatch {
            return self.message.clone();
        }
        let why = self.why_no_candidate().unwrap_or_else(|| self.reasons());
        let unread = self.why_unread();
        Some(unread.map_or_else(|| why.clone(), |unread| format!("{why} {unread}")))
    }

    /// Which parts of the program no patch was looked for in, and why.
    pub fn why_unread(&self) -> Option<String> {
        (!self.unread.is_empty()).then(|| {
            const MOST_TOLD: usize = 5;
            let told = &self.unread[..self.unread.len().min(MOST_TOLD)];
            let more = match self.unread.len() - told.len() {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            format!("These parts were not searched: {}{more}.", told.join("; "))
        })
    }

    /// The sites where a forced outcome makes a failing test pass.
    pub fn angelic_sites(&self) -> Vec<&SiteReport> {
        let sites = self.sites.iter();
        sites.filter(|site| !site.angelic.is_empty()).collect()
    }

    /// Why angelic sites have no patch: each reason with its sites, in the order of the sites.
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

    /// The first reasons why angelic sites have no patch.
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
            "A failing test passes when the outcome is forced at {}, but no condition found there makes it pass and \
             breaks no other: {}{others}.",
            count(places(&self.angelic_sites()).len(), "place"),
            told.collect::<Vec<_>>().join("; ")
        )
    }

    /// The early exits that were tried, as a sentence.
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
            return "No early exit was tried: none is known there, or an option leaves guards out."
                .to_owned();
        }
        let named: Vec<&str> = exits.iter().take(MOST_TOLD).map(String::as_str).collect();
        format!(
            "The early exits tried were {}; if another value must be returned, it was not tried.",
            enumerated(&named, exits.len() - named.len())
        )
    }

    /// The code that has no place for a patch.
    pub fn without_places(&self) -> &'static str {
        match self.command {
            "cargo nopol c" => {
                "Code in a macro's definition and in a file that `sources` does not name cannot be patched."
            }
            _ => {
                "Code in a `const fn` that a constant calls, in a macro's definition, in a generated file, in a \
                 proc macro and under `#[cfg(test)]` cannot be patched."
            }
        }
    }

    /// Why there is no patch; `None` if there are angelic sites, which have their own reasons.
    pub fn why_no_candidate(&self) -> Option<String> {
        if self.sites.is_empty() && self.is_disturbed {
            let what = "Every failing test passes or fails differently once recording code is added to the program, so nothing can be learned from them. The program may depend on time, on its own source text or on uninitialized memory.";
            return Some(what.to_owned());
        }
        if self.sites.is_empty() {
            let unchanging = match self.command {
                "cargo nopol c" => {
                    " If your build does not recompile changed sources, no place is reached either: in a makefile, the program must depend on its sources."
                }
                _ => "",
            };
            let command = self.command;
            if !self.narrowed_by.is_empty() {
                let options = self.narrowed_by.join(" ");
                return Some(format!(
                    "No failing test reaches a place that `{options}` allows; `{command} list {options}` shows the allowed places.{unchanging}"
                ));
            }
            return Some(format!(
                "No failing test reaches a place that may be changed; `{command} list` shows the places. {}{unchanging}",
                self.without_places()
            ));
        }
        // Kinds that have no outcomes to force.
        let computes = |site: &&SiteReport| site.kind == "arithmetic";
        let computing = self.sites.iter().filter(computes).count();
        if computing == self.sites.len() {
            return Some(format!(
                "No small edit of {} that failing tests reach makes a failing test pass and breaks no other. \
                 Conditions were not examined, unless --kind also names their kinds. Missing calls and assignments are not searched for; `{} faults` shows which values are wrong, and where.",
                match computing {
                    1 => "the only integer expression".to_owned(),
                    _ => format!("one of the {computing} integer expressions"),
                },
                self.command
            ));
        }
        let forced: Vec<&SiteReport> = self.sites.iter().filter(|site| !computes(site)).collect();
        let has_condition = forced.iter().any(|site| site.has_condition);
        let (pairs, next) = match self.tried_pairs {
            _ if !has_condition => ("", ""),
            true => (", nor do two conditions changed at once", ""),
            false => (
                "",
                " Or two conditions must change at once, which --multi tries.",
            ),
        };
        let is_any = |kind: &str| forced.iter().any(|site| site.kind == kind);
        let mut ways = Vec::new();
        if has_condition {
            ways.push("forcing it true or false");
        }
        if is_any("precondition") {
            ways.push("skipping the statement");
        }
        if is_any("guard") {
            ways.push("leaving early");
        }
        let ways = match &*ways {
            [one] => (*one).to_owned(),
            [before @ .., last] => format!("{}, or {last},", before.join(", ")),
            [] => String::new(),
        };
        let helps = match places(&forced).len() {
            1 => "does not help at the only place".to_owned(),
            places => format!("helps at none of the {places} places"),
        };
        let computed = match (has_condition, computing > 0) {
            (_, false) => "",
            (true, true) => " or of an integer expression",
            (false, true) => "; small edits of integer expressions do not help, either",
        };
        let tried = match has_condition {
            true => format!(
                "No change of one condition was found that cures a failing test. {} {helps} that failing tests reach; small \
                 edits of the most suspicious conditions{computed} do not help, either{pairs}.",
                capitalized(&ways)
            ),
            false => {
                let read = match self.unread.is_empty() {
                    true => "",
                    false => " that could be read",
                };
                format!(
                    "No new condition was found that cures a failing test: {ways} {helps} that failing tests reach, and the \
                     failing tests reach no condition{read}{computed}{pairs}."
                )
            }
        };
        self.angelic_sites().is_empty().then(|| {
            format!(
                "{tried} {} Or the fault is not in a condition: `--kind arithmetic` examines integer expressions; missing calls and assignments are not searched for.{next}",
                self.exits()
            )
        })
    }
}

/// The places of sites, each once: several exits may be tried at one.
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
        ([one], 0) => (*one).to_owned(),
        ([before @ .., last], 0) => format!("{} and {last}", before.join(", ")),
        (_, more) => format!("{} and {more} more", named.join(", ")),
    }
}
