//! What the crate declares, by the last segment of its path; methods and constants of a type also by the type's name.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use syn::spanned::Spanned;
use syn::{Attribute, Block, Expr, Generics, ImplItem, Item, Signature, StaticMutability};

use super::cfg::{self, Features};
use super::imports::{Imports, items_in};
use super::lengths;
use super::source::{Source, span_of};
use super::unread::{self, is_test};
use crate::ir::Span;

/// A function or method.
pub(super) struct Function<'a> {
    pub file: usize,
    /// The type that it belongs to.
    pub owner: Option<String>,
    pub attrs: &'a [Attribute],
    pub sig: &'a Signature,
    pub block: &'a Block,
    pub context: Context,
}

/// A constant or static.
pub(super) struct Constant<'a> {
    pub file: usize,
    pub owner: Option<String>,
    pub ident: &'a syn::Ident,
    pub ty: &'a syn::Type,
    pub value: &'a Expr,
    /// From its keyword to its end.
    pub ends: (proc_macro2::Span, proc_macro2::Span),
    pub context: Context,
}

/// What a name of a type means.
#[derive(Clone, Copy)]
pub(super) enum Declared<'a> {
    Struct(&'a syn::ItemStruct),
    Enum(&'a syn::ItemEnum),
    Alias(&'a syn::ItemType),
    Trait,
    Union,
}

/// A type and where it is.
pub(super) struct Named<'a> {
    pub file: usize,
    pub declared: Declared<'a>,
    pub context: Context,
}

/// What holds for an item because of where it is.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// Whether nothing in it is changed: it is compiled for tests only, or marked `nopol: skip`.
    pub is_fixed: bool,
    /// Whether it is not compiled with the active features. Only its tests count: they are named.
    is_absent: bool,
    /// Why it is outside of the subset, if something uses it.
    pub problem: Option<Rc<str>>,
    /// Whether it is in the implementation of a trait.
    pub is_of_trait: bool,
}

/// All items of a crate.
#[derive(Default)]
pub(super) struct Items<'a> {
    /// The active features, if they are known.
    features: Option<&'a Features>,
    functions: HashMap<String, Vec<Rc<Function<'a>>>>,
    constants: HashMap<String, Vec<Rc<Constant<'a>>>>,
    types: HashMap<String, Vec<Rc<Named<'a>>>>,
    tests: HashMap<String, Vec<Rc<Function<'a>>>>,
    /// The enumerations with a variant of this name.
    enums_with: HashMap<String, Vec<String>>,
    /// The constants that lengths of arrays are made of.
    lengths: HashSet<String>,
    /// What each file imports.
    pub imports: Vec<Imports>,
    macros: HashSet<String>,
    /// Every word in the arguments of macros that stand among items, which may make items with such names.
    words_in_macros: HashSet<String>,
    /// The tests that are no plain `#[test]`.
    unread: Vec<Unread>,
}

/// A test that is not read, because of how it is written.
pub(super) struct Unread {
    /// Its path within its crate.
    pub path: String,
    /// Where it is.
    pub at: Span,
    /// Why it is not read.
    pub reason: String,
}

/// A name that more than one item has, or the only one, or none.
type Lookup<T> = Result<Option<T>, String>;

impl<'a> Items<'a> {
    pub fn of(sources: &'a [Source]) -> Self {
        let mut modules = Modules::default();
        for source in sources {
            modules.find(source, &source.file.items, &source.module());
        }
        let mut items = Self {
            features: sources.first().and_then(Source::features),
            ..Self::default()
        };
        for (file, source) in sources.iter().enumerate() {
            let module = source.module();
            let context = Context {
                is_fixed: source.is_for_tests() || modules.is_below_fixed(&module),
                ..modules.around(&module)
            };
            items.imports.push(Imports::of(&source.file));
            let Some(context) = within(&source.file.attrs, context, source.features(), true) else {
                continue;
            };
            let mut scope = Scope {
                items: &mut items,
                source,
                file,
                module,
            };
            scope.add_all(&source.file.items, context);
            scope.add_harness();
            lengths::collect(&source.file, &mut items.lengths);
        }
        items.close_lengths();
        items
    }

    /// The paths of all tests, in order.
    pub fn tests(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.tests.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// The tests that are not read, because of how they are written.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    /// Whether a macro may make an item of this name.
    pub fn may_be_made_by_macro(&self, name: &str) -> bool {
        self.words_in_macros.contains(name)
    }

    /// Whether all tests with this path are run only if that is asked for.
    pub fn is_ignored(&self, path: &str) -> bool {
        let is_marked = |test: &Rc<Function<'_>>| {
            let mut attrs = test.attrs.iter();
            attrs.any(|attr| cfg::has(attr, "ignore", self.features))
        };
        self.tests
            .get(path)
            .is_some_and(|tests| tests.iter().all(is_marked))
    }

