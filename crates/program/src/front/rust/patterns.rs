//! Patterns: what must hold for one to match, and the variables that it makes.

use syn::{Expr as Syntax, Pat, RangeLimits};

use super::blocks::Role;
use super::body::Body;
use super::build::{Repr, Value, compare, field, load, not, truth};
use super::types::Type;
use crate::ir::{BinaryOp, Expr, ExprKind, LogicalOp, Lvalue, Outside, Scalar, Span};

/// A pattern, what it is matched with, and whether it is matched through a reference, so that its variables are
/// references.
type Part<'p> = (&'p Pat, Value, bool);

/// What a pattern itself asks, and its parts.
type Opened<'p> = (Option<Expr>, Vec<Part<'p>>);

impl Body<'_, '_> {
    /// Whether a value matches.
    pub fn test(&mut self, pat: &Pat, value: Value) -> Result<Expr, Outside> {
        self.test_part((pat, value, false))
    }

    fn test_part(&mut self, part: Part) -> Result<Expr, Outside> {
        let span = self.span(part.0);
        if let Pat::Or(of) = part.0 {
            let mut any = truth(false, span);
            for case in &of.cases {
                let case = self.test_part((case, part.1.clone(), part.2))?;
                any = self.joined(LogicalOp::Or, any, case);
            }
            return Ok(any);
        }
        let (own, parts) = self.opened(part)?;
        let mut all = own.unwrap_or_else(|| truth(true, span));
        for part in parts {
            let part = self.test_part(part)?;
            all = self.joined(LogicalOp::And, all, part);
        }
        Ok(all)
    }

    fn joined(&mut self, op: LogicalOp, a: Expr, b: Expr) -> Expr {
        let neutral = i128::from(op == LogicalOp::And);
        match (&a.kind, &b.kind) {
            (ExprKind::Constant(value), _) if *value == neutral => b,
            (_, ExprKind::Constant(value)) if *value == neutral => a,
            (ExprKind::Constant(_), _) => a,
            _ => self.short(op, a, b),
        }
    }

    /// Makes the variables of a pattern that matches.
    pub fn bind(&mut self, pat: &Pat, value: Value) -> Result<(), Outside> {
        let mut named = Vec::new();
        self.bind_into(pat, value, &mut named)?;
        for (name, value) in named {
            self.name(name, value);
        }
        Ok(())
    }

    /// Makes the variables of a pattern that matches; their names are not yet visible.
    pub fn bind_into(
        &mut self,
        pat: &Pat,
        value: Value,
        named: &mut Vec<(String, Value)>,
    ) -> Result<(), Outside> {
        self.bind_part((pat, value, false), named)
    }

    fn bind_part(&mut self, part: Part, named: &mut Vec<(String, Value)>) -> Result<(), Outside> {
        let (pat, value, by_ref) = &part;
        if let Pat::Or(of) = pat {
            return if of.cases.iter().any(|case| self.names_something(case)) {
                let span = self.span(pat);
                Err(self.outside(span, "alternatives with variables are not supported"))
            } else {
                Ok(())
            };
        }
        if let Pat::Ident(of) = pat
            && self.names_something(pat)
        {
            let span = self.span(&of.ident);
            let name = of.ident.to_string();
            let is_fixed = of.mutability.is_none();
            let is_borrowed = *by_ref || of.by_ref.is_some();
            if let (Type::Box(of), true) = (&value.ty, is_borrowed) {
                // Where the box is does not matter for what is in it.
                let ty = Type::Borrowed(of.clone());
                let loaded = self.loaded(value.clone(), span);
                let variable = self.declare(&name, &ty, is_fixed);
                let loaded = Value { ty, ..loaded };
                let ty = loaded.ty.clone();
                let role = Role {
                    has_places: false,
                    ..Role::LET
                };
                self.write(Lvalue::Variable(variable), loaded, role, blank(span));
                named.push((name, Value::at(ty, Lvalue::Variable(variable))));
                return Ok(());
            }
            if of.by_ref.is_some() && matches!(value.repr, Repr::Scalar(_)) {
                return Err(self.outside(span, "`ref` is not supported here"));
            }
            let value = if *by_ref || of.by_ref.is_some() {
                self.refer(value.clone(), span)
            } else {
                self.loaded(value.clone(), span)
            };
            let variable = self.declare(&name, &value.ty, is_fixed);
            let ty = value.ty.clone();
            let role = Role {
                has_places: false,
                ..Role::LET
            };
            self.write(Lvalue::Variable(variable), value, role, span);
            named.push((name, Value::at(ty, Lvalue::Variable(variable))));
        }
        for part in self.opened(part)?.1 {
            self.bind_part(part, named)?;
        }
        Ok(())
    }

