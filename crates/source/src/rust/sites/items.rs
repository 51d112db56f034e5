//! Walks the items of a file: visits functions and collects declarations.

use std::ops::Range;

use nopol_basics::skip::is_marked_skip;
use quote::ToTokens;
use syn::{Attribute, Block, FnArg, Item, Pat, ReturnType, Signature};

use super::Finder;
use crate::rust::early_exits::{Constructor, snippets};
use crate::rust::for_tests::{beside_tests, may_be_test, only_helps_tests};
use crate::rust::modules::{self, is_test_code, module_is_skipped};
use crate::rust::{effects, harvest, literals, splits, types, values};
use crate::{Callable, Constant, DeclaredType, Function};

/// Whether a condition decides anything in a function. That is not so in most functions that constants call.
fn decides(sig: &Signature, body: &Block) -> bool {
    let text = body.to_token_stream().to_string();
    let mut words = text.split_whitespace();
    values::returns_bool(sig)
        || words.any(|word| matches!(word, "if" | "while" | "match" | "&&" | "||"))
}

impl Finder<'_> {
    /// Visits a function under the conditions of its attributes.
    fn function(&mut self, attrs: &[Attribute], item: Range<usize>, sig: &Signature, body: &Block) {
        self.under(attrs, |finder| finder.function_here(attrs, item, sig, body));
    }

    /// Visits a function's body, unless it is test code, marked `nopol: skip`, or a `const fn` that decides nothing.
    fn function_here(
        &mut self,
        attrs: &[Attribute],
        item: Range<usize>,
        sig: &Signature,
        body: &Block,
    ) {
        if sig.inputs.is_empty()
            && let (Some(owner), Some(returns)) = (&self.owner, returned(sig))
            && (returns == "Self" || returns.split('<').next() == Some(owner))
        {
            self.all.constructors.push(Constructor {
                owner: owner.clone(),
                name: sig.ident.to_string(),
            });
        }
        let head = self.range(&sig.fn_token).start;
        if is_test_code(attrs) {
            if !may_be_test(attrs) && decides(sig, body) {
                self.note_for_tests(item.start, &format!("fn {}", sig.ident));
            }
            return;
        }
        if is_marked_skip(self.text, item.start, head) {
            return;
        }
        self.all.effects.push(effects::Named {
            name: sig.ident.to_string(),
            owner: self.owner.clone(),
            effects: effects::of_function(sig, body),
        });
        let owner = self.owner.as_ref();
        let callable = types::callable(sig, owner, self.file, &self.cfgs, &self.all.scalars);
        let is_of_distant_trait = self.is_in_distant_trait;
        self.sources
            .callables
            .extend(callable.map(|callable| Callable {
                is_of_distant_trait,
                ..callable
            }));
        if sig.constness.is_some() && !decides(sig, body) {
            return;
        }
        let outer_scopes = std::mem::take(&mut self.scopes);
        let outer_function = self.function;
        self.path.push(sig.ident.to_string());
        self.function = Some(self.sources.functions.next_key());
        self.sources.functions.push(Function {
            name: self.path.join("::"),
            file: self.file,
            span: item.start..self.range(body).end,
            constness: sig.constness.as_ref().map(|word| self.range(word)),
            owner: self.owner.clone(),
            cfgs: self.cfgs.clone(),
            returns: returned(sig),
            returned_values: snippets::returned_values(body, self.text, self.ast.offset),
            exit_statements: snippets::exit_statements(body, self.text, self.ast.offset),
            parameters: Vec::new(),
            literals: literals::of_tokens(body.to_token_stream()),
            constants: harvest::constants_of_body(body),
            splits: splits::of_body(body, self.text, self.ast.offset),
            expressions: harvest::of_body(body, self.text, self.ast.offset),
        });

        self.scopes.push();
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    let ty = self.owner.clone().map(|plain| DeclaredType {
                        plain,
                        is_reference: matches!(receiver.kind, syn::ReceiverKind::Reference(..)),
                    });
                    self.scopes.bind("self".to_string(), ty);
                }
                FnArg::Typed(typed) => match &*typed.pat {
                    Pat::Ident(ident) => {
                        self.scopes.bind_typed(&ident.ident.to_string(), &typed.ty);
                    }
                    pattern => self.scopes.bind_pattern(pattern),
                },
            }
        }
        let returns_unit = matches!(&sig.output, ReturnType::Default);
        if let Some(function) = self.function {
            self.sources.functions[function].parameters = self.scopes.visible().to_vec();
        }
        if values::returns_bool(sig) {
            self.mark(values::yielded(body));
        }
        let outer = std::mem::take(&mut self.enclosing);
        let labels = std::mem::take(&mut self.labels);
        self.block(body, returns_unit);
        (self.enclosing, self.labels) = (outer, labels);
        self.scopes.pop();

        self.path.pop();
        self.function = outer_function;
        self.scopes = outer_scopes;
    }

    /// Visits the items of a type or trait.
    fn visit_owned(
        &mut self,
        owner: String,
        path: String,
        attrs: &[Attribute],
        visit: impl FnOnce(&mut Self),
    ) {
        let outer = self.owner.replace(owner);
        self.under(attrs, |finder| finder.with_path(path, visit));
        self.owner = outer;
    }

    /// Notes a module or `impl` block that has no sites because it is compiled only for tests, although it contains no
    /// test. If it contains tests, notes the other functions in it.
    fn note_help_for_tests(&mut self, item: &Item) {
        let (attrs, what) = match item {
            Item::Mod(item) => (&item.attrs, format!("mod {}", item.ident)),
            Item::Impl(item) => {
                let ty = item.self_ty.to_token_stream().to_string().replace(' ', "");
                (&item.attrs, format!("impl {ty}"))
            }
            _ => return,
        };
        if !is_test_code(attrs) {
            return;
        }
        if only_helps_tests(item, &decides) {
            self.note_for_tests(self.range(item).start, &what);
            return;
        }
        for sig in beside_tests(item, &decides) {
            self.note_for_tests(
                self.range(&sig.fn_token).start,
                &format!("fn {}", sig.ident),
            );
        }
    }

    fn note_for_tests(&mut self, at: usize, what: &str) {
        let line = self.text[..at].matches('\n').count() + 1;
        let path = &self.sources.files[self.file].path;
        let what = format!("`{what}` ({path}:{line}), compiled for tests only");
        self.sources.for_tests.push(what);
    }

    fn constant(&mut self, name: &syn::Ident, attrs: &[Attribute]) {
        self.sources.constants.push(Constant {
            file: self.file,
            name: name.to_string(),
            owner: self.owner.clone(),
            cfgs: &self.cfgs | &modules::conditions(attrs),
        });
    }

    /// Visits an item: the body of a function, or the declarations of another item.
    pub(super) fn item(&mut self, item: &Item) {
        self.note_help_for_tests(item);
        match item {
            Item::Macro(item) => self.macro_definition(item),
            Item::Fn(function) => {
                self.function(
                    &function.attrs,
                    self.range(function),
                    &function.sig,
                    &function.block,
                );
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content
                    && !is_test_code(&module.attrs)
                    && !module_is_skipped(self.ast, module, self.text)
                {
                    self.under(&module.attrs, |finder| {
                        finder.with_path(module.ident.to_string(), |finder| finder.items(items));
                    });
                }
            }
            Item::Impl(block) if !is_test_code(&block.attrs) => {
                let name = block.self_ty.to_token_stream().to_string().replace(' ', "");
                let path = match &block.trait_ {
                    Some((path, _)) => {
                        format!(
                            "<{name} as {}>",
                            path.to_token_stream().to_string().replace(' ', "")
                        )
                    }
                    None => name.clone(),
                };
                let name = name.split('<').next().unwrap_or_default().to_owned();
                if let Some((of, _)) = &block.trait_
                    && let Some(last) = of.segments.last()
                {
                    let is_any = block
                        .generics
                        .type_params()
                        .any(|parameter| parameter.ident == name);
                    let ty = if is_any { types::ANY } else { &name };
                    let implementation = (last.ident.to_string(), ty.to_owned());
                    self.sources.implementations.insert(implementation);
                }
                let of_trait = block.trait_.as_ref();
                self.is_in_distant_trait = of_trait.is_some_and(|(of, _)| of.segments.len() > 1);
                self.visit_owned(name, path, &block.attrs, |finder| {
                    for item in &block.items {
                        match item {
                            syn::ImplItem::Fn(function) => {
                                let span = finder.range(function);
                                finder.function(
                                    &function.attrs,
                                    span,
                                    &function.sig,
                                    &function.block,
                                );
                            }
                            syn::ImplItem::Const(item) => finder.constant(&item.ident, &item.attrs),
                            _ => {}
                        }
                    }
                });
                self.is_in_distant_trait = false;
            }
            Item::Trait(item) if !is_test_code(&item.attrs) => {
                let name = item.ident.to_string();
                self.visit_owned(name.clone(), name, &item.attrs, |finder| {
                    for item in &item.items {
                        match item {
                            syn::TraitItem::Fn(function) => match &function.default {
                                Some(body) => {
                                    let span = finder.range(function);
                                    finder.function(&function.attrs, span, &function.sig, body);
                                }
                                // The implementations determine its side effects.
                                None => {
                                    let (owner, file) = (finder.owner.as_ref(), finder.file);
                                    let cfgs = &finder.cfgs | &modules::conditions(&function.attrs);
                                    let scalars = &finder.all.scalars;
                                    let callable =
                                        types::callable(&function.sig, owner, file, &cfgs, scalars);
                                    finder.sources.callables.extend(callable);
                                }
                            },
                            syn::TraitItem::Const(item) => {
                                finder.constant(&item.ident, &item.attrs);
                            }
                            _ => {}
                        }
                    }
                });
            }
            Item::Struct(syn::ItemStruct { attrs, .. })
            | Item::Enum(syn::ItemEnum { attrs, .. })
                if self.function.is_none() && !is_test_code(attrs) =>
            {
                let data_type = types::data_type(item, self.file, self.end_of_items, &self.cfgs);
                if let Some(data_type) = &data_type {
                    let derived = attrs.iter().flat_map(types::derived);
                    let of_type = derived.map(|name| (name, data_type.name.clone()));
                    self.sources.implementations.extend(of_type);
                }
                self.sources.types.extend(data_type);
            }
            Item::Const(item) if self.function.is_none() && !is_test_code(&item.attrs) => {
                self.constant(&item.ident, &item.attrs);
            }
            // A conditional import may be missing in other builds.
            Item::Use(item)
                if self.function.is_none() && modules::conditions(&item.attrs).is_empty() =>
            {
                let imported = &mut self.sources.files[self.file].imported;
                types::imported_constants(&item.tree, imported);
            }
            // Constants and statics are evaluated at compile time. Other items have no code.
            _ => {}
        }
    }
}

/// The return type of a function as written, without white space.
fn returned(signature: &Signature) -> Option<String> {
    match &signature.output {
        ReturnType::Type(_, ty) => Some(ty.to_token_stream().to_string().replace(' ', "")),
        ReturnType::Default => None,
    }
}
