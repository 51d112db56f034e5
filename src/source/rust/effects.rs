//! Whether calling a function may have side effects. A capture evaluates the subject's code only if its
//! syntax shows none.
//!
//! A function that takes `&self` and shared references can only have side effects through interior
//! mutability, I/O or `unsafe`. The first two are recognized by the names of the calls, the last by its
//! syntax.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, Macro, Signature};

use super::harvest::path_text;

/// The side effects of a function's body, and what it calls.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// The body itself, apart from its calls, may have side effects.
    has_own: bool,
    /// It takes `&mut self`. This is not a side effect here: rustc rejects such a call where nothing may
    /// change, and a function that calls it on its own variables has no side effects.
    changes_self: bool,
    /// Paths of functions, and methods as `.name`.
    calls: BTreeSet<String>,
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
        has_own: matches!(signature.safety, syn::Safety::Unsafe(_))
            || signature.asyncness.is_some()
            || signature.inputs.iter().any(takes_mutable),
        changes_self,
        ..Effects::default()
    };
    effects.visit_block(body);
    effects
}

fn is_mutable(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Reference(reference) if reference.mutability.is_some())
}

/// The methods that take `&mut self` in every type that has them.
pub fn mutating(functions: &[(String, Effects)]) -> BTreeSet<&str> {
    let names = |changes: bool| {
        let some = functions
            .iter()
            .filter(move |(_, effects)| effects.changes_self == changes);
        some.map(|(name, _)| name.as_str())
    };
    let others: BTreeSet<&str> = names(false).collect();
    names(true).filter(|name| !others.contains(name)).collect()
}

/// The names of functions that may have side effects, directly or through their calls. If functions share a
/// name, one of them suffices.
pub fn impure(functions: &[(String, Effects)]) -> BTreeSet<String> {
    let known: BTreeSet<&str> = functions.iter().map(|(name, _)| name.as_str()).collect();
    let mut impure: BTreeSet<String> = BTreeSet::new();
    let mut callers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut open: Vec<&str> = Vec::new();
    for (name, effects) in functions {
        for call in &effects.calls {
            callers.entry(last(call)).or_default().push(name);
        }
        if effects.has_own
            || !effects
                .calls
                .iter()
                .all(|call| is_pure_by_name(call, &known))
        {
            open.push(name);
        }
    }
    while let Some(name) = open.pop() {
        if impure.insert(name.to_owned()) {
            open.extend(callers.get(name).into_iter().flatten());
        }
    }
    impure
}

/// The last segment of a path.
pub fn last(path: &str) -> &str {
    path.rsplit([':', '.']).next().unwrap_or(path)
}

/// Whether the name of a call suggests no side effects: no interior mutability, I/O or clock, and no function
/// of another crate. Functions of the subject can still turn out to be [`impure`]. A path of one segment must
/// be a `known` function; any other could be a closure or an import.
pub fn is_pure_by_name(path: &str, known: &BTreeSet<&str>) -> bool {
    const CHANGES: [&str; 32] = [
        "borrow_mut",
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
    const ROOTS: [&str; 10] = [
        "self", "super", "crate", "Self", "std", "core", "alloc", "mem", "cmp", "char",
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
        return known.contains(first);
    }
    let is_type = first.starts_with(char::is_uppercase) || is_scalar(first);
    (is_type || ROOTS.contains(&first))
        && !path.split("::").any(|segment| OUTSIDE.contains(&segment))
}

/// Whether a method of std with this name takes `&mut self`. A name is listed only if no other method of std
/// with that name is worth calling in a condition.
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
    crate::spec::Type::from_name(name).is_some()
}

impl<'ast> Visit<'ast> for Effects {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Unsafe(_) | Expr::Await(_) | Expr::Async(_) | Expr::Yield(_) => {
                self.has_own = true;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(function: &str) -> (String, Effects) {
        let function: syn::ItemFn = syn::parse_str(function).unwrap();
        (
            function.sig.ident.to_string(),
            of_function(&function.sig, &function.block),
        )
    }

    fn method(function: &str) -> (String, Effects) {
        let function: syn::ImplItemFn = syn::parse_str(function).unwrap();
        (
            function.sig.ident.to_string(),
            of_function(&function.sig, &function.block),
        )
    }

    #[test]
    fn mutating_methods_are_known_by_name_if_all_of_that_name_mutate() {
        let functions = [
            method("fn marks(&mut self) -> bool { self.marked = true; true }"),
            method("fn moves(self: &mut Self) { self.at += 1 }"),
            method("fn shows(&self) -> bool { self.marked }"),
            method("fn at(&mut self) -> usize { self.at }"),
            method("fn at(&self) -> usize { self.at }"),
        ];
        let mutating: Vec<&str> = mutating(&functions).into_iter().collect();
        assert_eq!(mutating, ["marks", "moves"]);
        assert!(impure(&functions).is_empty());
    }

    #[test]
    fn effects_propagate_to_callers() {
        let functions = [
            effects("fn looks(x: &[u8]) -> bool { x.iter().any(|b| *b == 0) }"),
            effects("fn counts(c: &Cell<u32>) -> bool { c.set(c.get() + 1); true }"),
            effects("fn asks(c: &Cell<u32>) -> bool { self::counts(c) }"),
            effects("fn prints() { println!() }"),
            effects("fn reads() -> bool { std::fs::exists(\"x\").is_ok() }"),
            effects("fn foreign() -> bool { rand::random() }"),
            effects("fn takes(x: &mut u8) { *x = 1 }"),
            effects("fn applies(f: impl Fn() -> bool) -> bool { f() }"),
        ];
        let impure: Vec<String> = impure(&functions).into_iter().collect();
        assert_eq!(
            impure,
            [
                "applies", "asks", "counts", "foreign", "prints", "reads", "takes"
            ]
        );
    }
}
