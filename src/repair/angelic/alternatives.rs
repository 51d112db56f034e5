//! Adds several alternatives to a condition at once: `matches!(x, A)` becomes `matches!(x, A | B | C)`, and `x == A`
//! becomes `x == A || x == B || x == C`, if failing tests need the other outcome for `B` and for `C`.

use std::collections::BTreeSet;

use nopol_expr::{Binding, Row, TermId, Type, Value};
use nopol_source::{Condition, Site, Sources};

use super::evidence::Observed;

/// Most alternatives added at once.
const MOST_ADDED: usize = 6;

/// The condition of a site with those alternatives added to one of its lists that recorded contexts of failing tests
/// need. `None` if they need fewer than two, or more than [`MOST_ADDED`].
pub fn widened(sources: &Sources, site: &Site, observed: &Observed) -> Option<Condition> {
    let language = sources.language;
    let pool = &observed.problem.pool;
    let term = |call: &str| -> Option<TermId> {
        let access = language.access(call);
        let mut terms = pool.terms.iter_enumerated();
        let found = terms.find(|(_, term)| term.ty == Type::Bool && term.access == access);
        found.map(|(id, _)| id)
    };
    let lists = language.candidate_terms().lists(sources, site);
    lists.into_iter().find_map(|list| {
        let before = site.text.split(&*list.call).next()?;
        let wanted = !before.trim_end().ends_with('!');
        let wider = list.wider.iter();
        let wider: Vec<(&String, TermId)> =
            wider.filter_map(|call| Some((call, term(call)?))).collect();
        let own = term(&list.call);
        let is_listed = |row: &&Row| own.is_some_and(|own| holds(row, own));
        let hard = observed.problem.rows().iter().filter(|row| row.hard);
        let (asked, others): (Vec<&Row>, Vec<&Row>) = hard
            .filter(|row| !is_listed(row))
            .partition(|row| row.expected == wanted);
        // Leave out an alternative that would also change a context whose outcome is right.
        let may = |(_, id): &&(&String, TermId)| !others.iter().any(|row| holds(row, *id));
        let mut open: BTreeSet<usize> = (0..asked.len()).collect();
        let mut added: Vec<&str> = Vec::new();
        for (call, id) in wider.iter().filter(may) {
            let covered: Vec<usize> = open
                .iter()
                .copied()
                .filter(|nth| holds(asked[*nth], *id))
                .collect();
            if !covered.is_empty() {
                added.push(call);
                covered.iter().for_each(|nth| {
                    open.remove(nth);
                });
            }
        }
        let is_several = (2..=MOST_ADDED).contains(&added.len());
        is_several.then(|| {
            added.insert(0, &list.call);
            let mut union = language.with_joined_patterns(added.join(" || "));
            let is_operand = site.text.contains("&&") || site.min_binding > Binding::Or;
            if is_operand && language.binding_of(&union) <= Binding::Or {
                union = format!("({union})");
            }
            Condition::from(site.text.replacen(&*list.call, &union, 1))
        })
    })
}

fn holds(row: &Row, term: TermId) -> bool {
    row.values.get(term) == Some(&Some(Value::Bool(true)))
}
