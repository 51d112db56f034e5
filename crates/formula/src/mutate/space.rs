//! The mutations of a program (AllRepair §3.2): for every statement, the ways in which it may be changed. A change is made
//! to the statement of the source, so that all of its instances change alike.

use std::collections::{BTreeSet, HashMap, HashSet};

use nopol_basics::index;
use nopol_program::ir::{
    BinaryOp, Builtin, ChoiceId, Dialect, Expr, ExprKind, FunctionId, Lvalue, PlaceId, Program,
    Scalar, Span, Statement, UnaryOp, VariableId, Variant,
};
use nopol_program::visit::{self, Needs, variable_of};
use nopol_program::written::{Limit, Operation, Operator, Owner};
use nopol_scalar::Precedence;
use typed_index_collections::TiVec;

use super::literals::Literal;
use super::operators::{Level, others};
use super::rearranged::clauses_of;
use super::rewrite::{Text, is_truth};
use super::scopes::Scopes;

index! {
    /// A statement that may be changed in one of several ways, in [`Space::locations`].
    LocationId
}

/// A replacement of a part of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MutationEdit {
    /// What is replaced.
    pub span: Span,
    /// By what; empty if the choice brings a number along.
    pub text: String,
    /// How that number is written.
    pub number: Option<NumberForm>,
}

/// How a number is written in place of a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NumberForm {
    /// The literal.
    pub literal: Literal,
    /// The type of both.
    pub ty: Scalar,
    /// Whether a number with a sign needs parentheses.
    pub clashes: bool,
}

/// A mutation.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The statement that it changes. Only one of a statement's choices is made.
    pub location: LocationId,
    /// How.
    pub edit: MutationEdit,
    /// The number that it brings along, if it does.
    pub number: Option<AnyNumber>,
    /// The least level that has it.
    pub level: Level,
}

/// A number that a choice brings along.
#[derive(Clone, Debug)]
pub struct AnyNumber {
    /// Its type.
    pub ty: Scalar,
    /// What it is not: the number in the source, and those that other choices put in its place.
    pub not: Vec<i128>,
    /// Those choices.
    pub others: Vec<ChoiceId>,
}

/// A program with its mutations.
#[derive(Clone, Debug)]
pub struct Space {
    /// The program, with [`ExprKind::Choice`] where it may be changed.
    pub program: Program,
    /// The mutations.
    pub choices: TiVec<ChoiceId, Choice>,
    /// The statements that they change, each with what is mutated: the place, or the expression.
    pub locations: TiVec<LocationId, Span>,
    /// The operators, constants and pointers that should be mutated, and are not.
    pub untried: Vec<Span>,
}

/// What is never mutated: the reference, and all that it needs.
#[derive(Clone, Debug, Default)]
pub struct Unmutated {
    /// Functions.
    pub functions: HashSet<FunctionId>,
    /// Global variables, in their initializers.
    pub variables: HashSet<VariableId>,
    /// What runs may come to: nothing else is mutated. All if it is `None`.
    pub reached: Option<Needs>,
    /// Whether also what types depend on: it is not followed what becomes of them.
    pub types: bool,
}

