//! What the recorded contexts show about an expression: which tests decided each clause, and in which contexts it
//! differs from another expression.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use nopol_expr::{Access, ArithFailure, Binding, Expr, Origin, Row, Term, TermId, Type, Value};
use nopol_process::run::id::TestId;
use nopol_process::run::suite::TestIndex;
use nopol_source::{Language, Site, SiteIndex, Sources, inputs, write};
use nopol_synth::{Counterexample, Equality};
use typed_index_collections::TiSlice;

use super::cautions::Computed;
use super::lookups;
use super::unobserved::cautions_of;
use crate::contexts::{self, Problem, Recorded, Seen, Witnesses, evidence};
use crate::patch::render::Style;
use crate::rank::facts::Support;
use crate::repair::fix::{Difference, Evidence};
use crate::report::{ClauseReport, ContextRow, ContextTable};

/// Most contexts listed with a patch.
const MOST_ROWS: usize = 40;

/// What was recorded at a site, and the synthesis problem made from it.
#[derive(Debug)]
pub struct Observed {
    pub language: Language,
    pub problem: Problem,
    pub recorded: Arc<Recorded>,
    /// Terms whose values a test may choose: see [`nopol_source::inputs`].
    pub inputs: BTreeSet<TermId>,
    witnesses: OnceLock<Witnesses>,
}

impl Observed {
    /// A problem and the recording that it was made from.
    pub fn new(sources: &Sources, site: &Site, problem: Problem, recorded: &Arc<Recorded>) -> Self {
        let names = inputs::of(sources, site);
        let is_input = |term: &Term| match term.access.without_derefs() {
            Access::Variable(name) => term.constant.is_none() && names.contains(name),
            _ => false,
        };
        let terms = problem.pool.terms.iter_enumerated();
        let inputs = terms.filter(|(_, term)| is_input(term));
        Self {
            language: sources.language,
            inputs: inputs.map(|(id, _)| id).collect(),
            problem,
            recorded: Arc::clone(recorded),
            witnesses: OnceLock::new(),
        }
    }
}

/// An expression that explains the observations.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub observed: Arc<Observed>,
    /// The condition for taking the branch or early exit.
    pub expr: Expr,
    /// As `expr`, negated for an assertion.
    pub written: Expr,
    /// Sum of the weights of the soft rows that it violates.
    pub soft_violated: u32,
}

impl Explanation {
    fn problem(&self) -> &Problem {
        &self.observed.problem
    }

    /// Whether some part of it never decides the outcome, although the old condition had no such part.
    pub fn adds_idle_part(&self) -> bool {
        let pool = &self.problem().pool;
        let specs = self.problem().specs.iter();
        let mut old = specs.filter_map(|spec| spec.old.as_ref());
        nopol_synth::has_idle_part(&self.expr, pool)
            && !old
                .next()
                .is_some_and(|old| nopol_synth::has_idle_part(old, pool))
    }

    /// Each constant that is new in the condition: its type, and in how many contexts the operand compared with it has
    /// its value. Excludes a constant that no failing test has while failing tests have several other values, as in
    /// `n != 6`.
    fn singled_out(&self, old: Option<&Expr>) -> Vec<(Type, u32)> {
        let known = old.map_or_else(Vec::new, Expr::terms);
        let terms = &self.problem().pool.terms;
        let mut compared: Vec<(&Expr, &Value)> = Vec::new();
        let mut open = vec![&self.expr];
        while let Some(expr) = open.pop() {
            if let Expr::Cmp(_, a, b) = expr {
                for (one, other) in [(a, b), (b, a)] {
                    if let Expr::Term(term) = &**one
                        && let Some(value) = &terms[*term].constant
                        && !known.contains(term)
                    {
                        compared.push((other, value));
                    }
                }
            }
            open.extend(expr.children());
        }
        let rows = self.problem().rows();
        let is_kept = |operand: &Expr, value: &Value| {
            let mut wrong: Vec<Value> = Vec::new();
            for found in rows
                .iter()
                .filter(|row| row.hard)
                .map(|row| operand.eval(row))
            {
                if let Some(found) = found.filter(|found| !wrong.contains(found)) {
                    wrong.push(found);
                }
            }
            wrong.len() > 1 && !wrong.contains(value)
        };
        compared.retain(|(operand, value)| !is_kept(operand, value));
        let count = |(operand, value): &(&Expr, &Value)| {
            let same = rows
                .iter()
                .filter(|row| operand.eval(row).as_ref() == Some(value));
            let count = u32::try_from(same.count()).unwrap_or(u32::MAX);
            (value.ty(), count)
        };
        compared.iter().map(count).collect()
    }

