//! Synthesis problems from recorded contexts: the terms available at a site, and the rows that a condition
//! there must explain (the Nopol paper, §3.3).

mod asked;
mod c;
mod captures;
mod evidence;
mod limits;
mod mined;
mod operands;
mod rows;
mod rust;
mod terms;
mod unaffected;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use captures::{Captures, Columns};
pub use evidence::{ClauseEvidence, MOST_SEEN, Seen, clauses, evidence, table};
use nopol_expr::{Access, Expr, Origin, Pool, Row, Spec, Term, TermId, Type, Value, Values};
use nopol_process::run::suite::TestIndex;
use nopol_process::run::trace::Context;
use nopol_source::condition::{Leaf, Node, Spelling};
use nopol_source::one_step::opposite_call;
use nopol_source::{Function, Language, Name, Site, Sources, write};
use operands::{Conversions, operands};
use rows::{Rows, choices};
pub use unaffected::Witnesses;

/// The contexts recorded at one site.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Per passing test, the contexts of an unforced run.
    pub passing: Vec<(TestIndex, Vec<Context>)>,
    /// Don't-care contexts: the passing test also passes with the other outcome, so either is allowed.
    pub dont_care: Vec<Context>,
    /// Per failing test, each way to cure it.
    pub cured: BTreeMap<TestIndex, Vec<Cure>>,
    /// Contexts of unforced runs of failing tests that no forced outcome cures.
    pub uncured: Vec<Vec<Context>>,
    /// The original condition has, or may have, side effects.
    pub impure: bool,
    /// Passing tests of which some evaluations were not recorded.
    pub incomplete: BTreeSet<TestIndex>,
}

impl Recorded {
    /// Every context, in a fixed order.
    fn contexts(&self) -> impl Iterator<Item = &Context> {
        let passing = self.passing.iter().map(|(_, contexts)| contexts);
        let cured = self.cured.values().flatten().map(|cure| &cure.contexts);
        passing.chain(&self.uncured).chain(cured).flatten()
    }
}

/// A run in which a failing test passed because outcomes were forced.
#[derive(Clone, Debug)]
pub struct Cure {
    /// Every evaluation was forced to one outcome. Otherwise some were forced, and the others kept the
    /// outcome of the condition.
    pub constant: bool,
    /// The contexts of the run, with the outcomes it had.
    pub contexts: Vec<Context>,
}

/// The terms of a pool, by access and type.
type Index = BTreeMap<(Access, Type), TermId>;

/// The synthesis problem of a site, and the spelling of its original condition.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The terms available at the site.
    pub pool: Pool,
    /// One spec per choice of cures, strictest first.
    pub specs: Vec<Spec>,
    /// Relaxed specs. A constant outcome at every evaluation may cure a test although only some of the
    /// outcomes must change. Relaxed specs leave the others open, and the tests decide.
    pub relaxed: Vec<Spec>,
    /// The term that represents the whole original condition, if that cannot be taken apart.
    pub whole: Option<TermId>,
    /// Each part of the original condition as written.
    pub old_texts: Vec<Spelling>,
    /// Looks up the values of terms.
    columns: Columns,
}

impl Problem {
    /// A condition in terms of the pool; `None` if the pool lacks something that it reads.
    pub fn read(&self, language: Language, tree: &Node) -> Option<Expr> {
        let mut index = Index::new();
        for (id, term) in self.pool.terms.iter_enumerated() {
            index.entry((term.access.clone(), term.ty)).or_insert(id);
        }
        let mut lookup = |leaf: &Leaf, expected: Option<Type>| {
            terms::lookup(language, &self.pool, &index, leaf, expected)
        };
        let read = tree.to_expr(language, Some(Type::Bool), &mut lookup, &mut Vec::new());
        read.filter(|(_, ty)| *ty == Type::Bool)
            .map(|(expr, _)| expr)
    }