impl Space {
    /// All mutations of a program with these texts. `has_any`: whether a constant may also become any other one; there
    /// are too many for those who go through them one by one.
    pub fn new(
        program: &Program,
        texts: &[String],
        kept: &Unmutated,
        (level, has_any): (Level, bool),
    ) -> Self {
        let mut places: Vec<(PlaceId, Span)> = program
            .places
            .iter_enumerated()
            .map(|(place, of)| (place, of.span))
            .collect();
        // The innermost one first.
        places.sort_by_key(|(_, span)| span.end - span.start);
        let mut mutator = Mutator {
            texts,
            kept,
            tried: HashSet::new(),
            level,
            has_any,
            places,
            original: program,
            choices: TiVec::new(),
            locations: TiVec::new(),
            pointers: BTreeSet::new(),
            known: HashMap::new(),
            of_place: HashMap::new(),
            of_span: HashMap::new(),
            scopes: Scopes::default(),
            clauses: Vec::new(),
            location: Home::Other,
        };
        let mut program = program.clone();
        for (variable, declared) in program.variables.iter_enumerated() {
            if declared.is_global && !kept.variables.contains(&variable) {
                mutator.scopes.declare(variable);
            }
        }
        let is_kept = |statement: &Statement| match statement {
            Statement::Assign { target, .. } => {
                variable_of(target).is_some_and(|variable| !kept.may_change_variable(variable))
            }
            _ => false,
        };
        for statement in program.globals.iter_mut().filter(|it| !is_kept(it)) {
            mutator.statement(statement);
        }
        let written = mutator.original.written.items();
        let owners = written.flat_map(|(_, item)| &item.owners);
        let written = owners.filter_map(|owner| match owner {
            Owner::Function(function) => Some(*function),
            Owner::Variable(_) | Owner::Length(_) | Owner::Type => None,
        });
        let places = &mutator.original.places;
        let with_places = places.iter().filter_map(|place| place.function);
        let mutable: HashSet<FunctionId> = written
            .chain(with_places)
            .filter(|function| kept.may_change_function(*function))
            .collect();
        for (id, function) in program.functions.iter_mut_enumerated() {
            // Nothing is noted in tests: they are what the program is held against.
            if mutable.contains(&id) {
                mutator.clauses = clauses(&function.body);
                let mark = mutator.scopes.enter();
                for parameter in &function.parameters {
                    mutator.scopes.declare(*parameter);
                }
                mutator.block(&mut function.body);
                mutator.scopes.leave(mark);
            }
        }
        let untried = mutator.untried();
        let Mutator {
            choices, locations, ..
        } = mutator;
        Self {
            program,
            choices,
            locations,
            untried,
        }
    }

    /// The edit of a choice with the number that it brings along.
    pub fn edit(&self, choice: ChoiceId, number: i128) -> MutationEdit {
        let edit = self.choices[choice].edit.clone();
        let Some(form) = &edit.number else {
            return edit;
        };
        let text = form.literal.with(number, form.ty);
        MutationEdit {
            text: match form.clashes && text.starts_with('-') {
                true => format!("({text})"),
                false => text,
            },
            ..edit
        }
    }
}

/// Where the statement at hand is.
#[derive(Clone, Copy)]
pub(super) enum Home {
    Place(PlaceId),
    /// It only has effects, such as a call.
    Effect(Span),
    /// It brings in the input, which cannot be wrong, or is a part that a front end took out of a statement.
    Other,
}

/// Puts choices into a program.
pub(super) struct Mutator<'a> {
    texts: &'a [String],
    pub(super) kept: &'a Unmutated,
    pub(super) level: Level,
    pub(super) has_any: bool,
    pub(super) places: Vec<(PlaceId, Span)>,
    pub(super) original: &'a Program,
    pub(super) choices: TiVec<ChoiceId, Choice>,
    pub(super) locations: TiVec<LocationId, Span>,
    pub(super) known: HashMap<MutationEdit, ChoiceId>,
    pub(super) of_place: HashMap<PlaceId, LocationId>,
    pub(super) of_span: HashMap<Span, LocationId>,
    /// The operators and constants that have a choice, or could only become themselves.
    pub(super) tried: HashSet<Span>,
    /// Pointers and references that others of their type could stand in for, which is not tried.
    pub(super) pointers: BTreeSet<Span>,
    pub(super) scopes: Scopes,
    /// Clauses of the function at hand.
    pub(super) clauses: Vec<Expr>,
    pub(super) location: Home,
}

