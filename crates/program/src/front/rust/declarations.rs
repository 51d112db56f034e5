//! Types as they are written: names, structures, enumerations and signatures.

use std::rc::Rc;

use syn::visit::Visit;
use syn::{
    Attribute, Fields, FnArg, GenericArgument, Pat, PathArguments, ReceiverKind, ReturnType,
};

use super::items::{Declared, Function, Named};
use super::source::span_of;
use super::types::{Enum, Field, Struct, Type, int_named};
use super::{Front, Home, inventory};
use crate::ir::{Outside, PointerKind, Span};
use crate::written::Owner;

/// A parameter: its pattern, `None` for `self`, and its type.
pub(super) type Parameter<'a> = (Option<&'a Pat>, Type);

impl<'a> Front<'a> {
    /// The type that is written there.
    pub fn type_of(&mut self, home: &Home, ty: &syn::Type) -> Result<Type, Outside> {
        let span = span_of(home.file, ty);
        Ok(match ty {
            syn::Type::Paren(inner) => self.type_of(home, &inner.elem)?,
            syn::Type::Group(inner) => self.type_of(home, &inner.elem)?,
            syn::Type::Never(_) => Type::Never,
            syn::Type::Array(array) => {
                let length = self.constant_value(home, &array.len)?;
                let Ok(length) = u32::try_from(length) else {
                    return Err(self.outside(span, "an array has too many elements"));
                };
                Type::Array(Rc::new(self.type_of(home, &array.elem)?), length)
            }
            syn::Type::Slice(slice) => Type::Slice(Rc::new(self.type_of(home, &slice.elem)?)),
            syn::Type::Reference(to) => Type::reference(self.pointee(home, &to.elem)?),
            syn::Type::Ptr(to) => Type::Raw(Rc::new(self.pointee(home, &to.elem)?)),
            syn::Type::Tuple(tuple) => {
                let of = tuple.elems.iter().map(|ty| self.type_of(home, ty));
                Type::Tuple(of.collect::<Result<_, _>>()?)
            }
            syn::Type::Path(path) if path.qself.is_none() => {
                self.type_at(home, &path.path, span)?
            }
            _ => {
                return Err(self.outside(
                    span,
                    format!("the type `{}` is not supported", self.text(span)),
                ));
            }
        })
    }

    /// The type behind a pointer. In a declaration a structure may point to itself, and so it is read only when it is
    /// needed.
    fn pointee(&mut self, home: &Home, ty: &syn::Type) -> Result<Type, Outside> {
        let path = match ty {
            syn::Type::Path(path) if path.qself.is_none() && !self.open.is_empty() => &path.path,
            _ => return self.type_of(home, ty),
        };
        let Some(last) = path.segments.last() else {
            return self.type_of(home, ty);
        };
        let name = match (last.ident.to_string(), &home.owner) {
            (name, Some(owner)) if name == "Self" => owner.clone(),
            (name, _) => name,
        };
        let is_renamed = self.items.imports[home.file].is_renamed(&name);
        let is_plain = matches!(last.arguments, PathArguments::None) && !is_renamed;
        match self.items.named(&name) {
            Ok(Some(named)) if is_plain && matches!(named.declared, Declared::Struct(_)) => {
                Ok(Type::Named(name.into()))
            }
            _ => self.type_of(home, ty),
        }
    }

    /// The type, with a structure in place of its name.
    pub fn known(&mut self, home: &Home, ty: &Type, from: Span) -> Result<Type, Outside> {
        match ty {
            Type::Named(name) => {
                let known = self.type_named(home, name, from)?;
                Ok(known.unwrap_or_else(|| ty.clone()))
            }
            _ => Ok(ty.clone()),
        }
    }

    fn text(&self, span: Span) -> String {
        self.sources[span.file as usize].on_one_line(span.start, span.end)
    }

