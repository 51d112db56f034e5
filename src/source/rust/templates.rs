//! How Rust writes a condition at each kind of site.

use crate::source::SiteKind;
use crate::source::template::{Assertion, Block, Template};
use crate::spec::Binding;

const BLOCK: Block = Block {
    open: "{",
    close: "}",
    // Branches have braces.
    shield: ["", ""],
};

const ASSERTION: Assertion = Assertion {
    around: ["assert!(", ");"],
    comma: ", ",
    body: ["panic!(", ");"],
};

/// The body of a way out that panics without a message.
pub const PANICS: &str = "panic!();";

/// The template of a kind; `None` for what Rust does not have.
pub const fn template(kind: SiteKind) -> Option<Template> {
    Some(match kind {
        SiteKind::If | SiteKind::ElseIf | SiteKind::While | SiteKind::Guard | SiteKind::Value => {
            Template::replacing(Binding::Or)
        }
        // It stands between `&&`s.
        SiteKind::LetOperand => Template::replacing(Binding::And),
        SiteKind::Statement | SiteKind::Run => Template::branching("if ", "", BLOCK),
        SiteKind::Exit => Template {
            assertion: Some(ASSERTION),
            ..Template::branching("if ", "", BLOCK)
        },
        SiteKind::Branch => Template::branching(" else if ", "", BLOCK),
        SiteKind::Arm => Template::following(" if ", Binding::Or),
        SiteKind::Pattern => Template::following(" && ", Binding::And),
    })
}
