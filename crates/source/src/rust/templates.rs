//! How Rust writes a condition at each kind of site.

use nopol_expr::Binding;

use crate::SiteKind;
use crate::template::{Assertion, Block, Template};

const BLOCK: Block = Block {
    open: "{",
    close: "}",
    // Every branch has braces, so no `else` can dangle.
    shield: ["", ""],
};

const ASSERTION: Assertion = Assertion {
    around: ["assert!(", ");"],
    comma: ", ",
    body: ["panic!(", ");"],
};

/// The body of an early exit that panics without a message.
pub const PANICS: &str = "panic!();";

/// The template of a kind; Rust has all kinds.
pub const fn template(kind: SiteKind) -> Option<Template> {
    Some(match kind {
        SiteKind::If | SiteKind::ElseIf | SiteKind::While | SiteKind::Guard | SiteKind::Value => {
            Template::replacing(Binding::Or)
        }
        // An operand of `&&`.
        SiteKind::LetOperand => Template::replacing(Binding::And),
        SiteKind::Statement | SiteKind::Statements => Template::branching("if ", "", BLOCK),
        SiteKind::EarlyExit => Template {
            assertion: Some(ASSERTION),
            ..Template::branching("if ", "", BLOCK)
        },
        SiteKind::Branch => Template::branching(" else if ", "", BLOCK),
        SiteKind::Arm => Template::following(" if ", Binding::Or),
        SiteKind::Pattern => Template::following(" && ", Binding::And),
        SiteKind::Premise => Template {
            after: " && ",
            ..Template::replacing(Binding::And)
        },
        // The site sets a stronger binding if the expression is an operand.
        SiteKind::Integer | SiteKind::Assignment => Template::replacing(Binding::Or),
    })
}