    /// The only test that has the value with which a clause compares for equality. Constants of the old condition do
    /// not count: they were not taken from a test.
    fn only_test(&self, clause: &Expr, seen: &[Seen]) -> Option<TestIndex> {
        // The list is cut off, so another test may have the value, too.
        if seen.len() == contexts::MOST_SEEN {
            return None;
        }
        let old = self
            .problem()
            .specs
            .iter()
            .find_map(|spec| spec.old.as_ref());
        let known = old.map_or_else(Vec::new, Expr::terms);
        let clause = match clause {
            Expr::Not(inner) => inner,
            _ => clause,
        };
        let Expr::Cmp(op, a, b) = clause else {
            return None;
        };
        let terms = &self.problem().pool.terms;
        let (operand, value) = [(a, b), (b, a)].into_iter().find_map(|(one, other)| {
            let &Expr::Term(term) = &**one else {
                return None;
            };
            let value = terms[term].constant.as_ref()?;
            // A number in the file often matters; a string in the file rarely does.
            let is_of_a_test = match terms[term].origin {
                Origin::Mined => true,
                Origin::FunctionLiteral | Origin::FileLiteral => value.ty() == Type::Str,
                _ => false,
            };
            (is_of_a_test && !known.contains(&term)).then_some((other, value))
        })?;
        let with_it = seen
            .iter()
            .filter(|seen| operand.eval(&seen.row).as_ref() == Some(value));
        let tests: BTreeSet<TestIndex> = with_it
            .flat_map(|seen| seen.tests.keys().copied())
            .collect();
        let mut tests = tests.into_iter();
        match (tests.next(), tests.next()) {
            (Some(only), None) if !op.orders() => Some(only),
            _ => None,
        }
    }

    fn clause(
        &self,
        tests: &TiSlice<TestIndex, TestId>,
        evidence: &contexts::ClauseEvidence,
    ) -> ClauseReport {
        let named = |wanted: bool| {
            let tests_of = evidence.tests.iter();
            let wanted = tests_of.filter(|(_, is_failing)| **is_failing == wanted);
            wanted.map(|(test, _)| tests[*test].to_string()).collect()
        };
        let style = self.style();
        let example = evidence.example.as_ref();
        ClauseReport {
            text: style.text(&evidence.clause, Binding::Or),
            failing_tests: named(true),
            passing_tests: named(false),
            contexts: evidence.contexts,
            example: example.map_or_else(Vec::new, |(row, _)| self.values(&evidence.clause, row)),
            outcome: example.map(|(_, outcome)| *outcome),
            only_test: None,
            only_among_passing: false,
        }
    }

    /// How the site's conditions are written.
    fn style(&self) -> Style<'_> {
        let problem = self.problem();
        Style {
            language: self.observed.language,
            pool: &problem.pool,
            old: &problem.old_texts,
            suffixed: false,
        }
    }

    /// The old and the new condition, each expanded into terms that contain no other terms.
    fn expanded(&self) -> (Option<Expr>, Expr) {
        let Problem { pool, specs, .. } = self.problem();
        let old = specs.iter().find_map(|spec| spec.old.as_ref());
        (
            old.map(|old| old.expanded(pool)),
            self.written.expanded(pool),
        )
    }

    /// What is known at the place where the expression is computed.
    fn computed<'a>(&'a self, old: Option<&'a Expr>) -> Computed<'a> {
        Computed {
            style: self.style(),
            rows: self.problem().rows(),
            inputs: &self.observed.inputs,
            old,
        }
    }

    /// The variables of an expression and their values, as text.
    fn values(&self, expr: &Expr, row: &Row) -> Vec<(String, String)> {
        let terms = &self.problem().pool.terms;
        let mut used: Vec<TermId> = Vec::new();
        for term in expr.terms() {
            if terms[term].constant.is_none() && !used.contains(&term) {
                used.push(term);
            }
        }
        let text = |term: TermId| {
            (
                write::text(&terms[term].access),
                text(&terms[term], row.values[term].as_ref()),
            )
        };
        used.into_iter().map(text).collect()
    }
}

impl Evidence for Explanation {
    fn disagreements(&self) -> u32 {
        self.soft_violated
    }

