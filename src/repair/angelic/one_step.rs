//! One-step edits of existing conditions, whether or not their operands can be recorded. They come from the text
//! ([`nopol_source::one_step`]), and the tests judge them in the same build as the candidates that explain the recorded
//! contexts.

use std::sync::Arc;

use nopol_expr::{CmpOp, Type, Value};
use nopol_process::run::suite::TestIndex;
use nopol_source::clauses::{self, Around, Kin};
use nopol_source::condition::Node;
use nopol_source::idle::has_idle_part;
use nopol_source::one_step::borrowed::borrowed_edits;
use nopol_source::one_step::null_guard::null_guard_edits;
use nopol_source::one_step::overflow::overflow_edits;
use nopol_source::one_step::{Nearby, OneStep, Step, one_step_edits};
use nopol_source::parentheses::{around_conjunctions, bare_conjunctions};
use nopol_source::standing;
use nopol_source::unknown::has_unknown_name;
use nopol_source::words::{plain_names, with_parameters};
use nopol_source::{Condition, Language, Site, SiteIndex, Sources};
use nopol_synth::weights::WEIGHTS;

use super::alternatives;
use super::derivation;
use super::evidence::Observed;
use super::from_text::{FromText, observed};
use super::targets_of;
use crate::localize::angelic::AngelicSite;
use crate::repair::fix::Fix;
use crate::repair::knowledge::Knowledge;
use crate::repair::panics::Panics;
use crate::repair::session::Session;

/// Most one-step edits of an angelic condition.
const MOST_AT_ANGELIC: usize = 48;
/// The edits of a clause, of a condition with many.
const EDITS_OF_CLAUSE: usize = 10;
/// Most one-step edits of a condition that is only suspicious.
const MOST_AT_SUSPECT: usize = 10;
/// Most one-step edits in one build.
const MOST_EDITS: usize = 480;
/// Most one-step edits of a suspicious condition whose evaluation may have a side effect: a forced outcome does not
/// show what evaluating another clause would change.
const MOST_WHERE_EVALUATED: usize = 28;
/// Most such conditions.
const MOST_EVALUATED: usize = 10;
/// Longest text, in bytes, that may be a keyword.
const LONGEST_TEXT: usize = 24;
/// Most texts taken from the contexts of one site, and from the conditions that explain them.
const MOST_TEXTS: usize = 3;

/// One-step edits of the conditions among these sites, in the order of the sites, the likeliest edits of each.
pub(super) fn fixes(
    session: &Session,
    knowledge: &Knowledge,
    targets: &[TestIndex],
    sites: &[AngelicSite],
    explained: &[Fix],
) -> Vec<Fix> {
    let observed = observed(explained);
    let panics = Panics::at(session, knowledge, targets);
    let kin = clauses::kin(session.sources);
    let mut fixes: Vec<Fix> = Vec::new();
    let mut evaluated = 0;
    for found in sites {
        let site = session.site(found.site);
        if !site.kind.has_condition() {
            continue;
        }
        let most = match found.cures.is_empty() {
            true if evaluated < MOST_EVALUATED && may_change_something(session.sources, site) => {
                evaluated += 1;
                MOST_WHERE_EVALUATED
            }
            true => MOST_AT_SUSPECT,
            false => most_at(&site.text),
        };
        let of_site = targets_of(&knowledge.spectrum, found, targets);
        let overflows = panics.overflows_at(session.sources, found.site);
        let mut texts = texts(explained, found.site);
        texts.extend(
            observed
                .get(&found.site)
                .into_iter()
                .flat_map(|it| asked_for(it)),
        );
        let here = observed.get(&found.site);
        let edits = edits_at(session.sources, found.site, &kin, &texts, overflows);
        let bonus = panics.bonus(session.sources, found.site);
        let edits = asked_alternatives(session.sources, site, here)
            .into_iter()
            .chain(edits.into_iter().take(most));
        let made = at_site(session.sources, found, of_site, edits, bonus, here);
        fixes.extend(made);
        if fixes.len() >= MOST_EDITS {
            fixes.truncate(MOST_EDITS);
            break;
        }
    }
    fixes
}

