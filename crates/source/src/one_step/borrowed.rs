//! A clause of another condition of the function, added as it stands. Of 1469 clauses that people added to conditions of 44 C projects
//! (one changed line in a commit, `git log -p -U0`), 221 stood in another condition of the same function.

use nopol_expr::Binding;

use super::{OneStep, Step, binding};
use crate::condition::Node;
use crate::standing::StandingClause;

/// The condition with each of these clauses, joined as the clause is where it stands.
pub fn borrowed_edits(
    condition: &Node,
    text: &str,
    required: Binding,
    clauses: &[StandingClause],
) -> Vec<OneStep> {
    let own = condition.all_clauses();
    let mut edits: Vec<OneStep> = Vec::new();
    for clause in clauses {
        if own.iter().any(|it| text[it.span.clone()] == clause.text) {
            continue;
        }
        let (token, binds) = match clause.is_and {
            true => ("&&", Binding::And),
            false => ("||", Binding::Or),
        };
        let enclosed = |part: &str, is: Binding| match is < binds {
            true => format!("({part})"),
            false => part.to_owned(),
        };
        let old = enclosed(&text[condition.span.clone()], binding(condition));
        let added = enclosed(&clause.text, clause.binding);
        let new = match clause.is_before {
            true => format!("{added} {token} {old}"),
            false => format!("{old} {token} {added}"),
        };
        let new = match binds < required {
            true => format!("({new})"),
            false => new,
        };
        let mut edited = text.to_owned();
        edited.replace_range(condition.span.clone(), &new);
        if edits.iter().all(|known| known.text != edited) {
            edits.push(OneStep {
                step: Step::Borrowed(clause.is_alike),
                text: edited,
            });
        }
    }
    edits
}