    fn unaffected(&self, sources: &Sources, site: SiteIndex) -> BTreeSet<TestIndex> {
        let Observed {
            problem,
            recorded,
            witnesses,
            ..
        } = &*self.observed;
        let site = &sources.sites[site];
        let witnesses = witnesses.get_or_init(|| Witnesses::of(site, problem, recorded));
        witnesses.unaffected(&self.expr)
    }

    fn support(&self) -> Option<Support> {
        let problem = self.problem();
        let specs = problem.specs.iter().chain(&problem.relaxed);
        let old = specs.clone().find_map(|spec| spec.old.as_ref());
        // Without an old condition, passing tests show the outcome that the code has now.
        let mut passing = problem.rows().iter().filter(|row| !row.hard);
        let usual = passing.next().is_some_and(|row| row.expected);
        let singled_out = self.singled_out(old);
        let mut support = Support {
            singled_out: singled_out.iter().map(|(_, contexts)| *contexts).min(),
            is_of_one_text: singled_out
                .iter()
                .any(|(ty, contexts)| *ty == Type::Str && *contexts < 2),
            ..Support::default()
        };
        for row in problem.rows() {
            let now = self.expr.eval_bool(row);
            let is_changed = now != old.map_or(Some(usual), |old| old.eval_bool(row));
            let (number, changed) = match row.hard {
                true => (&mut support.failing, &mut support.changed_failing),
                false => (&mut support.passing, &mut support.changed_passing),
            };
            *number += 1;
            *changed += u32::from(is_changed);
            support.holds += u32::from(now == Some(true));
        }
        Some(support)
    }

    fn memorises(&self) -> bool {
        let Observed {
            problem, recorded, ..
        } = &*self.observed;
        if self.support().is_some_and(|support| support.is_of_one_text) {
            return true;
        }
        let (_, seen) = contexts::table(problem, recorded, &self.written);
        let clauses = contexts::clauses(&self.written);
        clauses
            .iter()
            .any(|clause| self.only_test(clause, &seen).is_some())
    }

    fn equals(&self, other: &dyn Evidence) -> bool {
        let Some(other) = explanation(other) else {
            return false;
        };
        let Problem { pool, .. } = self.problem();
        let rows = self.problem().rows();
        self.expr == other.expr
            || nopol_synth::equal(&self.expr, &other.expr, pool, rows) == Equality::Proved
    }

    fn covers(&self, other: &dyn Evidence) -> bool {
        let Some(other) = explanation(other) else {
            return false;
        };
        let Problem { pool, .. } = self.problem();
        let rows = self.problem().rows();
        // A longer condition that merely avoids failing is a different idea.
        if self.written.size() > other.written.size() {
            return false;
        }
        // The second query is needed only where the other condition cannot be computed.
        match nopol_synth::equal(&self.written, &other.written, pool, rows) {
            Equality::Proved => true,
            Equality::Differ(context) => {
                context.yields[1].is_none()
                    && nopol_synth::covers(&self.written, &other.written, pool, rows)
            }
            Equality::Unknown => false,
        }
    }

    fn agrees(&self, other: &dyn Evidence) -> Option<bool> {
        let other = explanation(other)?;
        let mut rows = self.problem().rows().iter();
        Some(rows.all(|row| other.expr.eval_bool(row) == self.expr.eval_bool(row)))
    }

    fn adds_idle_clause_to(&self, shown: &dyn Evidence) -> bool {
        let clause = explanation(shown);
        clause.is_some_and(|clause| has_clause(&self.expr, &clause.expr))
            && self.agrees(shown) == Some(true)
    }

    fn is_partial(&self) -> bool {
        let (old, written) = self.expanded();
        let computed = self.computed(old.as_ref());
        computed.new_failure(&written, false).is_some()
    }

    fn cautions(&self) -> Vec<String> {
        if self.observed.language != Language::Rust {
            return Vec::new();
        }
        let (old, written) = self.expanded();
        let pool = &self.problem().pool;
        let failure = self.computed(old.as_ref()).caution(&written);
        let read = old.iter().flat_map(Expr::terms);
        let read = read.map(|term| &pool.terms[term].access);
        let lookups = lookups::unguarded(&written, read, pool).into_iter();
        let lookups = lookups.map(|access| lookups::warning(access, &write::text(access)));
        let known: Vec<String> = failure.into_iter().chain(lookups).collect();
        // Whole comparisons may have been recorded, but not their operands.
        let text = |expr: &Expr| self.style().text(expr, Binding::Or);
        match known.is_empty() {
            true => cautions_of(
                &self.observed,
                old.as_ref().map(text).as_deref(),
                &text(&written),
            ),
            false => known,
        }
    }