    /// Whether a pattern makes variables.
    fn names_something(&self, pat: &Pat) -> bool {
        match pat {
            Pat::Ident(of) => {
                let name = of.ident.to_string();
                of.subpat.is_some() || of.by_ref.is_some() || !self.is_known(&name)
            }
            Pat::Paren(of) => self.names_something(&of.pat),
            Pat::Reference(of) => self.names_something(&of.pat),
            Pat::Tuple(of) => of.elems.iter().any(|pat| self.names_something(pat)),
            Pat::TupleStruct(of) => of.elems.iter().any(|pat| self.names_something(pat)),
            Pat::Struct(of) => of
                .fields
                .iter()
                .any(|field| self.names_something(&field.pat)),
            Pat::Or(of) => of.cases.iter().any(|pat| self.names_something(pat)),
            Pat::Slice(of) => of.elems.iter().any(|pat| self.names_something(pat)),
            _ => false,
        }
    }

    /// Whether an identifier in a pattern is a constant or a variant.
    fn is_known(&self, name: &str) -> bool {
        let is_upper = name.starts_with(char::is_uppercase);
        let is_variant = !matches!(self.front.items.enum_with(name), Ok(None));
        name == "None" || self.is_constant(name) || is_upper && is_variant
    }

    fn opened<'p>(&mut self, (pat, value, by_ref): Part<'p>) -> Result<Opened<'p>, Outside> {
        let span = self.span(pat);
        let is_through = !matches!(
            pat,
            Pat::Reference(_) | Pat::Paren(_) | Pat::Wild(_) | Pat::Rest(_)
        );
        let is_through = is_through && !(matches!(pat, Pat::Ident(_)) && self.names_something(pat));
        let is_reference = matches!(self.guesses.resolved(&value.ty), Type::Reference(_));
        let by_ref = by_ref || is_through && is_reference;
        let value = if is_through {
            self.through(value, span)?
        } else {
            value
        };
        match pat {
            Pat::Wild(_) | Pat::Rest(_) => Ok((None, Vec::new())),
            Pat::Paren(of) => Ok((None, vec![(&of.pat, value, by_ref)])),
            Pat::Reference(of) => {
                let inner = if by_ref {
                    value
                } else {
                    self.dereferenced(value, span)?
                };
                Ok((None, vec![(&of.pat, inner, false)]))
            }
            Pat::Ident(of) if self.names_something(pat) => {
                let name = of.ident.to_string();
                if name.starts_with(char::is_uppercase) && of.subpat.is_none() {
                    return Err(
                        self.outside(span, format!("`{name}` is not a constant of the crate"))
                    );
                }
                let inner = of
                    .subpat
                    .iter()
                    .map(|(_, pat)| (&**pat, value.clone(), by_ref));
                Ok((None, inner.collect()))
            }
            Pat::Ident(of) => {
                let path = syn::Path::from(of.ident.clone());
                Ok((Some(self.equals_path(&path, value, span)?), Vec::new()))
            }
            Pat::Path(of) => Ok((Some(self.equals_path(&of.path, value, span)?), Vec::new())),
            Pat::Lit(of) => {
                let expected = value.ty.clone();
                let literal = self.literal(&of.lit, false, Some(&expected), span)?;
                Ok((Some(self.equal(value, literal, span)?), Vec::new()))
            }
            Pat::Range(of) => Ok((Some(self.in_range(of, &value, span)?), Vec::new())),
            Pat::TupleStruct(of) => {
                if let Type::Option(inner) = &value.ty
                    && value.ty.is_link()
                {
                    let inner = (**inner).clone();
                    let (pointer, _) = self.as_scalar(value, span)?;
                    let is_some = super::pointers::is_some(pointer.clone(), blank(span));
                    let part = Value::scalar(inner, pointer);
                    let parts = of.elems.iter().map(|pat| (pat, part.clone(), by_ref));
                    return Ok((Some(is_some), parts.collect()));
                }
                if let Type::Option(inner) = &value.ty {
                    let Repr::At(lvalue) = &value.repr else {
                        return Err(self.outside(span, "this pattern is not supported"));
                    };
                    let is_some = load(lvalue.clone(), Scalar::Bool, span);
                    let part = Value::at((**inner).clone(), field(lvalue.clone(), 1));
                    let parts = of.elems.iter().map(|pat| (pat, part.clone(), by_ref));
                    return Ok((Some(is_some), parts.collect()));
                }
                let Type::Struct(structure) = value.ty.clone() else {
                    let reason = format!("this pattern of a `{}` is not supported", value.ty);
                    return Err(self.outside(span, reason));
                };
                let types: Vec<Type> = structure.fields.iter().map(|of| of.ty.clone()).collect();
                self.opened_tuple(of.elems.iter().collect(), &types, &value, by_ref, span)
            }
            Pat::Tuple(of) => {
                let Type::Tuple(types) = value.ty.clone() else {
                    let reason = format!("this pattern of a `{}` is not supported", value.ty);
                    return Err(self.outside(span, reason));
                };
                self.opened_tuple(of.elems.iter().collect(), &types, &value, by_ref, span)
            }
            Pat::Slice(of) => {
                let Type::Array(element, length) = value.ty.clone() else {
                    return Err(self.outside(span, "a pattern of a slice is not supported"));
                };
                let types = vec![(*element).clone(); length as usize];
                self.opened_tuple(of.elems.iter().collect(), &types, &value, by_ref, span)
            }
            Pat::Struct(of) => {
                let (Type::Struct(structure), Repr::At(lvalue)) = (&value.ty, &value.repr) else {
                    let reason = format!("this pattern of a `{}` is not supported", value.ty);
                    return Err(self.outside(span, reason));
                };
                let mut parts = Vec::new();
                for part in &of.fields {
                    let inner = &structure.fields[self.field_of(structure, &part.member, span)?];
                    let value = Value::at(inner.ty.clone(), field(lvalue.clone(), inner.offset));
                    parts.push((&*part.pat, value, by_ref));
                }
                Ok((None, parts))
            }
            _ => Err(self.outside(
                span,
                format!("the pattern `{}` is not supported", self.text(span)),
            )),
        }
    }

    /// The parts of a tuple; `..` stands for those in the middle.
    fn opened_tuple<'p>(
        &mut self,
        pats: Vec<&'p Pat>,
        types: &[Type],
        value: &Value,
        by_ref: bool,
        span: Span,
    ) -> Result<Opened<'p>, Outside> {
        let is_rest = |pat: &&Pat| matches!(pat, Pat::Rest(_));
        let rest = pats.iter().position(is_rest);
        let is_whole = rest.is_some() || pats.len() == types.len();
        if !is_whole || pats.len() > types.len() + 1 {
            let text = self.text(span);
            return Err(self.outside(span, format!("the pattern `{text}` is not supported")));
        }
        let count = pats.len();
        let mut parts = Vec::new();
        for (nth, pat) in pats.into_iter().enumerate() {
            let at = match rest {
                Some(rest) if nth == rest => continue,
                Some(rest) if nth > rest => types.len() - (count - nth),
                _ => nth,
            };
            let offset = types[..at].iter().map(Type::size).sum();
            let part = match &value.repr {
                Repr::At(lvalue) => Value::at(types[at].clone(), field(lvalue.clone(), offset)),
                repr => Value {
                    ty: types[at].clone(),
                    repr: repr.clone(),
                },
            };
            parts.push((pat, part, by_ref));
        }
        Ok((None, parts))
    }

    fn equals_path(&mut self, path: &syn::Path, value: Value, span: Span) -> Result<Expr, Outside> {
        let is_none = path
            .segments
            .last()
            .is_some_and(|last| last.ident == "None");
        if is_none && value.ty.is_link() {
            let (pointer, _) = self.as_scalar(value, span)?;
            return Ok(super::pointers::not_some(pointer, blank(span)));
        }
        if let (Type::Option(_), Repr::At(lvalue)) = (&value.ty, &value.repr)
            && path
                .segments
                .last()
                .is_some_and(|last| last.ident == "None")
        {
            return Ok(not(load(lvalue.clone(), Scalar::Bool, span)));
        }
        if let Type::Struct(_) = value.ty {
            return Ok(truth(true, span));
        }
        if let Type::Enum(of) = &value.ty {
            // Patterns compare without `PartialEq`.
            let Some((number, ty)) = self.variant(path, span)? else {
                return Err(self.outside(
                    span,
                    format!("`{}` is not a variant of `{}`", self.text(span), of.name),
                ));
            };
            self.unify(&value.ty.clone(), &ty, span)?;
            let (expr, _) = self.as_scalar(value, span)?;
            let number = super::build::constant(number, expr.ty, span);
            return Ok(compare(BinaryOp::Eq, expr, number));
        }
        let constant = self.named(path, span)?;
        let constant = self.loaded(constant, span);
        self.equal(value, constant, span)
    }

    fn in_range(&mut self, of: &syn::PatRange, value: &Value, span: Span) -> Result<Expr, Outside> {
        let (expr, ty) = self.as_scalar(value.clone(), span)?;
        let mut all = truth(true, span);
        let bounds: [(&Option<Box<Syntax>>, BinaryOp); 2] = [
            (&of.start, BinaryOp::Ge),
            (
                &of.end,
                match of.limits {
                    RangeLimits::HalfOpen(_) => BinaryOp::Lt,
                    RangeLimits::Closed(_) => BinaryOp::Le,
                },
            ),
        ];
        for (bound, op) in bounds {
            if let Some(bound) = bound {
                let bound = self.typed(bound, &ty)?;
                all = super::build::both(all, compare(op, expr.clone(), bound));
            }
        }
        Ok(all)
    }
}

/// A place in the source where nothing is written.
fn blank(span: Span) -> Span {
    Span {
        end: span.start,
        ..span
    }
}
