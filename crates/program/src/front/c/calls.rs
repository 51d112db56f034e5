//! Calls: of the program's functions and of the library's.

use super::build::{self, Value};
use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator};
use crate::ir::{
    BinaryOp, Builtin, Expr, ExprKind, FaultKind, Initially, Overflow, Scalar, Statement,
};

impl Translator<'_> {
    /// A call.
    pub(super) fn call(&mut self, syntax: Syntax<'_>) -> Translated<Value> {
        let (Some(function), Some(list)) = (syntax.field("function"), syntax.field("arguments"))
        else {
            return self.outside(syntax, "this call is not supported");
        };
        let arguments = list.children();
        if let (Some(ty), [value]) = (cast_to(syntax), arguments.as_slice()) {
            let ty = self.named(ty)?;
            return self.cast(*value, ty, syntax);
        }
        let function = function.without_parentheses();
        let name = function.text();
        if function.kind() != "identifier" {
            return self.outside(function, "calls through pointers are not supported");
        }
        if let Some(routine) = self.routine(name) {
            // Assumptions may be declared, but are defined nowhere.
            let is_defined = self.routines[routine].definition.is_some();
            if is_defined || !is_assumption(name) {
                return self.call_routine(routine, &arguments, syntax);
            }
        }
        self.check_name(name)?;
        if let Some(value) = self.call_builtin(name, &arguments, syntax)? {
            return Ok(value);
        }
        match self.library.get(name) {
            Some(routine) => {
                let routine = *routine;
                self.check_use(name, syntax)?;
                self.call_routine(routine, &arguments, syntax)
            }
            None => {
                // Whoever reads leniently may have no nopol.toml.
                let function = match self.is_lenient {
                    true => "a function of the program",
                    false => "a function in `sources`",
                };
                self.outside(
                    syntax,
                    format!("`{name}` is neither {function} nor a supported library function"),
                )
            }
        }
    }

    /// A call of a function that is defined in C.
    fn call_routine(
        &mut self,
        routine: usize,
        arguments: &[Syntax<'_>],
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let prototype = self.routines[routine].prototype.clone();
        let is_library = self.routines[routine]
            .definition
            .is_some_and(|(item, _)| item.source.is_library);
        let parameters = prototype.parameters.unwrap_or_default();
        if parameters.len() != arguments.len() {
            let name = &self.routines[routine].name;
            return self.outside(
                syntax,
                format!("`{name}` is called with the wrong number of arguments"),
            );
        }
        let mut values = Vec::new();
        for (argument, (_, ty)) in arguments.iter().zip(&parameters) {
            let value = self.converted(*argument, ty)?;
            values.push(if is_library {
                value
            } else {
                self.argument(value, ty, *argument)
            });
        }
        let node = self.node();
        let function = self.function_of(routine);
        Ok(Value {
            expr: Expr {
                kind: ExprKind::Call(node, function, values),
                ty: prototype.result.scalar().unwrap_or(Scalar::INT),
                span: syntax.span(),
            },
            ty: prototype.result,
        })
    }

    /// A call of what is not C text; `None` if it is nothing that is known.
    fn call_builtin(
        &mut self,
        name: &str,
        arguments: &[Syntax<'_>],
        syntax: Syntax<'_>,
    ) -> Translated<Option<Value>> {
        let span = syntax.span();
        let builtin = match (name, arguments) {
            ("printf", [format, rest @ ..]) => self.print(*format, rest, syntax)?,
            ("fprintf", [file, format, rest @ ..]) => {
                self.print_to(*file, *format, rest, syntax)?
            }
            ("puts", [text]) => self.put_text(*text, None, true, syntax)?,
            ("fputs", [text, file]) => self.put_text(*text, Some(*file), false, syntax)?,
            ("putchar", [value]) => self.put_character(*value, None, syntax)?,
            ("putc" | "fputc", [value, file]) => self.put_character(*value, Some(*file), syntax)?,
            ("scanf", [format, rest @ ..]) => self.scan(*format, rest, syntax)?,
            ("fscanf", [file, format, rest @ ..]) => {
                self.input(*file)?;
                self.scan(*format, rest, syntax)?
            }
            ("getchar", []) => self.builtin(Builtin::ReadByte, Vec::new(), &Type::INT, syntax),
            ("getc" | "fgetc", [file]) => {
                self.input(*file)?;
                self.builtin(Builtin::ReadByte, Vec::new(), &Type::INT, syntax)
            }
            ("fgets", [buffer, size, file]) => {
                self.input(*file)?;
                self.read_line(*buffer, *size, syntax)?
            }
            ("fread", [buffer, size, count, file]) => {
                self.input(*file)?;
                return self
                    .call_text("#fread", &[*buffer, *size, *count], syntax)
                    .map(Some);
            }
            ("atoi", [text]) => self.parse_number(*text, &Type::INT, syntax)?,
            ("atol" | "atoll", [text]) => self.parse_number(*text, &Type::LONG, syntax)?,
            ("strtol" | "strtoll", [text, end, base]) => {
                if self.constant(*base)?.0 != 10 {
                    return self.outside(*base, "only base 10 is supported");
                }
                let pointer = self.value(*end)?;
                if !Self::is_null(&pointer) {
                    return self.call_text("#strtol", &[*text, *end], syntax).map(Some);
                }
                self.parse_number(*text, &Type::LONG, syntax)?
            }
            ("exit", [code]) => {
                let code = self.converted(*code, &Type::INT)?;
                let mut value = self.builtin(Builtin::Exit, vec![code], &Type::INT, syntax);
                value.ty = Type::Void;
                value
            }
            ("abort", []) => {
                let never = build::constant(0, Scalar::Bool, span);
                build::effect(vec![Statement::Assert(never, FaultKind::Abort)], span)
            }
            (_, [condition]) if is_assumption(name) => {
                let condition = self.condition(*condition)?;
                build::effect(vec![Statement::Assume(condition)], span)
            }
            ("assert", [condition]) => {
                let condition = self.condition(*condition)?;
                build::effect(
                    vec![Statement::Assert(condition, FaultKind::Assertion)],
                    span,
                )
            }
            ("fflush", [_]) => build::effect(Vec::new(), span),
            ("malloc", [size]) => {
                let bytes = self.converted(*size, &Type::SIZE)?;
                self.untyped_memory(bytes, Initially::Unset, syntax)
            }
            ("calloc", [count, size]) => {
                let count = self.converted(*count, &Type::SIZE)?;
                let size = self.converted(*size, &Type::SIZE)?;
                let scalar = size.ty;
                let bytes =
                    build::binary(BinaryOp::Mul, Overflow::Fault, count, size, scalar, span);
                self.untyped_memory(bytes, Initially::Zero, syntax)
            }
            ("free", [pointer]) => {
                let pointer = self.value(*pointer)?.expr;
                self.builtin(Builtin::Free, vec![pointer], &Type::Void, syntax)
            }
            ("memset", [target, byte, size]) => self.set_memory(*target, *byte, *size, syntax)?,
            ("memcpy" | "memmove", [target, source, size]) => {
                let may_overlap = name == "memmove";
                self.copy_memory(*target, *source, *size, may_overlap, syntax)?
            }
            ("library_apart", [to, cells, from, others]) if syntax.source.is_library => {
                let (to, from) = (self.value(*to)?.expr, self.value(*from)?.expr);
                let cells = self.converted(*cells, &Type::SIZE)?;
                let others = self.converted(*others, &Type::SIZE)?;
                let are_apart = self.are_apart((to, cells), (from, others), span);
                let assertion = Statement::Assert(are_apart, FaultKind::Overlap);
                build::effect(vec![assertion], span)
            }
            ("library_character", [value]) if syntax.source.is_library => {
                let value = self.converted(*value, &Type::INT)?;
                build::effect(self.character(value, span), span)
            }
            ("library_present", [pointer]) if syntax.source.is_library => {
                let pointer = self.value(*pointer)?.expr;
                build::effect(vec![build::present(pointer, span)], span)
            }
            _ => return Ok(None),
        };
        Ok(Some(builtin))
    }

    /// A call of a function of the library's text that C does not know by this name.
    fn call_text(
        &mut self,
        name: &str,
        arguments: &[Syntax<'_>],
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        match self.library.get(&name.replace('#', "library_")) {
            Some(routine) => self.call_routine(*routine, arguments, syntax),
            None => self.outside(syntax, format!("`{name}` is not supported")),
        }
    }

    /// A builtin that returns something.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        values: Vec<Expr>,
        ty: &Type,
        syntax: Syntax<'_>,
    ) -> Value {
        Value {
            expr: Expr {
                kind: ExprKind::Builtin(self.node(), builtin, values),
                ty: ty.scalar().unwrap_or(Scalar::INT),
                span: syntax.span(),
            },
            ty: ty.clone(),
        }
    }

    fn parse_number(
        &mut self,
        text: Syntax<'_>,
        ty: &Type,
        syntax: Syntax<'_>,
    ) -> Translated<Value> {
        let text = self.converted(text, &Type::CHAR.pointer())?;
        Ok(self.builtin(Builtin::ParseInt, vec![text], ty, syntax))
    }
}

/// The type of a cast that the grammar takes for a call, because it does not know the type: `(_Bool)(x)`.
pub(super) fn cast_to(call: Syntax<'_>) -> Option<Syntax<'_>> {
    let function = call.field("function")?;
    let ty = function.without_parentheses();
    let is_cast = function.kind() == "parenthesized_expression" && ty.text() == "_Bool";
    is_cast.then_some(ty)
}

/// Whether a function of this name ends runs for which its argument is false: as CBMC, KLEE and the verification
/// competition (SV-COMP) call it.
pub(super) fn is_assumption(name: &str) -> bool {
    matches!(
        name,
        "__CPROVER_assume" | "__VERIFIER_assume" | "klee_assume" | "assume"
    )
}
