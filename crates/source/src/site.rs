//! A site: a program point where a patch can go.

use std::ops::Range;
use std::sync::Arc;

use nopol_expr::Binding;

use super::template::{Assertion, Template};
use super::{FileIndex, FunctionIndex, Name, SiteKind};

/// A program point where a patch can go.
#[derive(Clone, Debug)]
pub struct Site {
    /// Stable between runs: a hash of file, function, kind, text and a counter for sites that are equal
    /// in all of these.
    pub id: String,
    /// What kind of place it is.
    pub kind: SiteKind,
    /// Index into [`Sources::files`](super::Sources::files).
    pub file: FileIndex,
    /// Bytes of the condition or statement; empty at an insertion point.
    pub span: Range<usize>,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The text of `span`.
    pub text: String,
    /// Of several statements that can be skipped together, the bytes of each; empty for other kinds of sites.
    pub parts: Vec<Range<usize>>,
    /// The statements of an inserted branch or early exit, as text; empty for other kinds of sites.
    pub body: String,
    /// Where `body` comes from.
    pub body_origin: BodyOrigin,
    /// The number of checks (assertions, branches that only panic) that this site's condition decides or
    /// that directly follow it.
    pub checks: u32,
    /// An expression that binds less tightly needs parentheses here.
    pub min_binding: Binding,
    /// The text around the condition, in an instrumented build and in a patch.
    pub template: Template,
    /// The enclosing function: index into [`Sources::functions`](super::Sources::functions).
    pub function: FunctionIndex,
    /// Names visible here, outermost first, without duplicates.
    pub names: Arc<[Name]>,
    /// C: it is in an argument of a macro, where no line may be a directive.
    pub is_argument: bool,
    /// Whether evaluating the condition has no side effects; `None` if the syntax does not show it and the
    /// compiler must decide.
    pub is_pure: Option<bool>,
}

/// Where the body of an inserted branch or early exit comes from.
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
    /// The function contains it already, or it is `return` without a value, or `continue`.
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
    /// The assertion that a patch at this site is written as, if it is one, and its message: a literal, or
    /// an empty text.
    pub fn assertion(&self) -> Option<(Assertion, &str)> {
        let assertion = self.template.assertion?;
        Some((assertion, assertion.message(&self.body)?))
    }

    /// Whether a patch here is an assertion.
    pub fn asserts(&self) -> bool {
        self.assertion().is_some()
    }

    /// The program point. Several early exits may share one.
    pub fn program_point(&self) -> (FileIndex, usize, SiteKind) {
        (self.file, self.span.start, self.kind)
    }
}
