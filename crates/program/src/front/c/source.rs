//! A file without directives, macros and comments: a row of tokens, each with its place in the source, and their syntax
//! tree.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use nopol_basics::deadline::Deadline;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::lex::Token;
use super::macros::Constant;
use super::postfix;
use crate::ir::Span;

/// Preprocessed source text and its tree.
#[derive(Debug)]
pub(super) struct Source {
    text: String,
    /// Where each token is in the text, and the token.
    tokens: Vec<(usize, Token)>,
    /// The tokens that name constants.
    constants: HashMap<usize, Rc<Constant>>,
    tree: Tree,
    /// Whether this is the text of the library: nothing there may be wrong.
    pub(super) is_library: bool,
}

impl Source {
    /// Parses these tokens. `None` if the parser cannot read this file, or the time is over.
    pub(super) fn new(tokens: &[Token], is_library: bool, deadline: Deadline) -> Option<Self> {
        let mut text = String::new();
        let mut places = Vec::new();
        let mut constants = HashMap::new();
        let parentheses = postfix::parentheses(tokens);
        let count = |of: &HashMap<usize, usize>, at: usize| of.get(&at).copied().unwrap_or(0);
        for (at, token) in tokens.iter().enumerate() {
            // An added parenthesis has the place of the token beside it.
            places.push((text.len(), token.clone()));
            text.push_str(&"(".repeat(count(&parentheses.opening, at)));
            if let Some(constant) = &token.constant {
                constants.insert(text.len(), constant.clone());
            }
            text.push_str(&token.text);
            text.push_str(&")".repeat(count(&parentheses.closing, at)));
            text.push(' ');
        }
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_c::LANGUAGE.into()).ok()?;
        let mut progress = |_: &ParseState| match deadline.is_over() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        let mut from = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut from, None, Some(options))?;
        Some(Self {
            text,
            tokens: places,
            constants,
            tree,
            is_library,
        })
    }

    /// The whole tree.
    pub(super) fn root(&self) -> Syntax<'_> {
        Syntax {
            source: self,
            node: self.tree.root_node(),
        }
    }

    /// The tokens of arguments that macros use more than once.
    pub(super) fn repeated(&self) -> impl Iterator<Item = Span> {
        let mut seen = HashSet::new();
        let all = self.tokens.iter().map(|(_, token)| token);
        let of_arguments =
            all.filter(|token| token.written_in.is_none() && !token.within.is_empty());
        of_arguments
            .map(|token| token.span)
            .filter(move |span| !seen.insert(*span))
    }

    /// The first and the last token of these bytes of the text.
    fn ends(&self, start: usize, end: usize) -> Option<(&Token, &Token)> {
        let before = |at: usize| at.saturating_sub(1);
        let first = before(self.tokens.partition_point(|(at, _)| *at <= start));
        let last = before(self.tokens.partition_point(|(at, _)| *at < end));
        Some((&self.tokens.get(first)?.1, &self.tokens.get(last)?.1))
    }

    /// Where these bytes of the text are in the file: what a macro brings is where the macro is used. From one part of what a
    /// macro stands for to another, that is the whole use, also if both are arguments.
    fn span(&self, start: usize, end: usize) -> Span {
        if self.is_library {
            return Span::default();
        }
        let Some((first, last)) = self.ends(start, end) else {
            return Span::default();
        };
        let (mut span, last_span) = (first.span, last.span);
        if last_span.file != span.file {
            return span;
        }
        span.end = span.end.max(last_span.end);
        for (one, other) in [(first, last), (last, first)] {
            for within in &one.within {
                let is_shared = other.place_in(Some(within.expansion)) == Some(within.span);
                if !is_shared && within.call.file == span.file {
                    span.start = span.start.min(within.call.start);
                    span.end = span.end.max(within.call.end);
                }
            }
        }
        span
    }
}

/// A node of the tree.
#[derive(Clone, Copy)]
pub(super) struct Syntax<'s> {
    /// The source it belongs to.
    pub(super) source: &'s Source,
    /// The node.
    pub(super) node: Node<'s>,
}

