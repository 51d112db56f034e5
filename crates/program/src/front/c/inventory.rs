//! The operators and constants of functions and initializers as they are written ([`Written`]). This is a walk over the
//! syntax alone: what is translated, and how, does not matter here.

use std::iter;

use super::source::Syntax;
use super::unspecified::Known;
use super::{Translator, literals, places};
use crate::ir::{BinaryOp, LogicalOp, Span};
use crate::written::{
    Item, ItemKind, Limit, Operand, Operation, Operator, Owner, Step, Used, Written,
};

/// What says what is right, or what to assume: never wrong, and never changed.
const STATEMENTS_ABOUT: [&str; 6] = [
    "assert",
    "assume",
    "klee_assume",
    "__CPROVER_assume",
    "__VERIFIER_assume",
    "__VERIFIER_assert",
];

/// A walk.
struct Walk<'w> {
    written: &'w mut Written,
    /// The functions that only bring in the input, or memory.
    is_input: &'w dyn Fn(&str) -> bool,
    /// What is known of the result of a function, if that is not all.
    known: &'w dyn Fn(&str) -> Option<Known>,
    /// The name of the program's arguments, in `main`.
    arguments: Option<&'w str>,
    owner: Option<Owner>,
    /// The definition that it is in, if other statements use that by a name.
    definition: Option<Span>,
    /// Whether operators and constants in this part must stay as they are.
    is_fixed: bool,
    /// The innermost `switch`.
    switch: Span,
}

impl Translator<'_> {
    /// Notes what is written in a part of the program. `statement` is what it is a part of.
    pub(super) fn note(&mut self, syntax: Syntax<'_>, statement: Span, owner: Option<Owner>) {
        self.noted(syntax, (statement, false), owner, None, None);
    }

    /// Notes what is written in the definition of a constant. It belongs to what uses the constant.
    pub(super) fn note_definition(&mut self, syntax: Syntax<'_>) {
        let definition = syntax.span();
        self.noted(syntax, (definition, false), None, None, Some(definition));
    }

    /// Notes what is written in the body of a function.
    pub(super) fn note_body(&mut self, body: Syntax<'_>, owner: Owner, arguments: Option<&str>) {
        self.noted(body, (body.span(), false), Some(owner), arguments, None);
    }

    /// Notes what the lengths depend on that are written in a declarator.
    pub(super) fn note_lengths(&mut self, declarator: Syntax<'_>, owner: Owner) {
        if let ("array_declarator", Some(size)) = (declarator.kind(), declarator.field("size")) {
            self.noted(size, (size.span(), true), Some(owner), None, None);
            self.own_named(size, owner);
        }
        if let Some(inner) = declarator.field("declarator") {
            self.note_lengths(inner, owner);
        }
    }

    /// What is computed depends on the size of all that is named there.
    pub(super) fn note_size(&mut self, asked: Syntax<'_>) {
        // The grammar takes a name in parentheses for a type.
        if let ("identifier" | "type_identifier", Some(super::Symbol::Variable { id, .. })) =
            (asked.kind(), self.symbol(asked.text()))
        {
            let id = *id;
            self.program.written.size(id);
        }
        for child in asked.children() {
            self.note_size(child);
        }
    }

    /// The definitions of the constants that are named there belong to something more.
    fn own_named(&mut self, syntax: Syntax<'_>, owner: Owner) {
        if let ("identifier", Some(constant)) = (syntax.kind(), syntax.constant()) {
            if let Ok(body) = self.macro_body(&constant, syntax) {
                self.note(body, body.span(), Some(owner));
                self.own_named(body, owner);
            }
        } else if let ("identifier", Some(super::Symbol::Enumerator(of))) =
            (syntax.kind(), self.symbol(syntax.text()))
        {
            for definition in of.definitions.clone() {
                self.program.written.own(definition, Some(owner));
            }
        }
        for child in syntax.children() {
            self.own_named(child, owner);
        }
    }

    fn noted(
        &mut self,
        syntax: Syntax<'_>,
        (statement, is_fixed): (Span, bool),
        owner: Option<Owner>,
        arguments: Option<&str>,
        definition: Option<Span>,
    ) {
        if syntax.source.is_library || self.is_folding || self.is_lenient {
            return;
        }
        let mut written = std::mem::take(&mut self.program.written);
        let is_input = |name: &str| places::INPUT.contains(&name) && self.routine(name).is_none();
        let known = |name: &str| Known::of(name).filter(|_| self.routine(name).is_none());
        let mut walk = Walk {
            written: &mut written,
            is_input: &is_input,
            known: &known,
            arguments,
            owner,
            definition,
            is_fixed,
            switch: statement,
        };
        walk.node(syntax, statement, true);
        self.program.written = written;
    }

    /// What is written in a constant on which a type depends stays as it is, and so do the definitions that it names.
    pub(super) fn fix(&mut self, constant: Syntax<'_>) {
        if constant.source.is_library || self.is_lenient {
            return;
        }
        if constant.kind() == "identifier" {
            let definition = match (constant.constant(), self.symbol(constant.text())) {
                (Some(constant), _) => vec![constant.directive],
                (None, Some(super::Symbol::Enumerator(of))) => of.definitions.clone(),
                (None, Some(super::Symbol::Variable { id, .. })) => {
                    self.initializers.get(id).copied().into_iter().collect()
                }
                _ => Vec::new(),
            };
            self.fixed.extend(definition);
        }
        self.fixed.extend(constant.place_in(constant.written_in()));
        for child in constant.children() {
            self.fix(child);
        }
    }
}

