//! Properties of conditions, patterns and statements that their syntax shows.

use syn::{BinOp, Block, Expr, Pat, Stmt};

use crate::rust::types::macro_name;
use crate::rust::values::is_conditional;

/// Whether a condition binds names.
pub fn has_let(condition: &Expr) -> bool {
    let mut operands = Vec::new();
    chain_operands(condition, &mut operands);
    operands
        .iter()
        .any(|operand| matches!(operand, Expr::Let(_)))
}

/// The operands of the top-level `&&`s, left to right.
pub fn chain_operands<'a>(condition: &'a Expr, operands: &mut Vec<&'a Expr>) {
    match condition {
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            chain_operands(&binary.left, operands);
            chain_operands(&binary.right, operands);
        }
        _ => operands.push(condition),
    }
}

/// Whether the syntax shows that a statement leaves the block, other than by `return`, `break` or `continue`.
fn diverges(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) | Expr::Verbatim(_) => true,
        Expr::Macro(call) => !matches!(macro_name(&call.mac).as_str(), "write" | "writeln"),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "exit" || last.ident == "abort"),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a statement of a block can be wrapped as `if keep { STATEMENT }` without changing a type. `is_unit` says
/// whether the last expression of the block is known to be a statement.
pub fn is_skippable(block: &Block, at: usize, is_unit: bool) -> bool {
    // The following statements may be removed by their `cfg`.
    let is_last = block.stmts[at + 1..].iter().all(is_conditional);
    match &block.stmts[at] {
        // If the jump is alone in its branch, forcing the branch skips it already.
        Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _) => {
            block.stmts.len() > 1 && (!is_last || is_unit)
        }
        Stmt::Expr(expr, Some(_)) => !diverges(expr),
        Stmt::Expr(expr, None) => match expr {
            Expr::ForLoop(_) => true,
            // If the condition is a site, forcing it false skips the statement already.
            Expr::While(repeat) => has_let(&repeat.cond),
            Expr::If(branch) => match branch.else_branch {
                None => has_let(&branch.cond),
                Some(_) => !is_last || is_unit,
            },
            Expr::Match(_) | Expr::Block(_) | Expr::Unsafe(_) => !is_last,
            Expr::Loop(_) => !is_last,
            _ => false,
        },
        // Other macros may declare names or diverge.
        Stmt::Macro(statement) => {
            statement.semi_token.is_some()
                && matches!(macro_name(&statement.mac).as_str(), "write" | "writeln")
        }
        Stmt::Local(_) | Stmt::Item(_) => false,
    }
}

/// Whether a pattern matches every value.
pub fn is_catch_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(ident) => {
            ident.subpat.is_none()
                && ident
                    .ident
                    .to_string()
                    .starts_with(|c: char| c.is_lowercase() || c == '_')
        }
        _ => false,
    }
}

/// Whether a statement is a check: it deliberately panics under some condition.
pub fn is_check(statement: &Stmt) -> bool {
    let asserts = |mac: &syn::Macro| macro_name(mac).contains("assert");
    match statement {
        Stmt::Macro(statement) => asserts(&statement.mac),
        Stmt::Expr(Expr::Macro(call), _) => asserts(&call.mac),
        Stmt::Expr(Expr::If(branch), _) => only_panics(&branch.then_branch),
        _ => false,
    }
}

/// Whether a block only panics.
pub fn only_panics(block: &Block) -> bool {
    let panics = |mac: &syn::Macro| {
        matches!(
            &*macro_name(mac),
            "panic" | "unreachable" | "unimplemented" | "todo"
        )
    };
    match &*block.stmts {
        [Stmt::Macro(statement)] => panics(&statement.mac),
        [Stmt::Expr(Expr::Macro(call), _)] => panics(&call.mac),
        _ => false,
    }
}
