//! Why there is no patch, in sentences.

use super::{Ending, Outcome, SiteReport, count};

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
            format!(
                "No patch was looked for in what cannot be read: {}.",
                self.unread.join("; ")
            )
        })
    }

    /// The sites where a forced outcome makes a failing test pass.
    pub fn angelic_sites(&self) -> Vec<&SiteReport> {
        let sites = self.sites.iter();
        sites.filter(|site| !site.angelic.is_empty()).collect()
    }

    /// Why the first angelic sites have no patch.
    fn reasons(&self) -> String {
        const MOST_TOLD: usize = 3;
        let angelic = self.angelic_sites();
        let told = angelic.iter().take(MOST_TOLD).map(|site| {
            let reason = site.why_no_patch();
            format!("{}:{}:{}: {reason}", site.file, site.line, site.column)
        });
        let others = match angelic.len().saturating_sub(MOST_TOLD) {
            0 => String::new(),
            others => format!("; and {others} more"),
        };
        format!(
            "A failing test passes when the outcome is forced at {}, but no condition found there makes it pass and \
             breaks no other: {}{others}.",
            count(angelic.len(), "place"),
            told.collect::<Vec<_>>().join("; ")
        )
    }

    /// The code that has no place for a patch.
    pub fn without_places(&self) -> &'static str {
        match self.command {
            "cargo nopol c" => {
                "Code in a macro's definition and in a file that `sources` does not name cannot be patched."
            }
            _ => {
                "Code in a `const fn` that a constant calls, in a macro's definition, in a generated file and in a \
                 proc macro cannot be patched."
            }
        }
    }

    /// Why there is no patch; `None` if there are angelic sites, which have their own reasons.
    pub fn why_no_candidate(&self) -> Option<String> {
        if self.sites.is_empty() && self.is_disturbed {
            let what = "Every failing test passes or fails differently once recording code is added to the program, so nothing can be \
                        learned from it. It may depend on time, on its own source text or on uninitialized memory.";
            return Some(what.to_owned());
        }
        if self.sites.is_empty() {
            let unchanging = match self.command {
                "cargo nopol c" => {
                    " If your build compiles nothing after a source has changed, no place is reached, either: in a Makefile, the \
                     program must depend on its sources."
                }
                _ => "",
            };
            let command = self.command;
            if !self.narrowed_by.is_empty() {
                let options = self.narrowed_by.join(" ");
                return Some(format!(
                    "No failing test reaches a place that may be changed with `{options}`, which leaves places out; \
                     `{command} list {options}` shows those that are left.{unchanging}"
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
                "No small edit of one of the {} that failing tests reach makes a failing test pass and breaks no other. \
                 Conditions were not looked at, unless --kind names their kinds, too. A missing call or assignment is not looked for; \
                 `{} faults` tells where which values are wrong.",
                count(computing, "integer expression"),
                self.command
            ));
        }
        let (pairs, next) = match self.tried_pairs {
            true => (", nor do two conditions changed at once", ""),
            false => (
                "",
                " Or two conditions must change at once, which --multi tries.",
            ),
        };
        self.angelic_sites().is_empty().then(|| {
            format!(
                "No change of one condition was found that cures a failing test. Forcing it true or false, or skipping the statement, \
                 {} that failing tests reach; small edits of the most suspicious conditions{} do not help, either{pairs}. The fault may not be in a condition: \
                 `--kind arithmetic` looks at integer expressions; a missing call or assignment is not looked for.{next}",
                match self.sites.len() - computing {
                    1 => "does not help at the only place".to_owned(),
                    places => format!("helps at none of the {places} places"),
                },
                if computing > 0 { " or of an integer expression" } else { "" }
            )
        })
    }
}
