//! The visible names: a stack of scopes, filled from patterns.

use std::cell::RefCell;
use std::sync::Arc;

use syn::visit::{self, Visit};
use syn::{Expr, Pat, Stmt};

use super::types::declared;
use crate::{DeclaredType, Name};

/// Names by scope, innermost last.
#[derive(Debug, Default)]
pub struct Scopes {
    stack: Vec<Vec<Name>>,
    /// Names without a value yet, each with the number of scopes around its `let`.
    unassigned: Vec<(usize, Name)>,
    /// The names that were visible last, until they change, because a function has many sites with the same names.
    shown: RefCell<Option<Arc<[Name]>>>,
}

impl Scopes {
    pub fn push(&mut self) {
        self.stack.push(Vec::new());
    }

    pub fn pop(&mut self) {
        if self.stack.pop().is_some_and(|scope| !scope.is_empty()) {
            self.shown.take();
        }
        let depth = self.stack.len();
        self.unassigned.retain(|(declared, _)| *declared <= depth);
    }

    /// Notes the names of a `let` without a value. Reading them before they are assigned is an error. So is reading a
    /// field of them, because their type is not known before.
    pub fn declare(&mut self, pattern: &Pat) {
        self.push();
        self.bind_pattern(pattern);
        let names = self.stack.pop().unwrap_or_default();
        let depth = self.stack.len();
        self.unassigned
            .extend(names.into_iter().map(|name| (depth, name)));
        self.shown.take();
    }

    /// Binds the declared names that a statement assigns, until the end of its block.
    pub fn assigned_in(&mut self, statement: &Stmt) {
        if self.unassigned.is_empty() {
            return;
        }
        let mut assigned = Assigned::default();
        assigned.visit_stmt(statement);
        let known: Vec<Name> = self
            .unassigned
            .iter()
            .filter(|(_, name)| assigned.0.contains(&name.text))
            .map(|(_, name)| name.clone())
            .collect();
        for Name { text, ty } in known {
            self.bind(text, ty);
        }
    }

    pub fn bind(&mut self, text: String, ty: Option<DeclaredType>) {
        if text != "_"
            && let Some(scope) = self.stack.last_mut()
        {
            scope.push(Name { text, ty });
            self.shown.take();
        }
    }

    pub fn bind_pattern(&mut self, pattern: &Pat) {
        if let Pat::Type(typed) = pattern
            && let Pat::Ident(ident) = &*typed.pat
        {
            return self.bind_typed(&ident.ident.to_string(), &typed.ty);
        }
        let mut names = Vec::new();
        bindings(pattern, &mut names);
        names.into_iter().for_each(|name| self.bind(name, None));
    }

    /// Binds a name with a declared type.
    pub fn bind_typed(&mut self, name: &str, ty: &syn::Type) {
        if !name.starts_with('_') {
            self.bind(name.to_owned(), Some(declared(ty)));
        }
    }

    /// The declared type of a visible name, if there is one.
    pub fn ty(&self, name: &str) -> Option<&DeclaredType> {
        let mut names = self.stack.iter().flatten().rev();
        names.find(|known| known.text == name)?.ty.as_ref()
    }

    /// All visible names, outermost first. A shadowed name has the position of its last binding.
    pub fn visible(&self) -> Arc<[Name]> {
        let mut shown = self.shown.borrow_mut();
        Arc::clone(shown.get_or_insert_with(|| self.names()))
    }

    fn names(&self) -> Arc<[Name]> {
        let all: Vec<&Name> = self.stack.iter().flatten().collect();
        let is_last =
            |at: usize, name: &Name| !all[at + 1..].iter().any(|later| later.text == name.text);
        all.iter()
            .enumerate()
            .filter(|(at, name)| is_last(*at, name))
            .map(|(_, name)| (*name).clone())
            .collect()
    }
}

/// The variables that code assigns to.
#[derive(Default)]
struct Assigned(Vec<String>);

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        let mut open = vec![&*assign.left];
        while let Some(left) = open.pop() {
            match left {
                Expr::Path(path) => {
                    self.0
                        .extend(path.path.get_ident().map(ToString::to_string));
                }
                Expr::Tuple(parts) => open.extend(&parts.elems),
                _ => {}
            }
        }
        visit::visit_expr_assign(self, assign);
    }
}

/// The names that a pattern binds. The syntax does not distinguish a binding from a constant or variant, so an
/// identifier with a capital first letter counts as one of the latter.
fn bindings(pattern: &Pat, names: &mut Vec<String>) {
    match pattern {
        Pat::Ident(ident) => {
            let name = ident.ident.to_string();
            if !name.starts_with(char::is_uppercase) && !name.starts_with('_') {
                names.push(name);
            }
            if let Some((_, pattern)) = &ident.subpat {
                bindings(pattern, names);
            }
        }
        Pat::Guard(guard) => bindings(&guard.pat, names),
        Pat::Or(or) => {
            if let Some(case) = or.cases.first() {
                bindings(case, names);
            }
        }
        Pat::Paren(paren) => bindings(&paren.pat, names),
        Pat::Reference(reference) => bindings(&reference.pat, names),
        Pat::Slice(slice) => slice
            .elems
            .iter()
            .for_each(|pattern| bindings(pattern, names)),
        Pat::Struct(fields) => fields
            .fields
            .iter()
            .for_each(|field| bindings(&field.pat, names)),
        Pat::Tuple(tuple) => tuple
            .elems
            .iter()
            .for_each(|pattern| bindings(pattern, names)),
        Pat::TupleStruct(tuple) => {
            tuple
                .elems
                .iter()
                .for_each(|pattern| bindings(pattern, names));
        }
        Pat::Type(typed) => bindings(&typed.pat, names),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::rust::read_text;

    /// The names visible at the condition `n > LIMIT`.
    fn visible(body: &str, limit: &str) -> Vec<String> {
        let sources = read_text(body);
        let text = format!("n > {limit}");
        let site = sources.sites.iter().find(|site| site.text == text);
        let names = site.unwrap().names.iter();
        names.map(|name| name.text.clone()).collect()
    }

    #[test]
    fn a_variable_without_a_value_is_not_visible() {
        let body = "fn f(n: u32) -> u32 {
            let (a, b);
            if n > 1 { a = 1; if n > 2 { b = 2; } else { b = 3; } } else { a = 4; b = 5; }
            if n > 3 { a } else { b }
        }";
        assert_eq!(visible(body, "1"), ["n"]);
        assert_eq!(visible(body, "2"), ["n", "a"]);
        assert_eq!(visible(body, "3"), ["n", "a", "b"]);
        let shadowed = "fn f(n: u32) { { let x; x = 1; } if n > 1 { let x = 2; if n > x {} } }";
        assert_eq!(visible(shadowed, "1"), ["n"]);
    }
}