/// The fixes of a site, with the contexts recorded there, if any.
fn at_site<'a>(
    sources: &'a Sources,
    found: &'a AngelicSite,
    targets: Vec<TestIndex>,
    edits: impl Iterator<Item = (u32, Sound)> + 'a,
    bonus: u32,
    here: Option<&'a Arc<Observed>>,
) -> impl Iterator<Item = Fix> + 'a {
    let make = FromText::at(sources, found, targets, here);
    let old = Condition::from(&*sources.sites[found.site].text);
    edits.filter_map(move |(cost, edit)| {
        let cost = (cost + make.cost_of_place()).saturating_sub(bonus);
        let is_loose = edit.step != Step::ShortCircuit;
        let why = match old.tree(sources.language) {
            Some(tree) => {
                derivation::of_step(edit.step, tree, edit.condition.tree(sources.language))
            }
            None => edit.step.to_string(),
        };
        make.fix(edit.condition, cost, why, is_loose)
    })
}

/// The one-step edits of a condition, with contexts that were recorded or simulated there.
pub(super) fn of_contexts(
    sources: &Sources,
    found: &AngelicSite,
    targets: &[TestIndex],
    kin: &Kin,
    explained: &[Fix],
    observed: &Arc<Observed>,
) -> Vec<Fix> {
    if !sources.sites[found.site].kind.has_condition() {
        return Vec::new();
    }
    let mut texts = texts(explained, found.site);
    texts.extend(asked_for(observed));
    let edits = edits_at(sources, found.site, kin, &texts, false).into_iter();
    let site = &sources.sites[found.site];
    let edits = asked_alternatives(sources, site, Some(observed))
        .into_iter()
        .chain(edits.take(most_at(&site.text)));
    at_site(sources, found, targets.to_vec(), edits, 0, Some(observed)).collect()
}

/// The most edits of a condition at an angelic site: more where it has many clauses, because each has edits of its own.
fn most_at(condition: &str) -> usize {
    let clauses = condition.matches("&&").count() + condition.matches("||").count() + 1;
    MOST_AT_ANGELIC.max(EDITS_OF_CLAUSE * clauses)
}

/// The condition with several alternatives added at once, if the recorded contexts ask for them.
fn asked_alternatives(
    sources: &Sources,
    site: &Site,
    observed: Option<&Arc<Observed>>,
) -> Option<(u32, Sound)> {
    let condition = alternatives::widened(sources, site, observed?)?;
    let step = Step::AlternativesAdded;
    Some((cost(step, site), Sound { step, condition }))
}

/// Whether evaluating a condition may change what it reads.
fn may_change_something(sources: &Sources, site: &Site) -> bool {
    site.is_pure == Some(false)
        || site.is_pure.is_none() && !sources.language.is_surely_pure(&site.text)
}

/// The one-step edits of a condition with their costs, cheapest first. If the condition `overflows`, they include edits
/// that avoid the overflow.
fn edits_at(
    sources: &Sources,
    index: SiteIndex,
    kin: &Kin,
    texts: &[String],
    overflows: bool,
) -> Vec<(u32, Sound)> {
    let site = &sources.sites[index];
    let text = plain_names(&site.text);
    let Some(tree) = sources.language.parse(&text) else {
        return Vec::new();
    };
    let mut nearby = nearby(sources, site, kin);
    // A text that distinguishes the contexts is tried like a literal of the function.
    let literals = [texts, nearby.literals].concat();
    nearby.literals = &literals;
    nearby.around.literals[0] = &literals;
    let mut edits = one_step_edits(&tree, &text, site.min_binding, nearby);
    let standing = standing::clauses(sources, site);
    edits.extend(borrowed_edits(&tree, &text, site.min_binding, &standing));
    if sources.language == Language::C {
        edits.extend(null_guard_edits(&tree, &text));
    }
    if overflows {
        edits.extend(overflow_edits(&tree, &text, sources.language));
    }
    let mut edits: Vec<(u32, Sound)> = sound(sources, site, &tree, edits)
        .map(|edit| (cost(edit.step, site), edit))
        .collect();
    edits.sort_by_key(|(cost, _)| *cost);
    edits
}

