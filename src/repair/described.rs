//! What an edit changes, in the words of the report.

use nopol_source::PatchKind;

use super::fix::SiteEdit;

/// The end of [`SiteEdit::why`] for two clauses of which the first ensures that the second can be computed in every
/// recorded context. A warning that the condition may fail nevertheless takes its place.
pub const GUARDED: &str =
    "; in the tests, the second clause is evaluated only where it can be computed";

/// Explains what an edit changes, with warnings about values for which its condition cannot be computed.
pub(super) fn explained(edit: &SiteEdit, kind: PatchKind) -> String {
    let cautions = edit.evidence.cautions();
    let why = match cautions.is_empty() {
        true => &*edit.why,
        false => edit.why.trim_end_matches(GUARDED),
    };
    let all: Vec<&str> = std::iter::once(why)
        .chain(cautions.iter().map(String::as_str))
        .collect();
    named(&all.join("; "), kind)
}

/// The words about a condition, for what the headline of a patch of this kind calls an expression. Code stays as it is.
fn named(words: &str, kind: PatchKind) -> String {
    if !matches!(kind, PatchKind::Expression | PatchKind::Arithmetic) {
        return words.to_owned();
    }
    let parts = words
        .split('`')
        .enumerate()
        .map(|(nth, part)| match nth % 2 {
            0 => part.replace("condition", "expression"),
            _ => part.to_owned(),
        });
    parts.collect::<Vec<String>>().join("`")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::repair::fix::{Evidence, tests::fix};

    #[test]
    fn the_change_of_an_expression_is_named_like_the_expression() {
        let words = "`condition` changed to `a`; new condition with 2 clauses";
        assert_eq!(named(words, PatchKind::Condition), words);
        assert_eq!(
            named(words, PatchKind::Expression),
            "`condition` changed to `a`; new expression with 2 clauses"
        );
    }

    #[test]
    fn a_first_clause_protects_the_second_unless_a_warning_contradicts() {
        let why = format!("new condition with 2 clauses joined by `&&`{GUARDED}");
        let mut made = fix(1, "a && b", 1, &[0]);
        made.edits[0].why.clone_from(&why);
        assert_eq!(explained(&made.edits[0], PatchKind::Condition), why);
        made.edits[0].evidence = Arc::new(Warned);
        assert_eq!(
            explained(&made.edits[0], PatchKind::Condition),
            "new condition with 2 clauses joined by `&&`; computing `b` overflows"
        );
    }

    /// Evidence that the condition may fail.
    #[derive(Debug)]
    struct Warned;

    impl Evidence for Warned {
        fn cautions(&self) -> Vec<String> {
            vec!["computing `b` overflows".to_owned()]
        }
    }
}
