//! Estimates how likely people are to write each fix at its place, by a decoder of edits ([`nopol_prior`]) that knows
//! neither tests nor values.

use std::collections::BTreeMap;
use std::thread;

use nopol_prior::{Place, Prior};
use nopol_source::{Form, Language, Sources};

use super::fix::{Fix, SiteEdit};
use super::hunk::{Hunk, hunk};

/// Most fixes that are compared; those with the best scores are chosen.
const MOST: usize = 24;
/// The weight of a log-probability in the score of a fix. Chosen on 80 human edits in repositories that the decoder was
/// not trained on.
const WEIGHT: f64 = 0.1;
/// The least log-probability relative to the likeliest fix; smaller ones count the same.
const LEAST: f64 = -30.0;

/// What to add to the score of each fix: 0 for the likeliest of each form (a changed condition, an early exit, …), less
/// for others. Probabilities of different forms cannot be compared, because their texts have different lengths.
pub fn corrections(sources: &Sources, fixes: &[Fix], scores: &[f64]) -> Vec<f64> {
    let prior = match sources.language {
        Language::Rust => Prior::shipped().ok(),
        // The decoder was not trained on C.
        Language::C => None,
    };
    let Some(prior) = prior else {
        return vec![0.0; fixes.len()];
    };
    let mut compared: Vec<usize> = (0..fixes.len()).collect();
    compared.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    compared.truncate(MOST);
    let edits = compared
        .iter()
        .flat_map(|at| fixes[*at].edits.iter().map(move |edit| (*at, edit)));
    let edits: Vec<(usize, &SiteEdit)> = edits.collect();
    let hunks: Vec<Hunk> = edits.iter().map(|(_, edit)| hunk(sources, edit)).collect();
    let known = log_probabilities(prior, &hunks);
    let form = |edit: &SiteEdit| sources.sites[edit.site].kind.form();
    let mut likeliest: BTreeMap<Form, f64> = BTreeMap::new();
    for ((_, edit), known) in edits.iter().zip(&known) {
        let most = likeliest.entry(form(edit)).or_insert(f64::NEG_INFINITY);
        *most = most.max(*known);
    }
    let mut relative = vec![LEAST; fixes.len()];
    for at in compared {
        relative[at] = 0.0;
    }
    for ((at, edit), known) in edits.iter().zip(&known) {
        let own = (known - likeliest[&form(edit)]).max(LEAST);
        relative[*at] = relative[*at].min(own);
    }
    relative.into_iter().map(|it| WEIGHT * it).collect()
}

/// The natural logarithm of the probability of each hunk's new lines. Each place is encoded only once.
fn log_probabilities(prior: &Prior, hunks: &[Hunk]) -> Vec<f64> {
    let mut at_places: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for (at, hunk) in hunks.iter().enumerate() {
        let place = Place {
            before: hunk.before,
            old: hunk.old,
            after: hunk.after,
        };
        at_places.entry(place).or_default().push(at);
    }
    let mut found = vec![0.0; hunks.len()];
    thread::scope(|scope| {
        let read = |(place, at): (Place<'_>, Vec<usize>)| {
            let texts: Vec<&str> = at.iter().map(|at| hunks[*at].new.as_str()).collect();
            (prior.log_probabilities(place, &texts), at)
        };
        let places = at_places.into_iter();
        let running: Vec<_> = places.map(|it| scope.spawn(move || read(it))).collect();
        for (known, at) in running.into_iter().filter_map(|thread| thread.join().ok()) {
            for (known, at) in known.into_iter().zip(at) {
                found[at] = known;
            }
        }
    });
    found
}