/// String literals in the conditions that explain the contexts of a site, likeliest first.
fn texts(explained: &[Fix], site: SiteIndex) -> Vec<String> {
    let edits = explained.iter().flat_map(|fix| &fix.edits);
    let conditions = edits.filter(|edit| edit.site == site);
    let mut found: Vec<String> = Vec::new();
    for edit in conditions {
        let text = edit.condition.to_string();
        for literal in clauses::literals(&text).into_iter().map(|at| &text[at]) {
            let is_text = literal.trim_start_matches('b').starts_with(['"', '\'']);
            if is_text && !found.iter().any(|known| known == literal) {
                found.push(literal.to_owned());
            }
        }
    }
    found.truncate(MOST_TEXTS);
    found
}

/// Text values in those contexts of failing tests whose outcome must change, in their order.
fn asked_for(observed: &Observed) -> Vec<String> {
    let rows = observed.problem.rows().iter().filter(|row| row.hard);
    let values = rows.flat_map(|row| row.values.iter().flatten());
    let mut found: Vec<String> = Vec::new();
    for value in values {
        if let Value::Str(text) = value
            && text.len() <= LONGEST_TEXT
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_./ ".contains(c))
        {
            let literal = format!("\"{text}\"");
            if !text.is_empty() && !found.contains(&literal) {
                found.push(literal);
            }
        }
    }
    found.truncate(MOST_TEXTS);
    found
}

/// An edit that parses and is not redundant, written as its site writes conditions.
pub struct Sound {
    pub step: Step,
    /// The edited condition.
    pub condition: Condition,
}

impl From<OneStep> for Sound {
    fn from(edit: OneStep) -> Self {
        Self {
            step: edit.step,
            condition: edit.text.into(),
        }
    }
}

/// What the code around a site offers for editing it.
pub fn nearby<'s>(sources: &'s Sources, site: &Site, kin: &'s Kin) -> Nearby<'s> {
    let function = &sources.functions[site.function];
    let file = &sources.files[site.file];
    Nearby {
        literals: &function.literals,
        names: &file.text,
        around: Around {
            function: &file.text[function.span.clone()],
            file: &file.text,
            kin,
            literals: [&function.literals, &file.literals],
        },
        pointers: &sources.pointers,
    }
}

/// Keeps the edits that parse and are not redundant, written as the site writes conditions.
pub fn sound<'s>(
    sources: &'s Sources,
    site: &'s Site,
    tree: &Node,
    edits: Vec<OneStep>,
) -> impl Iterator<Item = Sound> + 's {
    // An edit may keep redundancy that the original has, unless it adds a clause.
    let says_twice = has_idle_part(tree);
    let below_zero = asked_below_zero(sources, site, tree);
    // In C, the operands of `&` and `|` are rarely truth values.
    let has_truth_values = sources.language == Language::Rust;
    // A file that omits the parentheses that compilers ask for gets none.
    let wants_parentheses = sources
        .language
        .policies()
        .compilers_warn_of_bare_conjunctions
        && bare_conjunctions(tree, &site.text).is_empty();
    let written = move |edit: OneStep| {
        // `n as u32 < 7` is not a comparison, and a file that contains it cannot be parsed at all.
        let edited = sources.language.parse(&edit.text)?;
        let is_sound = !has_unknown_name(sources, site, &edit.text)
            && (edit.step != Step::ShortCircuit || has_truth_values)
            && (says_twice && edit.step != Step::Parallel || !has_idle_part(&edited))
            && asked_below_zero(sources, site, &edited) <= below_zero;
        let text = match wants_parentheses {
            true => around_conjunctions(&edited, &edit.text),
            false => edit.text.clone(),
        };
        let parsed = edit.text;
        is_sound.then(|| {
            let written = with_parameters(&text, &site.text);
            Sound {
                step: edit.step,
                condition: match written == parsed {
                    true => Condition::with_tree(written, edited),
                    false => written.into(),
                },
            }
        })
    };
    edits.into_iter().filter_map(written)
}

