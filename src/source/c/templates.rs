//! How C writes a condition at each kind of site.

use crate::source::SiteKind;
use crate::source::template::{Block, Template};
use crate::spec::Binding;

const BLOCK: Block = Block {
    open: "{",
    close: "}",
    // In braces of its own no `else` belongs to another `if` than before.
    shield: ["{ ", " }"],
};

/// The template of a kind; `None` for what C does not have.
pub const fn template(kind: SiteKind) -> Option<Template> {
    match kind {
        SiteKind::If | SiteKind::ElseIf | SiteKind::While | SiteKind::Value => {
            Some(Template::replacing(Binding::Or))
        }
        // An operand of a condition that has effects; it stands beside any connective.
        SiteKind::LetOperand => Some(Template::replacing(Binding::Compare)),
        SiteKind::Statement | SiteKind::Run | SiteKind::Exit => {
            Some(Template::branching("if (", ")", BLOCK))
        }
        // There are no patterns, and a further branch is not looked for.
        SiteKind::Guard | SiteKind::Branch | SiteKind::Arm | SiteKind::Pattern => None,
    }
}
