//! From recorded contexts to a synthesis problem: the terms available at a site, and the rows a
//! condition there must explain (papers/nopol.txt §3.3).

use std::collections::{BTreeMap, BTreeSet};

use crate::run::suite::TestIndex;
use crate::run::trace::Context;
use crate::source::rust::condition::{self, Leaf, LeafKind, Node};
use crate::source::rust::literals;
use crate::source::{Site, SiteKind, Sources};
use crate::spec::{Binding, Expr, Origin, Pool, Row, Spec, Term, TermId, Type, Value};

/// What was recorded at one site.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Contexts of passing tests, as they are.
    pub passing: Vec<(TestIndex, Vec<Context>)>,
    /// Per failing test, each way to cure it.
    pub cured: BTreeMap<TestIndex, Vec<Cure>>,
    /// Where no forced outcome cures a test: the contexts of failing tests as they are.
    pub uncured: Vec<Vec<Context>>,
    /// The old condition has, or may have, side effects.
    pub impure: bool,
    /// Contexts that found no room.
    pub dropped: u64,
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
    /// The text of each part of the old condition.
    pub old_texts: Vec<(Expr, String)>,
}

/// Ways to choose among angelic outcomes that are tried.
const MOST_SPECS: usize = 4;
/// Terms read at a site, constants aside.
const MOST_TERMS: usize = 60;
/// Literals taken from the function, and again from the file, per type.
const MOST_LITERALS: usize = 12;

/// Builds the problem of a site.
pub fn problem(sources: &Sources, site: &Site, recorded: &Recorded) -> Problem {
    let is_condition = site.kind != SiteKind::Statement;
    let tree = is_condition.then(|| condition::parse(&site.text)).flatten();
    let mut pool = Pool::default();
    let mut index: BTreeMap<(String, Type), TermId> = BTreeMap::new();
    let mut add = |pool: &mut Pool, term: Term| {
        *index
            .entry((term.text.clone(), term.ty))
            .or_insert_with(|| {
                pool.terms.push(term);
                pool.terms.len() - 1
            })
    };

    for term in observed(site, tree.as_ref(), recorded) {
        add(&mut pool, term);
    }
    let types: BTreeSet<Type> = pool.terms.iter().map(|term| term.ty).collect();
    for term in constants(sources, site, tree.as_ref(), &types) {
        add(&mut pool, term);
    }

    let mut spans = Vec::new();
    let mut old = None;
    if let Some(tree) = tree.as_ref().filter(|_| !recorded.impure) {
        let mut lookup = |leaf: &Leaf, expected: Option<Type>| lookup(&index, leaf, expected);
        old = tree
            .to_expr(Some(Type::Bool), &mut lookup, &mut spans)
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
            binding: condition::binding_of(&site.text),
            constant: None,
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
        is_condition,
    };
    let choices = choices(recorded);
    let strict = choices
        .iter()
        .map(|cured| (table.strict(cured), Vec::new()));
    let specs = strict.map(spec).collect();
    let relaxed = [table.sharp(), table.relaxed()];
    let relaxed = relaxed.into_iter().flatten().map(spec).collect();
    Problem {
        pool,
        specs,
        relaxed,
        old_texts,
    }
}

/// The terms read at the site: those of the old condition first, then by nearness of the
/// variable, which is the reverse of the order in which names came into scope.
fn observed(site: &Site, tree: Option<&Node>, recorded: &Recorded) -> Vec<Term> {
    let mut types: BTreeMap<&str, BTreeSet<Type>> = BTreeMap::new();
    let all = recorded.passing.iter().map(|(_, contexts)| contexts);
    for context in all
        .chain(&recorded.uncured)
        .chain(recorded.cured.values().flatten().map(|cure| &cure.contexts))
        .flatten()
    {
        for (name, value) in &context.values {
            types.entry(name).or_default().insert(value.ty());
        }
    }
    let comparisons = tree.map(Node::comparisons).unwrap_or_default();
    let mut leaves: Vec<&Leaf> = tree.map(Node::leaves).unwrap_or_default();
    for (whole, operands) in &comparisons {
        // A comparison as a whole is only of use where its operands cannot be read.
        let is_read =
            |leaf: &&Leaf| leaf.kind == LeafKind::Literal || types.contains_key(leaf.text.as_str());
        match operands.iter().all(is_read) {
            true => _ = types.remove(whole.text.as_str()),
            false => leaves.push(whole),
        }
    }
    let mut terms: Vec<Term> = Vec::new();
    for (name, types) in types {
        let leaf = leaves.iter().find(|leaf| leaf.text == name);
        let origin = match leaf {
            Some(_) => Origin::Old,
            None if name.ends_with(')') => Origin::Query,
            None if name.contains('.') => Origin::Field,
            None => Origin::Variable,
        };
        let binding = match leaf {
            Some(leaf) => leaf.binding,
            None if name.starts_with('*') => Binding::Unary,
            None => Binding::Atom,
        };
        terms.extend(types.into_iter().map(|ty| Term {
            text: name.to_string(),
            ty,
            origin,
            binding,
            constant: None,
        }));
    }
    let position = |text: &str| {
        if let Some(at) = leaves.iter().position(|leaf| leaf.text == text) {
            return (0, at);
        }
        let root = text
            .trim_start_matches('*')
            .split(['.', '('])
            .next()
            .unwrap_or_default();
        let at = site.names.iter().position(|name| name == root).unwrap_or(0);
        (1, site.names.len() - at)
    };
    terms.sort_by_key(|term| (position(&term.text), term.origin, term.text.clone()));
    terms.truncate(MOST_TERMS);
    terms
}

