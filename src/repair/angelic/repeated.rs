//! Conditions that stand elsewhere in the function, or in a function beside it, at new places: what a forgotten guard
//! or a forgotten `if` asks is often asked nearby already. Nothing has to be recorded for them, so they exist even
//! where the contexts say too little for a synthesizer: where no test comes with the other outcome.

use std::collections::BTreeSet;
use std::sync::Arc;

use nopol_process::run::suite::TestIndex;
use nopol_source::words::mentions;
use nopol_source::{Condition, Form, Site, SiteKind, Sources};
use nopol_synth::weights::WEIGHTS;

use super::targets_of;
use super::unobserved::{Place, Unobserved};
use crate::localize::angelic::AngelicSite;
use crate::repair::fix::{Fix, SiteEdit};
use crate::repair::knowledge::Knowledge;
use crate::repair::panics::Panics;
use crate::repair::place;
use crate::repair::session::Session;

/// Conditions tried at one place, each plain and negated, and in one build.
const MOST_AT_PLACE: usize = 6;
const MOST: usize = 160;
/// Longer ones are too special to be repeated.
const LONGEST: usize = 60;

/// Conditions of the same function, then of others of the same type and file, at angelic places that have none yet.
pub(super) fn fixes(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
    sites: &[AngelicSite],
    explained: &[Fix],
) -> Vec<Fix> {
    let panics = Panics::at(session, knowledge, targets);
    let mut said: BTreeSet<(usize, &str)> = BTreeSet::new();
    for edit in explained.iter().flat_map(|fix| &fix.edits) {
        said.insert((edit.site.into(), &*edit.condition));
    }
    let mut fixes = Vec::new();
    for found in sites.iter().filter(|found| !found.cures.is_empty()) {
        let site = session.site(found.site);
        let lacks_a_condition = match site.kind.form() {
            Form::Wrap | Form::Leave => true,
            Form::Replace | Form::Branch | Form::Narrow | Form::Compute => false,
        };
        if !lacks_a_condition || site.asserts() {
            continue;
        }
        let place = place::of(site) + place::common(found.suspiciousness, site.kind);
        let bonus = panics.bonus(session.sources, found.site);
        let unread = Arc::new(Place::new(session.sources, site, None));
        for (distance, (other, negated)) in (0..).zip(conditions_for(session.sources, site)) {
            let cost = (place + WEIGHTS.edit.parallel + WEIGHTS.edit.untested + distance)
                .saturating_sub(bonus)
                + WEIGHTS.fix.relaxed;
            for (condition, more) in [(other.text.clone(), 0), (negated, WEIGHTS.edit.negation)] {
                if said.contains(&(found.site.into(), &*condition)) {
                    continue;
                }
                let condition = Condition::from(condition);
                fixes.push(Fix {
                    targets: targets_of(&knowledge.spectrum, found, targets),
                    cost: cost + more,
                    edits: vec![SiteEdit {
                        site: found.site,
                        function: site.function,
                        suspiciousness: found.suspiciousness,
                        switched: condition.to_string(),
                        cost: cost + more,
                        why: format!("the condition of line {}", other.line),
                        is_loose: true,
                        is_trivial: false,
                        evidence: Unobserved::at(&unread, &condition),
                        condition,
                    }],
                });
            }
        }
        if fixes.len() >= MOST {
            fixes.truncate(MOST);
            break;
        }
    }
    fixes
}

/// The conditions nearby that read only what is visible at a place, nearest first, and their negations.
fn conditions_for<'s>(sources: &'s Sources, place: &Site) -> Vec<(&'s Site, String)> {
    let function = &sources.functions[place.function];
    let is_near = |other: &&Site| {
        let of = &sources.functions[other.function];
        other.file == place.file && of.owner == function.owner
    };
    let reads_visible = |other: &&Site| {
        let mut read = other
            .names
            .iter()
            .filter(|name| mentions(&other.text, &name.text));
        read.all(|name| place.names.iter().any(|known| known.text == name.text))
    };
    let is_short = |other: &&Site| {
        let is_condition = matches!(other.kind, SiteKind::If | SiteKind::While);
        is_condition && other.text.len() <= LONGEST && !other.text.contains('\n')
    };
    // One with effects, or one that the function had changed by then, is for the tests to reject.
    let mut near: Vec<&Site> = sources
        .sites
        .iter()
        .filter(is_short)
        .filter(is_near)
        .filter(reads_visible)
        .filter(|other| other.is_pure != Some(false))
        .collect();
    let distance = |other: &Site| {
        let is_elsewhere = other.function != place.function;
        (is_elsewhere, other.line.abs_diff(place.line), other.line)
    };
    near.sort_by_key(|other| distance(other));
    let mut seen = BTreeSet::new();
    near.retain(|other| seen.insert(&*other.text));
    near.truncate(MOST_AT_PLACE);
    near.into_iter()
        .map(|other| {
            let opposite = sources.language.opposite(&other.text);
            (other, opposite.unwrap_or_else(|| negated(&other.text)))
        })
        .collect()
}

/// The negation of a condition that is not an equality.
fn negated(text: &str) -> String {
    let is_atom = |text: &str| !text.contains([' ', '<', '>', '=']);
    match text.strip_prefix('!') {
        Some(inner) if is_atom(inner) => inner.to_owned(),
        _ if is_atom(text) => format!("!{text}"),
        _ => format!("!({text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::negated;

    #[test]
    fn a_negation_is_removed_or_added() {
        for (text, wanted) in [
            ("f.alternate()", "!f.alternate()"),
            ("!self.is_empty()", "self.is_empty()"),
            ("a < b", "!(a < b)"),
            ("!a && b", "!(!a && b)"),
        ] {
            assert_eq!(negated(text), wanted);
        }
    }
}
