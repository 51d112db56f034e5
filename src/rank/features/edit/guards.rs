//! Guards that demand exactly what the code after them needs, or something else.

use nopol_source::condition::{Node, Shape};
use nopol_source::{BodyOrigin, Form, SiteKind};

use super::{EditFeatures, function_text};
use crate::rank::guards::Guards;

impl EditFeatures<'_> {
    /// Number of new clauses that guard something without demanding exactly what it needs.
    pub(super) fn guards_off(&self, old: Option<&Node>, new: &Node) -> f64 {
        let says_so = |message: &str| message.contains("attempt to subtract with overflow");
        let checks_differences = self.case.failures.iter().any(|it| says_so(&it.message));
        let guards = self.guards(checks_differences);
        self.guarded(old, |code, reaches, is_known| {
            guards.misfits(new, code, reaches, is_known) as f64
        })
    }

    /// Whether a new clause demands exactly what the code after it needs. Differences count as needs.
    pub(super) fn guards_exactly(&self, old: Option<&Node>, new: &Node) -> bool {
        let guards = self.guards(true);
        self.guarded(old, |code, reaches, is_known| {
            guards.has_exact(new, code, reaches, is_known)
        })
    }

    fn guards(&self, checks_differences: bool) -> Guards {
        Guards {
            language: self.case.language(),
            checks_differences,
        }
    }

    /// Calls `find` with the code that the condition protects, the outcome of the condition that leads to it, and a
    /// function that tells whether a clause is old.
    fn guarded<T: Default>(
        &self,
        old: Option<&Node>,
        find: impl Fn(&str, bool, &dyn Fn(&str) -> bool) -> T,
    ) -> T {
        let facts = self.facts;
        let after = || {
            let text = function_text(self.case, facts);
            text.get(facts.span.end..).unwrap_or("")
        };
        let (code, reaches) = match facts.kind.form() {
            Form::Wrap => (straight(&facts.before), true),
            // A panic may check its condition for its own sake, so it is not a guard.
            Form::Leave | Form::Branch if facts.body_origin == BodyOrigin::Panic => {
                return T::default();
            }
            Form::Leave => (straight(after()), false),
            Form::Replace if leads_to_block(facts.kind) => (straight(inside(after())), true),
            Form::Replace | Form::Branch | Form::Narrow | Form::Compute => ("", true),
        };
        let mut known = Vec::new();
        if let Some(old) = old {
            clauses(old, &mut known);
        }
        find(code, reaches, &|text| known.contains(&text))
    }
}

fn leads_to_block(kind: SiteKind) -> bool {
    matches!(kind, SiteKind::If | SiteKind::ElseIf | SiteKind::While)
}

/// The code up to the next brace, where something else decides what runs.
fn straight(code: &str) -> &str {
    &code[..code.find(['{', '}']).unwrap_or(code.len())]
}

/// The text after the head of a block, or of a statement without braces.
fn inside(after: &str) -> &str {
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == ')');
    match after.strip_prefix('{') {
        Some(block) => block,
        None => &after[..after.find(';').unwrap_or(after.len())],
    }
}

/// Adds the texts of all clauses.
fn clauses<'n>(node: &'n Node, found: &mut Vec<&'n str>) {
    match &node.shape {
        Shape::Not(inner) => clauses(inner, found),
        Shape::And(a, b) | Shape::Or(a, b) => {
            clauses(a, found);
            clauses(b, found);
        }
        Shape::Cmp(..) | Shape::Leaf(_) | Shape::Arith(..) => found.push(&node.text),
    }
}
