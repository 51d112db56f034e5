//! Constants and statics: hidden global variables, or numbers where lengths depend on them.

use std::rc::Rc;

use nopol_scalar::{BinaryOp, IntType, Number};
use syn::{BinOp, Expr as Syntax, Lit, UnOp};

use super::arithmetic::calculating;
use super::blocks::Role;
use super::body::Body;
use super::build::{Value, constant};
use super::expressions::bare;
use super::items::Constant;
use super::source::span_of;
use super::types::Type;
use super::{Front, Home, inventory};
use crate::ir::{
    Lvalue, Outside, PointerKind, Scalar, Shape, Span, Statement, Variable, VariableId,
};
use crate::written::Owner;

impl<'a> Front<'a> {
    /// The value of an expression that must be known before the program runs.
    pub fn constant_value(&mut self, home: &Home, syntax: &Syntax) -> Result<i128, Outside> {
        let syntax = bare(syntax);
        let span = span_of(home.file, syntax);
        let unknown = |front: &Self| {
            let text = front.sources[home.file].on_one_line(span.start, span.end);
            front.outside(span, format!("`{text}` must be a simple constant"))
        };
        let value = match syntax {
            Syntax::Lit(lit) => match &lit.lit {
                Lit::Int(int) => int.base10_parse::<u64>().ok().map(i128::from),
                Lit::Byte(byte) => Some(i128::from(byte.value())),
                _ => None,
            },
            Syntax::Unary(of) if matches!(of.op, UnOp::Neg(_)) => {
                self.constant_value(home, &of.expr)?.checked_neg()
            }
            Syntax::Binary(of) => {
                let a = self.constant_value(home, &of.left)?;
                let b = self.constant_value(home, &of.right)?;
                calculated(&of.op, a, b)
            }
            Syntax::Cast(of) => {
                let value = self.constant_value(home, &of.expr)?;
                match self.type_of(home, &of.ty)? {
                    Type::Int(int) => Some(int.kind().wrap(value)),
                    _ => None,
                }
            }
            Syntax::Path(path) => return self.constant_at(home, &path.path, span),
            _ => None,
        };
        value.ok_or_else(|| unknown(self))
    }

    fn constant_at(&mut self, home: &Home, path: &syn::Path, span: Span) -> Result<i128, Outside> {
        if let Some(value) = self.limit(path) {
            return Ok(value.0);
        }
        let Some(found) = self.constant(home, path, span)? else {
            return Err(self.outside(span, "the length of an array must be a simple constant"));
        };
        self.check_constant(&found, span)?;
        if let Some(owner) = self.state.owner {
            let written = &mut self.state.program.written;
            inventory::note_value(written, found.file, found.value, (owner, true));
        }
        let name = found.ident.to_string();
        self.open.push(name);
        let value = self.constant_value(&found.home(), found.value);
        self.open.pop();
        value
    }

    /// `i32::MAX` and its kind
    pub fn limit(&self, path: &syn::Path) -> Option<(i128, IntType)> {
        let mut segments = path.segments.iter().rev();
        let name = segments.next()?.ident.to_string();
        let Some(Type::Int(int)) = self.primitive(&segments.next()?.ident.to_string()) else {
            return None;
        };
        match &*name {
            "MAX" => Some((int.kind().greatest(), int)),
            "MIN" => Some((int.kind().least(), int)),
            "BITS" => Some((i128::from(int.bits()), IntType::U32)),
            _ => None,
        }
    }

    /// The constant at a path.
    pub fn constant(
        &mut self,
        home: &Home,
        path: &syn::Path,
        span: Span,
    ) -> Result<Option<Rc<Constant<'a>>>, Outside> {
        let mut segments = path
            .segments
            .iter()
            .rev()
            .map(|segment| segment.ident.to_string());
        let name = segments.next().unwrap_or_default();
        if let Some(owner) = segments.next() {
            let owner = match &home.owner {
                Some(this) if owner == "Self" => this.clone(),
                _ => owner,
            };
            let of_type = self.items.constant(&format!("{owner}::{name}"));
            if let Some(found) = of_type.map_err(|reason| self.outside(span, reason))? {
                return Ok(Some(found));
            }
        }
        self.items
            .constant(&name)
            .map_err(|reason| self.outside(span, reason))
    }

    fn check_constant(&self, constant: &Constant, from: Span) -> Result<(), Outside> {
        let name = constant.ident.to_string();
        if self.open.contains(&name) {
            return Err(self.outside(from, format!("`{name}` depends on itself")));
        }
        match &constant.context.problem {
            Some(problem) => Err(self.outside(from, format!("`{name}` is used, but {problem}"))),
            None if constant.context.is_of_trait => Err(self.outside(
                from,
                format!("`{name}` belongs to a trait, and traits are not supported"),
            )),
            None => Ok(()),
        }
    }

    /// The variable that a constant is.
    fn global(&mut self, of: &Constant<'a>, from: Span) -> Result<(VariableId, Type), Outside> {
        let home = of.home();
        let key = span_of(of.file, of.ident);
        let ty = self.type_of(&home, of.ty)?;
        if let Some(known) = self.state.constants.get(&key) {
            return Ok((*known, ty));
        }
        self.check_constant(of, from)?;
        let name = of.ident.to_string();
        self.open.push(name.clone());
        let around = self.state.owner;
        let statements = self.settle(|front, guesses| {
            let variable = front.state.program.variables.push_and_get_key(Variable {
                name: name.clone(),
                cells: ty.cells(),
                shape: Shape::Other,
                access: PointerKind::Raw,
                is_global: true,
                home: None,
                within: None,
                initially: Default::default(),
                is_constant: false,
                is_row: false,
            });
            if !of.context.is_fixed {
                front.state.owner = Some(Owner::Variable(variable));
            }
            let mut body = Body::new(front, &home, guesses);
            body.is_fixed = of.context.is_fixed;
            let (first, last) = of.ends;
            let range = |span: proc_macro2::Span| span.byte_range();
            let number = super::source::number;
            body.statement = (number(range(first).start), number(range(last).end));
            let target = Lvalue::Variable(variable);
            let stored = body.store(of.value, target, Some(&ty), Role::LET);
            let out = std::mem::take(&mut body.out);
            (stored.map(|_| (variable, out)), body.guesses)
        });
        self.open.pop();
        self.state.owner = around;
        let (variable, statements) = statements?;
        if !of.context.is_fixed {
            let owner = Owner::Variable(variable);
            let written = &mut self.state.program.written;
            inventory::note_value(written, of.file, of.value, (owner, false));
        }
        for statement in statements {
            // What a constant refers to lives as long as the constant.
            if let Statement::Declare(inner) = statement {
                self.state.program.variables[inner].is_global = true;
            } else {
                self.state.program.globals.push(statement);
            }
        }
        self.state.constants.insert(key, variable);
        Ok((variable, ty))
    }
}