    /// Whatever a constant in the length of an array is made of is also in the length.
    fn close_lengths(&mut self) {
        let mut open: Vec<String> = self.lengths.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for constant in self.constants.get(&name).into_iter().flatten() {
                let mut more = HashSet::new();
                lengths::collect_names(constant.value, &mut more);
                let new = more
                    .into_iter()
                    .filter(|name| self.lengths.insert(name.clone()));
                open.extend(new);
            }
        }
    }

    /// A function by its name, or a method by `Type::method`.
    pub fn function(&self, name: &str) -> Lookup<Rc<Function<'a>>> {
        let all = self.functions.get(name).map_or(&[][..], Vec::as_slice);
        let inherent: Vec<_> = all.iter().filter(|of| !of.context.is_of_trait).collect();
        match (&inherent[..], all) {
            ([only], _) => Ok(Some(Rc::clone(only))),
            ([], [only]) => Ok(Some(Rc::clone(only))),
            ([], []) => Ok(None),
            _ => Err(ambiguous(name)),
        }
    }

    /// The name of the only function that is called so, also if it is a method whose type is left out.
    pub fn full_name(&self, name: &str) -> Option<String> {
        if self.functions.contains_key(name) {
            return Some(name.to_owned());
        }
        let end = format!("::{name}");
        let mut found = self.functions.keys().filter(|key| key.ends_with(&end));
        let first = found.next()?;
        found.next().is_none().then(|| first.clone())
    }

    /// A constant by its name, or by `Type::NAME`.
    pub fn constant(&self, name: &str) -> Lookup<Rc<Constant<'a>>> {
        only(&self.constants, name)
    }

    /// A type by its name.
    pub fn named(&self, name: &str) -> Lookup<Rc<Named<'a>>> {
        only(&self.types, name)
    }

    /// A test by its path within its crate.
    pub fn test(&self, path: &str) -> Lookup<Rc<Function<'a>>> {
        only(&self.tests, path)
    }

    /// The enumeration that has a variant of this name.
    pub fn enum_with(&self, variant: &str) -> Lookup<String> {
        only(&self.enums_with, variant)
    }

    /// Whether the crate has a macro of this name.
    pub fn has_macro(&self, name: &str) -> bool {
        self.macros.contains(name)
    }

    /// Whether a constant is needed before the program runs.
    pub fn is_length(&self, constant: &str) -> bool {
        self.lengths.contains(constant)
    }
}

fn only<T: Clone>(of: &HashMap<String, Vec<T>>, name: &str) -> Lookup<T> {
    match of.get(name).map_or(&[][..], Vec::as_slice) {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        _ => Err(ambiguous(name)),
    }
}

fn ambiguous(name: &str) -> String {
    format!("there is more than one `{name}` in the workspace")
}

/// Where items are added.
struct Scope<'i, 'a> {
    items: &'i mut Items<'a>,
    source: &'a Source,
    file: usize,
    module: Vec<String>,
}

