//! From recorded contexts to a synthesis problem: the terms available at a site, and the rows a
//! condition there must explain (papers/nopol.txt §3.3).

mod conversions;
mod evidence;
mod rows;
mod seen;
mod terms;
mod unaffected;

use std::collections::BTreeMap;

use crate::run::suite::TestIndex;
use crate::run::trace::Context;
use crate::source::condition::Leaf;
use crate::source::{Language, Site, Sources};
use crate::spec::{Binding, Expr, Origin, Pool, Reading, Row, Spec, Term, TermId, Type, Value};
pub use evidence::{Evidence, evidence};
use rows::{Rows, choices};
pub use unaffected::Witnesses;

/// What was recorded at one site.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Contexts of passing tests, as they are.
    pub passing: Vec<(TestIndex, Vec<Context>)>,
    /// Contexts of passing tests that pass under the other outcome, too, which they must not forbid.
    pub indifferent: Vec<Context>,
    /// Per failing test, each way to cure it.
    pub cured: BTreeMap<TestIndex, Vec<Cure>>,
    /// Where no forced outcome cures a test: the contexts of failing tests as they are.
    pub uncured: Vec<Vec<Context>>,
    /// The old condition has, or may have, side effects.
    pub impure: bool,
    /// Contexts that found no room.
    pub dropped: u64,
}

impl Recorded {
    /// Every context, in a fixed order.
    fn contexts(&self) -> impl Iterator<Item = &Context> {
        let passing = self.passing.iter().map(|(_, contexts)| contexts);
        let cured = self.cured.values().flatten().map(|cure| &cure.contexts);
        passing.chain(&self.uncured).chain(cured).flatten()
    }
}

/// A run of a failing test that passed because outcomes were forced.
#[derive(Clone, Debug)]
pub struct Cure {
    /// Every evaluation was forced; otherwise one was, and the others were as the condition had
    /// it.
    pub constant: bool,
    pub contexts: Vec<Context>,
}

/// A synthesis problem, and how its expressions are written.
#[derive(Clone, Debug)]
pub struct Problem {
    pub pool: Pool,
    /// One for each way to choose among the outcomes that cure a failing test.
    pub specs: Vec<Spec>,
    /// Weaker ones: a constant outcome at every evaluation cures a test, but perhaps only some of
    /// them had to change. They leave the others open, and the tests decide.
    pub relaxed: Vec<Spec>,
    /// The term that stands for the whole old condition where that cannot be taken apart.
    pub whole: Option<TermId>,
    /// The text of each part of the old condition.
    pub old_texts: Vec<(Expr, String)>,
}

impl Problem {
    /// The problem with one more term, a constant condition.
    pub fn with_constant(&self, value: bool) -> (Self, Expr) {
        let mut problem = self.clone();
        problem.pool.terms.push(Term {
            text: value.to_string(),
            ty: Type::Bool,
            origin: Origin::Constant,
            binding: Binding::Atom,
            constant: Some(Value::Bool(value)),
            negation: None,
            seen_in: Vec::new(),
            definition: None,
            reading: Reading::Exact,
        });
        let specs = problem.specs.iter_mut().chain(&mut problem.relaxed);
        for row in specs.flat_map(|spec| &mut spec.rows) {
            row.values.push(Some(Value::Bool(value)));
        }
        let expr = Expr::Term(problem.pool.terms.len() - 1);
        (problem, expr)
    }

    /// The rows of the strictest spec.
    pub fn rows(&self) -> &[Row] {
        let spec = self.specs.iter().chain(&self.relaxed).next();
        spec.map_or(&[], |spec| &spec.rows)
    }
}