impl<'s> Syntax<'s> {
    fn of(self, node: Node<'s>) -> Self {
        Self {
            source: self.source,
            node,
        }
    }

    /// What it is.
    pub(super) fn kind(self) -> &'static str {
        self.node.kind()
    }

    /// Its text.
    pub(super) fn text(self) -> &'s str {
        self.source
            .text
            .get(self.node.byte_range())
            .unwrap_or_default()
    }

    /// The child in this role.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        self.node
            .child_by_field_name(name)
            .map(|node| self.of(node))
    }

    /// The children in this role.
    pub(super) fn fields(self, name: &str) -> Vec<Self> {
        let mut cursor = self.node.walk();
        let nodes = self.node.children_by_field_name(name, &mut cursor);
        nodes.map(|node| self.of(node)).collect()
    }

    /// What it is a part of.
    pub(super) fn around(self) -> Option<Self> {
        self.node.parent().map(|node| self.of(node))
    }

    /// The children that are not marks.
    pub(super) fn children(self) -> Vec<Self> {
        let mut cursor = self.node.walk();
        let nodes = self.node.named_children(&mut cursor);
        nodes.map(|node| self.of(node)).collect()
    }

    /// All children.
    pub(super) fn parts(self) -> Vec<Self> {
        let mut cursor = self.node.walk();
        let nodes = self.node.children(&mut cursor);
        nodes.map(|node| self.of(node)).collect()
    }

    /// Itself, without parentheses around it.
    pub(super) fn without_parentheses(self) -> Self {
        let mut inner = self;
        while inner.kind() == "parenthesized_expression" {
            let Some(child) = inner.children().first().copied() else {
                break;
            };
            inner = child;
        }
        inner
    }

    /// The operator.
    pub(super) fn operator(self) -> &'s str {
        self.field("operator").map_or("", Self::text)
    }

    /// The macro that it names, if that is a constant.
    pub(super) fn constant(self) -> Option<Rc<Constant>> {
        self.source.constants.get(&self.node.start_byte()).cloned()
    }

    /// Where it is written.
    pub(super) fn span(self) -> Span {
        self.source
            .span(self.node.start_byte(), self.node.end_byte())
    }

    fn ends(self) -> Option<(&'s Token, &'s Token)> {
        self.source
            .ends(self.node.start_byte(), self.node.end_byte())
    }

    /// The expansion of a macro in the body of which its first token is written; `None` if that is the file.
    pub(super) fn written_in(self) -> Option<u32> {
        self.ends().and_then(|(first, _)| first.written_in)
    }

    /// Where all of it is in the body of the macro of an expansion, or in the file.
    pub(super) fn place_in(self, expansion: Option<u32>) -> Option<Span> {
        if expansion.is_none() || self.source.is_library {
            return Some(self.span());
        }
        let (first, last) = self.ends()?;
        let (first, last) = (first.place_in(expansion)?, last.place_in(expansion)?);
        (first.file == last.file && first.start < last.end).then_some(Span {
            end: last.end,
            ..first
        })
    }

    /// Where its characters are: a literal or an operator in the body of a macro is in its definition.
    pub(super) fn own_span(self) -> Span {
        let mark = self.field("operator").unwrap_or(self);
        self.place_in(mark.written_in())
            .unwrap_or_else(|| self.span())
    }

    /// The definition of the macro in the body of which its first token is written.
    pub(super) fn directive(self) -> Option<Span> {
        let (first, _) = self.ends()?;
        let own = first.written_in?;
        let mut within = first.within.iter();
        Some(within.find(|within| within.expansion == own)?.directive)
    }

    /// Where it is written from its beginning to the end of another part of it.
    pub(super) fn span_to(self, end: Self) -> Span {
        self.source
            .span(self.node.start_byte(), end.node.end_byte())
    }

    /// The first node that the grammar does not know or that is missing.
    pub(super) fn error(self) -> Option<Self> {
        if self.node.is_error() || self.node.is_missing() {
            return Some(self);
        }
        if !self.node.has_error() {
            return None;
        }
        self.parts().into_iter().find_map(Self::error)
    }
}
