//! Lowers branches. Those that an `if` is made of are blocks in order; those that a `match` is made of are arms, of which only
//! some are blocks.

use nopol_program::ir::{Dialect, Expr, OutlineKind, Outlined, Outside, Span, Statement};

use super::Lowering;
use super::statements::{escapes, written_at};
use super::terms::Parts;
use crate::ir::{Instruction, Kind};
use crate::outline::contains;

impl Lowering<'_> {
    pub(super) fn branch(
        &mut self,
        condition: &Expr,
        then: &[Statement],
        otherwise: &[Statement],
    ) -> Result<(), Outside> {
        let mut parts = Parts::default();
        let lowered = self.condition(condition, &mut parts)?;
        let id = self.statement_at(Kind::Guard, condition.span, parts, None);
        let whole = self.routine.statements[id].whole;
        let blocks = self.outline.children(whole);
        let is_match = self.program.dialect == Dialect::Rust && is_match(self.text(whole));
        let block = |number: usize| {
            blocks
                .get(number)
                .filter(|outlined| outlined.kind == OutlineKind::Block)
                .map(|outlined| outlined.span)
        };
        let [block_of_then, block_of_otherwise] = match is_match {
            true => [
                self.arm(&blocks, then, |block| {
                    self.is_next_arm(condition.span, block)
                }),
                // What an arm with a condition leaves to the next one is not in the last one yet.
                self.arm(&blocks, otherwise, |block| {
                    self.is_last_arm(whole, block) && !escapes(then, &mut Vec::new())
                }),
            ],
            false => [block(0), block(1)],
        };
        let (no, end) = (self.target(), self.target());
        let test = self.emit(Instruction::Test(id, lowered, usize::MAX));
        self.goes_to(test, no);
        let lone = |number: usize| blocks.get(number).map(|outlined| outlined.span);
        self.written = lone(0);
        self.statements(then, block_of_then)?;
        if otherwise.is_empty() && block_of_otherwise.is_none() {
            self.place(no);
        } else {
            let jump = self.emit(Instruction::Jump(usize::MAX));
            self.goes_to(jump, end);
            self.place(no);
            self.written = lone(1);
            self.statements(otherwise, block_of_otherwise)?;
        }
        self.place(end);
        Ok(())
    }

    /// The block of an arm of a `match` that these statements come from: the block that one of them is in. An arm without
    /// statements says by itself which block it `is`.
    fn arm(
        &self,
        blocks: &[Outlined],
        statements: &[Statement],
        is: impl Fn(Span) -> bool,
    ) -> Option<Span> {
        let blocks = blocks.iter().filter(|of| of.kind == OutlineKind::Block);
        let mut blocks = blocks.map(|outlined| outlined.span);
        let written = statements.iter().filter_map(written_at);
        match statements {
            [] => blocks.find(|block| is(*block)),
            _ => blocks.find(|block| written.clone().any(|at| contains(*block, at))),
        }
    }

    /// Whether a block follows a pattern with nothing but `=>` between them.
    fn is_next_arm(&self, pattern: Span, block: Span) -> bool {
        let between = self.text(Span {
            end: block.start,
            ..pattern
        });
        between.trim_end().ends_with("=>") && between.matches("=>").count() == 1
    }

    /// Whether a block ends a `match`.
    fn is_last_arm(&self, whole: Span, block: Span) -> bool {
        let rest = self.text(Span {
            start: block.end,
            ..whole
        });
        !rest.is_empty()
            && rest
                .chars()
                .all(|char| ",}".contains(char) || char.is_whitespace())
    }
}

/// Whether this is the text of a `match`.
fn is_match(text: &str) -> bool {
    text.strip_prefix("match")
        .is_some_and(|rest| !rest.starts_with(|char: char| char.is_alphanumeric() || char == '_'))
}
