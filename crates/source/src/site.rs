//! A site: a program point where a patch can go.

use std::ops::Range;
use std::sync::Arc;

use nopol_expr::Binding;

use super::template::{Assertion, Template};
use super::{FileIndex, FunctionIndex, Name, SiteKind};

/// A program point where a patch can go.
#[derive(Clone, Debug)]
pub struct Site {
    /// An id that is stable between runs: a hash of file, function, kind, text, and a counter for sites that are equal
    /// in all of these.
    pub id: String,
    /// The kind of the site.
    pub kind: SiteKind,
    /// Index into [`Sources::files`](super::Sources::files).
    pub file: FileIndex,
    /// Bytes of the condition or statement. Empty at an insertion point.
    pub span: Range<usize>,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The text of `span`.
    pub text: String,
    /// The bytes of each statement, if the site is several statements that can be skipped together. Otherwise empty.
    pub parts: Vec<Range<usize>>,
    /// The statements of an inserted branch or early exit, as text. Empty for other kinds of sites.
    pub body: String,
    /// The origin of `body`.
    pub body_origin: BodyOrigin,
    /// Number of checks (assertions, or branches that only panic) that this site's condition decides or that directly
    /// follow it.
    pub checks: u32,
    /// The binding strength below which an expression needs parentheses here.
    pub min_binding: Binding,
    /// The text around the condition, in an instrumented build and in a patch.
    pub template: Template,
    /// The enclosing function: index into [`Sources::functions`](super::Sources::functions).
    pub function: FunctionIndex,
    /// Names visible here, outermost first, without duplicates.
    pub names: Arc<[Name]>,
    /// C: whether it is in an argument of a macro, where no line may be a directive.
    pub is_argument: bool,
    /// Whether evaluating the condition has no side effects. `None` if the syntax does not show it and the compiler
    /// must decide.
    pub is_pure: Option<bool>,
}

/// The origin of the body of an inserted branch or early exit.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
pub enum BodyOrigin {
    /// The function contains it already, or it is `continue` or a `return` without a value.
    #[default]
    Own,
    /// An exit of the function, or an error that it can return, with another variant of the enum.
    Variant,
    /// A similar function.
    Sibling,
    /// A typical value of the return type.
    Obvious,
    /// A parameter of the return type.
    Parameter,
    /// A constructor without arguments.
    Constructor,
    /// A short list of statements that ends with a `return`, `break` or `continue`.
    Statements,
    /// A `break`.
    Break,
    /// A `continue` of an outer loop.
    LabelledContinue,
    /// A `break` of an outer loop.
    LabelledBreak,
    /// A panic.
    Panic,
}

impl Site {
    /// The assertion as which a patch at this site is written, if it is one, and its message: a literal, or an empty
    /// text.
    pub fn assertion(&self) -> Option<(Assertion, &str)> {
        let assertion = self.template.assertion?;
        Some((assertion, assertion.message(&self.body)?))
    }

    /// Whether a patch here is an assertion.
    pub fn asserts(&self) -> bool {
        self.assertion().is_some()
    }

    /// The program point. Several early exits may share it.
    pub fn program_point(&self) -> (FileIndex, usize, SiteKind) {
        (self.file, self.span.start, self.kind)
    }
}
