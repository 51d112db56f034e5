//! Which names are visible: a stack of scopes, filled from patterns.

use syn::{Fields, Pat};

/// Names by scope, innermost last.
#[derive(Debug, Default)]
pub struct Scopes {
    stack: Vec<Vec<String>>,
}

impl Scopes {
    pub fn push(&mut self) {
        self.stack.push(Vec::new());
    }

    pub fn pop(&mut self) {
        self.stack.pop();
    }

    pub fn bind(&mut self, name: String) {
        if let Some(scope) = self.stack.last_mut() {
            scope.push(name);
        }
    }

    pub fn bind_pattern(&mut self, pattern: &Pat) {
        let mut names = Vec::new();
        bindings(pattern, &mut names);
        names.into_iter().for_each(|name| self.bind(name));
    }

    /// All visible names, outermost first; a shadowed name stands where it was bound last.
    pub fn visible(&self) -> Vec<String> {
        let all: Vec<&String> = self.stack.iter().flatten().collect();
        all.iter()
            .enumerate()
            .filter(|(at, name)| !all[at + 1..].contains(name))
            .map(|(_, name)| (*name).clone())
            .collect()
    }
}

/// The names a pattern binds. An identifier that starts with a capital is taken for a constant
/// or a variant, which the pattern cannot tell from a binding.
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

/// Names or indices of a struct's fields, with their attributes' say in it: none if packed.
pub fn field_names(fields: &Fields) -> Vec<String> {
    match fields {
        Fields::Named(named) => named
            .named
            .iter()
            .filter_map(|field| field.ident.as_ref().map(ToString::to_string))
            .collect(),
        Fields::Unnamed(unnamed) => (0..unnamed.unnamed.len())
            .map(|at| at.to_string())
            .collect(),
        Fields::Unit => Vec::new(),
    }
}