impl Walk<'_> {
    /// `is_idle`: whether the value is not used.
    fn node(&mut self, syntax: Syntax<'_>, statement: Span, is_idle: bool) {
        match syntax.kind() {
            "number_literal" if literals::integer(syntax.text().trim()).is_some() => {
                self.item(syntax, ItemKind::Constant, statement);
            }
            "char_literal" => self.item(syntax, ItemKind::Constant, statement),
            "sizeof_expression" | "type_descriptor" | "enum_specifier" | "struct_specifier"
            | "union_specifier" => {}
            "binary_expression" | "assignment_expression" => self.operation(syntax, statement),
            "update_expression" => self.step(syntax, statement, is_idle),
            "unary_expression" => {
                if syntax.operator() == "!" {
                    self.truth(syntax.field("argument"), syntax, statement);
                }
                self.children(syntax, statement);
            }
            "conditional_expression" => {
                let mark = syntax.parts().into_iter().find(|part| part.kind() == "?");
                self.truth(syntax.field("condition"), mark.unwrap_or(syntax), statement);
                self.children(syntax, statement);
            }
            "call_expression" => self.call(syntax, statement),
            "subscript_expression" => {
                let array = syntax.field("argument").map(Syntax::text);
                if array.is_none() || array != self.arguments {
                    self.children(syntax, statement);
                }
            }
            "comma_expression" => {
                for (role, is_idle) in [("left", true), ("right", is_idle)] {
                    if let Some(part) = syntax.field(role) {
                        self.node(part, statement, is_idle);
                    }
                }
            }
            "parenthesized_expression" => {
                for child in syntax.children() {
                    self.node(child, statement, is_idle);
                }
            }
            "initializer_list" => {
                for item in syntax.children() {
                    self.node(item, item.span(), false);
                }
            }
            "initializer_pair" => {
                for designator in syntax.fields("designator") {
                    self.fixed(designator, statement);
                }
                if let Some(value) = syntax.field("value") {
                    self.node(value, value.span(), false);
                }
            }
            "array_declarator" => {
                for (part, is_size) in [("declarator", false), ("size", true)] {
                    match syntax.field(part) {
                        Some(size) if is_size => self.fixed(size, size.span()),
                        Some(inner) => self.node(inner, statement, true),
                        None => {}
                    }
                }
            }
            _ => self.of_statement(syntax, statement),
        }
    }

    fn children(&mut self, syntax: Syntax<'_>, statement: Span) {
        for child in syntax.children() {
            self.node(child, statement, false);
        }
    }

    fn fixed(&mut self, syntax: Syntax<'_>, statement: Span) {
        let before = std::mem::replace(&mut self.is_fixed, true);
        self.node(syntax, statement, false);
        self.is_fixed = before;
    }

    fn of_statement(&mut self, syntax: Syntax<'_>, statement: Span) {
        match syntax.kind() {
            "if_statement" | "while_statement" | "do_statement" => {
                for part in syntax.children() {
                    self.node(part, part.without_parentheses().span(), true);
                }
                self.truth(syntax.field("condition"), syntax, statement);
            }
            "for_statement" => {
                for part in syntax.children() {
                    self.node(part, part.span(), true);
                }
                self.truth(syntax.field("condition"), syntax, statement);
            }
            "switch_statement" => {
                let head = syntax.field("condition").map(Syntax::without_parentheses);
                let head = head.map_or(statement, Syntax::span);
                let before = std::mem::replace(&mut self.switch, head);
                for part in syntax.children() {
                    self.node(part, head, true);
                }
                self.switch = before;
            }
            "case_statement" => {
                let label = syntax.field("value").map(|label| label.node.id());
                for part in syntax.children() {
                    match label == Some(part.node.id()) {
                        true => self.node(part, self.switch, false),
                        false => self.node(part, part.span(), true),
                    }
                }
            }
            "init_declarator" => {
                for (role, is_idle) in [("declarator", true), ("value", false)] {
                    if let Some(part) = syntax.field(role) {
                        self.node(part, part.span(), is_idle);
                    }
                }
            }
            _ => {
                let is_idle = syntax.kind() != "return_statement";
                for part in syntax.children() {
                    self.node(part, part.span(), is_idle);
                }
            }
        }
    }

    fn call(&mut self, syntax: Syntax<'_>, statement: Span) {
        let function = syntax.field("function").map_or("", Syntax::text);
        if STATEMENTS_ABOUT.contains(&function) || (self.is_input)(function) {
            return;
        }
        if let Some(arguments) = syntax.field("arguments") {
            self.children(arguments, statement);
        }
    }

    /// An operator or a constant, at the mark that it is written with.
    fn item(&mut self, mark: Syntax<'_>, kind: ItemKind, statement: Span) {
        let Some(span) = mark.place_in(mark.written_in()) else {
            return;
        };
        self.add(span, kind, (statement, mark.directive()), self.is_fixed);
    }

    fn add(
        &mut self,
        span: Span,
        kind: ItemKind,
        (statement, directive): (Span, Option<Span>),
        is_fixed: bool,
    ) {
        let directive = directive.or(self.definition);
        let item = Item {
            kind,
            statement: directive.unwrap_or(statement),
            is_shared: directive.is_some(),
            owners: self.owner.into_iter().collect(),
            is_fixed,
            is_of_type: false,
            not: Vec::new(),
            limit: None,
        };
        self.written.add(span, item);
    }

    fn operation(&mut self, syntax: Syntax<'_>, statement: Span) {
        let (mark, text) = (syntax.field("operator"), syntax.operator());
        let assigns = syntax.kind() == "assignment_expression";
        let operator = match (assigns, text) {
            (false, "&&") => Some(Operator::Logical(LogicalOp::And)),
            (false, "||") => Some(Operator::Logical(LogicalOp::Or)),
            (true, _) => text.strip_suffix('=').and_then(binary),
            (false, _) => binary(text),
        };
        if let (Some(mark), Some(operator)) = (mark, operator) {
            let kind = match operator {
                Operator::Binary(op) => ItemKind::Operator(op),
                Operator::Logical(_) => ItemKind::Connective,
            };
            self.item(mark, kind, statement);
            let level = mark.written_in();
            let operand = |role: &str| {
                let operand = syntax.field(role)?;
                Some(Operand {
                    span: operand.place_in(level)?,
                    is_bare: operand.kind() != "parenthesized_expression",
                    ends_with_type: false,
                })
            };
            if let (Some(whole), Some(at)) = (syntax.place_in(level), mark.place_in(level)) {
                let operands = operand("left").zip(operand("right"));
                let operation = Operation {
                    operator,
                    at,
                    assigns,
                    operands: operands.map(|(left, right)| [left, right]),
                    step: None,
                };
                self.written.add_operation(whole, operation);
            }
            if let Operator::Logical(_) = operator {
                for side in ["left", "right"] {
                    self.truth(syntax.field(side), mark, statement);
                }
            }
        }
        self.children(syntax, statement);
        self.limit(syntax);
    }

    /// Little means something in a comparison of a result with 0 if C does not say which number the result is.
    fn limit(&mut self, comparison: Syntax<'_>) {
        let sides =
            ["left", "right"].map(|side| comparison.field(side).map(Syntax::without_parentheses));
        let [Some(left), Some(right)] = sides else {
            return;
        };
        for (result, zero) in [(left, right), (right, left)] {
            let function = result.field("function").map_or("", Syntax::text);
            let Some(known) = (self.known)(function).filter(|_| zero.text() == "0") else {
                continue;
            };
            let Some(mark) = comparison.field("operator") else {
                continue;
            };
            // Other comparisons may use a definition that only one of them is written in.
            let is_whole = |part: Syntax<'_>| part.directive() == mark.directive();
            if !is_whole(result) || !is_whole(zero) {
                continue;
            }
            let operator = (known == Known::Truth).then_some((mark, Limit::Equality));
            for (part, limit) in iter::once((zero, Limit::Zero)).chain(operator) {
                if let Some(at) = part.place_in(part.written_in()) {
                    self.written.limit(at, limit);
                }
            }
        }
    }

    fn step(&mut self, syntax: Syntax<'_>, statement: Span, is_idle: bool) {
        let (mark, target) = (syntax.field("operator"), syntax.field("argument"));
        let (Some(mark), Some(target)) = (mark, target) else {
            return;
        };
        let op = match mark.text() {
            "++" => BinaryOp::Add,
            _ => BinaryOp::Sub,
        };
        let level = mark.written_in();
        self.item(mark, ItemKind::Operator(op), statement);
        let spans = (
            syntax.place_in(level),
            mark.place_in(level),
            target.place_in(level),
        );
        if let (Some(whole), Some(at), Some(of)) = spans {
            let directive = mark.directive();
            self.add(
                whole,
                ItemKind::Constant,
                (statement, directive),
                self.is_fixed,
            );
            let used = match (is_idle, mark.node.start_byte() < target.node.start_byte()) {
                (true, _) => Used::No,
                (false, true) => Used::After,
                (false, false) => Used::Before,
            };
            let operation = Operation {
                operator: Operator::Binary(op),
                at,
                assigns: true,
                operands: None,
                step: Some(Step {
                    whole,
                    target: of,
                    used,
                }),
            };
            self.written.add_operation(whole, operation);
        }
        self.node(target, statement, false);
    }

    /// A condition that is compared with 0 though nothing says so. What is asked in the body of a macro stays: another use
    /// of the macro may ask something else.
    fn truth(&mut self, condition: Option<Syntax<'_>>, asks: Syntax<'_>, statement: Span) {
        let Some(inner) = condition.map(Syntax::without_parentheses) else {
            return;
        };
        let is_bool = match inner.kind() {
            "binary_expression" => {
                let operator = inner.operator();
                ["&&", "||", "==", "!=", "<", "<=", ">", ">="].contains(&operator)
            }
            "unary_expression" => inner.operator() == "!",
            "number_literal" | "char_literal" | "true" | "false" => true,
            _ => false,
        };
        if !is_bool {
            let is_fixed = self.is_fixed || asks.written_in().is_some();
            let statement = match asks.kind() {
                "if_statement" | "while_statement" | "do_statement" | "for_statement" => {
                    inner.span()
                }
                _ => statement,
            };
            self.add(inner.span(), ItemKind::Truth, (statement, None), is_fixed);
        }
    }
}

fn binary(operator: &str) -> Option<Operator> {
    BinaryOp::from_token(operator).map(Operator::Binary)
}