impl Constant<'_> {
    fn home(&self) -> Home {
        Home {
            file: self.file,
            owner: self.owner.clone(),
        }
    }
}

/// The value of an operation whose type is not known, so that it neither wraps nor overflows here.
fn calculated(op: &BinOp, a: i128, b: i128) -> Option<i128> {
    let shift = || u32::try_from(b).ok().filter(|by| *by < 64);
    let op = calculating(op)?;
    if let Some(op) = op.arithmetic() {
        return a.exact(op, b);
    }
    match op {
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        // What is shifted out is not known.
        BinaryOp::Shl => a
            .checked_mul(1 << shift()?)
            .filter(|shifted| i32::try_from(*shifted).is_ok()),
        BinaryOp::Shr => Some(a >> shift()?),
        _ => None,
    }
}

impl Body<'_, '_> {
    /// What a path means that is not a function.
    pub fn named(&mut self, path: &syn::Path, span: Span) -> Result<Value, Outside> {
        if let Some(name) = path.get_ident()
            && let Some(local) = self.local(&name.to_string())
        {
            return Ok(local);
        }
        if let Some((value, int)) = self.front.limit(path) {
            return Ok(Value::scalar(
                Type::Int(int),
                constant(value, Scalar::from(int), span),
            ));
        }
        if let Some((value, ty)) = self.variant(path, span)? {
            let scalar = ty.scalar().unwrap_or(crate::ir::Scalar::INT);
            return Ok(Value::scalar(ty, constant(value, scalar, span)));
        }
        let home = self.home.clone();
        let imports = &self.front.items.imports[home.file];
        let first = path.segments.first().map(|first| first.ident.to_string());
        let is_other = |name: &str| imports.is_renamed(name) || imports.is_of_std(name);
        if first.is_some_and(|first| is_other(&first) || super::imports::is_std(&first)) {
            return Err(self.outside(span, format!("`{}` is not supported", self.text(span))));
        }
        let Some(found) = self.front.constant(&home, path, span)? else {
            // If it is a structure, its type says why it is outside.
            self.type_at_path(path, span)?;
            let reason = format!(
                "`{}` is not a variable or constant of the crate",
                self.text(span)
            );
            return Err(self.outside(span, reason));
        };
        if self.front.items.is_length(&found.ident.to_string()) {
            let ty = self.front.type_of(&found.home(), found.ty)?;
            if let Type::Int(int) = ty {
                let value = self.front.constant_at(&home, path, span)?;
                let value = constant(int.kind().wrap(value), Scalar::from(int), span);
                return Ok(Value::scalar(ty, value));
            }
        }
        let (variable, ty) = self.front.global(&found, span)?;
        Ok(Value::at(ty, Lvalue::Variable(variable)))
    }

    /// The value of a variant without data.
    pub fn variant(
        &mut self,
        path: &syn::Path,
        span: Span,
    ) -> Result<Option<(i128, Type)>, Outside> {
        let mut segments = path
            .segments
            .iter()
            .rev()
            .map(|segment| segment.ident.to_string());
        let name = segments.next().unwrap_or_default();
        let home = self.home.clone();
        let owner = match segments.next() {
            Some(owner) => Some(owner),
            None if self.is_constant(&name) => None,
            None => {
                let found = self.front.items.enum_with(&name);
                found.map_err(|reason| self.outside(span, reason))?
            }
        };
        let Some(owner) = owner else {
            return Ok(None);
        };
        let Some(ty) = self.front.type_named(&home, &owner, span)? else {
            return Ok(None);
        };
        let Type::Enum(of) = &ty else {
            return Ok(None);
        };
        let found = of.variants.iter().find(|(variant, _)| *variant == name);
        Ok(found.map(|(_, value)| (*value, ty.clone())))
    }

    pub fn is_constant(&self, name: &str) -> bool {
        !matches!(self.front.items.constant(name), Ok(None))
    }

    /// The type that a path names: its last segment, unless that belongs to the type before it.
    pub fn type_at_path(&mut self, path: &syn::Path, span: Span) -> Result<Option<Type>, Outside> {
        let home = self.home.clone();
        let mut segments = path
            .segments
            .iter()
            .rev()
            .map(|segment| segment.ident.to_string());
        let name = segments.next().unwrap_or_default();
        if let Some(owner) = segments.next()
            && (owner == "Self"
                || self
                    .front
                    .items
                    .named(&owner)
                    .is_ok_and(|found| found.is_some()))
        {
            return Ok(None);
        }
        self.front.type_named(&home, &name, span)
    }
}
