//! C: a clause that follows a pointer is evaluated only if the pointer is not null.

use nopol_expr::Binding;

use super::{OneStep, Step, binding};
use crate::condition::{Node, Shape};

/// The condition with a test of a pointer before each clause that follows it, unless the condition tests it already. By `&&` the clause
/// does not hold for null, by `||` it does.
pub fn null_guard_edits(condition: &Node, text: &str) -> Vec<OneStep> {
    let clauses = condition.all_clauses();
    let tested: Vec<&str> = (clauses.iter())
        .map(|clause| text[clause.span.clone()].trim_start_matches('!'))
        .map(|clause| clause.split([' ', '=', '!']).next().unwrap_or_default())
        .collect();
    let is_alone = !matches!(condition.shape, Shape::And(..) | Shape::Or(..));
    let mut edits: Vec<OneStep> = Vec::new();
    for (test, token, binds) in [("", "&&", Binding::And), ("!", "||", Binding::Or)] {
        for clause in &clauses {
            let old = &text[clause.span.clone()];
            for pointer in followed(old).filter(|pointer| !tested.contains(pointer)) {
                let guarded = match binding(clause) < binds {
                    true => format!("{test}{pointer} {token} ({old})"),
                    false => format!("{test}{pointer} {token} {old}"),
                };
                let new = match is_alone {
                    true => guarded,
                    false => format!("({guarded})"),
                };
                let mut edited = text.to_owned();
                edited.replace_range(clause.span.clone(), &new);
                if edits.iter().all(|known| known.text != edited) {
                    edits.push(OneStep {
                        step: Step::NullGuard,
                        text: edited,
                    });
                }
            }
        }
    }
    edits
}

/// The pointers before `->` in a text: names and their members.
fn followed(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("->").filter_map(|(at, _)| {
        let is_path = |c: char| c.is_alphanumeric() || "_.->".contains(c);
        let start = text[..at]
            .rfind(|c: char| !is_path(c))
            .map_or(0, |at| at + 1);
        let path = &text[start..at];
        let is_name = path.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_called = text[..start].ends_with([')', ']']);
        (is_name && !is_called).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::null_guard_edits;
    use crate::Language;

    fn guarded(text: &str) -> Vec<String> {
        let tree = Language::C.parse(text).unwrap();
        let edits = null_guard_edits(&tree, text).into_iter();
        edits.map(|edit| edit.text).collect()
    }

    #[test]
    fn a_pointer_that_a_clause_follows_is_tested_before() {
        assert_eq!(
            guarded("top->type == 3"),
            ["top && top->type == 3", "!top || top->type == 3"]
        );
        assert_eq!(
            guarded("n > 0 && !p->next->done"),
            [
                "n > 0 && (p && !p->next->done)",
                "n > 0 && (p->next && !p->next->done)",
                "n > 0 && (!p || !p->next->done)",
                "n > 0 && (!p->next || !p->next->done)"
            ]
        );
    }

    #[test]
    fn what_is_tested_or_no_plain_pointer_gets_no_guard() {
        for text in [
            "p && p->done",
            "p != NULL && p->done",
            "get(n)->done",
            "a[i]->done",
            "n > 0",
        ] {
            assert_eq!(guarded(text), [""; 0], "{text}");
        }
    }
}
