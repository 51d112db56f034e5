//! The mutations of a program (AllRepair §3.2): for every statement, the ways in which it may be changed. A change is made
//! to the statement of the source, so that all of its instances change alike.

use std::collections::{HashMap, HashSet};

use typed_index_collections::TiVec;

use super::operators::{Binding, Level, TIGHTEST, binding, binding_of_logical, level_of, others};
use super::rearranged::clauses_of;
use super::rewrite::Text;
use super::scopes::Scopes;
use crate::formula::ir::{
    BinaryOp, Builtin, ChoiceId, Expr, ExprKind, FunctionId, Lvalue, PlaceId, Program, Scalar,
    Span, Statement, VariableId, Variant,
};
use crate::formula::visit;
use crate::index::index;

index! {
    /// A statement that may be changed in one of several ways, in [`Space::locations`].
    LocationId
}

/// A replacement of a part of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// By what. If the choice brings a number along, that number is meant.
    pub text: String,
}

/// A mutation.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The statement that it changes. Only one of a statement's choices is made.
    pub location: LocationId,
    /// How.
    pub edit: Edit,
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
}

/// What is never mutated: the reference, and all that it needs.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Functions.
    pub functions: HashSet<FunctionId>,
    /// Global variables, in their initializers.
    pub variables: HashSet<VariableId>,
}

impl Space {
    /// All mutations of a program with these texts. `has_any`: whether a constant may also become any other one; there
    /// are too many for those who go through them one by one.
    pub fn new(
        program: &Program,
        texts: &[String],
        kept: &Kept,
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
            level,
            has_any,
            places,
            original: program,
            choices: TiVec::new(),
            locations: TiVec::new(),
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
                variable_of(target).is_some_and(|variable| kept.variables.contains(&variable))
            }
            _ => false,
        };
        for statement in program.globals.iter_mut().filter(|it| !is_kept(it)) {
            mutator.statement(statement);
        }
        let mutable: HashSet<FunctionId> = mutator
            .original
            .places
            .iter()
            .filter_map(|place| place.function)
            .filter(|function| !kept.functions.contains(function))
            .collect();
        for (id, function) in program.functions.iter_mut_enumerated() {
            // Tests have no places: they are what the program is held against.
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
        let Mutator {
            choices, locations, ..
        } = mutator;
        Self {
            program,
            choices,
            locations,
        }
    }

    /// The edit of a choice with the number that it brings along.
    pub fn edit(&self, choice: ChoiceId, number: i128) -> Edit {
        let choice = &self.choices[choice];
        match choice.number {
            None => choice.edit.clone(),
            Some(_) => Edit {
                text: number.to_string(),
                ..choice.edit.clone()
            },
        }
    }
}

/// The variable that an lvalue is a part of.
fn variable_of(lvalue: &Lvalue) -> Option<VariableId> {
    match lvalue {
        Lvalue::Variable(variable) => Some(*variable),
        Lvalue::Deref(_) => None,
        Lvalue::Index { array, .. } => variable_of(array),
        Lvalue::Field(structure, _) => variable_of(structure),
    }
}

/// Where the statement at hand is.
#[derive(Clone, Copy)]
enum Home {
    Place(PlaceId),
    /// It only has effects, such as a call.
    Effect(Span),
    /// It brings in the input, which cannot be wrong, or is a part that a front end took out of a statement.
    Other,
}

