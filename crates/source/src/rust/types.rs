//! The subject's declarations: structs, enums, constants, and functions that return a scalar.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::{Attribute, Fields, Generics, Item, ReceiverKind, ReturnType, Signature, Type, UseTree};

use super::modules::conditions;
use crate::{Callable, DataType, DeclaredType, FileIndex, Variant};

/// A type without its references.
pub fn declared(ty: &Type) -> DeclaredType {
    let mut plain = ty;
    let mut is_reference = false;
    loop {
        plain = match plain {
            Type::Reference(reference) => {
                is_reference = true;
                &reference.elem
            }
            Type::Paren(inner) => &inner.elem,
            Type::Group(inner) => &inner.elem,
            _ => break,
        };
    }
    DeclaredType {
        plain: plain.to_token_stream().to_string().replace(' ', ""),
        is_reference,
    }
}

/// A struct or enum whose parts can be read. `at` is the end of the module's items, which are compiled under the
/// conditions `outer`. `None` for other items, and for packed structs, whose fields cannot be borrowed.
pub fn data_type(
    item: &Item,
    file: FileIndex,
    at: usize,
    outer: &BTreeSet<String>,
) -> Option<DataType> {
    let (ident, generics, attrs) = match item {
        Item::Struct(item) => (&item.ident, &item.generics, &item.attrs),
        Item::Enum(item) => (&item.ident, &item.generics, &item.attrs),
        _ => return None,
    };
    if is_packed(attrs) {
        return None;
    }
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let (parameters, arguments, bounds) = parts(generics);
    Some(DataType {
        file,
        name: ident.to_string(),
        at,
        cfg: cfgs
            .map(|attr| attr.to_token_stream().to_string())
            .collect(),
        cfgs: outer | &conditions(attrs),
        parameters,
        ty: format!("{ident}{arguments}"),
        bounds,
        fields: match item {
            Item::Struct(item) => fields(&item.fields),
            _ => Vec::new(),
        },
        private_fields: match item {
            Item::Struct(item) => private_fields(&item.fields),
            _ => BTreeSet::new(),
        },
        variants: match item {
            Item::Enum(item) => {
                let always = item.variants.iter().filter(|it| is_always(&it.attrs));
                always.map(variant).collect()
            }
            _ => Vec::new(),
        },
        is_comparable: attrs.iter().any(|attr| derives(attr, "PartialEq")),
        is_copy: attrs.iter().any(|attr| derives(attr, "Copy")),
    })
}

/// Whether a field or variant is compiled whenever its type is.
fn is_always(attrs: &[Attribute]) -> bool {
    conditions(attrs).is_empty()
}

/// Names or indices of a struct's fields, with their types.
fn fields(fields: &Fields) -> Vec<(String, DeclaredType)> {
    let name = |(at, field): (usize, &syn::Field)| {
        let name = field.ident.as_ref().map(ToString::to_string);
        (name.unwrap_or_else(|| at.to_string()), declared(&field.ty))
    };
    let all = fields.iter().enumerate();
    all.filter(|(_, field)| is_always(&field.attrs))
        .map(name)
        .collect()
}

/// The fields that are visible only in the struct's own module and the modules in it.
fn private_fields(of: &Fields) -> BTreeSet<String> {
    let is_private = |field: &syn::Field| matches!(field.vis, syn::Visibility::Inherited);
    let always = of.iter().filter(|field| is_always(&field.attrs));
    let named = fields(of).into_iter().zip(always);
    let private = named.filter(|(_, field)| is_private(field));
    private.map(|((name, _), _)| name).collect()
}

fn parts(generics: &Generics) -> (String, String, String) {
    let (parameters, arguments, bounds) = generics.split_for_impl();
    (
        parameters.to_token_stream().to_string(),
        arguments.to_token_stream().to_string(),
        bounds.to_token_stream().to_string(),
    )
}

fn variant(variant: &syn::Variant) -> Variant {
    Variant {
        name: variant.ident.to_string(),
        rest: match variant.fields {
            syn::Fields::Named(_) => " { .. }",
            syn::Fields::Unnamed(_) => "(..)",
            syn::Fields::Unit => "",
        },
        fields: fields(&variant.fields),
    }
}

/// A name in [`crate::Sources::implementations`] that stands for all types.
pub const ANY: &str = "*";

