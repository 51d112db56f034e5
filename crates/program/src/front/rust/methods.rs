//! Calls of methods: those of the crate, and those that the language brings along.

use syn::{Expr as Syntax, ExprMethodCall};

use super::body::Body;
use super::build::{Repr, Value};
use super::expressions::bare;
use super::types::Type;
use crate::ir::{Outside, Span};

impl Body<'_, '_> {
    pub fn method_call(
        &mut self,
        of: &ExprMethodCall,
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        if let Some(turbofish) = &of.turbofish {
            return Err(self.outside(self.span(turbofish), "generics are not supported"));
        }
        let arguments: Vec<&Syntax> = of.args.iter().collect();
        self.method(
            &of.receiver,
            &of.method.to_string(),
            &arguments,
            expected,
            span,
        )
    }

    /// `receiver.name(arguments)`
    pub fn method(
        &mut self,
        receiver: &Syntax,
        name: &str,
        arguments: &[&Syntax],
        expected: Option<&Type>,
        span: Span,
    ) -> Result<Value, Outside> {
        let is_place = matches!(
            bare(receiver),
            Syntax::Path(_) | Syntax::Field(_) | Syntax::Index(_) | Syntax::Unary(_)
        );
        // Most methods of integers have a result of the same type.
        let expected = expected.filter(|ty| matches!(ty, Type::Int(_)));
        let is_literal = matches!(bare(receiver), Syntax::Lit(_));
        let at = self.span(receiver);
        let mark = self.mark();
        let receiver = if is_place {
            self.locate(receiver)?
        } else {
            self.value(receiver, expected.filter(|_| is_literal))?
        };
        let value = self.through(receiver.clone(), span)?;
        let owner = match &value.ty {
            Type::Struct(of) => Some((of.name.clone(), of.derives.clone())),
            Type::Enum(of) => Some((of.name.clone(), of.derives.clone())),
            Type::Open { is_int: false, .. } => {
                return Err(self.outside(span, "the type of this is not known here"));
            }
            _ => None,
        };
        if let Some((owner, derives)) = owner {
            let method = format!("{owner}::{name}");
            if let Some(function) = self.find(&method, span)? {
                return self.call_function(&function, Some((value, mark)), arguments, span);
            }
            let is_copy = name == "clone" && derives.iter().any(|derived| derived == "Clone");
            if is_copy && arguments.is_empty() {
                return Ok(self.loaded(value, span));
            }
            if let Some(result) = self.comparing_method(name, &value, arguments, span)? {
                return Ok(result);
            }
            let missing = format!(
                "no `impl {owner}` here has a method `{name}`; default methods of traits are not supported"
            );
            return Err(self.outside(span, missing));
        }
        let found = match &value.ty {
            Type::Raw(to) => {
                let to = to.clone();
                let (pointer, _) = self.as_scalar(value.clone(), at)?;
                self.raw_method(name, (pointer, &to), arguments, span)
            }
            ty if ty.is_link() => self.link_method(name, &value, arguments, (at, span))?,
            Type::Option(_) => match self.comparing_method(name, &value, arguments, span)? {
                None => self.option_method(name, value.clone(), arguments, span)?,
                found => found,
            },
            Type::Array(..) | Type::Slice(_) => {
                self.row_method(name, value.clone(), arguments, span)?
            }
            ty if ty.scalar().is_some() => {
                let (expr, ty) = self.as_scalar(value.clone(), span)?;
                match self.comparing_method(
                    name,
                    &Value::scalar(ty.clone(), expr.clone()),
                    arguments,
                    span,
                )? {
                    None => self.scalar_method(name, (expr, ty), arguments, span)?,
                    found => found,
                }
            }
            Type::Never => Some(Value::never()),
            _ if name == "clone" && arguments.is_empty() => Some(self.loaded(value.clone(), span)),
            _ => None,
        };
        found.ok_or_else(|| {
            let reason = format!("the method `{name}` of `{}` is not supported", value.ty);
            self.outside(span, reason)
        })
    }

    /// `a.eq(&b)` and its kind
    fn comparing_method(
        &mut self,
        name: &str,
        value: &Value,
        arguments: &[&Syntax],
        span: Span,
    ) -> Result<Option<Value>, Outside> {
        use crate::ir::BinaryOp as Op;
        let op = match name {
            "eq" => Op::Eq,
            "ne" => Op::Ne,
            "lt" => Op::Lt,
            "le" => Op::Le,
            "gt" => Op::Gt,
            "ge" => Op::Ge,
            _ => return Ok(None),
        };
        let [other] = arguments else {
            return Ok(None);
        };
        let mut value = value.clone();
        let mark = self.out.len();
        let other = self.value(other, Some(&Type::reference(value.ty.clone())))?;
        self.keep_value(mark, &mut value, span);
        let result = match op {
            Op::Eq => self.equal(value, other, span)?,
            Op::Ne => super::build::not(self.equal(value, other, span)?),
            _ => self.ordered(op, value, other, span)?,
        };
        Ok(Some(Value::scalar(Type::Bool, result)))
    }

    /// The arguments of a method that the language brings along, of these types, and the receiver kept before them.
    pub fn operands<const N: usize>(
        &mut self,
        receiver: &mut Value,
        arguments: &[&Syntax],
        types: [&Type; N],
        span: Span,
    ) -> Result<Option<[crate::ir::Expr; N]>, Outside> {
        if arguments.len() != N {
            return Ok(None);
        }
        let mut operands = Vec::new();
        for (argument, ty) in arguments.iter().zip(types) {
            let mark = self.out.len();
            let operand = self.typed(argument, ty)?;
            self.keep_value(mark, receiver, span);
            self.keep(mark, &mut operands);
            operands.push(operand);
        }
        if let Repr::At(lvalue) = &mut receiver.repr {
            *lvalue = self.steady(lvalue.clone(), span);
        }
        Ok(operands.try_into().ok())
    }
}
