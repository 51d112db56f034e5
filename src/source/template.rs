//! What stands around a condition at a site. The instrumented build and the final patch are written from
//! the same [`Template`], one for each kind of site and language (`rust/templates.rs`,
//! `c/templates.rs`), so that they cannot disagree.

use super::Site;
use super::kind::Form;
use crate::spec::Binding;

/// How a language writes a condition at sites of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Right before the condition.
    pub before: &'static str,
    /// Right after it.
    pub after: &'static str,
    /// Around what depends on the condition, if something does ([`Form::has_block`]).
    pub block: Option<Block>,
    /// How tightly the text around holds the condition, unless a site knows better.
    pub least: Binding,
    /// What takes the place of a branch that only ends the program.
    pub assertion: Option<Assertion>,
}

/// What makes several statements one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub open: &'static str,
    pub close: &'static str,
    /// Around the whole, where an `else` that follows could otherwise change hands; empty where the
    /// language has no such question.
    pub shield: [&'static str; 2],
}

/// A statement that ends the program unless a condition holds. A way out that only ends the program is
/// written so in a patch, with the opposite condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The statement, around its condition.
    pub around: [&'static str; 2],
    /// Between the condition and a message.
    pub comma: &'static str,
    /// The body of such a way out, around the message if there is one.
    pub body: [&'static str; 2],
}

impl Assertion {
    /// The message of a body that only ends the program, as a literal or empty; `None` for any other
    /// body.
    pub fn message<'b>(&self, body: &'b str) -> Option<&'b str> {
        let [open, close] = self.body;
        let inside = body.strip_prefix(open)?;
        Some(inside.trim_end_matches(close))
    }

    /// The body that ends the program with a message.
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

/// The texts around a condition, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Before the condition.
    pub before: String,
    /// After it, and before the site's own text if that depends on it.
    pub after: String,
    /// After the site's own text.
    pub at_end: String,
}

impl Template {
    /// The condition takes the place of one that is there.
    pub const fn replacing(least: Binding) -> Self {
        Self::following("", least)
    }

    /// The condition follows what is there.
    pub const fn following(before: &'static str, least: Binding) -> Self {
        Self {
            before,
            after: "",
            block: None,
            least,
            assertion: None,
        }
    }

    /// The condition decides about a block.
    pub const fn branching(before: &'static str, after: &'static str, block: Block) -> Self {
        Self {
            before,
            after,
            block: Some(block),
            least: Binding::Or,
            assertion: None,
        }
    }

    /// The condition with what stands around it, up to the block.
    pub fn head(&self, condition: &str) -> String {
        format!("{}{condition}{}", self.before, self.after)
    }

    /// What stands around the condition of a site of this kind in a patch.
    pub fn frame(&self, site: &Site) -> Frame {
        self.frame_in(site, ["", ""])
    }

    /// The same with braces around what is skipped: an instrumented build always has them, a patch where
    /// an `else` follows.
    pub fn shielded_frame(&self, site: &Site) -> Frame {
        let shield = self.block.map_or(["", ""], |block| block.shield);
        self.frame_in(site, shield)
    }

    /// `shield` stands around what can be skipped.
    fn frame_in(&self, site: &Site, shield: [&str; 2]) -> Frame {
        let (open, close) = self
            .block
            .map_or(("", ""), |block| (block.open, block.close));
        let Self { before, after, .. } = self;
        let [shield_open, shield_close] = shield;
        let body = &site.body;
        let (shielded, after, at_end) = match site.kind.form() {
            Form::Replace | Form::Narrow => ("", (*after).to_owned(), String::new()),
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

    /// The site's text with a condition, on one line.
    pub fn line(&self, site: &Site, condition: &str) -> String {
        self.frame(site).line(site, condition)
    }

    /// The same in braces of its own.
    pub fn shielded_line(&self, site: &Site, condition: &str) -> String {
        self.shielded_frame(site).line(site, condition)
    }
}

impl Frame {
    fn line(&self, site: &Site, condition: &str) -> String {
        let text = match site.kind.form().skips() {
            true => site.text.as_str(),
            false => "",
        };
        [&*self.before, condition, &self.after, text, &self.at_end].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Language, SiteKind};

    /// The kind after that one; a new variant has to find its place here.
    fn next(kind: &SiteKind) -> Option<SiteKind> {
        match kind {
            SiteKind::If => Some(SiteKind::ElseIf),
            SiteKind::ElseIf => Some(SiteKind::While),
            SiteKind::While => Some(SiteKind::Guard),
            SiteKind::Guard => Some(SiteKind::LetOperand),
            SiteKind::LetOperand => Some(SiteKind::Value),
            SiteKind::Value => Some(SiteKind::Statement),
            SiteKind::Statement => Some(SiteKind::Run),
            SiteKind::Run => Some(SiteKind::Exit),
            SiteKind::Exit => Some(SiteKind::Branch),
            SiteKind::Branch => Some(SiteKind::Arm),
            SiteKind::Arm => Some(SiteKind::Pattern),
            SiteKind::Pattern => None,
        }
    }

    #[test]
    fn a_template_has_a_block_where_statements_depend_on_the_condition() {
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