impl<'a> Scope<'_, 'a> {
    fn add_all(&mut self, items: &'a [Item], context: Context) {
        for item in items {
            self.add(item, context.clone());
        }
    }

    fn add(&mut self, item: &'a Item, context: Context) {
        let attrs = attributes(item);
        let is_named = is_test(attrs) || matches!(item, Item::Mod(_));
        let Some(context) = within(attrs, context, self.source.features(), is_named) else {
            return;
        };
        if context.is_absent && !is_named {
            return;
        }
        match item {
            Item::Fn(of) => {
                let parts = (&*of.attrs, &of.sig, &*of.block);
                let function = self.add_function(None, of, parts, context);
                let path = self.path_of(&of.sig.ident);
                if is_test(&of.attrs) {
                    self.items.tests.entry(path).or_default().push(function);
                } else if let Some(attr) =
                    of.attrs.iter().find(|attr| unread::is_of_other_crate(attr))
                {
                    let reason = unread::attribute_reason(attr);
                    self.unread(path, span_of(self.file, &of.sig.ident), reason);
                }
            }
            Item::Impl(of) => self.add_impl(of, context),
            Item::Mod(of) => {
                if let Some((_, items)) = &of.content {
                    let is_marked = self.source.is_marked_skip(of, &of.mod_token);
                    let is_fixed = context.is_fixed || is_marked;
                    let context = Context {
                        is_fixed,
                        ..context
                    };
                    self.module.push(of.ident.to_string());
                    self.add_all(items, context);
                    self.module.pop();
                }
            }
            Item::Const(of) => {
                let ends = (of.const_token.span, of.semi_token.span);
                self.add_constant(None, &of.ident, (&of.ty, &of.expr), ends, context);
            }
            Item::Static(of) => {
                let problem = "a `static mut` is not supported";
                let is_mutable = matches!(of.mutability, StaticMutability::Mut(_));
                let problem = is_mutable.then(|| problem.into()).or(context.problem);
                let context = Context { problem, ..context };
                let ends = (of.static_token.span, of.semi_token.span);
                self.add_constant(None, &of.ident, (&of.ty, &of.expr), ends, context);
            }
            Item::Struct(of) => self.add_type(&of.ident, Declared::Struct(of), context),
            Item::Enum(of) => {
                self.add_type(&of.ident, Declared::Enum(of), context);
                for variant in &of.variants {
                    let name = variant.ident.to_string();
                    let enums = self.items.enums_with.entry(name).or_default();
                    enums.push(of.ident.to_string());
                }
            }
            Item::Type(of) => self.add_type(&of.ident, Declared::Alias(of), context),
            Item::Trait(of) => self.add_type(&of.ident, Declared::Trait, context),
            Item::Union(of) => self.add_type(&of.ident, Declared::Union, context),
            Item::Macro(of) => {
                let name = of.ident.as_ref().map(ToString::to_string);
                self.items.macros.extend(name);
                if of.ident.is_none() {
                    self.add_made(&of.mac);
                }
            }
            // The rest is never reached.
            _ => {}
        }
    }

    fn path_of(&self, ident: &syn::Ident) -> String {
        [self.module.as_slice(), &[ident.to_string()]]
            .concat()
            .join("::")
    }

    fn unread(&mut self, path: String, at: Span, reason: String) {
        self.items.unread.push(Unread { path, at, reason });
    }

    /// Adds what a macro may make.
    fn add_made(&mut self, mac: &'a syn::Macro) {
        unread::words(mac.tokens.clone(), &mut self.items.words_in_macros);
        for ident in unread::in_macro(&mac.tokens) {
            let reason = unread::macro_reason(mac);
            self.unread(self.path_of(&ident), span_of(self.file, &ident), reason);
        }
    }

    /// Adds the only test of a target that runs it itself.
    fn add_harness(&mut self) {
        if let Some(main) = unread::own_main(self.source) {
            let at = span_of(self.file, &main.sig.ident);
            let reason = "the target has no `#[test]` but a `main`, which is not supported";
            self.unread("main".to_owned(), at, reason.to_owned());
        }
    }

    fn add_type(&mut self, ident: &syn::Ident, declared: Declared<'a>, context: Context) {
        let named = Rc::new(Named {
            file: self.file,
            declared,
            context,
        });
        let types = self.items.types.entry(ident.to_string()).or_default();
        types.push(named);
    }

    fn add_constant(
        &mut self,
        owner: Option<&str>,
        ident: &'a syn::Ident,
        (ty, value): (&'a syn::Type, &'a Expr),
        ends: (proc_macro2::Span, proc_macro2::Span),
        context: Context,
    ) {
        let constant = Rc::new(Constant {
            file: self.file,
            owner: owner.map(str::to_owned),
            ident,
            ty,
            value,
            ends,
            context,
        });
        let constants = &mut self.items.constants;
        constants
            .entry(qualified(owner, ident))
            .or_default()
            .push(constant);
    }

    fn add_function(
        &mut self,
        owner: Option<&str>,
        item: &impl Spanned,
        (attrs, sig, block): (&'a [Attribute], &'a Signature, &'a Block),
        context: Context,
    ) -> Rc<Function<'a>> {
        let is_marked = self.source.is_marked_skip(item, &sig.fn_token);
        let context = Context {
            is_fixed: context.is_fixed || is_test(attrs) || is_marked,
            problem: context
                .problem
                .or_else(|| generic(&sig.generics).map(Rc::from)),
            ..context
        };
        let function = Rc::new(Function {
            file: self.file,
            owner: owner.map(str::to_owned),
            attrs,
            sig,
            block,
            context: context.clone(),
        });
        if context.is_absent {
            return function;
        }
        let functions = &mut self.items.functions;
        let of_name = functions.entry(qualified(owner, &sig.ident)).or_default();
        of_name.push(Rc::clone(&function));
        let inner = Context {
            is_of_trait: false,
            ..context
        };
        for item in items_in(block) {
            self.add(item, inner.clone());
        }
        function
    }

    /// What holds for a part of an implementation.
    fn within(&self, attrs: &[Attribute], context: &Context) -> Option<Context> {
        within(attrs, context.clone(), self.source.features(), false)
    }

    fn add_impl(&mut self, of: &'a syn::ItemImpl, context: Context) {
        let syn::Type::Path(path) = &*of.self_ty else {
            return;
        };
        let Some(owner) = path.path.segments.last().map(|last| last.ident.to_string()) else {
            return;
        };
        let context = Context {
            is_of_trait: of.trait_.is_some(),
            problem: context
                .problem
                .or_else(|| generic(&of.generics).map(Rc::from)),
            ..context
        };
        for item in &of.items {
            match item {
                ImplItem::Fn(method) => {
                    if let Some(context) = self.within(&method.attrs, &context) {
                        let parts = (&*method.attrs, &method.sig, &method.block);
                        self.add_function(Some(&owner), method, parts, context);
                    }
                }
                ImplItem::Const(constant) => {
                    if let Some(context) = self.within(&constant.attrs, &context) {
                        let value = (&constant.ty, &constant.expr);
                        let ends = (constant.const_token.span, constant.semi_token.span);
                        self.add_constant(Some(&owner), &constant.ident, value, ends, context);
                    }
                }
                _ => {}
            }
        }
    }
}