/// Puts choices into a program.
pub(super) struct Mutator<'a> {
    texts: &'a [String],
    pub(super) level: Level,
    has_any: bool,
    places: Vec<(PlaceId, Span)>,
    pub(super) original: &'a Program,
    choices: TiVec<ChoiceId, Choice>,
    locations: TiVec<LocationId, Span>,
    known: HashMap<Edit, ChoiceId>,
    of_place: HashMap<PlaceId, LocationId>,
    of_span: HashMap<Span, LocationId>,
    pub(super) scopes: Scopes,
    /// Clauses of the function at hand.
    pub(super) clauses: Vec<Expr>,
    location: Home,
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
            // What is copied, asserted and assumed is no expression that computes a value.
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
            Statement::Breakable(_, body) => self.block(body),
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
            this.value(condition, None);
            if place.is_some() {
                this.opposite(condition);
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
            Lvalue::Deref(pointer) => self.value(pointer, Some(TIGHTEST)),
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
    fn value(&mut self, expr: &mut Expr, around: Option<Binding>) {
        let Some(text) = self.text(expr.span) else {
            return;
        };
        let mut variants: Vec<(Edit, Variant)> = Vec::new();
        let original = expr.clone();
        match &mut expr.kind {
            ExprKind::Null | ExprKind::Choice(..) => {}
            ExprKind::Constant(value) => {
                let value = *value;
                variants = self.numbers(text, &original, value);
            }
            ExprKind::Load(from) | ExprKind::Address(from) => {
                self.lvalue(from);
                if self.level == Level::Three {
                    variants = self.operands(text, &original);
                }
            }
            ExprKind::Unary(_, a) => self.value(a, Some(TIGHTEST)),
            // One that is written has parentheses of its own; others are not seen.
            ExprKind::Cast(a) => {
                let is_written = text.range(a) != text.range(&original);
                // A number that is used as a condition is compared with 0, though nothing is written: `==` for `!=`.
                let is_truth = original.ty == Scalar::Bool && matches!(a.ty, Scalar::Int { .. });
                if is_truth && self.level >= Level::Two {
                    let edit = text.opposite(a);
                    variants.extend(edit.map(|edit| (edit, Variant::Opposite)));
                }
                self.value(a, if is_written { Some(TIGHTEST) } else { around });
            }
            ExprKind::Binary(op, _, a, b) => {
                let op = *op;
                let of = (op, &**a, &**b);
                if a.ty != Scalar::Pointer {
                    for other in others(op, self.level).filter(|other| fits(*other, a.ty)) {
                        let edit = text.operator(&original, of, other, around);
                        variants.extend(edit.map(|edit| (edit, Variant::Operator(other))));
                    }
                }
                self.value(a, Some(binding(op)));
                self.value(b, Some(binding(op)));
            }
            ExprKind::Logical(op, _, a, b) => {
                let binds = binding_of_logical(*op);
                let of = (*op, &**a, &**b);
                let edit = text.connective(of, around);
                variants.extend(edit.map(|edit| (edit, Variant::Connective)));
                if self.level == Level::Three {
                    let first = text.only(of, true);
                    variants.extend(first.map(|edit| (edit, Variant::First)));
                    let second = text.only(of, false);
                    variants.extend(second.map(|edit| (edit, Variant::Second)));
                }
                for operand in [a, b] {
                    self.value(operand, Some(binds));
                    self.opposite(operand);
                }
            }
            ExprKind::Offset(a, b, _) | ExprKind::Distance(a, b, _) => {
                self.value(a, Some(TIGHTEST));
                self.value(b, Some(TIGHTEST));
            }
            ExprKind::Conditional(_, a, b, c) => {
                for operand in [a, b, c] {
                    self.value(operand, Some(TIGHTEST));
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
        self.choose(expr, variants);
    }

    /// Constants in place of a constant.
    fn numbers(&self, text: Text<'a>, expr: &Expr, value: i128) -> Vec<(Edit, Variant)> {
        let (Some(literal), Scalar::Int { .. }) = (text.literal(expr, value), expr.ty) else {
            return Vec::new();
        };
        if self.level < Level::Two {
            return Vec::new();
        }
        let mut others: Vec<i128> = vec![value + 1, value - 1, -value, 0];
        others.retain(|other| *other != value && expr.ty.wrap(*other) == *other);
        let mut seen = HashSet::new();
        others.retain(|other| seen.insert(*other));
        let variants = others.into_iter().map(|other| {
            let constant = Expr {
                kind: ExprKind::Constant(other),
                ..expr.clone()
            };
            let edit = text.number(&literal, other);
            (edit, Variant::Instead(Box::new(constant)))
        });
        let mut variants: Vec<_> = variants.collect();
        if self.level == Level::Three {
            let range = literal.0.clone();
            variants.extend(self.variables(text, range.clone(), expr));
            if self.has_any {
                variants.push((text.replaced(range, ""), Variant::Any));
            }
        }
        variants
    }

    /// Variables in place of a variable.
    fn operands(&self, text: Text<'a>, expr: &Expr) -> Vec<(Edit, Variant)> {
        match (&expr.kind, text.range(expr)) {
            (ExprKind::Load(from), Some(range)) if expr.ty != Scalar::Pointer => {
                let name = match **from {
                    Lvalue::Variable(variable) => Some(&*self.original.variables[variable].name),
                    _ => None,
                };
                if !name.is_some_and(|name| text.is_named(expr, name)) {
                    return Vec::new();
                }
                self.variables(text, range, expr)
            }
            _ => Vec::new(),
        }
    }

    /// The variables that may stand where an expression is.
    fn variables(
        &self,
        text: Text<'a>,
        range: std::ops::Range<usize>,
        expr: &Expr,
    ) -> Vec<(Edit, Variant)> {
        let own = text.text.get(range.clone()).unwrap_or_default();
        let named = self.scopes.of_type(self.original, expr.ty);
        named
            .filter(|(_, name)| *name != own)
            .map(|(variable, name)| {
                let other = Expr {
                    kind: ExprKind::Load(Box::new(Lvalue::Variable(variable))),
                    ..expr.clone()
                };
                let edit = text.replaced(range.clone(), name);
                (edit, Variant::Instead(Box::new(other)))
            })
            .collect()
    }

    /// The opposite of a condition, or of a clause.
    fn opposite(&mut self, expr: &mut Expr) {
        if self.level < Level::Three || expr.ty != Scalar::Bool {
            return;
        }
        let edit = self.text(expr.span).and_then(|text| text.opposite(expr));
        self.choose(
            expr,
            edit.map(|edit| (edit, Variant::Opposite))
                .into_iter()
                .collect(),
        );
    }

    pub(super) fn text(&self, span: Span) -> Option<Text<'a>> {
        let text = self.texts.get(span.file as usize)?;
        (span.start < span.end).then_some(Text {
            file: span.file,
            text,
        })
    }

    /// Puts these choices at an expression.
    pub(super) fn choose(&mut self, expr: &mut Expr, variants: Vec<(Edit, Variant)>) {
        if variants.is_empty() {
            return;
        }
        let (ty, span) = (expr.ty, expr.span);
        let choices: Vec<_> = variants
            .into_iter()
            .filter_map(|(edit, variant)| {
                let level = level_of(expr, &variant);
                Some((self.choice(edit, level)?, variant))
            })
            .collect();
        self.tell_numbers_apart(expr, &choices);
        let original = std::mem::replace(
            expr,
            Expr {
                kind: ExprKind::Null,
                ty,
                span,
            },
        );
        expr.kind = ExprKind::Choice(Box::new(original), choices);
    }

    /// A choice of any number is one of a number that no other choice brings.
    fn tell_numbers_apart(&mut self, expr: &Expr, choices: &[(ChoiceId, Variant)]) {
        let ExprKind::Constant(original) = expr.kind else {
            return;
        };
        let any = choices
            .iter()
            .find(|(_, variant)| matches!(variant, Variant::Any));
        let Some((any, _)) = any else {
            return;
        };
        let constant = |(choice, variant): &(ChoiceId, Variant)| match variant {
            Variant::Instead(other) => match other.kind {
                ExprKind::Constant(value) => Some((*choice, value)),
                _ => None,
            },
            _ => None,
        };
        let (others, mut not): (Vec<_>, Vec<_>) = choices.iter().filter_map(constant).unzip();
        not.push(original);
        self.choices[*any].number = Some(AnyNumber {
            ty: expr.ty,
            not,
            others,
        });
    }

    /// The choice that makes an edit. The same edit is the same choice, wherever its text is used.
    fn choice(&mut self, edit: Edit, level: Level) -> Option<ChoiceId> {
        if let Some(&known) = self.known.get(&edit) {
            return Some(known);
        }
        let location = self.location_of(edit.span)?;
        let choice = Choice {
            location,
            edit: edit.clone(),
            number: None,
            level,
        };
        let id = self.choices.push_and_get_key(choice);
        self.known.insert(edit, id);
        Some(id)
    }

    /// The statement that an edit changes; `None` if it cannot be wrong.
    fn location_of(&mut self, edit: Span) -> Option<LocationId> {
        let contains = |span: &Span| {
            span.file == edit.file && span.start <= edit.start && edit.end <= span.end
        };
        let innermost = || self.places.iter().find(|(_, span)| contains(span));
        let place = match self.location {
            Home::Place(place) => Some(place),
            Home::Effect(_) | Home::Other => innermost().map(|(place, _)| *place),
        };
        let locations = &mut self.locations;
        match (place, self.location) {
            (Some(place), _) => {
                let span = self.original.places[place].span;
                let known = self.of_place.entry(place);
                Some(*known.or_insert_with(|| locations.push_and_get_key(span)))
            }
            (None, Home::Effect(span)) => {
                let known = self.of_span.entry(span);
                Some(*known.or_insert_with(|| locations.push_and_get_key(span)))
            }
            (None, _) => None,
        }
    }
}

/// The clauses of all conditions among these statements.
fn clauses(statements: &[Statement]) -> Vec<Expr> {
    let mut all = Vec::new();
    visit::conditions(statements, &mut |condition| clauses_of(condition, &mut all));
    all
}

/// Whether an operator may stand between operands of this type.
const fn fits(op: BinaryOp, ty: Scalar) -> bool {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or, Xor};
    match ty {
        Scalar::Bool => matches!(op, And | Or | Xor | Eq | Ne | Lt | Le | Gt | Ge),
        _ => true,
    }
}
