//! The text around a condition at a site. The instrumented build and the final patch use the same [`Template`], one per
//! language and kind of site (`rust/templates.rs`, `c/templates.rs`), so that they cannot disagree.

use nopol_expr::Binding;

use super::Site;
use super::kind::Form;

/// How a language writes a condition at sites of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The text directly before the condition.
    pub before: &'static str,
    /// The text directly after the condition.
    pub after: &'static str,
    /// The delimiters around the statements that the condition controls, if there are any ([`Form::has_block`]).
    pub block: Option<Block>,
    /// The binding strength below which a condition needs parentheses, unless the site sets another one.
    pub min_binding: Binding,
    /// How a patch writes an early exit that only ends the program.
    pub assertion: Option<Assertion>,
}

/// The delimiters of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Before the statements.
    pub open: &'static str,
    /// After the statements.
    pub close: &'static str,
    /// Delimiters around the whole `if` statement, for when a following `else` would otherwise belong to it. Empty if
    /// the language has no dangling `else`.
    pub shield: [&'static str; 2],
}

/// A statement that ends the program unless a condition is true. A patch writes an early exit that only ends the
/// program as an assertion of the negated condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The statement before and after its condition.
    pub around: [&'static str; 2],
    /// The separator between the condition and a message.
    pub comma: &'static str,
    /// The body of such an early exit before and after its message, which may be empty.
    pub body: [&'static str; 2],
}

impl Assertion {
    /// The message of a body that only ends the program, as a literal, or empty. `None` for any other body.
    pub fn message<'b>(&self, body: &'b str) -> Option<&'b str> {
        let [open, close] = self.body;
        let inside = body.strip_prefix(open)?;
        Some(inside.trim_end_matches(close))
    }

    /// The body that ends the program with this message.
    pub fn body_with(&self, message: &str) -> String {
        let [open, close] = self.body;
        format!("{open}{message:?}{close}")
    }

    /// The statement.
    pub fn text(&self, condition: &str, message: &str) -> String {
        let [open, close] = self.around;
        let comma = if message.is_empty() { "" } else { self.comma };
        [open, condition, comma, message, close].concat()
    }
}

/// The one-line texts around the condition of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Before the condition.
    pub before: String,
    /// After the condition, and before the site's own text if the condition controls it.
    pub after: String,
    /// After the site's own text.
    pub at_end: String,
}

impl Template {
    /// The template of a condition that replaces the existing one.
    pub const fn replacing(min_binding: Binding) -> Self {
        Self::following("", min_binding)
    }

    /// The template of a condition that is added after existing text.
    pub const fn following(before: &'static str, min_binding: Binding) -> Self {
        Self {
            before,
            after: "",
            block: None,
            min_binding,
            assertion: None,
        }
    }

    /// The template of a condition that controls a block.
    pub const fn branching(before: &'static str, after: &'static str, block: Block) -> Self {
        Self {
            before,
            after,
            block: Some(block),
            min_binding: Binding::Or,
            assertion: None,
        }
    }

    /// The condition with the text around it, up to the block.
    pub fn head(&self, condition: &str) -> String {
        format!("{}{condition}{}", self.before, self.after)
    }

    /// The text around the condition of a site in a patch.
    pub fn frame(&self, site: &Site) -> Frame {
        self.frame_in(site, ["", ""])
    }

    /// As [`frame`](Self::frame), with braces around the whole `if`. Instrumented builds always have them, patches only
    /// if an `else` follows.
    pub fn shielded_frame(&self, site: &Site) -> Frame {
        let shield = self.block.map_or(["", ""], |block| block.shield);
        self.frame_in(site, shield)
    }

    /// The frame with `shield` around the whole `if`.
    fn frame_in(&self, site: &Site, shield: [&str; 2]) -> Frame {
        let (open, close) = self
            .block
            .map_or(("", ""), |block| (block.open, block.close));
        let Self { before, after, .. } = self;
        let [shield_open, shield_close] = shield;
        let body = &site.body;
        let (shielded, after, at_end) = match site.kind.form() {
            Form::Replace | Form::Narrow | Form::Compute => {
                ("", (*after).to_owned(), String::new())
            }
            Form::Wrap => {
                let at_end = format!(" {close}{shield_close}");
                (shield_open, format!("{after} {open} "), at_end)
            }
            Form::Leave => ("", format!("{after} {open} {body} {close} "), String::new()),
            Form::Branch => ("", format!("{after} {open} {body} {close}"), String::new()),
        };
        Frame {
            before: format!("{shielded}{before}"),
            after,
            at_end,
        }
    }

    /// The text of a patch, on one line, at a site whose own text the condition does not control.
    pub fn line(&self, site: &Site, condition: &str) -> String {
        let frame = self.frame(site);
        [&*frame.before, condition, &frame.after, &frame.at_end].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Language, SiteKind};

    /// The next kind. The match makes sure that the test covers a new variant.
    fn next(kind: &SiteKind) -> Option<SiteKind> {
        match kind {
            SiteKind::If => Some(SiteKind::ElseIf),
            SiteKind::ElseIf => Some(SiteKind::While),
            SiteKind::While => Some(SiteKind::Guard),
            SiteKind::Guard => Some(SiteKind::LetOperand),
            SiteKind::LetOperand => Some(SiteKind::Value),
            SiteKind::Value => Some(SiteKind::Statement),
            SiteKind::Statement => Some(SiteKind::Statements),
            SiteKind::Statements => Some(SiteKind::EarlyExit),
            SiteKind::EarlyExit => Some(SiteKind::Branch),
            SiteKind::Branch => Some(SiteKind::Arm),
            SiteKind::Arm => Some(SiteKind::Pattern),
            SiteKind::Pattern => Some(SiteKind::Premise),
            SiteKind::Premise => Some(SiteKind::Integer),
            SiteKind::Integer => Some(SiteKind::Assignment),
            SiteKind::Assignment => None,
        }
    }

    #[test]
    fn a_template_has_a_block_if_the_condition_controls_statements() {
        for kind in std::iter::successors(Some(SiteKind::If), next) {
            for language in [Language::Rust, Language::C] {
                if let Some(template) = language.template(kind) {
                    let has_block = template.block.is_some();
                    assert_eq!(has_block, kind.form().has_block(), "{kind:?}");
                }
            }
        }
    }
}