/// Number of comparisons with 0 by `<` or `>=` of operands that are not known to be signed. Most numbers in Rust are
/// unsigned, so such a comparison is constant. In C, the number of strange comparisons. The synthesizer knows from recorded values which terms are signed and
/// makes those comparisons.
fn asked_below_zero(sources: &Sources, site: &Site, tree: &Node) -> usize {
    let has_sign = |operand: &Node| {
        let mut names = site.names.iter().filter(|name| name.text == operand.text);
        let ty = names.find_map(|name| name.ty.as_ref());
        match ty.and_then(|ty| Type::from_name(&ty.plain)) {
            Some(Type::Int(int)) => int.signed(),
            ty => matches!(ty, Some(Type::F32 | Type::F64)),
        }
    };
    let asks = |(_, op, a, b): &(&Node, CmpOp, &Node, &Node)| {
        let (op, a, b) = match &*a.text == "0" {
            true => (op.mirrored(), *b, *a),
            false => (*op, *a, *b),
        };
        matches!(op, CmpOp::Lt | CmpOp::Ge) && &*b.text == "0" && !has_sign(a)
    };
    match sources.language {
        Language::Rust => tree.compared().iter().filter(|it| asks(it)).count(),
        Language::C => sources.language.strange_comparisons(sources, site, tree),
    }
}

/// The cost of an edit: how unlikely a maintainer is to make it.
pub fn cost(step: Step, site: &Site) -> u32 {
    let edit = &WEIGHTS.edit;
    let own = match step {
        Step::Operator(old, new) => edit.operator(old, new),
        Step::AllOperators => edit.to_inclusive + edit.all_at_once,
        Step::AndToOr | Step::OrToAnd | Step::Regrouped => edit.connective,
        Step::ShortCircuit => edit.short_circuit,
        Step::GuardTurned => edit.guard_turned,
        Step::ClauseDropped => edit.dropped,
        Step::NegationRemoved | Step::Negated => edit.negation,
        Step::ConstantOffByOne => edit.next_constant,
        Step::Constant => edit.constant,
        Step::OperandOffByOne => edit.off_by_one,
        // In a computation, doubt the operator first; in a condition, doubt the comparison first.
        Step::ArithmeticOperator if site.kind.computes() => edit.computing_operator,
        // In a condition, it is likelier that what overflows should not be computed at all.
        Step::OverflowAvoided if site.kind.computes() => edit.overflow_avoided,
        Step::OverflowAvoided => edit.operand,
        Step::ArithmeticOperator | Step::ArithmeticDropped | Step::Exchanged => edit.operand,
        Step::Opposite => edit.related_operand,
        Step::Parallel => edit.parallel,
        Step::NullGuard => edit.null_guard,
        Step::Borrowed(true) => edit.borrowed_by_like,
        Step::Borrowed(false) => edit.borrowed,
        Step::Sibling
        | Step::Name
        | Step::AlternativeAdded
        | Step::AlternativesAdded
        | Step::AlternativeRemoved => edit.related_operand + edit.off_by_one / 4,
    };
    let longer = match step {
        Step::AndToOr | Step::ClauseDropped if site.kind.info().is_loop => WEIGHTS.fix.longer_loop,
        _ => 0,
    };
    // The synthesizer also finds whatever the recorded contexts ask for, so nothing observed supports these edits. A
    // moved limit is the most plausible of them.
    let is_limit = match step {
        Step::Operator(old, new) => old.orders() && new.orders() && new != old.mirrored(),
        Step::AllOperators | Step::ConstantOffByOne => true,
        _ => false,
    };
    let untested = match is_limit {
        true => edit.untested_neighbour,
        false => edit.untested,
    };
    match step {
        // It changes no outcome of a passing test.
        Step::ShortCircuit | Step::NullGuard => own,
        _ => own + longer + untested + WEIGHTS.fix.relaxed,
    }
}
