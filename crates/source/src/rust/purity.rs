//! Which functions of the subject may have side effects, directly or through their calls.
//!
//! Calls are resolved by name. `Type::name` and `Self::name` mean the function of that type, or, if the subject has no
//! such type, one of another crate. Any other call may mean every function with its name, and counts as impure if one
//! of them is.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::{self, Named};

/// The side effects of the subject's functions.
pub struct Purity<'f> {
    functions: &'f [Named],
    by_name: BTreeMap<&'f str, Vec<usize>>,
    owners: BTreeSet<&'f str>,
    /// Indices of functions with side effects.
    impure: BTreeSet<usize>,
}

impl<'f> Purity<'f> {
    /// Determines which functions are impure, following all calls.
    pub fn of(functions: &'f [Named]) -> Self {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (nth, function) in functions.iter().enumerate() {
            by_name.entry(&function.name).or_default().push(nth);
        }
        let owners = functions.iter().filter_map(|it| it.owner.as_deref());
        let mut purity = Self {
            functions,
            by_name,
            owners: owners.collect(),
            impure: BTreeSet::new(),
        };
        let mut callers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut open = Vec::new();
        for (nth, function) in functions.iter().enumerate() {
            let of_body = &function.effects;
            let owner = function.owner.as_deref();
            for call in &of_body.calls {
                for called in purity.called(call, owner) {
                    callers.entry(called).or_default().push(nth);
                }
            }
            let mut calls = of_body.calls.iter();
            if of_body.has_own || !calls.all(|call| purity.is_pure_by_name(call)) {
                open.push(nth);
            }
        }
        while let Some(nth) = open.pop() {
            if purity.impure.insert(nth) {
                open.extend(callers.get(&nth).into_iter().flatten());
            }
        }
        purity
    }

    /// Whether a capture in a function of this owner may contain this call. Calls that need `unsafe` code are excluded.
    pub fn may_call(&self, call: &str, owner: Option<&str>) -> bool {
        let is_fine =
            |nth: &usize| !self.impure.contains(nth) && !self.functions[*nth].effects.is_unsafe;
        self.is_pure_by_name(call) && self.called(call, owner).iter().all(is_fine)
    }

    /// Whether a call in a function of this owner changes something. `mutating` are methods of the subject that take
    /// `&mut self`.
    pub fn changes(&self, call: &str, owner: Option<&str>, mutating: &BTreeSet<&str>) -> bool {
        let name = effects::last(call);
        match self.knows(name) {
            true => mutating.contains(name) || !self.may_call(call, owner),
            false => effects::changes_receiver(name),
        }
    }

    /// Whether the subject has a function of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn is_pure_by_name(&self, call: &str) -> bool {
        effects::is_pure_by_name(call, |name| self.knows(name))
    }

    /// The functions of the subject that a call in a function of this owner may mean.
    fn called(&self, call: &str, owner: Option<&str>) -> Vec<usize> {
        let name = effects::last(call);
        let Some(named) = self.by_name.get(name) else {
            return Vec::new();
        };
        let of = call.rsplit_once("::").map(|(path, _)| effects::last(path));
        let of = match of {
            Some("Self") => owner,
            Some(of) if of.starts_with(char::is_uppercase) => Some(of),
            _ => None,
        };
        let Some(of) = of else {
            return named.clone();
        };
        let of_owner = |nth: &&usize| self.functions[**nth].owner.as_deref() == Some(of);
        let own: Vec<usize> = named.iter().filter(of_owner).copied().collect();
        // A call of a trait's method usually means one of its implementations.
        match own.is_empty() && self.owners.contains(of) {
            true => named.clone(),
            false => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(owner: Option<&str>, function: &str) -> Named {
        let function: syn::ImplItemFn = syn::parse_str(function).unwrap();
        Named {
            name: function.sig.ident.to_string(),
            owner: owner.map(str::to_owned),
            effects: effects::of_function(&function.sig, &function.block),
        }
    }

    #[test]
    fn effects_propagate_to_callers() {
        let functions = [
            "fn looks(x: &[u8]) -> bool { x.iter().any(|b| *b == 0) }",
            "fn counts(c: &Cell<u32>) -> bool { c.set(c.get() + 1); true }",
            "fn asks(c: &Cell<u32>) -> bool { self::counts(c) }",
            "fn prints() { println!() }",
            "fn reads() -> bool { std::fs::exists(\"x\").is_ok() }",
            "fn foreign() -> bool { rand::random() }",
            "fn takes(x: &mut u8) { *x = 1 }",
            "fn applies(f: impl Fn() -> bool) -> bool { f() }",
            "fn peeks(p: &P) -> bool { unsafe { *p.at == 0 } }",
            "fn pokes(p: &P) -> bool { unsafe { *p.at = 0; } true }",
            "fn frees(p: &P) { unsafe { alloc::alloc::dealloc(p.at, p.layout) } }",
            "unsafe fn reads_raw(p: *const u8) -> u8 { *p }",
            "unsafe fn writes_raw(p: *mut u8) { *p = 1 }",
            "fn reads_through() -> u8 { unsafe { reads_raw(P) } }",
            "fn makes(x: u8) -> bool { Some(x) == Some(3) }",
        ];
        let functions = functions.map(|text| named(None, text));
        let purity = Purity::of(&functions);
        let may: Vec<&str> = functions
            .iter()
            .map(|function| &*function.name)
            .filter(|name| purity.may_call(name, None))
            .collect();
        assert_eq!(may, ["looks", "peeks", "reads_through", "makes"]);
    }

    #[test]
    fn functions_of_one_name_are_distinguished_by_their_types() {
        let functions = [
            named(Some("Log"), "fn new() -> Log { println!(); Log }"),
            named(Some("Point"), "fn new() -> Point { Point }"),
            named(
                Some("Point"),
                "fn is_origin(&self) -> bool { *self == Self::new() }",
            ),
            named(None, "fn is_far() -> bool { Other::new().0 }"),
            named(None, "fn is_logged() -> bool { Log::new().0 }"),
        ];
        let purity = Purity::of(&functions);
        assert!(purity.may_call(".is_origin", None));
        assert!(purity.may_call("is_far", None));
        assert!(!purity.may_call("is_logged", None));
        assert!(!purity.may_call("new", None));
    }
}
