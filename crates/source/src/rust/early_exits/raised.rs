//! The errors that a function raises directly with `?`: `ok_or(E::Empty)?` leaves it like `return Err(E::Empty)`.

use syn::visit::{self, Visit};
use syn::{Block, Expr, Pat};

/// These errors, without `Err`, in source order.
pub fn errors(body: &Block) -> Vec<&Expr> {
    let mut raised = Raised::default();
    raised.visit_block(body);
    raised.0
}

#[derive(Default)]
struct Raised<'ast>(Vec<&'ast Expr>);

impl<'ast> Visit<'ast> for Raised<'ast> {
    fn visit_expr_try(&mut self, tried: &'ast syn::ExprTry) {
        self.0.extend(error(&tried.expr));
        visit::visit_expr_try(self, tried);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The error that an expression raises, if it names the error.
fn error(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Call(call) => {
            let is_error = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Err"));
            call.args.first().filter(|_| is_error)
        }
        Expr::MethodCall(call) => {
            let argument = call.args.first()?;
            match (&*call.method.to_string(), argument) {
                ("ok_or", error) => Some(error),
                // An exit elsewhere does not have the closure's argument.
                ("ok_or_else" | "map_err", Expr::Closure(closure)) => {
                    let mut inputs = closure.inputs.iter();
                    let is_constant = inputs.all(|input| matches!(input, Pat::Wild(_)));
                    is_constant.then_some(&*closure.body)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;

    fn errors(body: &str) -> Vec<String> {
        let block = syn::parse_str(body).unwrap();
        let found = super::errors(&block).into_iter();
        let texts = found.map(|error| error.to_token_stream().to_string());
        texts.map(|text| text.replace(' ', "")).collect()
    }

    #[test]
    fn errors_named_by_the_function_are_found() {
        assert_eq!(
            errors(
                "{ let a = b.ok_or(E::Empty)?; c.ok_or_else(|| E::Long(n))?.d().map_err(|_| E::Odd)?; Err(E::Bad)? }"
            ),
            ["E::Empty", "E::Odd", "E::Long(n)", "E::Bad"]
        );
    }

    #[test]
    fn errors_in_closures_and_other_functions_are_not_raised_here() {
        assert_eq!(errors("{ f()?; g.map_err(|e| E::Of(e))?; }"), [""; 0]);
        assert_eq!(
            errors("{ h(|x| x.ok_or(E::Empty)?); fn i() { j.ok_or(E::Odd)? } }"),
            [""; 0]
        );
    }
}
