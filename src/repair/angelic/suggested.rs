//! Conditions at new places that the text alone suggests: those that keep an expression from panicking as it did, and
//! those that stand elsewhere in the function, or in a function beside it, because what a forgotten guard or a forgotten `if`
//! asks is often asked nearby already. Nothing has to be recorded for them, so they exist even where the contexts say too
//! little for a synthesizer: where no test comes with the other outcome.

use std::collections::BTreeSet;

use nopol_expr::Binding;
use nopol_process::run::suite::TestIndex;
use nopol_source::condition::Shape;
use nopol_source::language::Prevented;
use nopol_source::words::mentions;
use nopol_source::{Form, Site, SiteIndex, SiteKind, Sources};
use nopol_synth::weights::WEIGHTS;

use super::from_text::{FromText, observed};
use super::targets_of;
use crate::localize::angelic::AngelicSite;
use crate::rank::facts::PanicAt;
use crate::repair::fix::Fix;
use crate::repair::knowledge::Knowledge;
use crate::repair::panics::Panics;
use crate::repair::session::Session;

/// Conditions tried at one place, each plain and negated, and in one build.
const MOST_AT_PLACE: usize = 6;
const MOST: usize = 160;
/// Longer ones are too special to be repeated.
const LONGEST: usize = 60;

/// A condition that the text suggests at a place.
struct Suggested {
    condition: String,
    /// What it costs beside what all of them cost.
    cost: u32,
    why: String,
}

/// Conditions at angelic places: what keeps an expression from panicking and, where there is no condition yet, those of the same
/// function, then of others of the same type and file.
pub(super) fn fixes(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
    sites: &[AngelicSite],
    explained: &[Fix],
) -> Vec<Fix> {
    let panics = Panics::at(session, knowledge, targets);
    let observed = observed(explained);
    let mut known: BTreeSet<(usize, &str)> = BTreeSet::new();
    for edit in explained.iter().flat_map(|fix| &fix.edits) {
        known.insert((edit.site.into(), &*edit.condition));
    }
    let mut fixes = Vec::new();
    for found in sites.iter().filter(|found| !found.cures.is_empty()) {
        let site = session.site(found.site);
        if site.asserts() {
            continue;
        }
        let here = observed.get(&found.site);
        let of_site = targets_of(&knowledge.spectrum, found, targets);
        let make = FromText::at(session.sources, found, of_site, here);
        let bonus = panics.bonus(session.sources, found.site);
        let unbound = make.cost_of_place() + WEIGHTS.edit.parallel + WEIGHTS.edit.untested;
        let common = unbound.saturating_sub(bonus) + WEIGHTS.fix.relaxed;
        let mut suggested = preventing(session.sources, found.site, &panics);
        if matches!(site.kind.form(), Form::Wrap | Form::Leave) {
            suggested.extend(standing_nearby(session.sources, site));
        }
        suggested.retain(|it| !known.contains(&(found.site.into(), &*it.condition)));
        fixes.extend(suggested.into_iter().filter_map(|it| {
            let cost = common + it.cost;
            make.fix(it.condition.into(), cost, it.why, true)
        }));
        if fixes.len() >= MOST {
            fixes.truncate(MOST);
            break;
        }
    }
    fixes
}

/// Conditions that keep an expression of the function from panicking as it did, if the place sees all that they read. An
/// existing condition gets them as a clause.
fn preventing(sources: &Sources, index: SiteIndex, panics: &Panics) -> Vec<Suggested> {
    let place = &sources.sites[index];
    let panics_here = panics.seen_from(sources, index) == PanicAt::Here;
    let is_visible = |name: &str| place.names.iter().any(|known| known.text == name);
    let of_function = sources
        .sites
        .iter()
        .filter(|it| it.function == place.function);
    let names: BTreeSet<&str> = of_function
        .flat_map(|it| it.names.iter())
        .map(|name| &*name.text)
        .collect();
    let prevented = panics.prevented_in(place.function).iter();
    let readable = prevented.filter(|it| {
        let mut read = names.iter().filter(|name| mentions(&it.holds, name));
        read.all(|name| is_visible(name))
    });
    let suggested = readable.flat_map(|Prevented { holds, fails }| {
        let conditions = match place.kind.form() {
            Form::Leave => vec![fails.clone()],
            Form::Wrap => vec![holds.clone()],
            Form::Replace => joined(sources, place, panics_here, fails, holds),
            Form::Branch | Form::Narrow | Form::Compute => Vec::new(),
        };
        conditions.into_iter().map(move |condition| Suggested {
            condition,
            cost: 0,
            why: "prevents the panic of a failing test".to_owned(),
        })
    });
    suggested.collect()
}

/// The condition of a place and a clause: `old || fails` and `old && holds`, with the clause first if the condition is what panics.
fn joined(
    sources: &Sources,
    place: &Site,
    panics_here: bool,
    fails: &str,
    holds: &str,
) -> Vec<String> {
    let Some(tree) = sources.language.parse(&place.text) else {
        return Vec::new();
    };
    let enclosed = match &tree.shape {
        Shape::Or(..) => format!("({})", place.text),
        _ => place.text.clone(),
    };
    let both = [
        (Binding::Or, "||", fails, &place.text),
        (Binding::And, "&&", holds, &enclosed),
    ];
    let join = |(binds, connective, clause, old)| {
        let text = match panics_here {
            true => format!("{clause} {connective} {old}"),
            false => format!("{old} {connective} {clause}"),
        };
        match place.min_binding > binds {
            true => format!("({text})"),
            false => text,
        }
    };
    both.map(join).to_vec()
}

/// Conditions that stand nearby, each also negated.
fn standing_nearby(sources: &Sources, place: &Site) -> Vec<Suggested> {
    let nearby = (0..).zip(conditions_for(sources, place));
    let both = nearby.flat_map(|(distance, (other, negated))| {
        let of = |condition, more| Suggested {
            condition,
            cost: distance + more,
            why: format!("the condition of line {}", other.line),
        };
        [
            of(other.text.clone(), 0),
            of(negated, WEIGHTS.edit.negation),
        ]
    });
    both.collect()
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
