//! Fixes whose condition comes from the program's text alone. Nothing was recorded for them, but contexts recorded at
//! their site for other fixes may show what they do.

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

/// The observations at each site that has an edit explaining them.
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
    /// For fixes of `targets` at a site, with the contexts recorded there, if any.
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

    /// The cost of the site.
    pub fn cost_of_place(&self) -> u32 {
        let site = &self.sources.sites[self.found.site];
        place::of(site) + place::common(self.found.suspiciousness, site.kind)
    }

    /// The fix with this condition. `None` if the recorded contexts show that a part of it never decides the outcome.
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

/// What the contexts of the site say about a condition. `None` if they lack something that it reads.
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