/// Builds the problem of a site.
pub fn problem(sources: &Sources, site: &Site, recorded: &Recorded) -> Problem {
    let is_condition = site.kind.has_condition();
    let language = sources.language;
    let tree = is_condition.then(|| language.parse(&site.text)).flatten();
    let mut pool = Pool::default();
    let mut index: BTreeMap<(String, Type), TermId> = BTreeMap::new();
    let mut add = |pool: &mut Pool, term: Term| {
        index
            .entry((term.text.clone(), term.ty))
            .or_insert_with(|| {
                pool.terms.push(term);
                pool.terms.len() - 1
            });
    };
    for term in terms::observed(sources, site, tree.as_ref(), recorded) {
        add(&mut pool, term);
    }
    if language == Language::C {
        conversions::mark_flags(sources, site, &mut pool, recorded);
        for term in conversions::conversions(tree.as_ref(), &pool) {
            add(&mut pool, term);
        }
    }
    for term in terms::constants(sources, site, tree.as_ref(), &pool) {
        add(&mut pool, term);
    }
    for term in seen::values(sources, site, recorded, &pool) {
        add(&mut pool, term);
    }

    for id in 0..pool.terms.len() {
        pool.terms[id].definition = terms::definition(language, id, &pool, &index);
    }

    let mut spans = Vec::new();
    let mut old = None;
    if let Some(tree) = tree.as_ref().filter(|_| !recorded.impure) {
        let mut lookup = |leaf: &Leaf, expected: Option<Type>| {
            terms::lookup(language, &pool, &index, leaf, expected)
        };
        old = tree
            .to_expr(language, Some(Type::Bool), &mut lookup, &mut spans)
            .filter(|(_, ty)| *ty == Type::Bool)
            .map(|(expr, _)| expr);
    }
    let mut old_texts: Vec<(Expr, String)> = Vec::new();
    let mut whole = None;
    if old.is_some() {
        old_texts.extend(
            spans
                .into_iter()
                .map(|(expr, span)| (expr, site.text[span].to_string())),
        );
    } else if is_condition {
        // What cannot be taken apart is one term, whose value is what the condition yielded.
        pool.terms.push(Term {
            text: site.text.clone(),
            ty: Type::Bool,
            origin: Origin::Old,
            binding: language.binding_of(&site.text),
            constant: None,
            negation: language.opposite(&site.text),
            seen_in: Vec::new(),
            definition: None,
            reading: Reading::Exact,
        });
        whole = Some(pool.terms.len() - 1);
        old = whole.map(Expr::Term);
    }

    let spec = |(rows, any_of)| Spec {
        rows,
        any_of,
        old: old.clone(),
        old_is_impure: recorded.impure,
    };
    let table = Rows {
        pool: &pool,
        whole,
        recorded,
        unconditional: site.kind.unconditional(),
    };
    let choices = choices(recorded);
    let strict = choices
        .iter()
        .map(|cured| (table.strict(cured), Vec::new()));
    let agreed = table.agreed().map(|rows| (rows, Vec::new()));
    // Where a condition is evaluated once, most of them say the same.
    let specs = distinct(agreed.into_iter().chain(strict).map(spec), &[]);
    let relaxed = [table.sharp(), table.relaxed()];
    let relaxed = distinct(relaxed.into_iter().flatten().map(spec), &specs);
    Problem {
        pool,
        specs,
        relaxed,
        whole,
        old_texts,
    }
}

/// Those that say what none before them says, nor any of the `known`.
fn distinct(specs: impl Iterator<Item = Spec>, known: &[Spec]) -> Vec<Spec> {
    let mut kept: Vec<Spec> = Vec::new();
    for spec in specs {
        let mut others = known.iter().chain(&kept);
        if !others.any(|other| says_the_same(&spec, other)) {
            kept.push(spec);
        }
    }
    kept
}

/// Whether two specs of one site have the same rows, in whichever order, and groups of none.
fn says_the_same(a: &Spec, b: &Spec) -> bool {
    let is_plain = a.any_of.is_empty() && b.any_of.is_empty();
    let sorted = |spec: &Spec| {
        let mut rows: Vec<String> = spec.rows.iter().map(|row| format!("{row:?}")).collect();
        rows.sort();
        rows
    };
    let is_small = a.rows.len() <= MOST_SORTED;
    is_plain
        && a.rows.len() == b.rows.len()
        && (a.rows == b.rows || is_small && sorted(a) == sorted(b))
}

/// Rows that are put in order to be compared.
const MOST_SORTED: usize = 2000;