impl<'a> Mutator<'a> {
    fn block(&mut self, statements: &mut [Statement]) {
        let mark = self.scopes.enter();
        for statement in statements {
            self.statement(statement);
        }
        self.scopes.leave(mark);
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Declare(variable) => self.scopes.declare(*variable),
            Statement::Assign {
                place,
                target,
                value,
            } => self.within(*place, Home::Other, |this| {
                this.value(value, None);
                this.lvalue(target);
            }),
            // What is copied, asserted and assumed is not an expression that computes a value.
            Statement::Copy { .. }
            | Statement::Assert(..)
            | Statement::Assume(_)
            | Statement::Break(_)
            | Statement::Opaque(..)
            | Statement::Continue(_) => {}
            Statement::Eval(value) => {
                let home = Home::Effect(value.span);
                self.within(None, home, |this| this.value(value, None));
            }
            Statement::If {
                place,
                condition,
                then,
                otherwise,
                ..
            } => {
                self.condition(*place, condition);
                self.block(then);
                self.block(otherwise);
            }
            Statement::Loop {
                place,
                condition,
                body,
                update,
                ..
            } => {
                self.condition(*place, condition);
                self.block(body);
                self.block(update);
            }
            Statement::Breakable(_, body) | Statement::Scope(_, body) => self.block(body),
            Statement::Return { place, value } => {
                if let Some(value) = value {
                    self.within(*place, Home::Other, |this| this.value(value, None));
                }
            }
        }
    }

    fn condition(&mut self, place: Option<PlaceId>, condition: &mut Expr) {
        self.within(place, Home::Other, |this| {
            let original = condition.clone();
            match place {
                Some(_) => this.truth(condition, None),
                None => this.value(condition, None),
            }
            if place.is_some() {
                this.with_clauses(condition, &original);
            }
        });
    }

    /// Mutates an expression of a statement.
    fn within(&mut self, place: Option<PlaceId>, otherwise: Home, mutate: impl FnOnce(&mut Self)) {
        let before = self.location;
        self.location = match (place, before) {
            (Some(place), _) => Home::Place(place),
            (None, Home::Other) => otherwise,
            (None, around) => around,
        };
        mutate(self);
        self.location = before;
    }

    fn lvalue(&mut self, lvalue: &mut Lvalue) {
        match lvalue {
            Lvalue::Variable(_) => {}
            Lvalue::Deref(pointer) => self.value(pointer, Some(Precedence::TIGHTEST)),
            Lvalue::Index { array, index, .. } => {
                self.lvalue(array);
                let original = index.clone();
                self.value(index, None);
                self.off_by_one(index, &original);
            }
            Lvalue::Field(structure, _) => self.lvalue(structure),
        }
    }

    /// Mutates an expression and all within. `around`: how tightly the operator around it binds.
    fn value(&mut self, expr: &mut Expr, around: Option<Precedence>) {
        let text = self.text(expr.span);
        let mut variants: Vec<(MutationEdit, Variant)> = Vec::new();
        let original = expr.clone();
        // What is changed by those variants, and the level if it is not theirs.
        let (mut at, mut level) = (None, None);
        let operation = text.and_then(|text| text.operation(&original));
        match &mut expr.kind {
            ExprKind::Null | ExprKind::Choice(..) => {}
            ExprKind::Constant(value) => {
                let value = *value;
                if let Some(text) = text {
                    (variants, at) = self.numbers(text, &original, value);
                }
            }
            ExprKind::Load(from) | ExprKind::Address(from, _) => {
                self.lvalue(from);
                if let Some(text) = text.filter(|_| self.level == Level::Three) {
                    variants = self.operands(text, &original);
                    self.note_pointer(text, &original);
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) if is_bare(a) => {
                self.truth(a, Some(Precedence::TIGHTEST));
            }
            ExprKind::Unary(_, a) => self.value(a, Some(Precedence::TIGHTEST)),
            // One that is written has parentheses of its own; others are not seen.
            ExprKind::Cast(a) => {
                let is_written = text.is_none_or(|text| text.range(a) != text.range(&original));
                // A number that is used as a condition is compared with 0, though nothing is written: `==` for `!=`.
                let is_truth = original.ty == Scalar::Bool && matches!(a.ty, Scalar::Int(_));
                if let Some(text) = text.filter(|_| is_truth && self.level >= Level::Two) {
                    let edit = text.opposite(a);
                    variants.extend(edit.map(|edit| (edit, Variant::Opposite)));
                }
                if let (Some(text), Some(operation)) = (text, operation) {
                    (at, level) = (Some(operation.at), Some(Level::Two));
                    variants = self.not_equal(text, operation);
                }
                self.value(
                    a,
                    if is_written {
                        Some(Precedence::TIGHTEST)
                    } else {
                        around
                    },
                );
            }
            ExprKind::Binary(op, _, a, b) => {
                let op = *op;
                if let Some(text) = text {
                    if is_truth(op, a, b) {
                        (at, level) = (Some(a.span), Some(Level::Two));
                        let edit = text.opposite(a).filter(|_| self.level >= Level::Two);
                        let variant = match a.ty {
                            Scalar::Pointer => Variant::Opposite,
                            _ => Variant::Operator(BinaryOp::Eq),
                        };
                        variants.extend(edit.map(|edit| (edit, variant)));
                    } else if let Some(operation) = operation {
                        at = Some(operation.at);
                        if a.ty == Scalar::Pointer {
                            level = Some(Level::Two);
                            variants = self.not_equal(text, operation);
                        } else {
                            let of = (&**a, &**b);
                            variants = self.operators(text, operation, (op, of), around);
                        }
                    }
                }
                match (text, operation.filter(|operation| operation.step.is_some())) {
                    (Some(text), Some(operation)) => self.step(text, operation, a, b),
                    _ => self.value(b, Some(Precedence::of(op))),
                }
                self.value(a, Some(Precedence::of(op)));
            }
            ExprKind::Logical(op, _, a, b) => {
                let binds = Precedence::of_logical(*op);
                if let (Some(text), Some(operation)) = (text, operation) {
                    at = Some(operation.at);
                    let edit = text.connective(operation, (a, b), around);
                    variants.extend(edit.map(|edit| (edit, Variant::Connective)));
                    if self.level == Level::Three {
                        let first = text.only(operation, true);
                        variants.extend(first.map(|edit| (edit, Variant::First)));
                        let second = text.only(operation, false);
                        variants.extend(second.map(|edit| (edit, Variant::Second)));
                    }
                }
                for operand in [a, b] {
                    self.truth(operand, Some(binds));
                }
            }
            ExprKind::Offset(a, b, _) => {
                let pointer = a.clone();
                self.value(a, Some(Precedence::TIGHTEST));
                match (text, operation) {
                    (Some(text), Some(operation)) => {
                        match operation.step {
                            Some(_) => self.step(text, operation, &pointer, b),
                            None => self.value(b, Some(Precedence::TIGHTEST)),
                        }
                        self.other_way(text, operation, &pointer, b);
                    }
                    _ => self.value(b, Some(Precedence::TIGHTEST)),
                }
            }
            ExprKind::Distance(a, b, _) => {
                // Pointers have no sum.
                operation
                    .into_iter()
                    .for_each(|operation| self.settled(operation.at));
                self.value(a, Some(Precedence::TIGHTEST));
                self.value(b, Some(Precedence::TIGHTEST));
            }
            ExprKind::Conditional(_, a, b, c) => {
                match is_bare(a) {
                    true => self.truth(a, Some(Precedence::TIGHTEST)),
                    false => self.value(a, Some(Precedence::TIGHTEST)),
                }
                for operand in [b, c] {
                    self.value(operand, Some(Precedence::TIGHTEST));
                }
            }
            // Where the input comes from cannot be wrong.
            ExprKind::Builtin(_, Builtin::ParseInt | Builtin::Scan(_) | Builtin::ReadLine, _) => {}
            ExprKind::Call(_, _, arguments) | ExprKind::Builtin(_, _, arguments) => {
                let originals = arguments.clone();
                for argument in arguments.iter_mut() {
                    self.value(argument, None);
                }
                self.swapped(arguments, &originals);
            }
            ExprKind::Block(body, value) => {
                self.block(body);
                self.value(value, around);
            }
        }
        self.choose_at(expr, at, level, variants);
    }

    /// Other operators between two operands.
    fn operators(
        &mut self,
        text: Text<'a>,
        operation: &Operation,
        (op, (a, b)): (BinaryOp, (&Expr, &Expr)),
        around: Option<Precedence>,
    ) -> Vec<(MutationEdit, Variant)> {
        let fitting = others(op, self.level).filter(|other| fits(*other, a.ty));
        // What is written between pointers is a comparison of their distance.
        let is_distance = matches!(a.kind, ExprKind::Distance(..));
        let item = self.original.written.item(operation.at);
        let is_limited =
            is_distance || item.is_some_and(|item| item.limit == Some(Limit::Equality));
        let fitting: Vec<BinaryOp> = fitting
            .filter(|other| !is_limited || others(op, Level::Two).any(|like| like == *other))
            .collect();
        if fitting.is_empty() {
            self.settled(operation.at);
        }
        let variants = fitting.into_iter().filter_map(|other| {
            let edit = text.operator(operation, (a, b), other, around)?;
            Some((edit, Variant::Operator(other)))
        });
        variants.collect()
    }

    /// `!=` for `==`, and the other way round, of whatever is compared.
    fn not_equal(&self, text: Text<'a>, operation: &Operation) -> Vec<(MutationEdit, Variant)> {
        let new = match operation.operator {
            Operator::Binary(BinaryOp::Eq) => BinaryOp::Ne,
            Operator::Binary(BinaryOp::Ne) => BinaryOp::Eq,
            _ => return Vec::new(),
        };
        if self.level < Level::Two {
            return Vec::new();
        }
        let edit = text.swapped(operation, new);
        vec![(edit, Variant::Opposite)]
    }

    /// A condition, or a clause, and its opposite. Where C has only the name of a `bool`, or a call, that is as if a number were
    /// compared with 0.
    fn truth(&mut self, expr: &mut Expr, around: Option<Precedence>) {
        let is_bare = is_bare(expr) && self.original.dialect == Dialect::C;
        self.value(expr, around);
        let level = match is_bare {
            true => Level::Two,
            false => Level::Three,
        };
        if self.level < level || expr.ty != Scalar::Bool {
            return;
        }
        let edit = self.text(expr.span).and_then(|text| text.opposite(expr));
        let variants = edit.map(|edit| (edit, Variant::Opposite));
        self.choose_at(
            expr,
            None,
            is_bare.then_some(level),
            variants.into_iter().collect(),
        );
    }

    pub(super) fn text(&self, span: Span) -> Option<Text<'a>> {
        let text = self.texts.get(span.file as usize)?;
        (span.start < span.end).then_some(Text {
            file: span.file,
            text,
            dialect: self.original.dialect,
            written: &self.original.written,
        })
    }
}

/// The clauses of all conditions among these statements.
fn clauses(statements: &[Statement]) -> Vec<Expr> {
    let mut all = Vec::new();
    visit::conditions(statements, &mut |condition| clauses_of(condition, &mut all));
    all
}

/// Whether it is the name of a `bool`, or a call that yields one.
fn is_bare(expr: &Expr) -> bool {
    expr.ty == Scalar::Bool && matches!(expr.kind, ExprKind::Load(_) | ExprKind::Call(..))
}

/// Whether an operator may stand between operands of this type.
const fn fits(op: BinaryOp, ty: Scalar) -> bool {
    use BinaryOp::{And, Or, Xor};
    match ty {
        Scalar::Bool => matches!(op, And | Or | Xor) || op.comparison().is_some(),
        _ => true,
    }
}