    /// The problem with one more term, the constant `value`, and a condition of just that term.
    pub fn with_constant(&self, value: bool) -> (Self, Expr) {
        let mut problem = self.clone();
        let term = problem.pool.terms.push_and_get_key(Term {
            constant: Some(Value::Bool(value)),
            ..Term::new(
                Access::literal(value.to_string()),
                Type::Bool,
                Origin::Constant,
            )
        });
        problem.columns.push_constant(Value::Bool(value));
        let specs = problem.specs.iter_mut().chain(&mut problem.relaxed);
        let mut longer: HashMap<*const Values, Arc<Values>> = HashMap::new();
        for row in specs.flat_map(|spec| &mut spec.rows) {
            let with_one_more = longer.entry(Arc::as_ptr(&row.values)).or_insert_with(|| {
                let mut values = (*row.values).clone();
                values.push(Some(Value::Bool(value)));
                Arc::new(values)
            });
            row.values = Arc::clone(with_one_more);
        }
        (problem, Expr::Term(term))
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
    let captures = Captures::of(language, recorded.contexts());
    let operands = operands(language);
    let mut pool = Pool::default();
    let mut index: Index = BTreeMap::new();
    let mut add = |pool: &mut Pool, term: Term| {
        index
            .entry((term.access.clone(), term.ty))
            .or_insert_with(|| pool.terms.push_and_get_key(term));
    };
    let seen = captures.observed(recorded.contexts());
    for term in terms::observed(sources, site, tree.as_ref(), seen) {
        add(&mut pool, term);
    }
    let at = Conversions {
        sources,
        site,
        tree: tree.as_ref(),
        captures: &captures,
        recorded,
    };
    for term in operands.conversions(&at, &mut pool) {
        add(&mut pool, term);
    }
    for term in terms::constants(sources, site, tree.as_ref(), &pool) {
        add(&mut pool, term);
    }
    for term in mined::constants(sources, site, recorded, &captures, tree.as_ref(), &pool) {
        add(&mut pool, term);
    }

    for id in pool.terms.keys() {
        pool.terms[id].definition = terms::definition(sources, id, &pool, &index);
        let term = &mut pool.terms[id];
        term.parameter = parameter(&sources.functions[site.function], &term.access);
        if term.ty == Type::Bool && term.negation.is_none() {
            let opposite = opposite_call(&write::text(&term.access));
            term.negation = opposite.map(|text| language.access(&text));
        }
    }

    let mut parts = Vec::new();
    let mut old = None;
    if let Some(tree) = tree.as_ref().filter(|_| !recorded.impure) {
        let mut lookup = |leaf: &Leaf, expected: Option<Type>| {
            terms::lookup(language, &pool, &index, leaf, expected)
        };
        old = tree
            .to_expr(language, Some(Type::Bool), &mut lookup, &mut parts)
            .filter(|(_, ty)| *ty == Type::Bool)
            .map(|(expr, _)| expr);
    }
    let mut old_texts: Vec<Spelling> = Vec::new();
    let mut whole = None;
    if old.is_some() {
        let spelled = |part| Spelling::new(part, &site.text);
        old_texts.extend(parts.into_iter().map(spelled));
    } else if is_condition {
        // A condition that cannot be taken apart is one term, and its value is the condition's outcome.
        let term = pool.terms.push_and_get_key(Term {
            binding: language.binding_of(&site.text),
            negation: language
                .opposite(&site.text)
                .map(|text| language.access(&text)),
            constant: site.text.parse().ok().map(Value::Bool),
            ..Term::new(language.access(&site.text), Type::Bool, Origin::Old)
        });
        whole = Some(term);
        old = Some(Expr::Term(term));
    }

    let spec = |(rows, any_of)| Spec {
        rows,
        any_of,
        old: old.clone(),
        old_is_impure: recorded.impure,
    };
    let columns = captures.columns(&pool, whole);
    let table = Rows::new(&columns, recorded, site.kind.unconditional());
    let choices = choices(recorded);
    let strict = choices
        .iter()
        .map(|cured| (table.strict(cured), Vec::new()));
    let agreed = table.agreed().map(|rows| (rows, Vec::new()));
    // If the condition is evaluated once, most of these specs are equivalent.
    let specs = distinct(agreed.into_iter().chain(strict).map(spec), &[]);
    let relaxed = [table.minimal(), table.relaxed()];
    let relaxed = distinct(relaxed.into_iter().flatten().map(spec), &specs);
    Problem {
        pool,
        specs,
        relaxed,
        whole,
        old_texts,
        columns,
    }
}

/// The parameter that an access begins with, by position, `self` first.
fn parameter(function: &Function, access: &Access) -> Option<usize> {
    let root = access.root()?;
    let is_it = |name: &Name| name.text == root;
    match root {
        "self" => Some(0),
        _ => function.parameters.iter().position(is_it).map(|at| at + 1),
    }
}

/// The specs without those that are equivalent to an earlier one or to one of the `known`.
fn distinct(specs: impl Iterator<Item = Spec>, known: &[Spec]) -> Vec<Spec> {
    let mut kept: Vec<Spec> = Vec::new();
    for spec in specs {
        let mut others = known.iter().chain(&kept);
        if !others.any(|other| are_equivalent(&spec, other)) {
            kept.push(spec);
        }
    }
    kept
}

/// Whether two specs of one site have the same rows, in any order, and no groups.
fn are_equivalent(a: &Spec, b: &Spec) -> bool {
    let is_plain = a.any_of.is_empty() && b.any_of.is_empty();
    let is_small = a.rows.len() <= limits::MOST_COMPARED;
    is_plain
        && a.rows.len() == b.rows.len()
        && (a.rows == b.rows || is_small && row_counts(a) == row_counts(b))
}

/// The multiset of a spec's rows.
fn row_counts(spec: &Spec) -> HashMap<&Row, usize> {
    let mut counts = HashMap::new();
    for row in &spec.rows {
        *counts.entry(row).or_default() += 1;
    }
    counts
}
