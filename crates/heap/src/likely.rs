//! Which changes people make most often: the order in which changes are tried on tests. Costs are set by hand; a pair costs as much
//! as both of its changes.

use std::collections::BTreeMap;

use super::ir::{Atom, Path, Routine, StatementId};
use super::patch::Change;

/// Most changes that pairs are made of.
const MOST_PARTS: usize = 2000;

/// Most pairs of changes.
const MOST_PAIRS: usize = 400_000;

/// Knows what is likely in a function.
pub struct Weigher<'r> {
    routine: &'r Routine,
    /// How often a text occurs: of two branches that read the same one is often meant to be the mirror image of the other.
    texts: BTreeMap<&'r str, usize>,
}

impl<'r> Weigher<'r> {
    /// For changes of this function.
    pub fn new(routine: &'r Routine) -> Self {
        let mut texts = BTreeMap::new();
        for id in routine.units() {
            *texts.entry(&*routine.statements[id].text).or_default() += 1;
        }
        Self { routine, texts }
    }

    /// Changes with their costs, the most likely first.
    pub fn sorted(&self, changes: Vec<Change>) -> Vec<(usize, Change)> {
        let costed = changes.into_iter();
        let costed = costed.map(|change| (self.cost(&change), change));
        let mut costed: Vec<(usize, Change)> = costed.collect();
        costed.sort_by_key(|(cost, _)| *cost);
        costed
    }

    fn cost(&self, change: &Change) -> usize {
        match change {
            Change::Leaf {
                statement,
                leaf,
                atom,
            } => {
                let of = &self.routine.statements[*statement];
                let unlike = unlike(&of.leaves[*leaf].atom, atom);
                match self.is_twin(*statement) {
                    true => unlike - 1,
                    false => unlike,
                }
            }
            Change::Comparison { .. } => 2,
            Change::Skip(_) => 4,
            Change::Insert(insertion) => {
                let value = match &insertion.value {
                    Atom::Read(path) => path.fields.len(),
                    Atom::Null => 0,
                    Atom::Number(_) => 1,
                };
                5 + 2 * (insertion.target.fields.len() + value)
            }
        }
    }

    /// Whether another statement reads the same.
    fn is_twin(&self, statement: StatementId) -> bool {
        let of = &self.routine.statements[statement];
        self.texts.get(&*of.text).is_some_and(|count| *count > 1)
    }
}

/// How unlike one leaf is to another, from 1 on.
fn unlike(one: &Atom, other: &Atom) -> usize {
    match (one, other) {
        (Atom::Read(one), Atom::Read(other)) => unlike_paths(one, other),
        (Atom::Number(one), Atom::Number(other)) if one.abs_diff(*other) == 1 => 2,
        _ => 4,
    }
}

fn unlike_paths(one: &Path, other: &Path) -> usize {
    let (fields, others) = (one.fields.len(), other.fields.len());
    let differ = one.fields.iter().zip(&other.fields);
    let differ = differ.filter(|(one, other)| one != other).count();
    match (one.base == other.base, fields == others) {
        (true, true) => differ,
        (false, true) => 2 + differ,
        // A field more or less.
        (true, false) if fields.abs_diff(others) == 1 && differ == 0 => 2,
        _ => 4,
    }
}

/// Pairs of changes.
pub struct Pairs<'c> {
    parts: Vec<&'c (usize, Change)>,
    all: Vec<(usize, u32, u32)>,
    /// Whether there are more of them.
    pub is_capped: bool,
}

/// The most likely pairs of changes, of the function's statements and insertions.
pub fn pairs<'c>(
    statements: &'c [(usize, Change)],
    insertions: &'c [(usize, Change)],
) -> Pairs<'c> {
    let mut parts: Vec<&(usize, Change)> = statements.iter().chain(insertions).collect();
    parts.sort_by_key(|(cost, _)| *cost);
    let mut is_capped = parts.len() > MOST_PARTS;
    parts.truncate(MOST_PARTS);
    let numbered = || (0_u32..).zip(&parts);
    let mut all = Vec::new();
    for (first, (cost, change)) in numbered() {
        for (second, (other_cost, other)) in numbered().skip(first as usize + 1) {
            if is_apart(change, other) {
                all.push((cost + other_cost, first, second));
            }
            // Of two insertions in the same place either one may come first.
            if is_same_slot(change, other) {
                all.push((cost + other_cost, second, first));
            }
        }
    }
    all.sort_by_key(|(cost, ..)| *cost);
    is_capped |= all.len() > MOST_PAIRS;
    all.truncate(MOST_PAIRS);
    Pairs {
        parts,
        all,
        is_capped,
    }
}

impl Pairs<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Each pair with its cost, the most likely first.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Vec<Change>)> + '_ {
        self.all.iter().map(|(cost, first, second)| {
            let part = |number: &u32| self.parts[*number as usize].1.clone();
            (*cost, vec![part(first), part(second)])
        })
    }
}

/// Whether two changes do not take each other's place.
fn is_apart(one: &Change, other: &Change) -> bool {
    match (one, other) {
        (
            Change::Leaf {
                statement, leaf, ..
            },
            Change::Leaf {
                statement: of,
                leaf: number,
                ..
            },
        ) => (statement, leaf) != (of, number),
        (
            Change::Comparison {
                statement, number, ..
            },
            Change::Comparison {
                statement: of,
                number: other,
                ..
            },
        ) => (statement, number) != (of, other),
        (Change::Skip(statement), _) => other.statement() != Some(*statement),
        (_, Change::Skip(statement)) => one.statement() != Some(*statement),
        _ => true,
    }
}

fn is_same_slot(one: &Change, other: &Change) -> bool {
    matches!((one, other), (Change::Insert(one), Change::Insert(other)) if one.slot == other.slot)
}
