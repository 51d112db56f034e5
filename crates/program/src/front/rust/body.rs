//! A function or an initializer while it is translated: its variables, its statements so far, and what keeps the
//! order of evaluation.
//!
//! An expression that needs statements writes them in front of the statement that it is part of. Whatever the source
//! evaluates before them is then kept in a temporary variable, if it could change.

use std::collections::HashSet;

use syn::Pat;
use syn::spanned::Spanned;

use super::build::{Repr, Value, load, load_variable, truth};
use super::infer::Guesses;
use super::items::Function;
use super::source::span_of;
use super::types::Type;
use super::{Front, Home};
use crate::ir::{
    self, Expr, ExprKind, FunctionId, Lvalue, NodeId, Outside, Place, PlaceId, PlaceKind, Scalar,
    Span, Statement, Variable, VariableId,
};

/// A variable of the source.
struct Local {
    name: String,
    value: Value,
}

/// Where the value of an expression goes that is made of statements, such as an `if`.
#[derive(Clone, Debug)]
pub(super) enum Sink {
    /// It is not needed.
    Discard,
    /// It is the function's result.
    Return,
    /// It is written there.
    Store(Lvalue, Type),
}

/// A point of a translation: how many statements were written, and how many of them leave a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub statements: usize,
    pub jumps: u32,
}

/// A loop or block that can be left.
pub(super) struct Target {
    pub label: Option<String>,
    pub node: NodeId,
    pub is_loop: bool,
    /// Where the value of a `break` goes.
    pub sink: Sink,
}

/// The translation of a body.
pub(super) struct Body<'f, 'a> {
    pub front: &'f mut Front<'a>,
    pub home: Home,
    pub guesses: Guesses,
    pub function: Option<FunctionId>,
    pub is_fixed: bool,
    pub result: Type,
    /// Points to where a result of more than one cell is written.
    pub result_pointer: Option<VariableId>,
    pub targets: Vec<Target>,
    /// The statements so far.
    pub out: Vec<Statement>,
    /// The statement of the source, in bytes.
    pub statement: (u32, u32),
    /// How many statements so far leave a block.
    pub jumps: u32,
    locals: Vec<Local>,
    /// Variables that have the same value for as long as they can be read.
    fixed: HashSet<VariableId>,
}

impl<'f, 'a> Body<'f, 'a> {
    pub fn new(front: &'f mut Front<'a>, home: &Home, guesses: Guesses) -> Self {
        Self {
            front,
            home: home.clone(),
            guesses,
            function: None,
            is_fixed: false,
            result: Type::unit(),
            result_pointer: None,
            targets: Vec::new(),
            out: Vec::new(),
            statement: (0, 0),
            jumps: 0,
            locals: Vec::new(),
            fixed: HashSet::new(),
        }
    }

    pub fn function(&mut self, function: &Function<'a>) -> Result<ir::Function, Outside> {
        let (inputs, result) = self.front.signature(function)?;
        let span = self.span(&function.sig.ident);
        let mut parameters = Vec::new();
        self.result = result;
        if self.result.is_in_memory() {
            let pointer = Type::reference(self.result.clone());
            let pointer = self.variable("#result", &pointer);
            self.fixed.insert(pointer);
            self.result_pointer = Some(pointer);
            parameters.push(pointer);
        }
        for (pat, ty) in inputs {
            self.parameter(pat, ty, span, &mut parameters)?;
        }
        let sink = self.result_sink();
        self.block(function.block, &sink)?;
        let result = self.result.clone();
        Ok(ir::Function {
            name: function.name(),
            parameters,
            result: result.scalar(),
            result_points_to: self.front.record_behind(&result),
            body: std::mem::take(&mut self.out),
        })
    }