/// −1, 0, 1 of each type present (§3.3.1), then the literals of the condition, the function and
/// the file.
fn constants(
    sources: &Sources,
    site: &Site,
    tree: Option<&Node>,
    types: &BTreeSet<Type>,
) -> Vec<Term> {
    let function = &sources.functions[site.function].literals;
    let file = &sources.files[site.file].literals;
    let mut terms = Vec::new();
    for ty in types {
        let mut seen: Vec<Value> = Vec::new();
        let basic = match ty {
            Type::Int(_) => &["0", "1", "-1"][..],
            Type::F32 | Type::F64 => &["0.0", "1.0", "-1.0"],
            Type::Bool | Type::Char | Type::Str => &[],
        };
        let old: Vec<&str> = tree
            .map(Node::leaves)
            .unwrap_or_default()
            .into_iter()
            .filter(|leaf| leaf.kind == LeafKind::Literal)
            .map(|leaf| leaf.text.as_str())
            .collect();
        // A literal of the old condition comes first, for it is written as it is there.
        let groups: [(Origin, Vec<&str>); 4] = [
            (Origin::Old, old),
            (Origin::Constant, basic.to_vec()),
            (
                Origin::FunctionLiteral,
                function.iter().map(String::as_str).collect(),
            ),
            (
                Origin::FileLiteral,
                file.iter().map(String::as_str).collect(),
            ),
        ];
        for (origin, texts) in groups {
            let mut taken = 0;
            for text in texts {
                let Some(value) = literals::value(text, *ty) else {
                    continue;
                };
                if *ty == Type::Bool || seen.contains(&value) || taken == MOST_LITERALS {
                    continue;
                }
                taken += 1;
                seen.push(value.clone());
                terms.push(Term {
                    text: text.to_string(),
                    ty: *ty,
                    origin,
                    binding: if text.starts_with('-') {
                        Binding::Unary
                    } else {
                        Binding::Atom
                    },
                    constant: Some(value),
                });
            }
        }
    }
    terms
}

/// The term a leaf of the old condition stands for.
fn lookup(
    index: &BTreeMap<(String, Type), TermId>,
    leaf: &Leaf,
    expected: Option<Type>,
) -> Option<(TermId, Type)> {
    let mut found = index.iter().filter(|((text, ty), _)| {
        *text == leaf.text && expected.is_none_or(|expected| *ty == expected)
    });
    let ((_, ty), term) = found.next()?;
    // In generic code a name may have had several types; then the condition has no one meaning.
    found.next().is_none().then_some((*term, *ty))
}

/// One cure per failing test: the first of each, then the second of each, and so on; a test with
/// fewer keeps its last.
fn choices(recorded: &Recorded) -> Vec<Vec<&Cure>> {
    let most = recorded.cured.values().map(Vec::len).max().unwrap_or(0);
    (0..most.min(MOST_SPECS))
        .map(|nth| {
            let cures = recorded.cured.values();
            cures
                .filter_map(|cures| cures.get(nth).or(cures.last()))
                .collect()
        })
        .collect()
}

/// What rows are made from.
struct Rows<'a> {
    pool: &'a Pool,
    /// The term that stands for the old condition as a whole.
    whole: Option<TermId>,
    recorded: &'a Recorded,
    is_condition: bool,
}

/// How much a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Say {
    Must,
    Should,
    /// Shows what values occur, and constrains nothing.
    Nothing,
}

/// What the condition yielded; if it was not evaluated, the opposite of what was forced.
fn old(context: &Context) -> bool {
    context.old.unwrap_or(!context.outcome)
}

fn changed(context: &Context) -> bool {
    old(context) != context.outcome
}