/// The traits that an attribute derives.
pub fn derived(attr: &Attribute) -> Vec<String> {
    if !attr.path().is_ident("derive") {
        return Vec::new();
    }
    let list = attr.meta.to_token_stream().to_string();
    let words = list.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && *word != "derive");
    words.map(str::to_owned).collect()
}

fn derives(attr: &Attribute, name: &str) -> bool {
    derived(attr).iter().any(|word| word == name)
}

fn is_packed(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("repr") && attr.meta.to_token_stream().to_string().contains("packed")
    })
}

/// The function as a callable. `None` unless it returns a scalar, an `Option` or a `Result`, and takes `self`, if at
/// all, by value or by shared reference.
pub fn callable(
    signature: &Signature,
    owner: Option<&String>,
    file: FileIndex,
    cfgs: &BTreeSet<String>,
    scalars: &Scalars,
) -> Option<Callable> {
    let ReturnType::Type(_, returns) = &signature.output else {
        return None;
    };
    if matches!(signature.safety, syn::Safety::Unsafe(_)) {
        return None;
    }
    let returns = scalars.resolved(declared(returns).plain);
    let may_be_nothing = ["Option<", "Result<"]
        .iter()
        .any(|start| returns.starts_with(start));
    if nopol_expr::Type::from_name(&returns).is_none() && !may_be_nothing {
        return None;
    }
    let receiver = signature.receiver();
    let kind = receiver.map(|receiver| &receiver.kind);
    if matches!(
        kind,
        Some(ReceiverKind::Reference(_, _, Some(_)) | ReceiverKind::Typed(..))
    ) {
        return None;
    }
    let generic: Vec<String> = signature
        .generics
        .type_params()
        .map(|parameter| parameter.ident.to_string())
        .collect();
    let typed = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => Some(typed),
        syn::FnArg::Receiver(_) => None,
    });
    let name = |pattern: &syn::Pat| match pattern {
        syn::Pat::Ident(name) => name.ident.to_string(),
        _ => String::new(),
    };
    let parameter = |ty: &Type| {
        let declared = declared(ty);
        let is_generic = generic.contains(&declared.plain) || declared.plain.starts_with("impl");
        (!is_generic).then_some(declared)
    };
    Some(Callable {
        file,
        name: signature.ident.to_string(),
        owner: owner.cloned(),
        is_method: receiver.is_some(),
        takes_value: matches!(kind, Some(ReceiverKind::Value)),
        names: typed.clone().map(|it| name(&it.pat)).collect(),
        parameters: typed.map(|it| parameter(&it.ty)).collect(),
        returns,
        is_static: false,
        is_of_distant_trait: false,
        cfgs: cfgs.clone(),
    })
}

/// The last segment of a macro's path.
pub fn macro_name(mac: &syn::Macro) -> String {
    let last = mac.path.segments.last();
    last.map_or_else(String::new, |last| last.ident.to_string())
}

/// Aliases of scalars, by their names: `type DocId = u32;`.
#[derive(Debug, Default)]
pub struct Scalars(BTreeMap<String, String>);

impl Scalars {
    /// Adds the aliases of a file.
    pub fn add(&mut self, file: &syn::File) {
        for item in &file.items {
            if let Item::Type(item) = item
                && let of = declared(&item.ty).plain
                && nopol_expr::Type::from_name(&of).is_some()
            {
                self.0.insert(item.ident.to_string(), of);
            }
        }
    }

    /// The scalar that a type is an alias of, or the type itself.
    fn resolved(&self, plain: String) -> String {
        self.0.get(&plain).cloned().unwrap_or(plain)
    }
}

/// Whether a name is written like a constant.
pub fn is_constant_name(name: &str) -> bool {
    name.len() > 1 && name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// The constants among the names that a `use` item imports.
pub fn imported_constants(tree: &UseTree, found: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => imported_constants(&path.tree, found),
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|tree| imported_constants(tree, found)),
        UseTree::Name(name) => {
            found.extend(Some(name.ident.to_string()).filter(|name| is_constant_name(name)));
        }
        UseTree::Rename(name) => {
            found.extend(Some(name.rename.to_string()).filter(|name| is_constant_name(name)));
        }
        UseTree::Glob(_) => {}
    }
}
