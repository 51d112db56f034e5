//! Whether calling a function may have side effects. A capture evaluates code of the subject only if its syntax shows
//! no side effects.
//!
//! A function that takes `&self` and shared references can only have side effects through interior mutability, I/O or
//! raw pointers. The first two are recognized by the names of calls. `unsafe` code counts as harmless if it assigns
//! nothing behind a pointer, and calls nothing that writes or frees memory.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, Macro, Signature};

use super::condition::is_assignment;
use super::harvest::path_text;

/// The side effects of a function's body, and what it calls.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Whether the body itself, apart from its calls, may have side effects.
    pub(super) has_own: bool,
    /// Whether it takes `&mut self`. That is not a side effect here: rustc rejects such a call where nothing may
    /// change, and a function that calls it on its own variables has no side effects.
    changes_self: bool,
    /// Whether only `unsafe` code can call it.
    pub(super) is_unsafe: bool,
    /// Paths of functions, and methods as `.name`.
    pub(super) calls: BTreeSet<String>,
}

/// A function of the subject, and its effects.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The type or trait that it belongs to.
    pub owner: Option<String>,
    /// The effects of its body.
    pub effects: Effects,
}

/// The effects of a function.
pub fn of_function(signature: &Signature, body: &Block) -> Effects {
    let takes_mutable = |argument: &FnArg| match argument {
        FnArg::Receiver(_) => false,
        FnArg::Typed(typed) => is_mutable(&typed.ty),
    };
    let changes_self = signature
        .receiver()
        .is_some_and(|receiver| match &receiver.kind {
            syn::ReceiverKind::Reference(_, _, mutability) => mutability.is_some(),
            syn::ReceiverKind::Typed(_, ty) => is_mutable(ty),
            _ => false,
        });
    let mut effects = Effects {
        has_own: signature.asyncness.is_some() || signature.inputs.iter().any(takes_mutable),
        changes_self,
        ..Effects::default()
    };
    if matches!(signature.safety, syn::Safety::Unsafe(_)) {
        effects.is_unsafe = true;
        effects.has_own |= assigns(body);
    }
    effects.visit_block(body);
    effects
}

fn is_mutable(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Reference(reference) if reference.mutability.is_some())
}

/// The names of methods that take `&mut self` in every type that has them.
pub fn mutating(functions: &[Named]) -> BTreeSet<&str> {
    let names = |changes: bool| {
        let some = functions
            .iter()
            .filter(move |function| function.effects.changes_self == changes);
        some.map(|function| function.name.as_str())
    };
    let others: BTreeSet<&str> = names(false).collect();
    names(true).filter(|name| !others.contains(name)).collect()
}

/// The last segment of a path.
pub fn last(path: &str) -> &str {
    path.rsplit([':', '.']).next().unwrap_or(path)
}

/// Whether the name of a call suggests that it has no side effects: no interior mutability, I/O or clock, and no
/// function of another crate. Functions of the subject can still turn out to be impure ([`super::purity`]). A path of
/// one segment must be a known function, because any other could be a closure or an import.
pub fn is_pure_by_name(path: &str, is_known: impl Fn(&str) -> bool) -> bool {
    const CHANGES: [&str; 42] = [
        "alloc",
        "alloc_zeroed",
        "borrow_mut",
        "copy_to",
        "dealloc",
        "drop",
        "drop_in_place",
        "realloc",
        "set_len",
        "write_bytes",
        "write_volatile",
        "set",
        "swap",
        "update",
        "lock",
        "try_lock",
        "write",
        "read",
        "store",
        "fetch_add",
        "fetch_sub",
        "fetch_or",
        "fetch_and",
        "fetch_xor",
        "fetch_max",
        "fetch_min",
        "compare_exchange",
        "send",
        "recv",
        "try_recv",
        "wait",
        "notify_one",
        "notify_all",
        "spawn",
        "sleep",
        "now",
        "elapsed",
        "get_or_init",
        "flush",
        "write_all",
        "read_line",
        "upgrade",
    ];
    const OUTSIDE: [&str; 8] = ["io", "fs", "env", "process", "thread", "time", "net", "ptr"];
    const ROOTS: [&str; 12] = [
        "self", "super", "crate", "Self", "std", "core", "alloc", "mem", "cmp", "char", "slice",
        "str",
    ];
    if CHANGES.contains(&last(path)) {
        return false;
    }
    if path.starts_with('.') {
        return true;
    }
    let mut segments = path.split("::");
    let first = segments.next().unwrap_or_default();
    if segments.next().is_none() {
        // `Some(x)` only makes a value.
        return first.starts_with(char::is_uppercase) || is_known(first);
    }
    let is_type = first.starts_with(char::is_uppercase) || is_scalar(first);
    (is_type || ROOTS.contains(&first))
        && !path.split("::").any(|segment| OUTSIDE.contains(&segment))
}