fn qualified(owner: Option<&str>, ident: &syn::Ident) -> String {
    owner.map_or_else(|| ident.to_string(), |owner| format!("{owner}::{ident}"))
}

/// Why generic code is outside of the subset; lifetimes do not matter.
fn generic(generics: &Generics) -> Option<&'static str> {
    let mut lifetimes = generics.params.iter();
    let is_plain = lifetimes.all(|param| matches!(param, syn::GenericParam::Lifetime(_)));
    (!is_plain).then_some("generics are not supported")
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(of) => &of.attrs,
        Item::Enum(of) => &of.attrs,
        Item::Fn(of) => &of.attrs,
        Item::Impl(of) => &of.attrs,
        Item::Mod(of) => &of.attrs,
        Item::Static(of) => &of.attrs,
        Item::Struct(of) => &of.attrs,
        Item::Type(of) => &of.attrs,
        _ => &[],
    }
}

/// What holds for an item with these attributes; `None` if tests are compiled without it. A test that is not compiled is named, and so
/// are those in a module, if `is_named`.
fn within(
    attrs: &[Attribute],
    context: Context,
    features: Option<&Features>,
    is_named: bool,
) -> Option<Context> {
    let compiled = cfg::compiled(attrs, features);
    let mut is_absent = context.is_absent;
    let problem = match (&compiled.never, &compiled.unknown) {
        (Some(condition), _) if is_named && condition.contains("feature") => {
            is_absent = true;
            Some(cfg::absent(condition).into())
        }
        (Some(_), _) => return None,
        (None, Some(condition)) => Some(cfg::unknown(condition).into()),
        (None, None) => context.problem,
    };
    Some(Context {
        is_fixed: context.is_fixed || compiled.is_for_tests,
        is_absent,
        problem,
        ..context
    })
}

/// The modules in other files about which the declaration says something, by their paths.
#[derive(Default)]
struct Modules {
    /// Compiled for tests only, or marked `nopol: skip`.
    fixed: HashSet<Vec<String>>,
    /// Compiled.
    present: HashSet<Vec<String>>,
    /// Not compiled with the active features.
    absent: HashMap<Vec<String>, Context>,
}

impl Modules {
    fn find(&mut self, source: &Source, items: &[Item], module: &[String]) {
        for item in items {
            let Item::Mod(of) = item else {
                continue;
            };
            let path = [module, &[of.ident.to_string()]].concat();
            let context = within(&of.attrs, Context::default(), source.features(), true);
            let is_for_tests = (context.as_ref()).is_some_and(|context| context.is_fixed);
            if is_for_tests || source.is_marked_skip(of, &of.mod_token) {
                self.fixed.insert(path.clone());
            } else if let Some((_, items)) = &of.content {
                self.find(source, items, &path);
            }
            match context.filter(|context| context.is_absent) {
                Some(context) if of.content.is_none() => {
                    self.absent.insert(path, context);
                }
                Some(_) => {}
                None => {
                    self.present.insert(path);
                }
            }
        }
    }

    fn is_below_fixed(&self, module: &[String]) -> bool {
        (1..=module.len()).any(|end| self.fixed.contains(&module[..end]))
    }

    /// What holds for the items of a module in another file.
    fn around(&self, module: &[String]) -> Context {
        let mut outer = (1..=module.len()).map(|end| &module[..end]);
        let absent = outer.find_map(|outer| {
            let is_other = !self.present.contains(outer);
            self.absent.get(outer).filter(|_| is_other)
        });
        absent.cloned().unwrap_or_default()
    }
}
