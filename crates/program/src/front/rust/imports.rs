//! Imports that change what a last segment means: names from the standard library, and other names for things.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Item, ItemUse, UseTree};

/// What a file imports.
#[derive(Default)]
pub(super) struct Imports {
    of_std: HashSet<String>,
    /// What each name stands for that is declared under another one, and where the source says so.
    renamed: HashMap<String, (String, Range<usize>)>,
}

impl Imports {
    pub fn of(file: &syn::File) -> Self {
        let mut imports = Self::default();
        imports.visit_file(file);
        imports
    }

    /// Whether a name is one of the standard library.
    pub fn is_of_std(&self, name: &str) -> bool {
        self.of_std.contains(name)
    }

    /// Whether a name stands for something that is declared under another one.
    pub fn is_renamed(&self, name: &str) -> bool {
        self.renamed.contains_key(name)
    }

    /// The name under which something is declared that has this name here, and the bytes that rename it.
    pub fn original(&self, name: &str) -> Option<&(String, Range<usize>)> {
        self.renamed.get(name)
    }

    fn add(&mut self, tree: &UseTree, is_of_std: bool) {
        match tree {
            UseTree::Path(path) => {
                self.add(&path.tree, is_of_std || is_std(&path.ident.to_string()));
            }
            UseTree::Name(name) if is_of_std => {
                self.of_std.insert(name.ident.to_string());
            }
            UseTree::Rename(of) => {
                let original = (of.ident.to_string(), of.span().byte_range());
                self.renamed.insert(of.rename.to_string(), original);
            }
            UseTree::Group(group) => group
                .items
                .iter()
                .for_each(|tree| self.add(tree, is_of_std)),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add(&item.tree, false);
    }
}

/// Whether it is a crate of the standard library.
pub(super) fn is_std(name: &str) -> bool {
    ["std", "core", "alloc"].contains(&name)
}

/// The items that are declared in a block, at any depth.
pub(super) fn items_in(block: &Block) -> Vec<&Item> {
    let mut nested = Nested::default();
    nested.visit_block(block);
    nested.items
}

#[derive(Default)]
struct Nested<'a> {
    items: Vec<&'a Item>,
}

impl<'ast> Visit<'ast> for Nested<'ast> {
    fn visit_item(&mut self, item: &'ast Item) {
        self.items.push(item);
    }
}

/// The first attribute in a block or field that makes something conditional.
#[derive(Default)]
pub(super) struct Conditional<'a> {
    pub found: Option<&'a Attribute>,
}

impl<'ast> Visit<'ast> for Conditional<'ast> {
    fn visit_attribute(&mut self, attr: &'ast Attribute) {
        if attr.path().is_ident("cfg") {
            self.found.get_or_insert(attr);
        }
        visit::visit_attribute(self, attr);
    }

    // Items of their own are judged when they are used.
    fn visit_item(&mut self, _: &'ast Item) {}
}
