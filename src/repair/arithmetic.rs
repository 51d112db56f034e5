//! Small edits of integer expressions and of assignments that compute, on request (`--kind arithmetic`). Nothing is
//! forced or recorded for them: they come from the text, share one build, and the tests judge them.

use std::sync::Arc;

use anyhow::Result;
use nopol_process::run::suite::TestIndex;
use nopol_source::clauses::{self, Kin};
use nopol_source::one_step::arithmetic::{arithmetic_edits, assignment_edits};
use nopol_source::one_step::overflow::{overflow_edits, overflow_edits_of_assignment};
use nopol_source::substitutes::Substitutes;
use nopol_source::words::plain_names;
use nopol_source::{Language, PatchKind, SiteKind, Sources};

use super::angelic::one_step::{self, Sound, cost};
use super::angelic::unobserved::{Place, Unobserved};
use super::engine::Engine;
use super::fix::{Fix, SiteEdit};
use super::knowledge::Knowledge;
use super::panics::Panics;
use super::reports;
use super::session::Session;
use super::settings::Depth;
use crate::localize::spectrum::Suspect;
use crate::repair::place;

/// Most edits of one expression; the likeliest ones are kept.
const MOST_AT_SITE: usize = 120;
/// Most edits in one build.
const MOST_EDITS: usize = 1600;

/// Looks for small edits of integer expressions.
pub struct Arithmetic;

impl Engine for Arithmetic {
    fn wants(
        &self,
        session: &Session,
        _: &Knowledge,
        targets: &[TestIndex],
        _: &[Fix],
    ) -> Vec<TestIndex> {
        let is_asked_for = session.settings.wants(PatchKind::Arithmetic);
        match is_asked_for && session.settings.depth == Depth::Repair {
            true => targets.to_vec(),
            false => Vec::new(),
        }
    }

    fn search(
        &self,
        session: &Session,
        knowledge: &mut Knowledge,
        targets: &[TestIndex],
        _: &[Fix],
    ) -> Result<Vec<Fix>> {
        let suspects = session.suspects(knowledge, targets);
        let kin = clauses::kin(session.sources);
        let mut computing = suspects;
        computing.retain(|suspect| session.site(suspect.site).kind.computes());
        let reports = reports::suspects(session, &computing, &[]);
        knowledge.notes.sites.extend(reports);
        let mut fixes: Vec<Fix> = Vec::new();
        for suspect in &computing {
            fixes.extend(fixes_at(session, knowledge, targets, suspect, &kin));
            if fixes.len() >= MOST_EDITS {
                knowledge.notes.warn(format!(
                    "only the {MOST_EDITS} small edits at the most suspicious expressions are tried; --file, --lines or --near choose others"
                ));
                fixes.truncate(MOST_EDITS);
                break;
            }
        }
        Ok(fixes)
    }

    fn most_judged(&self) -> usize {
        MOST_EDITS
    }
}

/// The small edits of one expression, cheapest first, at most [`MOST_AT_SITE`].
fn fixes_at(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
    suspect: &Suspect,
    kin: &Kin,
) -> Vec<Fix> {
    let site = session.site(suspect.site);
    let place = place::of(site) + place::common(suspect.suspiciousness, site.kind);
    let panics = Panics::at(session, knowledge, targets);
    let bonus = panics.bonus(session.sources, suspect.site);
    let unread = Arc::new(Place::new(session.sources, site, None));
    let mut of_site = targets.to_vec();
    of_site.retain(|test| knowledge.spectrum.reaches(*test, suspect.site));
    // Without a sanitizer, C does not report overflow, so avoiding it is always tried.
    let overflows = session.sources.language == Language::C
        || panics.overflows_at(session.sources, suspect.site);
    let edits = edits_at(session.sources, suspect, kin, overflows).into_iter();
    let mut edits: Vec<(u32, Sound)> = edits
        .map(|edit| ((cost(edit.step, site) + place).saturating_sub(bonus), edit))
        .collect();
    edits.sort_by_key(|(cost, _)| *cost);
    edits.truncate(MOST_AT_SITE);
    let fix = |(cost, edit): (u32, Sound)| Fix {
        targets: of_site.clone(),
        cost,
        edits: vec![SiteEdit {
            site: suspect.site,
            function: site.function,
            suspiciousness: suspect.suspiciousness,
            switched: edit.condition.to_string(),
            cost,
            why: edit.step.to_string(),
            is_loose: true,
            is_trivial: false,
            evidence: Unobserved::at(&unread, &edit.condition),
            condition: edit.condition,
        }],
    };
    edits.into_iter().map(fix).collect()
}

/// The small edits of one expression. If it `overflows`, they include edits that avoid the overflow.
fn edits_at(sources: &Sources, suspect: &Suspect, kin: &Kin, overflows: bool) -> Vec<Sound> {
    let site = &sources.sites[suspect.site];
    let language = sources.language;
    if site.kind == SiteKind::Assignment {
        let mut edits = assignment_edits(&site.text);
        if overflows {
            edits.extend(overflow_edits_of_assignment(&site.text, language));
        }
        return edits.into_iter().map(Sound::from).collect();
    }
    let text = plain_names(&site.text);
    let Some(tree) = sources.language.parse(&text) else {
        return Vec::new();
    };
    let substitutes = Substitutes { sources, site };
    let mut edits = arithmetic_edits(
        &tree,
        &text,
        one_step::nearby(sources, site, kin),
        substitutes,
    );
    if overflows {
        edits.extend(overflow_edits(&tree, &text, language));
    }
    one_step::sound(sources, site, &tree, edits).collect()
}