/// Whether the method of std with this name takes `&mut self`. A name is listed only if no other method of std with
/// that name is useful in a condition.
pub fn changes_receiver(method: &str) -> bool {
    const CHANGES: [&str; 43] = [
        "append",
        "by_ref",
        "clear",
        "dedup",
        "dedup_by",
        "dedup_by_key",
        "drain",
        "entry",
        "extend",
        "extend_from_slice",
        "fill",
        "get_or_insert",
        "get_or_insert_with",
        "insert",
        "insert_str",
        "next",
        "next_back",
        "nth",
        "peek",
        "pop",
        "pop_back",
        "pop_first",
        "pop_front",
        "pop_last",
        "push",
        "push_back",
        "push_front",
        "push_str",
        "remove",
        "reserve",
        "resize",
        "retain",
        "reverse",
        "sort",
        "sort_by",
        "sort_by_key",
        "sort_unstable",
        "sort_unstable_by",
        "split_off",
        "swap_remove",
        "truncate",
        "write_char",
        "write_str",
    ];
    CHANGES.contains(&method) || method.ends_with("_mut")
}

fn is_scalar(name: &str) -> bool {
    nopol_expr::Type::from_name(name).is_some()
}

impl<'ast> Visit<'ast> for Effects {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Await(_) | Expr::Async(_) | Expr::Yield(_) => self.has_own = true,
            Expr::Unsafe(block) => self.has_own |= assigns(&block.block),
            Expr::MethodCall(call) => {
                self.calls.insert(format!(".{}", call.method));
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    self.calls.insert(path_text(&path.path));
                }
                _ => self.has_own = true,
            },
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        const SILENT: [&str; 12] = [
            "assert",
            "assert_eq",
            "assert_ne",
            "debug_assert",
            "debug_assert_eq",
            "debug_assert_ne",
            "format",
            "matches",
            "panic",
            "unreachable",
            "vec",
            "concat",
        ];
        let name = mac.path.segments.last().map(|last| last.ident.to_string());
        self.has_own |= !name.is_some_and(|name| SILENT.contains(&name.as_str()));
    }
}

/// Whether code assigns to anything but its own variables: behind a pointer, to a field or to an element.
fn assigns(body: &Block) -> bool {
    let mut assigns = Assigns(false);
    assigns.visit_block(body);
    assigns.0
}

struct Assigns(bool);

impl<'ast> Visit<'ast> for Assigns {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let assigned = match expr {
            Expr::Assign(assign) => Some(&assign.left),
            Expr::Binary(binary) if is_assignment(&binary.op) => Some(&binary.left),
            _ => None,
        };
        self.0 |= assigned.is_some_and(|left| !matches!(**left, Expr::Path(_)));
        visit::visit_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(function: &str) -> Named {
        let function: syn::ImplItemFn = syn::parse_str(function).unwrap();
        Named {
            name: function.sig.ident.to_string(),
            owner: Some("Own".to_owned()),
            effects: of_function(&function.sig, &function.block),
        }
    }

    #[test]
    fn methods_are_mutating_if_all_of_their_name_mutate() {
        let functions = [
            method("fn marks(&mut self) -> bool { self.marked = true; true }"),
            method("fn moves(self: &mut Self) { self.at += 1 }"),
            method("fn shows(&self) -> bool { self.marked }"),
            method("fn at(&mut self) -> usize { self.at }"),
            method("fn at(&self) -> usize { self.at }"),
        ];
        let mutating: Vec<&str> = mutating(&functions).into_iter().collect();
        assert_eq!(mutating, ["marks", "moves"]);
        assert!(functions.iter().all(|it| !it.effects.has_own));
    }
}
