//! Macros: assertions, panics, `matches!`. What is printed does not matter to a test.

use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr as Syntax, Macro, Pat, Token};

use super::body::Body;
use super::build::{Value, not};
use super::types::Type;
use crate::ir::{FaultKind, Outside, Span, Statement};

impl Body<'_, '_> {
    pub fn macro_call(&mut self, mac: &Macro, span: Span) -> Result<Value, Outside> {
        let name = mac.path.segments.last().map(|last| last.ident.to_string());
        let name = name.unwrap_or_default();
        if self.front.items.has_macro(&name) {
            return Err(self.outside(span, format!("the macro `{name}!` is not supported")));
        }
        match name.trim_start_matches("debug_") {
            "assert" => {
                let arguments = self.arguments(mac, span)?;
                let Some(condition) = arguments.first() else {
                    return Err(self.outside(span, "`assert!` has no condition"));
                };
                let condition = self.typed(condition, &Type::Bool)?;
                self.out
                    .push(Statement::Assert(condition, FaultKind::Assertion));
                Ok(Value::unit())
            }
            kind @ ("assert_eq" | "assert_ne") => {
                let arguments = self.arguments(mac, span)?;
                let [left, right, ..] = &*arguments else {
                    return Err(self.outside(span, format!("`{name}!` needs two values")));
                };
                let mut a = self.value(left, None)?;
                let mark = self.out.len();
                let expected = self.compared_type(&a.ty, right);
                let b = self.value(right, Some(&expected))?;
                self.keep_value(mark, &mut a, span);
                let is_equal = self.equal(a, b, span)?;
                let condition = if kind == "assert_eq" {
                    is_equal
                } else {
                    not(is_equal)
                };
                self.out
                    .push(Statement::Assert(condition, FaultKind::Assertion));
                Ok(Value::unit())
            }
            "panic" | "unreachable" | "todo" | "unimplemented" => Ok(self.panic(span)),
            "matches" => {
                let parts = matching.parse2(mac.tokens.clone());
                let (scrutinee, pat, guard) =
                    parts.map_err(|_| self.outside(span, "`matches!` cannot be parsed"))?;
                self.matches(&scrutinee, &pat, guard.as_ref(), span)
            }
            "println" | "print" | "eprintln" | "eprint" => {
                for argument in self.arguments(mac, span)?.iter().skip(1) {
                    let value = match argument {
                        Syntax::Assign(named) => &named.right,
                        other => other,
                    };
                    let value = self.value(value, None)?;
                    let value = self.through(value, span)?;
                    if value.ty.scalar().is_none() {
                        let reason = format!("printing a `{}` is not supported", value.ty);
                        return Err(self.outside(span, reason));
                    }
                    self.discard(value, span);
                }
                Ok(Value::unit())
            }
            _ => Err(self.outside(span, format!("the macro `{name}!` is not supported"))),
        }
    }

    fn arguments(&self, mac: &Macro, span: Span) -> Result<Vec<Syntax>, Outside> {
        let parser = Punctuated::<Syntax, Token![,]>::parse_terminated;
        let arguments = parser.parse2(mac.tokens.clone());
        let arguments = arguments.map_err(|error| {
            self.outside(
                span,
                format!("the arguments of a macro cannot be parsed: {error}"),
            )
        })?;
        Ok(arguments.into_iter().collect())
    }
}

/// The parts of `matches!`: what is matched, the pattern and the condition.
pub(super) fn matches_of(mac: &Macro) -> syn::Result<(Syntax, Pat, Option<Syntax>)> {
    let (scrutinee, pat, guard) = matching.parse2(mac.tokens.clone())?;
    Ok(match pat {
        Pat::Guard(of) => (scrutinee, *of.pat, Some(*of.guard)),
        pat => (scrutinee, pat, guard),
    })
}

/// The arguments of `matches!`.
fn matching(input: ParseStream) -> syn::Result<(Syntax, Pat, Option<Syntax>)> {
    let scrutinee = input.parse()?;
    input.parse::<Token![,]>()?;
    let pat = Pat::parse_multi_with_leading_vert(input)?;
    let guard = match input.parse::<Option<Token![if]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    input.parse::<Option<Token![,]>>()?;
    Ok((scrutinee, pat, guard))
}
