//! Expressions.

use super::build::{self, Value};
use super::initializers::is_string;
use super::scopes::Symbol;
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator, literals, names};
use crate::ir::{Expr, ExprKind, LogicalOp, Lvalue, Scalar, Statement};

impl Translator<'_> {
    /// The value of an expression. Arrays are pointers to their first elements.
    pub(super) fn value(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let span = syntax.span();
        match syntax.kind() {
            "parenthesized_expression" => self.value(self.only(syntax)?),
            "number_literal" => self.number_literal(syntax),
            "char_literal" => match literals::character(syntax.text().trim()) {
                Some(value) => Ok(self.written_number(value, &Type::INT, syntax)),
                None => self.outside(
                    syntax,
                    format!("the character {} is not supported", self.written(syntax)),
                ),
            },
            "true" => Ok(integer(1, &Type::INT, syntax)),
            "false" => Ok(integer(0, &Type::INT, syntax)),
            "null" => Ok(Value {
                expr: build::null(span),
                ty: Type::Void.pointer(),
            }),
            "identifier" => self.name(syntax),
            "string_literal"
            | "concatenated_string"
            | "subscript_expression"
            | "field_expression"
            | "compound_literal_expression" => self.loaded(syntax),
            "pointer_expression" if syntax.operator() == "&" => self.address_of(syntax),
            "pointer_expression" => self.loaded(syntax),
            "unary_expression" => {
                let operand = self.argument_of(syntax)?;
                self.unary(syntax.operator(), operand, syntax)
            }
            "binary_expression" => self.binary_expression(syntax),
            "conditional_expression" => self.conditional(syntax),
            "comma_expression" => {
                let (left, right) = self.sides(syntax)?;
                let mut statements = Vec::new();
                self.effects(left, &mut statements)?;
                let Value { expr, ty } = self.value(right)?;
                Ok(Value {
                    expr: build::block(statements, expr),
                    ty,
                })
            }
            "assignment_expression" => self.assignment_value(syntax),
            "update_expression" => self.update_value(syntax),
            "cast_expression" => {
                let (Some(ty), Some(value)) = (syntax.field("type"), syntax.field("value")) else {
                    return self.outside(syntax, "this cast is not supported");
                };
                let ty = self.type_name(ty)?;
                self.cast(value, ty, syntax)
            }
            "sizeof_expression" => self.size_of(syntax),
            "call_expression" => self.call(syntax),
            _ => self.outside(
                syntax,
                format!("`{}` is not supported", self.written(syntax)),
            ),
        }
    }

    /// The only child.
    fn only<'n>(&self, syntax: Syntax<'n>) -> Translated<Syntax<'n>> {
        match syntax.children().as_slice() {
            [only] => Ok(*only),
            _ => self.outside(
                syntax,
                format!("`{}` is not supported", self.written(syntax)),
            ),
        }
    }

    /// The operand.
    pub(super) fn argument_of<'n>(&self, syntax: Syntax<'n>) -> Translated<Syntax<'n>> {
        let argument = syntax.field("argument");
        argument.ok_or_else(|| self.error(syntax, "this expression has no operand"))
    }

    /// Both operands.
    pub(super) fn sides<'n>(&self, syntax: Syntax<'n>) -> Translated<(Syntax<'n>, Syntax<'n>)> {
        let sides = syntax.field("left").zip(syntax.field("right"));
        sides.ok_or_else(|| self.error(syntax, "this expression lacks an operand"))
    }

    fn number_literal(&self, syntax: Syntax<'_>) -> Translated<Value> {
        let text = syntax.text().trim();
        match literals::integer(text) {
            Some((value, ty)) => Ok(self.written_number(value, &ty, syntax)),
            None if !names::is_integer(text) => self.outside(
                syntax,
                format!("`{text}` is a floating-point number, and these are not supported"),
            ),
            None => self.outside(syntax, format!("the number `{text}` is not supported")),
        }
    }

    fn name(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        if let Some(constant) = syntax.constant() {
            return self.macro_constant(&constant, syntax);
        }
        let name = syntax.text();
        self.check_name(name)?;
        match self.symbol(name) {
            Some(Symbol::Variable {
                ty,
                constant: Some(constant),
                ..
            }) if self.is_folding => Ok(integer(*constant, &ty.clone(), syntax)),
            Some(Symbol::Variable { .. } | Symbol::Row { .. }) => self.loaded(syntax),
            Some(Symbol::Enumerator(of)) => {
                let of = of.clone();
                Ok(self.enumerated(of, syntax))
            }
            Some(Symbol::Routine(_)) => {
                self.outside(syntax, "pointers to functions are not supported")
            }
            Some(Symbol::Type(_)) => self.outside(syntax, format!("`{name}` is a type")),
            None => match names::constant(name) {
                Some((value, ty)) => Ok(integer(value, &ty, syntax)),
                None => self.outside(syntax, format!("`{name}` is not known")),
            },
        }
    }

    /// The value of something that can be assigned to.
    fn loaded(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let span = syntax.span();
        let (lvalue, ty) = self.lvalue(syntax)?;
        match (&ty, ty.scalar()) {
            (Type::Array(element, _), _) => {
                let cells = self.types.cells(&ty);
                Ok(Value {
                    expr: build::part_address(lvalue, cells, span),
                    ty: Type::Pointer(element.clone()),
                })
            }
            (_, Some(scalar)) => Ok(Value {
                expr: build::load(lvalue, scalar, span),
                ty,
            }),
            _ => {
                let name = self.types.name(&ty);
                self.outside(
                    syntax,
                    format!(
                        "`{}` has the type `{name}`, which is not supported here",
                        self.written(syntax)
                    ),
                )
            }
        }
    }

    /// What an expression that can be assigned to denotes.
    pub(super) fn lvalue(&mut self, syntax: Syntax<'_>) -> Translated<(Lvalue, Type)> {
        match syntax.kind() {
            "parenthesized_expression" => self.lvalue(self.only(syntax)?),
            "identifier" if syntax.constant().is_none() => match self.symbol(syntax.text()) {
                Some(Symbol::Variable { id, ty, .. }) => Ok((Lvalue::Variable(*id), ty.clone())),
                Some(Symbol::Row { pointer, ty }) => {
                    let of = Lvalue::Variable(*pointer);
                    let pointer = build::load(of, Scalar::Pointer, syntax.span());
                    Ok((Lvalue::Deref(pointer), ty.clone()))
                }
                _ => {
                    self.check_name(syntax.text())?;
                    self.outside(syntax, format!("`{}` is not a variable", syntax.text()))
                }
            },
            "string_literal" | "concatenated_string" => self.string_variable(syntax),
            "pointer_expression" if syntax.operator() == "*" => {
                let argument = self.argument_of(syntax)?;
                let pointer = self.value(argument)?;
                match pointer.ty {
                    Type::Pointer(target) => {
                        Ok((build::dereferenced(pointer.expr), (*target).clone()))
                    }
                    _ => self.outside(
                        syntax,
                        format!("`{}` is not a pointer", self.written(argument)),
                    ),
                }
            }
            "subscript_expression" => self.element(syntax),
            "field_expression" => self.field(syntax),
            "compound_literal_expression" => self.outside(
                syntax,
                format!(
                    "`{}` is a compound literal, which is not supported",
                    self.written(syntax)
                ),
            ),
            // A structure may also be copied from there, or a part of it read.
            _ => self.outside(
                syntax,
                format!(
                    "`{}` is not supported where a variable is needed",
                    self.written(syntax)
                ),
            ),
        }
    }

    fn element(&mut self, syntax: Syntax<'_>) -> Translated<(Lvalue, Type)> {
        let array = self.argument_of(syntax)?;
        let Some(index) = syntax.field("index") else {
            return self.outside(syntax, "this element has no index");
        };
        // `i[a]` is `a[i]`.
        let (first, index) = match self.array(array)? {
            Some(first) => (Some(first), index),
            None => (self.array(index)?, array),
        };
        let Some((array, element, length)) = first else {
            return self.outside(array, format!("`{}` is not an array", self.written(array)));
        };
        let number = self.value(index)?;
        let number = self.number(number, index)?;
        let Some(stride) = self.types.cells(&element) else {
            return self.outside(syntax, "the size of the elements is not known");
        };
        let lvalue = Lvalue::Index {
            array: Box::new(array),
            index: number.expr,
            length,
            stride,
        };
        Ok((lvalue, element))
    }

    /// The first element of an array or of what a pointer points to, its type, and how many there are.
    fn array(&mut self, syntax: Syntax<'_>) -> Translated<Option<(Lvalue, Type, Option<u32>)>> {
        let inner = syntax.without_parentheses();
        let is_object = matches!(inner.kind(), "subscript_expression" | "field_expression")
            || inner.kind() == "pointer_expression" && inner.operator() == "*"
            || is_string(inner)
            || inner.constant().is_none()
                && matches!(
                    self.symbol(inner.text()),
                    Some(Symbol::Variable { .. } | Symbol::Row { .. })
                );
        if is_object {
            let (lvalue, ty) = self.lvalue(inner)?;
            return Ok(match ty {
                Type::Array(element, length) => Some((lvalue, (*element).clone(), length)),
                Type::Pointer(element) => {
                    let pointer = build::load(lvalue, Scalar::Pointer, inner.span());
                    Some((Lvalue::Deref(pointer), (*element).clone(), None))
                }
                _ => None,
            });
        }
        let pointer = self.value(inner)?;
        Ok(match pointer.ty {
            Type::Pointer(element) => {
                Some((build::dereferenced(pointer.expr), (*element).clone(), None))
            }
            _ => None,
        })
    }

    fn field(&mut self, syntax: Syntax<'_>) -> Translated<(Lvalue, Type)> {
        let of = self.argument_of(syntax)?;
        let Some(name) = syntax.field("field") else {
            return self.outside(syntax, "this field has no name");
        };
        let (structure, ty) = if syntax.operator() == "->" {
            let pointer = self.value(of)?;
            match pointer.ty {
                Type::Pointer(target) => (build::dereferenced(pointer.expr), (*target).clone()),
                _ => return self.outside(of, format!("`{}` is not a pointer", self.written(of))),
            }
        } else {
            self.lvalue(of)?
        };
        let fields = match ty {
            Type::Struct(index) => self.types.structures[index].fields.as_ref(),
            _ => None,
        };
        let field = fields.and_then(|fields| fields.iter().find(|field| field.name == name.text()));
        match field {
            Some(field) => Ok((
                Lvalue::Field(Box::new(structure), field.offset),
                field.ty.clone(),
            )),
            None => self.outside(name, format!("there is no field `{}`", name.text())),
        }
    }

    /// `&x`. `&a[i]` is the pointer moved: the element need not exist.
    fn address_of(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let argument = self.argument_of(syntax)?;
        let span = syntax.span();
        let (lvalue, ty) = self.lvalue(argument)?;
        let expr = match lvalue {
            Lvalue::Index {
                array,
                index,
                stride,
                length,
            } => {
                let by = build::cast(index, Scalar::LONG);
                let cells = length.and_then(|length| length.checked_mul(stride));
                let array = build::part_address(*array, cells, span);
                build::offset(array, by, stride, span)
            }
            lvalue @ Lvalue::Deref(_) => build::address(lvalue, span),
            lvalue => build::part_address(lvalue, self.types.cells(&ty), span),
        };
        Ok(Value {
            expr,
            ty: ty.pointer(),
        })
    }

    /// An expression as a condition.
    pub(super) fn condition(&mut self, syntax: Syntax<'_>) -> Translated<Expr> {
        let value = self.value(syntax)?;
        if value.ty.scalar().is_none() {
            return self.outside(syntax, format!("`{}` has no value", self.written(syntax)));
        }
        Ok(build::truth(value.expr))
    }

    fn binary_expression(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let (left, right) = self.sides(syntax)?;
        let op = match syntax.operator() {
            "&&" => LogicalOp::And,
            "||" => LogicalOp::Or,
            operator => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                return self.binary(operator, left, right, syntax);
            }
        };
        let left = self.condition(left)?;
        let node = self.node();
        let right = self.condition(right)?;
        let expr = Expr {
            kind: ExprKind::Logical(op, node, Box::new(left), Box::new(right)),
            ty: Scalar::Bool,
            span: self.own_span(syntax),
        };
        Ok(Value {
            expr: build::used_at(expr, syntax.span()),
            ty: Type::INT,
        })
    }

    fn alternatives<'n>(
        &self,
        syntax: Syntax<'n>,
    ) -> Translated<(Syntax<'n>, Syntax<'n>, Syntax<'n>)> {
        let parts = (
            syntax.field("condition"),
            syntax.field("consequence"),
            syntax.field("alternative"),
        );
        match parts {
            (Some(condition), Some(yes), Some(no)) => Ok((condition, yes, no)),
            _ => self.outside(syntax, "`?:` without its second operand is not supported"),
        }
    }

    /// `?:` whose value is not used: a branch.
    fn either_effect(
        &mut self,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let (condition, yes, no) = self.alternatives(syntax)?;
        let condition = self.condition(condition)?;
        let node = self.node();
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        self.effects(yes, &mut then)?;
        self.effects(no, &mut otherwise)?;
        statements.push(Statement::If {
            node,
            place: None,
            condition,
            then,
            otherwise,
        });
        Ok(())
    }

    fn conditional(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let (condition, yes, no) = self.alternatives(syntax)?;
        let condition = self.condition(condition)?;
        let node = self.node();
        let (left, right) = (self.value(yes)?, self.value(no)?);
        let (left, right, ty) = if left.ty.is_number() && right.ty.is_number() {
            if left.expr.ty == Scalar::Bool && right.expr.ty == Scalar::Bool {
                (left.expr, right.expr, Type::INT)
            } else {
                let ty = left.ty.common(&right.ty);
                (
                    self.convert(left, &ty, yes)?,
                    self.convert(right, &ty, no)?,
                    ty,
                )
            }
        } else {
            let ty = match (&left.ty, &right.ty) {
                (Type::Pointer(target), _) if **target != Type::Void => left.ty.clone(),
                (_, Type::Pointer(_)) => right.ty.clone(),
                _ => left.ty.clone(),
            };
            (
                self.convert(left, &ty, yes)?,
                self.convert(right, &ty, no)?,
                ty,
            )
        };
        Ok(Value {
            expr: Expr {
                ty: left.ty,
                kind: ExprKind::Conditional(
                    node,
                    Box::new(condition),
                    Box::new(left),
                    Box::new(right),
                ),
                span: syntax.span(),
            },
            ty,
        })
    }

    /// The value converted to a type, as by an assignment.
    pub(super) fn converted(&mut self, syntax: Syntax<'_>, ty: &Type) -> Translated<Expr> {
        let value = self.value(syntax)?;
        self.convert(value, ty, syntax)
    }

    /// `(ty) value`
    pub(super) fn cast(
        &mut self,
        value: Syntax<'_>,
        ty: Type,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        if ty == Type::Void {
            let mut statements = Vec::new();
            self.effects(value, &mut statements)?;
            return Ok(build::effect(statements, syntax.span()));
        }
        let expr = self.converted(value, &ty)?;
        Ok(Value { expr, ty })
    }

    fn size_of(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let operand = syntax.field("type").or_else(|| syntax.field("value"));
        let Some(operand) = operand else {
            return self.outside(syntax, "this `sizeof` is not supported");
        };
        let ty = self.type_of(operand)?;
        match self.types.layout(&ty) {
            Some((size, _)) => Ok(integer(size.into(), &Type::SIZE, syntax)),
            None => self.outside(
                syntax,
                format!("the size of `{}` is not known", self.types.name(&ty)),
            ),
        }
    }

    /// The type of a type name or of an expression, which is not evaluated.
    fn type_of(&mut self, syntax: Syntax<'_>) -> Translated<Type> {
        let inner = syntax.without_parentheses();
        self.note_size(inner);
        if inner.kind() == "type_descriptor" {
            // The grammar takes a name in parentheses for a type.
            return match self.symbol(inner.text().trim()) {
                Some(Symbol::Variable { ty, .. } | Symbol::Row { ty, .. }) => Ok(ty.clone()),
                _ => self.type_name(inner),
            };
        }
        if let Some(Symbol::Type(ty)) = self.symbol(inner.text()) {
            return Ok(ty.clone());
        }
        self.folding(|this| {
            let is_object = matches!(
                inner.kind(),
                "identifier" | "subscript_expression" | "field_expression"
            ) && inner.constant().is_none()
                || inner.kind() == "pointer_expression" && inner.operator() == "*"
                || is_string(inner);
            let is_enumerator = matches!(this.symbol(inner.text()), Some(Symbol::Enumerator(_)));
            if is_object && !is_enumerator {
                Ok(this.lvalue(inner)?.1)
            } else {
                Ok(this.value(inner)?.ty)
            }
        })
    }

    /// The variable of a string.
    fn string_variable(&mut self, syntax: Syntax<'_>) -> Translated<(Lvalue, Type)> {
        let bytes = self.string(syntax)?;
        let Ok(length) = u32::try_from(bytes.len() + 1) else {
            return self.outside(syntax, "the string is too long");
        };
        let ty = Type::Array(Type::CHAR.into(), Some(length));
        // gcc shares literals with the same text within a translation unit.
        if let Some(id) = self.literals.get(&bytes) {
            return Ok((Lvalue::Variable(*id), ty));
        }
        let cells = self.types.scalars(&ty).unwrap_or_default();
        let id = self.variable(format!("#{}", String::from_utf8_lossy(&bytes)), cells, true);
        if let Some(variable) = self.program.variables.get_mut(id) {
            variable.is_constant = true;
        }
        self.literals.insert(bytes.clone(), id);
        let lvalue = Lvalue::Variable(id);
        let mut statements = Vec::new();
        self.write_bytes(&lvalue, &bytes, &Type::CHAR, syntax, &mut statements);
        self.program.globals.append(&mut statements);
        Ok((lvalue, ty))
    }

    /// The bytes of one or more string literals.
    pub(super) fn string(&self, syntax: Syntax<'_>) -> Translated<Vec<u8>> {
        let parts = if syntax.kind() == "concatenated_string" {
            syntax.children()
        } else {
            vec![syntax]
        };
        let mut bytes = Vec::new();
        for part in parts {
            let unknown = || {
                self.error(
                    part,
                    format!("the string `{}` is not supported", self.written(part)),
                )
            };
            bytes.extend(literals::string(part.text().trim()).ok_or_else(unknown)?);
        }
        Ok(bytes)
    }

    /// Evaluates an expression only for its effects.
    pub(super) fn effects(
        &mut self,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        match syntax.kind() {
            "parenthesized_expression" => self.effects(self.only(syntax)?, statements),
            "comma_expression" => {
                let (left, right) = self.sides(syntax)?;
                self.effects(left, statements)?;
                self.effects(right, statements)
            }
            "assignment_expression" => self.assignment(syntax, statements),
            "update_expression" => self.update(syntax, statements),
            "conditional_expression" => self.either_effect(syntax, statements),
            "cast_expression"
                if syntax
                    .field("type")
                    .is_some_and(|ty| ty.text().trim() == "void") =>
            {
                match syntax.field("value") {
                    Some(value) => self.effects(value, statements),
                    None => Ok(()),
                }
            }
            _ => {
                let value = self.value(syntax)?;
                match value.expr.kind {
                    ExprKind::Block(inner, last) => {
                        statements.extend(inner);
                        if !matches!(last.kind, ExprKind::Constant(_)) {
                            statements.push(Statement::Eval(*last));
                        }
                    }
                    ExprKind::Constant(_) => {}
                    _ => statements.push(Statement::Eval(value.expr)),
                }
                Ok(())
            }
        }
    }
}

/// A constant.
pub(super) fn integer(value: i128, ty: &Type, syntax: Syntax<'_>) -> Value {
    Value {
        expr: build::constant(value, ty.scalar().unwrap_or(Scalar::INT), syntax.span()),
        ty: ty.clone(),
    }
}
