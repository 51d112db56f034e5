//! Which functions and fields of the subject have a type of some sort, by their names.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Fields, ReturnType, Signature, Type};

/// The functions and fields of the subject, by name, separated by whether their type is of a sort.
#[derive(Debug)]
pub struct ByType {
    is_of_sort: fn(&Type) -> bool,
    calls: BTreeSet<String>,
    other_calls: BTreeSet<String>,
    fields: BTreeSet<String>,
    other_fields: BTreeSet<String>,
}

impl ByType {
    /// An empty collection.
    pub fn new(is_of_sort: fn(&Type) -> bool) -> Self {
        Self {
            is_of_sort,
            calls: BTreeSet::new(),
            other_calls: BTreeSet::new(),
            fields: BTreeSet::new(),
            other_fields: BTreeSet::new(),
        }
    }

    /// Adds the declarations of a file.
    pub fn add(&mut self, file: &syn::File) {
        self.visit_file(file);
    }

    /// Whether some function with that name returns a type of the sort, and whether some function with that name
    /// returns another type.
    pub fn of_call(&self, name: &str) -> (bool, bool) {
        (self.calls.contains(name), self.other_calls.contains(name))
    }

    /// As [`of_call`](Self::of_call), for fields.
    pub fn of_field(&self, name: &str) -> (bool, bool) {
        (self.fields.contains(name), self.other_fields.contains(name))
    }
}

impl<'ast> Visit<'ast> for ByType {
    fn visit_signature(&mut self, signature: &'ast Signature) {
        let is_of_sort =
            matches!(&signature.output, ReturnType::Type(_, ty) if (self.is_of_sort)(ty));
        let names = match is_of_sort {
            true => &mut self.calls,
            false => &mut self.other_calls,
        };
        names.insert(signature.ident.to_string());
    }

    fn visit_fields(&mut self, fields: &'ast Fields) {
        for field in fields {
            if let Some(name) = &field.ident {
                let names = match (self.is_of_sort)(&field.ty) {
                    true => &mut self.fields,
                    false => &mut self.other_fields,
                };
                names.insert(name.to_string());
            }
        }
        visit::visit_fields(self, fields);
    }
}