impl Rows<'_> {
    /// Every forced evaluation of a cured test must have its outcome; those that were left alone
    /// should have theirs, like those of a passing test.
    fn strict(&self, cured: &[&Cure]) -> Vec<Row> {
        let rows = cured.iter().flat_map(|cure| {
            cure.contexts.iter().map(|context| {
                let left_alone = !cure.constant && !changed(context);
                let say = if left_alone { Say::Should } else { Say::Must };
                (context, context.outcome, say)
            })
        });
        self.collect(rows)
    }

    /// Of the evaluations whose outcome was changed, in whichever cure of whichever test, some must
    /// be, and all others are left open: what cured one test may be an accident of that test.
    /// Without a cure some evaluation of some failing test must change. The rows, and the group.
    /// `None` if every test has but one evaluation, so that the strict specs say all there is.
    fn relaxed(&self) -> Option<(Vec<Row>, Vec<Vec<usize>>)> {
        let cured = || self.recorded.cured.values();
        let is_single = |cures: &Vec<Cure>| cures.iter().all(|cure| cure.contexts.len() < 2);
        if self.recorded.uncured.is_empty() && cured().all(is_single) {
            return None;
        }
        let cured = cured().flatten().flat_map(|cure| &cure.contexts);
        let cured = cured.map(|context| (context, context.outcome, changed(context)));
        let uncured = self.recorded.uncured.iter().flatten();
        let uncured = uncured.map(|context| (context, !context.outcome, true));
        let failing: Vec<(&Context, bool, bool)> = cured.chain(uncured).collect();

        let open = failing
            .iter()
            .map(|(context, expected, _)| (*context, *expected, Say::Nothing));
        let rows = self.collect(open);
        let row = |(context, expected, _): &(&Context, bool, bool)| {
            let values = self.values(context);
            let is_it =
                |row: &Row| row.weight == 0 && row.expected == *expected && row.values == values;
            rows.iter().position(is_it)
        };
        let changed = failing.iter().filter(|(_, _, changed)| *changed);
        let group: BTreeSet<usize> = changed.filter_map(row).collect();
        Some((rows, vec![group.into_iter().collect()]))
    }

    /// Only the evaluations whose change alone cured a test must have that outcome; all others
    /// of failing tests are left open. `None` if there is no such evaluation.
    fn sharp(&self) -> Option<(Vec<Row>, Vec<Vec<usize>>)> {
        let mut sharp = false;
        let mut failing = Vec::new();
        for cures in self.recorded.cured.values() {
            let alone = |cure: &&Cure| cure.contexts.iter().filter(|c| changed(c)).count() == 1;
            let chosen = cures.iter().find(alone);
            sharp |= chosen.is_some();
            let Some(cure) = chosen.or(cures.first()) else {
                continue;
            };
            failing.extend(cure.contexts.iter().map(|context| {
                match chosen.is_some() && changed(context) {
                    true => (context, context.outcome, Say::Must),
                    false => (context, old(context), Say::Nothing),
                }
            }));
        }
        sharp.then(|| (self.collect(failing.into_iter()), Vec::new()))
    }

    /// The rows of failing tests as given, and those of passing tests, each context once.
    fn collect<'c>(&self, failing: impl Iterator<Item = (&'c Context, bool, Say)>) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut index: BTreeMap<String, usize> = BTreeMap::new();
        let mut add = |context: &Context, expected: bool, say: Say| {
            let values = self.values(context);
            let key = format!("{say:?} {expected} {values:?}");
            let weight = u32::from(say != Say::Nothing);
            match index.get(&key) {
                Some(at) => rows[*at].weight += weight,
                None => {
                    index.insert(key, rows.len());
                    rows.push(Row {
                        values,
                        expected,
                        hard: say == Say::Must,
                        weight,
                    });
                }
            }
        };
        failing.for_each(|(context, expected, say)| add(context, expected, say));
        for context in self
            .recorded
            .passing
            .iter()
            .flat_map(|(_, contexts)| contexts)
        {
            // A statement that a passing test executes is to be executed.
            add(context, context.outcome || !self.is_condition, Say::Should);
        }
        rows
    }

    fn values(&self, context: &Context) -> Vec<Option<Value>> {
        let value = |(id, term): (TermId, &Term)| {
            if Some(id) == self.whole {
                return context.old.map(Value::Bool);
            }
            let seen = || context.values.get(&term.text).cloned();
            term.constant
                .clone()
                .or_else(seen)
                .filter(|value| value.ty() == term.ty)
        };
        self.pool.terms.iter().enumerate().map(value).collect()
    }
}
