//! Input and output.

use super::build::{self, Value};
use super::formats::{self, Argument, Piece};
use super::initializers::is_string;
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{Builtin, Conversion, Expr, ExprKind, Lvalue, Scalar, Statement};

impl Translator<'_> {
    /// The format, which must be known.
    fn format(&self, syntax: Syntax<'_>, is_input: bool) -> Translated<Vec<Piece>> {
        let literal = syntax.without_parentheses();
        if !is_string(literal) {
            return self.outside(syntax, "the format is not a string literal");
        }
        let bytes = self.string(literal)?;
        formats::pieces(&bytes, is_input).map_err(|conversion| {
            self.error(
                syntax,
                format!("the conversion `{conversion}` is not supported"),
            )
        })
    }

    /// `printf`
    pub(super) fn print(
        &mut self,
        format: Syntax<'_>,
        rest: &[Syntax<'_>],
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let mut arguments = rest.iter();
        let mut conversions = Vec::new();
        let mut values = Vec::new();
        for piece in self.format(format, false)? {
            if let Some(expected) = piece.argument {
                let Some(argument) = arguments.next() else {
                    return self.outside(
                        syntax,
                        "the format has more conversions than there are arguments",
                    );
                };
                let value = self.printed(expected, *argument)?;
                values.push(value);
            }
            conversions.push(piece.conversion);
        }
        if let Some(argument) = arguments.next() {
            return self.outside(*argument, "the format has no conversion for this argument");
        }
        Ok(self.output(conversions, values, syntax))
    }

    fn printed(&mut self, expected: Argument, argument: Syntax<'_>) -> Translated<Expr> {
        let value = self.value(argument)?;
        let is_character = matches!(expected, Argument::Character);
        let ty = match expected {
            Argument::Text => Type::CHAR.pointer(),
            Argument::Character => Type::INT,
            Argument::Number(ty) => {
                let promoted = value.ty.promoted();
                let is_wrong = match (promoted.scalar(), ty.promoted().scalar()) {
                    (Some(given), Some(wanted)) => given.bits() != wanted.bits(),
                    _ => true,
                };
                // On a 64-bit machine the low half of the register is printed; the high half of an `int` is not known.
                if is_wrong
                    && (!value.ty.is_number()
                        || promoted == Type::INT
                        || promoted == Type::integer(32, false))
                {
                    let (name, written) = (self.types.name(&value.ty), self.written(argument));
                    let reason = match value.ty == Type::Void {
                        true => format!("the value of `{written}` is not supported"),
                        false => {
                            format!("`{written}` of the type `{name}` does not fit its conversion")
                        }
                    };
                    return self.outside(argument, reason);
                }
                ty
            }
        };
        let of = value.ty.clone();
        let value = self.convert(value, &ty, argument)?;
        Ok(self.printed_argument(value, &of, argument, is_character))
    }

    /// What prints, and has no value that is known.
    fn output(
        &mut self,
        conversions: Vec<Conversion>,
        values: Vec<Expr>,
        syntax: Syntax<'_>,
    ) -> Value {
        let mut value = self.builtin(Builtin::Print(conversions), values, &Type::INT, syntax);
        value.ty = Type::Void;
        value
    }

    /// `fprintf`: what goes to standard error is only evaluated.
    pub(super) fn print_to(
        &mut self,
        file: Syntax<'_>,
        format: Syntax<'_>,
        rest: &[Syntax<'_>],
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        if self.is_output(Some(file))? {
            return self.print(format, rest, syntax);
        }
        let mut statements = Vec::new();
        for argument in rest {
            let value = self.value(*argument)?;
            statements.push(Statement::Eval(value.expr));
        }
        Ok(build::effect(statements, syntax.span()))
    }

    /// Whether it is standard output, and not standard error.
    fn is_output(&self, file: Option<Syntax<'_>>) -> Translated<bool> {
        match file {
            None => Ok(true),
            Some(file) => match file.text().trim() {
                "stdout" => Ok(true),
                "stderr" => Ok(false),
                _ => self.outside(file, "only standard input and output are supported"),
            },
        }
    }

    /// Fails unless it is standard input.
    pub(super) fn input(&self, file: Syntax<'_>) -> Translated<()> {
        match file.text().trim() {
            "stdin" => Ok(()),
            _ => self.outside(file, "only standard input and output are supported"),
        }
    }

    /// `puts` and `fputs`
    pub(super) fn put_text(
        &mut self,
        text: Syntax<'_>,
        file: Option<Syntax<'_>>,
        ends_line: bool,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let value = self.converted(text, &Type::CHAR.pointer())?;
        if !self.is_output(file)? {
            return Ok(build::effect(vec![Statement::Eval(value)], syntax.span()));
        }
        let value = self.argument(value, &Type::CHAR.pointer(), text);
        let mut conversions = vec![Conversion::Str];
        if ends_line {
            conversions.push(Conversion::Text(b"\n".to_vec()));
        }
        Ok(self.output(conversions, vec![value], syntax))
    }

    /// `putchar` and `putc`
    pub(super) fn put_character(
        &mut self,
        character: Syntax<'_>,
        file: Option<Syntax<'_>>,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let value = self.converted(character, &Type::INT)?;
        if !self.is_output(file)? {
            return Ok(build::effect(vec![Statement::Eval(value)], syntax.span()));
        }
        let value = self.printed_argument(value, &Type::INT, character, true);
        Ok(self.output(vec![Conversion::Char], vec![value], syntax))
    }

    /// `scanf`
    pub(super) fn scan(
        &mut self,
        format: Syntax<'_>,
        targets: &[Syntax<'_>],
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let mut targets = targets.iter();
        let mut conversions = Vec::new();
        let mut values = Vec::new();
        for piece in self.format(format, true)? {
            let mut conversion = piece.conversion;
            if let Some(expected) = piece.argument {
                let Some(target) = targets.next() else {
                    return self.outside(
                        syntax,
                        "the format has more conversions than there are arguments",
                    );
                };
                let value = self.value(*target)?;
                let cell = match &value.ty {
                    Type::Pointer(cell) => (**cell).clone(),
                    _ => {
                        return self.outside(
                            *target,
                            format!("`{}` is not a pointer", self.written(*target)),
                        );
                    }
                };
                let fits = match (&expected, &mut conversion, cell.scalar()) {
                    (Argument::Number(wanted), Conversion::Int { ty, .. }, Some(scalar))
                        if cell.is_number() =>
                    {
                        *ty = scalar;
                        wanted
                            .scalar()
                            .is_some_and(|wanted| wanted.bits() == scalar.bits())
                    }
                    (Argument::Character, ..) => cell == Type::CHAR,
                    // `&text` of an array is what `text` is.
                    (Argument::Text, ..) => match &cell {
                        Type::Array(element, _) => **element == Type::CHAR,
                        cell => *cell == Type::CHAR,
                    },
                    _ => false,
                };
                if !fits {
                    return self.outside(
                        *target,
                        format!("`{}` does not fit its conversion", self.written(*target)),
                    );
                }
                values.push(value.expr);
            }
            conversions.push(conversion);
        }
        if let Some(target) = targets.next() {
            return self.outside(*target, "the format has no conversion for this argument");
        }
        Ok(self.builtin(Builtin::Scan(conversions), values, &Type::INT, syntax))
    }

    /// `fgets`
    pub(super) fn read_line(
        &mut self,
        buffer: Syntax<'_>,
        size: Syntax<'_>,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let span = syntax.span();
        let ty = Type::CHAR.pointer();
        let pointer = self.converted(buffer, &ty)?;
        let size = self.converted(size, &Type::INT)?;
        let mut statements = Vec::new();
        let pointer = self.temporary("buffer", pointer, &mut statements);
        let pointer = build::load(Lvalue::Variable(pointer), Scalar::Pointer, span);
        let was_read = self.builtin(
            Builtin::ReadLine,
            vec![pointer.clone(), size],
            &Type::Bool,
            syntax,
        );
        let result = Expr {
            kind: ExprKind::Conditional(
                self.node(),
                Box::new(was_read.expr),
                Box::new(pointer),
                Box::new(build::null(span)),
            ),
            ty: Scalar::Pointer,
            span,
        };
        Ok(Value {
            expr: build::block(statements, result),
            ty,
        })
    }
}