    fn parameter(
        &mut self,
        pat: Option<&Pat>,
        ty: Type,
        span: Span,
        parameters: &mut Vec<VariableId>,
    ) -> Result<(), Outside> {
        let ident = match pat {
            Some(Pat::Ident(ident)) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                Some(ident)
            }
            _ => None,
        };
        let is_mutable = ident.is_some_and(|ident| ident.mutability.is_some());
        let name = match (pat, ident) {
            (None, _) => "self".to_owned(),
            (_, Some(ident)) => ident.ident.to_string(),
            _ => "#parameter".to_owned(),
        };
        let mut input = |body: &mut Self, name: &str, ty: &Type, scalar| {
            let variable = body.variable(name, ty);
            parameters.push(variable);
            load_variable(variable, scalar, span)
        };
        let value = if ty.scalar().is_some() {
            let variable = self.variable(&name, &ty);
            parameters.push(variable);
            if !is_mutable {
                self.fixed.insert(variable);
            }
            Value::at(ty, Lvalue::Variable(variable))
        } else if ty.is_slice_reference() {
            let pointer = input(self, &name, &Type::reference(Type::Str), Scalar::Pointer);
            let length = format!("#length of {name}");
            let length = input(self, &length, &Type::USIZE, Scalar::SIZE);
            let value = Value {
                ty,
                repr: Repr::Slice(pointer, length),
            };
            if is_mutable {
                self.copied_into(&name, value)
            } else {
                value
            }
        } else if ty.size() > 0 {
            // The caller made a copy that nothing else refers to.
            let pointer = input(
                self,
                &format!("#pointer to {name}"),
                &Type::reference(ty.clone()),
                Scalar::Pointer,
            );
            if let Some(variable) = parameters.last() {
                self.fixed.insert(*variable);
            }
            Value::at(ty, Lvalue::Deref(pointer))
        } else {
            Value {
                ty,
                repr: Repr::Nothing,
            }
        };
        match (pat, ident) {
            (Some(pat), None) => self.bind(pat, value),
            _ => {
                self.name(name, value);
                Ok(())
            }
        }
    }

    pub fn outside(&self, span: Span, reason: impl Into<String>) -> Outside {
        self.front.outside(span, reason)
    }

    pub fn span(&self, node: &impl Spanned) -> Span {
        span_of(self.home.file, node)
    }

    /// The text there, on one line.
    pub fn text(&self, span: Span) -> String {
        self.front.sources[self.home.file].on_one_line(span.start, span.end)
    }

    pub fn node(&mut self) -> NodeId {
        let nodes = &mut self.front.state.program.nodes;
        *nodes += 1;
        NodeId::new(*nodes - 1)
    }

    /// The place of an expression that is computed there; none in tests.
    pub fn place(&mut self, kind: PlaceKind, span: Span) -> Option<PlaceId> {
        let place = self.place_at(kind, span)?;
        Some(self.front.state.program.places.push_and_get_key(place))
    }

    /// Notes that a value of several cells is written as a whole.
    pub fn note_whole(&mut self, kind: PlaceKind, span: Span) {
        let place = self.place_at(kind, span);
        self.front.state.program.wholes.extend(place);
    }

    /// Notes that a reference is written that is no place.
    pub fn note_reference(&mut self, kind: PlaceKind, span: Span) {
        let place = self.place_at(kind, span);
        self.front.state.program.references.extend(place);
    }

    /// Notes that a value is left out.
    pub fn note_absent(&mut self, kind: PlaceKind, span: Span) {
        let place = self.place_at(kind, span);
        self.front.state.program.absent.extend(place);
    }

    fn place_at(&self, kind: PlaceKind, span: Span) -> Option<Place> {
        if self.is_fixed {
            return None;
        }
        let source = &self.front.sources[self.home.file];
        let (start, end) = self.statement;
        Some(Place {
            kind,
            function: self.function,
            span,
            target: None,
            line: source.line(if kind == PlaceKind::Condition {
                span.start
            } else {
                start
            }),
            column: source.column(span.start),
            text: source.on_one_line(start, end),
            offset: match (start..end).contains(&span.start) {
                true => source.on_one_line(start, span.start).len(),
                false => 0,
            },
            names: Vec::new(),
            is_character: false,
        })
    }

    /// The same of an expression of this type, if its values may be wrong.
    pub fn value_place(&mut self, kind: PlaceKind, ty: &Type, span: Span) -> Option<PlaceId> {
        let place = self.place(kind, span)?;
        let known = &mut self.front.state.program.places[place];
        known.names = ty.value_names();
        known.is_character = *ty == Type::Char;
        Some(place)
    }

    /// Does something in another statement of the source.
    pub fn in_statement<T>(
        &mut self,
        (start, end): (Span, Span),
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = std::mem::replace(&mut self.statement, (start.start, end.end));
        let done = work(self);
        self.statement = before;
        done
    }

    /// The statements that something writes, and the variables that it declares come to an end.
    pub fn scoped<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Outside>,
    ) -> Result<(Vec<Statement>, T), Outside> {
        let before = std::mem::take(&mut self.out);
        let locals = self.locals.len();
        let done = work(self);
        self.locals.truncate(locals);
        let out = std::mem::replace(&mut self.out, before);
        Ok((out, done?))
    }

    /// The statements of a block, if they leave nothing.
    pub fn statements(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), Outside>,
    ) -> Result<Vec<Statement>, Outside> {
        Ok(self.scoped(work)?.0)
    }

    /// Does something whose variables come to an end.
    pub fn in_scope<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let locals = self.locals.len();
        let done = work(self);
        self.locals.truncate(locals);
        done
    }

    pub fn leave(&mut self, statement: Statement) {
        self.jumps += 1;
        self.out.push(statement);
    }

    /// A variable of this type.
    pub fn variable(&mut self, name: &str, ty: &Type) -> VariableId {
        let (shape, access) = self.front.shape(ty);
        self.front
            .state
            .program
            .variables
            .push_and_get_key(Variable {
                name: name.to_owned(),
                cells: ty.cells(),
                shape,
                access,
                is_global: false,
                home: None,
                within: None,
                initially: Default::default(),
                is_constant: false,
                is_row: false,
            })
    }

    /// A variable that begins to exist here.
    pub fn declare(&mut self, name: &str, ty: &Type, is_fixed: bool) -> VariableId {
        let variable = self.variable(name, ty);
        self.out.push(Statement::Declare(variable));
        if is_fixed {
            self.fixed.insert(variable);
        }
        variable
    }

    pub fn set_cells(&mut self, variable: VariableId, ty: &Type) {
        let (shape, access) = self.front.shape(ty);
        let variable = &mut self.front.state.program.variables[variable];
        variable.cells = ty.cells();
        variable.shape = shape;
        variable.access = access;
    }

    /// A temporary variable, which is only read once it has its value.
    pub fn temporary(&mut self, ty: &Type) -> VariableId {
        self.declare("#temporary", ty, true)
    }

    /// Gives a value a name.
    pub fn name(&mut self, name: String, value: Value) {
        self.locals.push(Local { name, value });
    }

    pub fn local(&self, name: &str) -> Option<Value> {
        let local = self.locals.iter().rfind(|local| local.name == name)?;
        Some(local.value.clone())
    }

    pub fn assign(&mut self, place: Option<PlaceId>, target: Lvalue, value: Expr) {
        self.out.push(Statement::Assign {
            place,
            target,
            value,
        });
    }

    /// Writes without a place.
    pub fn set(&mut self, variable: VariableId, value: Expr) {
        self.assign(None, Lvalue::Variable(variable), value);
    }

    /// The value of an expression in a temporary variable.
    pub fn saved(&mut self, expr: Expr) -> Expr {
        let (ty, span) = (expr.ty, expr.span);
        // What it points to is what the expression points to.
        let variable = self.variable("#temporary", &Type::Bool);
        self.front.state.program.variables[variable].cells = vec![ty];
        self.out.push(Statement::Declare(variable));
        self.fixed.insert(variable);
        self.set(variable, expr);
        load_variable(variable, ty, span)
    }

    /// Whether a number or a name of the source is all that an expression is. A mutation changes what is computed from it, but
    /// not what is asserted of it, so that both must be made of the same temporary variable.
    pub fn is_written(&self, expr: &Expr) -> bool {
        let is_written = match &expr.kind {
            ExprKind::Constant(_) => super::build::is_written_number(expr),
            ExprKind::Load(of) => match &**of {
                Lvalue::Variable(id) => !self.front.state.program.variables[*id]
                    .name
                    .starts_with('#'),
                _ => true,
            },
            ExprKind::Cast(inner) => self.is_written(inner),
            _ => false,
        };
        is_written && !self.is_fixed
    }

    /// An expression that can be written several times.
    pub fn repeatable(&mut self, expr: Expr) -> Expr {
        if is_simple(&expr) {
            expr
        } else {
            self.saved(expr)
        }
    }

    /// An expression that can be written several times, and later.
    pub fn lasting(&mut self, expr: Expr) -> Expr {
        if self.is_fixed(&expr) {
            expr
        } else {
            self.saved(expr)
        }
    }

    /// A cell that stays the same one and can be written several times.
    pub fn steady(&mut self, lvalue: Lvalue, span: Span) -> Lvalue {
        if self.is_fixed_lvalue(&lvalue) {
            return lvalue;
        }
        match lvalue {
            Lvalue::Field(base, offset) => {
                Lvalue::Field(Box::new(self.steady(*base, span)), offset)
            }
            lvalue => Lvalue::Deref(self.saved(super::build::address(lvalue, span))),
        }
    }

    /// A mark after what has been written so far.
    pub fn mark(&self) -> Mark {
        Mark {
            statements: self.out.len(),
            jumps: self.jumps,
        }
    }

    /// Keeps what was evaluated before the statements that have been written since the mark.
    pub fn keep<'e>(&mut self, mark: usize, earlier: impl IntoIterator<Item = &'e mut Expr>) {
        if self.out.len() == mark {
            return;
        }
        let since = self.out.split_off(mark);
        for expr in earlier {
            if !self.is_fixed(expr) {
                let saved = self.saved(expr.clone());
                *expr = saved;
            }
        }
        self.out.extend(since);
    }

    /// Keeps which cell was meant before the statements that have been written since the mark.
    pub fn keep_lvalue(&mut self, mark: usize, lvalue: Lvalue, span: Span) -> Lvalue {
        if self.out.len() == mark {
            return lvalue;
        }
        let since = self.out.split_off(mark);
        let lvalue = self.steady(lvalue, span);
        self.out.extend(since);
        lvalue
    }

    /// Keeps a value, or where it is, as it was before the statements that have been written since the mark.
    pub fn keep_value(&mut self, mark: usize, value: &mut Value, span: Span) {
        match &mut value.repr {
            Repr::Scalar(expr) => self.keep(mark, [expr]),
            Repr::Slice(pointer, length) => self.keep(mark, [pointer, length]),
            Repr::At(lvalue) => *lvalue = self.keep_lvalue(mark, lvalue.clone(), span),
            Repr::Nothing => {}
        }
    }

    /// Whether an expression has the same value for as long as it can be written.
    fn is_fixed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Null => true,
            ExprKind::Load(lvalue) => match &**lvalue {
                Lvalue::Variable(variable) => self.fixed.contains(variable),
                Lvalue::Field(base, _) => {
                    matches!(&**base, Lvalue::Variable(variable) if self.fixed.contains(variable))
                }
                _ => false,
            },
            ExprKind::Address(lvalue, _) => self.is_fixed_lvalue(lvalue),
            ExprKind::Cast(inner) => self.is_fixed(inner),
            ExprKind::Offset(pointer, by, _) => self.is_fixed(pointer) && self.is_fixed(by),
            _ => false,
        }
    }

    fn is_fixed_lvalue(&self, lvalue: &Lvalue) -> bool {
        match lvalue {
            Lvalue::Variable(_) => true,
            Lvalue::Deref(pointer) => self.is_fixed(pointer),
            Lvalue::Field(base, _) => self.is_fixed_lvalue(base),
            Lvalue::Index { array, index, .. } => {
                self.is_fixed_lvalue(array) && self.is_fixed(index)
            }
        }
    }

    /// A condition that always holds.
    pub fn always(&self) -> Expr {
        let (start, end) = self.statement;
        let file = super::source::number(self.home.file);
        truth(true, Span { file, start, end })
    }

    /// The cells of a scalar, slice or unit, or where it is.
    pub fn loaded(&self, value: Value, span: Span) -> Value {
        let Repr::At(lvalue) = value.repr else {
            return value;
        };
        let repr = match value.ty.scalar() {
            Some(scalar) => Repr::Scalar(load(lvalue, scalar, span)),
            None if value.ty.is_slice_reference() => Repr::Slice(
                load(lvalue.clone(), Scalar::Pointer, span),
                load(super::build::field(lvalue, 1), Scalar::SIZE, span),
            ),
            None if value.ty.size() == 0 => Repr::Nothing,
            None => Repr::At(lvalue),
        };
        Value { ty: value.ty, repr }
    }
}

/// Whether evaluating it again costs and changes nothing.
pub(super) fn is_simple(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Null => true,
        ExprKind::Load(lvalue) | ExprKind::Address(lvalue, _) => is_simple_lvalue(lvalue),
        ExprKind::Cast(inner) => is_simple(inner),
        ExprKind::Offset(pointer, by, _) => is_simple(pointer) && is_simple(by),
        _ => false,
    }
}

fn is_simple_lvalue(lvalue: &Lvalue) -> bool {
    match lvalue {
        Lvalue::Variable(_) => true,
        Lvalue::Deref(pointer) => is_simple(pointer),
        Lvalue::Field(base, _) => is_simple_lvalue(base),
        Lvalue::Index { .. } => false,
    }
}
