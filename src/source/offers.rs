//! What could be evaluated at a site beyond the values of its variables. Offers are guesses about names
//! and types; the compiler tells which are right.

use std::collections::BTreeSet;

use super::offer::{Guess, Offer};
use super::{Site, Sources};

/// Everything offered at a site, what is nearest first.
pub fn at(sources: &Sources, site: &Site) -> Vec<Offer> {
    let groups = sources.language.offering().groups(sources, site);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (group, most) in groups {
        let fresh = group
            .into_iter()
            .filter(|guess: &Guess| seen.insert(guess.text.clone()));
        let offer = |guess: Guess| Offer {
            access: sources.language.access(&guess.text),
            text: guess.text,
            binding: guess.binding,
            origin: guess.origin,
            is_index: guess.is_index,
        };
        all.extend(fresh.take(most).map(offer));
    }
    all
}
