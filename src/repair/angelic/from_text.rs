//! Fixes with a condition that is made of the program's text alone: nothing was recorded for them, but what was recorded at
//! their site for others may say what they do there.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use nopol_process::run::suite::TestIndex;
use nopol_source::{Condition, SiteIndex, Sources};

use super::evidence::{Explanation, Observed};
use super::unobserved::{Place, Unobserved};
use crate::localize::angelic::AngelicSite;
use crate::repair::fix::{Evidence, Fix, SiteEdit};
use crate::repair::place;

/// What was recorded at the sites of edits that explain it.
pub fn observed(explained: &[Fix]) -> BTreeMap<SiteIndex, Arc<Observed>> {
    let mut observed = BTreeMap::new();
    for edit in explained.iter().flat_map(|fix| &fix.edits) {
        let evidence: &dyn Any = &*edit.evidence;
        if let Some(explanation) = evidence.downcast_ref::<Explanation>()
            && !edit.is_trivial
        {
            let of_site = observed.entry(edit.site);
            of_site.or_insert_with(|| Arc::clone(&explanation.observed));
        }
    }
    observed
}

/// Makes the fixes of one site.
pub struct FromText<'a> {
    sources: &'a Sources,
    found: &'a AngelicSite,
    targets: Vec<TestIndex>,
    here: Option<&'a Arc<Observed>>,
    unread: Arc<Place>,
}

impl<'a> FromText<'a> {
    /// Fixes of `targets` at a site at which these contexts may have been recorded.
    pub fn at(
        sources: &'a Sources,
        found: &'a AngelicSite,
        targets: Vec<TestIndex>,
        here: Option<&'a Arc<Observed>>,
    ) -> Self {
        let unread = Arc::new(Place::new(sources, &sources.sites[found.site], here));
        Self {
            sources,
            found,
            targets,
            here,
            unread,
        }
    }

    /// What a fix costs because of its site.
    pub fn cost_of_place(&self) -> u32 {
        let site = &self.sources.sites[self.found.site];
        place::of(site) + place::common(self.found.suspiciousness, site.kind)
    }

    /// The fix with a condition; `None` if the contexts show that a part of it says nothing.
    pub fn fix(&self, condition: Condition, cost: u32, why: String, is_loose: bool) -> Option<Fix> {
        let known = self.here.and_then(|here| explanation(here, &condition));
        if known.as_ref().is_some_and(Explanation::adds_idle_part) {
            return None;
        }
        let evidence = match known {
            Some(explanation) => Arc::new(explanation) as Arc<dyn Evidence>,
            None => Unobserved::at(&self.unread, &condition),
        };
        let site = &self.sources.sites[self.found.site];
        Some(Fix {
            targets: self.targets.clone(),
            cost,
            edits: vec![SiteEdit {
                is_trivial: condition.is_constant_by_type(self.sources.language, &site.names),
                site: self.found.site,
                function: site.function,
                suspiciousness: self.found.suspiciousness,
                switched: condition.to_string(),
                condition,
                cost,
                why,
                is_loose,
                evidence,
            }],
        })
    }
}

/// What the contexts of its site say of a condition, if they have all that it reads.
fn explanation(observed: &Arc<Observed>, condition: &Condition) -> Option<Explanation> {
    let Observed {
        language, problem, ..
    } = &**observed;
    if observed.recorded.impure {
        return None;
    }
    let expr = problem.read(*language, condition.tree(*language)?)?;
    let violated = problem
        .rows()
        .iter()
        .filter(|row| !row.hard && row.weight > 0 && expr.eval_bool(row) != Some(row.expected));
    Some(Explanation {
        observed: Arc::clone(observed),
        written: expr.clone(),
        soft_violated: violated.map(|row| row.weight).sum(),
        expr,
    })
}
