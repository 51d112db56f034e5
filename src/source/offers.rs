//! What could be evaluated at a site beyond the values of its variables. Offers are guesses about names
//! and types; the compiler tells which are right.

use std::collections::BTreeSet;

use super::offer::Offer;
use super::{Site, Sources};

/// Everything offered at a site, what is nearest first.
pub fn at(sources: &Sources, site: &Site) -> Vec<Offer> {
    let groups = sources.language.offering().groups(sources, site);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (group, most) in groups {
        let fresh = group
            .into_iter()
            .filter(|offer| seen.insert(offer.text.clone()));
        all.extend(fresh.take(most));
    }
    all
}