    fn type_at(&mut self, home: &Home, path: &syn::Path, span: Span) -> Result<Type, Outside> {
        let unsupported = |front: &Self| {
            let reason = match &*front.text(span) {
                "f32" | "f64" => "floating-point numbers are not supported".to_owned(),
                text => format!("the type `{text}` is not supported"),
            };
            Err(front.outside(span, reason))
        };
        let Some(last) = path.segments.last() else {
            return unsupported(self);
        };
        let name = last.ident.to_string();
        let imports = &self.items.imports[home.file];
        let is_hidden = imports.is_of_std(&name) && !["Option", "Ordering"].contains(&&*name);
        if path.segments.len() == 1 && (is_hidden || imports.is_renamed(&name)) {
            return unsupported(self);
        }
        if name == "Option" && matches!(self.items.named(&name), Ok(None)) {
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return unsupported(self);
            };
            let Some(GenericArgument::Type(of)) = arguments.args.first() else {
                return unsupported(self);
            };
            return Ok(Type::option(self.type_of(home, of)?));
        }
        if name == "Box" && matches!(self.items.named(&name), Ok(None)) {
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return unsupported(self);
            };
            let (Some(GenericArgument::Type(of)), 1) =
                (arguments.args.first(), arguments.args.len())
            else {
                return unsupported(self);
            };
            return match self.pointee(home, of)? {
                Type::Slice(_) | Type::Str => unsupported(self),
                of => Ok(Type::Box(Rc::new(of))),
            };
        }
        if let PathArguments::AngleBracketed(arguments) = &last.arguments {
            let mut all = arguments.args.iter();
            if !all.all(|argument| matches!(argument, GenericArgument::Lifetime(_))) {
                return unsupported(self);
            }
        }
        match self.primitive(&name) {
            Some(primitive) => Ok(primitive),
            None => match self.type_named(home, &name, span)? {
                Some(named) => Ok(named),
                None => unsupported(self),
            },
        }
    }

    /// The type that the language has by this name; one that the crate declares hides it.
    pub fn primitive(&self, name: &str) -> Option<Type> {
        if !matches!(self.items.named(name), Ok(None)) {
            return None;
        }
        match name {
            "bool" => Some(Type::Bool),
            "char" => Some(Type::Char),
            "str" => Some(Type::Str),
            _ => int_named(name).map(Type::Int),
        }
    }

    /// The type that the crate declares by this name.
    pub fn type_named(
        &mut self,
        home: &Home,
        name: &str,
        from: Span,
    ) -> Result<Option<Type>, Outside> {
        let name = match (name, &home.owner) {
            ("Self", Some(owner)) => owner.clone(),
            _ => name.to_owned(),
        };
        let found = self
            .items
            .named(&name)
            .map_err(|reason| self.outside(from, reason))?;
        if found.is_some() && name == "Ordering" {
            return Err(self.outside(from, "a type called `Ordering` is not supported"));
        }
        if let Some(known) = self.types.get(&name).cloned() {
            self.note_type(&name, &known);
            return Ok(Some(known));
        }
        let Some(named) = found else {
            return Ok(None);
        };
        if self.open.contains(&name) {
            return Err(self.outside(
                from,
                format!("`{name}` contains itself, which is not supported"),
            ));
        }
        self.open.push(name.clone());
        let ty = self.declared(&name, &named, from);
        self.open.pop();
        let ty = ty?;
        self.types.insert(name.clone(), ty.clone());
        self.note_type(&name, &ty);
        Ok(Some(ty))
    }

    /// Notes the discriminants and lengths in a declaration, and in those of the types within, for what is being translated: a
    /// declaration is read once, but whatever names it depends on them.
    fn note_type(&mut self, name: &str, ty: &Type) {
        let Some(owner) = self.state.owner else {
            return;
        };
        self.note_declaration(name, owner);
        self.note_parts(ty, owner);
    }

    fn note_parts(&mut self, ty: &Type, owner: Owner) {
        match ty {
            Type::Enum(of) => self.note_declaration(&of.name, owner),
            Type::Struct(of) => {
                self.note_declaration(&of.name, owner);
                for field in &of.fields {
                    self.note_parts(&field.ty, owner);
                }
            }
            Type::Tuple(of) => of.iter().for_each(|ty| self.note_parts(ty, owner)),
            // A structure behind a pointer is read when it is needed.
            Type::Array(of, _)
            | Type::Slice(of)
            | Type::Reference(of)
            | Type::Raw(of)
            | Type::Box(of)
            | Type::Borrowed(of)
            | Type::Option(of) => self.note_parts(of, owner),
            _ => {}
        }
    }

    fn note_declaration(&mut self, name: &str, owner: Owner) {
        let Ok(Some(named)) = self.items.named(name) else {
            return;
        };
        let mut values = Vec::new();
        match named.declared {
            _ if named.context.is_fixed => {}
            Declared::Enum(of) => {
                let variants = of.variants.iter();
                let written = variants.filter_map(|variant| variant.discriminant.as_ref());
                values.extend(written.map(|(_, value)| value));
            }
            Declared::Struct(of) => {
                let fields = of.fields.iter();
                fields.for_each(|field| inventory::lengths_in(&field.ty, &mut values));
            }
            Declared::Alias(of) => inventory::lengths_in(&of.ty, &mut values),
            Declared::Trait | Declared::Union => {}
        }
        let home = Home {
            file: named.file,
            owner: Some(name.to_owned()),
        };
        self.note_fixed(&home, &values, owner);
    }

    /// Notes values on which types depend, and those of the constants in them.
    pub fn note_fixed(&mut self, home: &Home, values: &[&'a syn::Expr], owner: Owner) {
        for value in values {
            let written = &mut self.state.program.written;
            inventory::note_value(written, home.file, value, (owner, true));
            // The constants are noted when they are evaluated. Whoever needs the value says what is wrong with it.
            let _ = self.constant_value(home, value);
        }
    }

    fn declared(&mut self, name: &str, named: &Named, from: Span) -> Result<Type, Outside> {
        if let Some(problem) = &named.context.problem {
            return Err(self.outside(from, format!("`{name}` is used, but {problem}")));
        }
        let home = Home {
            file: named.file,
            owner: Some(name.to_owned()),
        };
        let is_generic = |generics: &syn::Generics| {
            let mut all = generics.params.iter();
            !all.all(|param| matches!(param, syn::GenericParam::Lifetime(_)))
        };
        let generic = format!("`{name}` is generic, and generics are not supported");
        match named.declared {
            Declared::Struct(of) if is_generic(&of.generics) => Err(self.outside(from, generic)),
            Declared::Alias(of) if is_generic(&of.generics) => Err(self.outside(from, generic)),
            Declared::Enum(of) if is_generic(&of.generics) => Err(self.outside(from, generic)),
            Declared::Struct(of) => self.structure(&home, name, of),
            Declared::Enum(of) => self.enumeration(&home, name, of),
            Declared::Alias(of) => self.type_of(&home, &of.ty),
            Declared::Trait => Err(self.outside(from, "traits are not supported")),
            Declared::Union => Err(self.outside(from, "unions are not supported")),
        }
    }

    fn structure(
        &mut self,
        home: &Home,
        name: &str,
        of: &syn::ItemStruct,
    ) -> Result<Type, Outside> {
        self.check_conditions(home.file, |conditional| {
            conditional.visit_fields(&of.fields);
        })?;
        let mut fields = Vec::new();
        let mut offset = 0;
        for (nth, field) in of.fields.iter().enumerate() {
            let ty = self.type_of(home, &field.ty)?;
            let size = ty.size();
            let ident = field.ident.as_ref();
            fields.push(Field {
                name: ident.map_or_else(|| nth.to_string(), ToString::to_string),
                ty,
                offset,
            });
            offset += size;
        }
        // What owns nodes gives them back, which nothing here depends on. What refers to others may change them.
        let kinds = fields.iter().filter_map(|field| Some(field.ty.target()?.1));
        let kinds: Vec<PointerKind> = kinds.collect();
        let refers = |kind: &PointerKind| {
            use PointerKind::{OptionalReference, Reference};
            matches!(kind, Reference | OptionalReference)
        };
        let is_owner = !kinds.is_empty() && !kinds.iter().any(refers);
        if !is_owner && !matches!(self.items.function(&format!("{name}::drop")), Ok(None)) {
            let reason = format!("`{name}` has a method `drop`, and traits are not supported");
            return Err(self.outside(span_of(home.file, &of.ident), reason));
        }
        Ok(Type::Struct(Rc::new(Struct {
            name: name.to_owned(),
            fields,
            derives: derives(&of.attrs),
        })))
    }

    fn enumeration(
        &mut self,
        home: &Home,
        name: &str,
        of: &syn::ItemEnum,
    ) -> Result<Type, Outside> {
        for variant in &of.variants {
            self.check_conditions(home.file, |conditional| conditional.visit_variant(variant))?;
        }
        let mut variants = Vec::new();
        let mut next = 0;
        for variant in &of.variants {
            let span = span_of(home.file, variant);
            if !matches!(variant.fields, Fields::Unit) {
                let reason = format!("`{name}` has data in its variants, which is not supported");
                return Err(self.outside(span, reason));
            }
            if let Some((_, value)) = &variant.discriminant {
                next = self.constant_value(home, value)?;
            }
            variants.push((variant.ident.to_string(), next));
            next += 1;
        }
        Ok(Type::Enum(Rc::new(Enum {
            name: name.to_owned(),
            variants,
            derives: derives(&of.attrs),
        })))
    }

    /// The parameters and the result of a function.
    pub fn signature(
        &mut self,
        function: &Function<'a>,
    ) -> Result<(Vec<Parameter<'a>>, Type), Outside> {
        let home = function.home();
        let mut parameters = Vec::new();
        for input in &function.sig.inputs {
            let span = span_of(home.file, input);
            parameters.push(match input {
                FnArg::Receiver(receiver) => {
                    let name = home.owner.clone().unwrap_or_default();
                    let Some(owner) = self.type_named(&home, &name, span)? else {
                        return Err(
                            self.outside(span, format!("methods of `{name}` are not supported"))
                        );
                    };
                    match &receiver.kind {
                        ReceiverKind::Value => (None, owner),
                        ReceiverKind::Reference(..) => (None, Type::reference(owner)),
                        _ => {
                            return Err(self.outside(span, "a `self` with a type is not supported"));
                        }
                    }
                }
                FnArg::Typed(typed) => (Some(&*typed.pat), self.type_of(&home, &typed.ty)?),
            });
        }
        let result = match &function.sig.output {
            ReturnType::Default => Type::unit(),
            ReturnType::Type(_, ty) => self.type_of(&home, ty)?,
        };
        Ok((parameters, result))
    }
}

/// The traits that the language implements for a type.
fn derives(attrs: &[Attribute]) -> Vec<String> {
    let mut derives = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        // What cannot be read derives nothing.
        let _ = attr.parse_nested_meta(|meta| {
            let last = meta.path.segments.last();
            derives.extend(last.map(|last| last.ident.to_string()));
            Ok(())
        });
    }
    derives
}
