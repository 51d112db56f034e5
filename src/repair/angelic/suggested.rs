//! Conditions that the text alone suggests at new places: those that prevent the panic of a failing test, and those of
//! other `if`s in the same function or a related one, because a forgotten guard often tests what is already tested
//! nearby. They need no recorded contexts, so they exist even where the contexts are too few for a synthesizer, for
//! instance because no test shows the other outcome.

use std::collections::BTreeSet;

use nopol_expr::Binding;
use nopol_process::run::suite::TestIndex;
use nopol_source::condition::Shape;
use nopol_source::language::Prevented;
use nopol_source::words::mentions;
use nopol_source::{Form, Site, SiteIndex, Sources, standing};
use nopol_synth::weights::WEIGHTS;

use super::from_text::{FromText, observed};
use super::targets_of;
use crate::localize::angelic::AngelicSite;
use crate::rank::facts::PanicAt;
use crate::repair::fix::Fix;
use crate::repair::knowledge::Knowledge;
use crate::repair::panics::Panics;
use crate::repair::session::Session;

/// Most conditions in one build.
const MOST: usize = 160;

/// A condition that the text suggests at a place.
struct Suggested {
    condition: String,
    /// Cost in addition to the cost that all suggestions at this place share.
    cost: u32,
    why: String,
}

/// Suggested conditions at angelic places: those that prevent a panic and, at places without a condition, those that
/// stand nearby: first of the same function, then of others of the same type and file.
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

/// Conditions that prevent an expression of the function from panicking again, if the place sees all names that they
/// read. An existing condition gets them as a clause.
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
        let (what, conditions) = match place.kind.form() {
            Form::Leave => ("new condition", vec![fails.clone()]),
            Form::Wrap => ("new condition", vec![holds.clone()]),
            Form::Replace => {
                let conditions = joined(sources, place, panics_here, fails, holds);
                ("clause added", conditions)
            }
            Form::Branch | Form::Narrow | Form::Compute => ("", Vec::new()),
        };
        conditions.into_iter().map(move |condition| Suggested {
            condition,
            cost: 0,
            why: format!("{what} that prevents the panic of a failing test"),
        })
    });
    suggested.collect()
}

/// A condition with a clause added: `old || fails` and `old && holds`. The clause comes first if the condition itself
/// panics.
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
    let nearby = (0..).zip(standing::conditions(sources, place));
    let both = nearby.flat_map(|(distance, (other, negated))| {
        let of = |condition, more, what| Suggested {
            condition,
            cost: distance + more,
            why: format!("{what} on line {}", other.line),
        };
        [
            of(other.text.clone(), 0, "same condition as"),
            of(negated, WEIGHTS.edit.negation, "negation of the condition"),
        ]
    });
    both.collect()
}
