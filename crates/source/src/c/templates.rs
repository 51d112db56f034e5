//! How C writes a condition at each kind of site.

use nopol_expr::Binding;

use crate::SiteKind;
use crate::template::{Block, Template};

const BLOCK: Block = Block {
    open: "{",
    close: "}",
    // Braces around the whole `if` keep a following `else` with its own `if`.
    shield: ["{ ", " }"],
};

/// The template of a kind; `None` if C lacks the kind.
pub const fn template(kind: SiteKind) -> Option<Template> {
    match kind {
        SiteKind::If
        | SiteKind::ElseIf
        | SiteKind::While
        | SiteKind::Value
        | SiteKind::Integer
        | SiteKind::Assignment => Some(Template::replacing(Binding::Or)),
        // An operand of a condition with side effects, next to `&&` or `||`.
        SiteKind::LetOperand => Some(Template::replacing(Binding::Compare)),
        SiteKind::Premise => Some(Template {
            after: " && ",
            ..Template::replacing(Binding::Compare)
        }),
        SiteKind::Statement | SiteKind::Statements | SiteKind::EarlyExit => {
            Some(Template::branching("if (", ")", BLOCK))
        }
        // C has no patterns; inserting another branch is not supported.
        SiteKind::Guard | SiteKind::Branch | SiteKind::Arm | SiteKind::Pattern => None,
    }
}