    fn clauses(&self, tests: &TiSlice<TestIndex, TestId>) -> Vec<ClauseReport> {
        let Observed {
            problem, recorded, ..
        } = &*self.observed;
        let evidence = evidence(problem, recorded, &self.written);
        let (_, seen) = contexts::table(problem, recorded, &self.written);
        let clauses = evidence.iter();
        clauses
            .map(|evidence| ClauseReport {
                only_test: self
                    .only_test(&evidence.clause, &seen)
                    .map(|test| tests[test].to_string()),
                ..self.clause(tests, evidence)
            })
            .collect()
    }

    fn table(&self, tests: &TiSlice<TestIndex, TestId>) -> Option<ContextTable> {
        let Observed {
            problem, recorded, ..
        } = &*self.observed;
        let (terms, seen) = contexts::table(problem, recorded, &self.written);
        let row = |seen: &Seen| {
            let failing = seen.tests.iter().find(|(_, is_failing)| **is_failing);
            let test = failing.or(seen.tests.iter().next());
            ContextRow {
                values: terms
                    .iter()
                    .map(|term| text(&problem.pool.terms[*term], seen.row.values[*term].as_ref()))
                    .collect(),
                deciding: terms
                    .iter()
                    .map(|term| seen.deciding.contains(term))
                    .collect(),
                test: test.map_or_else(String::new, |(test, _)| tests[*test].to_string()),
                tests: seen.tests.len(),
                is_failing: failing.is_some(),
                before: seen.old,
                after: seen.new,
            }
        };
        let names = terms
            .iter()
            .map(|term| write::text(&problem.pool.terms[*term].access));
        Some(ContextTable {
            names: names.collect(),
            rows: seen.iter().take(MOST_ROWS).map(row).collect(),
            more: seen.len().saturating_sub(MOST_ROWS),
        })
    }

    fn recorded(&self) -> BTreeSet<TestIndex> {
        let recorded = &self.observed.recorded;
        let passing = recorded.passing.iter().map(|(test, _)| test);
        let passing = passing.filter(|test| !recorded.incomplete.contains(test));
        passing.chain(recorded.cured.keys()).copied().collect()
    }

    fn difference(&self, other_evidence: &dyn Evidence) -> Option<Difference> {
        let other = explanation(other_evidence).filter(|other| other.expr != self.expr)?;
        let Problem { pool, .. } = self.problem();
        let rows = self.problem().rows();
        // Each may have been recorded with other tests.
        let both = [self.agrees(other_evidence), other.agrees(self)];
        let is_seen = both.contains(&Some(false));
        let (mine, others, inputs) = (&self.written, &other.written, &self.observed.inputs);
        let found = nopol_synth::possible_difference(mine, others, pool, rows, inputs);
        let named = |context: &Option<Counterexample>| -> Vec<(String, String)> {
            let values = context.iter().flat_map(|context| &context.values);
            values
                .map(|(term, value)| {
                    let term = &pool.terms[*term];
                    (write::text(&term.access), text(term, value.as_ref()))
                })
                .collect()
        };
        let hints = match found {
            Some(_) => named(&found),
            None => named(&nopol_synth::difference(mine, others, pool, rows)),
        };
        Some(Difference {
            is_seen,
            context: named(&found),
            yields: found.as_ref().map(|context| context.yields),
            failures: found.map_or([None, None], |it| it.failures.map(|it| it.map(failing))),
            hints: hints.into_iter().map(|(_, value)| value).collect(),
        })
    }
}

/// The evidence as an explanation, if this engine made it.
fn explanation(evidence: &dyn Evidence) -> Option<&Explanation> {
    let any: &dyn Any = evidence;
    any.downcast_ref()
}

/// What happens where a condition cannot be evaluated.
fn failing(failure: ArithFailure) -> String {
    let does = match failure {
        ArithFailure::Overflows => "overflows",
        ArithFailure::DividesByZero => "divides by zero",
    };
    does.to_owned()
}

/// The value of a term, for readers. Of a pointer, only whether it is null is known.
pub fn text(term: &Term, value: Option<&Value>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Value::Bool(true)) if term.is_presence() => "not null".to_owned(),
        Some(Value::Bool(false)) if term.is_presence() => "null".to_owned(),
        Some(value) => value.to_string(),
    }
}

fn has_clause(expr: &Expr, clause: &Expr) -> bool {
    expr == clause
        || match expr {
            Expr::And(a, b) | Expr::Or(a, b) => has_clause(a, clause) || has_clause(b, clause),
            _ => false,
        }
}
